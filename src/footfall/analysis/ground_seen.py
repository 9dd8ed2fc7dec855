"""Ground seen: the ground of a clip, inferred from where its feet stood: level floor, slope, steps or uneven ground.

Every stance has the height of its sole. Where they differ by no more than captured floors do, the ground is level;
where feet are pitched as the way rises it slopes; where they stay level, at heights evenly apart, it has steps.
docs/ground.md.
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
GRADE, STEEPEST = 0.04, 0.33  # metres a metre: less is no slope, and nobody walks up a steeper one
LEAST_RISE_M = 0.09  # metres: nobody builds lower steps, so that feet that rise evenly by less go up a slope
FOLLOWS = 0.55  # of the steepest grade: soles whose pitch changes by more lie on a slope, not on treads
LEAST_RUN_M = 0.2  # metres: feet nearer than this stand beside each other
TREAD_M = 0.05  # stances nearer than this in height stand on one tread
EVENLY = 0.25  # of their rise that steps differ by at most; else the ground is uneven


class SeenStance(NamedTuple):
    """Where a foot stood."""

    foot: str
    start_s: float
    end_s: float
    place: tuple[float, float, float]  # of the lowest point of its sole, metres
    pitch: float  # rise for each metre from the ankle to the ball


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
    local = _local_grades(place)
    steepest = float(local[np.abs(local).argmax()])
    told = tuple(float(x - levels[0]) for x in levels)
    evenly = len(gaps) > 0 and bool(np.ptp(gaps) <= 2.0 * EVENLY * float(np.median(gaps)))
    rise = float(np.median(gaps)) if evenly else spread
    up = np.abs(local) > 0.5 * abs(steepest)
    grade = float(np.median(local[up]))
    one_way = bool((np.sign(local[up]) == np.sign(steepest)).all())
    lies = _pitched(stances) >= FOLLOWS * abs(steepest) or (evenly and rise < LEAST_RISE_M * size)
    if one_way and lies and GRADE <= abs(grade) <= STEEPEST:
        return SeenGround("slope", stances, told, spread, grade)
    return SeenGround("steps" if evenly else "uneven", stances, told, rise, 0.0)


def _stances(clip: Clip) -> tuple[SeenStance, ...]:
    """Every contact of a foot, in order of time."""
    points_of = foot_points(clip)
    sole, ankle, toe, found = points_of.sole, points_of.heel, points_of.toe, []
    for foot, side in enumerate(SIDES):
        for start, end in clip.contacts.spans(side):
            a, b = int(np.ceil(start * clip.fps)), int(np.floor(end * clip.fps)) + 1
            edge = (b - a) // 4
            points = sole[a + edge : max(b - edge, a + edge + 1), foot]
            if len(points):
                low = np.median(points, axis=0)
                x, y, z = (float(v) for v in (*low[1, :1], low[:, 1].min(), low[1, 2]))
                line = np.median((toe - ankle)[a + edge : max(b - edge, a + edge + 1), foot], axis=0)
                found.append(SeenStance(side, start, end, (x, y, z), _rise(line)))
    return tuple(sorted(found, key=lambda s: s.start_s))


def _levels(height: np.ndarray, apart: float) -> np.ndarray:
    """Heights that stances gather at, from the lowest."""
    ordered = np.sort(height)
    groups = np.split(ordered, np.flatnonzero(np.diff(ordered) > apart) + 1)
    return np.array([np.median(group) for group in groups])


def _rise(line: np.ndarray) -> float:
    """Rise of a line (3,) for each metre on the floor."""
    return float(line[1] / max(float(np.hypot(line[0], line[2])), 1e-6))


def _local_grades(place: np.ndarray) -> np.ndarray:
    """(S - 1,) rise of the way for each metre from stance to stance; 0 between feet that stand beside each other."""
    step = np.diff(place, axis=0)
    run = np.linalg.norm(step[:, [0, 2]], axis=-1)
    return np.where(run > LEAST_RUN_M, step[:, 1] / np.maximum(run, 1e-6), 0.0)


def _pitched(stances: tuple[SeenStance, ...]) -> float:
    """How much the pitch of a sole changes along the way, in metres a metre; each foot has its own zero."""
    ranges = [np.ptp([s.pitch for s in stances if s.foot == side] or [0.0]) for side in SIDES]
    return float(np.mean(ranges))
