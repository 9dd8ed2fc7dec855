"""Body orientation: the way a clip goes, turned to the quarter it looks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import still_clip, walking_clip
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.analysis.orientation import orientation_at_end, orientation_at_start
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.kinematics.floor_align import FloorTransform

ANGLES = st.floats(-3.0, 3.0)


def glide(direction: float, facing: float, metres: float = 2.0) -> Clip:
    """A stiff body that slides in one direction, facing another."""
    clip = still_clip(frames=61)
    rot = np.array(clip.pose.rot)
    rot[:, 0] = rotation.yaw(facing)
    ahead = np.array([np.sin(direction), 0.0, np.cos(direction)])
    return clip.with_pose(Pose(clip.pose.root_pos + np.linspace(0.0, metres, 61)[:, None] * ahead, rot))


def same_angle(a: float, b: float, tolerance: float = 1e-6) -> bool:
    return abs(np.exp(1j * a) - np.exp(1j * b)) < tolerance


@given(ANGLES, st.integers(0, 3), st.floats(-0.7, 0.7))
def test_travel_decides_and_facing_says_which_quarter(direction, quarters, off):
    looks = direction + quarters * np.pi / 2
    clip = glide(direction, looks + off)
    assert same_angle(orientation_at_start(clip), looks)
    assert same_angle(orientation_at_end(clip), looks)


@given(ANGLES)
def test_a_body_that_stays_faces_where_its_pelvis_does(facing):
    clip = glide(1.0, facing, metres=0.2)  # less than a quarter of its 0.86 m legs
    assert same_angle(orientation_at_start(clip), facing)
    assert same_angle(orientation_at_end(clip), facing)


def test_start_looks_ahead_and_end_looks_back():
    one, two = glide(0.0, 0.0), glide(1.0, 1.0)
    root = np.concatenate([one.pose.root_pos, two.pose.root_pos + one.pose.root_pos[-1] * [1, 0, 1]])
    clip = replace(one, pose=Pose(root, np.concatenate([one.pose.rot, two.pose.rot])))
    assert same_angle(orientation_at_start(clip), 0.0)
    assert same_angle(orientation_at_end(clip), 1.0)
    assert same_angle(orientation_at_start(clip, 1.1), 1.0, 0.02)
    assert same_angle(orientation_at_end(clip, 0.9), 0.0, 0.02)


@settings(max_examples=25)
@given(ANGLES, st.floats(-9.0, 9.0))
def test_it_turns_with_the_world(turn, x):
    clip = walking_clip(heading=0.4)
    moved = clip.with_pose(FloorTransform(np.array(turn), np.array([x, 0.0, 2.0])).pose(clip.pose))
    assert same_angle(orientation_at_start(clip), 0.4, 0.02)
    for of in (orientation_at_start, orientation_at_end):
        assert same_angle(of(moved), of(clip) + turn)


def test_a_mirror_image_goes_the_other_way():
    clip = walking_clip(heading=0.4)
    assert same_angle(orientation_at_start(clip.mirror()), -orientation_at_start(clip), 1e-5)


@pytest.mark.parametrize("t_s", [-0.5, 99.0, np.nan])
def test_a_moment_outside_the_clip_is_refused(t_s):
    with pytest.raises(ParameterError, match="no moment"):
        orientation_at_start(still_clip(), t_s)


def test_no_frames_face_nowhere():
    with pytest.raises(ParameterError, match="no frames"):
        orientation_at_end(still_clip(frames=0))
