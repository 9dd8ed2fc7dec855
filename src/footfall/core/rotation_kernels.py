"""Quaternions (w, x, y, z) and vectors as tuples: of numbers in kernels, of arrays in footfall.core.rotation."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import part


@part
def multiply(a: Any, b: Any) -> Any:
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@part
def conjugate(q: Any) -> Any:
    return q[0], -q[1], -q[2], -q[3]


@part
def rotate(q: Any, v: Any) -> Any:
    """v + 2 w (u x v) + 2 u x (u x v), u the vector part of q."""
    tx = 2.0 * (q[2] * v[2] - q[3] * v[1])
    ty = 2.0 * (q[3] * v[0] - q[1] * v[2])
    tz = 2.0 * (q[1] * v[1] - q[2] * v[0])
    return (
        v[0] + q[0] * tx + (q[2] * tz - q[3] * ty),
        v[1] + q[0] * ty + (q[3] * tx - q[1] * tz),
        v[2] + q[0] * tz + (q[1] * ty - q[2] * tx),
    )


@part
def cross(a: Any, b: Any) -> Any:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@part
def dot(a: Any, b: Any) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@part
def scaled(a: Any, s: float) -> Any:
    return s * a[0], s * a[1], s * a[2]


@part
def minus(a: Any, b: Any) -> Any:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@part
def add_scaled(a: Any, b: Any, s: float) -> Any:
    """a + s b"""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@part
def quaternion(values: Any) -> Any:
    return values[0], values[1], values[2], values[3]


@part
def put(values: Any, q: Any) -> None:
    """Write four numbers: assigning a whole tuple would take long to compile."""
    values[0], values[1], values[2], values[3] = q


@part
def unit(q: Any) -> Any:
    n = 1.0 / np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * n, q[1] * n, q[2] * n, q[3] * n


@part
def slerp(a: Any, b: Any, t: float) -> Any:
    """core.rotation.slerp of one pair."""
    if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0:
        b = (-b[0], -b[1], -b[2], -b[3])
    if t == 0.0:
        return a
    if t == 1.0:
        return b
    d0, d1, d2, d3 = b[0] - a[0], b[1] - a[1], b[2] - a[2], b[3] - a[3]
    theta = 2.0 * np.arcsin(min(0.5 * np.sqrt(d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3), 1.0))
    wa, wb = 1.0 - t, t
    if theta >= 1e-4:
        sine = np.sin(theta)
        wa, wb = np.sin((1.0 - t) * theta) / sine, np.sin(t * theta) / sine
    return unit((wa * a[0] + wb * b[0], wa * a[1] + wb * b[1], wa * a[2] + wb * b[2], wa * a[3] + wb * b[3]))


@part
def log(q: Any) -> Any:
    """core.rotation.log of one rotation."""
    if q[0] < 0.0:
        q = (-q[0], -q[1], -q[2], -q[3])
    n = np.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    scale = 2.0 + n * n / 3.0 if n < 1e-6 else 2.0 * np.arctan2(n, q[0]) / n
    return scale * q[1], scale * q[2], scale * q[3]


@part
def log_rate(v: Any, spin: Any) -> Any:
    """core.rotation.log_rate of one rotation vector."""
    angle = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    c = 1.0 / 12.0 + angle * angle / 720.0
    if angle >= 1e-3:
        c = (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / (angle * angle)
    across = cross(v, spin)
    twice = cross(v, across)
    return (
        spin[0] + 0.5 * across[0] + c * twice[0],
        spin[1] + 0.5 * across[1] + c * twice[1],
        spin[2] + 0.5 * across[2] + c * twice[2],
    )


@part
def settle_signs(q: Any) -> None:
    """Rotations over time (K, 4), in place, of continuous signs; of the two ways round the shorter over all."""
    total = 0.0
    for k in range(len(q)):
        if k and q[k, 0] * q[k - 1, 0] + q[k, 1] * q[k - 1, 1] + q[k, 2] * q[k - 1, 2] + q[k, 3] * q[k - 1, 3] < 0.0:
            for c in range(4):
                q[k, c] = -q[k, c]
        total += q[k, 0]
    if total < 0.0:
        for k in range(len(q)):
            for c in range(4):
                q[k, c] = -q[k, c]


@part
def share(q: Any, w: float) -> Any:
    """exp(w turns(q)) of one rotation whose sign is settled: w of the way that it goes, up to a whole turn."""
    half = q[0] + 1.0
    largest = max(max(abs(half), abs(q[1])), max(abs(q[2]), abs(q[3])))
    n = np.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if largest < 1e-6 or n == 0.0:  # a whole turn has no axis left
        return 1.0, 0.0, 0.0, 0.0
    angle = 2.0 * w * np.arctan2(n, half)
    scale = np.sin(angle) / n
    return np.cos(angle), scale * q[1], scale * q[2], scale * q[3]
