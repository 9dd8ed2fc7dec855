"""Sitting down on a seat of some height in metres: the trunk bends, hips go back, hands go to the thighs."""

from __future__ import annotations

from footfall.core.clip import Clip
from footfall.motions import action
from footfall.motions.seat import ON_THIGHS, SITTING, Seat, check_height, seat_clip

DURATION_S = 1.3  # captured: 0.8 s onto something low, in haste, and 1.6 s onto a high stool
ONTO = (0.4, 0.72)  # shares of it in which the weight goes to the seat


def make(height: float = 0.45, seed: int = 0) -> Clip:
    check_height(height)
    rng = action.random_of(seed)
    seat = Seat(height, SITTING, DURATION_S * (1.0 + rng.uniform(-0.1, 0.1)), ONTO, ON_THIGHS)
    return seat_clip("sit_down", seat, {"height": height}, rng)
