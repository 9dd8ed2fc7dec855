"""Rotations and constant bones for a body of which only joint positions are known.

Joints with several children turn by the rotation that lays the children best onto their places (Kabsch 1976); where the
rest pose has them lie otherwise to each other than the data, they are moved to the data's mean shape (Gower 1975,
generalised Procrustes analysis). A joint with one child turns the shortest way that points at it, seen from where
constant bones have brought the joint itself, and about its own bone so that a bent knee or elbow bends as a hinge
does. What positions cannot tell (the twist of straight limbs, of hands and of the head) stays as in the rest pose.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.core.roles import SIDES
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import local_rotations

SHAPE_ROUNDS = 4  # of the Procrustes mean; by eye, the third changes less than 0.1 mm on 40 walks
STRAIGHT, BENT = np.sin(
    np.radians((8.0, 30.0))
)  # sine of the bend where a hinge starts to count, and counts all. By eye
OPEN = 1e-9  # share of the rotation above in a fit: only where children lie on one line does it decide anything
TINY = 1e-12  # square units: points this near to each other have no direction
HINGES = {
    ("hip", "knee", "ankle"): (0.0, 0.0, -1.0),
    ("shoulder", "elbow", "wrist"): (0.0, 0.0, 1.0),
}  # bends towards, at rest facing +Z


class FittedBody(NamedTuple):
    """A body of constant bones laid onto positions."""

    skeleton: Skeleton
    pose: Pose
    distance: np.ndarray  # (T, J) from each given place to the joint, in its units


def body_of_positions(skeleton: Skeleton, positions: np.ndarray, hinged: bool) -> FittedBody:
    """The skeleton with the lengths of positions (T, J, 3), posed so that its joints come nearest to them.

    The skeleton gives names, tree and the directions of bones at rest, with identity rest rotations; one length a bone
    is the median of its lengths over time. hinged: the rest pose stands along Y, faces +Z and has straight limbs, so
    that it is known where knees and elbows bend to.
    """
    parents = skeleton.parents
    bones = positions[:, 1:] - positions[:, parents[1:]]
    lengths = np.concatenate([[0.0], np.median(np.linalg.norm(bones, axis=-1), axis=0)])
    offsets = rotation.unit(skeleton.offsets) * lengths[:, None]
    ends = skeleton.end_offsets * _scale(np.linalg.norm(skeleton.offsets, axis=-1), lengths)
    for j, children in enumerate(_children(parents)):
        if len(children) > 1:
            offsets[children] = _mean_shape(offsets[children], positions[:, children] - positions[:, [j]])
    body = replace(skeleton, offsets=offsets, end_offsets=ends)
    pose, places = fit_rotations(body, positions, hinged)
    return FittedBody(body, pose, np.linalg.norm(places - positions, axis=-1))


def fit_rotations(skeleton: Skeleton, positions: np.ndarray, hinged: bool) -> tuple[Pose, np.ndarray]:
    """Poses of a given body whose joints come nearest to positions (T, J, 3), and where they then are."""
    parents, children = skeleton.parents, _children(skeleton.parents)
    hinges = _hinges(skeleton) if hinged else {}
    frames, joints = positions.shape[:2]
    world, places = np.empty((frames, joints, 4)), positions.copy()
    for j in range(joints):
        if j:
            above = parents[j]
            places[:, j] = places[:, above] + rotation.rotate(world[:, above], skeleton.offsets[j])
        held = (
            rotation.multiply(world[:, parents[j]], skeleton.rest[j]) if j else np.tile(rotation.IDENTITY, (frames, 1))
        )
        world[:, j] = held
        below = children[j]
        targets = positions[:, below] - places[:, [j]]
        if len(below) > 1:
            world[:, j] = _laid_onto(skeleton.offsets[below], targets, held)
        elif len(below) == 1 and np.linalg.norm(skeleton.offsets[below[0]]) > 0.0:
            world[:, j] = _pointing(held, skeleton.offsets[below[0]], targets[:, 0])
            if j in hinges:
                last, towards = hinges[j]
                further = positions[:, last] - positions[:, below[0]]
                world[:, j] = _hinged(world[:, j], skeleton.offsets[below[0]], towards, further)
    rot = rotation.continuous_signs(rotation.normalize(local_rotations(parents, world)))
    return Pose(positions[:, 0], rot), places


def _children(parents: np.ndarray) -> list[np.ndarray]:
    return [np.flatnonzero(parents == j) for j in range(len(parents))]


def _scale(before: np.ndarray, after: np.ndarray) -> float:
    """How much longer the bones became, for the end sites, which no position tells of."""
    both = (before > 0.0) & (after > 0.0)
    return float(np.median(after[both] / before[both])) if both.any() else 1.0


def _mean_shape(shape: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(K, 3) points in the frame of `shape`: the mean of places (T, K, 3) once each frame is turned onto it."""
    for _ in range(SHAPE_ROUNDS):
        turn = _laid_onto(shape, places, rotation.IDENTITY)
        shape = rotation.rotate(rotation.conjugate(turn)[:, None], places).mean(axis=0)
    return shape


def _laid_onto(points: np.ndarray, places: np.ndarray, held: np.ndarray) -> np.ndarray:
    """(T, 4) turns that bring points (K, 3) nearest to places (T, K, 3); what those leave open is as in `held`."""
    spread = np.einsum("tki,kj->tij", places, points)
    size = np.linalg.norm(spread, axis=(1, 2))[:, None, None] + TINY
    u, _, vt = np.linalg.svd(spread / size + OPEN * rotation.to_matrix(held))
    u[..., :, 2] *= np.where(np.linalg.det(u @ vt) < 0.0, -1.0, 1.0)[:, None]
    return rotation.from_matrix(u @ vt)


def _pointing(held: np.ndarray, offset: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The rotations `held`, turned the shortest way so that the offset points at the target."""
    now, length = rotation.rotate(held, offset), np.linalg.norm(target, axis=-1)
    swing = rotation.between(rotation.unit(now), rotation.unit(np.where(length[:, None] > 0.0, target, now)))
    return rotation.multiply(swing, held)


def _hinges(skeleton: Skeleton) -> dict[int, tuple[int, np.ndarray]]:
    """Upper joint of each limb -> its last joint, and where the lower bone bends to, in the upper joint's axes."""
    roles, found = skeleton.roles, {}
    for limb, towards in HINGES.items():
        for side in SIDES:
            a, b, c = roles.joints(side, *limb)
            if a is not None and b is not None and c is not None and (skeleton.parents[[b, c]] == [a, b]).all():
                found[a] = (c, np.array(towards))
    return found


def _hinged(turn: np.ndarray, offset: np.ndarray, towards: np.ndarray, further: np.ndarray) -> np.ndarray:
    """The rotations, turned about their bone so that the next one bends towards where its hinge lets it."""
    along = rotation.unit(rotation.rotate(turn, offset))
    rest = rotation.rotate(turn, towards)
    rest = rotation.unit(rest - (rest * along).sum(axis=-1, keepdims=True) * along)
    bend = rotation.unit(further)
    bend = bend - (bend * along).sum(axis=-1, keepdims=True) * along
    sine = np.linalg.norm(bend, axis=-1)
    angle = np.arctan2((np.cross(rest, bend) * along).sum(axis=-1), (rest * bend).sum(axis=-1))
    share = np.clip((sine - STRAIGHT) / (BENT - STRAIGHT), 0.0, 1.0)
    share = share * share * (3.0 - 2.0 * share)
    return rotation.multiply(rotation.axis_angle(along, share * angle), turn)
