"""A track's plan: which clips follow each other and when, which are laid over others, and how each pair is joined.

Clips are taken in their order; "asap" ones are put where they follow the last best. A clip that lies entirely inside
another is laid over it if one of the two is an arm movement of a standing body; otherwise the two follow each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from footfall.timeline.asap import as_soon_as_possible
from footfall.timeline.model import Track
from footfall.timeline.piece import Piece
from footfall.timeline.planner import PlannedJoin, PlanOptions, plan_join
from footfall.timeline.prepare import Workshop

LEAST_PART_S = 0.3  # of an arm movement that goes on before or after what it is laid over


@dataclass(frozen=True, eq=False)
class Overlay:
    """An additional motion over the others."""

    piece: Piece
    over: str  # name of the clip it lies inside


@dataclass(frozen=True, eq=False)
class TrackPlan:
    """Pieces in order of time, the joins between them, and what is laid over them. Starts lie on output frames."""

    pieces: tuple[Piece, ...]
    joins: tuple[PlannedJoin, ...]  # one fewer than pieces
    overlays: tuple[Overlay, ...]
    starts_s: tuple[float, ...]  # of every clip of the track, in its order

    def shifted(self, by_s: float) -> TrackPlan:
        """The same plan at another time."""
        return TrackPlan(
            tuple(piece.at(piece.start_s + by_s) for piece in self.pieces),
            tuple(join.shifted(by_s) for join in self.joins),
            tuple(replace(o, piece=o.piece.at(o.piece.start_s + by_s)) for o in self.overlays),
            tuple(start + by_s for start in self.starts_s),
        )


class JoinPlanner:
    """Plans joins and remembers them: what a drag did not touch is not decided again."""

    def __init__(self, options: PlanOptions | None = None) -> None:
        self.options = options or PlanOptions()
        self._joins: dict[tuple[object, ...], PlannedJoin] = {}
        self._starts: dict[tuple[object, ...], float] = {}

    def join(self, previous: Piece, following: Piece, free_s: float) -> PlannedJoin:
        """plan_join, once for every arrangement of two clips."""
        at = previous.start_s
        key = (*_pair(previous, following), _ms(following.start_s - at), _ms(free_s - at))
        if key not in self._joins:
            here, there = previous.at(0.0), following.at(following.start_s - at)
            self._joins[key] = plan_join(here, there, free_s - at, self.options)
        return self._joins[key].shifted(at)

    def asap(self, previous: Piece, following: Piece, free_s: float) -> float:
        """The start of the next clip that follows the previous one best."""
        at = previous.start_s
        key = (*_pair(previous, following), _ms(free_s - at))
        if key not in self._starts:
            self._starts[key] = as_soon_as_possible(previous.at(0.0), following, free_s - at, self.options).start_s
        return self._starts[key] + at

    def joins(self, line: list[Piece]) -> list[PlannedJoin]:
        """Joins of pieces that follow each other."""
        found: list[PlannedJoin] = []
        free = line[0].start_s if line else 0.0
        for previous, following in pairwise(line):
            found.append(self.join(previous, following, free))
            free = found[-1].end_s
        return found


def _pair(previous: Piece, following: Piece) -> tuple[object, ...]:
    return previous.clip, following.clip, following.method


def _ms(seconds: float) -> int:
    """Microseconds: times that differ by rounding are one."""
    return round(1e6 * seconds)


def plan_track(track: Track, workshop: Workshop, fps: float, planner: JoinPlanner | None = None) -> TrackPlan:
    """Decide a track, first clip to last."""
    planner = planner or JoinPlanner()
    placed: list[Piece] = []
    for entry in track.clips:
        piece = workshop.piece(entry, track, fps)
        start = 0.0
        if entry.start_s != "asap":
            start = float(entry.start_s)
        elif placed:
            line, _ = _lines(placed)
            joins = planner.joins(line)
            start = planner.asap(line[-1], piece, joins[-1].end_s if joins else line[0].start_s)
        placed.append(piece.at(round(start * fps) / fps))
    line, overlays = _lines(placed)
    return TrackPlan(tuple(line), tuple(planner.joins(line)), tuple(overlays), tuple(p.start_s for p in placed))


def _lines(placed: list[Piece]) -> tuple[list[Piece], list[Overlay]]:
    """The clips that follow each other, in order of time, and those that are laid over them."""
    ordered = sorted(placed, key=lambda p: (p.start_s, -p.end_s))
    line: list[Piece] = []
    overlays: list[Overlay] = []
    for piece in ordered:
        outer = next((p for p in line if p.start_s <= piece.start_s and piece.end_s <= p.end_s), None)
        if outer is None:
            line.append(piece)
        elif piece.analysis.additional.is_additional:
            overlays.append(Overlay(piece, outer.name))
        elif outer.analysis.additional.is_additional:  # the long one is the arm movement: it is laid over the short one
            overlays.append(Overlay(outer, piece.name))
            line[line.index(outer) :] = [*_around(outer, piece)]
        else:
            line.append(piece)
    return sorted(line, key=lambda p: p.start_s), overlays


def _around(outer: Piece, inner: Piece) -> list[Piece]:
    """The outer clip's part before the inner one, the inner one, the outer's part after it."""
    before, after = inner.start_s - outer.start_s, outer.end_s - inner.end_s
    parts = [inner]
    if before >= LEAST_PART_S:
        parts.insert(0, replace(outer, clip=outer.clip.trim(0.0, before)))
    if after >= LEAST_PART_S:
        start = outer.clip.duration - after
        late = replace(outer, clip=outer.clip.trim(start), start_s=inner.end_s)
        parts.append(replace(late, source_start_s=outer.source_start_s + start * outer.source_rate))
    return parts
