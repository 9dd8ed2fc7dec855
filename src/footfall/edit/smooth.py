"""Smoothing: jitter removed by a low-pass without lag, the first and last pose kept.

Penalised least squares on third differences (Whittaker 1923, Eilers 2003). Away from the ends its response is
1 / (1 + (f / cutoff)^6): a third-order Butterworth run forward and backward, but defined for any length of clip,
without padding, and with the end poses held exactly.
"""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.edit.sample import cycle, need_frames, sample

ORDER = 3  # of the differences: a response of 1 / (1 + (f / cutoff)^6)
STIFFEST = 1e15  # weight of the differences: beyond it rounding decides, and the result is a polynomial anyway
SETTLE = 2.0  # cut-off periods after which what lies beyond the end of a loop no longer matters


def smooth(clip: Clip, cutoff_hz: float = 6.0) -> Clip:
    """Everything above about cutoff_hz removed from rotations and positions; half the amplitude is left at it."""
    need_frames(clip, what="smoothed")
    if not (np.isfinite(cutoff_hz) and cutoff_hz >= 0.1):
        raise ParameterError(f"a cut-off is a frequency of at least 0.1 Hz, not {cutoff_hz}")
    if cutoff_hz >= 0.5 * clip.fps or clip.frames < ORDER + 2:
        return clip
    if not clip.is_loop:
        return clip.with_pose(_smooth_pose(clip.pose, clip.fps, cutoff_hz))
    beyond = int(np.ceil(SETTLE * clip.fps / cutoff_hz))
    around = sample(clip, np.arange(-beyond, clip.frames + beyond) / clip.fps)
    pose = _smooth_pose(around, clip.fps, cutoff_hz).at(slice(beyond, beyond + clip.frames))
    return clip.with_pose(close_loop(pose, cycle(clip).pose(pose.at(0))))


def close_loop(pose: Pose, last: Pose) -> Pose:
    """Poses (T,) with the last one replaced, in the signs of the frame before it."""
    rot, root_pos = np.array(pose.rot), np.array(pose.root_pos)
    rot[-1], root_pos[-1] = rotation.nearest_sign(last.rot, rot[-2]), last.root_pos
    pos = None
    if pose.pos is not None and last.pos is not None:
        pos = np.array(pose.pos)
        pos[-1] = last.pos
    return Pose(root_pos, rot, pos)


def low_pass(x: np.ndarray, fps: float, cutoff_hz: float, order: int, pin_ends: bool = True) -> np.ndarray:
    """Signals (T, …) without what is faster than cutoff_hz; polynomials below the order pass unchanged."""
    from scipy.linalg import solveh_banded

    frames = len(x)
    if frames < order + 2:
        return x
    weight = min((2.0 * np.sin(np.pi * min(cutoff_hz / fps, 0.5))) ** (-2 * order), STIFFEST)
    bands = weight * _difference_bands(frames, order)  # bands[d, i] = A[i + d, i], A = weight D^T D (+ 1)
    bands[0] += 1.0
    flat = x.reshape(frames, -1)
    if not pin_ends:
        return solveh_banded(bands, flat, lower=True).reshape(x.shape)
    line = flat[:1] + np.linspace(0.0, 1.0, frames)[:, None] * (flat[-1:] - flat[:1])
    # with the line between the ends taken off, the pinned ends are 0 and drop out of the equations
    inner = bands[:, 1:-1].copy()
    for d in range(1, order + 1):
        inner[d, frames - 2 - d :] = 0.0
    result = line.copy()
    result[1:-1] += solveh_banded(inner, (flat - line)[1:-1], lower=True)
    return result.reshape(x.shape)


def _difference_bands(frames: int, order: int) -> np.ndarray:
    """Lower bands (order + 1, T) of D^T D, D the matrix of differences of that order."""
    stencil = np.array([1.0])
    for _ in range(order):
        stencil = np.convolve(stencil, [1.0, -1.0])
    bands = np.zeros((order + 1, frames))
    for row in range(order + 1):
        for column in range(row + 1):
            start, stop = column, column + frames - order
            bands[row - column, start:stop] += stencil[row] * stencil[column]
    return bands


def _smooth_pose(pose: Pose, fps: float, cutoff_hz: float) -> Pose:
    """Quaternions are filtered part by part with continuous signs and brought back to unit length."""
    rot = low_pass(rotation.continuous_signs(pose.rot), fps, cutoff_hz, ORDER)
    root_pos = low_pass(pose.root_pos, fps, cutoff_hz, ORDER)
    pos = None if pose.pos is None else low_pass(pose.pos, fps, cutoff_hz, ORDER)
    return Pose(root_pos, rotation.normalize(rot), pos)
