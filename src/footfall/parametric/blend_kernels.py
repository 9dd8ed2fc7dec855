"""Blending kernels: what a parametric motion is at canonical times, as weighted sums of its examples, in float64."""

from __future__ import annotations

import numpy as np

from footfall.core.kernels import kernel, part
from footfall.parametric.sampling import cell_of

NO_TURN = 1e-9  # radians: sin(x) / x is 1 below


@kernel
def blend_rotations(
    t: np.ndarray,  # (T,) canonical times
    weights: np.ndarray,  # (T, N), or (1, N) for all
    mean: np.ndarray,  # (G + 1, J, 4)
    vectors: np.ndarray,  # (G + 1, N, J, 3)
    out: np.ndarray,  # (T, J, 4)
) -> None:
    """Mean rotations at t, each turned on by the weighted sum of its examples' rotation vectors."""
    count, joints = vectors.shape[1], mean.shape[1]
    v = np.empty((joints, 3))
    for k in range(len(t)):
        g, f = cell_of(t[k], len(mean) - 1)
        w = weights[k if len(weights) > 1 else 0]
        v[:] = 0.0
        for n in range(count):
            a, b = w[n] * (1.0 - f), w[n] * f
            for j in range(joints):
                for c in range(3):
                    v[j, c] += a * vectors[g, n, j, c] + b * vectors[g + 1, n, j, c]
        for j in range(joints):
            _turned_mean(mean[g, j], mean[g + 1, j], f, v[j], out[k, j])


@part
def _turned_mean(p: np.ndarray, q: np.ndarray, f: float, v: np.ndarray, out: np.ndarray) -> None:
    """The rotation between two neighbours p and q of the grid, times exp(v).

    Neighbours on the grid are so near that straight lines between them, made unit, are as good as arcs.
    """
    mw, mx = p[0] + f * (q[0] - p[0]), p[1] + f * (q[1] - p[1])
    my, mz = p[2] + f * (q[2] - p[2]), p[3] + f * (q[3] - p[3])
    n = 1.0 / np.sqrt(mw * mw + mx * mx + my * my + mz * mz)
    half = 0.5 * np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    s = 0.5 * n * (np.sin(half) / half if half > NO_TURN else 1.0)
    c = n * np.cos(half)
    x, y, z = s * v[0], s * v[1], s * v[2]
    out[0] = mw * c - mx * x - my * y - mz * z
    out[1] = mw * x + mx * c + my * z - mz * y
    out[2] = mw * y - mx * z + my * c + mz * x
    out[3] = mw * z + mx * y - my * x + mz * c


@kernel
def blend_rows(t: np.ndarray, weights: np.ndarray, table: np.ndarray, out: np.ndarray) -> None:
    """Weighted sums out (T, C) of a table (G + 1, N, C) at canonical times t (T,); weights (T, N) or (1, N) for all."""
    for k in range(len(t)):
        g, f = cell_of(t[k], len(table) - 1)
        w = weights[k if len(weights) > 1 else 0]
        out[k] = 0.0
        for n in range(len(w)):
            a, b = w[n] * (1.0 - f), w[n] * f
            for c in range(table.shape[2]):
                out[k, c] += a * table[g, n, c] + b * table[g + 1, n, c]
