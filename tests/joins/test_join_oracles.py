"""How joins are made, against oracles: planned steps of built-in motions, and bones that slide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import join_oracles
import numpy as np
import pytest
import step_plan_oracle
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.core import rotation
from footfall.core.easing import gentle
from footfall.core.pose import Pose
from footfall.feet import join_legs, leg_solve, pelvis_reach, step_search
from footfall.feet.foot_paths import FootPaths, foot_paths
from footfall.feet.step_following import follow_steps
from footfall.feet.step_plan import JoinEnds, packed
from footfall.kinematics import pose_blend
from footfall.kinematics.fk import world_transforms_of
from footfall.kinematics.floor_align import FloorTransform
from footfall.kinematics.joint_places import joint_places
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


def planned(names: tuple[str, str], leave: float, calm: float) -> Iterator[tuple[JoinEnds, FloorTransform]]:
    old, new = (foot_paths(clip(name), FPS) for name in names)
    for length in (24, 40):
        ends = JoinEnds(
            old, new, old.lead + round(leave * old.frames), new.lead + length, length, (0.3, 0.0), calm=calm
        )
        yield ends, FloorTransform(np.asarray(0.4), np.array([0.1, 0.0, -0.2]))


@pytest.mark.parametrize("names", PAIRS)
@pytest.mark.parametrize("leave", [0.3, 0.7])
@pytest.mark.parametrize("calm", [1.0, 1.5])
def test_feet_are_led_as_the_oracle_leads_them(names: tuple[str, str], leave: float, calm: float) -> None:
    for ends, natural in planned(names, leave, calm):
        plan = step_plan_oracle.plan(ends, natural)
        count = min(plan.end, len(ends.old.down) - 1 - ends.leave, len(ends.new.down) - 1 - ends.start)
        k = np.arange(1, count + 1)
        a, b = ends.old.pose.at(ends.leave + k), plan.placement.pose(ends.new.pose.at(ends.start + k))
        weight = gentle(k / plan.length)
        raw = join_oracles.blend(ends.old.skeleton, a, b, weight)
        assert_same(pose_blend.blend(ends.old.skeleton, a, b, weight), raw)
        for whole in (None, False):
            assert_same(follow_steps(ends, plan, raw, whole), join_oracles.apply(ends, plan, raw, whole))
        move = 0.05 * gentle(k / count)[:, None] * np.array([1.0, 0.0, -1.0])
        body = join_legs.move_body(ends.old.skeleton, raw, move, FPS)
        assert_same(body, join_oracles.move_body(ends.old.skeleton, raw, move, FPS))


@given(
    st.sampled_from([*PAIRS, ("turn-in-place", "jump"), ("stop", "start")]),
    st.floats(0.05, 0.95),
    st.integers(3, 60),
    st.floats(-3.0, 3.0),
    st.sampled_from([1.0, 1.5]),
)
@settings(max_examples=60)
def test_feet_are_planned_as_the_oracle_plans_them(
    names: tuple[str, str], leave: float, length: int, turn: float, calm: float
) -> None:
    old, new = (foot_paths(clip(name), FPS) for name in names)
    ends = JoinEnds(old, new, old.lead + round(leave * old.frames), new.lead + length, length, calm=calm)
    natural = FloorTransform(np.asarray(turn), np.array([0.3, 0.0, -0.2]))
    fast, plain = step_search.plan(ends, natural), step_plan_oracle.plan(ends, natural)
    assert fast.cost == pytest.approx(plain.cost, abs=1e-9)
    assert (fast.length, fast.end) == (plain.length, plain.end)
    np.testing.assert_allclose(fast.placement.shift, plain.placement.shift, atol=1e-9)
    assert float(fast.placement.turn) == pytest.approx(float(plain.placement.turn), abs=1e-9)
    for a, b in zip(fast.feet, plain.feet, strict=True):
        np.testing.assert_allclose(packed(a), packed(b), atol=1e-9)
        assert a.note == b.note
    fixed, at = step_search.plan_at(ends, natural, natural), step_plan_oracle.plan_at(ends, natural, natural)
    assert fixed.cost == pytest.approx(at.cost, abs=1e-9)
    assert [a.note for a in fixed.feet] == [b.note for b in at.feet]


@pytest.mark.parametrize("slides", [False, True])
@given(start_s=st.floats(-0.4, 2.0), rate=st.floats(0.3, 2.0), count=st.integers(1, 50))
def test_clips_are_played_between_their_frames(slides: bool, start_s: float, rate: float, count: int) -> None:
    paths = sliding(foot_paths(clip("walk"), FPS)) if slides else foot_paths(clip("walk"), FPS)
    times = start_s + rate * np.arange(count) / FPS
    x = np.clip(paths.lead + times * FPS, 0.0, len(paths.down) - 1.0)
    x = np.where(np.abs(x - np.round(x)) < 1e-6, np.round(x), x)  # frames of the clip stay what they are
    i = x.astype(int)
    j, u = np.minimum(i + 1, len(paths.down) - 1), x - i
    line = lambda v: v[i] + u.reshape(-1, *[1] * (v.ndim - 1)) * (v[j] - v[i])  # noqa: E731
    pose = streams.poses(paths, times)
    plain = rotation.slerp(paths.pose.rot[i], paths.pose.rot[j], u[:, None])
    assert_same(pose, Pose(line(paths.pose.root_pos), plain))
    assert (pose.pos is not None) == slides
    if slides:
        np.testing.assert_allclose(pose.pos, line(paths.pose.pos), rtol=0.0, atol=1e-12)
    feet = streams.played(paths, times, 1)
    assert (feet.lead, feet.frames) == (1, count - 1)
    assert np.array_equal(feet.down, paths.down[np.where(u < 0.5, i, j)])
    np.testing.assert_allclose(feet.foot, rotation.slerp(paths.foot[i], paths.foot[j], u[:, None]), atol=1e-12)
    for key in ("ankle", "ball", "root", "heading"):
        np.testing.assert_allclose(getattr(feet, key), line(getattr(paths, key)), rtol=0.0, atol=1e-12)


def sliding(paths: FootPaths) -> FootPaths:
    shape = (len(paths.down), len(paths.skeleton), 3)
    return replace(paths, pose=paths.pose._replace(pos=np.random.default_rng(0).normal(size=shape)))


def test_frames_of_the_clip_are_played_bit_for_bit() -> None:
    paths = foot_paths(clip("walk"), FPS)
    frames = np.arange(paths.frames)
    assert np.array_equal(streams.poses(paths, frames / FPS).rot, paths.pose.rot[paths.lead + frames])


def test_legs_and_joint_places() -> None:
    walk = clip("walk")
    legs, (places, feet) = leg_solve.world_legs(walk.skeleton, walk.pose), join_legs.legs_of(walk.skeleton, walk.pose)
    for plain, ours in zip(legs, (*np.moveaxis(places, 2, 0), feet), strict=True):
        np.testing.assert_allclose(ours, plain, rtol=0.0, atol=1e-12)
    joints = np.arange(0, len(walk.skeleton), 2)
    found = joint_places(walk.skeleton, walk.pose, joints)
    plain = world_transforms_of(walk.skeleton, walk.pose, joints.tolist())[0]
    np.testing.assert_allclose(found, plain, rtol=0.0, atol=1e-12)


def test_bodies_whose_bones_slide_go_the_same_way() -> None:
    """Bones that slide to where they are anyway change nothing; bones that slide elsewhere are led as oracles do."""
    (ends, natural), *_ = planned(("walk:cycles=2", "kick"), 0.3, 1.0)
    plan = step_search.plan(ends, natural)
    skeleton, k = ends.old.skeleton, np.arange(1, plan.end + 1)
    a, b = ends.old.pose.at(ends.leave + k), plan.placement.pose(ends.new.pose.at(ends.start + k))
    weight = gentle(k / plan.length)
    rigid = follow_steps(ends, plan, pose_blend.blend(skeleton, a, b, weight))
    own = np.broadcast_to(skeleton.offsets, (len(k), len(skeleton), 3))
    pose = follow_steps(ends, plan, pose_blend.blend(skeleton, a._replace(pos=own), b, weight))
    np.testing.assert_allclose(pose.pos, own, rtol=0.0, atol=1e-15)
    assert_same(pose, rigid)
    slid = a._replace(pos=own * (1.0 + 0.02 * np.sin(k / 9.0))[:, None, None])
    raw = join_oracles.blend(skeleton, slid, b, weight)
    made = pose_blend.blend(skeleton, slid, b, weight)
    assert_same(made, raw)
    np.testing.assert_allclose(made.pos, raw.pos, rtol=0.0, atol=1e-12)
    assert_same(follow_steps(ends, plan, made), join_oracles.apply(ends, plan, raw))
    joints = np.arange(len(skeleton))
    plain = world_transforms_of(skeleton, raw, joints.tolist())[0]
    np.testing.assert_allclose(joint_places(skeleton, made, joints), plain, rtol=0.0, atol=1e-9)


def test_smoothing_weights_are_three_moving_means() -> None:
    spike = np.zeros((41, 1))
    spike[20] = 1.0
    box = lambda x: np.convolve(x, np.ones(7) / 7.0, mode="same")  # noqa: E731
    assert np.allclose(pelvis_reach.low_pass(spike, 3)[:, 0], box(box(box(spike[:, 0]))), atol=1e-15)
    assert pelvis_reach.taps(3).sum() == pytest.approx(1.0)
