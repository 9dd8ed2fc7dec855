"""Search: ways of joining two motions are planned, the promising ones made and measured, the best kept.

When to leave and to enter is chosen by likeness (`candidates`), where the feet go by `feet.step_search`; where a body
cannot change its speed so fast, the missing steps are made (`steps_between`). Every candidate is judged by what came
out of it (`measure`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.easing import gentle
from footfall.core.errors import ParameterError
from footfall.feet import step_search
from footfall.feet.foot_paths import FootPaths, foot_paths
from footfall.feet.step_following import follow_steps
from footfall.feet.step_plan import JoinEnds, StepPlan
from footfall.joins import steps_between
from footfall.joins.assemble import AssembledJoin, assemble
from footfall.joins.candidates import LENGTHS_S, candidates, jolts
from footfall.joins.departure import Departure, departing_paths, leaving
from footfall.joins.measure import JoinGround, JoinQuality, ground_of, known, measure
from footfall.joins.methods._setting import TransitionSetting
from footfall.joins.placement import place
from footfall.joins.transition import Transition
from footfall.kinematics.pose_blend import blend
from footfall.quality.joins import CLEAN

WITHIN_S = 1.5  # seconds of the end of what is left, and of the start of what is entered, that are searched. By eye
PLANNED, MADE, FINAL = 9, 12, 2  # candidates whose feet are planned, a length; that are made; that are made whole
AROUND_S = (0.3, 1.3)  # seconds before and after the join that are made of a candidate before it is chosen
QUIET_RAD_S, CALM = 5.0, 2.0  # knees slower than this, rad/s, only stand; then steps take so many times longer. By eye


@dataclass(frozen=True)
class SearchWeights:
    """What counts beside the cost of steps, or of a measured join. By eye, on joins of captured and built-in clips."""

    unlike: float = 8.0  # a metre of difference between poses
    jolt: float = 0.02  # one m/s² of a glitch at the end of a clip, beyond what is clean
    hard: float = 1.0  # one m/s² asked of the body beyond what it manages
    bridge: float = 0.3  # every join more that steps in between take


WEIGHTS = SearchWeights()


class JoinSection(NamedTuple):
    """One join made: of two, where steps go in between."""

    departure: Departure
    target: Clip
    made: Transition
    plan: StepPlan | None
    assembled: AssembledJoin
    quality: JoinQuality | None


class JoinCandidate(NamedTuple):
    """A way from one motion to the other."""

    legs: tuple[JoinSection, ...]
    hard_m_s2: float  # mean acceleration asked of the body

    @property
    def cost(self) -> float:
        figures = [leg.quality.cost for leg in self.legs if leg.quality is not None]
        return max(figures) + WEIGHTS.bridge * (len(figures) - 1) + too_hard(self.hard_m_s2)

    @property
    def quality(self) -> JoinQuality | None:
        """Of its first join."""
        return self.legs[0].quality

    @property
    def words(self) -> str:
        leg = self.legs[0]
        between = f" by way of {leg.target.name}" if len(self.legs) > 1 else ""
        seconds = len(leg.made.pose.root_pos) / leg.departure.fps
        return (
            f"leaving at {leg.departure.at_s:.2f} s, entering at {leg.made.enter_s:.2f} s in {seconds:.2f} s{between}"
        )


def too_hard(hard_m_s2: float) -> float:
    """What it costs to ask the body for more than it manages."""
    return WEIGHTS.hard * max(0.0, hard_m_s2 - steps_between.BRIDGE_HARD_M_S2)


class _Planned(NamedTuple):
    cost: float
    departure: Departure
    ends: JoinEnds
    plan: StepPlan
    hard_m_s2: float


def search(
    source: Departure | Clip,
    target: Clip,
    at_s: float | None = None,
    enter_s: float | None = None,
    length_s: float | None = None,
    window_s: tuple[float, float] = (0.0, WITHIN_S),
    leave_from_s: float = 0.0,
    steps: bool = True,
) -> list[JoinCandidate]:
    """Ways of joining, the best first and that one whole.

    window_s: when the target may be entered; leave_from_s: the source is left no sooner; both where no time is given.
    steps: whether steps may be put in between.
    """
    planned = _plans(source, target, at_s, enter_s, length_s, window_s, leave_from_s)
    ways = [_way(target, p, AROUND_S) for p in planned]
    order = sorted(range(len(ways)), key=lambda i: ways[i].cost)
    finals = sorted(((_way(target, planned[i]), i) for i in order[:FINAL]), key=lambda f: f[0].cost)
    best = planned[finals[0][1]]
    found = [way for way, _ in finals] + [ways[i] for i in order[FINAL:]]
    if steps and length_s is None and found[0].hard_m_s2 > steps_between.BRIDGE_HARD_M_S2:
        through = _with_steps(source, target, at_s, enter_s, window_s, leave_from_s, best)
        if through is not None:
            found = sorted([found[0], through], key=lambda w: w.cost) + found[1:]
    return found


def _plans(
    source: Departure | Clip,
    target: Clip,
    at_s: float | None,
    enter_s: float | None,
    length_s: float | None,
    window_s: tuple[float, float],
    leave_from_s: float,
) -> list[_Planned]:
    """The most promising candidates with their step plans."""
    longest = length_s or 0.0
    old = departing_paths(source, longest) if isinstance(source, Departure) else foot_paths(source, source.fps, longest)
    fps, new = old.fps, foot_paths(target, old.fps, longest)
    lengths = tuple(max(2, round(s * fps)) for s in (LENGTHS_S if length_s is None else (length_s,)))
    leave, enter = _leaves(source, old, at_s, leave_from_s), _enters(target, new, enter_s, window_s)
    calms = (1.0, CALM) if _quiet(source, target) else (1.0,)
    planned = []
    found = candidates(old, new, leave, enter, lengths, PLANNED)
    for calm, candidate in product(calms, found):
        ends = JoinEnds(old, new, candidate.leave, candidate.enter, candidate.length, calm=calm)
        departure = source if isinstance(source, Departure) else _leaving(source, old, candidate.leave)
        natural = place(departure, target, (candidate.enter - new.lead) / fps, candidate.length / fps)
        plan = step_search.plan(ends, natural)
        hard = steps_between.asked_m_s2(*ends[:5], float(plan.placement.turn))
        cost = plan.cost + WEIGHTS.unlike * candidate.unlike_m + too_hard(hard)
        cost += WEIGHTS.jolt * _shaken(ends)
        planned.append(_Planned(cost, departure, ends, plan, hard))
    planned.sort(key=lambda p: p.cost)
    likely = [[p for p in planned if p.ends.calm == calm][:MADE] for calm in calms]
    return [p for group in likely for p in group]


def _shaken(ends: JoinEnds) -> float:
    """How much of a jolt at the end of what is left, or at the start of what is entered, is seen: m/s²."""
    left, begun = ends.old.lead + ends.old.frames - 1 - ends.leave, ends.new.lead - ends.start
    share = gentle(np.array([left, begun]) / ends.length)
    before, after = jolts(ends.new)[0] * (begun >= 0), jolts(ends.old)[1]
    return float(max(0.0, (1.0 - share[0]) * after - CLEAN) + max(0.0, share[1] * before - CLEAN))


def _quiet(source: Departure | Clip, target: Clip) -> bool:
    """Whether nobody bends a knee in either motion as fast as a usual step does."""
    left = source.clip if isinstance(source, Departure) else source
    return left is not None and max(known(left).knee_rad_s, known(target).knee_rad_s) < QUIET_RAD_S


def _leaves(source: Departure | Clip, old: FootPaths, at_s: float | None, from_s: float) -> tuple[int, int]:
    if isinstance(source, Departure):
        frame = old.index(source.at_s) if source.clip is not None else old.lead
        return frame, frame
    if at_s is not None:
        return old.index(at_s), old.index(at_s)
    last = old.lead + old.frames - 1
    return min(max(old.lead, last - round(WITHIN_S * old.fps), old.index(from_s)), last), last


def _enters(target: Clip, new: FootPaths, enter_s: float | None, window_s: tuple[float, float]) -> tuple[int, int]:
    last = new.lead + new.frames - 1
    if enter_s is not None:
        if not 0.0 <= enter_s <= target.duration + 0.5 / target.fps:
            name = target.name or "the target"
            raise ParameterError(f"cannot enter {name} at {enter_s:g} s; give a time from 0 to {target.duration:g} s")
        return min(new.index(enter_s), last), min(new.index(enter_s), last)
    first, end = new.index(max(window_s[0], 0.0)), min(last, new.index(min(window_s[1], target.duration, WITHIN_S)))
    if first > end:
        raise ParameterError(f"{target.name or 'the target'} ends before it may be entered; allow an earlier entry")
    return first, end


def _leaving(source: Clip, old: FootPaths, frame: int) -> Departure:
    return leaving(source, min((frame - old.lead) / old.fps, source.duration), old.fps)


def _way(target: Clip, planned: _Planned, around_s: tuple[float, float] | None = None) -> JoinCandidate:
    departure, ends, plan = planned.departure, planned.ends, planned.plan
    made = blended(departure, target, ends, plan)
    assembled, quality = stepped(departure, target, made, ends, plan, around_s)
    return JoinCandidate((JoinSection(departure, target, made, plan, assembled, quality),), planned.hard_m_s2)


def blended(departure: Departure, target: Clip, ends: JoinEnds, plan: StepPlan) -> Transition:
    """Both motions played on, the target where the step plan wants it, one gently taking over from the other."""
    times_s = np.arange(1, ends.length + 1) / departure.fps
    setting = TransitionSetting(target, times_s, (ends.enter - ends.new.lead) / departure.fps, plan.placement)
    weight = gentle(setting.progress)
    pose = blend(departure.skeleton, departure.ahead(times_s), setting.arriving(), weight)
    note = f"a gentle blend over {setting.length_s:.2f} s"
    return Transition("auto", pose, setting.enter_s, plan.placement, setting.tracks(departure, weight), note)


def _with_steps(
    source: Departure | Clip,
    target: Clip,
    at_s: float | None,
    enter_s: float | None,
    window_s: tuple[float, float],
    leave_from_s: float,
    best: _Planned,
) -> JoinCandidate | None:
    """Through the steps that take the body from one speed to the other; None where they are none of walking."""
    ends = best.ends
    speeds = steps_between.forward_m_s(ends.old, ends.leave), steps_between.forward_m_s(ends.new, ends.enter)
    if min(speeds) < -steps_between.BRIDGE_STANDS_M_S:
        return None
    between = steps_between.bridge(ends.old.skeleton, *speeds, ends.old.fps)
    if between is None:
        return None
    first = search(source, between, at_s, None, None, (0.0, WITHIN_S), leave_from_s, steps=False)[0]
    onward = first.legs[0].assembled.clip
    second = search(onward, target, None, enter_s, None, window_s, steps=False)[0]
    return JoinCandidate((*first.legs, *second.legs), max(first.hard_m_s2, second.hard_m_s2))


def stepped(
    departure: Departure,
    target: Clip,
    made: Transition,
    ends: JoinEnds,
    plan: StepPlan,
    around_s: tuple[float, float] | None = None,
) -> tuple[AssembledJoin, JoinQuality]:
    """A transition in its place between the clips, feet as planned, measured; all of it or what is around the join."""
    fps = departure.fps
    whole = assemble(departure, target, made)
    first = round(whole.join_s * fps) + 1
    ground, cut = None, 0
    if around_s is not None and departure.clip is not None and not (departure.clip.is_loop or target.is_loop):
        cut = max(0, first - round(around_s[0] * fps))
        part = whole.clip.with_pose(whole.clip.pose.at(slice(cut, first + round(around_s[1] * fps))), events=())
        leave, enter = round(departure.at_s * departure.clip.fps), round(made.enter_s * target.fps)
        ground, whole = ground_of(departure.clip, leave, target, enter), whole._replace(clip=part)
    at = first - cut
    pose = follow_steps(ends, plan, whole.clip.pose.at(slice(at, None)))
    root_pos, rot = np.array(whole.clip.pose.root_pos), np.array(whole.clip.pose.rot)
    root_pos[at:], rot[at:] = pose.root_pos, pose.rot
    clip = whole.clip.with_pose(whole.clip.pose._replace(root_pos=root_pos, rot=rot))
    whole = whole._replace(clip=clip)
    return whole, measured(departure, target, made, whole, ground, cut)


def measured(
    departure: Departure,
    target: Clip,
    made: Transition,
    whole: AssembledJoin,
    ground: JoinGround | None = None,
    cut: int = 0,
) -> JoinQuality:
    """How well a transition turned out; of the whole clip, or of the part of it from frame cut on."""
    fps = departure.fps
    start = cut / fps
    sources: Sequence[tuple[Clip, float]] = [(target, whole.end_s - made.enter_s - start)]
    if departure.clip is not None:
        sources = [(departure.clip, whole.join_s - departure.at_s - start), *sources]
    return measure(whole.clip, whole.join_s + 1.0 / fps - start, sources, ground)
