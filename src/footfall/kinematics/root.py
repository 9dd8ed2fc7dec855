"""Heading and floor root: where the body is and which way it faces on the floor, derived from any pose.

The heading is that of the hips' left-to-right line, which needs no assumption about a skeleton's rest pose; it is
helped by the trunk when the hips stand on edge (lying on the side), and held where neither says anything.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.easing import smoothstep
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import world_transforms_of


class RootMotion(NamedTuple):
    """The floor root of a clip over time."""

    position: np.ndarray  # (T, 3) metres, the pelvis dropped to y = 0
    heading: np.ndarray  # (T,) radians about +Y, continuous; 0 faces +Z, positive is to the left
    velocity: np.ndarray  # (T, 3) metres a second on the floor
    turn_rate: np.ndarray  # (T,) radians a second


def root_motion(clip: Clip) -> RootMotion:
    """Floor position, heading and their rates, by central differences."""
    position, heading = floor_root(clip.skeleton, clip.pose)
    heading = np.unwrap(heading)
    if clip.frames < 2:
        return RootMotion(position, heading, np.zeros_like(position), np.zeros_like(heading))
    step = 1.0 / clip.fps
    return RootMotion(position, heading, np.gradient(position, step, axis=0), np.gradient(heading, step))


def floor_root(skeleton: Skeleton, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Floor position (..., 3) and heading (...) of every pose of a batch."""
    roles = skeleton.roles
    if roles.left_hip is None or roles.right_hip is None:
        places, turns = world_transforms_of(skeleton, pose, [roles.pelvis])
        pelvis = places[..., 0, :]
        turned = rotation.multiply(turns[..., 0, :], rotation.conjugate(skeleton.rest_world[1][roles.pelvis]))
        forward = rotation.rotate(turned, np.array([0.0, 0.0, 1.0]))
    else:
        places = world_transforms_of(skeleton, pose, [roles.pelvis, roles.left_hip, roles.right_hip])[0]
        pelvis = places[..., 0, :]
        forward = _forward(skeleton, pose, pelvis, _unit(places[..., 1, :] - places[..., 2, :]))
    length = np.linalg.norm(forward[..., [0, 2]], axis=-1)
    heading = np.arctan2(forward[..., 0], forward[..., 2])
    return pelvis * np.array([1.0, 0.0, 1.0]), _hold_where(length < 1e-6, heading)


def _forward(skeleton: Skeleton, pose: Pose, pelvis: np.ndarray, left: np.ndarray) -> np.ndarray:
    """A vector (..., 3) whose floor part points where the body faces; zero where it cannot be told.

    left (..., 3) is the unit vector from the right hip to the left.
    """
    by_hips = np.cross(left, rotation.UP)
    # hips within 30 degrees of level decide alone (bowing tips the trunk); beyond 60 degrees the trunk does (lying)
    level = np.linalg.norm(by_hips, axis=-1, keepdims=True)
    trust = smoothstep(np.clip((level - 0.5) / 0.366, 0.0, 1.0))
    if (trust == 1.0).all():
        return by_hips
    roles = skeleton.roles
    top = roles.neck[0] if roles.neck else roles.head if roles.head is not None else roles.pelvis
    trunk = _unit(world_transforms_of(skeleton, pose, [top])[0][..., 0, :] - pelvis)
    by_trunk = np.cross(left, trunk) * np.array([1.0, 0.0, 1.0])
    return trust * by_hips + (1.0 - trust) * by_trunk


def _unit(v: np.ndarray) -> np.ndarray:
    n = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.where(n > 1e-9, v / np.where(n > 1e-9, n, 1.0), 0.0)


def _hold_where(unknown: np.ndarray, heading: np.ndarray) -> np.ndarray:
    """Unknown headings take the nearest known one of the batch's first axis (0 when there is none)."""
    if not unknown.any():
        return heading
    if heading.ndim != 1 or unknown.all():
        return np.where(unknown, 0.0, heading)
    known = np.flatnonzero(~unknown)
    nearest = known[np.abs(np.arange(len(heading))[:, None] - known).argmin(axis=1)]
    return heading[nearest]
