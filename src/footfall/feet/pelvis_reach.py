"""Pelvis reach: the least move of the pelvis that lets both legs reach their targets, without jitter over time.

Where a hip may be is a ball around its foot's target; moved back by the hip's place in the body, the two balls are
where the pelvis may move to. The nearest point of their intersection has a closed form: inside, on one sphere, or on
the circle in which the spheres meet. Over time the moves are made smooth, then what smoothing took away is given back
and smoothed again (projections onto two sets in turn), until the rest is too small to see.
"""

from __future__ import annotations

from functools import cache

import numpy as np

ROUNDS, PLAIN = 40, 8
RELAX = 1.6  # after some plain rounds, more is given back than is missing: peaks need it
ENOUGH_M = 1e-4
COMPILED_FROM = 2000  # frames from which the compiled kernel pays for its start


def least_move(centers: np.ndarray, radii: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """Points (..., 3) nearest to start (default 0) within both balls: centers (..., 2, 3), radii (..., 2).

    Balls that do not meet: the point between them that misses both by the same length.
    """
    centers, radii = np.asarray(centers, float), np.maximum(np.asarray(radii, float), 0.0)
    origin = np.zeros(centers.shape[:-2] + (3,)) if start is None else np.asarray(start, float)
    c0, c1, r0, r1 = centers[..., 0, :], centers[..., 1, :], radii[..., 0, None], radii[..., 1, None]
    on0, on1 = _into(origin, c0, r0), _into(origin, c1, r1)
    enough0 = _length(on0 - c1) <= r1 * (1.0 + 1e-12)
    enough = enough0 | (_length(on1 - c0) <= r0 * (1.0 + 1e-12))
    best = np.where(enough0, on0, on1)
    if not enough.all():  # the circle both spheres share is rarely needed, and costs the most
        best = np.where(enough, best, _on_both(origin, c0, c1, r0, r1))
    inside = (on0 == origin).all(axis=-1, keepdims=True) & (on1 == origin).all(axis=-1, keepdims=True)
    return np.where(inside, origin, best)


def _length(v: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("...i,...i->...", v, v))[..., None]


def _into(p: np.ndarray, center: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """The nearest point to p within a ball; p itself, bit for bit, where it is inside."""
    out = p - center
    distance = _length(out)
    return np.where(distance <= radius, p, center + out * (radius / np.maximum(distance, 1e-300)))


def _on_both(p: np.ndarray, c0: np.ndarray, c1: np.ndarray, r0: np.ndarray, r1: np.ndarray) -> np.ndarray:
    """The nearest point to p on the circle of two spheres; where they do not meet, halfway over the gap."""
    line = c1 - c0
    apart = _length(line)
    axis = line / np.maximum(apart, 1e-300)
    along = np.where(
        apart > r0 + r1, 0.5 * (r0 + apart - r1), (apart**2 + r0**2 - r1**2) / np.maximum(2 * apart, 1e-300)
    )
    along = np.clip(along, -np.maximum(r0, apart), np.maximum(r0, apart))
    ring = np.sqrt(np.maximum(r0**2 - along**2, 0.0)) * (apart <= r0 + r1)
    across = (p - c0) - ((p - c0) * axis).sum(axis=-1, keepdims=True) * axis
    return c0 + along * axis + ring * across / np.maximum(_length(across), 1e-300)


def smooth_moves(centers: np.ndarray, radii: np.ndarray, half_width: int) -> np.ndarray:
    """Pelvis moves (T, 3) over time, smooth over about half_width frames, exactly 0 away from any need.

    centers (T, 2, 3), radii (T, 2): where each leg lets the pelvis move to, at every frame. Long clips are compiled.
    """
    if len(centers) >= COMPILED_FROM:
        return compiled_moves(centers, radii, half_width)
    moves = np.zeros(centers.shape[:-2] + (3,))
    for i in range(ROUNDS):
        missing = least_move(centers, radii, moves) - moves
        if not (_length(missing) > ENOUGH_M).any():
            break
        moves = moves + (1.0 if i < PLAIN else RELAX) * low_pass(missing, half_width)
    return moves


def compiled_moves(centers: np.ndarray, radii: np.ndarray, half_width: int) -> np.ndarray:
    """smooth_moves by its kernel, whatever the length."""
    from footfall.feet import leg_kernels as compiled

    given = (np.ascontiguousarray(x, dtype=float) for x in (centers, radii))
    return np.asarray(compiled.smooth_moves(*given, half_width, ROUNDS, PLAIN, RELAX, ENOUGH_M))


@cache
def taps(half_width: int) -> np.ndarray:
    """(6 half_width + 1,) weights of three moving means one after another."""
    box = np.ones(2 * half_width + 1) / (2 * half_width + 1)
    kernel = np.convolve(np.convolve(box, box), box)
    kernel.flags.writeable = False
    return kernel


def low_pass(x: np.ndarray, half_width: int) -> np.ndarray:
    """(T, D) three moving means of 2 half_width + 1 frames one after another: nearly a Gaussian, of finite reach."""
    if half_width < 1 or not len(x):
        return x
    kernel = taps(int(half_width))
    reach = len(kernel) // 2
    padded = np.concatenate([np.repeat(x[:1], reach, axis=0), x, np.repeat(x[-1:], reach, axis=0)])
    return np.stack([np.convolve(column, kernel, mode="valid") for column in padded.T], axis=-1)
