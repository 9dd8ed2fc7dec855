"""Walking in a crouch, a loop of two steps: speed in m/s, turn in degrees a second, how far the hips sink in metres."""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.motions import locomotion as loco

DEEPEST = 0.35  # metres: lower, heels no longer reach the floor
LEAN = 1.25  # radians a metre that the trunk leans forward, so that the body stays over its feet
CADENCE = 1.3  # of an upright walk, at 0.2 m: steps are shorter and quicker
BEHIND = 0.25  # of the depth, the hips go back: by eye
STEALTHY = 0.55  # of the arms' swing


def make(speed: float = 0.7, turn: float = 0.0, depth: float = 0.16, cycles: int = 1) -> Clip:
    if not 0.0 <= depth <= DEEPEST:
        raise ParameterError(f"depth must be 0 to {DEEPEST:g} m, got {depth:g}")

    def sink(feet: loco.Feet, pelvis: np.ndarray, turned: np.ndarray) -> tuple[loco.Feet, np.ndarray]:
        behind = rotation.rotate(turned, np.array([0.0, 0.0, -1.0])) * [1.0, 0.0, 1.0]
        return feet, pelvis - depth * rotation.UP + BEHIND * depth * behind

    style = loco.Style(cadence=1.0 + (CADENCE - 1.0) * depth / 0.2, lean=LEAN * depth, arms=STEALTHY, width=0.1 * depth)
    return loco.steady(speed, turn, cycles=cycles, name="crouch_walk", style=style, alter=sink)
