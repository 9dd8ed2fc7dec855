"""Where the mass of the built-in body is: segment shares and centres after Winter (2009), table 4.1."""

from __future__ import annotations

from functools import cache

import numpy as np

from footfall.motions.body import adult

_TRUNK = [  # share of body mass, from joint, to joint, how far along
    (0.142, "Hips", "Spine", 0.3),
    (0.139, "Spine", "Spine1", 0.8),
    (0.216, "Spine2", "Neck", 0.3),
    (0.081, "Neck", "Head", 1.6),
]
_LIMBS = [
    (0.028, "Arm", "ForeArm", 0.436),
    (0.016, "ForeArm", "Hand", 0.43),
    (0.006, "ForeArm", "Hand", 1.25),
    (0.100, "UpLeg", "Leg", 0.433),
    (0.0465, "Leg", "Foot", 0.433),
    (0.0145, "Foot", "ToeBase", 0.4),
]


@cache
def _weights() -> np.ndarray:
    """(J,) how much each joint's position counts in the centre of mass."""
    names = list(adult().names)
    rows = [*_TRUNK, *((m, s + a, s + b, x) for s in ("Left", "Right") for m, a, b, x in _LIMBS)]
    weights = np.zeros(len(names))
    for mass, start, end, along in rows:
        weights[names.index(start)] += mass * (1.0 - along)
        weights[names.index(end)] += mass * along
    return weights / weights.sum()


def center_of_mass(positions: np.ndarray) -> np.ndarray:
    """(..., 3) of the built-in body's joint positions (..., J, 3)."""
    return np.einsum("j,...jc->...c", _weights(), positions)
