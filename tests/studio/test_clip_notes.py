"""Notes on clips and clips that are like one: what is noted comes back, damaged notes harm nobody."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.studio.clip_notes import ClipNotes
from footfall.studio.library import Library
from footfall.studio.like import Likeness
from footfall.studio.messages import LibraryItem


def item(key: str, name: str) -> LibraryItem:
    return LibraryItem(key, name, "built-in", "walk", 1.0, 30.0, 1.0, False, ())


def test_notes_come_back_and_can_be_taken_back(tmp_path: Path) -> None:
    marks = ClipNotes(tmp_path / "clips.json")
    marks.read()
    marks.note("walk", "stroll", None)
    marks.note("walk", None, True)
    again = ClipNotes(tmp_path / "clips.json")
    again.read()
    shown = again.marked(item("walk", "walk"))
    assert (shown.name, shown.favourite) == ("stroll", True)
    assert again.marked(item("run", "run")) == item("run", "run")
    again.note("walk", "", False)
    assert again.marked(item("walk", "walk")) == item("walk", "walk")
    assert b"walk" not in (tmp_path / "clips.json").read_bytes()


@given(data=st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_damaged_notes_count_as_none(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.mktemp("notes") / "clips.json"
    file.write_bytes(data)
    marks = ClipNotes(file)
    marks.read()
    marks.note("walk", "stroll", None)
    assert marks.marked(item("walk", "walk")).name == "stroll"


def test_a_clip_is_likest_to_its_like() -> None:
    library = Library(None, motions=("walk", "walk:speed=1.5", "bow", "jump"))
    found = Likeness(library).find("walk", 0.5, ["walk", "walk:speed=1.5", "bow", "jump"])
    assert found[0].key == "walk:speed=1.5"
    assert [one.distance_cm for one in found] == sorted(one.distance_cm for one in found)
    assert "walk" not in {one.key for one in found}
