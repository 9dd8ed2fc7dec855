"""A cache of its own for the studio's tests, one server they share, and a studio and a browser for each file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import browser_studio as b
import pytest
from outside import blender as blender
from running_studio import Plain, Running, make_page

import footfall as ff
from footfall.graph.builtin import cached_path
from footfall.studio import studio


@pytest.fixture(scope="package", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Nothing of the user's cache is written, and nothing read but a built-in graph that is there: every studio would
    begin to build it, half a minute of a core each."""
    before = os.environ.get("FOOTFALL_CACHE")
    folder = tmp_path_factory.mktemp("cache")
    for path in cached_path().parent.glob(f"{cached_path().stem}.*"):
        shutil.copy(path, folder)
    os.environ["FOOTFALL_CACHE"] = str(folder)
    yield folder
    if before is None:
        del os.environ["FOOTFALL_CACHE"]
    else:
        os.environ["FOOTFALL_CACHE"] = before


@pytest.fixture(scope="package", autouse=True)
def no_graph_in_advance() -> Iterator[None]:
    """Building the built-in graph costs half a minute; the tests that are about it say so."""
    before, studio.PREPARE_S = studio.PREPARE_S, 1e6
    yield
    studio.PREPARE_S = before


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with a plain session, for a whole file of tests."""
    folder = tmp_path_factory.mktemp("motions")
    with Running(Plain(folder), make_page(tmp_path_factory.mktemp("dist")), most_upload=2_000_000) as made:
        yield made


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[b.Process]:
    """A studio in a process of its own, for a whole file of tests."""
    with b.studio(tmp_path_factory.mktemp("studio") / "work") as running:
        yield running


@pytest.fixture(scope="session")
def rigged_fbx(tmp_path_factory: pytest.TempPathFactory, blender: Path) -> Path:
    """A character of 1.3 m with its mesh, written as FBX by Blender's module."""
    if find_spec("ufbx") is None:
        pytest.skip("no ufbx to read FBX: `python3 dev.py test` has it")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOOTFALL_BLENDER_PYTHON", str(blender))
        path = tmp_path_factory.mktemp("fbx") / "robot.fbx"
        return ff.save(ff.retarget(ff.motion("stand"), "adult:1.3").resample(30.0), path)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with b.browser() as made:
        yield made


@pytest.fixture
def page(chromium: Any, process: b.Process) -> Iterator[Any]:
    """That studio in the browser, with a new project; nothing may have gone wrong in the page."""
    made = b.open_page(chromium, process)
    b.new_project(made)
    yield made
    assert made.wrong == []
    made.context.close()
