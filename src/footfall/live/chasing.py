"""Chasing: a character that goes to a point, which may move or jump at any time, and stands where it is.

It turns to the point, walks, and runs where it is far. A point inside the circle of its tightest turn cannot be reached
by turning to it: that would be an orbit. There it goes straight on until the point is outside, then turns.
"""

from __future__ import annotations

import cmath
import math

from footfall.live.controller import Controller
from footfall.live.path_following import stopping_distance

# By eye, on points that jump at random (`footfall study park2004`, E5).
NEAR = 0.35  # metres from the point: the character has arrived
LEAVE = 0.6  # metres from the point: it goes there again
RUN_FROM, WALK_FROM = 7.0, 4.5  # metres from which it runs, and under which it walks again
WALK, SLOW_WALK, TIGHT = 1.4, 0.75, 90.0  # m/s, m/s, °/s: walking, walking into a sharp turn, the tightest turn
RUN_LEAST, RUN_MOST, RUN_MORE = 2.2, 4.5, 0.25  # m/s at WALK_FROM, at most, and more a metre beyond
SHARP = math.radians(50.0)  # to turn by more than this it slows down
AHEAD = math.radians(60.0)  # a point farther aside is not ahead
ASIDE = math.radians(30.0)  # a point nearer to straight ahead is not circled
TURN_RATE = 2.2  # °/s of turn asked for, a degree that the point lies aside
CLOSE = 1.2  # metres: nearer points are walked to slowly
MARGIN = 1.15  # radii of the tightest turn: a point nearer to its centre would be circled for ever


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
        forward, _, _ = hero.velocity
        away = (self.goal - hero.point) * cmath.exp(-1j * hero.heading)
        far, angle = abs(away), cmath.phase(away) if away else 0.0
        stop = stopping_distance(hero, forward) if forward > 0.1 else 0.0
        self.arrived = far < (LEAVE if self.arrived else NEAR)
        ahead = abs(angle) < AHEAD
        if self.arrived or (ahead and far - NEAR * 0.3 < stop) or far < NEAR:
            hero.request(hero.graph.home)
            return
        self._running = self.runs and "run" in hero.graph.nodes and far > (WALK_FROM if self._running else RUN_FROM)
        if self._running and abs(angle) > SHARP and hero.node != "run":
            self._running = False
        turn = math.degrees(TURN_RATE * angle)
        if self._running:
            hero.request("run")
            hero.ask(speed=min(RUN_LEAST + RUN_MORE * (far - WALK_FROM), RUN_MOST), turn=max(min(turn, TIGHT), -TIGHT))
            return
        hero.request("walk")
        speed = WALK if abs(angle) < SHARP and far > CLOSE else SLOW_WALK
        turn = max(min(turn, TIGHT), -TIGHT)
        radius = max(speed, 0.7 * forward) / math.radians(TIGHT)
        center = 1j * math.copysign(radius, angle)
        if abs(angle) > ASIDE and abs(away - center) < MARGIN * radius:
            speed, turn = WALK, 0.0  # inside the circle: away from it first
        hero.ask(speed=speed, turn=turn)
