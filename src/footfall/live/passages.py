"""Passages: when a gait is best left for an action, and an action for a gait, without a stop in between.

For every pair, at a few speeds of the gait and at moments all over what is left, `live.passing` finds the best moment
to enter; it is tabulated once, when a graph is made ready. On a request the moment to leave is looked up: soon, and
with feet where the next motion wants them. An action may be done with the other side where that comes sooner.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.analysis.apex import LIMBS, find_apex
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError
from footfall.graph.graph import Node
from footfall.live.overlay import ArmMovement
from footfall.live.passing import LEAST_S, pass_over, tabulate
from footfall.parametric import play
from footfall.parametric.parametric_motion import ParametricMotion

FPS = 60.0  # at which actions are looked at
PHASES, SPEEDS = 24, 5  # of what is left; of a gait: those that are tabulated
MOST_OFF_M = 0.3  # metres: feet that would be farther off need a stop, or other steps. By eye
STOOD_OFF_M, SLACK_M = 0.06, 0.02  # the same before standing, where no step makes up for it; what is as good. By eye
LATE_COST = 60.0  # of a second's wait, in the costs of `live.passing`. By eye
WIND_UP_S, CROUCH_S = 0.3, 0.32  # an action is entered so long before its apex, or its take-off, at least. By eye
FOUND_UP_S = 0.36  # the same where the apex was found: entered later, a recorded kick is 0.9 of its height. Measured
CROUCHED_S = 0.45  # in which a velocity dies away before a jump, at least: it is not to stand before it leaps. By eye
SHOWN_S, LANDED_S = 0.2, 0.08  # and is shown so long after its apex, or its landing, at least. By eye
TURNS_RAD = 0.35  # radians: an action that turns by more is a turn. By eye
TURN_BEGUN, TURN_DONE = 0.002, 0.98  # of its turn, gone when it is entered last and left first. By eye
LYING, UP, UP_BY = 0.6, 0.9, 0.97  # of the last height of the pelvis: lies, is up; canonical time. By eye
RISES_M = 0.12  # metres that a pelvis rises over where it ends, in a leap; runs have 0.08. By eye
LEAP_S = 0.35  # seconds of its speed that a body jumps farther while it goes. By eye
ACTS_BY = {"kick": ("ankle",), "punch": ("wrist",), "reach": ("wrist",), "wave": ("wrist",)}  # hands may rise in a kick
SLACK_S = 0.02  # seconds: a moment that has just passed is still good. By eye
LONGEST_WAIT_S = 1.2  # a moment that comes later is not waited for, unless a gait goes on after it; a cycle of a walk


class ActionSpan(NamedTuple):
    """Canonical times of an action: to be entered from and by, left from, and its apex."""

    enter_from: float
    enter_by: float
    leave_from: float
    apex: float
    apex_s: float  # seconds from its start, at the mean of its examples
    least_s: float  # in which a velocity dies away that a body comes with, at least


class Passage(NamedTuple):
    """What passing over from one motion to another comes to: S speeds of the gait, P moments of what is left."""

    speeds: np.ndarray  # (S,)
    found: np.ndarray  # (S, P, 4) cost, canonical time of what is entered, seconds, metres off


class Chosen(NamedTuple):
    """A moment to pass over."""

    into: int  # node
    at: float  # canonical time of what is left
    wait_s: float
    cost: float


def action_span(motion: ParametricMotion) -> ActionSpan:
    """When an action may be entered and left so that all that it shows is shown."""
    even = np.full(len(motion), 1.0 / len(motion))
    rates = motion.blended_rates(even)
    ends = np.concatenate([[0.0], np.cumsum(1.0 / len(rates) / rates)])  # seconds of key times
    marks = list(motion.marks)
    flies = [k for k, mark in enumerate(marks) if mark.endswith("off")]
    lands = [k for k, mark in enumerate(marks) if mark.endswith("strike")]

    def canonical(seconds: float) -> float:
        return float(np.interp(seconds, ends, np.linspace(0.0, 1.0, len(ends))))

    told = "apex" in marks
    apex_s = float(ends[marks.index("apex")]) if told else _found_apex(motion, even)
    enter_s, leave_s, least_s = apex_s - (WIND_UP_S if told else FOUND_UP_S), apex_s + SHOWN_S, LEAST_S
    if motion.kind == "jump" and flies and lands:
        enter_s, leave_s, least_s = ends[flies[0]] - CROUCH_S, ends[lands[-1]] + LANDED_S, CROUCHED_S
    among = canonical(max(enter_s, 0.02)), canonical(min(leave_s, ends[-1] - 0.05))
    return ActionSpan(*_all_shown(motion, even, *among), canonical(apex_s), apex_s, least_s)


def _all_shown(
    motion: ParametricMotion, even: np.ndarray, enter_by: float, leave_from: float
) -> tuple[float, float, float]:
    """Canonical times to enter an action from and by, and to leave it from, so that a turn is done whole; one that gets
    up from the floor is for a body that lies there, and of one that stands only the end is left to do."""
    grid = np.linspace(0.0, 1.0, motion.cells + 1)
    turned, high = motion.travel[..., 2] @ even, _pelvis_heights(motion, even, grid)
    turned = turned * np.sign(turned[-1])
    if turned[-1] > TURNS_RAD:
        enter_by = min(enter_by, float(grid[np.flatnonzero(turned <= TURN_BEGUN * turned[-1])[-1]]))
        leave_from = max(leave_from, float(grid[np.argmax(turned > TURN_DONE * turned[-1])]))
    top = int(high.argmax())
    if high[top] > high[-1] + RISES_M and motion.kind != "jump":
        lands = top + int(np.argmax(high[top:] <= high[-1]))
        leave_from = max(leave_from, float(grid[lands]))
        enter_by = min(enter_by, float(grid[int(high[:top].argmin())]))
    if high[0] < LYING * high[-1]:
        up = float(grid[np.argmax(high > UP * high[-1])])
        return min(up, UP_BY), UP_BY, max(leave_from, up)
    return 0.0, enter_by, leave_from


def _played(motion: ParametricMotion, even: np.ndarray) -> tuple[Clip, np.ndarray]:
    """An action as a clip, and the canonical time of its frames (T,)."""
    played = play.play(motion, even, np.arange(0.0, play.duration(motion, even), 1.0 / FPS))
    return Clip(motion.skeleton, FPS, played.pose), played.canonical


def _pelvis_heights(motion: ParametricMotion, even: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Metres of the pelvis over the floor at canonical times; the root of somebody's character may lie on the floor."""
    clip, canonical = _played(motion, even)
    return np.interp(grid, canonical, clip.positions[:, clip.skeleton.roles.pelvis, 1])


def _found_apex(motion: ParametricMotion, even: np.ndarray) -> float:
    """Seconds to the apex of an action whose examples do not tell it; the middle where nothing reaches out."""
    try:
        clip, _ = _played(motion, even)
        return find_apex(clip, limbs=ACTS_BY.get(motion.name, LIMBS)).t_s
    except FootfallError:
        return 0.5 * play.duration(motion, even)


class Passages:
    """All passages of a graph between its gaits and its actions."""

    def __init__(
        self, nodes: Sequence[Node], twins: Mapping[int, int], laid_over: Mapping[int, ArmMovement],
        forms: Mapping[int, int], made: Iterable[tuple[int, int]], handle: Any,
    ) -> None:  # fmt: skip
        """nodes by their numbers; twins: of an action, the one with the other side; laid_over: actions that need no
        passage; forms: gaits of actions that are done out of one alone; made: loops between which there is no recorded
        edge; handle: of a row to work with."""
        self.nodes, self.twins = nodes, dict(twins)
        self.out_of_gaits = {
            *forms,
            *(twins[k] for k in forms if k in twins),
        }  # actions that end in the gait they begin in
        self.spans = {k: action_span(node.motion) for k, node in enumerate(nodes) if node.is_action}
        for k, movement in laid_over.items():  # asked for at once of a body that stands, all of it is shown as well
            self.spans[k] = self.spans[k]._replace(enter_by=min(self.spans[k].enter_by, max(movement.start, 0.0)))
        gaits = [k for k, node in enumerate(nodes) if not node.is_action and len(node.motion.marks) > 2]
        self.pairs: dict[tuple[int, int], Passage] = {}
        for a, b in made:
            self.pairs[a, b] = self._tabulated(handle, a, b)
        for gait in gaits:
            for action in (k for k in self.spans if k not in laid_over):
                if forms.get(action, forms.get(self.twins.get(action, -1), gait)) != gait:
                    continue
                self.pairs[gait, action] = self._tabulated(handle, gait, action)
                self.pairs[action, gait] = self._tabulated(handle, action, gait)
        for _, b in list(self.pairs)[:1]:  # compiled now: the first press is not to wait for it
            pass_over(handle, 0, b, np.array(self.parameters(b, {}, 0.0), float), np.array(self.among(b)))

    def _tabulated(self, handle: Any, a: int, b: int) -> Passage:
        gait = a if self.axis(a) else b
        axis, speeds = self.axis(gait), np.zeros(1)
        if axis:
            k, cover = self.nodes[gait].motion.parameter_names.index(axis), self.nodes[gait].coverage
            speeds = np.linspace(cover.low[k], cover.high[k], SPEEDS)
        found = np.empty((len(speeds), PHASES, 4))
        for row, speed in zip(found, speeds.tolist(), strict=True):
            p = [np.array(self.parameters(k, {axis: speed} if k == gait else {}, speed), float) for k in (a, b)]
            tabulate(handle, a, p[0], b, p[1], np.array(self.among(b)), row)
        return Passage(speeds, found)

    def _stands(self, k: int) -> bool:
        """Whether a node is a loop without steps: feet that come to it stay where they are."""
        return k not in self.spans and len(self.nodes[k].motion.marks) == 2

    def axis(self, k: int) -> str:
        """What a gait is tabulated by: its speed, or its speed to a side; nothing for what has neither."""
        names = self.nodes[k].motion.parameter_names
        return "" if k in self.spans else next((name for name in ("speed", "side") if name in names), "")

    def parameters(self, k: int, given: Mapping[str, float], speed: float) -> list[float]:
        """Parameters of a node nearest to those given by name; a jump of a body that goes on is the farther for it, and
        what is done out of a gait is done at its speed."""
        node = self.nodes[k]
        wanted = []
        for name, full, usual in node.usual:
            value = given.get(full, given.get(name, math.nan))
            if math.isnan(value):
                value = usual + LEAP_S * speed if node.is_action and name == "distance" else usual
                value = speed if node.is_action and name == "speed" else value
            wanted.append(value)
        return node.coverage.nearest(wanted)[0]

    def among(self, b: int) -> tuple[float, float, float]:
        """Canonical times of b that may be entered, and seconds in which a velocity dies away at least."""
        span = self.spans.get(b)
        return (span.enter_from, span.enter_by, span.least_s) if span else (0.0, 1.0, LEAST_S)

    def best(self, a: int, goals: Iterable[int], now: float, weights: np.ndarray, speed: float) -> Chosen | None:
        """The best moment to leave a for one of some goals; now: canonical time in a; weights (N,) of it.

        None: none that comes soon has feet that are near enough.
        """
        rates = self.nodes[a].motion.blended_rates(weights)
        ends = np.concatenate([[0.0], np.cumsum(1.0 / len(rates) / rates)])
        moments = (np.arange(PHASES) + 0.5) / PHASES
        seconds = np.interp([*moments, now], np.linspace(0.0, 1.0, len(ends)), ends)
        wait = seconds[:-1] - seconds[-1]
        if a not in self.spans:
            wait = (wait + SLACK_S) % ends[-1] - SLACK_S
        ways = [self._soonest(a, into, wait, speed) for into in goals]
        found = [way for way in ways if way is not None]
        return min(found, key=lambda way: way.cost) if found else None

    def _soonest(self, a: int, b: int, wait: np.ndarray, speed: float) -> Chosen | None:
        """The best moment for one of both; wait (P,) seconds until the moments of a."""
        known = self.pairs.get((a, b))
        if known is None:
            return None
        table = known.found[int(np.abs(known.speeds - speed).argmin())]
        moments = (np.arange(PHASES) + 0.5) / PHASES
        soon = (wait >= -SLACK_S) & (wait <= (math.inf if a in self.out_of_gaits else LONGEST_WAIT_S))
        least = float(table[soon, 3].min(initial=MOST_OFF_M))
        most = max(STOOD_OFF_M, least + SLACK_M) if self._stands(b) else MOST_OFF_M
        usable = soon & (table[:, 3] <= min(most, MOST_OFF_M))
        if a in self.spans:
            usable &= moments >= self.spans[a].leave_from
        if not usable.any():
            return None
        skipped = table[:, 1] * self.spans[b].apex_s / max(self.spans[b].apex, 1e-6) if b in self.spans else 0.0
        cost = np.where(usable, table[:, 0] + LATE_COST * (wait - skipped), np.inf)
        m = int(cost.argmin())
        return Chosen(b, float(moments[m]), max(float(wait[m]), 0.0), float(cost[m]))
