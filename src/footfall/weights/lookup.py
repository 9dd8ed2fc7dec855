"""Compiled look-up of blend weights: radial basis functions and spline lattices, many requests, one thread.

The readable twins are `weights/methods/rbf.py` and `weights/lattice.py`. Both kernels work in float32 over channels
padded to a multiple of 8, so that the inner loops are whole vectors.
"""

from __future__ import annotations

import numpy as np

from footfall.core.kernels import LOOSE, kernel

WIDTH = 8  # channels are padded to a multiple of this


def padded(values: np.ndarray) -> np.ndarray:
    """float32 copy with the last axis padded by zeros to whole vectors."""
    more = -values.shape[-1] % WIDTH
    return np.ascontiguousarray(np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, more)]), np.float32)


def rbf_weights(
    p: np.ndarray, mean: np.ndarray, scale: np.ndarray, centres: np.ndarray, reach: np.ndarray, coefficients: np.ndarray
) -> np.ndarray:
    """(Q, M) weights of radial basis functions with the cubic B-spline kernel; arguments as RadialBasis holds them."""
    x = ((p - mean) / scale).astype(np.float32)
    table = rbf_table(centres, reach, coefficients)
    return rbf_lookup(x, *table)[:, : len(centres)].astype(float)


def rbf_table(
    centres: np.ndarray, reach: np.ndarray, coefficients: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What rbf_lookup takes: centres (d, M'), 1 / reach (M',), coefficients (1 + d + M', M'), M' padded."""
    d, count = centres.shape[1], len(centres)
    rows = padded(coefficients)
    more = np.zeros((-count % WIDTH, rows.shape[1]), np.float32)
    near = padded(1.0 / reach)
    near[count:] = 1e6  # what pads is out of reach of every request, and costs nothing
    return padded(centres.T), near, np.ascontiguousarray(np.vstack([rows[: 1 + d + count], more]))


@kernel(fastmath=LOOSE)
def rbf_lookup(x: np.ndarray, centres: np.ndarray, near: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """(Q, M') float32 weights at normalised parameters x (Q, d).

    Coefficients of kernels in reach are summed four at a time; a kernel reaches two examples' distances, no further.
    """
    count, width, d = len(x), len(near), len(centres)
    flat = coefficients.reshape(-1)
    out = np.empty((count, width), np.float32)
    bump = np.empty(width, np.float32)
    value = np.zeros(1 + d + width + 3, np.float32)  # of the functions at work, padded to fours
    first = np.zeros(1 + d + width + 3, np.int64)  # where their coefficients begin
    two, one, four, sixth, zero = np.float32(2), np.float32(1), np.float32(4), np.float32(1 / 6), np.float32(0)
    value[0] = one
    for k in range(d):
        first[1 + k] = (1 + k) * width
    for q in range(count):
        for c in range(width):
            bump[c] = zero
        for k in range(d):
            xk, axis = x[q, k], centres[k]
            value[1 + k] = xk
            for c in range(width):
                off = xk - axis[c]
                bump[c] += off * off
        for c in range(width):
            r = np.sqrt(bump[c]) * near[c]
            a, b = max(two - r, zero), max(one - r, zero)
            bump[c] = (a * a * a - four * b * b * b) * sixth
        used = 1 + d
        for c in range(width):
            if bump[c] != zero:
                value[used], first[used] = bump[c], (1 + d + c) * width
                used += 1
        for more in range(used, used + 3):
            value[more], first[more] = zero, 0
        row = out[q]
        for j in range(0, used, 4):
            l0, l1 = flat[first[j] : first[j] + width], flat[first[j + 1] : first[j + 1] + width]
            l2, l3 = flat[first[j + 2] : first[j + 2] + width], flat[first[j + 3] : first[j + 3] + width]
            v0, v1, v2, v3 = value[j], value[j + 1], value[j + 2], value[j + 3]
            if j == 0:
                for c in range(width):
                    row[c] = v0 * l0[c] + v1 * l1[c] + v2 * l2[c] + v3 * l3[c]
            else:
                for c in range(width):
                    row[c] += v0 * l0[c] + v1 * l1[c] + v2 * l2[c] + v3 * l3[c]
    return out


def lattice_weights(t: np.ndarray, table: np.ndarray, count: int) -> np.ndarray:
    """(Q, count) channels of a cubic lattice at positions t (Q, d) in cells; table as Lattice.table gives it."""
    look = (lookup_1, lookup_2, lookup_3)[t.shape[1] - 1]
    return look(t.astype(np.float32), table)[:, :count].astype(float)


@kernel(inline="always")
def _basis(t: np.float32, cells: int, b: np.ndarray) -> int:
    """Writes the four cubic B-splines at t into b; first of the four coefficients they belong to."""
    i = min(max(int(t), 0), cells - 1)
    f = min(max(t - np.float32(i), np.float32(0)), np.float32(1))
    g = np.float32(1) - f
    sixth, three, six, four = np.float32(1 / 6), np.float32(3), np.float32(6), np.float32(4)
    b[0] = g * g * g * sixth
    b[1] = ((three * f - six) * f * f + four) * sixth
    b[2] = ((three * g - six) * g * g + four) * sixth
    b[3] = f * f * f * sixth
    return i


@kernel
def lookup_1(t: np.ndarray, table: np.ndarray) -> np.ndarray:
    """One parameter: table (n, C) float32, t (Q, 1) in cells."""
    width = table.shape[-1]
    out = np.zeros((len(t), width), np.float32)
    bx = np.empty(4, np.float32)
    for q in range(len(t)):
        i, row = _basis(t[q, 0], table.shape[0] - 3, bx), out[q]
        for a in range(4):
            line = table[i + a]
            for c in range(width):
                row[c] += bx[a] * line[c]
    return out


@kernel
def lookup_2(t: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Two parameters: table (n, n, C) float32, t (Q, 2) in cells."""
    width = table.shape[-1]
    out = np.zeros((len(t), width), np.float32)
    bx, by = np.empty(4, np.float32), np.empty(4, np.float32)
    for q in range(len(t)):
        i, j = _basis(t[q, 0], table.shape[0] - 3, bx), _basis(t[q, 1], table.shape[1] - 3, by)
        row = out[q]
        for a in range(4):
            for b in range(4):
                w, line = bx[a] * by[b], table[i + a, j + b]
                for c in range(width):
                    row[c] += w * line[c]
    return out


@kernel
def lookup_3(t: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Three parameters: table (n, n, n, C) float32, t (Q, 3) in cells.

    The four coefficients of a line along the last axis lie side by side in memory: lines are summed first, four at a
    time in one long loop, and their four coefficients at the end.
    """
    ny, nz, width = table.shape[1], table.shape[2], table.shape[3]
    flat = table.reshape(-1)
    out = np.empty((len(t), width), np.float32)
    bx, by, bz = np.empty(4, np.float32), np.empty(4, np.float32), np.empty(4, np.float32)
    line, across = 4 * width, nz * width
    total = np.empty(line, np.float32)
    for q in range(len(t)):
        i, j = _basis(t[q, 0], table.shape[0] - 3, bx), _basis(t[q, 1], ny - 3, by)
        k = _basis(t[q, 2], nz - 3, bz)
        for a in range(4):
            at = ((i + a) * ny + j) * across + k * width
            l0, l1 = flat[at : at + line], flat[at + across : at + across + line]
            l2, l3 = flat[at + 2 * across : at + 2 * across + line], flat[at + 3 * across : at + 3 * across + line]
            w0, w1, w2, w3 = bx[a] * by[0], bx[a] * by[1], bx[a] * by[2], bx[a] * by[3]
            if a == 0:
                for c in range(line):
                    total[c] = w0 * l0[c] + w1 * l1[c] + w2 * l2[c] + w3 * l3[c]
            else:
                for c in range(line):
                    total[c] += w0 * l0[c] + w1 * l1[c] + w2 * l2[c] + w3 * l3[c]
        row, z0, z1, z2, z3 = out[q], bz[0], bz[1], bz[2], bz[3]
        for c in range(width):
            row[c] = z0 * total[c] + z1 * total[width + c] + z2 * total[2 * width + c] + z3 * total[3 * width + c]
    return out
