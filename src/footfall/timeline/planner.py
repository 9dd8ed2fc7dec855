"""The planner: how each clip of a track is joined to the next, as data (Oshita 2008, sections 3 to 7).

Transition before connection before adaptation; within a method the pair of phases that keeps most of the previous clip.
Three things are not as in the paper, unless paper=True: a connection that would freeze the figure while the previous
clip still plays on both feet gives way to adaptation, neither an action nor more of a clip than it may lose is cut if
there is another way (the action last: `must_show`), and adaptation leads into the next clip's first phase that stands
where it begins in flight.
Where none fits, a plain join with foot lock, marked as a fallback. Every decision carries the reason and what was
rejected. Nothing here computes a pose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from footfall.analysis.phases import Phase
from footfall.core.report import Rejected
from footfall.timeline.arranged_clip import ArrangedClip
from footfall.timeline.conditions import LONGEST, SHORTEST, allowed, fits, scales
from footfall.timeline.must_show import NOTHING, SHORTEST_S, MustShow, in_order_of_weight

ADAPT_S = 0.5  # seconds: the longest stretch over which adaptation changes the previous clip's upper body. By eye
FALLBACK_S = 0.4  # seconds of a plain join. By eye
LONG_HOLD_S = 0.25  # seconds: a figure that waits longer looks frozen. By eye
STEP_DS_S = 0.3  # seconds on both feet between two steps, at most; longer is standing. By eye
OTHER = {"LS": "RS", "RS": "LS"}  # the other foot down


@dataclass(frozen=True)
class PlanOptions:
    """What a person may set."""

    shortest_scale: float = SHORTEST
    longest_scale: float = LONGEST
    paper: bool = False  # the paper's literal weights and warps
    rules: bool = False  # clips that follow as soon as possible are joined by the rules below, not by a search
    prefer: str | None = None  # a method to take, where its conditions hold, before better ones; a piece's own wish


@dataclass(frozen=True)
class PlannedJoin:
    """One join; times are timeline seconds.

    The previous clip is itself until `begin_s`, the next from `end_s`. Between `reach_s` and `end_s` of a join with a
    hold the figure waits in the posture the next clip starts from.
    """

    kind: str  # transition, connection, adaptation, bridge, fallback
    begin_s: float  # t1
    leave_s: float  # t2: end of the stretch of the previous clip that is used
    reach_s: float  # t3: when the next clip's posture is reached
    enter_s: float  # start of the stretch of the next clip that is used
    end_s: float  # t4, or the end of the hold
    phases: tuple[str, str]
    reason: str
    rejected: tuple[Rejected, ...] = ()
    own_rate: bool = False  # of a transition: its phases are not stretched onto each other, they meet as they are
    wrong_foot: bool = False  # a swing or flight ends on the foot it began with
    searched: bool = False  # found by the search of all joins (timeline.searched), not by the rules

    @property
    def times(self) -> tuple[float, float, float, float, float]:
        """All of its times."""
        return self.begin_s, self.leave_s, self.reach_s, self.enter_s, self.end_s

    def shifted(self, by_s: float) -> PlannedJoin:
        """The same join at another time."""
        begin, leave, reach, enter, end = (t + by_s for t in self.times)
        said = self.phases, self.reason, self.rejected, self.own_rate, self.wrong_foot, self.searched
        return PlannedJoin(self.kind, begin, leave, reach, enter, end, *said)

    @property
    def hold_s(self) -> float:
        """How long the figure waits."""
        return 0.0 if self.kind == "transition" else max(0.0, self.end_s - self.reach_s)


def plan_joins(pieces: Sequence[ArrangedClip], options: PlanOptions | None = None) -> list[PlannedJoin]:
    """The joins of pieces that follow each other, first to last; one fewer than there are pieces."""
    joins: list[PlannedJoin] = []
    free = pieces[0].start_s if pieces else 0.0
    for previous, following in pairwise(pieces):
        joins.append(plan_join(previous, following, free, options))
        free = joins[-1].end_s
    return joins


def plan_join(
    previous: ArrangedClip, following: ArrangedClip, free_s: float, options: PlanOptions | None = None
) -> PlannedJoin:
    """The join of two pieces; free_s: from when on the previous one is its own clip and may be changed."""
    options = replace(options or PlanOptions(), prefer=following.method)
    usable, rejected, unmet = _usable(previous, free_s), list[Rejected](), None
    levels = [NOTHING] if options.paper else in_order_of_weight(previous, following)
    aloft = any(phase.label == "NS" for phase in following.phases[:1])  # cut in the air: nobody can be led up there
    for must in levels:
        before, after = must.phases_before(usable), must.phases_after(list(following.phases))
        phases = PhasePairs(before, after, previous.phases, following.phases)
        found = _by_rules(previous, following, phases, options)
        ruled = replace(found, rejected=(*rejected, *found.rejected)) if isinstance(found, PlannedJoin) else None
        rejected = [*rejected, *(found if isinstance(found, list) else found.rejected)]
        ways = [ruled] if ruled is not None else []
        moves = must != levels[0] and not aloft
        if ruled is None or moves:  # a plain join that shows an action comes before a rule that cuts it
            meeting = None if options.paper else _meeting(phases)
            plain = _fallback(previous, following, free_s, must if moves else NOTHING)
            ways += [replace(way, rejected=tuple(rejected)) for way in (meeting, plain) if way is not None]
        met = next((way for way in ways if must.is_met(way)), None)
        if met is not None and (must != NOTHING or unmet is None):
            return replace(met, rejected=tuple(dict.fromkeys(met.rejected)))
        unmet = unmet or ruled
    assert unmet is not None  # nothing can always be shown
    return unmet


class PhasePairs(NamedTuple):
    """Phases that may be joined, of the previous clip and of the next."""

    previous: list[Phase]
    following: list[Phase]
    all_previous: tuple[Phase, ...] = ()  # of either clip, also those that may not
    all_following: tuple[Phase, ...] = ()


def _by_rules(
    previous: ArrangedClip, following: ArrangedClip, phases: PhasePairs, options: PlanOptions
) -> PlannedJoin | list[Rejected]:
    """The best method whose conditions hold, or why none does."""
    makers = {"transition": _transition, "connection": _connection, "adaptation": _adaptation}
    rejected: list[Rejected] = []
    for method in sorted(makers, key=lambda method: method != options.prefer):
        found = makers[method](following, phases, options)
        if method == "connection" and isinstance(found, PlannedJoin) and method != options.prefer and not options.paper:
            other = _adaptation(following, phases, options)
            if isinstance(other, PlannedJoin) and found.hold_s > max(LONG_HOLD_S, other.hold_s):
                found = f"the figure would freeze for {found.hold_s:.2f} s while {previous.name or 'it'} still plays"
        if isinstance(found, PlannedJoin):
            return replace(found, rejected=tuple(rejected))
        rejected.append(Rejected(method, found))
    return rejected


def _usable(piece: ArrangedClip, free_s: float) -> list[Phase]:
    """Phases of the previous piece that nothing has changed yet; the one a join ended in counts from there, and the
    last one of a piece that is used up for a moment more, so that a clip of a few frames can be left as well."""
    kept = [Phase(p.label, max(p.start_s, free_s), p.end_s) for p in piece.phases]
    kept = [p for p in kept if p.end_s - p.start_s >= SHORTEST_S]
    if kept or not piece.phases:
        return kept
    start = max(free_s, piece.start_s)
    return [Phase(piece.phases[-1].label, start, max(piece.end_s, start + SHORTEST_S))]


def _transition(following: ArrangedClip, phases: PhasePairs, options: PlanOptions) -> PlannedJoin | str:
    pairs = [(p, n) for p in phases.previous for n in phases.following if p.start_s < n.end_s]
    pairs = [(p, n) for p, n in pairs if allowed("transition", p.label, n.label)]
    if not pairs:
        return "the two have no phases in which the same foot, or none, swings"
    fitting = [(p, n) for p, n in pairs if fits(p, n, options.shortest_scale, options.longest_scale)]
    if not fitting:
        p, n = min(pairs, key=lambda pair: max(_stretch(s) for s in scales(*pair)))
        scale = max(scales(p, n), key=_stretch)
        return (
            f"the phases nearest to each other ({p.label}, {n.label}) would be stretched to {scale:.2f} of their "
            f"length; allowed is {options.shortest_scale:g} to {options.longest_scale:g}"
        )
    wrong = {} if options.paper else {pair: wrong_foot(phases, *pair) for pair in fitting}
    p, n = max(fitting, key=lambda pair: (not wrong.get(pair), pair[0].start_s, pair[1].end_s))
    a, b = scales(p, n)
    feet = f"{_words(p.label)} in both" if p.label == n.label else f"{_words(p.label)}, then {_words(n.label)}"
    return PlannedJoin(
        "transition",
        begin_s=p.start_s,
        leave_s=p.end_s,
        reach_s=n.end_s,
        enter_s=n.start_s,
        end_s=n.end_s,
        phases=(p.label, n.label),
        reason=f"{feet}; the phases are stretched to {a:.2f} and {b:.2f} of their length",
        wrong_foot=wrong.get((p, n), False),
    )


def wrong_foot(phases: PhasePairs, p: Phase, n: Phase) -> bool:
    """Whether a swing or a flight that two phases make one would end on the foot it began with, where the clips go from
    one foot to the other."""
    if n.label == "DS" and p.label in OTHER:  # which foot has just come down is told by which one carries next
        return n.end_s - n.start_s <= STEP_DS_S and _lands(phases.all_following, n) == p.label
    if "NS" not in (p.label, n.label):
        return False
    foot = _lands(phases.all_following, n) if n.label == "NS" else n.label
    lands = _lands(phases.all_previous, p) if p.label == "NS" else OTHER.get(p.label)
    return lands in OTHER and foot in OTHER and lands != foot


def _lands(phases: tuple[Phase, ...], between: Phase) -> str | None:
    """The foot that carries after a flight, or after a step on both feet: as the clip goes on, or the other one than
    it began with."""
    i = next((i for i, phase in enumerate(phases) if phase.end_s == between.end_s), None)
    if i is None:
        return None
    after = phases[i + 1].label if i + 1 < len(phases) else ""
    return after if after in OTHER else OTHER.get(phases[i - 1].label) if i else None


def _meeting(phases: PhasePairs) -> PlannedJoin | None:
    """A transition of two phases that fit but for their lengths, as of a clip that is cut out of a flight: they meet at
    their own rate. None where no such phases lie near each other."""
    pairs = [(p, n) for p in phases.previous for n in phases.following if p.start_s < n.end_s - SHORTEST_S]
    pairs = [(p, n) for p, n in pairs if allowed("transition", p.label, n.label) and n.start_s < p.end_s + LONG_HOLD_S]
    if not pairs:
        return None
    p, n = max(pairs, key=lambda pair: (pair[0].start_s, pair[1].end_s))
    feet = f"{_words(p.label)} in both" if p.label == n.label else f"{_words(p.label)}, then {_words(n.label)}"
    reason = f"{feet}; the phases are too unlike in length to be stretched onto each other and meet as they are"
    times = p.start_s, p.end_s, n.end_s, n.start_s, n.end_s
    return PlannedJoin("transition", *times, (p.label, n.label), reason, own_rate=True)


def _stretch(scale: float) -> float:
    """How far a scale is from 1, the same for twice and for half."""
    return max(scale, 1.0 / max(scale, 1e-9))


def _connection(following: ArrangedClip, phases: PhasePairs, options: PlanOptions) -> PlannedJoin | str:
    pairs = [(p, n) for p in phases.previous for n in phases.following]
    pairs = [(p, n) for p, n in pairs if allowed("connection", p.label, n.label)]
    if not pairs:
        return "the previous clip has no phase with a swinging foot that the next one's support could end"
    later = [(p, n) for p, n in pairs if p.end_s < n.end_s]
    if not later:
        return "every phase of the next clip that would fit is over before the previous clip's swing ends"
    p, n = max(later, key=lambda pair: (pair[0].start_s, -pair[1].start_s))
    enter = max(n.start_s, p.end_s)
    waits = n.start_s - p.end_s
    end = f"and waits {waits:.2f} s for it" if waits > 1e-6 else "without waiting"
    return PlannedJoin(
        "connection",
        begin_s=p.start_s,
        leave_s=p.end_s,
        reach_s=p.end_s,
        enter_s=enter,
        end_s=enter,
        phases=(p.label, n.label),
        reason=f"the swing of {_words(p.label)} ends in the next clip's posture ({_words(n.label)}) {end}",
        wrong_foot=not options.paper and wrong_foot(phases, p, n),
    )


def _adaptation(following: ArrangedClip, phases: PhasePairs, options: PlanOptions) -> PlannedJoin | str:
    first = following.phases[0] if options.paper else _first_supported(following, phases)
    usable = [p for p in phases.previous if first is not None and p.start_s < first.start_s + 1e-9]
    if not usable or first is None:
        return "nothing of the previous clip is left before the next one stands"
    p, n = usable[-1], first
    if not allowed("adaptation", p.label, n.label):
        return f"the previous clip does not end on both feet before a supported start (it goes {p.label} to {n.label})"
    leave = min(p.end_s, n.start_s)
    begin = max(p.start_s, leave - ADAPT_S)
    if leave - begin < SHORTEST_S - 1e-9:
        return "both feet are down for too short a time"
    late = n.start_s - following.start_s
    since = f", {late:.2f} s into it, where it first stands" if late > 1e-6 else ""
    return PlannedJoin(
        "adaptation",
        begin_s=begin,
        leave_s=leave,
        reach_s=leave,
        enter_s=n.start_s,
        end_s=n.start_s,
        phases=(p.label, n.label),
        reason=f"both feet are down: the next clip starts on the previous one's footprints{since}",
    )


def _first_supported(following: ArrangedClip, phases: PhasePairs) -> Phase | None:
    """The next clip's first phase, from where the previous one can be left; where that is a flight, or over by then,
    the first one after it that stands: a clip that is cut out of a run begins with its first step."""
    if not following.phases:
        return None
    soonest = phases.previous[0].start_s + SHORTEST_S if phases.previous else following.start_s
    for i, n in enumerate(following.phases):
        start = max(n.start_s, soonest)
        if n.label != "NS" and start <= n.end_s - (SHORTEST_S if n.end_s < following.end_s else 0.0) + 1e-9:
            after = following.phases[i + 1 : i + 2]
            sprints = i > 0 and any(f.label == "NS" and f.end_s - f.start_s > n.end_s - n.start_s for f in after)
            return following.phases[0] if sprints else Phase(n.label, start, n.end_s)  # nobody stands, then sprints
    return following.phases[0]


def _fallback(previous: ArrangedClip, following: ArrangedClip, free_s: float, must: MustShow) -> PlannedJoin:
    """A plain join at the time the next clip starts; where it cannot start so early, as soon as possible after, and
    sooner or later where something must be shown."""
    soonest = max(must.kicked_s, must.leave_s - 0.5 * FALLBACK_S)
    latest = min(must.kicks_s - FALLBACK_S, must.enter_s - 0.5 * FALLBACK_S)
    begin = max(free_s, soonest, min(previous.end_s, following.start_s, latest))
    end = max(begin + FALLBACK_S, following.start_s)  # the next clip runs by its own time all along
    phases = (label_at(previous, begin), label_at(following, end))
    return PlannedJoin(
        "fallback", begin, begin, begin + FALLBACK_S, end, end, phases, "no rule fits: a plain join with foot lock"
    )


def label_at(piece: ArrangedClip, t_s: float) -> str:
    """The phase of a piece at a second of the timeline."""
    return next((p.label for p in piece.phases if t_s <= p.end_s), piece.phases[-1].label if piece.phases else "NS")


def _words(label: str) -> str:
    return {"DS": "both feet", "RS": "the right foot", "LS": "the left foot", "NS": "neither foot"}[label] + " down"
