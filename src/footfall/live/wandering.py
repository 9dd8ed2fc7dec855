"""Wandering: where the characters of a crowd begin, and how they go to their goals, on any device."""

from __future__ import annotations

import math

import numpy as np

from footfall.core.errors import ParameterError

# By eye, on 200 characters in a square of 35 m, seeds 0 to 2.
TOO_CLOSE = 1.1  # metres: another ahead this near is stood still for
TURN_RATE = 2.0  # °/s of turn asked for, a degree that the goal lies aside
MOST_TURN = 80.0  # °/s towards a goal
NEAR_M = 0.8  # from a goal: it is reached
PAUSE_S = (0.5, 3.0)  # seconds of standing at a goal
SPEEDS = (0.8, 1.5)  # m/s that people like to walk at
EACH_M = 2.5  # metres of a square's side for each row of characters, unless the side is given
WALK = "walk"


def square_side(count: int, side_m: float | None) -> float:
    """Metres of the square that a crowd is in: as given, or room for all."""
    rows = math.ceil(math.sqrt(count))
    side = max(EACH_M * rows, 8.0) if side_m is None else float(side_m)
    if not rows * TOO_CLOSE <= side < 1e4:
        raise ParameterError(f"{count} characters need a square of {rows * TOO_CLOSE:.1f} m to 10 km, got {side:g} m")
    return side


def places(rng: np.random.Generator, count: int, side_m: float) -> np.ndarray:
    """(N, 2) x, z: one in each cell of a grid, somewhere in it, so that nobody begins inside another."""
    rows = math.ceil(math.sqrt(count))
    cell = side_m / rows
    which = rng.permutation(rows * rows)[:count]
    at = np.stack([which % rows, which // rows], axis=-1) + 0.5
    jitter = rng.uniform(-0.5, 0.5, (count, 2)) * max(cell - TOO_CLOSE, 0.0)
    return np.asarray(at * cell - 0.5 * side_m + jitter)
