"""Shared fixtures: where captures live, and one hypothesis profile for all property tests."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "footfall",
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("nightly", deadline=None, max_examples=5000)
settings.load_profile(os.environ.get("FOOTFALL_HYPOTHESIS", "footfall"))

ROOT = Path(__file__).resolve().parent
# Tests that set limits of memory or use signals, which Windows does not have.
NOT_ON_WINDOWS = (
    "tests/test_odd_clips.py",
    "tests/test_fuzz_readers.py",
    "tests/io/test_fbx.py",
)
MOST_WAIT_S = 120  # for threads of earlier tests
AT_REST = ("threading.py", "thread.py", "queue.py", "selectors.py", "gateway_base.py")  # files in which threads wait
collect_ignore = list(NOT_ON_WINDOWS) if os.name == "nt" else []


def shared_folder(name: str) -> Path | None:
    """`mocap`, `badfiles`, …: named by FOOTFALL_MOCAP, FOOTFALL_BADFILES, …, or in ../shared beside the checkout."""
    given = os.environ.get(f"FOOTFALL_{name.upper()}")
    folder = Path(given) if given else ROOT.parent / "shared" / name
    return folder if folder.is_dir() else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests marked long run only where `-m` speaks of them."""
    if "long" in config.getoption("markexpr"):
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("long")]


@pytest.fixture
def nobody_else_works() -> None:
    """Waits for threads that earlier tests left at work, as a studio's that was closed while it made a take: beside
    threads that allocate without Python's lock, `tracemalloc.stop` of Python 3.11 crashes."""
    for _ in range(MOST_WAIT_S * 10):
        frames = [frame for thread, frame in sys._current_frames().items() if thread != threading.get_ident()]
        if all(Path(frame.f_code.co_filename).name in AT_REST for frame in frames):
            return
        time.sleep(0.1)
    pytest.fail(f"threads of earlier tests are still at work after {MOST_WAIT_S} s")


@pytest.fixture(scope="session")
def mocap() -> Path:
    """Folder of real captures."""
    folder = shared_folder("mocap")
    if folder is None:
        pytest.skip("no captures: set FOOTFALL_MOCAP to a folder of them, or put it at ../shared/mocap")
    return folder


@pytest.fixture(scope="session")
def characters() -> Path:
    """Folder of rigged characters."""
    folder = shared_folder("characters")
    if folder is None:
        pytest.skip("no characters: set FOOTFALL_CHARACTERS to a folder of them, or put it at ../shared/characters")
    return folder


@pytest.fixture(scope="session")
def formats() -> Path:
    """Folder of FBX files."""
    folder = shared_folder("formats")
    if folder is None:
        pytest.skip("no FBX files: set FOOTFALL_FORMATS to a folder of them, or put it at ../shared/formats")
    return folder


@pytest.fixture(scope="session")
def badfiles() -> Path:
    """Folder with the generator and checker of malformed files."""
    folder = shared_folder("badfiles")
    if folder is None:
        pytest.skip("no malformed-file generator: set FOOTFALL_BADFILES, or put it at ../shared/badfiles")
    return folder


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)
