"""Turning carrier: of an action on the spot whose carrier turns with the body, so that what follows faces that way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.kinematics.root import floor_root
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.parametric.posture import log_vectors, mean_orientations


def with_turning_carrier(motion: ParametricMotion) -> ParametricMotion:
    """The motion with what its pelvis turns by carried as travel."""
    grid = np.linspace(0.0, 1.0, motion.cells + 1)
    travel, poses = np.array(motion.travel), []
    for k, weights in enumerate(np.eye(len(motion))):
        pose = motion.local_pose(grid, weights)
        turned = np.unwrap(floor_root(motion.skeleton, pose)[1])
        turned -= turned[0]
        back, rot = rotation.yaw(-turned), np.array(pose.rot)
        rot[:, 0] = rotation.multiply(back, rot[:, 0])
        poses.append(Pose(rotation.rotate(back, pose.root_pos), rot))
        travel[:, k, 2] += turned
    rot = np.stack([pose.rot for pose in poses], axis=1)
    mean = mean_orientations(rot)
    root = np.stack([pose.root_pos for pose in poses], axis=1)
    return replace(motion, mean=mean, vectors=log_vectors(rot, mean), root=root, travel=travel)
