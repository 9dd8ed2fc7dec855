"""Where the mass of the built-in body is."""

from __future__ import annotations

from functools import cache

import numpy as np

from footfall.kinematics.mass import adult_segments, mass_weights
from footfall.motions.body import adult


@cache
def _weights() -> np.ndarray:
    names = adult().names
    return mass_weights(adult_segments(names), range(len(names)))


def center_of_mass(positions: np.ndarray) -> np.ndarray:
    """(..., 3) of the built-in body's joint positions (..., J, 3)."""
    return np.einsum("j,...jc->...c", _weights(), positions)
