"""From standing into a walk or a run: gait, speed in m/s, turn in degrees a second."""

from __future__ import annotations

import numpy as np

from footfall.core.clip import Clip
from footfall.motions.gait_change import SteadyGait, gait_change


def make(gait: str = "walk", speed: float = 1.4, turn: float = 0.0) -> Clip:
    return gait_change(SteadyGait("stand"), SteadyGait(gait, speed, float(np.radians(turn))), name="start")
