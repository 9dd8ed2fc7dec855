"""Clips as plain arrays for training: views of a clip's own memory, 6-D rotations and root-relative features.

6-D rotations: Zhou et al. 2019, "On the Continuity of Rotation Representations in Neural Networks". docs/training.md
lists every array with its shape.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, WrongType, need

if TYPE_CHECKING:
    import torch

A = TypeVar("A")  # np.ndarray or torch.Tensor


class TrainingViews(NamedTuple, Generic[A]):
    """One clip of T frames and J joints; metres, radians, seconds, Y up. Views of a clip are not to be written to."""

    root_pos: A  # (T, 3) joint 0 in the world
    rotations: A  # (T, J, 4) local quaternions, wxyz
    rotations_6d: A  # (T, J, 6) the same: the first two columns of each matrix, one after the other
    positions: A  # (T, J, 3) joints in the world
    heading: A  # (T,) about +Y, continuous
    root_steps: A  # (T, 4) turn a second, travel a second to the left and ahead, and the pelvis' height
    local_positions: A  # (T, J, 3) joints seen from the floor root: left, up, ahead
    local_velocities: A  # (T, J, 3) of the joints a second, in the same axes
    offsets: A  # (J, 3) joints in their parents
    parents: A  # (J,) whole numbers, -1 for joint 0


def training_views(clip: Clip, dtype: Any = None) -> TrainingViews[np.ndarray]:
    """The arrays of a clip; without a dtype nothing that a clip holds is copied (float64, read-only)."""
    kind = np.dtype(float if dtype is None else dtype)
    if kind.kind != "f":
        raise ParameterError(f"arrays for training are of a floating type, such as float32, not {kind}")
    root = clip.root_motion
    back = rotation.yaw(-root.heading)
    seen = rotation.rotate(back[:, None], clip.positions - root.position[:, None])
    speed = rotation.rotate(back[:, None], _forward_rate(clip.positions, clip.fps))
    travel = rotation.rotate(back, _forward_rate(root.position, clip.fps))
    height = clip.positions[:, clip.skeleton.roles.pelvis, 1]
    steps = np.stack([_forward_rate(root.heading, clip.fps), travel[:, 0], travel[:, 2], height], axis=-1)
    pose = clip.pose
    made = TrainingViews(
        pose.root_pos, pose.rot, rotation.to_6d(pose.rot), clip.positions, root.heading, steps, seen, speed,
        clip.skeleton.offsets, clip.skeleton.parents,
    )  # fmt: skip
    return TrainingViews(*(array.astype(kind, copy=False) if array.dtype.kind == "f" else array for array in made))


def to_torch(clip: Clip, dtype: Any = None, device: Any = None) -> TrainingViews[torch.Tensor]:
    """A clip's arrays as tensors; see `TrainingViews` for their shapes.

    Without dtype and device the tensors share the clip's memory (float64): read them, do not write to them.
    """
    if not isinstance(clip, Clip):
        raise WrongType("a clip, as ff.load or ff.motion gives", clip)
    torch = need("torch", "torch")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The given NumPy array is not writ")  # said above, and in the docs
        tensors = [torch.from_numpy(array) for array in training_views(clip)]
    moved = [t.to(device=device, dtype=dtype if t.is_floating_point() else None) for t in tensors]
    return TrainingViews(*moved)


def _forward_rate(values: np.ndarray, fps: float) -> np.ndarray:
    """(T, ...) change until the next frame, a second; the last frame has that of the one before."""
    if len(values) < 2:
        return np.zeros_like(values)
    change = np.diff(values, axis=0) * fps
    return np.concatenate([change, change[-1:]])
