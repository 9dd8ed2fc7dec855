"""Analytic two-bone IK: bends a leg or an arm so that its end reaches a target, and keeps the captured swivel.

The limb is first swung as a whole onto the line to the target, which leaves the knee's plane as it was, then opened or
closed at the knee by the law of cosines. Towards full extension the reach is limited softly: near a straight leg the
knee angle has infinite slope in the target distance (126 rad/m at 0.1 mm), and a hard limit pops.
Every input gives finite output, and asking for the position the limb already has changes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation

SOFT_FROM = 0.97  # share of the limb's length from which extension is slowed
MAX_EXTENSION = 0.995  # share it never exceeds, unless the limb was already longer
ROUNDING = 1e-7  # knee offset over thigh length that is the square root of a rounding error, not a bend
NEARLY_STRAIGHT = 0.15  # knee offset over thigh length below which the pole helps to choose the side


class TwoBone(NamedTuple):
    """Solution for a batch of limbs."""

    mid: np.ndarray  # (..., 3) new knee or elbow
    end: np.ndarray  # (..., 3) new ankle or wrist; the target where it is within soft reach
    upper: np.ndarray  # (..., 4) world rotation to apply to the upper bone: new = upper * old
    lower: np.ndarray  # (..., 4) likewise for the lower bone


def two_bone_ik(
    start: np.ndarray,
    mid: np.ndarray,
    end: np.ndarray,
    target: np.ndarray,
    pole: np.ndarray | None = None,
    soft_from: float = SOFT_FROM,
    max_extension: float = MAX_EXTENSION,
) -> TwoBone:
    """Limbs start-mid-end (..., 3) bent so that end meets target (..., 3), bone lengths kept.

    pole (..., 3): the direction a nearly straight limb should bend to (a knee: forward); the limb's own bend, where it
    has one, always comes first.
    """
    upper_length, lower_length = _norm(mid - start), _norm(end - mid)
    line, distance = _direction(end - start, fallback=mid - start)
    aim, wanted = _direction(target - start, fallback=line)
    reach = _soft_reach(wanted, distance, upper_length, lower_length, soft_from, max_extension)
    swing = rotation.between(line, aim)

    swung = rotation.rotate(swing, mid - start)
    along = (swung * aim).sum(axis=-1, keepdims=True)
    sideways = swung - along * aim
    new_along = _along(reach, upper_length, lower_length)
    new_offset = np.sqrt(np.maximum(upper_length**2 - new_along**2, 0.0))
    new_offset = np.where(new_offset < ROUNDING * upper_length, 0.0, new_offset)
    side = _bend_side(sideways, new_offset, upper_length, aim, pole)

    new_mid = start + new_along * aim + new_offset * side
    new_end = start + reach * aim
    unchanged = (target == end).all(axis=-1, keepdims=True)
    new_mid, new_end = np.where(unchanged, mid, new_mid), np.where(unchanged, end, new_end)
    upper = rotation.multiply(rotation.between(swung, new_mid - start), swing)
    swung_lower = rotation.rotate(swing, end - mid)
    lower = rotation.multiply(rotation.between(swung_lower, new_end - new_mid), swing)
    return TwoBone(
        new_mid,
        new_end,
        np.where(unchanged, rotation.IDENTITY, upper),
        np.where(unchanged, rotation.IDENTITY, lower),
    )


def _norm(v: np.ndarray) -> np.ndarray:
    return np.linalg.norm(v, axis=-1, keepdims=True)


def _direction(v: np.ndarray, fallback: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit direction and length of v; where v vanishes, the direction of the fallback (or straight down)."""
    n, m = _norm(v), _norm(fallback)
    direction = np.where(m > 1e-12, fallback / np.where(m > 1e-12, m, 1.0), -rotation.UP)
    return np.where(n > 1e-12, v / np.where(n > 1e-12, n, 1.0), direction), n


def _soft_reach(
    wanted: np.ndarray,
    now: np.ndarray,
    upper: np.ndarray,
    lower: np.ndarray,
    soft_from: float,
    max_extension: float,
) -> np.ndarray:
    """Distance the end will have: the wanted one up to the soft zone, then slowed towards the limit."""
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


def _bend_side(
    sideways: np.ndarray, new_offset: np.ndarray, upper: np.ndarray, aim: np.ndarray, pole: np.ndarray | None
) -> np.ndarray:
    """Unit vector across the aim to which the limb bends: its own, eased to the pole as it gets straight."""
    offset = _norm(sideways)
    hint = _perpendicular(aim) if pole is None else pole - (pole * aim).sum(axis=-1, keepdims=True) * aim
    hint, _ = _direction(hint, fallback=_perpendicular(aim))
    x = np.clip(offset / np.maximum(NEARLY_STRAIGHT * upper, 1e-12), 0.0, 1.0)
    unsure = 1.0 - x * x * (3.0 - 2.0 * x)
    side = sideways + hint * np.maximum(new_offset - offset, 0.0) * unsure
    return _direction(side, fallback=hint)[0]


def _perpendicular(v: np.ndarray) -> np.ndarray:
    """Some unit vector at right angles to the unit vectors v, forward (+Z) for a hanging limb."""
    other = np.where(np.abs(v[..., 2:]) < 0.9, rotation.AXES["Z"], rotation.AXES["X"])
    across = other - (other * v).sum(axis=-1, keepdims=True) * v
    return across / _norm(across)
