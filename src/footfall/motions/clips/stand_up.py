"""Standing up from a seat of some height in metres: the trunk bends until the feet carry, then all rises."""

from __future__ import annotations

from footfall.core.clip import Clip
from footfall.motions import action
from footfall.motions.seat import ON_THIGHS, RISING, Seat, check_height, seat_clip

DURATION_S = 1.25  # captured: 0.7 s from something low, in haste, and 1.3 s from a high stool
OFF = (0.28, 0.52)  # shares of it in which the weight leaves the seat


def make(height: float = 0.45, seed: int = 0) -> Clip:
    check_height(height)
    rng = action.random_of(seed)
    seat = Seat(height, RISING, DURATION_S * (1.0 + rng.uniform(-0.1, 0.1)), OFF, ON_THIGHS)
    return seat_clip("stand_up", seat, {"height": height}, rng)
