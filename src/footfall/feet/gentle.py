"""Gentle curves: the smoothest offsets that keep to what is asked of them, as closely as each moment is asked to.

Minimises, over curves o of a frame's values, sum w |o - asked|² + sum s |second difference of o|² with o = 0 outside a
mask: a weighted smoothing spline on the frames' own grid (Whittaker 1923, "On a new method of graduation"). Where w
outweighs s the curve is held; where it does not the curve goes the gentle way. Five bands, so it is linear in time.
"""

from __future__ import annotations

import numpy as np

LEAST = 1e-12  # of weights: keeps the system solvable where nothing is asked


def smooth_curve(asked: np.ndarray, weight: np.ndarray, stiff: np.ndarray, free: np.ndarray) -> np.ndarray:
    """(T, D) curves nearest to asked by weight (T,), bent as little as stiff (T,) says, 0 where not free (T,)."""
    from scipy.linalg import solveh_banded

    result = np.zeros_like(asked, dtype=float)
    count = len(asked)
    if not free.any():
        return result
    w = np.maximum(weight, LEAST)
    bands = np.zeros((3, count))  # upper form: second, first and main diagonal
    bands[2] = w
    if count > 2:
        s = stiff[1:-1]  # of the second difference about each inner frame
        bands[2, :-2] += s
        bands[2, 1:-1] += 4.0 * s
        bands[2, 2:] += s
        bands[1, 1:-1] -= 2.0 * s
        bands[1, 2:] -= 2.0 * s
        bands[0, 2:] += s
    # frames that are not free are 0, so they drop out of every other frame's equation
    bands[1, 1:] *= free[1:] & free[:-1]
    bands[0, 2:] *= free[2:] & free[:-2]
    bands[2] = np.where(free, bands[2], 1.0)
    right = np.where(free[:, None], w[:, None] * asked, 0.0)
    solved = solveh_banded(bands, right, overwrite_ab=True, overwrite_b=True, check_finite=False)
    result[free] = solved[free]
    return result


def frames_to(mask: np.ndarray) -> np.ndarray:
    """(T,) frames to the nearest one in the mask; more than there are where it is empty."""
    at, count = np.arange(len(mask)), len(mask)
    before = np.maximum.accumulate(np.where(mask, at, -2 * count))
    after = np.minimum.accumulate(np.where(mask, at, 3 * count)[::-1])[::-1]
    return np.asarray(np.minimum(at - before, after - at))


def widened(mask: np.ndarray, frames: int) -> np.ndarray:
    """(T, ...) the mask with this many frames more on either side of every stretch."""
    if frames <= 0 or not len(mask):
        return mask
    total = np.concatenate([np.zeros((1, *mask.shape[1:]), int), np.cumsum(mask, axis=0)])
    at = np.arange(len(mask))
    return np.asarray(total[np.minimum(at + frames + 1, len(mask))] > total[np.maximum(at - frames, 0)])
