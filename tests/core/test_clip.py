"""Clips: shapes, times, immutability."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.core import clip as clip_module
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


@pytest.mark.parametrize("fps", [0.0, -30.0, np.nan, np.inf, 1e-320, 1e308, 1e-4, 1e7, "x", None, 10**400])
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


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0, 2.0, 0.99, 1e200])
@pytest.mark.parametrize("frames", [1, 5])
def test_rotations_that_are_none_are_refused(bad, frames):
    rot = np.tile(rotation.IDENTITY, (frames, 2, 1))
    rot[-1, 1, 0] = bad
    with np.errstate(over="ignore"), pytest.raises(ParameterError, match=f"joint 1 in frame {frames - 1} has length"):
        Clip(SKELETON, 30.0, Pose(np.zeros((frames, 3)), rot))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e9, -1e300])
def test_places_that_are_none_are_refused(bad):
    rot = np.tile(rotation.IDENTITY, (3, 2, 1))
    root, pos = np.zeros((3, 3)), np.zeros((3, 2, 3))
    root[1, 2] = pos[2, 1, 0] = bad
    with pytest.raises(ParameterError, match="root_pos must be"):
        Clip(SKELETON, 30.0, Pose(root, rot))
    with pytest.raises(ParameterError, match="pos must be"):
        Clip(SKELETON, 30.0, Pose(np.zeros((3, 3)), rot, pos))


def test_rounded_rotations_are_brought_back_to_length_1(rng, monkeypatch):
    """Also where they are looked at piece by piece."""
    monkeypatch.setattr(clip_module, "PIECE", 4)
    rot = rotation.normalize(rng.normal(size=(9, 2, 4)))
    rounded = rot.astype(np.float32).astype(float)
    made = Clip(SKELETON, 30.0, Pose(np.zeros((9, 3)), rounded)).pose.rot
    assert np.abs(np.linalg.norm(rounded, axis=-1) - 1.0).max() > 1e-8
    np.testing.assert_allclose(np.linalg.norm(made, axis=-1), 1.0, rtol=0, atol=1e-15)
    np.testing.assert_allclose(made, rot, atol=1e-7)
    rounded[7, 1] *= 1.1
    with pytest.raises(ParameterError, match="joint 1 in frame 7"):
        Clip(SKELETON, 30.0, Pose(np.zeros((9, 3)), rounded))
