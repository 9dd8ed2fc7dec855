"""Blending two streams of poses frame by frame, and turns between rotations that stay continuous over time."""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton


def blend(skeleton: Skeleton, a: Pose, b: Pose, weight: np.ndarray) -> Pose:
    """Poses (K,) with b's share of weight (K,): exactly a's at 0 and exactly b's at 1.

    The root's place is mixed in the world; its turn about the vertical apart from its tilt, so that a body that must
    turn round does so on its feet. Both go the shorter way, chosen once: streams that pass each other do not flip.
    """
    w = weight[:, None]
    rot = rotation.multiply(a.rot, rotation.exp(w[..., None] * turns(between(a.rot, b.rot))))
    whole = rotation.multiply(b.rot[:, 0], rotation.conjugate(a.rot[:, 0]))  # (K, 4) in the world
    upright = rotation.twist(whole, rotation.UP)
    tilt = turns(rotation.multiply(whole, rotation.conjugate(upright)))
    turned = rotation.multiply(rotation.exp(w * turns(upright)), a.rot[:, 0])
    rot[:, 0] = rotation.multiply(rotation.exp(w * tilt), turned)
    pos = None
    if a.pos is not None or b.pos is not None:
        ours, theirs = (skeleton.offsets if pose.pos is None else pose.pos for pose in (a, b))
        pos = _line(ours, theirs, w[..., None])
    rot = np.where(w[..., None] == 1.0, b.rot, np.where(w[..., None] == 0.0, a.rot, rotation.normalize(rot)))
    return Pose(_line(a.root_pos, b.root_pos, w), rot, pos)


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


def _line(a: np.ndarray, b: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.where(w == 1.0, b, a + w * (b - a))
