"""From a walk into a run: both speeds in m/s, both turns in degrees a second."""

from __future__ import annotations

from footfall.core.clip import Clip
from footfall.motions.gait_change import gait, gait_change


def make(walk: float = 1.4, run: float = 3.0, turn: float = 0.0, then_turn: float = 0.0) -> Clip:
    return gait_change(gait("walk", walk, turn), gait("run", run, then_turn), name="walk_to_run")
