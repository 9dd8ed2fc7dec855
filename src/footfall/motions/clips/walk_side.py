"""Walking sideways, a loop of two steps: side speed in m/s (positive is to the left)."""

from __future__ import annotations

from footfall.core.clip import Clip
from footfall.motions.locomotion import steady


def make(side: float = 0.6, cycles: int = 1) -> Clip:
    return steady(0.0, 0.0, side, run=False, cycles=cycles, name="walk_side")
