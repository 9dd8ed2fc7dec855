"""Running, a loop of two steps: speed in m/s, turn in degrees a second (to the left), side speed in m/s."""

from __future__ import annotations

from footfall.core.clip import Clip
from footfall.motions.locomotion import steady


def make(speed: float = 3.0, turn: float = 0.0, side: float = 0.0, cycles: int = 1) -> Clip:
    return steady(speed, turn, side, run=True, cycles=cycles, name="run")
