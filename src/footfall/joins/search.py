"""Search: ways of joining two motions are planned, the promising ones made and judged, the best kept.

When to leave and to enter is chosen by likeness (`candidates`), where the feet go by `feet.step_search`; where a body
cannot change its speed so fast, one motion is led on (`bridge`). What is made (`join_section`) is looked at by the
judge of all joins (`quality.judge`); what a way costs, before it is made and after, is in `join_costs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np

from footfall.analysis.content import action_bounds
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.report import Rejected
from footfall.feet import step_search
from footfall.feet.foot_paths import FootPaths, foot_paths
from footfall.feet.step_plan import JoinEnds, StepPlan
from footfall.joins.assemble import ROUND_S, assemble
from footfall.joins.bridge import MOVES_M_S, BridgedPair, alone, backwards, bridges, end_velocity, rounds
from footfall.joins.candidates import LENGTHS_S, candidates
from footfall.joins.cut_short import ShortClip, cut_short, led_on_from
from footfall.joins.departure import Departure, departing_paths, leaving
from footfall.joins.gentle_blend import blended
from footfall.joins.join_costs import WEIGHTS, asked_m_s2, cost_beside, cost_of, shaken, too_hard
from footfall.joins.join_section import LOOKED_S, JoinSection, stepped
from footfall.joins.placement import place
from footfall.joins.shown_clips import shown_clips
from footfall.joins.transition import Transition
from footfall.quality.judge import Judgement
from footfall.quality.verdict import judgement_of

WITHIN_S = 1.5  # seconds of the end of what is left, and of the start of what is entered, that are searched. By eye
PLANNED, MADE = 9, 14  # candidates whose feet are planned, a length; that are made and judged
MORE = 3  # times as many, where none of these is believed: of 12 timelines with a red seam that cured 3
WHOLE = 4  # candidates of which all is made and judged, at most
LEAST_MADE = 3  # of each way of leading on
ENOUGH, GOOD = 8, 0.5  # made: then the best is taken if it costs no more than this
AROUND_S = (1.2, 2.7)  # seconds before and after the seam that are made of a candidate before it is chosen
CALM = 2.0  # times longer that steps take between bodies that stand. By eye
SOON_S, UNHURRIED_S = 0.9, 1.1  # of a target that acts so soon after its start, a transition may take this long
LONGER_S = (1.1, 1.5)  # seconds that a transition may take where no quicker one is believed. By eye
SLACK_S = 0.02  # seconds: joins lie on frames, what must be shown does not
TOLD = 8  # alternatives a report names


class CandidatePoses(NamedTuple):
    """A candidate's transition, the frames it truly lies at, and its footsteps; no plan: feet go as they come."""

    made: Transition
    ends: JoinEnds
    plan: StepPlan | None


Maker = Callable[[Departure, Clip, JoinEnds, StepPlan], CandidatePoses]


@dataclass(frozen=True)
class SearchRequest:
    """What is fixed beforehand; None is searched."""

    at_s: float | None = None
    enter_s: float | None = None
    length_s: float | None = None
    window_s: tuple[float, float] = (0.0, WITHIN_S)  # when the target may be entered
    leave_from_s: float = 0.0  # the source is left no sooner
    led: bool = True  # whether a motion may be led on
    make: Maker | None = None  # how poses are made; None: by a gentle blend
    filler: tuple[bool, bool] = (False, False)  # of what is left, or entered, nothing needs to be shown


ANYHOW = SearchRequest()


class JoinCandidate(NamedTuple):
    """A way from one motion to the other."""

    section: JoinSection
    cost: float
    judgement: Judgement | None

    @property
    def words(self) -> str:
        section = self.section
        seconds = len(section.made.pose.root_pos) / section.departure.fps
        left, entered = (led.words if led else "" for led in section.pair)
        told = f"leaving at {section.departure.at_s:.2f} s, entering at {section.made.enter_s:.2f} s in {seconds:.2f} s"
        return "; ".join(x for x in (told, left and f"the first {left}", entered and f"the second {entered}") if x)


def others_told(ways: Sequence[JoinCandidate], method: str) -> tuple[Rejected, ...]:
    """The alternatives to the first way, and why each was not taken."""
    return tuple(Rejected(method, f"{way.words}: {worse(way, ways[0])}") for way in ways[1 : TOLD + 1])


class Graded(Protocol):
    """A way of joining that was judged."""

    @property
    def cost(self) -> float: ...
    @property
    def judgement(self) -> Judgement | None: ...


def worse(way: Graded, taken: Graded) -> str:
    """Why a way was not taken: what a viewer would say of it, or what it costs."""
    seen = [reason for seam in way.judgement.seams for reason in seam.reasons] if way.judgement else []
    return ", ".join(seen) or f"costs {way.cost:.2f}, not {taken.cost:.2f}"


class _Planned(NamedTuple):
    cost: float
    departure: Departure
    target: Clip
    ends: JoinEnds
    plan: StepPlan
    pair: BridgedPair
    request: SearchRequest


def search(source: Departure | Clip, target: Clip, request: SearchRequest = ANYHOW) -> list[JoinCandidate]:
    """Ways of joining, the best first and that one whole.

    They are made in the order of what they promise, until enough are made and one of them is believed.
    """
    made: list[tuple[JoinCandidate, _Planned]] = []
    for tier in _tiers(source, target, request):
        planned = _likely([_plans(pair, source, request, tier) for pair in tier.pairs], tier.more * MADE)
        for n, plan in enumerate(planned):
            made.append((_judged(plan, AROUND_S), plan))
            if n + 1 >= ENOUGH and min(way.cost for way, _ in made) < GOOD:
                break
        if min(way.cost for way, _ in made) < WEIGHTS.failed:
            break
    return _best_first(made)


def _best_first(made: Sequence[tuple[JoinCandidate, _Planned]]) -> list[JoinCandidate]:
    """The best whole, then the others: what is near a seam may look otherwise within all of the motion, so that the
    most promising are made whole until one keeps its promise."""
    parts = sorted(made, key=lambda one: one[0].cost)
    whole: list[JoinCandidate] = []
    while parts and len(whole) < WHOLE and (not whole or parts[0][0].cost < min(way.cost for way in whole)):
        whole.append(_judged(parts.pop(0)[1], None))
    return sorted(whole, key=lambda way: way.cost) + [way for way, _ in parts]


class _Tier(NamedTuple):
    """What is joined, in how many seconds; more than 1: times as many candidates, without those of a tier before."""

    pairs: list[BridgedPair]
    lengths_s: tuple[float, ...] = LENGTHS_S
    more: int = 1


def _tiers(source: Departure | Clip, target: Clip, request: SearchRequest) -> Iterator[_Tier]:
    """The two motions as they are, and with one or both led on where that is allowed; then what else may be tried, in
    more time, at last more of the first."""
    plain = BridgedPair(alone(source) if isinstance(source, Clip) else None, alone(target))
    free = request.enter_s is None and request.length_s is None
    if not (request.led and free and isinstance(source, Clip)):
        yield _Tier([plain])
        return
    short = ShortClip(rounds(source, 0.0), 0.0) if request.at_s is None else cut_short(source, request.at_s)
    seen: set[tuple[object, ...]] = set()
    first: list[BridgedPair] = []
    for n, pairs in enumerate(bridges(short.clip, rounds(target, ROUND_S))):
        pairs = [pair for pair in pairs if _key(pair) not in seen]
        seen |= {_key(pair) for pair in pairs}
        if request.at_s is not None:
            pairs = [whole for pair in pairs if (whole := _uncut(pair, plain, short.before_s)) is not None]
        tier = [*([plain] if n == 0 else []), *(pair for pair in pairs if _keeps(pair, request))]
        first = first or tier
        yield _Tier(tier)
    yield _Tier([plain], LONGER_S)
    yield _Tier(first, more=MORE)


def _key(pair: BridgedPair) -> tuple[object, ...]:
    """What tells two ways of leading on apart."""
    return tuple((led.words, led.shown_s, led.window_s) for led in pair if led is not None)


def _uncut(pair: BridgedPair, plain: BridgedPair, before_s: float) -> BridgedPair | None:
    """What was led on from the middle of a clip is of the whole clip; where nothing was, it goes on as recorded."""
    assert plain.left is not None
    assert pair.left is not None
    left = led_on_from(pair.left, plain.left.own, before_s) if pair.left.words else plain.left
    return None if left is None else pair._replace(left=left)


def _keeps(pair: BridgedPair, request: SearchRequest) -> bool:
    """Whether what must be shown of both clips is there."""
    left, entered = pair
    late = left is None or not left.words or left.shown_s[1] >= request.leave_from_s + 1.0 / left.own.fps
    return late and (not entered.words or entered.shown_s[0] <= request.window_s[1] + SLACK_S)


def _likely(found: Sequence[Sequence[_Planned]], most: int) -> list[_Planned]:
    """The cheapest of each kind, and of all the rest; those that promise most first."""
    kept = [p for group in found for p in group[:LEAST_MADE]]
    rest = sorted((p for group in found for p in group[LEAST_MADE:]), key=lambda p: p.cost)
    return sorted(kept, key=lambda p: p.cost) + rest[: max(most - len(kept), 0)]


def _plans(pair: BridgedPair, source: Departure | Clip, request: SearchRequest, tier: _Tier) -> list[_Planned]:
    """The most promising candidates with their step plans, the cheapest first."""
    target = pair.entered.clip
    source = source if pair.left is None else pair.left.clip
    longest = request.length_s or 0.0
    old = departing_paths(source, longest) if isinstance(source, Departure) else foot_paths(source, source.fps, longest)
    fps, new = old.fps, foot_paths(target, old.fps, longest)
    soon, slow = action_bounds(pair.entered.own).enter_by_s < SOON_S, _slow(source, pair)
    usual_s = (*LENGTHS_S, UNHURRIED_S) if (soon or slow) and tier.lengths_s is LENGTHS_S else tier.lengths_s
    lengths = tuple(max(2, round(s * fps)) for s in ((request.length_s,) if request.length_s else usual_s))
    leave, enter = _leaves(source, old, request, pair), _enters(target, new, request, pair)
    calms = (1.0, CALM) if slow else (1.0,)
    seams = candidates(old, new, leave, enter, lengths, tier.more * PLANNED)
    if tier.more > 1:
        known = set(candidates(old, new, leave, enter, lengths, PLANNED))
        seams = [seam for seam in seams if seam not in known]
    planned = []
    for calm, found in product(calms, seams):
        ends = JoinEnds(old, new, found.leave, found.enter, found.length, calm=calm)
        departure = source if isinstance(source, Departure) else _leaving(source, old, found.leave)
        natural = place(departure, target, (found.enter - new.lead) / fps, found.length / fps)
        plan = step_search.plan(ends, natural)
        cost = plan.cost + WEIGHTS.unlike * found.unlike_m + too_hard(asked_m_s2(ends, float(plan.placement.turn)))
        cost += WEIGHTS.jolt * shaken(ends) + cost_beside(pair, ends, plan, request.filler)
        planned.append(_Planned(cost, departure, target, ends, plan, pair, request))
    return sorted(planned, key=lambda p: p.cost)


def _slow(source: Departure | Clip, pair: BridgedPair) -> bool:
    """Whether neither body goes anywhere where they are joined, so that nobody hurries."""
    left = pair.left.own if pair.left is not None else source.clip if isinstance(source, Departure) else source
    if left is None:
        return False
    return all(float(np.linalg.norm(end_velocity(x))) < MOVES_M_S for x in (left, backwards(pair.entered.own)))


def _leaves(source: Departure | Clip, old: FootPaths, request: SearchRequest, pair: BridgedPair) -> tuple[int, int]:
    """The first and the last frame at which the source may be left."""
    if isinstance(source, Departure):
        frame = old.index(source.at_s) if source.clip is not None else old.lead
        return frame, frame
    if pair.left is not None and pair.left.window_s is not None:
        first, last = (old.index(t) for t in pair.left.window_s)
        return min(max(first, old.index(request.leave_from_s)), last), last
    if request.at_s is not None:
        return old.index(request.at_s), old.index(request.at_s)
    last = old.lead + old.frames - 1
    return min(max(old.lead, last - round(WITHIN_S * old.fps), old.index(request.leave_from_s)), last), last


def _enters(target: Clip, new: FootPaths, request: SearchRequest, pair: BridgedPair) -> tuple[int, int]:
    """The first and the last frame at which the target may have taken over."""
    last = new.lead + new.frames - 1
    if request.enter_s is not None:
        if not 0.0 <= request.enter_s <= target.duration + 0.5 / target.fps:
            name = target.name or "the target"
            raise ParameterError(
                f"cannot enter {name} at {request.enter_s:g} s; give a time from 0 to {target.duration:g} s"
            )
        return min(new.index(request.enter_s), last), min(new.index(request.enter_s), last)
    if pair.entered.window_s is not None:
        first, end = (new.index(t) for t in pair.entered.window_s)
        end = min(end, new.index(pair.entered.shift_s + min(request.window_s[1], target.duration)), last)
        return min(first, end), end
    low, high = max(request.window_s[0], 0.0), min(request.window_s[1], WITHIN_S)
    first, end = new.index(low), min(last, new.index(min(high, target.duration)))
    if first > end:
        raise ParameterError(f"{target.name or 'the target'} ends before it may be entered; allow an earlier entry")
    return first, end


def _leaving(source: Clip, old: FootPaths, frame: int) -> Departure:
    return leaving(source, min((frame - old.lead) / old.fps, source.duration), old.fps)


def _made(planned: _Planned, around_s: tuple[float, float] | None) -> tuple[JoinSection, int]:
    """A candidate made, all of it or what is around its seam, from a frame on."""
    departure, target, ends, plan, pair = planned[1:6]
    made, ends, steps = (planned.request.make or _gently)(departure, target, ends, plan)
    until_s = None
    if around_s is not None and steps is not None:  # of a long clip, no more than is looked at
        own_s = max(made.enter_s, pair.entered.shift_s + pair.entered.shown_s[0])
        until_s = own_s + LOOKED_S + len(made.pose.root_pos) / departure.fps
    whole = assemble(departure, target, made, until_s)
    section = JoinSection(departure, target, made, steps, whole, pair, whole.clip.frames)
    return stepped(section, ends, around_s) if steps is not None else (section, 0)


def _gently(departure: Departure, target: Clip, ends: JoinEnds, plan: StepPlan) -> CandidatePoses:
    return CandidatePoses(blended(departure, target, ends, plan), ends, plan)


def _judged(planned: _Planned, around_s: tuple[float, float] | None) -> JoinCandidate:
    """What the judge thinks of a candidate, by all of it or by what is around its seam."""
    section, cut = _made(planned, around_s)
    found = judgement_of(section.assembled.clip, shown_clips(section, (True, True), cut))
    beside = cost_beside(planned.pair, planned.ends, section.plan or planned.plan, planned.request.filler)
    if found is not None and around_s is None:
        beside += WEIGHTS.cut * len(found.actions)
    return JoinCandidate(section, cost_of(section, found) + beside, found)
