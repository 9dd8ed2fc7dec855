"""Legs: a character's own two legs bent so that its feet are where they are asked to be, pelvis moved if needed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.core.roles import SIDES
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import world_transforms
from footfall.kinematics.two_bone_ik import two_bone_ik
from footfall.retarget.pelvis_reach import smooth_moves

EXTENSION = 0.995  # of the leg: what a leg may be stretched to, unless it came stretched further
SOFT = 0.985  # of the leg: from here on stretching is slowed
BACKWARDS = 0.01  # of the thigh: knees further behind the line from hip to ankle bend the wrong way
SETTLE_S = 0.06  # how long the pelvis takes to give way


class Feet(NamedTuple):
    """Where both feet are asked to be; axis 1 is left, right."""

    ankle: np.ndarray  # (T, 2, 3) metres
    turn: np.ndarray  # (T, 2, 4) world rotations of the ankle joints


def stand_on(
    skeleton: Skeleton, fps: float, pose: Pose, feet: Feet, ahead: np.ndarray, extent: np.ndarray, loop: bool = False
) -> Pose:
    """Poses (T,) with the ankles at their targets and the feet turned as asked; everything else keeps its turn.

    ahead (T, 2, 3): where each knee points. extent (T, 2): how far, in leg lengths, each leg is known to stretch.
    """
    places, turns = world_transforms(skeleton, pose)
    legs = [tuple(getattr(skeleton.roles, f"{s}_{p}") for p in ("hip", "knee", "ankle")) for s in SIDES]
    hips = places[:, [leg[0] for leg in legs]]
    length = np.array([_length(skeleton, leg) for leg in legs])  # (2,)
    limit = length * np.minimum(np.maximum(EXTENSION, extent), 1.0)  # (T, 2)
    wanted = feet.ankle - hips
    moves = _pelvis_moves(wanted, limit, max(1, round(SETTLE_S * fps / 3)), loop)
    world = turns.copy()
    for side, (hip, knee, ankle) in enumerate(legs):
        start, mid, end = (places[:, j] + moves for j in (hip, knee, ankle))
        front = _knee_in_front(start, mid, end, ahead[:, side])
        solved = two_bone_ik(start, front, end, feet.ankle[:, side], ahead[:, side], SOFT, 0.9995)
        upper = rotation.multiply(solved.upper, rotation.between(mid - start, front - start))
        lower = rotation.multiply(solved.lower, rotation.between(end - mid, end - front))
        world[:, hip] = rotation.multiply(upper, turns[:, hip])
        world[:, knee] = rotation.multiply(lower, turns[:, knee])
        world[:, ankle] = feet.turn[:, side]
    return _with_world(skeleton, pose, world, [j for leg in legs for j in leg], moves)


def _pelvis_moves(wanted: np.ndarray, limit: np.ndarray, half_width: int, loop: bool) -> np.ndarray:
    """(T, 3) least smooth moves of the pelvis that let hips reach ankles (T, 2, 3) away; a loop's have no seam."""
    if not loop or len(wanted) < 3:
        return smooth_moves(wanted, limit, half_width)
    thrice = [np.concatenate([x[:-1], x, x[1:]]) for x in (wanted, limit)]
    return smooth_moves(thrice[0], thrice[1], half_width)[len(wanted) - 1 : 2 * len(wanted) - 1]


def rise_to_stretch(
    skeleton: Skeleton, pose: Pose, ankles: np.ndarray, extent: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """(T,) metres to raise each pose by so that its legs, ankles at (T, 2, 3), are stretched by extent (T, 2).

    Both legs can rarely have theirs: weight (T, 2) says how much each counts.
    """
    legs = [tuple(getattr(skeleton.roles, f"{s}_{p}") for p in ("hip", "knee", "ankle")) for s in SIDES]
    hips = world_transforms(skeleton, pose)[0][:, [leg[0] for leg in legs]]
    length = np.array([_length(skeleton, leg) for leg in legs])
    down = hips - ankles
    flat = (down[..., [0, 2]] ** 2).sum(axis=-1)

    def to(stretch: np.ndarray) -> np.ndarray:
        height = np.sqrt(np.maximum((np.minimum(stretch, 1.0) * length) ** 2 - flat, 0.0))
        return np.where(down[..., 1] < 0.0, -height, height) - down[..., 1]

    share = weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-12)
    most = to(np.maximum(extent, EXTENSION)).min(axis=1)  # no leg is to be stretched beyond what it can
    return np.asarray(np.minimum((share * to(extent)).sum(axis=1), np.maximum(most, 0.0)))


def _knee_in_front(start: np.ndarray, mid: np.ndarray, end: np.ndarray, ahead: np.ndarray) -> np.ndarray:
    """Knees (T, 3), those behind the line from hip to ankle mirrored to its front, where a leg has any to speak of."""
    line = end - start
    line = line / np.maximum(np.linalg.norm(line, axis=-1, keepdims=True), 1e-12)
    front = ahead - (ahead * line).sum(axis=-1, keepdims=True) * line
    front = front / np.maximum(np.linalg.norm(front, axis=-1, keepdims=True), 1e-12)
    before = ((mid - start) * front).sum(axis=-1, keepdims=True)  # (T, 1) metres in front of the line
    thigh = np.linalg.norm(mid - start, axis=-1, keepdims=True)
    if not (before < -BACKWARDS * thigh).any():  # straight legs waver about the line: that is no fault
        return mid
    return mid + 2.0 * np.maximum(-before, 0.0) * front


def _with_world(skeleton: Skeleton, pose: Pose, world: np.ndarray, given: list[int], moves: np.ndarray) -> Pose:
    """The poses moved, with world rotations of some joints; joints below them keep their own local rotation."""
    turned = np.empty_like(world)
    rot = np.array(pose.rot)
    for j, parent in enumerate(skeleton.parents):
        if parent < 0:
            turned[:, j] = world[:, j] if j in given else rot[:, j]
            rot[:, j] = turned[:, j]
        elif j in given:
            turned[:, j] = world[:, j]
            rot[:, j] = rotation.multiply(rotation.conjugate(turned[:, parent]), world[:, j])
        else:
            turned[:, j] = rotation.multiply(turned[:, parent], rot[:, j])
    return _moved(skeleton, pose._replace(rot=rot), moves)


def _moved(skeleton: Skeleton, pose: Pose, moves: np.ndarray) -> Pose:
    """Poses with the pelvis moved in the world by moves (T, 3): by its own place where the pose has places."""
    pelvis = skeleton.roles.pelvis
    if pose.pos is None or pelvis == 0:
        return pose._replace(root_pos=pose.root_pos + moves)
    parent = world_transforms(skeleton, pose)[1][:, skeleton.parents[pelvis]]
    pos = np.array(pose.pos)
    pos[:, pelvis] += rotation.rotate(rotation.conjugate(parent), moves)
    return pose._replace(pos=pos)


def _length(skeleton: Skeleton, leg: tuple[int, ...]) -> float:
    places = skeleton.rest_positions[list(leg)]
    return float(np.linalg.norm(np.diff(places, axis=0), axis=-1).sum())
