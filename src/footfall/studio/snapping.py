"""Snapping: starts near a dragged clip's at which it would follow the one before it better.

The planner alone decides, on a lattice of offsets between two clips. It is asked while nobody waits, about a few places
at a time, and what it said is remembered: the next drag's answer knows it.
"""

from __future__ import annotations

from itertools import islice, pairwise
from typing import NamedTuple
from weakref import ref

from footfall.studio.views import Ids
from footfall.timeline.arranged_clip import ArrangedClip
from footfall.timeline.asap import as_soon_as_possible
from footfall.timeline.conditions import METHODS
from footfall.timeline.planner import LONG_HOLD_S, PlannedJoin, PlanOptions, plan_join
from footfall.timeline.track_plan import TrackPlan

STEP_S, FAR_S = 0.05, 0.5  # of the lattice, and how far to either side of the clip it is looked at
ASAP_FAR_S = 1.0  # how far away the best start of all may be
MOST_ASKED = 2  # places at a time
KEPT = 1024

Rank = tuple[int, bool]  # of a join; less is better


class Snapping:
    """Remembers what the planner said about offsets between clips."""

    def __init__(self) -> None:
        self._ranks: dict[tuple[object, ...], Rank] = {}
        self._best: dict[tuple[object, ...], float] = {}

    def times(self, ids: Ids, plan: TrackPlan, clip: int, options: PlanOptions) -> tuple[float, ...]:
        """Starts near the one a clip has at which it joins better, of those known; this asks nothing."""
        here = _place(ids, plan, clip, options)
        if here is None:
            return ()
        best = self._best.get(here.key)
        found = [] if best is None or abs(best - here.offset_s) > ASAP_FAR_S else [best]
        rank = rank_of(here.join)
        for places in here.around():
            known = (place for place in places if self._ranks.get((*here.key, place), rank) < rank)
            found += [place * STEP_S for place in islice(known, 1)]
        starts = (here.previous.start_s + each for each in found)
        return tuple(sorted({round(start, 4) for start in starts if start >= 0.0}))

    def learn(self, ids: Ids, plan: TrackPlan, clip: int, options: PlanOptions) -> bool:
        """Ask the planner about a few places around a clip; whether there is more to ask."""
        here = _place(ids, plan, clip, options)
        if here is None:
            return False
        if len(self._ranks) > KEPT:
            self._ranks.clear()
            self._best.clear()
        first, piece = here.previous.at(0.0), here.piece
        if here.key not in self._best:
            self._best[here.key] = as_soon_as_possible(first, piece, here.free_s, options).start_s
            return True
        if rank_of(here.join) == (0, False):
            return False  # nothing is better
        near = (place for pair in zip(*here.around(), strict=True) for place in pair)
        unknown = [place for place in near if (*here.key, place) not in self._ranks]
        for place in unknown[:MOST_ASKED]:
            join = plan_join(first, piece.at(place * STEP_S), here.free_s, options)
            self._ranks[(*here.key, place)] = rank_of(join)
        return len(unknown) > MOST_ASKED


class _Place(NamedTuple):
    """A clip behind another."""

    previous: ArrangedClip
    piece: ArrangedClip
    join: PlannedJoin | None  # None: it waits behind a gap
    free_s: float
    offset_s: float
    key: tuple[object, ...]

    def around(self) -> tuple[list[int], list[int]]:
        """Places of the lattice before and after it, nearest first."""
        middle, far = round(self.offset_s / STEP_S), round(FAR_S / STEP_S)
        return [middle - k for k in range(1, far + 1)], [middle + k for k in range(1, far + 1)]


def _place(ids: Ids, plan: TrackPlan, clip: int, options: PlanOptions) -> _Place | None:
    played = [i for i, piece in enumerate(plan.pieces) if not piece.filler]
    pair = next(((a, b) for a, b in pairwise(played) if ids[id(plan.pieces[b])] == clip), None)
    if pair is None:
        return None
    previous, piece = plan.pieces[pair[0]], plan.pieces[pair[1]]
    free = round(plan.own[pair[0]].free_s, 3)
    key = (ref(previous.clip), ref(piece.clip), piece.method, free, options)
    # behind a gap the clip is joined to what fills it; that it waits is worse than what it snaps to
    join = plan.joins[pair[1] - 1] if pair[1] == pair[0] + 1 else None
    return _Place(previous, piece, join, free, piece.start_s - previous.start_s, key)


def rank_of(join: PlannedJoin | None) -> Rank:
    """Better methods first, those that wait long last among their like; a gap last of all."""
    if join is None:
        return len(METHODS) + 1, True
    kind = METHODS.index(join.kind) if join.kind in METHODS else len(METHODS)
    return kind, join.hold_s > LONG_HOLD_S
