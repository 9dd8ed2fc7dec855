"""Arrays for training: views of the clip, with features from which the motion can be put together again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import footfall as ff
from footfall.core import rotation
from footfall.core.errors import ParameterError

WALK = ff.motion("walk", speed=1.2, turn=50.0)


def test_shapes_are_as_documented() -> None:
    t, j = WALK.frames, len(WALK.skeleton)
    shapes = {name: array.shape for name, array in WALK.numpy()._asdict().items()}
    assert shapes == {
        "root_pos": (t, 3), "rotations": (t, j, 4), "rotations_6d": (t, j, 6), "positions": (t, j, 3), "heading": (t,),
        "root_steps": (t, 4), "local_positions": (t, j, 3), "local_velocities": (t, j, 3), "offsets": (j, 3),
        "parents": (j,),
    }  # fmt: skip


def test_nothing_that_the_clip_holds_is_copied() -> None:
    views = WALK.numpy()
    for ours, theirs in (
        (views.root_pos, WALK.pose.root_pos), (views.rotations, WALK.pose.rot), (views.positions, WALK.positions),
        (views.offsets, WALK.skeleton.offsets), (views.parents, WALK.skeleton.parents),
    ):  # fmt: skip
        assert np.shares_memory(ours, theirs)
        assert not ours.flags.writeable
    small = WALK.numpy(dtype="float32")
    assert {a.dtype.name for a in small} == {"float32", "int32"}
    with pytest.raises(ParameterError, match="floating"):
        WALK.numpy(dtype=int)


@given(st.lists(st.floats(-3, 3), min_size=6, max_size=6))
def test_six_numbers_are_two_columns(numbers: list[float]) -> None:
    q = rotation.normalize(np.array(numbers[:4]) + np.array([0.1, 0.02, 0.003, 0.0004]))
    matrix = Rotation.from_quat(q[[1, 2, 3, 0]]).as_matrix()
    np.testing.assert_allclose(rotation.to_6d(q), np.concatenate([matrix[:, 0], matrix[:, 1]]), atol=1e-12)
    again = rotation.from_6d(rotation.to_6d(q) * [2.0, 2, 2, 3, 3, 3])
    np.testing.assert_allclose(rotation.to_matrix(again), matrix, atol=1e-9)


def test_the_motion_can_be_put_together_from_its_steps() -> None:
    """Turn and travel summed up, joints seen from there: every joint is where it was."""
    views = WALK.numpy()
    step = 1.0 / WALK.fps
    heading = views.heading[0] + np.concatenate([[0.0], np.cumsum(views.root_steps[:-1, 0] * step)])
    place = WALK.root_motion.position[0].copy()
    for t in range(WALK.frames):
        back = Rotation.from_euler("y", heading[t])
        np.testing.assert_allclose(back.apply(views.local_positions[t]) + place, WALK.positions[t], atol=1e-9)
        left, ahead = views.root_steps[t, 1:3]
        place = place + back.apply([left * step, 0.0, ahead * step])
    np.testing.assert_allclose(views.root_steps[:, 3], views.local_positions[:, 0, 1], atol=1e-12)
    speed = np.linalg.norm(np.diff(WALK.positions, axis=0), axis=-1) * WALK.fps
    np.testing.assert_allclose(np.linalg.norm(views.local_velocities[:-1], axis=-1), speed, atol=1e-9)


def test_one_frame_stands_still() -> None:
    one = WALK.trim(0.0, 0.0).numpy()
    assert one.root_steps.shape == (1, 4)
    assert not one.root_steps[:, :3].any()


def test_tensors_share_the_memory() -> None:
    torch = pytest.importorskip("torch", reason="no torch: pip install torch, and run this again")
    views = ff.to_torch(WALK)
    assert views.rotations.data_ptr() == WALK.pose.rot.ctypes.data
    assert views.positions.dtype == torch.float64
    small = ff.to_torch(WALK, dtype=torch.float32)
    assert small.rotations_6d.dtype == torch.float32
    assert small.parents.dtype == torch.int32
    np.testing.assert_allclose(small.positions.numpy(), WALK.positions, atol=1e-5)
