"""Steered characters: a whole frame of those that keep on with one motion, and feet of poses changed after blending.

`cruise` is what nearly every frame of a live character is: its parameters go a little nearer to what is asked for, its
weights are looked up, and its motion goes on. The readable twins are `live.playback.Easing` and `weights.lattice`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.experimental import structref

from footfall.core.kernels import kernel
from footfall.feet.live_lock import only_low
from footfall.live.frame import advance_one, feet_down, plant_one, run_frame, walk_joints, write_one
from footfall.parametric.packed import Crowd, MotionTables, PackedGraph
from footfall.weights.lookup import _basis

QUICK, SLOW = 4.0, 0.0625  # 1/s and s: critically damped, 98 % of a small change after 0.7 s


class PackedLattices(NamedTuple):
    """Weights of motions over two parameters as lattices of cubic B-splines, one after another."""

    first: np.ndarray  # (M,) i64 where a motion's coefficients begin; -1: it has none
    size: np.ndarray  # (M,) i64 coefficients an axis
    width: np.ndarray  # (M,) i64 examples of a coefficient, padded
    values: np.ndarray  # f32
    low: np.ndarray  # (M, 2) f64 parameters at 0 cells
    cells: np.ndarray  # (M, 2) f64 cells a unit of a parameter


class SteeringState(NamedTuple):
    """How N characters are steered: two parameters each, where they are and where they should be."""

    goal: np.ndarray  # (N, 2) f64
    p: np.ndarray  # (N, 2) f64
    rate: np.ndarray  # (N, 2) f64 a second
    limit: np.ndarray  # (N, 2) f64 largest rate
    cruises: np.ndarray  # (N,) bool: goes on by itself; the others have been moved already
    rot: np.ndarray  # (2, N, J, 4) f32 poses of the last two frames
    root_pos: np.ndarray  # (2, N, 3) f64
    root: np.ndarray  # (2, N, 3) f64 and where their carriers were


@structref.register
class _HandleType(types.StructRef):
    """The numba type of a handle."""


class Handle(structref.StructRefProxy):
    """Everything a frame needs behind one reference: some sixty arrays would take longer to hand over than to use."""

    def __new__(
        cls, tables: MotionTables, lattices: PackedLattices, steering: SteeringState, characters: Crowd
    ) -> Handle:
        return structref.StructRefProxy.__new__(cls, tables, lattices, steering, characters)


structref.define_proxy(Handle, _HandleType, ["tables", "lattices", "steering", "crowd"])


@kernel
def cruise(handle: Any, dt: float, lock: bool, last: int) -> None:
    """One frame: parameters, weights, clock and root of characters that cruise, and poses of all; last: 0 or 1, in
    which of the two last frames to keep them."""
    _cruise(handle.tables, handle.lattices, handle.steering, handle.crowd, dt, lock, last)


@kernel
def _cruise(tables: Any, lattices: Any, steering: Any, crowd: Any, dt: float, lock: bool, last: int) -> None:
    basis, other = np.empty(4, np.float32), np.empty(4, np.float32)
    for n in range(len(crowd.share)):
        if not steering.cruises[n]:
            continue
        k = crowd.motion[n, 0]
        if lattices.first[k] >= 0:
            for i in range(2):
                ease_one(steering.goal[n], steering.p[n], steering.rate[n], steering.limit[n], i, dt)
            look_up(lattices, k, steering.p[n], crowd.weights[n, 0], basis, other)
        advance_one(tables.rows, tables.first_row, tables.count, tables.cells, tables.pieces, tables.loops,
                    tables.log_rates, tables.bounds, crowd.motion[n], crowd.t[n], crowd.laps[n], crowd.rate[n],
                    crowd.weights[n], 1.0, crowd.root[n], crowd.travelled[n], dt)  # fmt: skip
    run_frame(tables, crowd, dt, False, True, lock, False)
    keep(steering, crowd, last)


@kernel
def keep(steering: Any, crowd: Any, last: int) -> None:
    """Remember the poses of this frame."""
    steering.rot[last], steering.root_pos[last], steering.root[last] = crowd.rot, crowd.root_pos, crowd.root


@kernel
def ease_one(goal: Any, p: Any, rate: Any, limit: Any, i: int, dt: float) -> None:
    """One parameter on its way: no faster than its limit, and without a jerk."""
    keep = np.exp(-dt / SLOW)
    far = goal[i] - p[i]
    wanted = min(max(far * QUICK, -limit[i]), limit[i])
    new = wanted + (rate[i] - wanted) * keep
    moved = wanted * dt + (rate[i] - wanted) * SLOW * (1.0 - keep)
    arrived = abs(far) < 1e-7 * limit[i] and abs(new) < 1e-6 * limit[i]
    if arrived or (abs(moved) > abs(far) and moved * far > 0.0):
        p[i], rate[i] = goal[i], 0.0
    else:
        p[i], rate[i] = p[i] + moved, new


@kernel
def look_up(lattices: Any, k: int, p: Any, out: Any, bx: Any, by: Any) -> None:
    """Weights (E,) of a motion's examples at two parameters."""
    n, width, start = lattices.size[k], lattices.width[k], lattices.first[k]
    tx = min(max((p[0] - lattices.low[k, 0]) * lattices.cells[k, 0], 0.0), n - 3.0)
    ty = min(max((p[1] - lattices.low[k, 1]) * lattices.cells[k, 1], 0.0), n - 3.0)
    i, j = _basis(np.float32(tx), n - 3, bx), _basis(np.float32(ty), n - 3, by)
    for c in range(width):
        out[c] = np.float32(0)
    for a in range(4):
        for b in range(4):
            w, at = bx[a] * by[b], start + ((i + a) * n + j + b) * width
            for c in range(width):
                out[c] += w * lattices.values[at + c]


def plant(
    packed: PackedGraph,
    steering: SteeringState,
    characters: Crowd,
    torn: np.ndarray,
    dt_s: float,
    lock: bool,
    last: int,
) -> None:
    """Foot lock and places of joints for the rotations and roots that the characters have now.

    torn (N,) bool: whose poses were changed; a foot of theirs stands only once it is near the floor.
    """
    _plant(packed.tables, characters, torn, float(dt_s), lock and bool(packed.tables.legs[0, 0] >= 0))
    keep(steering, characters, last)


@kernel
def _plant(tables: Any, crowd: Any, torn: Any, dt: float, lock: bool) -> None:
    joints = len(tables.parents)
    q, root = np.zeros((4, joints), np.float32), np.empty(3)
    for n in range(len(crowd.share)):
        root[0], root[1] = crowd.root_pos[n, 0] - crowd.root[n, 0], crowd.root_pos[n, 1]
        root[2] = crowd.root_pos[n, 2] - crowd.root[n, 1]
        for j in range(joints):
            for i in range(4):
                q[i, j] = crowd.rot[n, j, i]
        walk_joints(q, tables.parents, tables.offsets, root, crowd.rot[n], crowd.world)
        x = y = z = 0.0
        if lock:
            soon = feet_down(tables.spans, tables.count, tables.loops, crowd.spans, crowd.motion[n], crowd.t[n],
                             crowd.rate[n], crowd.weights[n], crowd.share[n], crowd.down[n])  # fmt: skip
            if torn[n]:
                only_low(tables.sole_joints, tables.sole, tables.standing, crowd.world, crowd.down[n])
            x, y, z = plant_one(tables.sole_joints, tables.sole, tables.standing, tables.parents, tables.offsets,
                                tables.legs, tables.below, crowd.world, crowd.rot[n : n + 1], crowd.root[n],
                                crowd.floor[n], crowd.lift[n], crowd.shift[n], crowd.down[n], soon, crowd.hold[n],
                                crowd.held[n], crowd.offset[n], crowd.speed[n], crowd.slip[n], crowd.was[n],
                                crowd.grip[n], dt)  # fmt: skip
        write_one(crowd.world, crowd.root[n, 0] + x, y, crowd.root[n, 1] + z, crowd.root_pos[n], crowd.positions[n])
