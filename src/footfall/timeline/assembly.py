"""Assembly: strips of frames, each moved over the floor as a whole, put together into one motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import kernel
from footfall.core.pose import Pose
from footfall.core.rotation_kernels import multiply, put, quaternion, rotate
from footfall.kinematics.floor_align import FloorTransform


class PoseStrip(NamedTuple):
    """Frames that go one after another, of continuous signs in themselves."""

    own: Pose  # (K,) in a world of its own
    placement: FloorTransform  # from there into the world of the result

    def part(self, first: int, end: int) -> PoseStrip:
        """Some of its frames."""
        return PoseStrip(self.own.at(slice(first, end)), self.placement)


def together(strips: Sequence[PoseStrip]) -> Pose:
    """(T,) all strips placed, one after another, of continuous signs."""
    bounds = np.cumsum([0, *(len(strip.own.root_pos) for strip in strips)])
    half = 0.5 * np.array([float(strip.placement.turn) for strip in strips])
    floors = np.column_stack([np.cos(half), np.sin(half), np.stack([strip.placement.shift for strip in strips])])
    pose = in_a_row([strip.own for strip in strips])
    place_strips(bounds, floors, pose.root_pos, pose.rot)
    return pose


def in_a_row(parts: Sequence[Pose]) -> Pose:
    """Poses one after another, as new arrays."""
    slides = [part.pos for part in parts if part.pos is not None]
    return Pose(
        np.concatenate([part.root_pos for part in parts]),
        np.concatenate([part.rot for part in parts]),
        np.concatenate(slides) if len(slides) == len(parts) else None,
    )


@kernel
def place_strips(bounds: Any, floors: Any, root: Any, rot: Any) -> None:
    """Poses (T,) in place: strip s, from frame bounds[s] to bounds[s + 1], turned and shifted by floors (S, 5), cosine
    and sine of half the turn and the shift; signs go on from strip to strip."""
    for s in range(len(floors)):
        first, end = bounds[s], bounds[s + 1]
        turn = (floors[s, 0], 0.0, floors[s, 1], 0.0)
        for k in range(first, end):
            at = rotate(turn, (root[k, 0], root[k, 1], root[k, 2]))
            for c in range(3):
                root[k, c] = at[c] + floors[s, 2 + c]
            put(rot[k, 0], multiply(turn, quaternion(rot[k, 0])))
        if first == 0 or end == first:
            continue
        for j in range(rot.shape[1]):
            a, b = rot[first - 1, j], rot[first, j]
            if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0:
                for k in range(first, end):
                    for c in range(4):
                        rot[k, j, c] = -rot[k, j, c]
