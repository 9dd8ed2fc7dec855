"""Steered characters: a whole frame of those that keep on with one motion, and feet of poses changed after blending.

`cruise` is what nearly every frame of a live character is: its parameters go a little nearer to what is asked for, its
weights are looked up, and its motion goes on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.experimental import structref

from footfall.core.kernels import kernel
from footfall.live.easing import ease_parameters
from footfall.live.frame import advance_one, finish_one, pose_crowd, walk_joints
from footfall.live.packed_lattices import PackedLattices, look_up
from footfall.parametric.packed import Crowd, MotionTables


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
    tables, lattices, steering, crowd = handle.tables, handle.lattices, handle.steering, handle.crowd
    basis, other = np.empty(4, np.float32), np.empty(4, np.float32)
    for n in range(len(crowd.share)):
        if not steering.cruises[n]:
            continue
        k = crowd.motion[n, 0]
        if lattices.first[k] >= 0:
            ease_parameters(steering.goal[n], steering.p[n], steering.rate[n], steering.limit[n], dt)
            look_up(lattices, k, steering.p[n], crowd.weights[n, 0], basis, other)
        advance_one(tables, crowd, n, dt)
    pose_crowd(tables, crowd, dt, lock)
    keep(steering, crowd, last)


@kernel
def keep(steering: Any, crowd: Any, last: int) -> None:
    """Remember the poses of this frame."""
    steering.rot[last], steering.root_pos[last], steering.root[last] = crowd.rot, crowd.root_pos, crowd.root


@kernel
def plant(tables: Any, crowd: Any, inertialized: Any, dt: float, lock: bool) -> None:
    """Foot lock and places of joints for the rotations and roots that the characters have now.

    inertialized (N,) bool: whose poses have an offset on them; a foot of theirs stands only once it is near the floor.
    """
    joints = len(tables.body.parents)
    q, root = np.zeros((4, joints), np.float32), np.empty(3)
    for n in range(len(crowd.share)):
        root[0], root[1] = crowd.root_pos[n, 0] - crowd.root[n, 0], crowd.root_pos[n, 1]
        root[2] = crowd.root_pos[n, 2] - crowd.root[n, 1]
        for j in range(joints):
            for i in range(4):
                q[i, j] = crowd.rot[n, j, i]
        walk_joints(q, tables.body, root, crowd.rot[n], crowd.world)
        finish_one(tables, crowd, n, dt, lock, inertialized[n])
