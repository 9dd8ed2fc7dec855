"""From a run into a walk: both speeds in m/s, both turns in degrees a second."""

from __future__ import annotations

from footfall.core.clip import Clip
from footfall.motions.gait_change import gait, gait_change


def make(run: float = 3.0, walk: float = 1.4, turn: float = 0.0, then_turn: float = 0.0) -> Clip:
    return gait_change(gait("run", run, turn), gait("walk", walk, then_turn), name="run_to_walk")
