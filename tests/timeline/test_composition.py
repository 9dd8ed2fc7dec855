"""Composition: the base keeps its footprints, the hand waves as its own clip does, nothing else is touched."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.analysis.foot_points import foot_points
from footfall.core import rotation
from footfall.core.errors import ParameterError, UnknownName
from footfall.kinematics.fk import world_transforms_of
from footfall.timeline.body_parts import GROUPS, joints_of
from footfall.timeline.composition import compose, plan_composition
from footfall.timeline.vibration import hermite, vibration


def walking(seconds: float = 5.0, **parameters):
    walk = ff.motion("walk", **parameters)
    return walk.with_pose(walk.sample(np.arange(0.0, seconds, 1 / 60)), is_loop=False, fps=60.0)


def hand_from_chest(clip, t_s, side):
    roles = clip.skeleton.roles
    places, turns = world_transforms_of(clip.skeleton, clip.sample(t_s), [roles.spine[-1], _wrist(roles, side)])
    return rotation.rotate(rotation.conjugate(turns[:, 0]), places[:, 1] - places[:, 0])


def _wrist(roles, side):
    return getattr(roles, f"{side}_wrist")


@pytest.mark.parametrize("arm", ["left", "right", "both"])
@pytest.mark.parametrize(
    "base", [walking(), walking(speed=0.7, turn=25.0), ff.motion("bow")], ids=["walk", "turn", "bow"]
)
def test_a_wave_laid_over_a_motion(arm, base):
    wave = ff.motion("wave", side=arm)
    if wave.duration > base.duration:
        base = base.with_pose(base.sample(np.linspace(0.0, base.duration, 300)))
    plan = plan_composition(base, wave, 0.8)
    out = compose(base, wave, plan)
    assert np.abs(foot_points(out).sole - foot_points(base).sole).max() < 1e-3  # footprints, metres
    times = np.arange(plan.start_s, plan.stop_s, 1 / 60)
    for side in plan.arms:
        apart = hand_from_chest(out, times, side) - hand_from_chest(wave, times - plan.offset_s, side)
        assert np.linalg.norm(apart, axis=-1).max() < 0.01
    outside = (base.times <= plan.begin_s) | (base.times >= plan.end_s)
    assert outside.any()
    np.testing.assert_array_equal(out.pose.root_pos[outside], base.pose.root_pos[outside])
    np.testing.assert_allclose(rotation.angle_between(out.pose.rot[outside], base.pose.rot[outside]), 0.0, atol=1e-7)


@pytest.mark.parametrize("arm", ["left", "right", "both"])
def test_vibration_is_zero_with_zero_slope_at_both_ends_and_outside(arm):
    wave = ff.motion("wave", side=arm)
    found = ff.analyze(wave).additional
    spine = list(wave.skeleton.roles.spine)
    step = 1e-4
    for end, inward in ((found.start_s, 1.0), (found.end_s, -1.0)):
        near = vibration(wave, end + inward * step * np.arange(3), found.start_s, found.end_s, spine)
        for signal in (near.pelvis, near.spine):
            np.testing.assert_array_equal(signal[0], 0.0)
            assert np.abs(signal[1] / step).max() < 0.05  # m/s and rad/s: the linear frames of a clip leave this much
    outside = vibration(wave, np.array([-1.0, found.start_s, found.end_s, 99.0]), found.start_s, found.end_s, spine)
    np.testing.assert_array_equal(outside.pelvis, 0.0)
    inside = vibration(wave, wave.times, found.start_s, found.end_s, spine)
    assert np.abs(inside.spine).max() > np.radians(0.3)  # and there is something to lay over


@given(u=st.floats(0.0, 1.0), seed=st.integers(0, 10_000), length=st.floats(0.05, 5.0))
def test_hermite_is_the_cubic_through_ends_and_slopes(u, seed, length):
    rng = np.random.default_rng(seed)
    a, a_rate, b, b_rate = rng.normal(size=(4, 3))
    # the same cubic by solving for its coefficients
    powers = np.array(
        [[1, 0, 0, 0], [0, 1, 0, 0], [1, length, length**2, length**3], [0, 1, 2 * length, 3 * length**2]]
    )
    coefficients = np.linalg.solve(powers, np.stack([a, a_rate, b, b_rate]))
    t = u * length
    expected = np.array([1, t, t**2, t**3]) @ coefficients
    np.testing.assert_allclose(hermite(a, a_rate, b, b_rate, length, np.array([u]))[0], expected, atol=1e-8)


@given(start=st.floats(-0.5, 3.0))
@settings(max_examples=10)
def test_any_start_gives_a_whole_motion(start):
    base, wave = walking(), ff.motion("wave")
    out = compose(base, wave, plan_composition(base, wave, start))
    assert np.isfinite(out.pose.rot).all()
    assert out.frames == base.frames


def test_a_walk_is_no_arm_movement():
    with pytest.raises(ParameterError, match="no arm movement"):
        plan_composition(walking(), ff.motion("walk"), 0.0)


def test_groups_of_joints():
    body = ff.motion("stand").skeleton
    for name in GROUPS:
        assert len(joints_of(body, [name]))
    left, right = joints_of(body, ["left arm"]), joints_of(body, ["right arm"])
    assert len(left) == len(right)
    assert not set(left) & set(right)
    assert set(joints_of(body, ["arms"])) == set(left) | set(right)
    assert set(joints_of(body, ["legs", "upper body", "pelvis"])) <= set(joints_of(body, []))
    with pytest.raises(UnknownName, match="left arm"):
        joints_of(body, ["left am"])


def test_a_movement_that_goes_on_before_and_after_is_not_shifted():
    from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack

    slow = TimelineClip("wave", 0.0, speed=0.4)  # long enough to lie around a walk whose arms swing
    track = TimelineTrack((slow, TimelineClip("walk:cycles=2,speed=1.6", 1.5)))
    arranged = ff.timeline(Timeline((track,), fps=60.0))
    plan = arranged.plan()[0]
    assert [overlay.shifts for overlay in plan.overlays] == [False]
    assert [piece.name for piece in plan.pieces] == ["wave", "walk", "wave"]
    laid = next(s for s in arranged.render(measured=False).report.segments if s.kind == "composition")
    assert laid.clip_times_s[0][0] == pytest.approx(laid.clip_times_s[1][0], abs=1e-9)
    assert "shifted" not in laid.reason
