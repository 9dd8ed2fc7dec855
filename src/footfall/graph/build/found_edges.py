"""Found edges: changes from one gait to another that recordings hold, and the edges of a graph made of them.

A change is a stretch in which the label of a take's cycles changes: from the last cycle (or the end of standing) of one
label to the end of the first cycle of the next. What spoils a cycle spoils a change too, and is told. Changes of one
kind are examples of one edge where their steps agree; where no recorded change can be used the edge is made on the fly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from footfall.analysis.arc import floor_plane
from footfall.analysis.phases import find_phases
from footfall.core.clip import Clip, Event
from footfall.core.errors import FootfallError, ParameterError
from footfall.feet.foot_lock import foot_lock
from footfall.feet.toe_bend import bend_toes
from footfall.graph.build.closed_loops import PARTS, Spans
from footfall.graph.build.found_cycles import FoundGait, glitch_in, glitches
from footfall.graph.edges import Edge, build_edges
from footfall.parametric.parametric_motion import ParametricMotion

# All by eye, on the CMU takes.
HELD_S = 0.35  # on both feet, slowly: long enough to have stopped, or to start from
BEFORE_S, AFTER_S = 0.6, 0.8  # of standing that goes with a change
SLOW_LEG_S = 0.35  # leg lengths a second, of the pelvis over HELD_S: a slower one stands
MOST_CHANGE = 0.6  # of its speed over a cycle: a cycle that changes more is no gait of its own
ChangeTake = tuple[Clip, Mapping[str, float]]  # and its parameters
UNSURE = ("not a gait", "goes obliquely", "turns on its feet", "neither")  # why a cycle has no label of its own


class FoundChange(NamedTuple):
    """A stretch of a recording that goes from one label to another; usable where `why` is empty."""

    before: str
    after: str
    start_s: float
    end_s: float
    parameters: dict[str, float]  # speed_before, turn_before, …, side_after, as edges take them: m/s and °/s
    why: str = ""


def find_changes(clip: Clip, gaits: Sequence[FoundGait]) -> list[FoundChange]:
    """Changes of label in a recording whose cycles are known, in order."""
    clear = [f for f in gaits if f.label not in ("", "stand") and not f.why.startswith(UNSURE)]
    clear = [f for f in clear if f.change <= MOST_CHANGE]
    states = sorted([*clear, *_standing(clip)], key=lambda s: (s.start_s, s.end_s))
    bad = glitches(clip)
    found: list[FoundChange] = []
    for k, first in enumerate(states):
        second = next((s for s in states[k + 1 :] if s.end_s > first.end_s), None)
        if second is None or second.label == first.label:
            continue
        start = max(first.start_s, first.end_s - BEFORE_S) if first.label == "stand" else first.start_s
        end = min(second.end_s, second.start_s + AFTER_S) if second.label == "stand" else second.end_s
        ends = {"before": first, "after": second}
        own = {f"{n}_{at}": float(getattr(ends[at], n)) for n in ("speed", "turn", "side") for at in ends}
        found.append(FoundChange(first.label, second.label, start, end, own, glitch_in(bad, start, end)))
    return found


def _standing(clip: Clip) -> list[FoundGait]:
    """Long stretches on both feet with a slow pelvis at one of their ends or all along."""
    path = floor_plane(clip.root_motion.position)
    slow = SLOW_LEG_S * clip.skeleton.leg_length
    found = []
    for phase in find_phases(clip, clip.contacts):
        if phase.label != "DS" or phase.end_s - phase.start_s < HELD_S:
            continue
        first, last = int(np.ceil(phase.start_s * clip.fps)), min(int(phase.end_s * clip.fps), clip.frames - 1)
        held = max(int(HELD_S * clip.fps), 1)
        speeds = np.abs(path[first + held : last + 1] - path[first : last + 1 - held]) / (held / clip.fps)
        if (speeds < slow).any():
            found.append(FoundGait("stand", phase.start_s, phase.end_s))
    return found


def cut_take(take: Clip, spans: Spans, start_s: float, end_s: float, name: str) -> Clip:
    """The stretch of a recording, feet locked, with its contacts."""
    first = max(round(start_s * take.fps), 0)
    last = min(round(end_s * take.fps), take.frames - 1)
    if last - first < 4:
        raise ParameterError(f"{name}: from {start_s:g} to {end_s:g} s is no stretch of a take of {take.duration:g} s")
    begin, length = first / take.fps, (last - first) / take.fps
    known = []
    for part in PARTS:
        inside = [(a - begin, b - begin) for a, b in spans[part] if b > begin and a < begin + length]
        known += [Event(part, max(a, 0.0), min(b, length)) for a, b in inside]
    cut = take.with_pose(take.pose.at(slice(first, last + 1)), name=name, is_loop=False, events=())
    own = {p: [(e.start_s, e.end_s) for e in known if e.name == p] for p in PARTS}
    locked = bend_toes(foot_lock(cut, own), own)
    return locked.with_pose(locked.pose, events=tuple(known), name=name, is_loop=False)


class BuiltEdge(NamedTuple):
    """An edge, which changes it is made of, and why others are not in it."""

    ways: tuple[Edge, ...]
    used: tuple[int, ...]
    refused: Mapping[int, str]


def edge_of(
    before: ParametricMotion, after: ParametricMotion, takes: Sequence[ChangeTake], lead: int | None = None
) -> BuiltEdge:
    """The edge between two nodes from recorded changes: as many of them as share their steps with both and each other.

    lead: one of the first so many must be in it (default: any). Without any the edge is made on the fly.
    """
    if not takes:
        return BuiltEdge((Edge(before.name, after.name),), (), {})
    whole = _tried(before, after, takes, range(len(takes)))
    if not isinstance(whole, str):
        return BuiltEdge(whole, tuple(range(len(takes))), {})
    alone = {k: _tried(before, after, takes, (k,)) for k in range(len(takes))}
    refused = {k: found for k, found in alone.items() if isinstance(found, str)}
    sound = [k for k in alone if k not in refused]
    best: tuple[int, ...] = ()
    ways: tuple[Edge, ...] = (Edge(before.name, after.name),)
    for k in (k for k in sound if lead is None or k < lead):  # grown from each in turn: the steps of the first decide
        used: tuple[int, ...] = (k,)
        own = alone[k]
        for other in sound:
            tried = _tried(before, after, takes, (*used, other)) if other not in used else ""
            if not isinstance(tried, str):
                used, own = (*used, other), tried
        if len(used) > len(best) and not isinstance(own, str):
            best, ways = used, own
    left = {k: "its steps are not those of the other changes of this kind" for k in sound if k not in best}
    return BuiltEdge(ways, best, {**refused, **left})


def _tried(
    before: ParametricMotion, after: ParametricMotion, takes: Sequence[ChangeTake], some: Sequence[int]
) -> tuple[Edge, ...] | str:
    """The edge of some takes, or why there is none."""
    clips, given = zip(*(takes[k] for k in some), strict=True)
    try:
        return tuple(build_edges(before, after, clips, given))
    except FootfallError as error:
        return " ".join(str(error).split())
