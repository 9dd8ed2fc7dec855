"""Windows: over which stretch of time a join goes from one clip into the next.

The planner's phases say which moments are laid over each other and which feet stand; a phase can be much shorter than
a body needs to change its posture (0.2 s of a run's stance, 0.1 s of a skip). So the blend takes at least as long as
the change of speed asks for, spread to both sides of the phases: earlier while the previous clip is still its own and
its kick is done, later up to the next one's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.timeline.piece import Piece
from footfall.timeline.planner import PlannedJoin, PlanOptions

LEAST_S = 0.5  # of any blend
PER_M_S, MOST_S = 0.1, 0.8  # longer by this much for each m/s that the body's speed changes, up to
ABSORBED_S = 0.25  # a wait up to this long is filled by the blend: nobody freezes


class Window(NamedTuple):
    """Timeline seconds at which the blend begins and is over."""

    begin_s: float
    end_s: float


def window(
    previous: Piece, following: Piece, join: PlannedJoin, free_s: float, change_m_s: float, options: PlanOptions
) -> Window:
    """The stretch of a join; free_s: from when on the previous clip may be changed, change_m_s: of the body's speed."""
    end = join.end_s if waits(join) == 0.0 else join.reach_s
    if options.paper:
        return Window(join.begin_s, max(end, join.begin_s + 1e-6))
    wanted = float(np.clip(LEAST_S + PER_M_S * change_m_s, LEAST_S, MOST_S)) - (end - join.begin_s)
    if wanted <= 0.0:
        return Window(join.begin_s, end)
    if waits(join) > 0.0:
        later = min(wanted, join.end_s - end)  # while it waits it may as well still be arriving
        earlier = min(wanted - later, max(0.0, join.begin_s - _earliest(previous, free_s)))
    else:
        room = max(0.0, following.action_from_s - end)
        earlier = min(0.5 * wanted, max(0.0, join.begin_s - _earliest(previous, free_s)))
        later = min(wanted - earlier, room)
        earlier = min(wanted - later, max(earlier, join.begin_s - _earliest(previous, free_s)))
    later += max(0.0, wanted - earlier - later)
    return Window(join.begin_s - earlier, end + later)


def variants(previous: Piece, join: PlannedJoin, over: Window, free_s: float) -> list[Window]:
    """Other stretches the same phases may be joined over: longer, earlier, later; while it waits, none but longer."""
    earliest = min(over.begin_s, _earliest(previous, free_s))
    longer = Window(max(over.begin_s - 0.1, earliest), over.end_s + 0.2)
    if waits(join) > 0.0:
        return [Window(longer.begin_s, min(over.end_s, join.end_s))]
    early = Window(max(over.begin_s - 0.2, earliest), over.end_s)
    begin = over.begin_s if join.kind == "transition" else over.begin_s + 0.25 * (over.end_s - over.begin_s)
    late = Window(begin, over.end_s + 0.2)  # a transition's clocks are warped from its begin on: it is never later
    return list(dict.fromkeys(w for w in (longer, early, late) if w != over))


def waits(join: PlannedJoin) -> float:
    """Seconds that the figure is seen to wait; short waits are filled."""
    return join.hold_s if join.hold_s > ABSORBED_S else 0.0


def _earliest(previous: Piece, free_s: float) -> float:
    return max(previous.start_s, free_s, previous.action_until_s)
