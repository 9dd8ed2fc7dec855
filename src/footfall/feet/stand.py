"""Standing: both legs of a body brought to where its feet should be; foot and pelvis give way where legs are too short.

Retargeting ends with it, since it asks legs of another length for feet at given places. The legs are bent by
`leg_solve`; before that, whatever a leg is too short for is shared: up to half of it is taken by the foot, which tips
about its ball, the rest by the least smooth move of the pelvis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.core.roles import SIDES
from footfall.core.skeleton import Skeleton
from footfall.feet import limits
from footfall.feet.leg_kernels import Extension
from footfall.feet.leg_solve import LegTargets, leg_joints, solve_legs
from footfall.feet.pelvis_reach import smooth_moves
from footfall.kinematics.fk import world_transforms, world_transforms_of


class StandingFoot(Protocol):
    """What standing asks of a foot."""

    @property
    def ball(self) -> np.ndarray: ...  # (3,) from the ankle, in the common pose


class StandingBody(Protocol):
    """What standing asks of a body; retarget.Character is one."""

    @property
    def skeleton(self) -> Skeleton: ...
    @property
    def neutral(self) -> np.ndarray: ...  # (J, 4) world rotations in the common pose
    @property
    def feet(self) -> Sequence[StandingFoot]: ...  # left, right
    @property
    def leg_length(self) -> float: ...  # metres


class FeetAsked(NamedTuple):
    """Where both feet are asked to be; axis 1 is left, right."""

    ankle: np.ndarray  # (T, 2, 3) metres
    turn: np.ndarray  # (T, 2, 4) world rotations of the ankle joints


def stand_on(
    body: StandingBody,
    fps: float,
    pose: Pose,
    feet: FeetAsked,
    ahead: np.ndarray,
    extent: np.ndarray,
    loop: bool = False,
) -> Pose:
    """Poses (T,) with the feet where they are asked to be; everything above the legs keeps its turn.

    ahead (T, 2, 3): where each knee points. extent (T, 2): how far, in leg lengths, each leg is known to stretch.
    """
    skeleton = body.skeleton
    joints = leg_joints(skeleton)
    hips = world_transforms_of(skeleton, pose, joints[:, 0].tolist())[0]
    limit = leg_lengths(skeleton) * np.minimum(np.maximum(limits.STAND_EXTENSION, extent), 1.0)  # (T, 2)
    feet = given_way(body, feet, hips, limit)
    moves = _pelvis_moves(feet.ankle - hips, limit, max(1, round(limits.STAND_SETTLE_S * fps / 3)), loop)
    pose = _knees_in_front(skeleton, moved(skeleton, pose, moves), ahead)
    now = world_transforms_of(skeleton, pose, joints[:, 2].tolist())[1]
    turn = rotation.multiply(feet.turn, rotation.conjugate(now))
    extension = Extension(limits.STAND_SOFT_FROM, limits.STAND_MAX_EXTENSION)
    return solve_legs(skeleton, pose, LegTargets(np.zeros_like(moves), feet.ankle, turn, ahead), extension)


def given_way(body: StandingBody, feet: FeetAsked, hips: np.ndarray, limit: np.ndarray) -> FeetAsked:
    """Feet, where legs from hips (T, 2, 3) would be longer than limit (T, 2): tipped about the ball, or raised.

    A foot that is steep already has no lever left about its ball: it rolls on to its toes, and its ball rises. One that
    lands on its heel is raised as it is.
    """
    neutral = body.neutral[leg_joints(body.skeleton)[:, 2]]
    turn = rotation.multiply(feet.turn, rotation.conjugate(neutral))  # (T, 2, 4) from the common pose
    length = np.linalg.norm(hips - feet.ankle, axis=-1)
    short = np.maximum(length - limit, 0.0)
    if not short.any():
        return feet
    short = limits.STAND_FOOT_TAKES * short * short / (short + limits.STAND_SOFTLY_M)
    slope = rotation.rotate(turn, rotation.AXES["Z"])[..., 1]
    steep = np.clip((slope - limits.STAND_STEEP[0]) / (limits.STAND_STEEP[1] - limits.STAND_STEEP[0]), 0.0, 1.0)
    level = np.clip(1.0 - slope / limits.STAND_TOES_UP, 0.0, 1.0) * (1.0 - steep)
    most = limits.STAND_FOOT_MOVES * body.leg_length
    to_ankle = -rotation.rotate(turn, np.stack([foot.ball for foot in body.feet]))
    axis = rotation.rotate(turn, rotation.AXES["X"])
    angle = tip_angle(hips - feet.ankle + to_ankle, to_ankle, axis, length - level * short)
    angle = np.clip(angle, 0.0, most / np.maximum(np.linalg.norm(to_ankle, axis=-1), 1e-9))
    tip = rotation.axis_angle(axis, np.where(short > 0.0, angle, 0.0))
    up = ((1.0 - level) * np.minimum(short, most))[..., None] * rotation.UP
    ankle = feet.ankle + rotation.rotate(tip, to_ankle) - to_ankle + up
    return FeetAsked(ankle, rotation.multiply(tip, feet.turn))


def tip_angle(hip: np.ndarray, ankle: np.ndarray, axis: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """(...) least angles about unit axes (..., 3) that turn ankles to a wanted distance (...) from hips, seen from the
    ball; the nearest they come where that is too near.

    hip · ankle(d) = A cos d + B sin d + C, and |hip - ankle(d)| is the wanted distance.
    """
    along = (axis * ankle).sum(axis=-1)
    cos_part = (hip * (ankle - along[..., None] * axis)).sum(axis=-1)
    sin_part = (hip * np.cross(axis, ankle)).sum(axis=-1)
    size = np.maximum(np.hypot(cos_part, sin_part), 1e-12)
    dot = (
        0.5 * ((hip * hip).sum(axis=-1) + (ankle * ankle).sum(axis=-1) - wanted**2) - (hip * axis).sum(axis=-1) * along
    )
    nearest = np.arctan2(sin_part, cos_part)
    return np.asarray(nearest - np.sign(nearest) * np.arccos(np.clip(dot / size, -1.0, 1.0)))


def rise_to_stretch(
    skeleton: Skeleton, pose: Pose, ankles: np.ndarray, extent: np.ndarray, weight: np.ndarray
) -> float:
    """Metres to raise all poses by so that legs, ankles at (T, 2, 3), are stretched by extent (T, 2) as they were.

    A mean over time and both legs, weighted by weight (T, 2): it keeps the pelvis's own rise and fall, and what it does
    on the way to another body it undoes on the way back.
    """
    hips = world_transforms_of(skeleton, pose, leg_joints(skeleton)[:, 0].tolist())[0]
    down = hips - ankles
    length = np.maximum(leg_lengths(skeleton) * np.minimum(extent, 1.0), 1e-9)
    height = np.sqrt(np.maximum(length**2 - (down[..., [0, 2]] ** 2).sum(axis=-1), 0.0))
    trust = weight * (height / length) ** 2  # a leg that lies tells little of heights
    return float((trust * (height - down[..., 1])).sum() / max(float(trust.sum()), 1e-12))


def leg_lengths(skeleton: Skeleton) -> np.ndarray:
    """(2,) of the left and the right leg, hip to ankle along the bones."""
    places = skeleton.rest_positions[leg_joints(skeleton)]  # (2, 3, 3)
    return np.asarray(np.linalg.norm(np.diff(places, axis=1), axis=-1).sum(axis=1))


def leg_extents(skeleton: Skeleton, places: np.ndarray) -> np.ndarray:
    """(T, 2) how far each leg is stretched, in its own lengths; places (T, J, 3)."""
    legs = places[:, leg_joints(skeleton)]  # (T, 2, 3, 3)
    bones = np.linalg.norm(np.diff(legs, axis=2), axis=-1).sum(axis=2)
    return np.asarray(np.linalg.norm(legs[:, :, 2] - legs[:, :, 0], axis=-1) / np.maximum(bones, 1e-9))


def _pelvis_moves(wanted: np.ndarray, limit: np.ndarray, half_width: int, loop: bool) -> np.ndarray:
    """(T, 3) least smooth moves of the pelvis that let hips reach ankles (T, 2, 3) away; a loop's have no seam."""
    if not loop or len(wanted) < 3:
        return smooth_moves(wanted, limit, half_width)
    thrice = [np.concatenate([x[:-1], x, x[1:]]) for x in (wanted, limit)]
    return smooth_moves(thrice[0], thrice[1], half_width)[len(wanted) - 1 : 2 * len(wanted) - 1]


def _knees_in_front(skeleton: Skeleton, pose: Pose, ahead: np.ndarray) -> Pose:
    """Poses with knees behind the line from hip to ankle mirrored to its front, where a leg has any to speak of."""
    places, turns = world_transforms(skeleton, pose)
    rot = np.array(pose.rot)
    for side, (hip, knee, ankle) in enumerate(leg_joints(skeleton).tolist()):
        start, mid, end = (places[:, j] for j in (hip, knee, ankle))
        line, front = end - start, ahead[:, side]
        line = line / np.maximum(np.linalg.norm(line, axis=-1, keepdims=True), 1e-12)
        front = front - (front * line).sum(axis=-1, keepdims=True) * line
        front = front / np.maximum(np.linalg.norm(front, axis=-1, keepdims=True), 1e-12)
        before = ((mid - start) * front).sum(axis=-1, keepdims=True)  # (T, 1) metres in front of the line
        thigh = np.linalg.norm(mid - start, axis=-1, keepdims=True)
        if not (before < -limits.STAND_BACKWARDS * thigh).any():  # straight legs waver about the line: that is no fault
            continue
        new_mid = mid + 2.0 * np.maximum(-before, 0.0) * front
        upper, lower = rotation.between(mid - start, new_mid - start), rotation.between(end - mid, end - new_mid)
        over_hip = rotation.IDENTITY if hip == 0 else turns[:, skeleton.parents[hip]]
        over_knee = rotation.multiply(upper, turns[:, skeleton.parents[knee]])
        rot[:, hip] = rotation.multiply(rotation.conjugate(over_hip), rotation.multiply(upper, turns[:, hip]))
        rot[:, knee] = rotation.multiply(rotation.conjugate(over_knee), rotation.multiply(lower, turns[:, knee]))
    return pose._replace(rot=rot)


def moved(skeleton: Skeleton, pose: Pose, moves: np.ndarray) -> Pose:
    """Poses with the pelvis moved in the world by moves (T, 3): by its own place where the pose has places."""
    pelvis = skeleton.roles.pelvis
    if pose.pos is None or pelvis == 0:
        return pose._replace(root_pos=pose.root_pos + moves)
    parent = world_transforms_of(skeleton, pose, [int(skeleton.parents[pelvis])])[1][:, 0]
    pos = np.array(pose.pos)
    pos[:, pelvis] += rotation.rotate(rotation.conjugate(parent), moves)
    return pose._replace(pos=pos)


def legs_ahead(body: StandingBody, thigh_turns: np.ndarray) -> np.ndarray:
    """(T, 2, 3) where knees point, from the world rotations (T, 2, 4) of the thighs."""
    neutral = body.neutral[[getattr(body.skeleton.roles, f"{side}_hip") for side in SIDES]]
    return rotation.rotate(rotation.multiply(thigh_turns, rotation.conjugate(neutral)), rotation.AXES["Z"])
