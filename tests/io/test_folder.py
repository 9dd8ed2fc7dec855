"""Folders of recordings: every motion in the order of its path, named from there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.io.folder import motion_files, names_in

NAMES = st.sampled_from(["a", "a-b", "a b", "B", "a.c", "ä", "10", "9"])
TREES = st.lists(st.tuples(st.lists(NAMES, max_size=2), NAMES), min_size=1, max_size=12)


@settings(max_examples=50)
@given(TREES)
def test_files_come_in_the_order_of_their_paths(tmp_path_factory: pytest.TempPathFactory, tree: list) -> None:
    folder = tmp_path_factory.mktemp("takes")
    for above, name in tree:
        (folder.joinpath(*above)).mkdir(parents=True, exist_ok=True)
        folder.joinpath(*above, f"{name}.bvh").touch()
        folder.joinpath(*above, f"{name}.doc").touch()
    found = motion_files(folder)
    assert found == sorted(folder.rglob("*.bvh"))
    assert names_in(folder, found) == [path.relative_to(folder).as_posix() for path in found]


def test_names_are_those_from_the_folder_however_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.bvh").touch()
    monkeypatch.chdir(tmp_path)
    for given_as in (tmp_path, Path(), Path("../") / tmp_path.name):
        assert names_in(given_as, motion_files(given_as)) == ["in/a.bvh"]
    with pytest.raises(ValueError, match="outside"):
        names_in(tmp_path / "in", [tmp_path / "inside.bvh"])
