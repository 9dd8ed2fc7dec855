"""The index of moments: the window distance as an oracle, what counts once, and what a change of the folder costs."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers import walking_clip
from hypothesis import given
from hypothesis import strategies as st

from footfall.align.distance import clouds, distances
from footfall.align.features import AHEAD_S, features, floor_path, metric_rows, points_of, row_distances
from footfall.align.index import (
    APART_S,
    FPS,
    IndexedClip,
    IndexedFile,
    MomentIndex,
    build_index,
    key_of,
    nearest,
    query_row,
)
from footfall.align.index_file import index_path, load_index, save_index
from footfall.core.errors import ParameterError, ReadError
from footfall.io.save import save
from footfall.kinematics.floor_align import FloorTransform
from footfall.motions.library import motion
from footfall.retarget.character import character

BODY = character("adult")


def moved(clip, turn=0.7, shift=(2.0, 0.0, -1.0)):
    return clip.with_pose(FloorTransform(np.array(turn), np.array(shift)).pose(clip.pose))


@given(turn=st.floats(-3.1, 3.1), x=st.floats(-50, 50), z=st.floats(-50, 50))
def test_features_do_not_know_where_the_body_is_and_faces(turn, x, z):
    clip = walking_clip()
    a, b = features(clip), features(moved(clip, turn, (x, 0.0, z)))
    for ours, theirs in zip(a, b, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
    rows, others = metric_rows(clip), metric_rows(moved(clip, turn, (x, 0.0, z)))
    assert max(row_distances(rows[k : k + 1], others[k])[0] for k in range(0, len(rows), 20)) < 1e-3


def test_rows_are_as_far_apart_as_the_clouds_of_a_window():
    """Kovar's distance of the same points, which may turn and shift as it likes, is an independent measure."""
    a, b = motion("walk", speed=1.2).resample(60), motion("walk", speed=1.5, turn=20.0).resample(60)
    points = points_of(a.skeleton)
    weights = np.zeros(len(a.skeleton))
    weights[[getattr(a.skeleton.roles, role) for role in points]] = 1.0
    kovar = np.sqrt(distances(clouds(a, joint_weights=weights), clouds(b, joint_weights=weights)))
    rows_a, rows_b = metric_rows(a), metric_rows(b)
    ours = np.stack([row_distances(rows_b, row) for row in rows_a])
    assert (ours <= kovar + 1e-4).all()  # what of a window is no straight line is left out
    np.testing.assert_allclose(ours, kovar, atol=0.006)


def test_path_of_a_steady_arc_is_that_arc():
    clip = motion("walk", speed=1.2, turn=30.0).resample(60)
    of = features(clip, ("pelvis",))
    turn = np.radians(30.0)
    for k, t in enumerate(AHEAD_S):
        facing = np.arctan2(of.path[:, k, 2], of.path[:, k, 3])
        assert facing.mean() == pytest.approx(turn * t, abs=0.02)
        chord = 2.0 * 1.2 / turn * np.sin(0.5 * turn * t)
        assert np.hypot(of.path[:, k, 0], of.path[:, k, 1]).mean() == pytest.approx(chord, rel=0.03)
    np.testing.assert_allclose(of.speed.mean(axis=0), [1.2, 0.0, turn], atol=0.04)


def test_a_loop_has_no_seam():
    clip = motion("walk", speed=1.3, turn=20.0).resample(60)
    of = features(clip)
    for values in (of.position, of.velocity, of.path, of.speed):
        inside = np.abs(np.diff(values, axis=0)).max()
        assert np.abs(values[0] - values[-1]).max() <= 1.5 * inside


def test_a_path_goes_on_past_the_ends_of_a_take():
    clip = walking_clip(speed=1.3, cycles=3.0)
    path = floor_path(clip)
    after = len(path.points) - path.lead // 2
    ahead = (path.points[after] - path.points[after - 1]).real * clip.fps
    assert ahead == pytest.approx(1.3, abs=0.3)
    assert len(path.points) == clip.frames + 2 * path.lead


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("takes")
    save(motion("walk", speed=1.2), folder / "walk.bvh")
    save(motion("kick"), folder / "actions" / "kick.bvh")
    (folder / "bad.bvh").write_text("HIERARCHY\nnothing")
    (folder / "notes.txt").write_text("what we did on Monday")
    return folder


@pytest.fixture(scope="module")
def built(folder):
    return build_index(folder, BODY)


def test_folder(built):
    index, bad, read = built
    assert [f.file for f in index.files] == ["actions/kick.bvh", "walk.bvh"]
    assert [b.file for b in bad] == ["bad.bvh"]
    assert "bad.bvh" in bad[0].why
    assert "\n" not in bad[0].why
    assert read == 4  # the notes too, which turn out to be none
    assert index.frames == sum(len(e.rows) for f in index.files for e in f.clips) > 50


def test_a_moment_finds_itself_first_and_only_once(built, folder):
    index = built[0]
    row = query_row(motion("kick"), 0.5, BODY, index.points)
    found = nearest(index, [(row, False)], 6)
    assert (found[0].file, found[0].distance_m < 0.003) == ("actions/kick.bvh", True)
    assert found[0].t_s == pytest.approx(0.5, abs=0.04)
    assert [m.distance_m for m in found] == sorted(m.distance_m for m in found)
    without = nearest(index, [(row, False)], 6, leave_out=("actions/kick.bvh", "kick", 0.5))
    assert all(m.file != "actions/kick.bvh" or abs(m.t_s - 0.5) >= APART_S - 1e-9 for m in without)


def turned_distance(a, b):
    """The distance of two rows with one of them turned by every tenth of a degree."""
    turns = np.exp(1j * np.radians(np.arange(0.0, 360.0, 0.1)))[:, None]
    a, b = a.astype(float).reshape(-1, 3), b.astype(float).reshape(-1, 3)
    floor = np.abs((a[:, 2] + 1j * a[:, 0]) - turns * (b[:, 2] + 1j * b[:, 0])) ** 2
    return float(np.sqrt((floor + (a[:, 1] - b[:, 1]) ** 2).sum(axis=1).min()))


@given(seed=st.integers(0, 10_000), count=st.integers(1, 12))
def test_nearest_is_exact_and_neighbours_count_once(seed, count):
    rng = np.random.default_rng(seed)
    files = []
    for k in range(3):
        n = int(rng.integers(1, 40))
        rows = rng.normal(size=(n, 12)).astype(np.float32)
        entry = IndexedClip("c", "walk", "forward", rows, np.zeros((n, 3), np.float32), np.zeros((n, 4), bool))
        files.append(IndexedFile(f"{k}.bvh", str(k), (entry,)))
    index = MomentIndex("", ("pelvis", "head"), tuple(files))
    row = rng.normal(size=12).astype(np.float32)
    found = nearest(index, [(row, False)], count)
    every = [(turned_distance(r, row), f.file, i / FPS) for f in files for i, r in enumerate(f.clips[0].rows)]
    assert found[0].distance_m == pytest.approx(min(every)[0], abs=1e-4)
    for i, a in enumerate(found):
        for b in found[:i]:
            assert a.file != b.file or abs(a.t_s - b.t_s) >= APART_S - 1e-9
    worst = found[-1].distance_m
    for distance, file, t in every:  # whatever is better was found, or stands beside something better that was
        if len(found) == count and distance < worst - 1e-3:
            assert any(m.file == file and abs(m.t_s - t) < APART_S and m.distance_m <= distance + 1e-3 for m in found)


def test_mirrored_query_finds_the_other_foot(built):
    index = built[0]
    clip = motion("walk", speed=1.2)
    rows = [(query_row(c, 0.2, BODY, index.points), m) for c, m in ((clip, False), (clip.mirror(), True))]
    found = nearest(index, rows, 4)
    assert {m.mirrored for m in found if m.file == "walk.bvh"} == {True, False}


def test_only_what_changed_is_read_again(folder, built, tmp_path):
    import shutil

    mine = tmp_path / "takes"
    shutil.copytree(folder, mine)
    (mine / "bad.bvh").unlink()
    (mine / "notes.txt").unlink()
    index = built[0]
    again, bad, read = build_index(mine, BODY, index)
    assert (read, bad) == (0, [])
    assert [f.file for f in again.files] == [f.file for f in index.files]
    (mine / "walk.bvh").rename(mine / "renamed.bvh")  # content counts, not names
    assert build_index(mine, BODY, index)[2] == 0
    save(motion("walk", speed=1.6), mine / "renamed.bvh")
    changed, _, read = build_index(mine, BODY, index)
    assert read == 1
    assert len(changed.files) == 2
    assert build_index(mine, character("adult:1.2"), index)[2] == 2  # another body
    assert key_of(BODY, {"clean": True}) != key_of(BODY, {"clean": False})


def test_a_file_answers_like_what_it_was_written_from(built, tmp_path):
    index = built[0]
    path = tmp_path / "index.npz"
    save_index(index, path)
    read = load_index(path)
    row = query_row(motion("walk", speed=1.3), 0.4, BODY, index.points)
    assert nearest(read, [(row, False)], 5) == nearest(index, [(row, False)], 5)
    assert [f.hash for f in read.files] == [f.hash for f in index.files]
    assert path.stat().st_size < index.nbytes


@pytest.mark.parametrize("harm", ["cut", "text", "schema", "frames"])
def test_what_is_no_index_is_refused_in_one_line(built, tmp_path, harm):
    path = tmp_path / "index.npz"
    save_index(built[0], path)
    if harm == "cut":
        path.write_bytes(path.read_bytes()[:-200])
    elif harm == "text":
        path.write_text("no index")
    else:
        with np.load(path) as data:
            parts = dict(data)
        header = json.loads(parts["header"].tobytes())
        header["schema"] = 99 if harm == "schema" else header["schema"]
        header["files"] = header["files"] if harm == "schema" else header["files"][:1]
        parts["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
        np.savez(path, **parts)
    with pytest.raises(ReadError, match=r"index\.npz") as stop:
        load_index(path)
    assert "\n" not in str(stop.value)


def test_index_path_is_one_a_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path))
    assert index_path(tmp_path / "a") != index_path(tmp_path / "b")
    assert index_path(tmp_path / "a").parent == tmp_path


def test_times_outside_and_short_clips_are_refused():
    clip = motion("walk")
    with pytest.raises(ParameterError, match="give a time in it"):
        query_row(clip, clip.duration + 1.0, BODY, points_of(BODY.skeleton))
    with pytest.raises(ParameterError, match="needs 3"):
        query_row(walking_clip(cycles=0.0), 0.0, BODY, points_of(BODY.skeleton))
    with pytest.raises(ParameterError, match="no head"):
        features(_headless(), ("head",))


def _headless():
    from footfall.core.clip import Clip
    from footfall.core.pose import Pose
    from footfall.core.skeleton import Skeleton

    skeleton = Skeleton(("Hips", "A"), np.array([-1, 0]), np.array([[0.0, 1.0, 0.0], [0.0, 0.5, 0.0]]))
    return Clip(skeleton, 30.0, Pose(np.zeros((5, 3)), np.tile([1.0, 0, 0, 0], (5, 2, 1))))
