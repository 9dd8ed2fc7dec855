"""From standing into a walk or a run: gait, speed in m/s, turn in degrees a second."""

from __future__ import annotations

from footfall.core.clip import Clip
from footfall.motions import gait_change as change


def make(gait: str = "walk", speed: float = 1.4, turn: float = 0.0) -> Clip:
    return change.gait_change(change.gait("stand"), change.gait(gait, speed, turn), name="start")
