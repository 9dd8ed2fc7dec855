"""Uneven ground, seen from the soles: the height each foot rests at, where captures go over steps and slopes.

A foot that hangs still high over the floor, as in a kick, looks like one that stands on a step. It stands when it
carries the body: the pelvis comes to be as high over it as over any foot that stands, and the other foot swings
meanwhile, or stands beside it. docs/ground.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# By eye, on captures of stairs, slopes and uneven terrain, the analysis study in view; metres for a standard leg.
UNEVEN_M = 0.06  # between two rests of a foot in a row: more is no floor that slopes a little, or is captured so
FLOOR_M = 0.11  # between the lowest and the highest rest: captured floors rise and fall by less
STANDS = 0.9  # of the height of a pelvis over a foot that stands: it comes as high over every foot that carries it
BESIDE_M = 0.03  # higher or lower than the other foot: a foot that rests so stands beside it
SWINGS_S = 0.1  # seconds that the other foot moves, above it, while one carries


class Rests(NamedTuple):
    """Stretches in which a foot is slow: samples [first, stop), and the height it has there."""

    spans: list[tuple[int, int]]
    height: np.ndarray  # (R,)


class Beside(NamedTuple):
    """What the rest of the body does meanwhile, (N,)."""

    moves: np.ndarray  # the other foot is too fast to rest
    apart: np.ndarray  # metres that it is over or under this one
    over: np.ndarray  # metres from this foot up to the pelvis


def carries(rests: Rests, beside: Beside, usual: float, rate: float) -> np.ndarray:
    """(R,) whether a foot carries the body at its rests; usual: metres from a foot that stands up to the pelvis."""
    found = []
    for a, b in rests.spans:
        still = ~beside.moves[a:b]
        swings = (~still & (beside.apart[a:b] > 0.0)).sum() >= SWINGS_S * rate
        level = still.any() and float(np.abs(beside.apart[a:b][still]).min()) < BESIDE_M
        found.append((swings or level) and beside.over[a:b].max(initial=-np.inf) >= STANDS * usual)
    return np.array(found, bool)


def is_uneven(height: np.ndarray) -> bool:
    """Whether rests in a row lie at heights (R,) that no level floor has."""
    return bool(len(height) > 1 and np.abs(np.diff(height)).max() > UNEVEN_M and np.ptp(height) > FLOOR_M)


def stepped(rests: Rests, real: np.ndarray, count: int) -> np.ndarray:
    """(N,) the ground under a foot: level while it rests, in a line from the end of one rest to the next."""
    at = np.array([x for (a, b), ok in zip(rests.spans, real, strict=True) if ok for x in (a, b - 1)], float)
    return np.interp(np.arange(count), at, np.repeat(rests.height[real], 2))
