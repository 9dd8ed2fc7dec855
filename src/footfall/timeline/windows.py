"""Windows: over which stretch of time a join goes from one clip into the next.

The planner's phases say which moments are laid over each other and which feet stand; a phase can be much shorter than
a body needs to change its posture (0.2 s of a run's stance, 0.1 s of a skip). So the blend takes at least as long as
the change of speed asks for, spread to both sides of the phases so that each clip leads while its actions last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.timeline.arranged_clip import ArrangedClip
from footfall.timeline.must_show import NOTHING, MustShow, all_that_should_be, best_met
from footfall.timeline.planner import PlannedJoin, PlanOptions

LEAST_S = 0.5  # seconds of any blend, at least. By eye
PER_M_S, MOST_S = 0.1, 0.8  # seconds longer for each m/s that the body's speed changes, and at most. By eye
# other windows, tried in this order: begins so much later, by so many quarters of the length, and ends so much later
OTHERS = (
    (-0.1, 0, 0.2), (-0.2, 0, 0.0), (0.0, 1, 0.2), (-0.2, 0, 0.4), (-0.4, 0, 0.0), (0.0, 1, 0.4), (0.0, 0, 0.5),
    (0.0, 2, 0.3), (-0.2, 0, -0.2),
)  # fmt: skip
AROUND = ((-0.1, 0.0), (0.0, -0.1), (0.1, 0.0), (0.0, 0.1), (-0.1, -0.1), (0.1, 0.1), (0.0, -0.2))
EARLIER_S, SHORT_S = 0.6, 0.3  # seconds that a blend may begin sooner than wished, and that it lasts at least. By eye
LATE_S = 0.4  # after a wait of no more than a blend, so that a run is not entered at once, it may last this much longer
ABSORBED_S = 0.25  # seconds: a wait up to this long is filled by the blend: nobody freezes


class BlendWindow(NamedTuple):
    """Timeline seconds at which the blend begins and is over."""

    begin_s: float
    end_s: float


def window(
    previous: ArrangedClip,
    following: ArrangedClip,
    join: PlannedJoin,
    free_s: float,
    change_m_s: float,
    options: PlanOptions,
) -> BlendWindow:
    """The stretch of a join; free_s: from when on the previous clip may be changed, change_m_s: of the body's speed."""
    if options.paper:
        end = join.end_s if waits(join) == 0.0 else join.reach_s
        return BlendWindow(join.begin_s, max(end, join.begin_s + 1e-6))
    must, whole = best_met(previous, following, join), all_that_should_be(previous, following)
    if must in (whole, NOTHING):
        return _long_enough(previous, join, free_s, change_m_s, whole)
    over = _long_enough(previous, join, free_s, change_m_s, must)
    return _kept_within(over, must, _earliest(previous, free_s))


def _long_enough(
    previous: ArrangedClip, join: PlannedJoin, free_s: float, change_m_s: float, must: MustShow
) -> BlendWindow:
    """The join's own stretch, or more on its sides where a change of speed takes longer."""
    end = join.end_s if waits(join) == 0.0 else join.reach_s
    wanted = float(np.clip(LEAST_S + PER_M_S * change_m_s, LEAST_S, MOST_S)) - (end - join.begin_s)
    if wanted <= 0.0:
        return BlendWindow(join.begin_s, end)
    if waits(join) > 0.0:
        later = min(wanted, join.end_s - end)  # while it waits it may as well still be arriving
        earlier = min(wanted - later, max(0.0, join.begin_s - _earliest(previous, free_s)))
    else:
        room = max(0.0, join.begin_s - _earliest(previous, free_s))
        earlier = min(0.5 * wanted, room)
        late = join.begin_s + end + wanted - 2.0 * (earlier + must.enter_s)  # the next clip leads too late
        earlier = min(earlier + max(0.0, 0.5 * late), room)
        soon = 2.0 * (must.leave_s + earlier) - join.begin_s - end - wanted  # the previous one not long enough
        earlier = max(0.0, earlier - max(0.0, 0.5 * soon))
        later = wanted - earlier
    later += max(0.0, wanted - earlier - later)
    return BlendWindow(join.begin_s - earlier, end + later)


def _kept_within(over: BlendWindow, must: MustShow, earliest_s: float) -> BlendWindow:
    """A window moved, then cut, to where no foot has to kick or jump, its middle where both clips are seen; it is never
    too short to be one."""
    end = min(over.end_s, must.kicks_s)
    begin = max(over.begin_s - (over.end_s - end), min(over.begin_s, earliest_s), must.kicked_s)
    end = min(end, 2.0 * must.enter_s - begin)
    return BlendWindow(begin, max(end, begin + SHORT_S))


def variants(previous: ArrangedClip, join: PlannedJoin, over: BlendWindow, free_s: float) -> list[BlendWindow]:
    """Other stretches the same phases may be joined over: longer, earlier, later, shorter."""
    quarter = 0.25 * (over.end_s - over.begin_s)
    found = [BlendWindow(over.begin_s + begin + later * quarter, over.end_s + end) for begin, later, end in OTHERS]
    return _possible(previous, join, over, free_s, found)


def neighbours(
    previous: ArrangedClip, join: PlannedJoin, best: BlendWindow, over: BlendWindow, free_s: float
) -> list[BlendWindow]:
    """Stretches a little different from the best one; over: the one that was wished for."""
    found = [BlendWindow(best.begin_s + begin, best.end_s + end) for begin, end in AROUND]
    return _possible(previous, join, over, free_s, found)


def earliest_begin(previous: ArrangedClip, over: BlendWindow, free_s: float) -> float:
    """No other window begins sooner."""
    return max(over.begin_s - EARLIER_S, min(over.begin_s, _earliest(previous, free_s)))


def _possible(
    previous: ArrangedClip, join: PlannedJoin, over: BlendWindow, free_s: float, found: list[BlendWindow]
) -> list[BlendWindow]:
    """Windows cut to what may be changed; while it waits, never beyond that. A transition's clocks are warped from its
    begin on, so it is not blended later than that; nor is anything blended in less than SHORT_S."""
    first = earliest_begin(previous, over, free_s)
    last = over.begin_s if join.kind == "transition" else np.inf
    latest = max(over.end_s, join.end_s + (LATE_S if waits(join) <= MOST_S else 0.0)) if waits(join) > 0.0 else np.inf
    cut = [BlendWindow(float(np.clip(w.begin_s, first, max(first, last))), float(min(w.end_s, latest))) for w in found]
    return list(dict.fromkeys(w for w in cut if w != over and w.end_s - w.begin_s >= SHORT_S))


def counts_from_s(join: PlannedJoin, free_s: float) -> float:
    """From when on the previous clip may be changed, as far as that matters: no window begins before what this says,
    so joins after which another one moved a little are the same."""
    return max(free_s, join.begin_s - MOST_S - EARLIER_S)


def waits(join: PlannedJoin) -> float:
    """Seconds that the figure is seen to wait; short waits are filled."""
    return join.hold_s if join.hold_s > ABSORBED_S else 0.0


def _earliest(previous: ArrangedClip, free_s: float) -> float:
    return max(previous.start_s, free_s)
