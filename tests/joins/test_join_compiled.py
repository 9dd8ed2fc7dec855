"""The compiled feet of joins against their readable twins, on planned steps of built-in motions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.feet import foot_tracks, footsteps, join_feet, leg_solve, pelvis_reach
from footfall.feet import footstep_search as footstep_plan
from footfall.feet.foot_paths import foot_paths
from footfall.joins import join_compiled
from footfall.kinematics import pose_blend as blend
from footfall.kinematics.fk import world_transforms_of
from footfall.kinematics.floor_align import FloorTransform
from footfall.kinematics.root import floor_root
from footfall.timeline import streams

FPS = 60.0
PAIRS = [
    ("walk:cycles=2", "kick"),
    ("stand", "walk"),
    ("run:cycles=3", "stop"),
    ("walk", "walk-back"),
    ("jump", "walk"),
]


def assert_same(a: Pose, b: Pose) -> None:
    assert np.abs(a.root_pos - b.root_pos).max() < 1e-9
    assert np.abs(a.rot - b.rot).max() < 1e-9  # signs too


@cache
def clip(name: str) -> ff.Clip:
    what, _, how = name.partition(":")
    return ff.motion(what, **{k: float(v) for k, v in (x.split("=") for x in how.split(",") if x)}).resample(FPS)


def planned(names: tuple[str, str], leave: float, calm: float) -> Iterator[tuple[footsteps.Ends, FloorTransform]]:
    old, new = (foot_paths(clip(name), FPS) for name in names)
    for length in (24, 40):
        ends = footsteps.Ends(
            old, new, old.lead + round(leave * old.frames), new.lead + length, length, (0.3, 0.0), calm=calm
        )
        yield ends, FloorTransform(np.asarray(0.4), np.array([0.1, 0.0, -0.2]))


@pytest.mark.parametrize("names", PAIRS)
@pytest.mark.parametrize("leave", [0.3, 0.7])
@pytest.mark.parametrize("calm", [1.0, 1.5])
def test_feet_are_led_as_the_readable_way_leads_them(names: tuple[str, str], leave: float, calm: float) -> None:
    for ends, natural in planned(names, leave, calm):
        plan = footsteps.plan(ends, natural)
        count = min(plan.end, len(ends.old.down) - 1 - ends.leave, len(ends.new.down) - 1 - ends.start)
        k = np.arange(1, count + 1)
        a, b = ends.old.pose.at(ends.leave + k), plan.placement.pose(ends.new.pose.at(ends.start + k))
        weight = foot_tracks.gentle(k / plan.length)
        raw = blend.blend(ends.old.skeleton, a, b, weight)
        assert_same(join_compiled.blend(ends.old.skeleton, a, b, weight), raw)
        for whole in (None, False):
            plain = foot_tracks.apply(ends, plan, raw, whole)
            assert_same(join_compiled.apply(ends, plan, raw, whole), plain)
        move = 0.05 * foot_tracks.gentle(k / count)[:, None] * np.array([1.0, 0.0, -1.0])
        body = join_compiled.move_body(ends.old.skeleton, raw, move, FPS)
        assert_same(body, join_compiled.move_body_plainly(ends.old.skeleton, raw, move, FPS))


@given(
    st.sampled_from([*PAIRS, ("turn-in-place", "jump"), ("stop", "start")]),
    st.floats(0.05, 0.95),
    st.integers(3, 60),
    st.floats(-3.0, 3.0),
    st.sampled_from([1.0, 1.5]),
)
@settings(max_examples=60)
def test_feet_are_planned_as_the_readable_way_plans_them(
    names: tuple[str, str], leave: float, length: int, turn: float, calm: float
) -> None:
    old, new = (foot_paths(clip(name), FPS) for name in names)
    ends = footsteps.Ends(old, new, old.lead + round(leave * old.frames), new.lead + length, length, calm=calm)
    natural = FloorTransform(np.asarray(turn), np.array([0.3, 0.0, -0.2]))
    fast, plain = join_compiled.plan(ends, natural), footsteps.plan(ends, natural)
    assert fast.cost == pytest.approx(plain.cost, abs=1e-9)
    assert (fast.length, fast.end) == (plain.length, plain.end)
    np.testing.assert_allclose(fast.placement.shift, plain.placement.shift, atol=1e-9)
    assert float(fast.placement.turn) == pytest.approx(float(plain.placement.turn), abs=1e-9)
    for a, b in zip(fast.tracks, plain.tracks, strict=True):
        np.testing.assert_allclose(join_compiled.packed(a), join_compiled.packed(b), atol=1e-9)
        assert a.note == b.note
        assert a.cost == pytest.approx(b.cost, abs=1e-9)


@pytest.mark.parametrize("name", ["walk", "jump", "bow", "turn-in-place"])
def test_headings_are_those_of_the_readable_way(name: str) -> None:
    whole = clip(name)
    lying = Pose(whole.pose.root_pos, np.array(whole.pose.rot))
    lying.rot[:, 0] = rotation.multiply(rotation.exp(np.array([0.0, 0.0, 1.3])), lying.rot[:, 0])
    for pose in (whole.pose, lying):  # hips on edge are not told by their line alone
        fast, plain = join_compiled.floor_roots(whole.skeleton, pose), floor_root(whole.skeleton, pose)
        np.testing.assert_allclose(fast[0], plain[0], atol=1e-12)
        np.testing.assert_allclose(fast[1], plain[1], atol=1e-12)


@given(st.floats(-0.4, 2.0), st.floats(0.3, 2.0), st.integers(1, 50))
def test_clips_are_played_as_the_readable_way_plays_them(start_s: float, rate: float, count: int) -> None:
    paths = foot_paths(clip("walk"), FPS)
    times = start_s + rate * np.arange(count) / FPS
    assert_same(streams.poses(paths, times), streams.poses_plainly(paths, times))
    fast, plain = streams.played(paths, times, 1), streams.played_plainly(paths, times, 1)
    assert (fast.lead, fast.frames) == (plain.lead, plain.frames)
    assert np.array_equal(fast.down, plain.down)
    for key in ("ankle", "foot", "ball", "root", "heading"):
        assert np.abs(getattr(fast, key) - getattr(plain, key)).max() < 1e-12


def test_frames_of_the_clip_are_played_bit_for_bit() -> None:
    paths = foot_paths(clip("walk"), FPS)
    frames = np.arange(paths.frames)
    assert np.array_equal(streams.poses(paths, frames / FPS).rot, paths.pose.rot[paths.lead + frames])


@given(st.floats(-4.0, 4.0), st.floats(-3.0, 3.0))
def test_legs_places_and_floor(turn: float, shift: float) -> None:
    walk = clip("walk")
    placement = FloorTransform(np.asarray(turn), np.array([shift, 0.0, -shift]))
    assert_same(join_compiled.placed(placement, walk.pose), placement.pose(walk.pose))
    fast, plain = (world(walk.skeleton, walk.pose) for world in (join_compiled.world_legs, leg_solve.world_legs))
    assert all(np.allclose(a, b, rtol=0.0, atol=1e-12) for a, b in zip(fast, plain, strict=True))
    joints = np.arange(0, len(walk.skeleton), 2)
    places = join_compiled.world_places(walk.skeleton, walk.pose, joints)
    assert np.allclose(places, world_transforms_of(walk.skeleton, walk.pose, joints.tolist())[0], rtol=0.0, atol=1e-12)


def test_signs_go_on() -> None:
    pose = clip("walk").pose
    flipped = np.array(pose.rot)
    flipped[3::7] *= -1.0
    made = join_compiled.continuous(Pose(pose.root_pos, np.array(flipped)))
    assert np.array_equal(made.rot, rotation.continuous_signs(flipped))


def test_bodies_whose_bones_slide_take_the_readable_way() -> None:
    walk = clip("walk")
    pos = np.broadcast_to(walk.skeleton.offsets, (walk.frames, len(walk.skeleton), 3))
    slid = Pose(walk.pose.root_pos, walk.pose.rot, np.array(pos))
    weight = np.linspace(0.0, 1.0, walk.frames)
    made = join_compiled.blend(walk.skeleton, slid, slid.at(slice(None, None, -1)), weight)
    assert made.pos is not None
    assert_same(
        Pose(made.root_pos, made.rot),
        join_compiled.blend(walk.skeleton, walk.pose, walk.pose.at(slice(None, None, -1)), weight),
    )
    moved = join_compiled.placed(FloorTransform(np.asarray(1.0), np.ones(3)), slid)
    assert np.array_equal(moved.pos, slid.pos)


def test_constants_are_those_of_the_readable_twins() -> None:
    for name in (
        "CLEAR_M", "CLEAR_OF_STEP", "CLEAR_MOST_M", "CLEAR_CALM_M", "WAIT_UP", "WAIT_DOWN", "RISE_M_S2", "TIPTOE_RAD",
        "STRAIGHT", "BENT_M", "SWING_FROM", "SWING_MOST", "FOLDED", "GRIP_S", "RELEASE_S", "LONG_RELEASE_S",
        "SLOWING_S", "SETTLE_S", "FREE", "SOFT_FROM", "NEVER",
    ):  # fmt: skip
        assert getattr(join_feet, name) == getattr(foot_tracks, name), name


def test_constants_of_planning_are_those_of_the_readable_twin() -> None:
    for name in (
        "STEP_S", "STEP_S_M", "SWIFT_M_S2", "SWING_M_S2", "SWING_S", "REST_S", "SOON_S", "SETTLED_M", "FAR_M",
        "TURN_RAD", "LIFTS_S", "BEHIND_M", "LEFT_BEHIND", "GENTLE", "NEVER",
    ):  # fmt: skip
        assert getattr(footstep_plan, name) == getattr(footsteps, name), name


def test_smoothing_weights_are_three_moving_means() -> None:
    spike = np.zeros((41, 1))
    spike[20] = 1.0
    box = lambda x: np.convolve(x, np.ones(7) / 7.0, mode="same")  # noqa: E731
    assert np.allclose(pelvis_reach.low_pass(spike, 3)[:, 0], box(box(box(spike[:, 0]))), atol=1e-15)
    assert pelvis_reach.taps(3).sum() == pytest.approx(1.0)
