"""Content: what of a clip must be shown whole when it is joined to others: its actions, and most of its time.

An action (a jump, a kick, a punch, a wave, a reach) is shown from its first movement to its landing or return; of the
rest at most 1.6 s may be lost, and never more than half.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from footfall.analysis.one_shots import NAMES, OneShot, find_one_shots
from footfall.core.once import once

if TYPE_CHECKING:
    from footfall.core.clip import Clip

MAY_LOSE_S = 1.6  # seconds of a clip, or half of a shorter one (docs/believable.md)


class ContentBounds(NamedTuple):
    """Times of a clip between which it must be shown."""

    enter_by_s: float  # a join into it is over by then
    leave_from_s: float  # a join out of it begins no sooner


@once
def actions_of(clip: Clip) -> tuple[OneShot, ...]:
    """The actions of a clip, found once."""
    return tuple(find_one_shots(clip))


def may_lose_s(clip: Clip) -> float:
    """How many seconds of a clip may be lost in all."""
    return min(0.5 * clip.duration, MAY_LOSE_S)


def action_bounds(clip: Clip, names: tuple[str, ...] = NAMES) -> ContentBounds:
    """Where the first action of a clip begins and its last one ends; without limits where it has none of these."""
    actions = [action for action in actions_of(clip) if action.name in names]
    return ContentBounds(
        max(min((a.first_s for a in actions), default=float("inf")), 0.0),
        min(max((a.last_s for a in actions), default=float("-inf")), clip.duration),
    )


def apex_bounds(clip: Clip) -> ContentBounds:
    """When the first action of a clip strikes, or is at its highest, and when its last one does."""
    times = [action.at_s for action in actions_of(clip)]
    return ContentBounds(min(times, default=float("inf")), max(times, default=float("-inf")))


def content_bounds(clip: Clip, share: float = 1.0) -> ContentBounds:
    """What must be shown of a clip; share: of all it may lose, how much may go at either end."""
    lose, actions = share * may_lose_s(clip), action_bounds(clip)
    return ContentBounds(min(lose, actions.enter_by_s), max(clip.duration - lose, actions.leave_from_s))
