"""Sole watch: where the joints and soles of a live character are in its last frame, and how its feet slide and sink.

Read out of the room that the frame was made in, for those who show a character or measure it. These kernels keep the
interpreter, as `live.frame.step_row` does.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import kernel, part
from footfall.feet.live_lock import point_of


class SoleWatch(NamedTuple):
    """The soles of one character's last frame."""

    points: np.ndarray  # (2, 3, 3) f64 heel, ball and tip of both, world; NaN before the first
    hold: np.ndarray  # (2,) i64 which of them each foot stands on; -1 none


def new_watch() -> SoleWatch:
    return SoleWatch(np.full((2, 3, 3), np.nan), np.full(2, -1))


@kernel(_nrt=False, nogil=False)
def sole_points(handle: Any, points: Any) -> None:
    """Heel, ball and tip of both soles into points (2, 3, 3), world."""
    for side in range(2):
        for k in range(3):
            put_point(handle, side, k, points[side, k])


@kernel(_nrt=False, nogil=False)
def joint_rows(handle: Any, rows: Any) -> None:
    """Place x y z and rotation x y z w of every joint in the world, into rows (J, 7) float32."""
    world, place = handle.room.world, handle.room.place
    for j in range(len(rows)):
        for i in range(3):
            rows[j, i] = world[j, 4 + i] + place[i]
            rows[j, 3 + i] = world[j, 1 + i]
        rows[j, 6] = world[j, 0]


@kernel(_nrt=False, nogil=False)
def watch_soles(handle: Any, watch: Any) -> Any:
    """How far what a foot stands on has moved over the floor since the last frame, the farther foot's, and how deep the
    soles are below where they stand, on a level floor; metres both. The watch becomes this frame's."""
    points, hold, standing = watch.points, watch.hold, handle.tables.body.standing
    slide, depth = 0.0, 0.0
    for side in range(2):
        stands = handle.rows.hold[0, side]
        k = stands if stands == hold[side] else -1
        x, z = points[side, max(k, 0), 0], points[side, max(k, 0), 2]
        for i in range(3):
            put_point(handle, side, i, points[side, i])
            depth = max(depth, standing[side, i] - points[side, i, 1])
        if k >= 0:
            slide = max(slide, math.hypot(points[side, k, 0] - x, points[side, k, 2] - z))
        hold[side] = stands
    return slide, depth


@part
def put_point(handle: Any, side: int, k: int, out: Any) -> None:
    """One point of a sole in the world."""
    body, room = handle.tables.body, handle.room
    point = point_of(room.world, body.sole_joints[side, k], body.sole[side, k])
    for i in range(3):
        out[i] = room.place[i] + point[i]
