"""Snapping: starts near a dragged clip's at which it would follow the one before it better.

The planner alone decides, on a lattice of offsets between two clips; what it said is remembered, so that a drag asks it
only about the few places it comes by.
"""

from __future__ import annotations

from footfall.studio.views import Ids
from footfall.timeline.asap import as_soon_as_possible
from footfall.timeline.conditions import METHODS
from footfall.timeline.piece import Piece
from footfall.timeline.planner import LONG_HOLD_S, PlannedJoin, PlanOptions, plan_join
from footfall.timeline.recent import Recent
from footfall.timeline.track_plan import TrackPlan

STEP_S, FAR_S = 0.05, 0.5  # of the lattice, and how far to either side of the clip it is looked at
ASAP_FAR_S = 1.0  # how far away the best start of all may be
MOST_ASKED = 4  # new places a drag asks about; the others come with the next
KEPT = 1024

Rank = tuple[int, bool]  # of a join; less is better


class Snapping:
    """Remembers what the planner said about offsets between clips."""

    def __init__(self) -> None:
        self._ranks: dict[tuple[object, ...], Rank] = {}
        self._best: Recent[tuple[object, ...], float] = Recent(KEPT)

    def times(self, ids: Ids, plan: TrackPlan, clip: int, options: PlanOptions) -> tuple[float, ...]:
        """Starts near the one a clip has at which it joins better."""
        at = next((i for i, piece in enumerate(plan.pieces) if i and ids[id(piece)] == clip), None)
        if at is None:
            return ()
        previous, piece = plan.pieces[at - 1], plan.pieces[at]
        free = round(plan.own[at - 1].free_s, 3)
        pair = (previous.clip, piece.clip, piece.method, free, options)
        best = self._best.get(pair, lambda: as_soon_as_possible(previous.at(0.0), piece, free, options).start_s)
        offset = piece.start_s - previous.start_s
        found = [best] if abs(best - offset) <= ASAP_FAR_S else []
        found += self._better(previous.at(0.0), piece, pair, offset, rank_of(plan.joins[at - 1]))
        starts = (previous.start_s + each for each in found)
        return tuple(sorted({round(start, 4) for start in starts if start >= 0.0}))

    def _better(
        self, previous: Piece, piece: Piece, pair: tuple[object, ...], offset_s: float, here: Rank
    ) -> list[float]:
        """To either side the nearest offset that joins better."""
        if here == (0, False):
            return []  # nothing is
        free, options = pair[3], pair[4]
        assert isinstance(free, float)
        assert isinstance(options, PlanOptions)
        middle, asked = round(offset_s / STEP_S), 0
        found: list[float] = []
        for side in (-1, 1):
            for k in range(1, round(FAR_S / STEP_S) + 1):
                place = middle + side * k
                key = (*pair, place)
                if key not in self._ranks:
                    if asked >= MOST_ASKED:
                        break
                    asked += 1
                    self._ranks[key] = rank_of(plan_join(previous, piece.at(place * STEP_S), free, options))
                if self._ranks[key] < here:
                    found.append(place * STEP_S)
                    break
        if len(self._ranks) > KEPT:
            self._ranks.clear()
        return found


def rank_of(join: PlannedJoin) -> Rank:
    """Better methods first, those that wait long last among their like."""
    kind = METHODS.index(join.kind) if join.kind in METHODS else len(METHODS)
    return kind, join.hold_s > LONG_HOLD_S
