"""A transition by example, compiled: what it has to do, and its frames; twins in joins/by_example/parts.py."""

from __future__ import annotations

from math import atan2, cos, factorial, sin, sqrt, tan
from typing import Any

import numpy as np

from footfall.core.kernels import kernel

# series of cos r and sin r / r in r²
C = tuple((-1.0) ** k / factorial(2 * k) for k in range(10))
S = tuple((-1.0) ** k / factorial(2 * k + 1) for k in range(10))


@kernel
def meet(
    position0: Any,
    position1: Any,
    velocity0: Any,
    velocity1: Any,
    scalars: Any,
    most: Any,
    root: Any,
    velocity: Any,
    rot: Any,
    spin0: Any,
    spin1: Any,
    shift: Any,
    headings: Any,
) -> Any:
    """Place the target: floor roots of both ends in; its root, velocity and rot[0] changed, shift and turn out.

    scalars: heading and rate of turn of the start, of the end, and the duration. Spins are held to `most`.
    """
    heading0, rate0, heading1, rate1, duration = scalars
    headings[0] = heading0
    headings[1] = heading0 + 0.5 * (rate0 + rate1) * duration
    turn = headings[1] - heading1
    c, s = cos(turn), sin(turn)
    arriving_x = c * velocity1[0] + s * velocity1[2]
    arriving_z = c * velocity1[2] - s * velocity1[0]
    x = position0[0] + 0.5 * (velocity0[0] + arriving_x) * duration
    z = position0[2] + 0.5 * (velocity0[2] + arriving_z) * duration
    shift[0] = x - (c * position1[0] + s * position1[2])
    shift[1] = 0.0
    shift[2] = z - (c * position1[2] - s * position1[0])
    root[0], root[2] = c * root[0] + s * root[2] + shift[0], c * root[2] - s * root[0] + shift[2]
    velocity[0], velocity[2] = c * velocity[0] + s * velocity[2], c * velocity[2] - s * velocity[0]
    c, s = cos(0.5 * turn), sin(0.5 * turn)
    w, x, y, z = rot[0, 0], rot[0, 1], rot[0, 2], rot[0, 3]
    rot[0, 0], rot[0, 1], rot[0, 2], rot[0, 3] = c * w - s * y, c * x + s * z, c * y + s * w, c * z - s * x
    for spin in (spin0, spin1):
        for j in range(len(spin)):
            speed = sqrt(spin[j, 0] ** 2 + spin[j, 1] ** 2 + spin[j, 2] ** 2)
            if speed > most:
                for d in range(3):
                    spin[j, d] *= most / speed
    return turn


@kernel
def wants(
    q0: Any,
    w0: Any,
    v0: Any,
    q1: Any,
    w1: Any,
    v1: Any,
    travel: Any,
    headings: Any,
    duration: Any,
    last: Any,
    change: Any,
    arriving: Any,
    wanted: Any,
) -> None:
    """Fill change (J, 3), arriving (J, 3) and wanted (3, J + 1, 3), from states whose target is placed already.

    travel (3,) of the root, headings (2,) at both ends.
    """
    joints = len(q0)
    step = duration / last
    for j in range(joints):
        aw, ax, ay, az = q0[j, 0], -q0[j, 1], -q0[j, 2], -q0[j, 3]
        bw, bx, by, bz = q1[j, 0], q1[j, 1], q1[j, 2], q1[j, 3]
        w = aw * bw - ax * bx - ay * by - az * bz
        x = aw * bx + ax * bw + ay * bz - az * by
        y = aw * by - ax * bz + ay * bw + az * bx
        z = aw * bz + ax * by - ay * bx + az * bw
        if w < 0.0:
            w, x, y, z = -w, -x, -y, -z
        n = sqrt(x * x + y * y + z * z)
        scale = 2.0 * atan2(n, w) / n if n > 1e-6 else 2.0 + n * n / 3.0
        x, y, z = scale * x, scale * y, scale * z
        change[j, 0], change[j, 1], change[j, 2] = x, y, z
        angle = scale * n
        near = angle < 1e-3
        f = 1.0 / 12.0 + angle**2 / 720.0 if near else 1.0 / angle**2 - 0.5 / (angle * tan(0.5 * angle))
        sx, sy, sz = w1[j, 0], w1[j, 1], w1[j, 2]
        cx, cy, cz = y * sz - z * sy, z * sx - x * sz, x * sy - y * sx
        arriving[j, 0] = sx + 0.5 * cx + f * (y * cz - z * cy)
        arriving[j, 1] = sy + 0.5 * cy + f * (z * cx - x * cz)
        arriving[j, 2] = sz + 0.5 * cz + f * (x * cy - y * cx)
        for d in range(3):
            wanted[0, j, d] = step * w0[j, d]
            wanted[1, j, d] = step * w1[j, d]
            wanted[2, j, d] = change[j, d]
    middle = 0.5 * (headings[0] + headings[1])
    _into(headings[0], v0, step, wanted[0, joints])
    _into(headings[1], v1, step, wanted[1, joints])
    _into(middle, travel, 1.0, wanted[2, joints])


@kernel
def _into(heading: Any, v: Any, scale: Any, out: Any) -> None:
    """A world vector in the frame of a heading."""
    c, s = cos(heading), sin(heading)
    out[0] = scale * (c * v[0] - s * v[2])
    out[1] = scale * v[1]
    out[2] = scale * (s * v[0] + c * v[2])


@kernel
def _exp(x: Any, y: Any, z: Any) -> Any:
    """Quaternion of a rotation vector: a series up to a half turn and a little more, exact to rounding there."""
    h = 0.25 * (x * x + y * y + z * z)  # half the angle, squared
    if h < 2.6:
        w, s = C[9], S[9]
        for k in range(8, -1, -1):
            w = C[k] + h * w
            s = S[k] + h * s
    else:
        r = sqrt(h)
        w, s = cos(r), sin(r) / r
    s *= 0.5
    return w, s * x, s * y, s * z


@kernel
def details(
    a: Any,
    bend_a: Any,
    b: Any,
    bend_b: Any,
    of_b: Any,
    at: Any,
    share: Any,
    want: Any,
    most: Any,
    grouped: Any,
    out: Any,
) -> None:
    """Fill out (last + 1, C, 3): details of two motions at frames at (C,), still at the ends, brought to their energy.

    share (last + 1,) of the details over time; of_b (C,) says which motion; want (C,) the energy; a gain is at most
    `most` and at least its inverse; grouped: one gain for all channels.
    """
    channels, last = len(at), len(share) - 1
    energy = np.zeros(channels)
    for c in range(channels):
        d, m = (b, bend_b) if of_b[c] else (a, bend_a)
        i = at[c]
        for x in range(3):
            x0, x1 = d[i, c, x], d[i + last, c, x]
            m0, m1 = last * m[i, c, x], last * m[i + last, c, x]
            before = 0.0
            total = 0.0
            out[0, c, x] = 0.0
            for k in range(1, last + 1):
                u = k / last
                v = 1.0 - u
                value = 0.0
                if k < last:
                    value = (
                        d[i + k, c, x]
                        - v * v * ((1.0 + 2.0 * u) * x0 + u * m0)
                        - u * u * ((1.0 + 2.0 * v) * x1 - v * m1)
                    )
                value *= share[k]
                out[k, c, x] = value
                total += (value - before) ** 2
                before = value
            energy[c] += total
    if grouped:
        energy[:] = energy.sum()
    for c in range(channels):
        gain = sqrt(want[c] / energy[c]) if energy[c] > 1e-16 else 1.0
        gain = min(max(gain, 1.0 / most), most)
        for k in range(last):
            for x in range(3):
                out[k, c, x] *= gain


@kernel
def frames(
    q0: Any,
    w0: Any,
    p0: Any,
    v0: Any,
    q1: Any,
    p1: Any,
    v1: Any,
    change: Any,
    arriving: Any,
    headings: Any,
    duration: Any,
    quick: Any,
    place: Any,
    rot: Any,
) -> None:
    """Fill place (K, 3) and rot (K, J, 4), the frames after the start; the last is the end's own pose."""
    last, joints = len(place), len(q0)
    for k in range(1, last):
        u = k / last
        v = 1.0 - u
        a, b, e = duration * u * v * v, u * u * (3.0 - 2.0 * u), -duration * u * u * v
        for j in range(joints):
            x = a * w0[j, 0] + b * change[j, 0] + e * arriving[j, 0]
            y = a * w0[j, 1] + b * change[j, 1] + e * arriving[j, 1]
            z = a * w0[j, 2] + b * change[j, 2] + e * arriving[j, 2]
            bw, bx, by, bz = _exp(x, y, z)
            aw, ax, ay, az = q0[j, 0], q0[j, 1], q0[j, 2], q0[j, 3]
            w, x = aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by
            y, z = aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw
            bw, bx, by, bz = _exp(quick[k, j, 0], quick[k, j, 1], quick[k, j, 2])
            rot[k - 1, j, 0] = w * bw - x * bx - y * by - z * bz
            rot[k - 1, j, 1] = w * bx + x * bw + y * bz - z * by
            rot[k - 1, j, 2] = w * by - x * bz + y * bw + z * bx
            rot[k - 1, j, 3] = w * bz + x * by - y * bx + z * bw
        heading = headings[0] + u * (headings[1] - headings[0])
        c, s = cos(heading), sin(heading)
        dx, dy, dz = quick[k, joints, 0], quick[k, joints, 1], quick[k, joints, 2]
        for d, more in ((0, c * dx + s * dz), (1, dy), (2, c * dz - s * dx)):
            place[k - 1, d] = p0[d] * (1.0 - b) + b * p1[d] + a * v0[d] + e * v1[d] + more
    place[last - 1] = p1
    rot[last - 1] = q1
