"""Motion-vector flow: a slow walk that becomes a jog, blended frame by frame with the weights of one method."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.easing import ease
from footfall.core.pose import Pose
from footfall.kinematics.fk import world_positions
from footfall.weights.weights import FittedWeights
from footfall_lab.studies.feng2012_sets import DataSet

FRAMES, FPS = 150, 30.0
FROM, TO = (0.7, 0.0, 0.0), (2.4, 0.0, 0.0)  # speed, turn, side
LOCAL_S = 0.5  # a step's length is compared with the mean over this time


class Flow(NamedTuple):
    """Where joints go."""

    positions: np.ndarray  # (T, J, 3)
    sudden: np.ndarray  # (T - 1, J) length of every step over its local mean


def flow(data: DataSet, fitted: FittedWeights) -> Flow:
    """The motion of FRAMES frames; one clock runs through canonical time at the blended rate."""
    motion = data.motion
    share = ease(np.linspace(-0.2, 1.2, FRAMES))
    p = np.array(FROM) + share[:, None] * (np.array(TO) - np.array(FROM))
    weights = fitted.weights(p)
    t, heading, place = 0.0, 0.0, np.zeros(3)
    roots, turns = [], []
    for w in weights:
        pose = motion.local_pose(t, w)
        facing = rotation.yaw(heading)
        roots.append(place + rotation.rotate(facing, pose.root_pos))
        turns.append(np.concatenate([rotation.multiply(facing, pose.rot[0])[None], pose.rot[1:]]))
        rate = motion.blended_rates(w)
        next_t = t + float(rate[min(int(t * len(rate)), len(rate) - 1)]) / FPS
        moved = motion.travelled(min(next_t, 1.0), w) - motion.travelled(t, w)
        if next_t >= 1.0:
            next_t -= 1.0
            moved = moved + motion.travelled(next_t, w)
        middle = rotation.yaw(heading + 0.5 * moved[2])
        place = place + rotation.rotate(middle, np.array([moved[1], 0.0, moved[0]]))
        t, heading = next_t, heading + float(moved[2])
    positions = world_positions(motion.skeleton, Pose(np.array(roots), np.array(turns)))
    return Flow(positions, sudden_steps(positions))


def sudden_steps(positions: np.ndarray) -> np.ndarray:
    """(T - 1, J) length of each joint's step over the mean of its steps around that time."""
    steps = np.linalg.norm(np.diff(positions, axis=0), axis=-1)
    wide = max(1, round(LOCAL_S * FPS)) | 1
    padded = np.pad(steps, ((wide // 2, wide // 2), (0, 0)), mode="edge")
    mean = np.lib.stride_tricks.sliding_window_view(padded, wide, axis=0).mean(axis=-1)
    return steps / np.maximum(mean, 1e-6)
