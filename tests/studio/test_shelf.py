"""The shelf of characters: what can be put there, what is refused with its cure, and what a project may name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall as ff
from footfall.core.errors import ParameterError, UnknownName
from footfall.studio.clip_names import ClipNames
from footfall.studio.library import Library
from footfall.studio.shelf import BUILT_IN, Shelf
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack


@pytest.fixture
def shelf(tmp_path: Path):  # type: ignore[no-untyped-def]
    made = Shelf(Library(tmp_path, motions=("walk",)))
    made.folder.mkdir()
    yield made
    made.stop()


def put(shelf: Shelf, name: str, height: float) -> object:
    part = ff.save(ff.retarget(ff.motion("stand"), f"adult:{height}"), shelf.folder / f".part-{name}")
    return shelf.add_file(part, shelf.upload_path(name))


def test_a_rigged_file_is_put_on_the_shelf_once(shelf: Shelf) -> None:
    item = put(shelf, "hero.glb", 1.5)
    assert item.name == "hero"  # type: ignore[attr-defined]
    assert item.height_m == pytest.approx(1.5, abs=0.05)  # type: ignore[attr-defined]
    again = put(shelf, "twin.glb", 1.5)
    assert again == item
    assert [one.name for one in shelf.items() if one.key not in BUILT_IN] == ["hero"]
    view = shelf.skeleton(item.key)  # type: ignore[attr-defined]
    assert view is not None
    assert len(view.rest) == len(view.names)
    assert np.abs(np.linalg.norm(np.array(view.rest)[:, 3:], axis=1) - 1.0).max() < 1e-5
    found = Shelf(Library(shelf.folder.parent, motions=()))
    found.look()
    assert found.keys() == shelf.keys()  # also at the next start
    found.stop()
    shelf.remove(item.key)  # type: ignore[attr-defined]
    assert shelf.keys() == BUILT_IN


@pytest.mark.slow
def test_an_fbx_character_becomes_a_glb_on_the_shelf_once(shelf: Shelf, rigged_fbx: Path, formats: Path) -> None:
    for name in ("robot.fbx", "again.FBX"):
        part = shelf.folder / ".part"
        part.write_bytes(rigged_fbx.read_bytes())
        item = shelf.add_file(part, shelf.upload_path(name))
        assert (item.name, Path(item.key).suffix) == ("robot", ".glb")
    assert [path.name for path in shelf.folder.iterdir()] == ["robot.glb"]
    assert ff.load(item.key).skin is not None
    assert item.height_m == pytest.approx(1.3, abs=0.06)
    bones = shelf.folder / ".part"
    bones.write_bytes((formats / "cmu_91_48.fbx").read_bytes())
    with pytest.raises(ParameterError, match="no mesh"):
        shelf.add_file(bones, shelf.upload_path("bones.fbx"))
    assert [path.name for path in shelf.folder.iterdir()] == ["robot.glb"]


def test_what_is_no_character_is_refused_with_its_cure(shelf: Shelf) -> None:
    with pytest.raises(ParameterError, match="GLB"):
        shelf.upload_path("hero.bvh")
    part = shelf.folder / ".part"
    part.write_bytes(b"glTF but not really")
    with pytest.raises(ParameterError):
        shelf.add_file(part, shelf.upload_path("bad.glb"))
    assert list(shelf.folder.iterdir()) == []
    with pytest.raises(UnknownName):
        shelf.file("/etc/passwd")
    with pytest.raises(UnknownName):
        shelf.by_name("hero.glb")


def test_characters_are_no_clips_and_a_project_may_name_only_those_of_the_shelf(shelf: Shelf) -> None:
    item = put(shelf, "hero.glb", 1.5)
    library = Library(shelf.folder.parent, motions=())
    assert list(library._files()) == []
    names = ClipNames(library)

    def project(character: str) -> Timeline:
        return Timeline((TimelineTrack((TimelineClip("walk"),), character),))

    names.checked(project(item.key))  # type: ignore[attr-defined]
    with pytest.raises(ParameterError):
        names.checked(project("/etc/passwd"))
    with pytest.raises(ParameterError):
        names.checked(project(str(shelf.folder / ".." / ".." / "other.glb")))
