"""Retimed motions: a parametric motion that is done once, each of its examples played at a pace of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footfall.parametric import canonical_time
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.parametric.posture import log_vectors, mean_orientations


def retimed(motion: ParametricMotion, moments: Sequence[tuple[np.ndarray, np.ndarray]]) -> ParametricMotion:
    """The motion with other times; moments: of each example, seconds as it is and seconds as it shall be, rising.

    Poses, ways and contacts stay where they are on each other; parameters and weights are those of the motion.
    """
    count, joints = motion.vectors.shape[1:3]
    grid = np.linspace(0.0, 1.0, motion.cells + 1)
    key_times = np.array([np.interp(keys, *pair) for keys, pair in zip(motion.key_times, moments, strict=True)])
    where = np.empty((len(grid), count))  # canonical times of the motion as it is
    for k, (old, new) in enumerate(moments):
        seconds = np.interp(canonical_time.to_actual(grid, key_times[k]), new, old)
        where[:, k] = canonical_time.to_canonical(seconds, motion.key_times[k])
    eye = np.broadcast_to(np.eye(count), (len(grid), count, count))
    pose = motion.local_pose(where, eye)
    mean = mean_orientations(pose.rot.reshape(len(grid), count, joints, 4))
    contacts = {part: _moved(motion, key_times, moments, spans) for part, spans in motion.contacts.items()}
    return replace(motion, key_times=key_times, mean=mean, vectors=log_vectors(pose.rot, mean), root=pose.root_pos,
                   travel=motion.travelled(where, eye), contacts=contacts)  # fmt: skip


def _moved(
    motion: ParametricMotion, key_times: np.ndarray, moments: Sequence[tuple[np.ndarray, np.ndarray]], spans: np.ndarray
) -> np.ndarray:
    """(N, S, 2) canonical times of contacts at the other times."""
    found = np.empty_like(spans)
    for k, (old, new) in enumerate(moments):
        seconds = np.interp(canonical_time.to_actual(spans[k], motion.key_times[k]), old, new)
        found[k] = canonical_time.to_canonical(seconds, key_times[k])
    return found
