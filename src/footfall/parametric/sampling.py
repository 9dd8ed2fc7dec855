"""Sampling kernels: clock and joint rotations of one character out of packed motions (`parametric.packed`), in float32.

What they compute is defined in `parametric/canonical_time.py`, `parametric/parametric_motion.py` and
`core.rotation.slerp`. Inner loops run over joints or examples, without branches: the compiler turns them into whole
vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import part

# minima and square roots as vector instructions; sums may be taken in any order
LOOSEST = {"contract", "nnan", "nsz", "reassoc", "arcp"}

# acos(w) / sqrt(1 - w²) in powers of 1 - w for w in [0, 1], to 2e-8; cos h and sin(h) / h in powers of h² for h² in
# [0, 10], to 2e-10: Chebyshev interpolation, degrees 9 and 7
LOG = tuple(
    np.float32(c)
    for c in (
        *(0.99999999, 0.333335381, 0.133266572, 0.0579778015, 0.0201634898),
        *(0.030059176, -0.0335529979, 0.0509757587, -0.0325916889, 0.0111628243),
    )
)
COS = tuple(
    np.float32(c)
    for c in (1, -0.499999998, 0.0416666632, -0.00138888613, 2.48004972e-05, -2.7533897e-07, 2.0596432e-09, -9.7004e-12)
)
SINC = tuple(
    np.float32(c)
    for c in (1, -0.166666667, 0.00833333313, -0.000198412534, 2.755667e-06, -2.503816e-08, 1.589235e-10, -6.59735e-13)
)
FARTHEST = np.float32(10.0)  # h² of the longest rotation vector taken, two half turns
ZERO, ONE, HALF, QUARTER = np.float32(0), np.float32(1), np.float32(0.5), np.float32(0.25)


@part(fastmath=LOOSEST)
def sum_rows(rows: Any, first: int, factors: Any, count: int, out: Any) -> None:
    """out (W,) = sum over i < count of factors[i] rows[first + i].

    Four rows at a time, so there must be up to three more of both behind the last; they count for nothing.
    """
    width = len(out)
    for i in range(0, count, 4):
        at = first + i
        r0, r1, r2, r3 = rows[at], rows[at + 1], rows[at + 2], rows[at + 3]
        f0, f1 = factors[i], factors[i + 1] if i + 1 < count else ZERO
        f2, f3 = factors[i + 2] if i + 2 < count else ZERO, factors[i + 3] if i + 3 < count else ZERO
        if i == 0:
            for c in range(width):
                out[c] = f0 * r0[c] + f1 * r1[c] + f2 * r2[c] + f3 * r3[c]
        else:
            for c in range(width):
                out[c] += f0 * r0[c] + f1 * r1[c] + f2 * r2[c] + f3 * r3[c]


@part(fastmath=LOOSEST)
def blended_rate(weights: Any, log_rates: Any, bounds: Any, count: int) -> float:
    """Canonical time a second: exp of the weighted mean of logarithms, within its bounds."""
    total = 0.0
    for e in range(count):
        total += weights[e] * log_rates[e]
    return float(np.exp(min(max(total, bounds[0]), bounds[1])))


@part
def piece_of(t: float, pieces: int) -> int:
    """Which stretch between key times t lies in; on a key time the one after it, which may be one too many."""
    x = t * pieces
    m = min(int(x), pieces - 1) if x > 0.0 else 0
    return m + 1 if t >= (m + 1) / pieces else m


@part
def cell_of(t: float, cells: int) -> Any:
    """Grid point before canonical time t, and how far t is on the way to the next."""
    x = min(t, 1.0) * cells if t > 0.0 else 0.0  # not a number: the start
    g = min(int(x), cells - 1)
    return g, x - g


@part
def travel_at(travel: Any, first: int, cells: int, weights: Any, count: int, t: float) -> Any:
    """Forward, left and turn of the blended carrier from canonical time 0 to t; travel (.., 3, E)."""
    g, f = cell_of(t, cells)
    a, b = travel[first + g], travel[first + g + 1]
    return (between_sums(a[0], b[0], weights, count, f), between_sums(a[1], b[1], weights, count, f),
            between_sums(a[2], b[2], weights, count, f))  # fmt: skip


@part(fastmath=LOOSEST)
def between_sums(a: Any, b: Any, weights: Any, count: int, f: float) -> float:
    """The weighted sum of lines from a (E,) to b (E,) at the share f of the way."""
    total = 0.0
    for e in range(count):
        total += weights[e] * (a[e] + f * (b[e] - a[e]))
    return total


@part
def factors_of(weights: Any, count: int, f: float, out: Any) -> None:
    """What the rows of two neighbouring grid points count for: out (2 E + 4,)."""
    before, after = np.float32(1.0 - f), np.float32(f)
    for e in range(count):
        out[e], out[count + e] = weights[e] * before, weights[e] * after


@part(fastmath=LOOSEST)
def turned_mean(mean: Any, after: Any, share: Any, v: Any, q: Any) -> None:
    """q (4, J') = the mean (4, J') between two grid points, turned by rotation vectors v, [3][J'] flat."""
    count = mean.shape[1]
    a0, a1, a2, a3 = mean[0], mean[1], mean[2], mean[3]
    b0, b1, b2, b3 = after[0], after[1], after[2], after[3]
    vx, vy, vz = v[:count], v[count : 2 * count], v[2 * count : 3 * count]
    q0, q1, q2, q3 = q[0], q[1], q[2], q[3]
    for j in range(count):
        mw, mx = a0[j] + share * (b0[j] - a0[j]), a1[j] + share * (b1[j] - a1[j])
        my, mz = a2[j] + share * (b2[j] - a2[j]), a3[j] + share * (b3[j] - a3[j])
        s = min(QUARTER * (vx[j] * vx[j] + vy[j] * vy[j] + vz[j] * vz[j]), FARTHEST)
        c, k = cosine(s), HALF * sinc(s)
        x, y, z = k * vx[j], k * vy[j], k * vz[j]
        rw, rx = mw * c - mx * x - my * y - mz * z, mw * x + mx * c + my * z - mz * y
        ry, rz = mw * y - mx * z + my * c + mz * x, mw * z + mx * y - my * x + mz * c
        n = ONE / np.sqrt(rw * rw + rx * rx + ry * ry + rz * rz)
        q0[j], q1[j], q2[j], q3[j] = rw * n, rx * n, ry * n, rz * n


@part(fastmath=LOOSEST)
def between(q: Any, other: Any, far: Any) -> None:
    """q (4, J') goes the share `far` of the shorter way to the other (4, J'): slerp, by log and exp about q."""
    q0, q1, q2, q3 = q[0], q[1], q[2], q[3]
    p0, p1, p2, p3 = other[0], other[1], other[2], other[3]
    for j in range(q.shape[1]):
        aw, ax, ay, az = q0[j], q1[j], q2[j], q3[j]
        bw, bx, by, bz = p0[j], p1[j], p2[j], p3[j]
        dw = aw * bw + ax * bx + ay * by + az * bz
        dx, dy = aw * bx - ax * bw - ay * bz + az * by, aw * by + ax * bz - ay * bw - az * bx
        dz = aw * bz - ax * by + ay * bx - az * bw
        k = far * logarithm(ONE - min(abs(dw), ONE)) * (ONE if dw >= ZERO else -ONE)
        x, y, z = k * dx, k * dy, k * dz
        s = x * x + y * y + z * z
        c, k = cosine(s), sinc(s)
        x, y, z = k * x, k * y, k * z
        rw, rx = aw * c - ax * x - ay * y - az * z, aw * x + ax * c + ay * z - az * y
        ry, rz = aw * y - ax * z + ay * c + az * x, aw * z + ax * y - ay * x + az * c
        n = ONE / np.sqrt(rw * rw + rx * rx + ry * ry + rz * rz)
        q0[j], q1[j], q2[j], q3[j] = rw * n, rx * n, ry * n, rz * n


@part(fastmath=LOOSEST)
def cosine(s: Any) -> Any:
    """cos h of s = h²."""
    low = COS[0] + s * (COS[1] + s * (COS[2] + s * COS[3]))
    s4 = (s * s) * (s * s)
    return low + s4 * (COS[4] + s * (COS[5] + s * (COS[6] + s * COS[7])))


@part(fastmath=LOOSEST)
def sinc(s: Any) -> Any:
    """sin(h) / h of s = h²."""
    low = SINC[0] + s * (SINC[1] + s * (SINC[2] + s * SINC[3]))
    s4 = (s * s) * (s * s)
    return low + s4 * (SINC[4] + s * (SINC[5] + s * (SINC[6] + s * SINC[7])))


@part(fastmath=LOOSEST)
def logarithm(x: Any) -> Any:
    """acos(w) / sqrt(1 - w²) of x = 1 - w."""
    low = LOG[0] + x * (LOG[1] + x * (LOG[2] + x * (LOG[3] + x * LOG[4])))
    x5 = x * (x * x) * (x * x)
    return low + x5 * (LOG[5] + x * (LOG[6] + x * (LOG[7] + x * (LOG[8] + x * LOG[9]))))
