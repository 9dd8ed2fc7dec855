"""The search for moments: exact against an oracle that turns bodies by hand, neighbours that count once."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from helpers import walking_clip
from hypothesis import given
from hypothesis import strategies as st

from footfall.align.features import points_of, row_distances
from footfall.core.errors import ParameterError
from footfall.library.build import Settings, with_library
from footfall.library.facets import ClipPart, FilePart, FileResult
from footfall.library.find import APART_S, nearest
from footfall.library.index_file import Index
from footfall.library.index_writer import IndexWriter
from footfall.library.moments import FPS, moments_facet, query_row, turned_rows
from footfall.motions.library import motion
from footfall.retarget.character import character

BODY = character("adult")
FACET = moments_facet(BODY)
POINTS = points_of(BODY.skeleton)


def found(takes, queries, count, **more):
    return with_library(takes, [FACET], lambda index: nearest(index, FACET, queries, count, **more), Settings())[0]


def test_a_moment_finds_itself_first_and_only_once(takes):
    row = query_row(motion("kick"), 0.5, BODY, POINTS)
    best = found(takes, [(row, False)], 6)
    assert (best[0].file, best[0].distance_m < 0.003) == ("actions/kick.bvh", True)
    assert best[0].t_s == pytest.approx(0.5, abs=0.04)
    assert [m.distance_m for m in best] == sorted(m.distance_m for m in best)
    without = found(takes, [(row, False)], 6, leave_out=("actions/kick.bvh", "kick", 0.5))
    assert all(m.file != "actions/kick.bvh" or abs(m.t_s - 0.5) >= APART_S - 1e-9 for m in without)


def test_mirrored_query_finds_the_other_foot(takes):
    clip = motion("walk", speed=1.2)
    rows = [(query_row(c, 0.2, BODY, POINTS), m) for c, m in ((clip, False), (clip.mirror(), True))]
    assert {m.mirrored for m in found(takes, rows, 4) if m.file == "walk.bvh"} == {True, False}


def turned_distance(a, b):
    """The distance of two rows with one of them turned by every tenth of a degree."""
    turns = np.exp(1j * np.radians(np.arange(0.0, 360.0, 0.1)))[:, None]
    a, b = a.astype(float).reshape(-1, 3), b.astype(float).reshape(-1, 3)
    floor = np.abs((a[:, 2] + 1j * a[:, 0]) - turns * (b[:, 2] + 1j * b[:, 0])) ** 2
    return float(np.sqrt((floor + (a[:, 1] - b[:, 1]) ** 2).sum(axis=1).min()))


def random_index(place, rng):
    """Three files of random rows, and these."""
    every, results = {}, []
    for k in range(3):
        n = int(rng.integers(1, 40))
        rows = rng.normal(size=(n, 12)).astype(np.float16)
        arrays = {"rows": rows, "keys": rows[::5], "speed": np.zeros((n, 3), "f2"), "down": np.zeros((n, 4), bool)}
        clip = ClipPart("c", {"type": "walk", "direction": "forward"}, arrays)
        results.append(FileResult(f"{k}.bvh", "0 0", str(k), (FilePart(FACET.key, "", (clip,)),)))
        every[f"{k}.bvh"] = rows
    with IndexWriter(place) as writer:
        writer.add(results, "code")
        writer.settle()
    return Index(place), every


@given(seed=st.integers(0, 10_000), count=st.integers(1, 12))
def test_nearest_is_exact_and_neighbours_count_once(seed, count):
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        index, files = random_index(Path(folder), rng)
        row = rng.normal(size=12).astype(np.float32)
        best = nearest(index, FACET, [(row, False)], count)
        del index
    every = [(turned_distance(r, row), f, i / FPS) for f, rows in files.items() for i, r in enumerate(rows)]
    assert best[0].distance_m == pytest.approx(min(every)[0], abs=1e-4)
    for i, a in enumerate(best):
        for b in best[:i]:
            assert a.file != b.file or abs(a.t_s - b.t_s) >= APART_S - 1e-9
    worst = best[-1].distance_m
    for distance, file, t in every:  # whatever is better was found, or stands beside something better that was
        if len(best) == count and distance < worst - 1e-3:
            assert any(m.file == file and abs(m.t_s - t) < APART_S and m.distance_m <= distance + 1e-3 for m in best)


def test_rows_do_not_know_where_a_body_faces():
    clip = walking_clip()
    rows = turned_rows(clip, POINTS)
    from footfall.kinematics.floor_align import FloorTransform

    moved = clip.with_pose(FloorTransform(np.array(2.0), np.array([3.0, 0.0, 1.0])).pose(clip.pose))
    np.testing.assert_allclose(turned_rows(moved, POINTS), rows, atol=1e-4)
    assert row_distances(rows[:1], rows[5])[0] > 0.01


def test_times_outside_and_short_clips_are_refused():
    clip = motion("walk")
    with pytest.raises(ParameterError, match="give a time in it"):
        query_row(clip, clip.duration + 1.0, BODY, POINTS)
    with pytest.raises(ParameterError, match="needs 3"):
        query_row(walking_clip(cycles=0.0), 0.0, BODY, POINTS)
