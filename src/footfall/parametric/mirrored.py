"""Mirrored motions: a parametric motion with left and right exchanged, its examples in the same order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.edit.mirror import mirror, other_side
from footfall.parametric.parametric_motion import ParametricMotion, with_weights
from footfall.parametric.posture import log_vectors, mean_orientations

SIDED = ("x", "side", "turn", "direction", "angle")  # parameters that change their sign
TRAVEL = np.array([1.0, -1.0, -1.0])  # forward, left, turn


def mirrored(motion: ParametricMotion) -> ParametricMotion:
    """The motion seen in a mirror: parameters to a side change their sign, marks and contacts their foot."""
    grid, count, joints = motion.vectors.shape[:3]
    turns = motion.local_pose(np.repeat(np.linspace(0.0, 1.0, grid), count), np.tile(np.eye(count), (grid, 1))).rot
    poses = Pose(motion.root.reshape(-1, 3), turns)
    seen = mirror(Clip(motion.skeleton, motion.fps, poses, name=motion.name)).pose
    rot = seen.rot.reshape(grid, count, joints, 4)
    mean = mean_orientations(rot)
    signs = np.array([-1.0 if name in SIDED else 1.0 for name in motion.parameter_names])
    found = replace(
        motion,
        marks=tuple(other_side(mark, loosely=False) for mark in motion.marks),
        parameters=motion.parameters * signs,
        mean=mean,
        vectors=log_vectors(rot, mean),
        root=seen.root_pos.reshape(grid, count, 3),
        travel=motion.travel * TRAVEL,
        pelvis=motion.pelvis * np.array([1.0, -1.0]),
        contacts={other_side(part, loosely=False): spans for part, spans in motion.contacts.items()},
        effector=other_side(motion.effector, loosely=False) if motion.effector else "",
        fitted=None,
    )
    return with_weights(found, "rbf") if motion.parameter_names else found
