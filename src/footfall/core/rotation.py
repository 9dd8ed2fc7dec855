"""Unit quaternions (w, x, y, z) on arrays with any leading batch axes: the only rotation maths in footfall.

Preconditions are stated once here: every quaternion passed in is of unit length (readers normalise), q and -q
are the same rotation, and every function gives the same rotation for either. Angles are radians.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import rotation_kernels as formulas

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
AXES = {"X": np.array([1.0, 0.0, 0.0]), "Y": np.array([0.0, 1.0, 0.0]), "Z": np.array([0.0, 0.0, 1.0])}
UP = AXES["Y"]
MIRROR_VECTOR = np.array([-1.0, 1.0, 1.0])  # times a vector, or a quaternion: left and right exchanged
MIRROR_ROTATION = np.array([1.0, 1.0, -1.0, -1.0])


def unit(v: np.ndarray) -> np.ndarray:
    """Vectors v (..., 3) at unit length; those of no length stay zero."""
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-300)


def normalize(q: np.ndarray) -> np.ndarray:
    """q (..., 4), none of them zero -> the same directions at unit length."""
    q = np.asarray(q, float)
    scale = np.abs(q).max(axis=-1, keepdims=True)  # first by the largest part: squares of tiny values underflow
    q = q / scale
    return q / np.sqrt((q * q).sum(axis=-1, keepdims=True))


Parts = tuple[np.ndarray, ...]  # components of many quaternions or vectors, each an array of its own


def parts(values: np.ndarray) -> Parts:
    """The components of the last axis."""
    values = np.asarray(values)
    return tuple(values[..., k] for k in range(values.shape[-1]))


def whole(of: Parts) -> np.ndarray:
    """Components of one shape side by side again; np.stack and np.moveaxis take longer than the maths between them."""
    out = np.empty((*of[0].shape, len(of)), of[0].dtype)
    for k, values in enumerate(of):
        out[..., k] = values
    return out


def product(a: Parts, b: Parts) -> Parts:
    """multiply() on components: four arrays each, so that every operation runs over contiguous numbers."""
    return formulas.multiply.py_func(a, b)


def turned(q: Parts, v: Parts) -> Parts:
    """rotate() on components."""
    return formulas.rotate.py_func(q, v)


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a after b: rotate(multiply(a, b), v) == rotate(a, rotate(b, v)). a, b (..., 4), broadcast."""
    return whole(product(parts(a), parts(b)))


def conjugate(q: np.ndarray) -> np.ndarray:
    """The inverse rotation."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors v (..., 3) turned by q (..., 4), broadcast."""
    return whole(turned(parts(q), parts(v)))


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The vector product of a and b (..., 3), broadcast."""
    return whole(formulas.cross.py_func(parts(a), parts(b)))


def log(q: np.ndarray) -> np.ndarray:
    """Rotation vector (axis times angle, angle in [0, pi]) of q; safe at 0 and pi."""
    q = np.where(q[..., :1] < 0, -q, q)
    w, v = q[..., :1], q[..., 1:]
    n = np.sqrt((v * v).sum(axis=-1, keepdims=True))
    small = n < 1e-6  # there 2 atan2(n, w) / n = 2 - n^2/3 + ... to full precision
    angle_over_n = np.where(small, 2.0 + n * n / 3.0, 2.0 * np.arctan2(n, w) / np.where(small, 1.0, n))
    return angle_over_n * v


def exp(v: np.ndarray) -> np.ndarray:
    """Unit quaternion of the rotation vector v (..., 3)."""
    v = np.asarray(v, float)
    half = 0.5 * np.sqrt((v * v).sum(axis=-1, keepdims=True))
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * v], axis=-1)


def nearer_way(v: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Rotation vectors (..., 3), each the way round that is nearer to a goal: a rotation near a half turn has two."""
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    other = v * (1.0 - 2.0 * np.pi / np.maximum(angle, 1e-12))
    nearer = np.linalg.norm(other - goal, axis=-1) < np.linalg.norm(v - goal, axis=-1)
    return np.where(nearer[..., None], other, v)


def log_rate(v: np.ndarray, spin: np.ndarray) -> np.ndarray:
    """How the rotation vector v = log(q) (..., 3) changes while q turns by spin (..., 3) rad/s in its own frame.

    The inverse right Jacobian of the rotation group: spin + v x spin / 2 + c v x (v x spin).
    """
    angle = np.sqrt((v * v).sum(axis=-1, keepdims=True))
    small = angle < 1e-3  # there c = 1/12 + angle^2/720 to full precision
    safe = np.where(small, 1.0, angle)
    c = np.where(small, 1.0 / 12.0 + angle**2 / 720.0, (1.0 - 0.5 * safe / np.tan(0.5 * safe)) / safe**2)
    across = np.cross(v, spin)
    return spin + 0.5 * across + c * np.cross(v, across)


def axis_angle(axis: np.ndarray, angle: np.ndarray | float) -> np.ndarray:
    """Rotation by angle (...) about the unit axis (..., 3)."""
    return exp(np.asarray(axis, float) * np.asarray(angle, float)[..., None])


def angle_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Angle in [0, pi] that takes a to b, accurate for tiny angles too."""
    d = multiply(conjugate(a), b)
    return 2.0 * np.arctan2(np.sqrt((d[..., 1:] ** 2).sum(axis=-1)), np.abs(d[..., 0]))


def nearest_sign(q: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """q or -q, whichever lies in the hemisphere of the reference."""
    return np.where((q * reference).sum(axis=-1, keepdims=True) < 0, -q, q)


def continuous_signs(q: np.ndarray, axis: int = 0) -> np.ndarray:
    """The same rotations with signs chosen so that neighbours along the time axis never flip."""
    if q.shape[axis] < 2:
        return q
    q = np.moveaxis(q, axis, 0)
    flips = (q[1:] * q[:-1]).sum(axis=-1) < 0
    if not flips.any():
        return np.moveaxis(q, 0, axis)
    sign = np.where(np.cumsum(flips, axis=0) % 2 == 1, -1.0, 1.0)
    return np.moveaxis(np.concatenate([q[:1], q[1:] * sign[..., None]]), 0, axis)


def slerp(a: np.ndarray, b: np.ndarray, t: np.ndarray | float) -> np.ndarray:
    """Constant-speed rotation from a (t = 0) to b (t = 1) along the shorter arc. a, b (..., 4); t (...)."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    t = np.asarray(t, float)[..., None]
    b = nearest_sign(b, a)
    chord = np.sqrt(((b - a) ** 2).sum(axis=-1, keepdims=True))
    theta = 2.0 * np.arcsin(np.minimum(0.5 * chord, 1.0))  # half the rotation angle, in [0, pi/2]
    close = theta < 1e-4
    sine = np.where(close, 1.0, np.sin(theta))
    wa = np.where(close, 1.0 - t, np.sin((1.0 - t) * theta) / sine)
    wb = np.where(close, t, np.sin(t * theta) / sine)
    q = normalize(wa * a + wb * b)
    return np.where(t == 0.0, a, np.where(t == 1.0, b, q))


def average(q: np.ndarray, weights: np.ndarray | None = None, axis: int = -2) -> np.ndarray:
    """Weighted mean rotation over an axis: largest eigenvector of sum w q q^T (signs and order cannot matter).

    q (..., N, 4); weights (..., N), default equal. A one-hot weight returns that input bit for bit.
    """
    q = np.moveaxis(np.asarray(q, float), axis, -2)
    n = q.shape[-2]
    w = np.broadcast_to(np.full(n, 1.0 / n) if weights is None else np.asarray(weights, float), q.shape[:-1])
    _, vectors = np.linalg.eigh(np.einsum("...n,...ni,...nj->...ij", w, q, q))
    heaviest = np.take_along_axis(q, np.abs(w).argmax(axis=-1)[..., None, None], axis=-2)[..., 0, :]
    mean = nearest_sign(vectors[..., -1], heaviest)
    alone = (np.count_nonzero(w, axis=-1) == 1)[..., None]
    return np.where(alone, heaviest, mean)


def from_euler(angles: np.ndarray, order: str) -> np.ndarray:
    """Rotation of successive turns about moving axes, in the order given ("ZYX", also one or two axes).

    angles (..., len(order)) radians; "ZYX" means Rz @ Ry @ Rx, as BVH channels are read.
    """
    angles = np.asarray(angles, float)
    half = 0.5 * angles
    c, s = np.cos(half), np.sin(half)
    q = np.zeros((*angles.shape[:-1], 4))
    q[..., 0] = 1.0
    for k, axis in enumerate(order):
        i = "XYZ".index(axis)
        # multiplying by (c, s along one axis) touches each part once: cheaper than a full product
        j, l = (i + 1) % 3, (i + 2) % 3
        w, qi, qj, ql = q[..., 0], q[..., 1 + i], q[..., 1 + j], q[..., 1 + l]
        ck, sk = c[..., k], s[..., k]
        new = np.empty_like(q)
        new[..., 0] = w * ck - qi * sk
        new[..., 1 + i] = qi * ck + w * sk
        new[..., 1 + j] = qj * ck + ql * sk
        new[..., 1 + l] = ql * ck - qj * sk
        q = new
    return q


def to_euler(q: np.ndarray, order: str) -> np.ndarray:
    """Angles (..., 3) with from_euler(angles, order) == q; at gimbal lock the third is 0."""
    i, j, k = ("XYZ".index(a) for a in order)
    e = 1.0 if (j - i) % 3 == 1 else -1.0  # +1 for XYZ, YZX, ZXY
    m = to_matrix(q)
    cos_b = np.hypot(m[..., i, i], m[..., i, j])
    b = np.arctan2(e * m[..., i, k], cos_b)
    locked = cos_b < 1e-9
    a = np.where(locked, np.arctan2(e * m[..., k, j], m[..., j, j]), np.arctan2(-e * m[..., j, k], m[..., k, k]))
    c = np.where(locked, 0.0, np.arctan2(-e * m[..., i, j], m[..., i, i]))
    return np.stack([a, b, c], axis=-1)


def to_matrix(q: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3); columns are the turned axes."""
    w, x, y, z = np.moveaxis(np.asarray(q, float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(m: np.ndarray) -> np.ndarray:
    """Unit quaternions of rotation matrices (..., 3, 3), w >= 0 (Shepperd's largest-component choice)."""
    m = np.asarray(m, float)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], axis=-1)
    wx, wy, wz = (m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1])
    xy, yz, zx = (m[..., 0, 1] + m[..., 1, 0], m[..., 1, 2] + m[..., 2, 1], m[..., 2, 0] + m[..., 0, 2])
    table = [
        [squares[..., 0], wx, wy, wz],
        [wx, squares[..., 1], xy, zx],
        [wy, xy, squares[..., 2], yz],
        [wz, zx, yz, squares[..., 3]],
    ]
    candidates = np.stack([np.stack(row, axis=-1) for row in table], axis=-2)
    best = squares.argmax(axis=-1)[..., None, None]
    q = normalize(np.take_along_axis(candidates, best, axis=-2)[..., 0, :])
    return np.where(q[..., :1] < 0, -q, q)


def to_6d(q: np.ndarray) -> np.ndarray:
    """Quaternions as (..., 6): the first two columns of the rotation matrix, one after the other (Zhou et al. 2019)."""
    return np.concatenate([rotate(q, AXES["X"]), rotate(q, AXES["Y"])], axis=-1)


def from_6d(columns: np.ndarray) -> np.ndarray:
    """Quaternions of (..., 6) numbers, by Gram and Schmidt's way; any but parallel or zero columns do."""
    columns = np.asarray(columns, float)
    x = unit(columns[..., :3])
    y = columns[..., 3:]
    y = unit(y - (x * y).sum(axis=-1, keepdims=True) * x)
    return from_matrix(np.stack([x, y, cross(x, y)], axis=-1))


def between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Smallest rotation that takes the direction of a (..., 3) to that of b; any axis when they oppose."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    a, b = unit(a), unit(b)
    w = 1.0 + (a * b).sum(axis=-1, keepdims=True)
    opposite = w < 1e-12
    other = np.where(np.abs(a[..., :1]) < 0.9, AXES["X"], AXES["Y"])
    axis = np.where(opposite, cross(a, other), cross(a, b))
    return normalize(np.concatenate([np.where(opposite, 0.0, w), axis], axis=-1))


def wrapped(angle: Any) -> Any:
    """The same angle within half a turn of 0: from -pi to below pi."""
    return (angle + np.pi) % (2 * np.pi) - np.pi


def yaw(angle: np.ndarray | float) -> np.ndarray:
    """Turn about +Y (up) by angle (...); positive is to the character's left."""
    half = 0.5 * np.asarray(angle, float)
    zero = np.zeros_like(half)
    return np.stack([np.cos(half), zero, np.sin(half), zero], axis=-1)
