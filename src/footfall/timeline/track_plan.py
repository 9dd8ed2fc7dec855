"""A track's plan: which clips follow each other and when, which are laid over others, and how each pair is joined.

Clips are taken in their order; "asap" ones are put where they follow the last best. A clip that lies entirely inside
another is laid over it if one of the two is an arm movement of a standing body; otherwise the two follow each other.
A clip that is over before the one before it has been entered would never be seen: its neighbours are joined. A gap is
filled with standing (unless paper=True), joined as any other clip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple
from weakref import ref

from footfall.core.report import Rejected
from footfall.timeline.arranged_clip import ArrangedClip, arm_movement
from footfall.timeline.asap import StartCandidate, as_soon_as_possible, rank
from footfall.timeline.evaluate import EvaluatedJoin
from footfall.timeline.fillers import Fillers
from footfall.timeline.model import TimelineTrack
from footfall.timeline.planner import ADAPT_S, PlannedJoin, PlanOptions, plan_join
from footfall.timeline.prepare import Workshop
from footfall.timeline.recent import Recent
from footfall.timeline.searched import JoinBefore, JoinSearcher, SearchedJoin
from footfall.timeline.standing import GAP_S

KEPT = 4096  # joins and starts that are remembered; their clips are not held for it: a few kB each, not a MB
# seconds: a stand begins up to this much later than it could, so that it is left at one of few moments: while a clip is
# dragged most joins into and out of it are known. No longer than a blend fills (windows.ABSORBED_S)
STAND_STEP_S = 0.2
LEAST_PART_S = 0.3  # of an arm movement that goes on before or after what it is laid over


@dataclass(frozen=True, eq=False)
class Overlay:
    """An additional motion over the others."""

    piece: ArrangedClip
    over: str  # name of the clip it lies inside
    shifts: bool = True  # it may be shifted to swing with that one's arm; not where it is played before and after, too


class OwnJoin(NamedTuple):
    """A join in its previous clip's time, whose first frame is at 0: the same numbers whenever it happens."""

    join: PlannedJoin
    free_s: float  # from when on the previous clip may be changed
    offset: int  # output frames to the next clip's first frame
    frames: EvaluatedJoin | None = None  # where they were made by the search


class LeftOutClip(NamedTuple):
    """A clip that is left out: it is over before the one before it has been entered."""

    piece: ArrangedClip
    join: int  # place of the join it lies in


class JoinedLine(NamedTuple):
    """Pieces that follow each other, their joins (one fewer), and what is left out between them."""

    pieces: tuple[ArrangedClip, ...] = ()
    joins: tuple[OwnJoin, ...] = ()
    unseen: tuple[LeftOutClip, ...] = ()


@dataclass(frozen=True, eq=False)
class TrackPlan:
    """Pieces in order of time, the joins between them, and what is laid over them. Starts lie on output frames."""

    pieces: tuple[ArrangedClip, ...]
    joins: tuple[PlannedJoin, ...]  # one fewer than pieces
    overlays: tuple[Overlay, ...]
    starts_s: tuple[float, ...]  # of every clip of the track, in its order
    own: tuple[OwnJoin, ...]  # the joins again, each in its previous clip's time
    unseen: tuple[LeftOutClip, ...] = ()  # left out, which the join each lies in says among what it rejected

    def shifted(self, by_s: float) -> TrackPlan:
        """The same plan at another time."""
        return TrackPlan(
            tuple(piece.at(piece.start_s + by_s) for piece in self.pieces),
            tuple(join.shifted(by_s) for join in self.joins),
            tuple(replace(o, piece=o.piece.at(o.piece.start_s + by_s)) for o in self.overlays),
            tuple(start + by_s for start in self.starts_s),
            self.own,
            tuple(u._replace(piece=u.piece.at(u.piece.start_s + by_s)) for u in self.unseen),
        )


class JoinPlanner:
    """Plans joins and remembers them: what a drag did not touch is not decided again."""

    def __init__(self, options: PlanOptions | None = None) -> None:
        self.options = options or PlanOptions()
        self._joins: Recent[tuple[object, ...], PlannedJoin] = Recent(KEPT)
        self._starts: Recent[tuple[object, ...], StartCandidate] = Recent(KEPT)
        self.searcher = JoinSearcher()

    def follows(self, line: JoinedLine, following: ArrangedClip, fps: float) -> ArrangedClip:
        """The next clip where it follows a line best."""
        previous = line.pieces[-1]
        searched = self._searched(previous, following, line.joins, fps)
        if searched is not None:
            return replace(following, start_s=_on_frame(previous.start_s + searched.offset / fps, fps), searched=True)
        start = self.asap(previous, following, _free(line.joins, fps)).start_s + previous.start_s
        return following.at(_on_frame(start, fps))

    def _searched(
        self, previous: ArrangedClip, following: ArrangedClip, joins: Sequence[OwnJoin], fps: float
    ) -> SearchedJoin | None:
        """The join that is searched, after the joins before it."""
        if self.options.paper or self.options.rules or following.method is not None:
            return None
        before = JoinBefore(joins[-1].frames, joins[-1].offset) if joins and joins[-1].frames is not None else None
        return self.searcher.find(previous, following, _free(joins, fps), before)

    def asap(self, previous: ArrangedClip, following: ArrangedClip, free_s: float) -> StartCandidate:
        """When the next clip follows the previous one best, if that starts at 0; free_s after that start."""
        key = (*_pair(previous, following), free_s)
        return self._starts.get(
            key, lambda: as_soon_as_possible(previous.at(0.0), following.at(0.0), free_s, self.options)
        )

    def line(self, pieces: list[ArrangedClip], fps: float, before: JoinedLine, fillers: Fillers) -> JoinedLine:
        """Pieces that follow each other, joined, with standing in their gaps; before: an earlier line, of which what is
        the same is kept."""
        known = [i for i, piece in enumerate(before.pieces) if not piece.filler]
        same = max(_same([before.pieces[i] for i in known], pieces), 1)
        until = known[same - 1] if known else 0
        kept, found, unseen = [*before.pieces[:until], pieces[same - 1]], list(before.joins[:until]), []
        for following in pieces[same:]:
            if found and following.end_s <= kept[-1].start_s + _free(found, fps) + 1e-9:
                unseen.append(LeftOutClip(following, len(found) - 1))
                continue
            for piece in [*self._waits(kept[-1], following, _free(found, fps), fps, fillers), following]:
                own = self._search_joined(kept[-1], piece, found, fps)
                found.append(own or self._joined(kept[-1], piece, _free(found, fps), fps))
                kept.append(piece)
        return JoinedLine(tuple(kept), tuple(found), tuple(unseen))

    def _waits(
        self, previous: ArrangedClip, following: ArrangedClip, free_s: float, fps: float, fillers: Fillers
    ) -> list[ArrangedClip]:
        """What fills the gap between two pieces, where there is one: standing, with steps before and after it as far as
        there is time for them."""
        if self.options.paper or following.searched or following.start_s - previous.end_s < GAP_S - 1e-9:
            return []
        found, last = [], previous
        stop = self._first_of(fillers.stops(previous), previous, free_s, fps)
        if stop is not None and stop.end_s <= following.start_s:  # it has come to rest by then
            free_s, last = _free([self._joined(previous, stop, free_s, fps)], fps), stop
            found.append(stop)
        stand = self._first_of([fillers.stand(previous, following)], last, free_s, fps)
        if stand is None:
            return []
        reached = last.start_s + max(free_s, stand.start_s - last.start_s)
        out = self._led_out(following, reached + ADAPT_S, fps, fillers)
        step = max(1, round(STAND_STEP_S * fps))
        late = round(((out[0] if out else following).start_s - stand.start_s) * fps) % step
        return [*found, stand.at(_on_frame(stand.start_s + late / fps, fps)), *out]

    def _first_of(
        self, pieces: list[ArrangedClip], last: ArrangedClip, free_s: float, fps: float
    ) -> ArrangedClip | None:
        """The piece that follows another best, as soon as possible after it."""
        tried = [(self.asap(last, piece, free_s), piece) for piece in pieces]
        best = min(tried, key=lambda pair: rank(pair[0]), default=None)
        return best[1].at(_on_frame(last.start_s + best[0].start_s, fps)) if best else None

    def _led_out(self, following: ArrangedClip, from_s: float, fps: float, fillers: Fillers) -> list[ArrangedClip]:
        """The steps from standing into a piece, where there is time for them from some moment on."""
        tried = [(self.asap(piece, following, 0.0), piece) for piece in fillers.starts(following)]
        best = min(tried, key=lambda pair: rank(pair[0]), default=None)
        placed = best[1].at(_on_frame(following.start_s - best[0].start_s, fps)) if best else None
        return [placed] if placed is not None and placed.start_s >= from_s else []

    def _search_joined(
        self, previous: ArrangedClip, following: ArrangedClip, joins: Sequence[OwnJoin], fps: float
    ) -> OwnJoin | None:
        """The join that was searched for a piece, where it lies where it was put for that."""
        searched = self._searched(previous, following, joins, fps) if following.searched else None
        if searched is None or searched.offset != round((following.start_s - previous.start_s) * fps):
            return None
        return OwnJoin(searched.join, _free(joins, fps), searched.offset, searched.frames)

    def _joined(self, previous: ArrangedClip, following: ArrangedClip, free_s: float, fps: float) -> OwnJoin:
        offset = round((following.start_s - previous.start_s) * fps)
        key = (*_pair(previous, following), offset, fps, free_s)
        join = self._joins.get(key, partial(self._join, previous, following, free_s, offset / fps))
        return OwnJoin(join, free_s, offset)

    def _join(self, previous: ArrangedClip, following: ArrangedClip, free_s: float, start_s: float) -> PlannedJoin:
        return plan_join(previous.at(0.0), following.at(start_s), free_s, self.options)


def _on_frame(t_s: float, fps: float) -> float:
    return round(t_s * fps) / fps


def _pair(previous: ArrangedClip, following: ArrangedClip) -> tuple[object, ...]:
    return ref(previous.clip), ref(following.clip), previous.filler, following.filler, following.method


def _free(joins: Sequence[OwnJoin], fps: float) -> float:
    """From when on, in its own time, the clip after some joins may be changed."""
    return joins[-1].join.end_s - joins[-1].offset / fps if joins else 0.0


def plan_track(track: TimelineTrack, workshop: Workshop, fps: float, planner: JoinPlanner | None = None) -> TrackPlan:
    """Decide a track, first clip to last."""
    planner = planner or JoinPlanner()
    placed: list[ArrangedClip] = []
    line, fillers = JoinedLine(), Fillers(workshop, track, fps)
    for entry, piece in zip(track.clips, workshop.pieces(track, fps), strict=True):
        if entry.start_s == "asap" and placed:
            line = planner.line(_lines(placed)[0], fps, line, fillers)
            placed.append(planner.follows(line, piece, fps))
        else:
            start = 0.0 if entry.start_s == "asap" else float(entry.start_s)
            placed.append(piece.at(_on_frame(start, fps)))
    pieces, overlays = _lines(placed)
    line = planner.line(pieces, fps, line, fillers)
    starts = tuple(piece.start_s for piece in placed)
    return TrackPlan(line.pieces, _timed(line), tuple(overlays), starts, line.joins, line.unseen)


def _timed(line: JoinedLine) -> tuple[PlannedJoin, ...]:
    """A line's joins in timeline seconds; each says which clips it leaves out."""
    joins = [own.join.shifted(piece.start_s) for own, piece in zip(line.joins, line.pieces, strict=False)]
    for piece, i in line.unseen:
        entered = line.pieces[i + 1].name or "the clip before it"
        why = Rejected(piece.name, f"left out: it is over before {entered} has been entered")
        joins[i] = replace(joins[i], rejected=(*joins[i].rejected, why))
    return tuple(joins)


def _same(a: Sequence[ArrangedClip], b: Sequence[ArrangedClip]) -> int:
    """How many pieces two lines have in common, from the first on."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x is not y), min(len(a), len(b)))


def _lines(placed: list[ArrangedClip]) -> tuple[list[ArrangedClip], list[Overlay]]:
    """The clips that follow each other, in order of time, and those that are laid over them."""
    ordered = sorted(placed, key=lambda p: (p.start_s, -p.end_s))
    line: list[ArrangedClip] = []
    overlays: list[Overlay] = []
    for piece in ordered:
        outer = next((p for p in line if p.start_s <= piece.start_s and piece.end_s <= p.end_s), None)
        if outer is None:
            line.append(piece)
        elif arm_movement(piece.clip).is_additional:
            overlays.append(Overlay(piece, outer.name))
        elif arm_movement(outer.clip).is_additional:  # the long one is the arm movement: it is laid over the short one
            overlays.append(Overlay(outer, piece.name, shifts=False))
            line[line.index(outer) :] = [*_around(outer, piece)]
        else:
            line.append(piece)
    return sorted(line, key=lambda p: p.start_s), overlays


def _around(outer: ArrangedClip, inner: ArrangedClip) -> list[ArrangedClip]:
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
