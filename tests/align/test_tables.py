"""Look-up tables: entries, pinning, size, and files that are broken."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import footfall as ff
from footfall.align import tables as lookup
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError, ReadError, UnknownName


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    return [ff.motion("walk", speed=1.3).resample(60), ff.motion("run", speed=3.0).resample(60),
            ff.motion("kick").resample(60)]  # fmt: skip


@pytest.fixture(scope="module")
def tables(clips: list[Clip]) -> lookup.LookupTables:
    return lookup.build(clips)


def test_entries_are_near_in_shape(clips: list[Clip], tables: lookup.LookupTables) -> None:
    walk, run, kick = clips
    assert tables.enter_s("walk", 0.3, "kick") == 0.0  # no loop: pinned
    entries = tables.entries[0, 1]
    assert entries.dtype == np.uint8
    assert len(entries) == walk.frames - 1
    assert entries.max() < run.frames - 1
    steps = np.diff(np.append(entries, entries[0]).astype(int)) % (run.frames - 1)
    assert np.median(steps) <= 2  # time goes on in both, once round
    last = (walk.frames - 2) / walk.fps
    assert tables.enter_s("walk", last + 5 * walk.duration, "run") == tables.enter_s("walk", last, "run")
    assert tables.enter_s("kick", 99.0, "run") == tables.enter_s("kick", kick.duration, "run")


def test_same_motion_enters_where_it_is(clips: list[Clip]) -> None:
    walk = clips[0]
    entries = lookup.entries_of(walk, walk.with_pose(walk.pose))
    np.testing.assert_array_equal(entries, np.arange(walk.frames - 1))


def test_pins_by_hand(clips: list[Clip]) -> None:
    made = lookup.build(clips, pinned={"kick": None, "run": 7})
    assert made.enter_s("walk", 0.5, "run") == 7 / 60
    assert (0, 2) in made.entries
    assert (0, 1) not in made.entries
    with pytest.raises(UnknownName, match="motion to pin"):
        lookup.build(clips, pinned={"kik": 0})
    with pytest.raises(ParameterError, match="cannot be entered at frame 999"):
        lookup.build(clips, pinned={"kick": 999})
    with pytest.raises(ParameterError, match="names that differ"):
        lookup.build([clips[0], clips[0]])


def test_too_short_a_target_takes_the_nearest(clips: list[Clip]) -> None:
    d = np.random.default_rng(0).random((50, 3))
    np.testing.assert_array_equal(lookup.best_entries(d, looped=False), d.argmin(axis=1))


def test_saved_and_loaded(tables: lookup.LookupTables, tmp_path: Path) -> None:
    path = lookup.save(tables, tmp_path / "t.npz")
    again = lookup.load(path)
    assert again.motions == tables.motions
    assert set(again.entries) == set(tables.entries)
    for key, rows in tables.entries.items():
        np.testing.assert_array_equal(again.entries[key], rows)
        assert again.entries[key].dtype == rows.dtype
    assert again.nbytes == tables.nbytes


def test_broken_files_are_named(tables: lookup.LookupTables, tmp_path: Path) -> None:
    path = lookup.save(tables, tmp_path / "t.npz")
    whole = path.read_bytes()
    for cut in (0, 10, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:cut])
        with pytest.raises(FootfallError):
            lookup.load(path)
    with pytest.raises(ReadError, match="none at that path"):
        lookup.load(tmp_path / "nothing.npz")
    motions = [["a", 3, 60.0, 1, -1], ["b", 3, 60.0, 1, -1]]
    for header, entries, words in (
        ({"version": 99, "motions": []}, [], "update footfall"),
        ({"version": 1, "motions": motions}, [0, 1, 2, 0, 1], "entries"),
        ({"version": 1, "motions": motions}, [0, 1, 3, 0, 1, 2], "below 3"),
        ({"version": 1, "motions": [["a", 10**12, 60.0, 1, -1]]}, [], "a motion with frames"),
        ({"version": 1}, [], "header"),
    ):
        np.savez(path, footfall_tables=np.frombuffer(json.dumps(header).encode(), np.uint8),
                 uint8=np.array(entries, np.uint8), uint16=np.zeros(0, np.uint16))  # fmt: skip
        with pytest.raises(ReadError, match=words):
            lookup.load(path)
