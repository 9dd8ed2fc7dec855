"""Ground seen: what a clip was made on, told from where its feet stood: a level floor, a slope, steps, or uneven ground.

Every stance has the height of its sole. Where they differ by no more than captured floors do, the ground is level;
where a plane goes through all of them it slopes; where they gather at levels evenly apart it has steps. docs/ground.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footfall.analysis.foot_points import foot_points
from footfall.analysis.foot_signals import LEG_M
from footfall.analysis.uneven import UNEVEN_M
from footfall.core.once import once
from footfall.core.roles import SIDES

if TYPE_CHECKING:
    from footfall.core.clip import Clip

# By eye, on captures of stairs, slopes and uneven terrain; metres for a standard leg.
LEVEL_M = 0.1  # from the lowest stance to the highest: captured floors slope by up to 9 cm along a walk
PLANE_M = 0.035  # root mean square from a plane that is still a slope
GRADE = 0.04  # metres a metre: less is no slope
TREAD_M = 0.05  # stances nearer than this in height stand on one tread
EVENLY = 0.25  # of their rise that steps differ by at most; else the ground is uneven


class SeenStance(NamedTuple):
    """Where a foot stood."""

    foot: str
    start_s: float
    end_s: float
    place: tuple[float, float, float]  # of the lowest point of its sole, metres


@dataclass(frozen=True)
class SeenGround:
    """What a clip was made on."""

    kind: str  # level, slope, steps or uneven
    stances: tuple[SeenStance, ...]
    levels: tuple[float, ...]  # heights of treads, from the lowest, metres
    rise_m: float  # of a step, or from the lowest stance to the highest
    grade: float  # of a slope along the way, metres a metre; upwards is positive

    def in_words(self) -> str:
        if self.kind == "slope":
            return f"a slope of {100.0 * self.grade:.0f} %"
        if self.kind == "steps":
            return f"{len(self.levels)} levels, steps of {100.0 * self.rise_m:.0f} cm"
        return "level" if self.kind == "level" else f"uneven by {100.0 * self.rise_m:.0f} cm"

    def to_json(self) -> dict[str, Any]:
        """Plain data for json.dumps."""
        levels = [round(x, 3) for x in self.levels]
        told = {"kind": self.kind, "levels_m": levels, "rise_m": round(self.rise_m, 3), "grade": round(self.grade, 3)}
        return {**told, "words": self.in_words()}


@once
def find_ground(clip: Clip) -> SeenGround:
    """The ground under a clip of one frame or more."""
    stances = _stances(clip)
    size = clip.skeleton.leg_length / LEG_M
    if len(stances) < 2:
        return SeenGround("level", stances, (0.0,) if stances else (), 0.0, 0.0)
    place = np.array([s.place for s in stances])
    spread = float(np.ptp(place[:, 1]))
    steps = np.abs(np.diff(place[:, 1]))
    if spread <= LEVEL_M * size or steps.max() <= 0.5 * UNEVEN_M * size:
        return SeenGround("level", stances, (0.0,), spread, 0.0)
    levels = _levels(place[:, 1], TREAD_M * size)
    gaps = np.diff(levels)
    grade, off = _plane(place)
    slopes = off <= PLANE_M * size and abs(grade) >= GRADE
    evenly = len(gaps) and np.ptp(gaps) <= 2.0 * EVENLY * float(np.median(gaps))
    rise = float(np.median(gaps)) if len(gaps) else spread
    flat = float(np.median(np.abs(place[:, 1] - levels[np.abs(np.subtract.outer(place[:, 1], levels)).argmin(axis=1)])))
    told = tuple(float(x - levels[0]) for x in levels)
    if evenly and len(gaps) and (not slopes or flat < 0.1 * rise):
        return SeenGround("steps", stances, told, rise, grade)
    if slopes:
        return SeenGround("slope", stances, told, spread, grade)
    return SeenGround("uneven", stances, told, spread, grade)


def _stances(clip: Clip) -> tuple[SeenStance, ...]:
    """Every contact of a foot, in order of time."""
    sole, found = foot_points(clip).sole, []
    for foot, side in enumerate(SIDES):
        for start, end in clip.contacts.spans(side):
            a, b = int(np.ceil(start * clip.fps)), int(np.floor(end * clip.fps)) + 1
            edge = (b - a) // 4
            points = sole[a + edge : max(b - edge, a + edge + 1), foot]
            if len(points):
                low = np.median(points, axis=0)
                x, y, z = (float(v) for v in (*low[1, :1], low[:, 1].min(), low[1, 2]))
                found.append(SeenStance(side, start, end, (x, y, z)))
    return tuple(sorted(found, key=lambda s: s.start_s))


def _levels(height: np.ndarray, apart: float) -> np.ndarray:
    """Heights that stances gather at, from the lowest."""
    ordered = np.sort(height)
    groups = np.split(ordered, np.flatnonzero(np.diff(ordered) > apart) + 1)
    return np.array([np.median(group) for group in groups])


def _plane(place: np.ndarray) -> tuple[float, float]:
    """Rise for each metre along the way of a plane through places (S, 3), and how far they are off it (RMS)."""
    floor = place[:, [0, 2]] - place[:, [0, 2]].mean(axis=0)
    columns = np.column_stack([floor, np.ones(len(place))])
    ridge = np.diag([0.05, 0.05, 0.0])  # feet in one line say nothing of what lies to the sides
    fit = np.linalg.lstsq(np.vstack([columns, ridge]), np.append(place[:, 1], np.zeros(3)), rcond=None)[0]
    way = place[-1, [0, 2]] - place[0, [0, 2]]
    length = float(np.linalg.norm(way))
    grade = float(fit[:2] @ way / length) if length > 0.5 else float(np.linalg.norm(fit[:2]))
    return grade, float(np.sqrt(np.mean((columns @ fit - place[:, 1]) ** 2)))
