"""Getting up from the floor: from sitting with knees drawn up over a deep squat to standing."""

from __future__ import annotations

from footfall.core.clip import Clip
from footfall.motions import action
from footfall.motions.seat import BESIDE, FLOOR_BACK, FROM_FLOOR, HEELS, Seat, seat_clip

DURATION_S = 2.2  # by eye: a fit person, without hands
OFF = (0.2, 0.46)  # shares of it in which the weight leaves the floor


def make(seed: int = 0) -> Clip:
    rng = action.random_of(seed)
    duration = DURATION_S * (1.0 + rng.uniform(-0.1, 0.1))
    return seat_clip("get_up", Seat(0.0, FROM_FLOOR, duration, OFF, BESIDE, FLOOR_BACK, HEELS), {}, rng)
