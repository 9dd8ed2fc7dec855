"""Folders of takes, and a cache of each test's own."""

from __future__ import annotations

import pytest

from footfall.io.save import save
from footfall.motions.library import motion


@pytest.fixture(scope="session")
def takes(tmp_path_factory):
    """A walk, a kick below, one that is broken, and notes."""
    folder = tmp_path_factory.mktemp("takes")
    save(motion("walk", speed=1.2), folder / "walk.bvh")
    save(motion("kick"), folder / "actions" / "kick.bvh")
    (folder / "bad.bvh").write_text("HIERARCHY\nnothing")
    (folder / "notes.txt").write_text("what we did on Monday")
    return folder


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
