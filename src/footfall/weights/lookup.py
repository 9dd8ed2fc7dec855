"""Kernels that look up blend weights: radial basis functions and spline lattices, many requests, one thread.

They work in the precision of their tables: float64 where weights are asked of a fitted method, float32 for live
characters. Channels padded to a multiple of 8 make the inner loops whole vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import LOOSE, kernel, part

WIDTH = 8  # channels are padded to a multiple of this
OUT_OF_REACH = 1e6  # 1 / reach of the functions that pad a table: no request is near one, so that they cost nothing


def padded(values: np.ndarray, dtype: Any = np.float32) -> np.ndarray:
    """A copy with the last axis padded by zeros to whole vectors."""
    more = -values.shape[-1] % WIDTH
    return np.ascontiguousarray(np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, more)]), dtype)


@part(fastmath=LOOSE)
def to_bsplines(x: Any) -> None:
    """Put the cubic cardinal B-spline B(x) in the place of every x >= 0 (K,): 2/3 at 0, 1/6 at 1, 0 from 2 on."""
    number = x.dtype.type
    two, one, four, sixth, zero = number(2), number(1), number(4), number(1 / 6), number(0)
    for k in range(len(x)):
        a, b = max(two - x[k], zero), max(one - x[k], zero)
        x[k] = (a * a * a - four * b * b * b) * sixth


@kernel
def bsplines(x: np.ndarray) -> np.ndarray:
    """The cubic cardinal B-spline at numbers (K,) from 0 on."""
    out = x.copy()
    to_bsplines(out)
    return out


def rbf_table(
    centres: np.ndarray, reach: np.ndarray, coefficients: np.ndarray, dtype: Any = np.float32
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What rbf_lookup takes: centres (d, M'), 1 / reach (M',), coefficients (1 + d + M', M'), M' padded."""
    d, count = centres.shape[1], len(centres)
    rows = padded(coefficients, dtype)
    more = np.zeros((-count % WIDTH, rows.shape[1]), dtype)
    near = padded(1.0 / reach, dtype)
    near[count:] = OUT_OF_REACH
    return padded(centres.T, dtype), near, np.ascontiguousarray(np.vstack([rows[: 1 + d + count], more]))


@kernel(fastmath=LOOSE)
def rbf_lookup(x: np.ndarray, centres: np.ndarray, near: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """(Q, M') weights at normalised parameters x (Q, d) of the tables' precision."""
    count, width, d = len(x), len(near), len(centres)
    flat, places = coefficients.reshape(-1), centres.reshape(-1)
    out = np.empty((count, width), x.dtype)
    value = np.zeros(1 + d + 2 * width + 3, x.dtype)
    first = np.zeros(1 + d + width + 3, np.int64)
    for q in range(count):
        rbf_one(x[q], places, near, flat, value, first, out[q])
    return out


@part(fastmath=LOOSE)
def rbf_one(x: Any, centres: Any, near: Any, flat: Any, value: Any, first: Any, row: Any) -> None:
    """Weights row (M',) at one request x (d,); centres (d M') and coefficients (flat) one line after another.

    Coefficients of kernels in reach are summed four at a time; a kernel reaches two examples' distances, no further.
    value (1 + d + 2 M' + 3,) and first (1 + d + M' + 3,) i64: room, for the functions at work and where theirs begin.
    """
    width, d = len(near), len(x)
    bump = value[1 + d + width + 3 : 1 + d + 2 * width + 3]
    zero = row.dtype.type(0)
    value[0], first[0] = row.dtype.type(1), 0
    for c in range(width):
        bump[c] = zero
    for k in range(d):
        xk, axis = x[k], centres[k * width : (k + 1) * width]
        value[1 + k], first[1 + k] = xk, (1 + k) * width
        for c in range(width):
            off = xk - axis[c]
            bump[c] += off * off
    for c in range(width):
        bump[c] = np.sqrt(bump[c]) * near[c]
    to_bsplines(bump)
    used = 1 + d
    for c in range(width):
        if bump[c] != zero:
            value[used], first[used] = bump[c], (1 + d + c) * width
            used += 1
    for more in range(used, used + 3):
        value[more], first[more] = zero, 0
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


@kernel(inline="always")
def spline_basis(t: Any, cells: int, b: np.ndarray) -> int:
    """Writes the four cubic B-splines at t, in cells, into b; returns the first of the coefficients they belong to."""
    number = b.dtype.type
    i = min(max(int(t), 0), cells - 1)
    f = min(max(t - number(i), number(0)), number(1))
    g = number(1) - f
    sixth, three, six, four = number(1 / 6), number(3), number(6), number(4)
    b[0] = g * g * g * sixth
    b[1] = ((three * f - six) * f * f + four) * sixth
    b[2] = ((three * g - six) * g * g + four) * sixth
    b[3] = f * f * f * sixth
    return i


@kernel
def supports(t: np.ndarray, cells: int) -> Any:
    """Which coefficients work at positions t (Q, d), and by how much: (Q, 4^d) flat indices and shares."""
    count, d = t.shape
    index, share = np.zeros((count, 4**d), np.int64), np.ones((count, 4**d), t.dtype)
    b = np.empty(4, t.dtype)
    for q in range(count):
        for k in range(d):
            first = spline_basis(t[q, k], cells, b)
            for c in range(4**d):
                along = (c >> (2 * (d - 1 - k))) & 3  # the digit of axis k
                index[q, c] = index[q, c] * (cells + 3) + first + along
                share[q, c] *= b[along]
    return index, share


@kernel
def lookup_1(t: np.ndarray, table: np.ndarray) -> np.ndarray:
    """One parameter: table (n, C), t (Q, 1) in cells."""
    width = table.shape[-1]
    out = np.zeros((len(t), width), table.dtype)
    bx = np.empty(4, table.dtype)
    for q in range(len(t)):
        i, row = spline_basis(t[q, 0], table.shape[0] - 3, bx), out[q]
        for a in range(4):
            line = table[i + a]
            for c in range(width):
                row[c] += bx[a] * line[c]
    return out


@kernel
def lookup_2(t: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Two parameters: table (n, n, C), t (Q, 2) in cells."""
    flat = table.reshape(-1)
    out = np.empty((len(t), table.shape[-1]), table.dtype)
    bx, by = np.empty(4, table.dtype), np.empty(4, table.dtype)
    for q in range(len(t)):
        look_up_2(t[q, 0], t[q, 1], flat, np.int64(0), table.shape[0], bx, by, out[q])
    return out


@part
def look_up_2(tx: Any, ty: Any, flat: Any, first: int, n: int, bx: Any, by: Any, out: Any) -> None:
    """Channels out (C) at one place tx, ty in cells of a table (n, n, C) that begins at `first` of a flat one.

    bx, by (4,): room for the B-splines.
    """
    width, zero = len(out), out.dtype.type(0)
    i, j = spline_basis(tx, n - 3, bx), spline_basis(ty, n - 3, by)
    for c in range(width):
        out[c] = zero
    for a in range(4):
        for b in range(4):
            w, at = bx[a] * by[b], first + ((i + a) * n + j + b) * width
            for c in range(width):
                out[c] += w * flat[at + c]


@part
def look_up_any(t: Any, flat: Any, first: int, n: int, basis: Any, out: Any) -> None:
    """Channels out (C) at one place t (d,) in cells of a table (n, ..., n, C) that begins at `first` of a flat one.

    basis (d, 4): room for the B-splines.
    """
    d, width, begin = len(t), len(out), 0
    for k in range(d):
        begin = begin * n + spline_basis(t[k], n - 3, basis[k])
    for c in range(width):
        out[c] = out.dtype.type(0)
    for corner in range(4**d):
        w, at = out.dtype.type(1), 0
        for k in range(d):
            along = (corner >> (2 * (d - 1 - k))) & 3
            w *= basis[k, along]
            at = at * n + along
        line = first + (begin + at) * width
        for c in range(width):
            out[c] += w * flat[line + c]


@kernel
def lookup_3(t: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Three parameters: table (n, n, n, C), t (Q, 3) in cells.

    The four coefficients of a line along the last axis lie side by side in memory: lines are summed first, four at a
    time in one long loop, and their four coefficients at the end.
    """
    ny, nz, width = table.shape[1], table.shape[2], table.shape[3]
    flat = table.reshape(-1)
    out = np.empty((len(t), width), table.dtype)
    bx, by, bz = np.empty(4, table.dtype), np.empty(4, table.dtype), np.empty(4, table.dtype)
    line, across = 4 * width, nz * width
    total = np.empty(line, table.dtype)
    for q in range(len(t)):
        i, j = spline_basis(t[q, 0], table.shape[0] - 3, bx), spline_basis(t[q, 1], ny - 3, by)
        k = spline_basis(t[q, 2], nz - 3, bz)
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
