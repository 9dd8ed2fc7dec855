"""Gentle curves: the smoothest offsets that meet their targets, each as closely as its moment requires.

Minimises, over curves o of a frame's values, sum w |o - asked|² + sum s |second difference of o|² with o = 0 outside a
mask: a weighted smoothing spline on the frames' own grid (Whittaker 1923, "On a new method of graduation"). Where w
outweighs s the curve is held; where it does not the curve goes the gentle way. Five bands, so it is linear in time.
"""

from __future__ import annotations

import numpy as np

LEAST = 1e-12  # of weights: keeps the system solvable where nothing is asked
PUSH = 100.0  # times its own weight that an obstacle pushes a curve; it changes how soon the curve is found, not which
OBSTACLE_ROUNDS = 300  # at most; most obstacles take a hundred
RELAX = 1.7  # over-relaxation, as Boyd et al. 2011, section 3.4.3, have it
ENOUGH_M = 5e-4  # metres: nearer to the least it need not come


def smooth_curve(asked: np.ndarray, weight: np.ndarray, stiff: np.ndarray, free: np.ndarray) -> np.ndarray:
    """(T, D) curves nearest to asked by weight (T,), bent as little as stiff (T,) says, 0 where not free (T,)."""
    from scipy.linalg import solveh_banded

    result = np.zeros_like(asked, dtype=float)
    if not free.any():
        return result
    w = np.maximum(weight, LEAST)
    right = np.where(free[:, None], w[:, None] * asked, 0.0)
    bands = _bands(w, stiff, free)
    solved = solveh_banded(bands, right, overwrite_ab=True, overwrite_b=True, check_finite=False)
    result[free] = solved[free]
    return result


def over_obstacle(least: np.ndarray, weight: float, free: np.ndarray, beyond: int = 0) -> np.ndarray:
    """(T,) the gentlest curve that is 0 where not free (T,) and nowhere below least (T,) where it is.

    beyond: frames that it is led on by at either end; a curve that may end anyhow goes on straight from the last
    obstacle, however steep.

    It minimises the same sum as `smooth_curve`, of a stiffness of 1 and `weight` towards 0, by the alternating
    direction method of multipliers (Boyd et al. 2011, section 5): one banded system, solved again and again.
    """
    from scipy.linalg import cho_solve_banded, cholesky_banded

    if not (free & (least > 0.0)).any():
        return np.zeros(len(least))
    if beyond:
        least = np.pad(least, beyond, constant_values=-np.inf)
        return over_obstacle(least, weight, np.pad(free, beyond, constant_values=True))[beyond:-beyond]
    push = PUSH * weight
    factor = cholesky_banded(_bands(np.full(len(least), weight + push), np.ones(len(least)), free), check_finite=False)
    above, dual = np.maximum(np.where(free, least, 0.0), 0.0), np.zeros(len(least))
    curve = above
    for _ in range(OBSTACLE_ROUNDS):
        right = np.where(free, push * (above - dual), 0.0)
        curve = cho_solve_banded((factor, False), right, check_finite=False)
        eased = RELAX * curve + (1.0 - RELAX) * above
        before, above = above, np.where(free, np.maximum(eased + dual, least), 0.0)
        dual += eased - above
        if np.abs(above - curve).max() < ENOUGH_M and np.abs(above - before).max() < ENOUGH_M:
            break
    return np.asarray(np.where(free, curve, 0.0))


def _bands(w: np.ndarray, stiff: np.ndarray, free: np.ndarray) -> np.ndarray:
    """(3, T) the system of a gentle curve: second, first and main diagonal."""
    count = len(w)
    bands = np.zeros((3, count))
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
    return bands


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
