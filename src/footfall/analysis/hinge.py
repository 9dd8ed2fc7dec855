"""Hinges: the moment a falling speed stops falling, found below the frame by fitting a line that turns level.

A foot that lands slows down along a ramp, then rests. No threshold finds the moment between: a low one is passed late
or never in noise, a high one early. The best hinge y = c + m max(t0 - t, 0) (least squares in c and m, for every t0
of a fine grid) finds it for any level of rest and any steepness.
"""

from __future__ import annotations

import numpy as np

STEP_S = 0.002  # grid of t0
CHUNK = 256  # hinges fitted at once, so that memory does not grow with the clip
FAR_OUT, FAR_IN = 0.3, 0.6  # how far t0 may lie from the crossing, in shares of the window's two sides


def hinges(
    speed: np.ndarray, at: np.ndarray, rate: float, outside_s: float, inside_s: float, landing: bool
) -> np.ndarray:
    """Samples (E,), fractional, at which the ramps of speed (N,) near the samples `at` (E,) end (landing) or begin.

    Each window reaches outside_s into the movement and inside_s into the rest.
    """
    at = np.asarray(at, int)
    parts = [
        _hinges(speed, at[i : i + CHUNK], rate, outside_s, inside_s, 1 if landing else -1)
        for i in range(0, len(at), CHUNK)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def _hinges(speed: np.ndarray, at: np.ndarray, rate: float, outside_s: float, inside_s: float, sign: int) -> np.ndarray:
    out, inner = max(2, round(outside_s * rate)), max(2, round(inside_s * rate))
    t = np.arange(-out, inner + 1)  # rest lies at positive t, whichever way time runs
    index = at[:, None] + sign * t
    real = ((index >= 0) & (index < len(speed))).astype(float)  # (E, W)
    y = speed[np.clip(index, 0, len(speed) - 1)]
    t0 = np.arange(-FAR_OUT * outside_s, FAR_IN * inside_s, STEP_S) * rate  # (G,)
    x = np.maximum(t0[:, None] - t, 0.0)  # (G, W)
    n = real.sum(axis=1)
    y_mean = (y * real).sum(axis=1) / n
    y = (y - y_mean[:, None]) * real  # centred: then sums of products with x need no further correction by c
    x_sum, xx_sum = real @ x.T, real @ (x * x).T  # (E, G)
    xy = y @ x.T
    xx = xx_sum - x_sum**2 / n[:, None]
    # the residual of the best c, m is syy - sxy^2 / sxx, and only ramps (m > 0) count
    gain = np.where((xx > 1e-9) & (xy > 0), xy**2 / np.maximum(xx, 1e-9), 0.0)
    best = gain.argmax(axis=1)
    found = np.where(gain.max(axis=1) > 0, t0[best], 0.0)
    return at + sign * found
