"""Blending kernels: poses and travel of a parametric motion, compiled; `parametric.parametric_motion` is the twin."""

from __future__ import annotations

import numpy as np

from footfall.core.kernels import kernel


@kernel
def blend_poses(
    t: np.ndarray,  # (T,) canonical times
    weights: np.ndarray,  # (T, N), or (1, N) for all
    mean: np.ndarray,  # (G + 1, J, 4)
    vectors: np.ndarray,  # (G + 1, N, J, 3)
    root: np.ndarray,  # (G + 1, N, 3)
    rot_out: np.ndarray,  # (T, J, 4)
    root_out: np.ndarray,  # (T, 3)
) -> None:
    """Mean rotations at t, each turned on by the weighted sum of its examples' rotation vectors; roots summed."""
    cells, count, joints = len(mean) - 1, vectors.shape[1], mean.shape[1]
    v = np.empty((joints, 3))
    for k in range(len(t)):
        x = min(max(t[k], 0.0), 1.0) * cells
        g = min(int(x), cells - 1)
        f = x - g
        w = weights[k if len(weights) > 1 else 0]
        v[:] = 0.0
        root_out[k] = 0.0
        for n in range(count):
            a, b = w[n] * (1.0 - f), w[n] * f
            for j in range(joints):
                for c in range(3):
                    v[j, c] += a * vectors[g, n, j, c] + b * vectors[g + 1, n, j, c]
            for c in range(3):
                root_out[k, c] += a * root[g, n, c] + b * root[g + 1, n, c]
        for j in range(joints):
            _turned_mean(mean[g, j], mean[g + 1, j], f, v[j], rot_out[k, j])


@kernel
def _turned_mean(p: np.ndarray, q: np.ndarray, f: float, v: np.ndarray, out: np.ndarray) -> None:
    """The rotation between two neighbours p and q of the grid, times exp(v)."""
    mw, mx = p[0] + f * (q[0] - p[0]), p[1] + f * (q[1] - p[1])
    my, mz = p[2] + f * (q[2] - p[2]), p[3] + f * (q[3] - p[3])
    n = 1.0 / np.sqrt(mw * mw + mx * mx + my * my + mz * mz)
    half = 0.5 * np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    s = 0.5 * n * (np.sin(half) / half if half > 1e-9 else 1.0)
    c = n * np.cos(half)
    x, y, z = s * v[0], s * v[1], s * v[2]
    out[0] = mw * c - mx * x - my * y - mz * z
    out[1] = mw * x + mx * c + my * z - mz * y
    out[2] = mw * y - mx * z + my * c + mz * x
    out[3] = mw * z + mx * y - my * x + mz * c


@kernel
def travel_to(t: float, weights: np.ndarray, travel: np.ndarray, out: np.ndarray) -> None:
    """Weighted travel (3,) of a carrier from canonical time 0 to t; weights (N,), travel (G + 1, N, 3)."""
    cells = len(travel) - 1
    x = min(max(t, 0.0), 1.0) * cells
    g = min(int(x), cells - 1)
    f = x - g
    for c in range(3):
        out[c] = 0.0
        for n in range(len(weights)):
            out[c] += weights[n] * (travel[g, n, c] + f * (travel[g + 1, n, c] - travel[g, n, c]))


@kernel
def place(rot: np.ndarray, root: np.ndarray, x: float, z: float, heading: float) -> None:
    """One pose, rotations (J, 4) and root (3,), carried in place from the origin to (x, z), turned by heading."""
    c, s = np.cos(heading), np.sin(heading)
    ahead, left = root[2], root[0]
    root[0], root[2] = x + c * left + s * ahead, z + c * ahead - s * left
    hc, hs = np.cos(0.5 * heading), np.sin(0.5 * heading)
    a, b, d, e = rot[0, 0], rot[0, 1], rot[0, 2], rot[0, 3]
    rot[0, 0], rot[0, 1] = hc * a - hs * d, hc * b + hs * e
    rot[0, 2], rot[0, 3] = hc * d + hs * a, hc * e - hs * b
