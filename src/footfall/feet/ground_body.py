"""Ground body: poses of a clip carried along its way on a ground, raised with its footfalls, leant into slopes."""

from __future__ import annotations

import itertools

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.feet import limits
from footfall.feet.ground_work import GroundWork
from footfall.feet.pelvis_reach import low_pass
from footfall.kinematics.fk import world_transforms_of


def body_on(work: GroundWork) -> Pose:
    """The clip's poses, carried along the way and raised with its footfalls; its legs still as they were."""
    pose = work.clip.sample(work.times)
    root = work.carry.carried(pose.root_pos)
    root[:, 1] += work.lifts
    rot = np.array(pose.rot)
    rot[:, 0] = rotation.multiply(rotation.yaw(work.carry.yaw), rot[:, 0])
    pose = pose._replace(root_pos=root, rot=rot)
    return _leaning(work, pose)


def _leaning(work: GroundWork, pose: Pose) -> Pose:
    """The trunk leant into a slope."""
    spine = work.clip.skeleton.roles.spine
    if not spine or not work.falls:
        return pose
    half = max(1, round(limits.GROUND_LEAN_S * work.fps))
    grade = low_pass(_grades(work)[:, None], half)[:, 0]
    lean = np.clip(limits.GROUND_LEAN * grade, -0.3 * limits.GROUND_LEAN_MOST, limits.GROUND_LEAN_MOST)
    if np.abs(lean).max() < 1e-3:
        return pose
    heading = work.carry.heading
    left = np.stack([np.cos(heading), np.zeros_like(heading), -np.sin(heading)], axis=-1)
    over = world_transforms_of(work.clip.skeleton, pose, [int(work.clip.skeleton.parents[spine[0]])])[1][:, 0]
    local = rotation.rotate(rotation.conjugate(over), left)
    rot = np.array(pose.rot)
    rot[:, spine[0]] = rotation.multiply(rotation.axis_angle(local, lean), rot[:, spine[0]])
    return pose._replace(rot=rot)


def _grades(work: GroundWork) -> np.ndarray:
    """(T,) rise of the way for each metre, from footfall to footfall; 0 where the body stays."""
    falls, frames = work.falls, np.arange(len(work.times))
    grade = np.zeros(len(frames))
    for before, fall in itertools.pairwise(falls):
        run = float(np.linalg.norm((fall.ball - before.ball)[[0, 2]]))
        ahead = float(work.path.at("along_m", fall.way_s) - work.path.at("along_m", before.way_s))
        if ahead > limits.GROUND_STRIDE_M * 0.5:
            here = (frames >= work.frame_of(before.stance.middle_s)) & (frames <= work.frame_of(fall.stance.middle_s))
            grade[here] = np.clip(fall.rise_m / max(run, ahead, 1e-6), -0.6, 0.6)
    return grade
