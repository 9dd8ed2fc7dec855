"""Legs onto ankle targets: pelvis moved, hip, knee and ankle turned, everything else of the pose kept.

Which joints are legs, where they are, and how far they reach, over arrays of poses; `leg_kernels` bends them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core.errors import SkeletonError
from footfall.core.once import once
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.feet.leg_kernels import USUAL, Extension, LegChain, rows, solve_poses
from footfall.feet.limits import LEG_SOFT_FROM, LOCK_ROLL_LEVER_M, LOCK_ROLL_RAD, LOCK_STRAIGHT
from footfall.kinematics.fk import world_transforms_of


class LegTargets(NamedTuple):
    """What the legs should do at every pose of a batch; axis -2 of ankle and turn is left, right."""

    move: np.ndarray  # (..., 3) metres, of the whole body
    ankle: np.ndarray  # (..., 2, 3) where ankles should be, world
    turn: np.ndarray  # (..., 2, 4) world rotation to apply to feet: new = turn * old
    pole: np.ndarray  # (..., 2, 3) where a straight knee should bend to


class Legs(NamedTuple):
    """World positions of both legs; axis -2 is left, right."""

    hip: np.ndarray  # (..., 2, 3)
    knee: np.ndarray
    ankle: np.ndarray
    foot: np.ndarray  # (..., 2, 4) world rotation of the ankle joint

    @property
    def length(self) -> np.ndarray:
        """(..., 2) metres from hip to ankle along the bones."""
        thigh, shin = self.knee - self.hip, self.ankle - self.knee
        return np.asarray(np.linalg.norm(thigh, axis=-1) + np.linalg.norm(shin, axis=-1))

    @property
    def stretch(self) -> np.ndarray:
        """(..., 2) metres from hip to ankle in a straight line."""
        return np.asarray(np.linalg.norm(self.ankle - self.hip, axis=-1))


def leg_joints(skeleton: Skeleton) -> np.ndarray:
    """(2, 3) joint indices: left and right; hip, knee, ankle."""
    roles = skeleton.roles
    rows = [[getattr(roles, f"{side}_{part}") for part in ("hip", "knee", "ankle")] for side in ("left", "right")]
    if any(j is None for row in rows for j in row):
        raise SkeletonError(
            "this skeleton has no two legs footfall can find, so feet cannot be locked; name them: "
            "skeleton.with_roles(left_hip=…, left_knee=…, left_ankle=…, right_hip=…, right_knee=…, right_ankle=…)"
        )
    for hip, knee, ankle in rows:
        if not (_is_above(skeleton, hip, knee) and _is_above(skeleton, knee, ankle)):
            names = ", ".join(skeleton.names[j] for j in (hip, knee, ankle))
            raise SkeletonError(
                f"{names} are not one leg, each below the one before; name them: skeleton.with_roles(…)"
            )
    return np.array(rows, dtype=np.int64)


def has_legs(skeleton: Skeleton) -> bool:
    """Whether a skeleton has two legs that can be found."""
    try:
        leg_joints(skeleton)
    except SkeletonError:
        return False
    return True


def _is_above(skeleton: Skeleton, upper: int, lower: int) -> bool:
    j = int(skeleton.parents[lower])
    while j > upper:
        j = int(skeleton.parents[j])
    return j == upper


def world_legs(skeleton: Skeleton, pose: Pose) -> Legs:
    """Where both legs are."""
    joints = leg_joints(skeleton)
    places, turns = world_transforms_of(skeleton, pose, joints.ravel().tolist())
    places = places.reshape(*pose.batch, 2, 3, 3)
    return Legs(places[..., 0, :], places[..., 1, :], places[..., 2, :], turns.reshape(*pose.batch, 2, 3, 4)[..., 2, :])


def reach_balls(legs: Legs, ankle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the pelvis may move to so that each leg meets its ankle target: centers (..., 2, 3), radii (..., 2).

    A leg reaches as far as its soft extension begins, or as it already did in the capture.
    """
    length = legs.length
    return ankle - legs.hip, np.minimum(np.maximum(LEG_SOFT_FROM * length, legs.stretch), length)


def eased_reach(reach: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Reaches (...) of legs that are corrected: slowed towards LOCK_STRAIGHT of their length."""
    soft, room = LEG_SOFT_FROM * length, (LOCK_STRAIGHT - LEG_SOFT_FROM) * length
    return np.asarray(soft + room * -np.expm1(-(reach - soft) / np.maximum(room, 1e-9)))


def roll_to_reach(arm: np.ndarray, place: np.ndarray, hip: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """(N, 3) turns of a foot about its ball at a place (N, 3) that lift its ankle, at an arm (N, 3) from there, to
    where a leg from a hip (N, 3) reaches it (N,); no more than LOCK_ROLL_RAD."""
    line = hip - place - arm
    distance = np.linalg.norm(line, axis=-1, keepdims=True)
    axis = np.cross(arm, line / np.maximum(distance, 1e-9))  # as long as the lever
    lever = np.linalg.norm(axis, axis=-1, keepdims=True)
    short = np.maximum(distance - reach[:, None], 0.0)
    angle = LOCK_ROLL_RAD * np.tanh(short / np.maximum(lever, LOCK_ROLL_LEVER_M) / LOCK_ROLL_RAD)
    return np.asarray(angle * axis / np.maximum(lever, 1e-9))


def solve_legs(skeleton: Skeleton, pose: Pose, targets: LegTargets, extension: Extension = USUAL) -> Pose:
    """Poses with ankles at their targets, as far as legs reach; upper body, toes and bone lengths as they were."""
    root_pos, rot = np.array(pose.root_pos, float, order="C"), np.array(pose.rot, float, order="C")
    tails = ((3,), (2, 3), (2, 4), (2, 3))
    given = tuple(rows(x, pose.batch, tail) for x, tail in zip(targets, tails, strict=True))
    flat = root_pos.reshape(-1, 3), rot.reshape(-1, *rot.shape[-2:])
    solve_poses(*flat, tuple(leg_chain(skeleton, pose)), given, tuple(extension))
    return pose._replace(root_pos=root_pos, rot=rot)


def leg_chain(skeleton: Skeleton, pose: Pose | None = None) -> LegChain:
    """The chain of a skeleton's legs, with the local positions of poses that have them."""
    joints, at = _chain_joints(skeleton)
    if pose is None or pose.pos is None:
        return LegChain(joints, np.ascontiguousarray(skeleton.offsets[joints])[None], at)
    pos = np.asarray(pose.pos, float).reshape(-1, *pose.pos.shape[-2:])
    return LegChain(joints, np.ascontiguousarray(pos[:, joints]), at)


@once
def _chain_joints(skeleton: Skeleton) -> tuple[np.ndarray, np.ndarray]:
    lines = []
    for hip, knee, ankle in leg_joints(skeleton).tolist():
        line = [ankle]
        while skeleton.parents[line[0]] >= 0:
            line.insert(0, int(skeleton.parents[line[0]]))
        lines.append((line, (line.index(hip), line.index(knee), line.index(ankle), len(line))))
    joints = np.zeros((2, max(len(line) for line, _ in lines)), np.int64)
    for side, (line, _) in enumerate(lines):
        joints[side, : len(line)] = line
    return joints, np.array([at for _, at in lines], np.int64)
