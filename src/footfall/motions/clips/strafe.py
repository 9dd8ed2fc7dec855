"""Strafing, a loop of two steps: sideways at the ready, facing ahead; side speed in m/s (positive is to the left)."""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.motions import locomotion as loco

FASTEST = 1.8  # m/s
CROUCH = 0.06  # metres the hips sink
LEAN = 0.1  # radians of the trunk forward
CADENCE = 1.15  # quicker than strolling sideways


def make(side: float = 0.9, cycles: int = 1) -> Clip:
    if not 0.1 <= abs(side) <= FASTEST:
        raise ParameterError(f"side must be 0.1 to {FASTEST:g} m/s either way, got {side:g}")

    def sink(feet: loco.Feet, pelvis: np.ndarray, turned: np.ndarray) -> tuple[loco.Feet, np.ndarray]:
        return feet, pelvis - CROUCH * rotation.UP

    style = loco.Style(cadence=CADENCE, lean=LEAN, arms=0.6)
    return loco.steady(0.0, 0.0, side, cycles=cycles, name="strafe", style=style, alter=sink)
