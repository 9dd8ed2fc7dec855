"""Chasing: a character that goes to a point, which may move or jump at any time, and stands where it is.

It turns to the point, walks, and runs where it is far. A point inside the circle of its tightest turn cannot be reached
by turning to it: that would be an orbit. There it goes straight on until the point is outside, then turns.
"""

from __future__ import annotations

import cmath
import math

from footfall.live.controller import Controller
from footfall.live.path_following import stopping_distance

NEAR = 0.35  # metres: here
LEAVE = 0.6  # metres: no longer here
RUN_FROM, WALK_FROM = 7.0, 4.5  # metres from which it runs, and under which it walks again
WALK, SLOW_WALK, TIGHT = 1.4, 0.75, 90.0  # m/s, m/s, °/s
SHARP = math.radians(50.0)  # to turn by more than this it slows down
MARGIN = 1.15  # of the circle of the tightest turn


class Chaser:
    """Steers a character to a point; set `goal` at any time and call `steer` before every step."""

    def __init__(self, x: float, z: float, runs: bool = True) -> None:
        self.goal = complex(z, x)
        self.runs = runs
        self.arrived = False
        self._running = False

    def at(self, x: float, z: float) -> None:
        """The point is here now."""
        self.goal = complex(z, x)

    def steer(self, hero: Controller, t_s: float = 0.0) -> None:
        """Ask for what brings the character to the point."""
        machine = hero.machine
        forward, _, _ = machine.rate
        away = (self.goal - machine.point) * cmath.exp(-1j * machine.heading)
        far, angle = abs(away), cmath.phase(away) if away else 0.0
        stop = stopping_distance(hero, forward) if forward > 0.1 else 0.0
        self.arrived = far < (LEAVE if self.arrived else NEAR)
        ahead = abs(angle) < math.radians(60.0)
        if self.arrived or (ahead and far - NEAR * 0.3 < stop) or far < NEAR:
            machine.request(hero.graph.home, False)
            return
        self._running = self.runs and "run" in hero.graph.nodes and far > (WALK_FROM if self._running else RUN_FROM)
        if self._running and abs(angle) > SHARP and machine.node != "run":
            self._running = False
        turn = math.degrees(2.2 * angle)
        if self._running:
            machine.request("run", False)
            machine.ask(speed=min(2.2 + 0.25 * (far - WALK_FROM), 4.5), turn=max(min(turn, TIGHT), -TIGHT))
            return
        machine.request("walk", False)
        speed = WALK if abs(angle) < SHARP and far > 1.2 else SLOW_WALK
        turn = max(min(turn, TIGHT), -TIGHT)
        radius = max(speed, 0.7 * forward) / math.radians(TIGHT)
        center = 1j * math.copysign(radius, angle)
        if abs(angle) > math.radians(30.0) and abs(away - center) < MARGIN * radius:
            speed, turn = WALK, 0.0  # inside the circle: away from it first
        machine.ask(speed=speed, turn=turn)
