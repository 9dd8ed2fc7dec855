"""Legs onto ankle targets: pelvis moved, hip, knee and ankle turned, everything else of the pose kept.

The readable twin of `footfall.feet.leg_kernels`, used for short clips and as its oracle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.errors import SkeletonError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.feet.pelvis_reach import least_move
from footfall.kinematics.fk import world_transforms_of
from footfall.kinematics.two_bone_ik import MAX_EXTENSION, SOFT_FROM, two_bone_ik

FREE = 0.3  # of the leg: how far out of reach a swinging foot may be before the pelvis heeds it
COMPILED_FROM = 2000  # frames from which the compiled kernel pays for its start


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
    thigh, shin = legs.knee - legs.hip, legs.ankle - legs.knee
    length = np.linalg.norm(thigh, axis=-1) + np.linalg.norm(shin, axis=-1)
    now = np.linalg.norm(legs.ankle - legs.hip, axis=-1)
    return ankle - legs.hip, np.minimum(np.maximum(SOFT_FROM * length, now), length)


def solve_legs(
    skeleton: Skeleton,
    pose: Pose,
    targets: LegTargets,
    soft_from: float = SOFT_FROM,
    max_extension: float = MAX_EXTENSION,
) -> Pose:
    """Poses with ankles at their targets, as far as legs reach; upper body, toes and bone lengths as they were."""
    joints = leg_joints(skeleton)
    above = skeleton.parents[joints]  # (2, 3) parents of hip, knee and ankle
    wanted = np.concatenate([joints.ravel(), above.ravel()])
    places, turns = world_transforms_of(skeleton, pose, np.where(wanted < 0, 0, wanted).tolist())
    hip, knee, ankle = (places[..., [i, i + 3], :] + targets.move[..., None, :] for i in range(3))
    # the captured leg moves along with the body; a target equal to the moved ankle then changes nothing
    bend = two_bone_ik(hip, knee, ankle, targets.ankle, targets.pole, soft_from, max_extension)
    rot = np.array(pose.rot)
    for side in range(2):
        old_hip, old_knee, old_ankle = (turns[..., 3 * side + i, :] for i in range(3))
        over_hip, over_knee, over_ankle = (turns[..., 6 + 3 * side + i, :] for i in range(3))
        upper, lower, turn = bend.upper[..., side, :], bend.lower[..., side, :], targets.turn[..., side, :]
        rot[..., joints[side, 0], :] = _local(over_hip, rotation.multiply(upper, old_hip), rot[..., joints[side, 0], :])
        over_knee, over_ankle = rotation.multiply(upper, over_knee), rotation.multiply(lower, over_ankle)
        rot[..., joints[side, 1], :] = _local(
            over_knee, rotation.multiply(lower, old_knee), rot[..., joints[side, 1], :]
        )
        rot[..., joints[side, 2], :] = _local(
            over_ankle, rotation.multiply(turn, old_ankle), rot[..., joints[side, 2], :]
        )
    return pose._replace(root_pos=pose.root_pos + targets.move, rot=rot)


def hold_feet(
    skeleton: Skeleton, pose: Pose, point: np.ndarray, place: np.ndarray, weight: np.ndarray, offset: np.ndarray
) -> tuple[Pose, np.ndarray]:
    """Poses with points of feet drawn to places, pelvis moved as little as that takes; and what ankles moved by.

    The readable twin of the kernel for streams: point (..., 2, 3) in the ankle's frame, place (..., 2, 3) in the world,
    weight (..., 2) 1 while the foot stands and 0 in the swing, offset (..., 2, 3) what is left of the last stance.
    """
    legs = world_legs(skeleton, pose)
    carried = rotation.rotate(legs.foot, point)
    w = np.asarray(weight, float)[..., None]
    moved = w * (place - (legs.ankle + carried)) + (1.0 - w) * offset
    ankle = legs.ankle + moved
    centers, radii = reach_balls(legs, ankle)
    length = np.linalg.norm(legs.knee - legs.hip, axis=-1) + np.linalg.norm(legs.ankle - legs.knee, axis=-1)
    move = least_move(centers, radii + FREE * length * (1.0 - w[..., 0]))
    turn = np.broadcast_to(rotation.IDENTITY, (*pose.batch, 2, 4))
    return solve_legs(skeleton, pose, LegTargets(move, ankle, turn, carried)), moved


def _local(parent: np.ndarray, world: np.ndarray, like: np.ndarray) -> np.ndarray:
    """World rotations in their parents' frames, of unit length and with the sign of what they replace."""
    return rotation.nearest_sign(rotation.normalize(rotation.multiply(rotation.conjugate(parent), world)), like)


def solve(skeleton: Skeleton, pose: Pose, targets: LegTargets) -> Pose:
    """solve_legs, compiled where there are enough poses to pay for it."""
    count = int(np.prod(pose.batch, dtype=int))
    if count < COMPILED_FROM or pose.pos is not None:
        return solve_legs(skeleton, pose, targets)
    from footfall.feet.leg_kernels import lock_legs

    return Pose(*lock_legs(pose.root_pos, pose.rot, leg_chain(skeleton), *targets))


def leg_chain(skeleton: Skeleton) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the kernel walks: joints (2, C) from the root to each ankle, their offsets (2, C, 3), and (2, 4) the places
    of hip, knee and ankle in them and their number."""
    lines = []
    for hip, knee, ankle in leg_joints(skeleton).tolist():
        line = [ankle]
        while skeleton.parents[line[0]] >= 0:
            line.insert(0, int(skeleton.parents[line[0]]))
        lines.append((line, (line.index(hip), line.index(knee), line.index(ankle), len(line))))
    longest = max(len(line) for line, _ in lines)
    joints = np.zeros((2, longest), np.int64)
    for side, (line, _) in enumerate(lines):
        joints[side, : len(line)] = line
    return joints, np.ascontiguousarray(skeleton.offsets[joints]), np.array([at for _, at in lines], np.int64)
