"""Path following: a character along a line on the floor, with type and speed given along it.

The steering looks ahead by the time its own commands take to act: where the character will be then is compared with the
path, and the turn asked for is the path's own plus what brings place and heading back onto it, critically damped. Speed
is lowered where the examples cannot turn as tightly at it. At the end of the path the character stands.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as File
from typing import NamedTuple

import numpy as np

from footfall.core.errors import ParameterError, ReadError
from footfall.graph.graph import Graph
from footfall.live.controller import Controller
from footfall.live.drive import number_at, read_rows, type_at

PATH = ("x", "z", "type", "speed")
# By eye, on curves of 2 to 5 m radius (`footfall study park2004`, E4).
SPACING = 0.05  # metres between samples of a path
LOOK_S = 0.2  # until a command is felt in the turn
BACK_RATE = 2.4  # 1/s: how fast an error is steered away
CHANGE_S = 0.35  # before a change of type along the path it is asked for
SEARCH = 3.0  # metres ahead of the last nearest point in which the next is looked for
LONGEST = 100_000.0  # metres: a longer path is refused as a mistake
SLOWEST = 0.3  # m/s, for telling curvature from turn
LAST_SPEED, SLOWING = 0.4, 0.6  # m/s at the end, and more of it a metre before: slow steps end nearer to a point
MOST_BACK = 1.5  # rad/s, of the turn back onto the path


class Waypoint(NamedTuple):
    """A point of a path, and what is done from it on."""

    x: float
    z: float
    type: str
    speed: float


@dataclass(frozen=True, eq=False)
class FollowedPath:
    """A path sampled evenly by its length."""

    points: np.ndarray  # (S,) complex z + ix, SPACING apart
    headings: np.ndarray  # (S,) radians, continuous
    curvature: np.ndarray  # (S,) 1/m, positive to the left
    types: tuple[str, ...]  # (S,)
    speeds: np.ndarray  # (S,) m/s

    @property
    def length(self) -> float:
        return SPACING * (len(self.points) - 1)

    def nearest(self, point: complex, first: int = 0, last: int | None = None) -> int:
        """Index of the nearest sample within a range."""
        part = self.points[first : None if last is None else last + 1]
        return first + int(np.abs(part - point).argmin())

    def offset(self, point: complex, at: int) -> float:
        """How far a point lies to the left of the path at a sample."""
        return float(((point - self.points[at]) * cmath.exp(-1j * self.headings[at])).imag)


def path_of(waypoints: Sequence[Waypoint], smooth: bool = True) -> FollowedPath:
    """The path through waypoints: a smooth curve, or straight lines."""
    if len(waypoints) < 2:
        raise ParameterError(f"a path needs at least two points, got {len(waypoints)}")
    points = np.array([complex(w.z, w.x) for w in waypoints])
    gaps = np.abs(np.diff(points))
    if not np.isfinite(points).all() or not gaps.min() > 1e-3 or gaps.sum() > LONGEST:
        raise ParameterError(f"points of a path lie over 1 mm and in all up to {LONGEST / 1000:g} km apart")
    at = np.concatenate([[0.0], np.cumsum(gaps)])
    fine = np.linspace(0.0, at[-1], max(int(at[-1] / (0.2 * SPACING)), 2) + 1)
    if smooth and len(points) > 2:
        from scipy.interpolate import CubicSpline

        closed = abs(points[0] - points[-1]) < 1e-6
        curve = CubicSpline(
            at, np.stack([points.real, points.imag], axis=-1), bc_type="periodic" if closed else "natural"
        )
        found = curve(fine) @ np.array([1.0, 1j])
    else:
        found = np.interp(fine, at, points.real) + 1j * np.interp(fine, at, points.imag)
    run = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(found)))])
    count = max(int(run[-1] / SPACING), 2)
    even = np.linspace(0.0, SPACING * count, count + 1) * (run[-1] / (SPACING * count))
    where = np.interp(even, run, fine)
    found = np.interp(even, run, found.real) + 1j * np.interp(even, run, found.imag)
    headings = np.unwrap(np.angle(np.gradient(found)))
    which = np.clip(np.searchsorted(at, where + 1e-9, side="right") - 1, 0, len(waypoints) - 1)
    return FollowedPath(
        found, headings, _smoothed(np.gradient(headings, SPACING)), tuple(waypoints[k].type for k in which),
        np.array([waypoints[k].speed for k in which]),
    )  # fmt: skip


def _smoothed(values: np.ndarray) -> np.ndarray:
    """Moving means over half a metre: a corner is turned over a step, not at once."""
    half = round(0.25 / SPACING)
    padded = np.concatenate([np.full(half, values[0]), values, np.full(half, values[-1])])
    return np.convolve(padded, np.full(2 * half + 1, 1.0 / (2 * half + 1)), mode="valid")


class PathFollower:
    """Steers a character along a path; `steer` is called before every step."""

    def __init__(self, path: FollowedPath) -> None:
        self.path = path
        self.at = 0  # nearest sample
        self.done = False

    def steer(self, hero: Controller, t_s: float = 0.0) -> None:
        """Ask for what keeps the character on its path."""
        path = self.path
        point, speed, course, turning = pelvis_course(hero)
        last = min(self.at + round(SEARCH / SPACING), len(path.points) - 1)
        self.at = path.nearest(point, self.at, last)
        turn = self._turn(point, course, speed, turning)
        left = path.length - SPACING * self.at
        if self.done or left <= stopping_distance(hero, speed):
            self.done = True
            hero.request(hero.graph.home)
            hero.ask(turn=turn)
            return
        ahead = min(self.at + round(speed * CHANGE_S / SPACING), len(path.points) - 1)
        kind = path.types[ahead]
        hero.request(kind)
        wanted = min(float(path.speeds[ahead]), LAST_SPEED + SLOWING * left)
        hero.ask(speed=self._bearable(hero, kind, wanted, turn, max(speed, SLOWEST)), turn=turn)

    def stands(self, hero: Controller) -> bool:
        """Whether the path is done and the character stands at its end."""
        return self.done and hero.node == hero.graph.home and not hero.is_changing

    def _turn(self, point: complex, course: float, speed: float, turning: float) -> float:
        """°/s: the path's own turn where the character will soon be, and the way back onto it."""
        path, v = self.path, max(speed, SLOWEST)
        soon = point + speed * LOOK_S * cmath.exp(1j * (course + 0.5 * turning * LOOK_S))
        at = path.nearest(soon, self.at, min(self.at + round(SEARCH / SPACING), len(path.points) - 1))
        wrong = math.remainder(course + turning * LOOK_S - path.headings[at], 2.0 * math.pi)
        back = -2.0 * BACK_RATE * wrong - BACK_RATE**2 * path.offset(soon, at) / max(v, 0.5)
        return math.degrees(v * float(path.curvature[at]) + max(min(back, MOST_BACK), -MOST_BACK))

    def _bearable(self, hero: Controller, kind: str, speed: float, turn: float, now: float) -> float:
        """The speed, lowered to where the examples turn as tightly as the path does."""
        node = hero.graph.nodes[kind]
        if node.motion.parameter_names[:2] != ("speed", "turn"):
            return speed
        bend = turn / now  # ° a metre
        for _ in range(12):
            if not node.coverage.nearest([speed, speed * bend, *[0.0] * (len(node.coverage.low) - 2)])[1]:
                break
            speed *= 0.93
        return max(speed, float(node.coverage.low[0]))


def pelvis_course(hero: Controller) -> tuple[complex, float, float, float]:
    """Where the pelvis is without its sway (z + ix), its speed, the direction it goes (radians), and its turn (rad/s).

    In a turn the pelvis leans inside the feet, whose way the carrier goes.
    """
    forward, left, turning = hero.velocity
    aside = hero.pelvis_aside
    going = complex(forward, left) + 1j * turning * aside
    speed = abs(going)
    course = hero.heading + (cmath.phase(going) if speed > SLOWEST else 0.0)
    return hero.point + aside * cmath.exp(1j * hero.heading), speed, course, turning


def stopping_distance(hero: Controller, speed: float) -> float:
    """Metres a character still goes when told to stand, by its graph's own stops."""
    node = hero.node
    edges = hero.graph.edges.get((node, hero.graph.home), ())
    if not edges or edges[0].motion is None or speed <= 0.0:
        return 0.05
    motion = edges[0].motion
    names = motion.parameter_names
    p = np.array([speed if n.startswith("speed") else 0.0 for n in names])
    low, high = motion.parameters.min(axis=0), motion.parameters.max(axis=0)
    gone = float(motion.travelled(1.0, motion.weights(np.clip(p, low, high))[0])[0])
    return gone * min(speed / max(float(np.clip(speed, low[0], high[0])), 1e-6), 1.3)


def read_path(file: File, graph: Graph) -> FollowedPath:
    """A path of a CSV file x,z,type,speed."""
    waypoints = []
    for line, row in read_rows(file, PATH):
        x, z, speed = (number_at(file, line, row, name) for name in ("x", "z", "speed"))
        waypoints.append(Waypoint(x, z, type_at(file, line, row["type"], graph), speed))
        if len(waypoints) > 1 and math.hypot(x - waypoints[-2].x, z - waypoints[-2].z) < 1e-3:
            raise ReadError(file, f"line {line}", "a point away from the one before", f"{x:g}, {z:g} again")
    if len(waypoints) < 2:
        raise ReadError(file, "", "at least two points", str(len(waypoints)))
    return path_of(waypoints)
