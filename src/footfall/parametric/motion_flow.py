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
SEEN_M = 0.002  # of one frame: less, however sudden, is not seen; by eye


class Flow(NamedTuple):
    """Where joints go."""

    times: np.ndarray  # (T,) canonical
    positions: np.ndarray  # (T, J, 3)
    sudden: np.ndarray  # (T - 1, J) length of every step over its local mean


def flow(motion: ParametricMotion, weights: np.ndarray, fps: float, held: float | None = None) -> Flow:
    """The motion under weights (T, N), frame by frame; one clock runs through canonical time at the blended rate.

    held: a canonical time that stands still instead: what the weights alone do to the pose.
    """
    if held is None:
        times, positions = _played(motion, weights, fps)
    else:
        times = np.full(len(weights), held)
        positions = world_positions(motion.skeleton, motion.local_pose(times, weights))
    return Flow(times, positions, sudden_steps(positions, fps))


def _played(motion: ParametricMotion, weights: np.ndarray, fps: float) -> tuple[np.ndarray, np.ndarray]:
    t, heading, place = 0.0, 0.0, np.zeros(3)
    roots, turns, times = [], [], []
    for w in weights:
        times.append(t)
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
    return np.array(times), world_positions(motion.skeleton, Pose(np.array(roots), np.array(turns)))


def sudden_steps(positions: np.ndarray, fps: float) -> np.ndarray:
    """(T - 1, J) length of each joint's step over the mean of its steps around that time."""
    return _over_mean(np.linalg.norm(np.diff(positions, axis=0), axis=-1), fps, 1e-6)


def sudden_weights(motion: ParametricMotion, weights: np.ndarray, times: np.ndarray, fps: float) -> np.ndarray:
    """(T - 1, J) the same of what the change of weights alone does to each pose: a foot that swings is not sudden."""
    after, before = (
        world_positions(motion.skeleton, motion.local_pose(times[1:], w)) for w in (weights[1:], weights[:-1])
    )
    return _over_mean(np.linalg.norm(after - before, axis=-1), fps, SEEN_M)


def _over_mean(steps: np.ndarray, fps: float, least: float) -> np.ndarray:
    wide = max(1, round(LOCAL_S * fps)) | 1
    padded = np.pad(steps, ((wide // 2, wide // 2), (0, 0)), mode="edge")
    mean = np.lib.stride_tricks.sliding_window_view(padded, wide, axis=0).mean(axis=-1)
    return np.asarray(steps / np.maximum(mean, least))
