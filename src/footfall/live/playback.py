"""Playback: one motion as it is played, at its own place in its cycle and with its own weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from footfall.parametric.canonical_time import FASTEST, SLOWEST
from footfall.parametric.parametric_motion import ParametricMotion

SIDES = ("left", "right")
POINTS = ("heel", "toe")
LookUp = Callable[[Sequence[float]], np.ndarray]  # parameters to weights (N,)


class Playable:
    """A motion with what playing it frame by frame needs, worked out once."""

    __slots__ = ("bounds", "cells", "index", "log_high", "log_low", "log_rates", "look", "loops", "motion", "pieces",
                 "travel")  # fmt: skip

    def __init__(self, motion: ParametricMotion, index: int, look: LookUp | None = None) -> None:
        """look: quicker than to ask the motion for its weights."""
        self.motion, self.index, self.look = motion, index, look
        self.cells = motion.cells
        self.travel = list(motion.travel)  # G + 1 of (N, 3)
        self.pieces = len(motion.marks) - 1
        self.loops = motion.is_loop
        self.log_rates = np.log(motion.rates * self.pieces)  # (N, K - 1) key times a second
        self.log_low = self.log_rates.min(axis=0) + math.log(SLOWEST)
        self.log_high = self.log_rates.max(axis=0) + math.log(FASTEST)
        # [side][heel, toe] -> (N, S, 2) in key times, or None where never down
        self.bounds = [
            [motion.contacts[f"{s}_{p}"] * self.pieces if f"{s}_{p}" in motion.contacts else None for p in POINTS]
            for s in SIDES
        ]

    def weights(self, p: Sequence[float]) -> np.ndarray:
        """(N,) at parameters."""
        if self.look is not None:
            return self.look(p)
        return self.motion.weights(np.array(p)[None] if len(p) else np.zeros((1, 0)))[0]

    def rates(self, weights: np.ndarray) -> list[float]:
        """(K - 1) key times a second of the blend: always positive."""
        found: list[float] = np.exp(np.clip(weights @ self.log_rates, self.log_low, self.log_high)).tolist()
        return found


class Playback:
    """Where in a motion a character is: y counts key times, from 0 to the motion's number of stretches."""

    __slots__ = ("_way", "of", "p", "rates", "weights", "y")

    def __init__(self, of: Playable, p: Sequence[float], y: float = 0.0) -> None:
        self.of = of
        self.y = y
        self.p: list[float] = []
        self._way: dict[int, list[float]] = {}  # of the carrier at grid points, as they are asked for
        self.weights = np.empty(0)
        self.rates: list[float] = []
        self.ask(p)

    def ask(self, p: Sequence[float]) -> None:
        """Blend for these parameters from now on."""
        if self.rates and list(p) == self.p:
            return
        self.p = list(p)
        self.take(self.p, self.of.weights(self.p))

    def take(self, p: Sequence[float], weights: np.ndarray) -> None:
        """Blend by weights that are known to be those of these parameters."""
        self.p, self.weights, self._way = list(p), weights, {}
        self.rates = self.of.rates(weights)

    @property
    def t(self) -> float:
        """Canonical time."""
        return self.y / self.of.pieces

    def travelled(self, start: float, end: float) -> np.ndarray:
        """(3,) forward, left and turn of the carrier between two places of one stretch; as motion.travelled has it."""
        a, b = self._gone(start), self._gone(end)
        return np.array([b[0] - a[0], b[1] - a[1], b[2] - a[2]])

    def _gone(self, y: float) -> tuple[float, float, float]:
        x = min(max(y / self.of.pieces, 0.0), 1.0) * self.of.cells
        g = min(int(x), self.of.cells - 1)
        f, a, b = x - g, self._at(g), self._at(g + 1)
        return a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1]), a[2] + f * (b[2] - a[2])

    def _at(self, g: int) -> list[float]:
        found = self._way.get(g)
        if found is None:
            found = self._way[g] = (self.weights @ self.of.travel[g]).tolist()
        return found

    def wrapped(self) -> None:
        """On to the next round, where the end of a loop is reached."""
        if self.of.loops and self.y >= self.of.pieces:
            self.y -= self.of.pieces

    def down(self) -> list[list[bool]]:
        """[left, right][heel, toe] whether it is on the floor now."""
        y, pieces, found = self.y, self.of.pieces, []
        for side in self.of.bounds:
            row = []
            for bounds in side:
                is_down = False
                if bounds is not None:
                    for start, end in np.tensordot(self.weights, bounds, axes=1).tolist():
                        is_down = is_down or start <= y < end or (self.of.loops and start <= y + pieces < end)
                        is_down = is_down or (not self.of.loops and end >= pieces and y >= pieces > start)
                row.append(is_down)
            found.append(row)
        return found
