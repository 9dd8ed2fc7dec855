"""Walking backward, a loop of two steps: speed in m/s (positive is backward), turn in degrees a second."""

from __future__ import annotations

from footfall.core.clip import Clip
from footfall.motions.clips import walk
from footfall.motions.reversal import reversed_clip


def make(speed: float = 0.9, turn: float = 0.0, cycles: int = 1) -> Clip:
    return reversed_clip(walk.make(speed, -turn, cycles=cycles), "walk_back")
