"""Detail bands: the quick part of a signal, split off and laid over another slow part (Egbert 2005).

The slow part is what k levels of the undecimated ("à trous") [1 4 6 4 1] / 16 filter leave; the detail is the rest.
Nothing is decimated, so signals have any length and the detail is exact at its ends once a cubic with its end values
and slopes is taken off (`parts.details`). The thesis's decimated Laplacian pyramid is here too, for comparison.
"""

from __future__ import annotations

from math import log2

import numpy as np

KERNEL = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0
SLOW_HZ = 7.5  # one level at twice this rate leaves about 2.5 Hz and less; levels grow with log2(fps / SLOW_HZ): by eye


def bands_for(fps: float) -> int:
    """Levels of the filter for a frame rate: 2, 3, 4 at 30, 60, 120, detail above about 2.5 Hz."""
    return max(0, round(log2(fps / SLOW_HZ)))


def low_pass(x: np.ndarray, levels: int, looped: bool = False) -> np.ndarray:
    """The slow part of signals x (n, ...), same shape.

    Beyond its ends a signal goes on reflected through them (odd), so the ends keep their values; a looped one, whose
    last sample is its first again a lap further, goes round.
    """
    n = len(x)
    if n < 2 or levels <= 0:
        return x.copy()
    ramp = np.linspace(0.0, 1.0, n).reshape(n, *(1,) * (x.ndim - 1))
    line = x[0] + ramp * (x[-1] - x[0])  # kept by the filter; what is left is 0 at both ends
    rest = x - line
    period = (n - 1) if looped else 2 * (n - 1)
    frames = np.arange(n)
    for level in range(levels):
        step = 2**level
        around = np.zeros_like(rest)
        for weight, shift in zip(KERNEL, (-2, -1, 0, 1, 2), strict=True):
            i = (frames + shift * step) % period
            back = i >= n
            part = rest[np.where(back, period - i, i)]
            part[back] *= -1.0
            around += weight * part
        rest = around
    return line + rest


def detail(x: np.ndarray, levels: int, looped: bool = False) -> np.ndarray:
    """What the slow part leaves of x (n, ...)."""
    return x - low_pass(x, levels, looped)


def hermite(u: np.ndarray, x0: np.ndarray, m0: np.ndarray, x1: np.ndarray, m1: np.ndarray) -> np.ndarray:
    """The cubic with values x0, x1 (...) and slopes m0, m1 by u at u = 0 and 1: (K, ...) at u (K,)."""
    u = u.reshape(-1, *(1,) * np.ndim(x0))
    square, cube = u * u, u * u * u
    return (
        (2.0 * cube - 3.0 * square + 1.0) * x0
        + (cube - 2.0 * square + u) * m0
        + (3.0 * square - 2.0 * cube) * x1
        + (cube - square) * m1
    )


# --- the thesis's own way ----------------------------------------------------------------------------------------


def pyramid(x: np.ndarray, levels: int) -> list[np.ndarray]:
    """Laplacian pyramid of x (n, ...): detail at every rate, each half the last, and what is left at the lowest."""
    parts = []
    for _ in range(levels):
        if len(x) < 4:
            break
        low = low_pass(x, 1)[::2]
        parts.append(x - expanded(low, len(x)))
        x = low
    return [*parts, x]


def rebuilt(parts: list[np.ndarray]) -> np.ndarray:
    """The signal of a pyramid."""
    x = parts[-1]
    for part in reversed(parts[:-1]):
        x = part + expanded(x, len(part))
    return x


def expanded(low: np.ndarray, n: int) -> np.ndarray:
    """A signal at twice the rate, n samples: zeros between its own, filtered, doubled; ends repeat."""
    full = np.zeros((n + 4, *low.shape[1:]))
    padded = np.concatenate([low[:1], low, low[-1:]])[: (n + 5) // 2]
    full[0 : 2 * len(padded) : 2] = padded
    return sum(2.0 * w * full[k : k + n] for k, w in enumerate(KERNEL))
