"""Effort: how much of the body a change of blend weights moves, so that what is asked is met by moving little of it.

Of the many weights that bring a hand to a point some lean the trunk back and some bend the arm. Weights themselves do
not tell; the joints do: a change d of the weights costs the mean square of the angles (radians) and of the root's
places (metres) that it changes over the motion, and a little of its own length. And how far a blend goes beyond all its
examples, which is where bodies break.
"""

from __future__ import annotations

import numpy as np

from footfall.core.once import once
from footfall.parametric.parametric_motion import ParametricMotion

MOMENTS = 13  # of the motion that are looked at, evenly spread
OWN = 0.1  # of the mean cost: of a change of weights that moves nothing; by experiment on reach, punch and kick


def strayed(motion: ParametricMotion, weights: np.ndarray) -> np.ndarray:
    """(Q,) radians by which the worst joint of blends (Q, N) leaves the range of the examples, over the motion."""
    found = np.zeros(len(weights))
    for g in _moments(motion):
        of = motion.vectors[g]  # (N, J, 3)
        blended = np.tensordot(weights, of, axes=1)
        over = np.maximum(blended - of.max(axis=0), 0.0) + np.maximum(of.min(axis=0) - blended, 0.0)
        found = np.maximum(found, np.linalg.norm(over, axis=-1).max(axis=-1))
    return found


def _moments(motion: ParametricMotion) -> np.ndarray:
    return np.unique(np.linspace(0, motion.cells, MOMENTS).round().astype(int))


@once
def effort(motion: ParametricMotion) -> np.ndarray:
    """(N, N) E: changing the weights by d costs d' E d; its mean diagonal is 1 + OWN."""
    grid = _moments(motion)
    parts = [motion.vectors[grid], motion.root[grid][:, :, None]]
    flat = np.concatenate([p.transpose(1, 0, 2, 3).reshape(len(motion), -1) for p in parts], axis=1)  # (N, …)
    flat = flat - flat.mean(axis=0)
    cost = flat @ flat.T
    return cost / max(np.trace(cost) / len(motion), 1e-12) + OWN * np.eye(len(motion))
