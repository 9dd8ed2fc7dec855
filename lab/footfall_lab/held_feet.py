"""Held feet: hold, pelvis and legs of many characters at one moment, for a stream whose caller keeps the plants.

The live foot lock of the product (`feet/live_lock.py`) keeps its plants itself; this measures what bending costs alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import kernel, part
from footfall.core.rotation_kernels import add_scaled, minus, rotate
from footfall.feet.leg_kernels import ONE, LegChain, LegGoal, find_leg, leg_of_chain, leg_reach, place_leg, rows
from footfall.feet.limits import LEG_MAX_EXTENSION, LEG_SOFT_FROM
from footfall.feet.pelvis_reach import least_move


def hold_feet(
    root_pos: np.ndarray,
    rot: np.ndarray,
    chain: LegChain,
    point: np.ndarray,
    place: np.ndarray,
    weight: np.ndarray,
    offset: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Poses with points of feet drawn to places, pelvis moved as little as that takes; and what ankles moved by.

    For streams, frame by frame, many characters at once: point (..., 2, 3) in the ankle's frame (heel or ball),
    place (..., 2, 3) in the world, weight (..., 2) 1 while it stands and 0 in the swing, offset (..., 2, 3) what is
    left of the last stance and fades in the swing.
    """
    batch = root_pos.shape[:-1]
    out_root, out_rot = np.array(root_pos, float, order="C"), np.array(rot, float, order="C")
    moved = np.array(np.broadcast_to(offset, (*batch, 2, 3)), float, order="C")
    holds = tuple(rows(x, batch, tail) for x, tail in ((point, (2, 3)), (place, (2, 3)), (weight, (2,))))
    flat = out_root.reshape(-1, 3), out_rot.reshape(-1, *rot.shape[-2:])
    _hold(*flat, tuple(chain), holds, moved.reshape(-1, 2, 3))
    return out_root, out_rot, moved


@kernel
def _hold(root: Any, rot: Any, chain: Any, holds: Any, offset: Any) -> None:
    """All poses, in place; holds: points, places and weights; offset becomes what was added to each ankle."""
    joints, offsets, at = chain
    point = holds[0]
    extension = (LEG_SOFT_FROM, LEG_MAX_EXTENSION)
    first, second = np.int64(0), np.int64(1)  # as literals they would be types of their own, and all compiled twice
    for n in range(len(root)):
        left = find_leg(root, rot, n, joints, offsets, at, first)
        right = find_leg(root, rot, n, joints, offsets, at, second)
        t0, t1 = _drawn(left, n, first, holds, offset), _drawn(right, n, second, holds, offset)
        r0, r1 = leg_reach(left, holds[2][n, 0]), leg_reach(right, holds[2][n, 1])
        move = least_move(minus(t0, left.hip), minus(t1, right.hip), r0, r1)
        p0, p1 = (point[n, 0, 0], point[n, 0, 1], point[n, 0, 2]), (point[n, 1, 0], point[n, 1, 1], point[n, 1, 2])
        goal0 = LegGoal(move, t0, ONE, rotate(left.ankle_turn, p0), extension)
        goal1 = LegGoal(move, t1, ONE, rotate(right.ankle_turn, p1), extension)
        place_leg(rot[n], leg_of_chain(joints, at, first), left, goal0)
        place_leg(rot[n], leg_of_chain(joints, at, second), right, goal1)
        for i in range(3):
            root[n, i] += move[i]


@part
def _drawn(leg: Any, n: int, side: int, holds: Any, offset: Any) -> Any:
    """Where one ankle should be; its offset is written."""
    point, place, weight = holds
    w = weight[n, side]
    local = (point[n, side, 0], point[n, side, 1], point[n, side, 2])
    now = add_scaled(leg.ankle, rotate(leg.ankle_turn, local), 1.0)
    for i in range(3):
        offset[n, side, i] = w * (place[n, side, i] - now[i]) + (1.0 - w) * offset[n, side, i]
    return add_scaled(leg.ankle, (offset[n, side, 0], offset[n, side, 1], offset[n, side, 2]), 1.0)
