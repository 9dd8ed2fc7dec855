"""Excess acceleration, knee and jerk against injected faults of known size."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import NAMINGS, body
from helpers import random_clip, still_clip, walking_clip
from hypothesis import given
from hypothesis import strategies as st

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.quality.jerk import jerk, jerk_ratio
from footfall.quality.joins import accelerations, excess_acceleration, excess_of_stream, measured_joints
from footfall.quality.knee import knee_ratio, knee_speed


def shifted(clip: Clip, frame: int, by: float) -> Clip:
    """A jump: everything from a frame on stands `by` metres further along x."""
    root = clip.pose.root_pos.copy()
    root[frame:, 0] += by
    return clip.with_pose(clip.pose._replace(root_pos=root))


@given(st.integers(10, 60), st.floats(0.0, 1.0))
def test_nothing_changed_is_zero(frames, share):
    clip = random_clip(np.random.default_rng(0), frames)
    found = excess_acceleration(clip, share * clip.duration, [(clip, 0.0)])
    assert found.value == 0.0
    assert found.joint == ""


@given(st.floats(0.001, 0.2), st.sampled_from([30.0, 60.0, 120.0]))
def test_a_jump_shows_as_its_size_times_rate_squared(by, fps):
    clip = still_clip(frames=200, fps=fps)
    out = shifted(clip, 100, by)
    found = excess_acceleration(out, 100 / fps, [(clip, 0.0)])
    assert found.value == pytest.approx(by * fps**2, rel=1e-6)
    assert found.time_s == pytest.approx(100 / fps, abs=1.01 / fps)


def test_what_the_source_does_itself_is_allowed_there_only():
    source = shifted(still_clip(frames=200), 100, 0.05)  # the source itself jumps at frame 100
    out = shifted(still_clip(frames=200), 100, 0.05)
    assert excess_acceleration(out, 100 / 60, [(source, 0.0)]).value == pytest.approx(0.0, abs=1e-6)
    assert excess_acceleration(out, 100 / 60, [(source, 0.5)]).value == pytest.approx(0.05 * 3600)


def test_sources_may_come_with_a_time_map():
    source = shifted(still_clip(frames=200), 100, 0.05)
    out = shifted(still_clip(frames=200), 50, 0.05)
    mapped = excess_acceleration(out, 50 / 60, [(source, lambda t: t + 50 / 60)])
    assert mapped.value == pytest.approx(0.0, abs=1e-6)


def test_faults_outside_the_window_are_not_this_joins():
    clip = still_clip(frames=300)
    out = shifted(clip, 200, 0.1)
    assert excess_acceleration(out, 1.0, [(clip, 0.0)]).value == 0.0
    assert excess_acceleration(out, 200 / 60 - 0.5, [(clip, 0.0)]).value > 100


def test_sources_at_another_rate_are_brought_to_this_one():
    fine, coarse = walking_clip(fps=120), walking_clip(fps=60)
    assert excess_acceleration(coarse, 1.0, [(fine, 0.0)]).value < 2.0
    assert accelerations(fine).max() > accelerations(coarse).max()


def test_fingers_are_left_out_and_joints_must_match():
    clip = still_clip(frames=60)
    with pytest.raises(ParameterError, match="other joints"):
        excess_acceleration(clip, 0.5, [(_one_joint(), 0.0)])


def _rigged() -> Skeleton:
    """A body under a root that also holds targets; with a tail, and leaves at the ends of its fingers."""
    tail = ("tail", "pelvis", (0.0, 0.0, -0.2))
    leaves = [(f"index_leaf.{s}", f"{side}_finger1", (0.02, 0.0, 0.0)) for side, s in (("left", "L"), ("right", "R"))]
    skeleton, _ = body(NAMINGS["blender"], (tail, *leaves))
    beside = ("handIK.L", "kneeIK.L", "IK-foot.L", "IK-toe.L")
    first = len(skeleton) + 1
    return Skeleton(
        ("root", *skeleton.names, *beside),
        np.array([-1, *(skeleton.parents + 1), 0, 0, 0, first + 2]),
        np.concatenate([np.zeros((1, 3)), skeleton.offsets, np.full((4, 3), 0.3)]),
    )


def test_what_a_rig_keeps_beside_the_body_is_not_measured():
    skeleton = _rigged()
    clip = Clip(skeleton, 60.0, Pose(np.zeros((90, 3)), np.tile(skeleton.rest, (90, 1, 1))))
    left_out = set(skeleton.names) - {skeleton.names[j] for j in measured_joints(clip)}
    fingers = {skeleton.names[j] for j in skeleton.roles.fingers}
    assert {"f_index.01.L", "thumb.01.R"} <= fingers
    assert left_out == fingers | {"index_leaf.L", "index_leaf.R", "handIK.L", "kneeIK.L", "IK-foot.L", "IK-toe.L"}
    for name, seen in (("handIK.L", False), ("hand.L", True), ("tail", True)):
        pos = np.tile(skeleton.offsets, (90, 1, 1))
        pos[45:, skeleton.index(name)] += 0.1
        out = clip.with_pose(clip.pose._replace(pos=pos))
        assert (excess_acceleration(out, 0.75, [(clip, 0.0)]).value > 0.0) == seen


def _one_joint() -> Clip:
    skeleton = Skeleton(("only",), np.array([-1]), np.zeros((1, 3)))
    return Clip(skeleton, 60, Pose(np.zeros((9, 3)), np.tile(rotation.IDENTITY, (9, 1, 1))))


def test_streams_are_measured_against_what_the_examples_do():
    walk = walking_clip(cycles=4)
    assert excess_of_stream(walk, [walk]).value < 0.2 * accelerations(walk).max()
    jump = shifted(walk, 130, 0.2)
    found = excess_of_stream(jump, [walk], join_s=130 / 60)
    assert found.value == pytest.approx(0.2 * 3600, rel=0.3)


def test_frames_of_no_source_are_measured_against_all_they_do():
    walk = walking_clip(cycles=4)
    found = excess_acceleration(walk, 1.0, [(walk.trim(0, 0.5), 100.0)])
    assert 0.0 <= found.value < accelerations(walk).max()


def turned_knee(speed: float) -> Clip:
    """A left knee turning at a constant speed in rad/s from 1 s on."""
    clip = still_clip(frames=121)
    rot = clip.pose.rot.copy()
    angle = speed * np.maximum(clip.times - 1.0, 0.0)
    rot[:, clip.skeleton.index("LeftLeg")] = rotation.axis_angle(rotation.AXES["X"], angle)
    return clip.with_pose(clip.pose._replace(rot=rot))


@given(st.floats(0.01, 3.0))
def test_knee_speed_is_the_angular_speed(speed):
    clip = turned_knee(speed)
    assert knee_speed(clip) == pytest.approx(speed, rel=1e-6)
    assert knee_speed(clip, join_s=0.2) == 0.0
    assert knee_ratio(clip, 1.0, [turned_knee(2 * speed), still_clip()]) == pytest.approx(0.5, rel=1e-6)


def test_knee_ratio_without_any_moving_source():
    assert knee_ratio(turned_knee(1.0), 1.0, [still_clip()]) == np.inf
    assert knee_ratio(still_clip(), 0.5, [still_clip()]) == 0.0


@given(st.floats(-2, 2))
def test_jerk_of_a_cubic_is_its_third_derivative(c):
    clip = still_clip(frames=60)
    root = clip.pose.root_pos.copy()
    root[:, 0] += c * clip.times**3
    clip = clip.with_pose(clip.pose._replace(root_pos=root))
    assert jerk(clip) == pytest.approx(6 * abs(c), rel=1e-5, abs=1e-6)
    assert jerk(clip, join_s=0.3) == pytest.approx(6 * abs(c), rel=1e-5, abs=1e-6)


def test_jerk_ratio_compares_with_the_sources():
    walk = walking_clip(cycles=4)
    assert jerk_ratio(walk, 2.0, [walk]) == pytest.approx(1.0, abs=0.3)
    assert jerk_ratio(shifted(walk, 120, 0.1), 2.0, [walk]) > 2
    assert jerk_ratio(still_clip(), 0.5, [still_clip()]) == 0.0
