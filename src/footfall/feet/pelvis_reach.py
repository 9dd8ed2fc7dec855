"""Pelvis reach: the least move of the pelvis that lets both legs reach their targets, without jitter over time.

Where a hip may be is a ball around its foot's target; moved back by the hip's place in the body, the two balls are
where the pelvis may move to. The nearest point of their intersection has a closed form: inside, on one sphere, or on
the circle in which the spheres meet. Over time the moves are made smooth, then what smoothing took away is given back
and smoothed again (projections onto two sets in turn), until the rest is too small to see.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from footfall.core.kernels import kernel, part
from footfall.core.rotation_kernels import add_scaled, dot, minus, scaled

ROUNDS = 40  # of giving back and smoothing, at most. By eye: few clips need more than 10
PLAIN_ROUNDS = 8  # rounds in which exactly what is missing is given back. By eye
RELAX = 1.6  # times what is missing is given back in later rounds: peaks need it. By eye
ENOUGH_M = 1e-4  # metres: less is not seen, so nothing more is given back
ROUNDING_M = 1e-12  # metres: what running sums leave behind


@part
def _into(p: Any, center: Any, radius: float) -> Any:
    """The nearest point to p within a ball, and whether that is p."""
    out = minus(p, center)
    distance = np.sqrt(dot(out, out))
    if distance <= radius:
        return p, True
    return add_scaled(center, out, radius / max(distance, 1e-300)), False


@part
def least_move(c0: Any, c1: Any, r0: float, r1: float) -> Any:
    """The shortest vector that ends within both balls; where they do not meet, halfway over the gap."""
    zero = (0.0, 0.0, 0.0)
    on0, in0 = _into(zero, c0, r0)
    on1, in1 = _into(zero, c1, r1)
    if in0 and in1:
        return zero
    for point, center, radius in ((on0, c1, r1), (on1, c0, r0)):
        away = minus(point, center)
        if np.sqrt(dot(away, away)) <= radius * (1.0 + 1e-12):
            return point
    line = minus(c1, c0)
    apart = np.sqrt(dot(line, line))
    axis = scaled(line, 1.0 / max(apart, 1e-300))
    if apart > r0 + r1:
        return add_scaled(c0, axis, 0.5 * (r0 + apart - r1))
    along = (apart * apart + r0 * r0 - r1 * r1) / max(2.0 * apart, 1e-300)
    far = max(r0, apart)
    along = min(max(along, -far), far)
    across = add_scaled(scaled(c0, -1.0), axis, dot(c0, axis))
    size = np.sqrt(max(r0 * r0 - along * along, 0.0)) / max(np.sqrt(dot(across, across)), 1e-300)
    return add_scaled(add_scaled(c0, axis, along), across, size)


def smooth_moves(centers: np.ndarray, radii: np.ndarray, half_width: int) -> np.ndarray:
    """Pelvis moves (T, 3) over time, smooth over about half_width frames, exactly 0 away from any need.

    centers (T, 2, 3), radii (T, 2): where each leg lets the pelvis move to, at every frame.
    """
    given = (np.require(x, float, ("C", "W")) for x in (centers, radii))
    return np.asarray(_smooth_moves(*given, half_width))


@part
def _box(x: Any, out: Any, half_width: int) -> None:
    """Moving means of 2 half_width + 1 rows of x (T, 3); rows beyond its ends are as those at them."""
    count, last = 2 * half_width + 1, len(x) - 1
    for i in range(3):
        total = (half_width + 1) * x[0, i]
        for n in range(1, half_width + 1):
            total += x[min(n, last), i]
        for n in range(len(x)):
            out[n, i] = total / count
            total += x[min(n + half_width + 1, last), i] - x[max(n - half_width, 0), i]


@kernel
def _smooth_moves(centers: Any, radii: Any, half_width: int) -> Any:
    count, pad = len(centers), 3 * half_width
    moves, missing, other = np.zeros((count, 3)), np.zeros((count + 2 * pad, 3)), np.zeros((count + 2 * pad, 3))
    for k in range(ROUNDS if count else 0):
        most = 0.0
        for n in range(count):
            at = (moves[n, 0], moves[n, 1], moves[n, 2])
            c0 = (centers[n, 0, 0] - at[0], centers[n, 0, 1] - at[1], centers[n, 0, 2] - at[2])
            c1 = (centers[n, 1, 0] - at[0], centers[n, 1, 1] - at[1], centers[n, 1, 2] - at[2])
            step = least_move(c0, c1, max(radii[n, 0], 0.0), max(radii[n, 1], 0.0))
            most = max(most, dot(step, step))
            missing[pad + n, 0], missing[pad + n, 1], missing[pad + n, 2] = step
        if not np.sqrt(most) > ENOUGH_M:
            break
        for n in range(pad):
            for i in range(3):  # row by row would take seconds to compile
                missing[n, i], missing[count + pad + n, i] = missing[pad, i], missing[count + pad - 1, i]
        for _ in range(3):
            _box(missing, other, half_width)
            missing, other = other, missing
        for n in range(count):
            for i in range(3):
                if abs(missing[pad + n, i]) > ROUNDING_M:
                    moves[n, i] += (1.0 if k < PLAIN_ROUNDS else RELAX) * missing[pad + n, i]
    return moves


@cache
def taps(half_width: int) -> np.ndarray:
    """(6 half_width + 1,) weights of three moving means one after another."""
    box = np.ones(2 * half_width + 1) / (2 * half_width + 1)
    weights = np.convolve(np.convolve(box, box), box)
    weights.flags.writeable = False
    return weights


def low_pass(x: np.ndarray, half_width: int) -> np.ndarray:
    """(T, D) three moving means of 2 half_width + 1 frames one after another: nearly a Gaussian, of finite reach."""
    if half_width < 1 or not len(x):
        return x
    weights = taps(int(half_width))
    reach = len(weights) // 2
    padded = np.concatenate([np.repeat(x[:1], reach, axis=0), x, np.repeat(x[-1:], reach, axis=0)])
    return np.stack([np.convolve(column, weights, mode="valid") for column in padded.T], axis=-1)
