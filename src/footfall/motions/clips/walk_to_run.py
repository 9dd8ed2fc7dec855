"""From a walk into a run: both speeds in m/s, both turns in degrees a second."""

from __future__ import annotations

import numpy as np

from footfall.core.clip import Clip
from footfall.motions.gait_change import SteadyGait, gait_change


def make(walk: float = 1.4, run: float = 3.0, turn: float = 0.0, then_turn: float = 0.0) -> Clip:
    before, after = (
        SteadyGait("walk", walk, float(np.radians(turn))),
        SteadyGait("run", run, float(np.radians(then_turn))),
    )
    return gait_change(before, after, name="walk_to_run")
