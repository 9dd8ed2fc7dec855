"""By method: transitions of a chosen method with their feet planned, at a given moment or at the best one there is.

A method says how poses are made, not when. When no moment is given, it is searched as `auto` does (`search`): the
likeliest ways to leave, to enter and to lead on are made by this method, judged, and the best is kept. Methods that
find their entry by themselves are tried with that, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.feet import step_search
from footfall.feet.foot_paths import FootPaths, foot_paths
from footfall.feet.step_plan import JoinEnds, StepPlan
from footfall.joins.assemble import assemble
from footfall.joins.bridge import BridgedPair, alone
from footfall.joins.departure import Departure, departing_paths, leaving
from footfall.joins.join_costs import cost_beside, cost_of
from footfall.joins.join_section import JoinSection, stepped
from footfall.joins.search import CandidatePoses, JoinCandidate, SearchRequest, search
from footfall.joins.shown_clips import shown_clips
from footfall.joins.transition import Transition, TransitionRequest, method
from footfall.quality.verdict import judgement_of

OWN_LEAVES = 3  # leaving times at which a method that finds its entry by itself is tried. By eye


def at_moment(departure: Departure, target: Clip, made: Transition, feet: bool) -> JoinSection:
    """The transition of a method put in its place, its feet planned where asked; bodies without legs have none."""
    return _stepped(departure, target, made)[0] if feet else _placed(departure, target, made)


def best_moments(
    source: Clip, target: Clip, name: str, request: TransitionRequest, within: SearchRequest, feet: bool
) -> list[JoinCandidate]:
    """Ways of leaving and entering two clips by a method, judged, the best first; request: length and options."""
    make = method(name).transition

    def by_method(departure: Departure, to: Clip, ends: JoinEnds, _: StepPlan) -> CandidatePoses:
        enter_s = (ends.enter - ends.new.lead) / departure.fps
        made = make(departure, to, replace(request, length_s=ends.length / departure.fps, enter_s=enter_s))
        ends = _ends(departure, to, made, ends.old, ends.new)._replace(calm=ends.calm)
        return CandidatePoses(made, ends, _planned(ends, made) if feet else None)

    ways, own = search(source, target, replace(within, make=by_method)), []
    if hasattr(method(name), "OWN_ENTRY"):
        allowed = replace(request, window_s=within.window_s)
        leaves_s = dict.fromkeys([source.duration, *(w.section.departure.at_s for w in ways if _plain(w.section.pair))])
        for at_s in list(leaves_s)[: 1 + OWN_LEAVES]:
            departure = leaving(source, at_s)
            own.append(_judged(departure, target, make(departure, target, allowed), feet))
    best = min((ways[0], *own), key=lambda way: way.cost)  # these are whole; others may be made around the seam alone
    return [best, *sorted((way for way in (*ways, *own) if way is not best), key=lambda way: way.cost)]


def finds_entry(name: str, options: Iterable[str]) -> bool:
    """Whether options were given that say how a method finds its entry: then nothing else looks for it."""
    return any(option in getattr(method(name), "OWN_ENTRY", ()) for option in options)


def _plain(pair: BridgedPair) -> bool:
    return not any(led is not None and led.words for led in pair)


def _judged(departure: Departure, target: Clip, made: Transition, feet: bool) -> JoinCandidate:
    section, ends = _stepped(departure, target, made)
    assert section.plan is not None
    beside = cost_beside(section.pair, ends, section.plan)
    section = section if feet else _placed(departure, target, made)
    found = judgement_of(section.assembled.clip, shown_clips(section, (True, True)))
    return JoinCandidate(section, cost_of(section, found) + beside, found)


def _placed(departure: Departure, target: Clip, made: Transition) -> JoinSection:
    whole = assemble(departure, target, made)
    pair = BridgedPair(None if departure.clip is None else alone(departure.clip), alone(target))
    return JoinSection(departure, target, made, None, whole, pair, whole.clip.frames)


def _stepped(departure: Departure, target: Clip, made: Transition) -> tuple[JoinSection, JoinEnds]:
    length_s = len(made.pose.root_pos) / departure.fps
    old, new = departing_paths(departure, length_s), foot_paths(target, departure.fps, length_s)
    ends = _ends(departure, target, made, old, new)
    section = _placed(departure, target, made)._replace(plan=_planned(ends, made))
    return stepped(section, ends)[0], ends


def _planned(ends: JoinEnds, made: Transition) -> StepPlan:
    return step_search.plan_at(ends, made.placement, made.placement)


def _ends(departure: Departure, target: Clip, made: Transition, old: FootPaths, new: FootPaths) -> JoinEnds:
    at = departure.at_s * old.fps if departure.clip is not None else 0.0
    entry = made.enter_s
    if target.is_loop and target.duration > 0.0 and entry > target.duration:
        raise ParameterError(
            f"{target.name or 'the target'} is a loop of {target.duration:g} s; enter it within its first round"
        )
    leave, enter = round(at), round(entry * new.fps)
    late = (at - leave, entry * new.fps - enter)
    return JoinEnds(old, new, old.lead + leave, new.lead + enter, len(made.pose.root_pos), late)
