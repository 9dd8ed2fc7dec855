"""Two-bone IK over arrays: where the middle and the end of a limb come to, its swivel kept.

The limb is swung rigidly onto the line to its target, then bent in its own plane (law of cosines). Near full extension
the distance is slowed (soft reach), since a straight knee moves by centimetres for a millimetre of target.

The built-in motions place arms and legs with it, whole curves at a time and without a compiler, so that making one
stays quick. Legs of poses, whose joints must be turned one body at a time, are bent by the kernel
`footfall.feet.leg_kernels`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation

ROUNDING = 1e-7  # knee offset over thigh length that is the square root of a rounding error, not a bend


class TwoBone(NamedTuple):
    """A solved limb; leading axes are those of the arguments."""

    mid: np.ndarray  # (..., 3) knee or elbow
    end: np.ndarray  # (..., 3) ankle or wrist


def two_bone_ik(
    start: np.ndarray, mid: np.ndarray, end: np.ndarray, target: np.ndarray, soft_from: float, max_extension: float
) -> TwoBone:
    """Bring the end of a limb to a target: all (..., 3) world positions, broadcast against each other.

    soft_from: share of the limb's length from which extension is slowed; max_extension: share that is never exceeded,
    unless the limb was already longer.
    """
    upper_length, lower_length = _norm(mid - start), _norm(end - mid)
    line, now = _direction(end - start, fallback=mid - start)
    aim, wanted = _direction(target - start, fallback=line)
    reach = _soft_reach(wanted, now, (upper_length, lower_length), soft_from, max_extension)

    swung = rotation.rotate(rotation.between(line, aim), mid - start)
    sideways = swung - (swung * aim).sum(axis=-1, keepdims=True) * aim
    side, _ = _direction(sideways, fallback=_perpendicular(aim))
    new_along = _along(reach, upper_length, lower_length)
    new_offset = np.sqrt(np.maximum(upper_length**2 - new_along**2, 0.0))
    new_offset = np.where(new_offset < ROUNDING * upper_length, 0.0, new_offset)
    unchanged = (target == end).all(axis=-1, keepdims=True)
    new_mid, new_end = start + new_along * aim + new_offset * side, start + reach * aim
    return TwoBone(np.where(unchanged, mid, new_mid), np.where(unchanged, end, new_end))


def _norm(v: np.ndarray) -> np.ndarray:
    return np.linalg.norm(v, axis=-1, keepdims=True)


def _direction(v: np.ndarray, fallback: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit direction and length of v; where v vanishes, the direction of the fallback (or straight down)."""
    n, m = _norm(v), _norm(fallback)
    direction = np.where(m > 1e-12, fallback / np.where(m > 1e-12, m, 1.0), -rotation.UP)
    return np.where(n > 1e-12, v / np.where(n > 1e-12, n, 1.0), direction), n


def _soft_reach(
    wanted: np.ndarray, now: np.ndarray, bones: tuple[np.ndarray, np.ndarray], soft_from: float, max_extension: float
) -> np.ndarray:
    """Distance the end will have: the wanted one up to the soft zone, then slowed towards the limit."""
    upper, lower = bones
    length = upper + lower
    # a limb already longer than the limit may stay so: its own extension is never called a fault
    slow = np.maximum(soft_from * length, np.minimum(now, length))
    limit = np.minimum(np.maximum(max_extension * length, slow), length)
    room = np.maximum(limit - slow, 1e-12)
    slowed = slow + room * -np.expm1(-np.maximum(wanted - slow, 0.0) / room)
    shortest = np.minimum(np.maximum(np.abs(upper - lower), 1e-6 * length), length)
    return np.maximum(np.where(wanted <= slow, wanted, np.minimum(slowed, limit)), shortest)


def _along(reach: np.ndarray, upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    """How far along the line start-end the middle joint lies (law of cosines), within the upper bone's length."""
    safe = np.maximum(reach, 1e-12)
    return np.clip((reach**2 + upper**2 - lower**2) / (2.0 * safe), -upper, upper)


def _perpendicular(v: np.ndarray) -> np.ndarray:
    """Some unit vector at right angles to the unit vectors v, forward (+Z) for a hanging limb."""
    other = np.where(np.abs(v[..., 2:]) < 0.9, rotation.AXES["Z"], rotation.AXES["X"])
    across = other - (other * v).sum(axis=-1, keepdims=True) * v
    return across / _norm(across)
