"""Rigid motion on the floor: a turn about the vertical and a shift, applied to whole poses.

The only transforms that leave a motion as natural as it was; placing one clip after another is done with these.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose


class FloorTransform(NamedTuple):
    """world = turn about +Y, then shift; leading batch axes allowed."""

    turn: np.ndarray  # (...) radians, positive to the left
    shift: np.ndarray  # (..., 3) metres, y = 0

    def points(self, p: np.ndarray) -> np.ndarray:
        """Points (..., 3) moved by it."""
        if np.ndim(self.turn) == 0 and np.ndim(self.shift) == 1:  # one transform, as most are: a few products do
            half, at = 0.5 * float(self.turn), np.asarray(p, float)
            w, y = math.cos(half), math.sin(half)
            x, z = (
                (2.0 * y) * at[..., 2],
                (-2.0 * y) * at[..., 0],
            )  # rotation_kernels.rotate where only w and y are not 0
            out = at + self.shift
            out[..., 0] += w * x + y * z
            out[..., 2] += w * z - y * x
            return out
        return rotation.rotate(rotation.yaw(self.turn), p) + self.shift

    def pose(self, pose: Pose) -> Pose:
        """Whole poses moved by it (batch axes broadcast)."""
        rot = np.array(pose.rot)
        rot[..., 0, :] = rotation.multiply(rotation.yaw(self.turn), rot[..., 0, :])
        return pose._replace(root_pos=self.points(pose.root_pos), rot=rot)

    def after(self, first: FloorTransform) -> FloorTransform:
        """The transform that does `first`, then this one."""
        return FloorTransform(self.turn + first.turn, self.points(first.shift))

    def inverse(self) -> FloorTransform:
        return FloorTransform(-self.turn, -rotation.rotate(rotation.yaw(-self.turn), self.shift))

    def power(self, n: np.ndarray | int) -> FloorTransform:
        """This transform applied n times (n >= 0 whole; an array gives a batch): walking on loop after loop."""
        n = np.asarray(n)
        turn, shift = n * self.turn, np.zeros((*n.shape, 3))
        # the shifts of n loops are one shift turned 0, 1, … n-1 times: a geometric sum in the complex plane,
        # written with sines so that tiny turns lose no digits
        z = self.shift[..., 2] + 1j * self.shift[..., 0]
        sine = np.sin(0.5 * self.turn)
        ratio = np.where(sine == 0.0, n, np.sin(0.5 * n * self.turn) / np.where(sine == 0.0, 1.0, sine))
        total = z * ratio * np.exp(0.5j * (n - 1) * self.turn)
        shift[..., 0], shift[..., 2] = total.imag, total.real
        return FloorTransform(turn, shift)


def between_roots(
    from_position: np.ndarray, from_heading: np.ndarray, to_position: np.ndarray, to_heading: np.ndarray
) -> FloorTransform:
    """The transform that carries one floor root (position, heading) onto another."""
    turn = np.asarray(to_heading - from_heading)
    moved = rotation.rotate(rotation.yaw(turn), from_position)
    return FloorTransform(turn, (to_position - moved) * np.array([1.0, 0.0, 1.0]))
