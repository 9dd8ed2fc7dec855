"""Additional motion: arm movements of a standing body, which arms, from when to when."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import still_clip, walking_clip
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.analysis.additional import find_additional
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.io.load import load
from footfall.motions.library import motion


def gesture(degrees: dict[str, float], start_s: float = 1.0, end_s: float = 2.0, total_s: float = 3.0) -> Clip:
    """Standing; the arms named are raised by that much and lowered again between two times, smoothly."""
    clip = still_clip(frames=round(total_s * 60) + 1)
    u = np.clip((clip.times - start_s) / (end_s - start_s), 0.0, 1.0)
    share = np.sin(np.pi * u) ** 2
    rot = np.array(clip.pose.rot)
    for side, angle in degrees.items():
        joint = clip.skeleton.index(f"{side.title()}Arm")
        rot[:, joint] = rotation.axis_angle(rotation.AXES["Z"], np.radians(angle) * share)
    return clip.with_pose(Pose(clip.pose.root_pos, rot))


@pytest.mark.parametrize("side", ["left", "right"])
def test_one_arm(side):
    found = find_additional(gesture({side: 80.0}))
    assert found.is_additional
    assert found.arms == (side,)
    assert not found.trunk_too
    assert found.shoulder_deg[side == "right"] == pytest.approx(80.0, rel=0.02)
    assert found.start_s == pytest.approx(1.06, abs=0.06)  # the first twentieth of the range takes 0.07 s
    assert found.end_s == pytest.approx(1.94, abs=0.06)


def test_both_arms_bring_the_trunk():
    found = find_additional(gesture({"left": 60.0, "right": 45.0}))
    assert (found.is_additional, found.arms, found.trunk_too) == (True, ("left", "right"), True)


@settings(max_examples=25)
@given(st.floats(5.0, 120.0))
def test_forty_degrees_decide(angle):
    found = find_additional(gesture({"right": angle}))
    if abs(angle - 40.0) > 1.0:  # smoothing takes a little off the top
        assert found.is_additional == (angle > 40.0)


def test_an_arm_that_ends_raised_ends_when_it_stops():
    up = gesture({"right": 80.0})
    half = up.with_pose(up.pose.at(np.concatenate([np.arange(91), np.full(60, 90)])))
    found = find_additional(half)
    assert found.start_s == pytest.approx(1.06, abs=0.06)
    assert found.end_s == pytest.approx(1.45, abs=0.06)


def test_a_pelvis_that_wanders_or_a_foot_that_leaves_makes_it_another_motion():
    clip = gesture({"right": 80.0})
    for metres, stays in ((0.2, True), (0.3, False)):  # 0.3 of 0.86 m is 0.258 m
        shift = np.outer(np.linspace(0.0, 1.0, clip.frames), [metres, 0.0, 0.0])
        found = find_additional(clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos + shift)))
        assert found.pelvis_legs == pytest.approx(metres / 0.86, rel=1e-6)
        assert (found.pelvis_legs < 0.3) == stays
        assert not (found.is_additional and not stays)
    assert not find_additional(walking_clip()).is_additional
    assert not find_additional(walking_clip()).feet_stay


def test_standing_still_is_nothing_to_add():
    found = find_additional(still_clip())
    assert (found.is_additional, found.arms, found.start_s, found.end_s) == (False, (), 0.0, 0.0)
    assert not find_additional(still_clip(frames=1)).is_additional


def test_built_in_motions():
    found = find_additional(motion("reach", x=-0.3, y=1.6, z=0.3))
    assert (found.is_additional, found.arms) == (True, ("right",))
    assert not find_additional(motion("kick", x=0.0, y=1.0, z=0.8)).is_additional


def test_captures(mocap):
    for path, arms in {
        "cmu_bvh/wave_gesture/111_37.bvh": ("right",),
        "cmu_bvh/wave_gesture/113_27.bvh": ("right",),
        "bandai_namco/dataset-2_wave-right-hand_normal_001.bvh": ("right",),
        "cmu_bvh/punch/143_23.bvh": ("left", "right"),
    }.items():
        found = find_additional(load(mocap / path))
        assert (found.is_additional, found.arms) == (True, arms), path
    for path in ("kick/74_05", "walk_straight/02_01", "jump/16_01", "stand_idle/113_21"):
        assert not find_additional(load(mocap / "cmu_bvh" / f"{path}.bvh")).is_additional, path
