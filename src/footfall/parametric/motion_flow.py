"""Motion-vector flow: where the joints go while the weights change from frame to frame (Feng et al. 2012, fig. 8).

Weights that jump show as steps that are longer than those around them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.kinematics.fk import world_positions
from footfall.parametric.parametric_motion import ParametricMotion

LOCAL_S = 0.5  # a step's length is compared with the mean over this time; by eye


class Flow(NamedTuple):
    """Where joints go."""

    positions: np.ndarray  # (T, J, 3)
    sudden: np.ndarray  # (T - 1, J) length of every step over its local mean


def flow(motion: ParametricMotion, weights: np.ndarray, fps: float, held: float | None = None) -> Flow:
    """The motion under weights (T, N), frame by frame; one clock runs through canonical time at the blended rate.

    held: a canonical time that stands still instead: what the weights alone do to the pose.
    """
    positions = _held(motion, weights, held) if held is not None else _played(motion, weights, fps)
    return Flow(positions, sudden_steps(positions, fps))


def _held(motion: ParametricMotion, weights: np.ndarray, t: float) -> np.ndarray:
    return world_positions(motion.skeleton, motion.local_pose(np.full(len(weights), t), weights))


def _played(motion: ParametricMotion, weights: np.ndarray, fps: float) -> np.ndarray:
    t, heading, place = 0.0, 0.0, np.zeros(3)
    roots, turns = [], []
    for w in weights:
        pose = motion.local_pose(t, w)
        facing = rotation.yaw(heading)
        roots.append(place + rotation.rotate(facing, pose.root_pos))
        turns.append(np.concatenate([rotation.multiply(facing, pose.rot[0])[None], pose.rot[1:]]))
        rate = motion.blended_rates(w)
        next_t = t + float(rate[min(int(t * len(rate)), len(rate) - 1)]) / fps
        moved = motion.travelled(min(next_t, 1.0), w) - motion.travelled(t, w)
        if next_t >= 1.0:
            next_t -= 1.0
            moved = moved + motion.travelled(next_t, w)
        middle = rotation.yaw(heading + 0.5 * moved[2])
        place = place + rotation.rotate(middle, np.array([moved[1], 0.0, moved[0]]))
        t, heading = next_t, heading + float(moved[2])
    return world_positions(motion.skeleton, Pose(np.array(roots), np.array(turns)))


def sudden_steps(positions: np.ndarray, fps: float) -> np.ndarray:
    """(T - 1, J) length of each joint's step over the mean of its steps around that time."""
    steps = np.linalg.norm(np.diff(positions, axis=0), axis=-1)
    wide = max(1, round(LOCAL_S * fps)) | 1
    padded = np.pad(steps, ((wide // 2, wide // 2), (0, 0)), mode="edge")
    mean = np.lib.stride_tricks.sliding_window_view(padded, wide, axis=0).mean(axis=-1)
    return steps / np.maximum(mean, 1e-6)
