"""Blending kernels of the older posture schemes, compiled for a fair comparison; `oracles.plain_blend` is the twin.

Both read the examples' quaternions from the grid and take logarithms at run time: about the result of the frame before
(incremental), or about the mean of the examples, an eigenvector found at every frame and joint (eigenvector).
"""

from __future__ import annotations

import numpy as np

from footfall.core.kernels import kernel


@kernel
def blend_incremental(
    t: np.ndarray,  # (T,) canonical times
    weights: np.ndarray,  # (T, N)
    rot: np.ndarray,  # (G + 1, N, J, 4) examples
    first: np.ndarray,  # (J, 4) the reference of the first frame
    out: np.ndarray,  # (T, J, 4)
) -> None:
    """Every frame about the one before it."""
    cells, count, joints = len(rot) - 1, rot.shape[1], rot.shape[2]
    q = np.empty((count, 4))
    for k in range(len(t)):
        x = min(max(t[k], 0.0), 1.0) * cells
        g = min(int(x), cells - 1)
        for j in range(joints):
            _sampled(rot, g, x - g, j, q)
            _about(first[j] if k == 0 else out[k - 1, j], q, weights[k], out[k, j])


@kernel
def blend_eigenvector(t: np.ndarray, weights: np.ndarray, rot: np.ndarray, out: np.ndarray) -> None:
    """Every frame and joint about its own weighted mean; arguments as above."""
    cells, count, joints = len(rot) - 1, rot.shape[1], rot.shape[2]
    q, square = np.empty((count, 4)), np.empty((4, 4))
    for k in range(len(t)):
        x = min(max(t[k], 0.0), 1.0) * cells
        g = min(int(x), cells - 1)
        for j in range(joints):
            _sampled(rot, g, x - g, j, q)
            square[:] = 0.0
            for n in range(count):
                w = max(weights[k, n], 0.0)
                for a in range(4):
                    for b in range(4):
                        square[a, b] += w * q[n, a] * q[n, b]
            _about(np.ascontiguousarray(np.linalg.eigh(square)[1][:, 3]), q, weights[k], out[k, j])


@kernel
def _sampled(rot: np.ndarray, g: int, f: float, j: int, q: np.ndarray) -> None:
    """Quaternions (N, 4) of one joint between two neighbours of the grid."""
    for n in range(len(q)):
        size = 0.0
        for c in range(4):
            q[n, c] = rot[g, n, j, c] + f * (rot[g + 1, n, j, c] - rot[g, n, j, c])
            size += q[n, c] * q[n, c]
        size = 1.0 / np.sqrt(size)
        for c in range(4):
            q[n, c] *= size


@kernel
def _about(r: np.ndarray, q: np.ndarray, w: np.ndarray, out: np.ndarray) -> None:
    """out (4,) = r exp(Σ w log(r⁻¹ q)), each q in the hemisphere of r."""
    vx = vy = vz = 0.0
    for n in range(len(q)):
        a, x, y, z = q[n, 0], q[n, 1], q[n, 2], q[n, 3]
        dw = r[0] * a + r[1] * x + r[2] * y + r[3] * z
        dx = r[0] * x - r[1] * a - r[2] * z + r[3] * y
        dy = r[0] * y + r[1] * z - r[2] * a - r[3] * x
        dz = r[0] * z - r[1] * y + r[2] * x - r[3] * a
        if dw < 0.0:
            dw, dx, dy, dz = -dw, -dx, -dy, -dz
        size = np.sqrt(dx * dx + dy * dy + dz * dz)
        scale = w[n] * (2.0 * np.arctan2(size, dw) / size if size > 1e-9 else 2.0)
        vx, vy, vz = vx + scale * dx, vy + scale * dy, vz + scale * dz
    half = 0.5 * np.sqrt(vx * vx + vy * vy + vz * vz)
    s = 0.5 * (np.sin(half) / half if half > 1e-9 else 1.0)
    c, x, y, z = np.cos(half), s * vx, s * vy, s * vz
    out0 = r[0] * c - r[1] * x - r[2] * y - r[3] * z
    out1 = r[0] * x + r[1] * c + r[2] * z - r[3] * y
    out2 = r[0] * y - r[1] * z + r[2] * c + r[3] * x
    out3 = r[0] * z + r[1] * y - r[2] * x + r[3] * c
    out[0], out[1], out[2], out[3] = out0, out1, out2, out3
