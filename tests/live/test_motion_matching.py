"""Motion matching: what it plays is its clips, requests are met, feet stand, steps repeat to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.align.features import AHEAD_S
from footfall.align.nearest import boxes, nearest
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError, UnknownName
from footfall.core.pose import Pose
from footfall.io.save import save
from footfall.kinematics.floor_align import FloorTransform
from footfall.live.drive import Command
from footfall.live.matching_database import (
    FPS,
    NEVER,
    TYPES,
    folder_database,
    matching_database,
)
from footfall.live.motion_matching import BLEND_S, MotionMatching, wanted_path
from footfall.motions.library import motion
from footfall.quality.joins import VISIBLE, excess_of_stream
from footfall.quality.slide import slide
from footfall_lab.compare import Response, compare, database_clips, driven, random_script, responses, table

SCRIPT = (
    Command(0.0, "stand", 0.0, 0.0),
    Command(0.5, "walk", 1.4, 0.0),
    Command(3.5, "walk", 1.4, 45.0),
    Command(6.5, "run", 3.0, 0.0),
    Command(9.0, "walk", 1.4, 0.0),
    Command(11.5, "stand", 0.0, 0.0),
)


def plain_pose(d, frames, u, offsets):
    """Poses (...) on the floor frame: u of the way from frames (...) to the next, offsets (..., J + 1, 3) on them."""
    after, v = d.after[frames], u[..., None]
    a, b = d.rot[frames].astype(float), d.rot[after].astype(float)
    rot = rotation.normalize((1.0 - v[..., None]) * a + v[..., None] * rotation.nearest_sign(b, a))
    root = (1.0 - v) * d.root[frames].astype(float) + v * d.root[after]
    return Pose(root + offsets[..., -1, :], rotation.multiply(rot, rotation.exp(offsets[..., :-1, :])))


@pytest.fixture(scope="module")
def clips():
    names = [
        ("stand", {}), ("walk", {"speed": 1.4}), ("walk", {"speed": 1.4, "turn": 45.0}), ("run", {"speed": 3.0}),
        ("start", {}), ("stop", {}), ("walk_to_run", {}), ("run_to_walk", {}),
    ]  # fmt: skip
    return [motion(name, **parameters) for name, parameters in names]


@pytest.fixture(scope="module")
def database(clips):
    return matching_database(clips, choose=False)


@pytest.fixture(scope="module")
def taken(database):
    """What a script makes."""
    return driven(MotionMatching(database), database.skeleton, SCRIPT, 13.5)[0]


# --- the search -------------------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 100_000), n=st.integers(1, 100))
def test_the_search_is_exact(seed, n):
    rng = np.random.default_rng(seed)
    rows = np.cumsum(rng.normal(size=(n, 32)), axis=0).astype(np.float32)
    query = rng.normal(size=32).astype(np.float32) * 3.0
    group = rng.integers(0, 4, n).astype(np.uint8)
    penalty = np.array([0.0, 4.0, 50.0, np.inf], np.float32)
    best, cost = nearest(rows, *boxes(rows), query, penalty, group, -1, np.inf)
    least = (((rows - query) ** 2).sum(axis=1) + penalty[group]).min()
    if not np.isfinite(least):
        assert best == -1
        return
    assert cost == pytest.approx(least, rel=1e-4)
    assert group[best] != 3
    assert nearest(rows, *boxes(rows), query, penalty, group, -1, 0.999 * least)[0] == -1  # only what is better


# --- the database -----------------------------------------------------------------------------------------------------


def test_a_database_holds_its_clips(clips, database):
    again = database_clips(database)
    assert len(again) == 2 * len(clips)
    for clip, back in zip(clips, again[: len(clips)], strict=True):
        clip = clip.resample(FPS).floor()
        home = clip.root_motion
        place = FloorTransform(np.array(0.0), -home.position[0]).pose(clip.pose).root_pos[: back.frames]
        ours = back.pose.root_pos - (back.pose.root_pos[0] - place[0]) * np.array([1.0, 0.0, 1.0])
        # the database's path starts at heading 0: distances between moments do not know
        np.testing.assert_allclose(
            np.linalg.norm(ours - ours[0], axis=-1), np.linalg.norm(place - place[0], axis=-1), atol=2e-4
        )
        turn = rotation.angle_between(back.pose.rot[:, 1:], clip.pose.rot[: back.frames, 1:])
        assert turn.max() < 1e-3


def test_frames_know_what_they_are(database):
    assert database.types == TYPES
    d = database
    name = np.array(d.clips)[np.searchsorted(d.first, np.arange(len(d)), side="right") - 1]
    assert set(d.group[name == "walk"]) == {TYPES.index("walk")}
    assert set(d.group[name == "run"]) == {TYPES.index("run")}
    assert set(d.group[name == "stand"]) == {TYPES.index("stand")}
    ends = d.first[1:] - 1
    assert all(d.group[e] == NEVER for e in ends if np.isfinite(d.left_s[e]))
    np.testing.assert_allclose(d.rows[:, :27].mean(axis=0), 0.0, atol=1e-3)
    assert d.nbytes > d.rot.nbytes + d.rows.nbytes
    assert len(d) == len(d.rows)


def test_folders_name_what_they_leave_out(tmp_path):
    save(motion("walk"), tmp_path / "walk.bvh")
    save(motion("stand"), tmp_path / "stand.bvh")
    save(motion("kick"), tmp_path / "kick.bvh")
    (tmp_path / "bad.bvh").write_text("HIERARCHY\nnothing")
    found = folder_database(tmp_path, mirror=False)
    assert len(found.clips) == 2
    assert [text.split(":")[0] for text in found.left_out] == ["bad.bvh", "kick"]


def test_a_folder_is_enough(tmp_path):
    save(motion("walk"), tmp_path / "walk.bvh")
    save(motion("stand"), tmp_path / "stand.bvh")
    hero = ff.MotionMatching(tmp_path)
    assert hero.database.types == ("stand", "walk")
    assert hero.skeleton is hero.database.skeleton
    assert hero.nbytes > hero.database.nbytes
    assert np.isfinite(hero.step(1 / 60, type="walk", speed=1.4).rot).all()
    with pytest.raises(ParameterError, match="no folder"):
        ff.MotionMatching(tmp_path / "walk.bvh")


def test_what_cannot_be_played_is_refused():
    with pytest.raises(ParameterError, match="stand, walk or run"):
        matching_database([motion("kick")])


# --- the character ----------------------------------------------------------------------------------------------------


def test_requests_are_met(database, taken):
    from footfall.align.features import features

    answers = responses(features(taken, ("pelvis",)).speed, taken.fps, SCRIPT)
    assert all(np.isfinite(a.response_s) for a in answers), answers
    assert max(a.response_s for a in answers) < 1.8
    assert max(a.speed_error for a in answers) < 0.2


def test_feet_stand_and_joints_are_not_thrown(database, taken):
    free = driven(MotionMatching(database, foot_lock=False), database.skeleton, SCRIPT, 13.5)[0]
    assert slide(taken).mean_cm_s < 2.0 < slide(free).mean_cm_s
    assert excess_of_stream(taken, database_clips(database)).value < VISIBLE


@pytest.mark.slow
def test_captured_feet_throw_no_knees(mocap):
    """Contacts of recordings do not fit the poses between two of them, and yet no knee is thrown for a foot's sake."""
    kinds = ("walk_straight", "run_straight", "run_turn", "stand_idle", "transition")
    takes = [p for kind in kinds for p in sorted((mocap / "cmu_bvh" / kind).glob("*.bvh"))[:5]]
    d = matching_database([ff.load(path) for path in takes])
    for seed in (11, 13):
        script, seconds = random_script(seed, d.types)
        clip, _ = driven(MotionMatching(d), d.skeleton, script, seconds)
        assert excess_of_stream(clip, database_clips(d)).value < VISIBLE


def test_steps_repeat_to_the_bit(database, taken):
    again = driven(MotionMatching(database), database.skeleton, SCRIPT, 13.5)[0]
    assert np.array_equal(again.pose.root_pos, taken.pose.root_pos)
    assert np.array_equal(again.pose.rot, taken.pose.rot)


def test_without_a_switch_a_clip_is_played_as_it_is(clips):
    walk = clips[1]
    only = matching_database([walk], mirror=False, choose=False)
    hero = MotionMatching(only, foot_lock=False)
    frame = hero._frame
    poses = [
        hero.step(1.0 / FPS, type="walk", speed=float(np.hypot(*only.rate[:, :2].mean(axis=0)))) for _ in range(90)
    ]
    played = Clip(only.skeleton, FPS, type(poses[0])(*(np.stack(x) for x in list(zip(*poses, strict=True))[:2])))
    source = walk.resample(FPS).floor()
    assert hero.switches == 0
    truth = source.sample((frame + np.arange(1, 91)) / FPS)
    turn = rotation.angle_between(played.pose.rot[:, 1:], truth.rot[:, 1:])
    assert np.degrees(turn.mean()) < 1.5  # played a little faster or slower, within the stride's own sway
    gone = np.linalg.norm(played.pose.root_pos[-1] - played.pose.root_pos[0])
    assert gone == pytest.approx(1.4 * 89 / FPS, rel=0.05)


def test_the_kernel_is_the_readable_pose(database):
    rng = np.random.default_rng(3)
    hero = MotionMatching(database, foot_lock=False, heading=0.8, x=2.0, z=-1.0)
    for _ in range(20):
        frame = int(rng.integers(len(database)))
        offset = rng.normal(scale=0.2, size=(len(database.skeleton) + 1, 3))
        hero._frame, hero._u, hero._left = frame, float(rng.random()), lambda offset=offset: offset
        pose = hero._pose(1.0 / FPS)
        local = plain_pose(database, np.array(frame), np.array(hero._u), offset)
        plain = FloorTransform(np.array(0.8), np.array([2.0, 0.0, -1.0])).pose(local)
        sampled = hero._floor_pose(frame, hero._u, offset)
        np.testing.assert_allclose(sampled.root_pos, local.root_pos, atol=1e-7)
        assert rotation.angle_between(sampled.rot, local.rot).max() < 1e-7
        np.testing.assert_allclose(pose.root_pos, plain.root_pos, atol=2e-6)
        assert rotation.angle_between(pose.rot, plain.rot).max() < 1e-3
        np.testing.assert_allclose(np.linalg.norm(pose.rot, axis=-1), 1.0, atol=1e-12)


def test_a_switch_keeps_pose_and_velocity(database):
    hero = MotionMatching(database, foot_lock=False, type="walk")
    poses = [hero.step(1.0 / 120.0, type="walk", speed=1.4) for _ in range(60)]
    before = hero.switches
    far = int(np.flatnonzero(database.group == TYPES.index("run"))[10])
    hero._search = lambda ending: None
    hero._switch(far)
    poses += [hero.step(1.0 / 120.0) for _ in range(60)]
    assert hero.switches == before + 1
    steps = rotation.angle_between(np.stack([p.rot for p in poses[1:]]), np.stack([p.rot for p in poses[:-1]]))
    jump = np.abs(np.diff(steps, axis=0)).max(axis=1)
    assert jump[58:62].max() < 0.035  # radians a frame, in a frame: velocity has no step
    assert np.linalg.norm(poses[60].root_pos - poses[59].root_pos) < 0.03
    assert BLEND_S < 0.5


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 1e-4, 1 / 240, 1 / 60, 1 / 24, 0.3]),
            st.sampled_from([None, *TYPES]),
            st.floats(-3.0, 9.0),
            st.floats(-400.0, 400.0),
            st.booleans(),
        ),
        min_size=1,
        max_size=25,
    )
)
def test_nothing_that_is_asked_breaks_it(database, asked):
    hero = MotionMatching(database)
    for dt, type, speed, turn, urgent in asked:
        pose = hero.step(dt, type=type, speed=speed, turn=turn, urgent=urgent)
        assert np.isfinite(pose.root_pos).all()
        assert np.isfinite(pose.rot).all()
        np.testing.assert_allclose(np.linalg.norm(pose.rot, axis=-1), 1.0, atol=1e-9)
        assert -0.5 < pose.root_pos[1] < 2.0
    assert hero.state.time_s == pytest.approx(sum(a[0] for a in asked))


@pytest.mark.parametrize("wrong", [{"dt": -1.0}, {"dt": float("nan")}, {"speed": float("nan")}, {"turn": float("inf")}])
def test_what_is_no_number_is_refused(database, wrong):
    hero = MotionMatching(database)
    with pytest.raises(ParameterError):
        hero.step(**{"dt": 1 / 60, **wrong})


def test_unknown_types_are_refused_and_places_taken(database):
    hero = MotionMatching(database)
    with pytest.raises(UnknownName, match="did you mean"):
        hero.step(1 / 60, type="fly")
    hero.place(5.0, 3.0, 1.0)
    pose = hero.step(0.0)
    np.testing.assert_allclose(pose.root_pos[[0, 2]], [5.0, 3.0], atol=0.1)
    pose = hero.step(1 / 60, root=(1.0, 2.0, 0.0))
    np.testing.assert_allclose(pose.root_pos[[0, 2]], [1.0, 2.0], atol=0.1)
    assert hero.state.clip in database.clips
    assert issubclass(UnknownName, FootfallError)


@given(speed=st.floats(0.0, 5.0), turn=st.floats(-2.0, 2.0))
def test_the_path_that_is_asked_for_is_an_arc(speed, turn):
    """A body that goes as it is asked to already goes on along its circle."""
    rate = np.array([speed, 0.0, turn])
    path = wanted_path(rate, rate)
    for k, t in enumerate(AHEAD_S):
        z = speed * t if abs(turn) < 1e-9 else speed * (np.exp(1j * turn * t) - 1.0) / (1j * turn)
        assert path[2 * k] == pytest.approx(np.imag(z), abs=2e-3)
        assert path[2 * k + 1] == pytest.approx(np.real(z), abs=2e-3)
        np.testing.assert_allclose(path[6 + 2 * k : 8 + 2 * k], [np.sin(turn * t), np.cos(turn * t)], atol=1e-9)


# --- comparing --------------------------------------------------------------------------------------------------------


def test_responses_of_a_known_stream():
    script = (Command(0.0, "stand", 0.0, 0.0), Command(1.0, "walk", 1.0, 0.0), Command(3.0, "walk", 2.0, 0.0))
    speed = np.zeros((300, 3))
    speed[90:180, 0] = 1.0  # half a second late
    speed[180:, 0] = 1.5  # never there
    assert responses(speed, 60.0, script) == [Response(0.5, 0.0, 0.0), Response(np.inf, 0.5, 0.0)]


def test_compare_measures_any_character(database):
    rows = compare(
        {"a": MotionMatching(database), "b": MotionMatching(database, foot_lock=False)},
        database.skeleton, database_clips(database)[:4], SCRIPT[:2], 2.5,
    )  # fmt: skip
    assert [r.name for r in rows] == ["a", "b"]
    assert rows[0].slide_cm_s < rows[1].slide_cm_s
    assert rows[0].megabytes > 0.1
    assert table(rows).count("\n") == 3
    with pytest.raises(ParameterError):
        compare({}, database.skeleton, [], SCRIPT, 1.0)


def test_captures(mocap):
    """Two real takes and a still one, on one body."""
    from footfall.io.load import load

    names = ["walk_turn/16_17.bvh", "stand_idle/113_21.bvh", "walk_straight/16_31.bvh", "transition/16_33.bvh"]
    clips = [load(mocap / "cmu_bvh" / name).trim(0.1, 5.0 if "stand" in name else None) for name in names[:2]]
    clips += [load(mocap / "cmu_bvh" / name) for name in names[2:]]
    clips.append(load(mocap / "bandai_namco" / "dataset-1_walk_normal_001.bvh"))
    found = matching_database(clips)
    assert len(found.clips) == 10
    script = (Command(0.0, "stand", 0.0, 0.0), Command(0.5, "walk", 1.0, 0.0), Command(4.0, "stand", 0.0, 0.0))
    hero = MotionMatching(found)
    clip = driven(hero, found.skeleton, script, 6.5)[0]
    assert np.isfinite(clip.positions).all()
    assert hero.switches > 0
    gone = clip.root_motion.position
    assert np.linalg.norm(gone[240] - gone[30]) > 2.0
    assert np.linalg.norm(gone[-1] - gone[-20]) < 0.1
