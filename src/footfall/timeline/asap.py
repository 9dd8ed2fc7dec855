"""As soon as possible: when a clip should start so that it follows the previous one best (Oshita 2008, section 3.3).

Candidates are the last three phases of the previous clip with the first three of the next, their middles together;
where a connection's first phase is the longer one, also with the next phase starting as it ends. The best method
first, then the least clip time lost, then the earliest start; but before all that nothing is lost (unless paper=True):
neither an action nor more of a clip than it may lose; where both cannot be had, the timeline takes the time it needs.
A clip that ends with standing still loses nothing when that is cut short (unless paper=True).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from footfall.timeline.arranged_clip import ArrangedClip, phases_of
from footfall.timeline.conditions import METHODS
from footfall.timeline.gentleness import moves_until_s
from footfall.timeline.must_show import given_up
from footfall.timeline.planner import FALLBACK_S, LONG_HOLD_S, PlannedJoin, PlanOptions, plan_join

PHASES = 3  # of either clip that may meet: published (Oshita 2008, section 3.3)
LONGEST_HOLD_S = 0.5  # seconds: a longer hold looks frozen. By eye


class StartCandidate(NamedTuple):
    """A start for the next clip and the join it leads to."""

    start_s: float
    join: PlannedJoin
    lost_s: float  # time of either clip that is not played
    cuts: int = 0  # more than 0: an action, or more of a clip than it may lose, is not in the result
    unlike: bool = False  # a flight is laid over a stance


def as_soon_as_possible(
    previous: ArrangedClip, following: ArrangedClip, free_s: float, options: PlanOptions | None = None
) -> StartCandidate:
    """The start of the next clip; holds over 0.5 s are not chosen while there is another way: the fallback is one."""
    options = options or PlanOptions()
    starts = _starts(previous, following, free_s, not options.paper)
    found = [_placed(previous, following.at(start), free_s, options) for start in starts]
    good = [p for p in found if p.join.hold_s <= LONGEST_HOLD_S + 1e-9]
    return min(good or found, key=rank)


def rank(placement: StartCandidate) -> tuple[int, int, bool, bool, float, float]:
    """What is less is better."""
    join = placement.join
    method = METHODS.index(join.kind) if join.kind in METHODS else len(METHODS)
    waits, lost = join.hold_s > LONG_HOLD_S, round(placement.lost_s, 9)
    return placement.cuts, method, join.wrong_foot or placement.unlike, waits, lost, placement.start_s


def _placed(previous: ArrangedClip, following: ArrangedClip, free_s: float, options: PlanOptions) -> StartCandidate:
    join = plan_join(previous, following, free_s, options)
    end = previous.end_s if options.paper else previous.start_s + moves_until_s(previous.clip)
    lost = max(0.0, end - join.leave_s) + max(0.0, join.enter_s - following.start_s)
    cuts = 0 if options.paper else given_up(previous, following, join)
    unlike = join.kind == "transition" and join.phases[0] != join.phases[1] and not options.paper
    return StartCandidate(following.start_s, join, lost, cuts, unlike)


def _starts(previous: ArrangedClip, following: ArrangedClip, free_s: float, rested: bool) -> Iterator[float]:
    """Starts worth trying, each once, on frames, as clips will start: a join found a part of a frame beside one may be
    another there. rested: also where the previous clip comes to stand still."""
    seen: set[float] = set()
    fps = following.clip.fps
    for exact in all_starts(previous, following, rested):
        start = round(exact * fps) / fps
        later = start > previous.start_s or not rested  # what follows comes later, whatever its phases say
        if start not in seen and later and start + following.clip.duration > free_s:
            seen.add(start)
            yield start
    if not seen:  # the previous clip is over before it has been entered
        yield max(previous.end_s, free_s)


def all_starts(previous: ArrangedClip, following: ArrangedClip, rested: bool) -> Iterator[float]:
    """Starts at which the next clip's phases meet the previous one's, maybe the same ones twice."""
    for p in previous.phases[-PHASES:]:
        for n in phases_of(following.clip)[:PHASES]:
            yield 0.5 * (p.start_s + p.end_s) - 0.5 * (n.start_s + n.end_s)
            if p.end_s - p.start_s >= n.end_s - n.start_s:
                yield p.end_s - n.start_s
    if rested:
        yield previous.start_s + moves_until_s(previous.clip)  # it may end with standing still: that is no loss
    yield previous.end_s  # end to start: where adaptation loses nothing
    if rested:
        yield previous.end_s + FALLBACK_S  # and where nothing else fits, time enough to be led over without a loss
