"""Clips: shapes, times, immutability."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton

SKELETON = Skeleton(("hips", "spine"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 0.5, 0]]))


def clip(frames: int, fps: float = 30.0) -> Clip:
    return Clip(SKELETON, fps, Pose(np.zeros((frames, 3)), np.tile(rotation.IDENTITY, (frames, 2, 1))))


@pytest.mark.parametrize("frames", [0, 1, 2, 31])
def test_times_and_duration(frames):
    c = clip(frames)
    assert c.frames == len(c) == len(c.times) == frames
    assert c.duration == (c.times[-1] if frames else 0.0)


@pytest.mark.parametrize(
    "pose",
    [
        Pose(np.zeros((3, 3)), np.zeros((4, 2, 4))),
        Pose(np.zeros((3, 2)), np.zeros((3, 2, 4))),
        Pose(np.zeros((3, 3)), np.zeros((3, 5, 4))),
        Pose(np.zeros((3, 3)), np.zeros((3, 2, 4)), np.zeros((3, 1, 3))),
    ],
)
def test_wrong_shapes_are_refused(pose):
    with pytest.raises(ParameterError):
        Clip(SKELETON, 30.0, pose)


@pytest.mark.parametrize("fps", [0.0, -30.0, np.nan, np.inf])
def test_wrong_rates_are_refused(fps):
    with pytest.raises(ParameterError, match="fps"):
        clip(3, fps)


def test_nobody_can_change_a_clip():
    root = np.zeros((3, 3))
    c = Clip(SKELETON, 30.0, Pose(root, np.tile(rotation.IDENTITY, (3, 2, 1))))
    root[:] = 5
    assert (c.pose.root_pos == 0).all()
    for array in (c.pose.rot, c.pose.root_pos, c.positions):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        c.fps = 60


def test_data_already_read_only_is_shared_not_copied():
    rot = np.tile(rotation.IDENTITY, (3, 2, 1))
    rot.flags.writeable = False
    assert Clip(SKELETON, 30.0, Pose(np.zeros((3, 3)), rot)).pose.rot is rot
