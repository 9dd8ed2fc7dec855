"""Blending two streams of poses frame by frame, and turns between rotations that stay continuous over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core import rotation
from footfall.core.kernels import kernel, part, read_only
from footfall.core.pose import Pose
from footfall.core.rotation_kernels import conjugate, multiply, put, quaternion, settle_signs, share, unit
from footfall.core.skeleton import Skeleton


def blend(skeleton: Skeleton, a: Pose, b: Pose, weight: np.ndarray) -> Pose:
    """Poses (K,) with b's share of weight (K,): exactly a's at 0 and exactly b's at 1.

    The root's place is mixed in the world; its turn about the vertical apart from its tilt, so that a body that must
    turn round does so on its feet. Both go the shorter way, chosen once: streams that pass each other do not flip.
    """
    slides = a.pos is not None or b.pos is not None
    places = [line_of(pose, skeleton.offsets if slides else None) for pose in (a, b)]
    out, rot = np.empty(places[0].shape), np.empty(a.rot.shape)
    blend_poses(read_only(weight), *places, read_only(a.rot), read_only(b.rot), out, rot)
    return of_line(out, rot)


def line_of(pose: Pose, offsets: np.ndarray | None = None) -> np.ndarray:
    """(K, 3) root positions of poses (K,), or (K, 3 + 3 J) with local positions after them where bones slide.

    offsets (J, 3): what a pose without positions of its own is given for them; None: it needs none.
    """
    pos = offsets if pose.pos is None else pose.pos
    if pos is None:
        return read_only(pose.root_pos)
    count = len(pose.root_pos)
    local = np.broadcast_to(pos, (count, *pos.shape[-2:])).reshape(count, -1)
    return read_only(np.concatenate([pose.root_pos, local], axis=1))


def of_line(places: np.ndarray, rot: np.ndarray) -> Pose:
    """Poses (K,) of places as line_of has them and rotations (K, J, 4)."""
    if places.shape[1] == 3:
        return Pose(places, rot)
    return Pose(places[:, :3], rot, places[:, 3:].reshape(len(places), -1, 3))


@part
def copy(source: Any, to: Any) -> None:
    """Rotations (J, 4)."""
    for j in range(len(source)):
        for c in range(4):
            to[j, c] = source[j, c]


@kernel
def blend_poses(weight: Any, line_a: Any, line_b: Any, rot_a: Any, rot_b: Any, line: Any, rot: Any) -> None:
    """`blend` of poses (K,) by weight (K,) into line (K, C) and rot (K, J, 4)."""
    count, joints = rot_a.shape[:2]
    way, tilt = np.empty((count, 4)), np.empty((count, 4))
    for k in range(count):
        for c in range(line.shape[1]):
            mixed = line_a[k, c] + weight[k] * (line_b[k, c] - line_a[k, c])
            line[k, c] = line_b[k, c] if weight[k] == 1.0 else mixed
        whole = multiply(quaternion(rot_b[k, 0]), conjugate(quaternion(rot_a[k, 0])))  # in the world
        n = np.sqrt(whole[0] * whole[0] + whole[2] * whole[2])
        upright = (1.0, 0.0, 0.0, 0.0) if n < 1e-12 else (whole[0] / n, 0.0, whole[2] / n, 0.0)
        put(way[k], upright)
        put(tilt[k], multiply(whole, conjugate(upright)))
    settle_signs(way)
    settle_signs(tilt)
    for k in range(count):
        turned = multiply(share(quaternion(way[k]), weight[k]), quaternion(rot_a[k, 0]))
        put(rot[k, 0], unit(multiply(share(quaternion(tilt[k]), weight[k]), turned)))
    for j in range(1, joints):
        for k in range(count):
            put(way[k], multiply(conjugate(quaternion(rot_a[k, j])), quaternion(rot_b[k, j])))
        settle_signs(way)
        for k in range(count):
            put(rot[k, j], unit(multiply(quaternion(rot_a[k, j]), share(quaternion(way[k]), weight[k]))))
    for k in range(count):
        if weight[k] == 0.0:
            copy(rot_a[k], rot[k])
        elif weight[k] == 1.0:
            copy(rot_b[k], rot[k])


def between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """What turns a into b, in a's own frame: b == a * between(a, b)."""
    return rotation.multiply(rotation.conjugate(a), b)


def turns(q: np.ndarray) -> np.ndarray:
    """Rotation vectors (K, ..., 3) of rotations (K, ..., 4) over time, without jumps: where one grows past half a turn
    it goes on growing. Of the two ways round, the one that is shorter over the whole time."""
    q = rotation.continuous_signs(q)
    q = np.where(q[..., :1].sum(axis=0) < 0.0, -q, q)
    half = q + rotation.IDENTITY  # the mean of q and no turn, once unit: half of the turn, less than half a turn itself
    full = np.abs(half).max(axis=-1, keepdims=True) < 1e-6  # a whole turn has no axis left
    return np.where(full, 0.0, 2.0 * rotation.log(rotation.normalize(np.where(full, rotation.IDENTITY, half))))
