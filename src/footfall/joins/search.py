"""Search: ways of joining two motions are planned, the promising ones made and judged, the best kept.

When to leave and to enter is chosen by likeness (`candidates`), where the feet go by `feet.step_search`; where a body
cannot change its speed so fast, one motion is led on (`bridge`). What is made is balanced (`balance`) and looked at by
the judge of all joins (`quality.judge`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np

from footfall.analysis.content import action_bounds
from footfall.core.clip import Clip
from footfall.core.easing import gentle
from footfall.core.errors import ParameterError
from footfall.core.report import Rejected
from footfall.feet import step_search
from footfall.feet.foot_paths import FootPaths, foot_paths
from footfall.feet.step_following import follow_steps
from footfall.feet.step_plan import JoinEnds, StepPlan
from footfall.joins.assemble import ROUND_S, AssembledJoin, assemble
from footfall.joins.balance import balanced
from footfall.joins.bridge import MOVES_M_S, BridgedPair, alone, backwards, bridges, end_velocity, rounds
from footfall.joins.candidates import LENGTHS_S, candidates, jolts
from footfall.joins.cut_short import ShortClip, cut_short, led_on_from
from footfall.joins.departure import Departure, departing_paths, leaving
from footfall.joins.gentle_blend import arms_in_time, blended
from footfall.joins.measure import JoinQuality, measure
from footfall.joins.placement import place
from footfall.joins.shown_clips import shown_clips
from footfall.joins.transition import Transition
from footfall.kinematics.floor_align import FloorTransform
from footfall.quality.joins import CLEAN
from footfall.quality.judge import USUAL_SHARE, Judgement
from footfall.quality.verdict import judgement_of

WITHIN_S = 1.5  # seconds of the end of what is left, and of the start of what is entered, that are searched. By eye
PLANNED, MADE = 9, 14  # candidates whose feet are planned, a length; that are made and judged
MORE = 3  # times as many, where none of these is believed: of 12 timelines with a red seam that cured 3
WHOLE = 4  # candidates of which all is made and judged, at most
LEAST_MADE = 3  # of each way of leading on
ENOUGH, GOOD = 8, 0.5  # made: then the best is taken if it costs no more than this
AROUND_S = (1.2, 2.7)  # seconds before and after the seam that are made of a candidate before it is chosen
LOOKED_S = 10.0  # of them at most, where a foot is held to the end of a long clip
CALM = 2.0  # times longer that steps take between bodies that stand. By eye
SOON_S, UNHURRIED_S = (
    0.9,
    1.1,
)  # seconds: of a target that acts so soon after its start, a transition may take this long
LONGER_S = (1.1, 1.5)  # seconds that a transition may take where no quicker one is believed. By eye
BALANCED_S = 1.5  # seconds after the second clip is itself in which a body is still moved over its feet, at most
SLACK_S = 0.02  # seconds: joins lie on frames, what must be shown does not
VELOCITY_S = 0.15  # seconds to either side over which a body's speed is taken, without the sway of a step. By eye


@dataclass(frozen=True)
class SearchWeights:
    """What counts beside the cost of steps, or of a judged join. By eye, on joins of captured and built-in clips."""

    unlike: float = 8.0  # a metre of difference between poses
    jolt: float = 0.02  # one m/s² of a glitch at the end of a clip, beyond what is clean
    hard: float = 1.0  # one m/s² asked of the body beyond manages_m_s2
    manages_m_s2: float = 3.0  # of change of speed while it goes on stepping
    led: float = 0.5  # a second that is led on
    lost: float = 0.6  # a second of either clip that is lost
    late: float = 30.0  # a second of the target's first action in which the join is not over
    held: float = 3.0  # a second of it, the first, in which a foot stands stiller than its capture's
    cut: float = 25.0  # an action that is not shown whole
    unbelieved: float = 20.0  # a seam that is not believed: less than a cut action, more than the roughest that is
    failed: float = 1.0  # a figure that misses its limit,
    beyond: float = 2.0  # and each time its limit that it is beyond that
    unusual: float = 0.3  # a figure at its limit, over one that is as in 95 % of captures
    near: float = 0.5  # a figure at its limit: around it, what is measured differs with what else is shown
    rough: float = 8.0  # excess acceleration, for each time what is clean that it is beyond that: with 2, 90 % of 60
    # captured joins keep below 42 m/s², with 8 below 38, and as many are believed


WEIGHTS = SearchWeights()
TOLD = 8  # alternatives a report names
NEAR_SHARE = 0.08  # of a limit, that is near it. By eye
MOST_BEYOND = 3.0  # times its limit: a figure that is farther off counts no more


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


class JoinSection(NamedTuple):
    """One join made."""

    departure: Departure
    target: Clip
    made: Transition
    plan: StepPlan | None
    assembled: AssembledJoin
    pair: BridgedPair  # the two clips themselves, and what was led on of them
    frames: int  # of the whole result

    @property
    def own_s(self) -> tuple[float, float]:
        """Seconds of the result at which the first clip itself ends and the second begins."""
        left, entered, whole = self.pair.left, self.pair.entered, self.assembled
        end_s, begin_s = whole.join_s, whole.end_s
        if left is not None and left.words:
            end_s = min(end_s, end_s + left.shown_s[1] - self.departure.at_s)
        if entered.words:
            begin_s = max(begin_s, begin_s + entered.shift_s + entered.shown_s[0] - self.made.enter_s)
        return end_s, begin_s

    @property
    def new_frames(self) -> tuple[int, int]:
        """The first and the last frame of the whole result that are neither clip's own."""
        fps, (end_s, begin_s) = self.departure.fps, self.own_s
        steps = 0 if self.plan is None else round(self.assembled.join_s * fps) + 1 + self.plan.end
        last = max(steps, round(begin_s * fps))
        return round(end_s * fps) + 1, min(last, self.frames - 1)


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
        cost += WEIGHTS.jolt * _shaken(ends) + cost_beside(pair, ends, plan, request.filler)
        planned.append(_Planned(cost, departure, target, ends, plan, pair, request))
    return sorted(planned, key=lambda p: p.cost)


def cost_beside(pair: BridgedPair, ends: JoinEnds, plan: StepPlan, filler: tuple[bool, bool] = (False, False)) -> float:
    """What it costs beside the judge's: seconds that are led on, or lost of either clip, or of its first action."""
    left_s = (ends.leave - ends.old.lead) / ends.old.fps
    start_s = (ends.start - ends.new.lead) / ends.new.fps
    left, entered = pair
    led, lost = 0.0, 0.0 if filler[1] else max(start_s - entered.shift_s, 0.0)
    if entered.words:
        led += max(entered.shift_s + entered.shown_s[0] - start_s, 0.0)
    if left is not None and not left.own.is_loop:
        led += max(left_s - left.shown_s[1], 0.0)
        lost += 0.0 if filler[0] else max(left.own.duration - min(left_s, left.shown_s[1]), 0.0)
    return WEIGHTS.led * led + WEIGHTS.lost * lost + (0.0 if filler[1] else _late(pair, ends, plan))


def _late(pair: BridgedPair, ends: JoinEnds, plan: StepPlan) -> float:
    """What it costs that feet go where the join leads them, or are held, when the target's first action begins."""
    at_start_s = (ends.start - ends.new.lead) / ends.new.fps - pair.entered.shift_s
    enter_by_s = action_bounds(pair.entered.own).enter_by_s

    def after_s(frame: int) -> float:
        return max(0.0, at_start_s + frame / ends.new.fps - enter_by_s)

    moved = after_s(max(ends.length, *(0 if foot.held else foot.land for foot in plan.feet)))
    held = min(1.0, after_s(max(foot.land if foot.held else 0 for foot in plan.feet)))
    return WEIGHTS.late * moved + WEIGHTS.held * held


def asked_m_s2(ends: JoinEnds, turn: float) -> float:
    """The mean acceleration of the body that a transition asks for; turn is that of the target's placement."""
    change = velocity(ends.new, ends.enter, turn) - velocity(ends.old, ends.leave, 0.0)
    return float(np.linalg.norm(change)) * ends.old.fps / ends.length


def velocity(paths: FootPaths, frame: int, turn: float) -> np.ndarray:
    """(3,) of the floor root around a frame, m/s, without the sway of a step."""
    reach = round(VELOCITY_S * paths.fps)
    first, last = paths.lead, paths.lead + paths.frames - 1
    a, b = (min(max(frame + s, first), last) for s in (-reach, reach))
    if b == a:
        return np.zeros(3)
    moved = (paths.root[b] - paths.root[a]) * paths.fps / (b - a)
    return FloorTransform(np.asarray(turn), np.zeros(3)).points(moved)


def too_hard(hard_m_s2: float) -> float:
    """What it costs to ask the body for more than it manages."""
    return WEIGHTS.hard * max(0.0, hard_m_s2 - WEIGHTS.manages_m_s2)


def _shaken(ends: JoinEnds) -> float:
    """How much of a jolt at the end of what is left, or at the start of what is entered, is seen: m/s²."""
    left, begun = ends.old.lead + ends.old.frames - 1 - ends.leave, ends.new.lead - ends.start
    share = gentle(np.array([left, begun]) / ends.length)
    before, after = jolts(ends.new)[0] * (begun >= 0), jolts(ends.old)[1]
    return float(max(0.0, (1.0 - share[0]) * after - CLEAN) + max(0.0, share[1] * before - CLEAN))


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


def cost_of(section: JoinSection, found: Judgement | None) -> float:
    """How far from believed, or from what captures usually show, the seam is; of what cannot be judged, how unclean."""
    if found is None:
        return measured(section).cost if section.plan is not None else np.inf
    return judged_cost(found)


def judged_cost(found: Judgement) -> float:
    """How far from believed, or from what captures usually show, all seams together are."""
    total = 0.0
    for seam in found.seams:
        total += WEIGHTS.unbelieved if seam.failed else 0.0
        for name, figure in seam.figures.items():
            share, usual = figure.value / figure.limit if figure.limit > 0.0 else 0.0, USUAL_SHARE[name]
            if not figure.ok:
                total += WEIGHTS.failed + WEIGHTS.beyond * (min(max(share, 1.0), 1.0 + MOST_BEYOND) - 1.0)
            elif name == "excess" and figure.value > CLEAN:
                total += WEIGHTS.rough * (figure.value / CLEAN - 1.0)
            elif share > usual:
                total += WEIGHTS.unusual * (share - usual) / max(1.0 - usual, 1e-9)
            total += WEIGHTS.near * max(0.0, 1.0 - (1.0 - share) / NEAR_SHARE) if figure.ok else 0.0
    return total


def stepped(
    section: JoinSection, ends: JoinEnds, around_s: tuple[float, float] | None = None
) -> tuple[JoinSection, int]:
    """A join with its feet as planned and its body balanced; all of it, or what is around it, from a frame on."""
    whole, plan, fps = section.assembled, section.plan, section.departure.fps
    assert plan is not None
    left = round(whole.join_s * fps) + 1  # frames before the first one that is planned
    first, last = section.new_frames
    cut = 0
    if around_s is not None:
        cut, end = max(0, first - round(around_s[0] * fps)), max(first + round(around_s[1] * fps), last + round(fps))
        end = min(end, first + round(LOOKED_S * fps))
        part = whole.clip.with_pose(whole.clip.pose.at(slice(cut, end)), events=(), is_loop=False)
        whole = whole._replace(clip=part)
    at, clip = left - cut, whole.clip
    pose = follow_steps(ends, plan, clip.pose.at(slice(at, None)))
    root_pos, rot = np.array(clip.pose.root_pos), np.array(clip.pose.rot)
    root_pos[at:], rot[at:] = pose.root_pos, pose.rot
    clip = clip.with_pose(clip.pose._replace(root_pos=root_pos, rot=rot))
    begin_s = whole.end_s - section.made.enter_s + section.pair.entered.shift_s
    acts_s = max(begin_s + action_bounds(section.pair.entered.own).enter_by_s, whole.end_s)  # a kick keeps its balance
    if section.made.method == "auto":
        settled = round(min(last, acts_s * fps)) - cut
        clip = arms_in_time(clip, at, settled, section.departure, section.target, section.made)
    until = min(last, round(min(max(section.own_s[1], whole.end_s) + BALANCED_S, acts_s) * fps)) - cut
    clip = balanced(clip, first - cut, min(until, clip.frames - 1))
    return section._replace(assembled=whole._replace(clip=clip)), cut


def measured(section: JoinSection) -> JoinQuality:
    """The older figures of a join: skate, excess acceleration, knee, stretch, depth."""
    whole, departure, (left, entered) = section.assembled, section.departure, section.pair
    sources: list[tuple[Clip, float]] = []
    if left is not None:
        sources.append((left.own, whole.join_s - departure.at_s + left.shift_s))
    sources.append((entered.own, whole.end_s - section.made.enter_s + entered.shift_s))
    return measure(whole.clip, section.own_s[0] + 1.0 / departure.fps, sources)
