"""What a join must show of its two clips: most of each and their actions, or what of that there is time for.

A start by hand may leave no time for all of it. Then a clip that only goes on, as a walk does, loses more than it
should, before an action (a kick, a jump, a wave) loses anything. Of two actions that cannot both be whole both keep
their apexes, and where not even that is possible the one that was put there is whole.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from footfall.analysis.phases import Phase
from footfall.timeline.arranged_clip import ArrangedClip

SLACK_S = 0.02  # seconds: joins lie on frames, what must be shown does not
SHORTEST_S = 0.05  # seconds: a join in less than this would jump. By eye
SEEN_S = 0.2  # seconds: a clip that leads for less is hardly seen. By eye
EVER, NEVER = float("-inf"), float("inf")


class TimeStretch(Protocol):
    """What has a begin and an end on the timeline: a join, or the window it is blended over."""

    @property
    def begin_s(self) -> float: ...

    @property
    def end_s(self) -> float: ...


class MustShow(NamedTuple):
    """Timeline seconds between which a join must lie for what must be shown; each clip leads up to, or from, its
    middle."""

    leave_s: float = EVER  # its middle is no sooner: the previous clip is seen until then
    enter_s: float = NEVER  # nor later: the next one is seen from then on
    acted_s: float = EVER  # the last action of the previous clip is over,
    acts_s: float = NEVER  # the first one of the next begins
    kicked_s: float = EVER  # the same of kicks and jumps: no foot may step while they last
    kicks_s: float = NEVER

    def is_met(self, over: TimeStretch) -> bool:
        """Whether a join, or the window of one, shows all that must be shown."""
        middle = 0.5 * (over.begin_s + over.end_s)
        kicks = over.begin_s < self.kicked_s - SLACK_S or over.end_s > self.kicks_s + SLACK_S
        return self.leave_s - SLACK_S <= middle <= self.enter_s + SLACK_S and not kicks

    def phases_before(self, phases: list[Phase]) -> list[Phase]:
        """The previous clip's phases that may be joined; standing on both feet that reaches into what must be shown
        counts as far as it may be used, a step of an action does not count at all."""
        if self == NOTHING:
            return phases
        cut = [Phase(p.label, max(p.start_s, self.leave_s), p.end_s) if p.label == "DS" else p for p in phases]
        return [p for p in cut if p.start_s >= self.acted_s and _middle(p) >= self.leave_s and _lasts(p)]

    def phases_after(self, phases: list[Phase]) -> list[Phase]:
        """The same of the next clip."""
        if self == NOTHING:
            return phases
        cut = [Phase(n.label, n.start_s, min(n.end_s, self.enter_s)) if n.label == "DS" else n for n in phases]
        return [n for n in cut if n.end_s <= self.acts_s and _middle(n) <= self.enter_s and _lasts(n)]


NOTHING = MustShow()


def all_that_should_be(previous: ArrangedClip, following: ArrangedClip) -> MustShow:
    """The actions, and most, of both clips."""
    a, b = previous.start_s, following.start_s
    return MustShow(
        previous.keep_until_s,
        following.keep_from_s,
        a + previous.actions.leave_from_s,
        b + following.actions.enter_by_s,
        a + previous.foot_actions.leave_from_s,
        b + following.foot_actions.enter_by_s,
    )


def in_order_of_weight(previous: ArrangedClip, following: ArrangedClip) -> list[MustShow]:
    """What should be shown, and what should at least if that cannot be; the last one is nothing."""
    return list(dict.fromkeys(_levels(previous, following)))


def _levels(previous: ArrangedClip, following: ArrangedClip) -> tuple[MustShow, ...]:
    whole = all_that_should_be(previous, following)
    if (whole.acted_s, whole.acts_s) == (EVER, NEVER):
        return whole, NOTHING
    since, until = previous.start_s + SEEN_S, following.end_s - SEEN_S
    actions = whole._replace(leave_s=max(whole.acted_s, since), enter_s=min(whole.acts_s, until))
    struck, strikes = previous.start_s + previous.apexes.leave_from_s, following.start_s + following.apexes.enter_by_s
    apexes = MustShow(max(struck, since), min(strikes, until), struck, strikes, struck, strikes)
    next_one = actions._replace(leave_s=since, acted_s=EVER, kicked_s=EVER)
    return whole, actions, apexes, next_one, NOTHING


def best_met(previous: ArrangedClip, following: ArrangedClip, over: TimeStretch) -> MustShow:
    """The most that a join, or the window of one, shows."""
    return next(must for must in _levels(previous, following) if must.is_met(over))


def given_up(previous: ArrangedClip, following: ArrangedClip, over: TimeStretch) -> int:
    """How much a join cuts: 0 nothing, 1 more of a clip than it may lose, 2 a part of an action, then its apex."""
    levels = _levels(previous, following)
    return next(level for level, must in enumerate(levels) if must.is_met(over))


def _middle(phase: Phase) -> float:
    return 0.5 * (phase.start_s + phase.end_s)


def _lasts(phase: Phase) -> bool:
    return phase.end_s - phase.start_s >= SHORTEST_S
