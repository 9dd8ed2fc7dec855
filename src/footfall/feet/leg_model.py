"""Leg model: how the joints of a body follow small moves of its pelvis, ankles and knees, frame by frame.

A leg only knows where its ankle is from its hip, so a move of the pelvis is one of all joints and the opposite one of
both ankles. What knees do is found by solving the legs again with ankles that are moved a little.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.feet.leg_solve import LegTargets, leg_joints, solve_legs
from footfall.kinematics.fk import with_descendants, world_transforms_of

UNKNOWNS = 12  # of a frame: moves of pelvis, left and right ankle, how far knees swivel, how far the pelvis is raised
PELVIS, ANKLES, SWIVELS = slice(0, 3), slice(3, 9), slice(9, 11)
RISE = 11  # slow, as other moves are not
NUDGE_M = 1e-4  # metres by which ankles are moved to find how knees follow


class LegWork(NamedTuple):
    """Poses whose legs are put on targets, and the joints that are looked at."""

    skeleton: Skeleton
    pose: Pose  # T of them
    targets: LegTargets
    joints: tuple[int, ...]  # (J,)
    sides: np.ndarray  # (J,) which leg each belongs to; -1 for none
    body: np.ndarray  # (T, J, 3) where they are before anything moves

    @classmethod
    def of(cls, skeleton: Skeleton, pose: Pose, targets: LegTargets, joints: tuple[int, ...]) -> LegWork:
        sides = np.full(len(joints), -1)
        for side, hip in enumerate(leg_joints(skeleton)[:, 0].tolist()):
            sides[np.isin(joints, with_descendants(skeleton.parents, [hip]))] = side
        return cls(skeleton, pose, targets, joints, sides, world_transforms_of(skeleton, pose, joints)[0])

    def part(self, here: slice) -> LegWork:
        """Of some of the poses."""
        root, rot, pos = self.pose
        pose = Pose(root[here], rot[here], None if pos is None else pos[here])
        return self._replace(pose=pose, targets=LegTargets(*(x[here] for x in self.targets)), body=self.body[here])


class LegModel(NamedTuple):
    """Joints after moves x (T, UNKNOWNS), and how they follow further ones."""

    pose: Pose
    places: np.ndarray  # (T, J, 3)
    follow: np.ndarray  # (T, J, 3, UNKNOWNS)
    knees: np.ndarray  # (T, 2) radians that they are bent by
    bend: np.ndarray  # (T, 2, UNKNOWNS) how that follows


def leg_model(work: LegWork, x: np.ndarray) -> LegModel:
    """The model about moves x (T, UNKNOWNS)."""
    of_legs = np.flatnonzero(work.sides >= 0)
    legs = leg_joints(work.skeleton).ravel().tolist()
    walked = [*legs, *(work.joints[k] for k in of_legs)]
    pose = moved_legs(work, x)
    at = world_transforms_of(work.skeleton, pose, walked)[0]
    places = work.body + (work.targets.move + moved_pelvis(x))[:, None]
    places[:, of_legs] = at[:, 6:]
    knees = _bent(at)
    follow, bend = np.zeros((*places.shape, UNKNOWNS)), np.zeros((*knees.shape, UNKNOWNS))
    follow[..., PELVIS] = np.eye(3)
    for i in range(3):
        nudged = np.array(x)
        nudged[:, [3 + i, 6 + i]] += NUDGE_M
        there = world_transforms_of(work.skeleton, moved_legs(work, nudged), walked)[0]
        by_ankle = (there - at)[:, 6:] / NUDGE_M
        by_knee = (_bent(there) - knees) / NUDGE_M
        follow[..., i][:, of_legs] -= by_ankle
        bend[..., i] -= by_knee
        for k, joint in enumerate(of_legs.tolist()):
            follow[:, joint, :, 3 + 3 * int(work.sides[joint]) + i] = by_ankle[:, k]
        for side in range(2):
            bend[:, side, 3 + 3 * side + i] = by_knee[:, side]
    limbs = at[:, :6].reshape(-1, 2, 3, 3)
    axis = rotation.unit(limbs[:, :, 2] - limbs[:, :, 0])
    swung = np.cross(axis, limbs[:, :, 1] - limbs[:, :, 0])
    for side, knee in enumerate(leg_joints(work.skeleton)[:, 1].tolist()):
        if knee in work.joints:
            follow[:, work.joints.index(knee), :, 9 + side] = swung[:, side]
    follow[..., RISE], bend[..., RISE] = follow[..., 1], bend[..., 1]
    return LegModel(pose, places, follow, knees, bend)


def _bent(at: np.ndarray) -> np.ndarray:
    """(T, 2) radians between thighs and shins, of joints (T, 6 or more, 3): hip, knee and ankle, left and right."""
    limbs = at[:, :6].reshape(-1, 2, 3, 3)
    thigh, shin = limbs[:, :, 1] - limbs[:, :, 0], limbs[:, :, 2] - limbs[:, :, 1]
    across = np.linalg.norm(np.cross(thigh, shin), axis=-1)
    return np.asarray(np.arctan2(across, (thigh * shin).sum(axis=-1)))


def moved_pelvis(x: np.ndarray) -> np.ndarray:
    """(T, 3) what the pelvis is moved by in all."""
    return np.asarray(x[:, PELVIS] + x[:, [RISE]] * rotation.UP)


def moved_legs(work: LegWork, x: np.ndarray) -> Pose:
    """Poses with pelvis, ankle targets and knees moved by x (T, UNKNOWNS)."""
    targets = work.targets
    move, ankle = targets.move + moved_pelvis(x), targets.ankle + x[:, ANKLES].reshape(-1, 2, 3)
    made = solve_legs(work.skeleton, work.pose, targets._replace(move=move, ankle=ankle))
    return _swivelled(work.skeleton, made, x[:, SWIVELS]) if x[:, SWIVELS].any() else made


def _swivelled(skeleton: Skeleton, pose: Pose, angles: np.ndarray) -> Pose:
    """Poses whose knees are turned by angles (T, 2) about the lines from hips to ankles; feet stay as they are."""
    rot = np.array(pose.rot)
    for side, (hip, knee, ankle) in enumerate(leg_joints(skeleton).tolist()):
        walked = [hip, knee, ankle, int(skeleton.parents[hip]), int(skeleton.parents[ankle])]
        places, turns = world_transforms_of(skeleton, pose, walked)
        about = rotation.axis_angle(rotation.unit(places[:, 2] - places[:, 0]), angles[:, side])
        turned = rotation.multiply(rotation.conjugate(turns[:, 3]), rotation.multiply(about, turns[:, 0]))
        carries = rotation.multiply(about, turns[:, 4])
        foot = rotation.multiply(rotation.conjugate(carries), turns[:, 2])
        rot[:, hip] = rotation.nearest_sign(turned, rot[:, hip])
        rot[:, ankle] = rotation.nearest_sign(foot, rot[:, ankle])
    return pose._replace(rot=rot)
