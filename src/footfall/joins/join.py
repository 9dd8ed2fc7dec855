"""Join: two motions in one clip, feet on the floor, with a report of how it was done and how well.

join(a, b) chooses everything; at_s, enter_s, length_s and method fix what should not be chosen. docs/joins.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from footfall.analysis.content import content_bounds
from footfall.core.clip import Clip, fix_signs
from footfall.core.errors import ParameterError, SkeletonError, UnknownName
from footfall.core.report import Rejected, Report, Segment
from footfall.edit.floor import floor
from footfall.feet import step_search
from footfall.feet.foot_paths import FootPaths, foot_paths
from footfall.feet.leg_solve import leg_joints, world_legs
from footfall.feet.step_plan import JoinEnds
from footfall.joins import transition as contract
from footfall.joins.assemble import assemble
from footfall.joins.departure import Departure, departing_paths, leaving
from footfall.joins.measure import JoinQuality
from footfall.joins.search import JoinCandidate, JoinSection, measured, search, stepped
from footfall.joins.shown_clips import shown_clips
from footfall.joins.transition import Transition, TransitionRequest
from footfall.motions.library import ClipLike, open_clip, open_each
from footfall.quality.verdict import judgement_of, told
from footfall.retarget.one_body import same_body

TOLD = 8  # alternatives a report names
# how much worse than the one taken an alternative must be for a report to say so
WORSE_SKATE, WORSE_M_S2, FAST_KNEE, WORSE_HARD_M_S2 = 0.1, 5.0, 1.1, 0.5
MOST_FRAMES = 1_000_000
LEAST_FPS, MOST_FPS = 5.0, 1000.0  # of what is left: between too coarse for steps and too fine for the memory


def join(
    a: ClipLike | Departure,
    b: ClipLike | Iterable[ClipLike],
    method: str = "auto",
    at_s: float | None = None,
    length_s: float | None = None,
    enter_s: float | None = None,
    foot_lock: bool = True,
    **options: Any,
) -> Clip:
    """One motion into another, as a new clip with a report.

    a: a clip, or a Departure from any state. b: a clip, or several of which the one that suits best is entered; put on
    the body of a where theirs differs. Clips may also be given as files or built-in motions: join("walk", "kick.bvh").
    method: a name of `joins.methods()`; "auto" tries and measures. at_s: when a is left (auto chooses within its
    last 1.5 s, other methods leave at its end). enter_s: when b is entered. length_s: of the transition.
    foot_lock: plan footsteps for methods that only blend. options: of the method.
    """
    a, targets = a if isinstance(a, Departure) else open_clip(a), open_each(b)
    if not targets:
        raise ParameterError("there is no clip to enter; give one or more")
    request = TransitionRequest(length_s, enter_s, options=options)
    if isinstance(a, Clip) and _has_legs(a.skeleton):
        a = floor(a)
    if isinstance(a, Clip) and not LEAST_FPS <= a.fps <= MOST_FPS:
        raise ParameterError(f"clips of {LEAST_FPS:g} to {MOST_FPS:g} fps can be joined, not of {a.fps:g}; resample it")
    source, at_s = _left(a, at_s)
    targets = [_on_body(source, target) for target in targets]
    asked = isinstance(source, Departure) or at_s is not None, enter_s is not None
    if method == "auto" and _has_legs(source.skeleton):
        return _best([_auto(source, target, at_s, length_s, enter_s, options) for target in targets], asked)
    name = "crossfade" if method == "auto" else method
    departure = source if isinstance(source, Departure) else leaving(source, at_s)
    made = [(target, contract.method(name).transition(departure, target, request)) for target in targets]
    return _best([_finish(departure, target, t, foot_lock and _has_legs(source.skeleton)) for target, t in made], asked)


class _MadeJoin(NamedTuple):
    """A join, of two sections where steps go in between, and the alternatives that were not taken."""

    legs: Sequence[JoinSection]
    rejected: tuple[Rejected, ...] = ()

    @property
    def figures(self) -> dict[str, float]:
        return _worst([leg.quality for leg in self.legs if leg.quality is not None])


def _best(made: Sequence[_MadeJoin], asked: tuple[bool, bool]) -> Clip:
    """The join that costs least, judged; asked: whether when to leave and when to enter was given by hand."""
    best = min(made, key=lambda one: one.figures.get("cost", np.inf))
    clip = _reported(best)
    assert clip.report is not None
    found = judgement_of(clip, shown_clips(best.legs, asked))
    seams = {seam.seam.before: seam for seam in found.seams} if found else {}
    joins = {id(segment): seams.get(i) for i, segment in enumerate(clip.report.joins)}
    return replace(clip, report=told(clip.report, found, lambda segment: joins.get(id(segment))))


def _left(a: Clip | Departure, at_s: float | None) -> tuple[Clip | Departure, float | None]:
    """What is left, and when; a loop left after several rounds is played through them first."""
    if isinstance(a, Departure):
        if at_s is not None:
            raise ParameterError("a departure says itself when the motion is left; leave at_s out")
        return a, None
    if at_s is not None and not (0.0 <= at_s <= a.duration + 1e-6):
        if not (a.is_loop and 0.0 <= at_s < np.inf):
            leaving(a, at_s)  # refuses, saying why
        if at_s * a.fps > MOST_FRAMES:
            raise ParameterError(f"leaving at {at_s:g} s would play over {MOST_FRAMES} frames; leave earlier")
        rounds = np.ceil(at_s / max(a.duration, 1e-9)) + 1
        times = np.arange(round(rounds * a.duration * a.fps) + 1) / a.fps
        return a.with_pose(fix_signs(a.sample(times)), is_loop=False, events=()), at_s
    return a, at_s


def _on_body(source: Clip | Departure, target: Clip) -> Clip:
    """The target on the body of the motion that is left, its soles on the floor."""
    if not same_body(source.skeleton, target.skeleton):
        from footfall.retarget.retarget import retarget

        shown = source if isinstance(source, Clip) else source.clip
        target = retarget(target, shown if shown is not None else source.skeleton)
    return floor(target) if isinstance(source, Clip) and _has_legs(target.skeleton) else target


def _has_legs(skeleton: Any) -> bool:
    try:
        leg_joints(skeleton)
    except SkeletonError:
        return False
    return True


def _auto(
    source: Clip | Departure,
    target: Clip,
    at_s: float | None,
    length_s: float | None,
    enter_s: float | None,
    options: dict[str, Any],
) -> _MadeJoin:
    for key in options:
        raise UnknownName("option of auto", key, [])
    leave_from_s = content_bounds(source).leave_from_s if isinstance(source, Clip) else 0.0
    ways = search(source, target, at_s, enter_s, length_s, (0.0, content_bounds(target).enter_by_s), leave_from_s)
    return _MadeJoin(ways[0].legs, _told(ways))


def _told(ways: Sequence[JoinCandidate]) -> tuple[Rejected, ...]:
    """The alternatives, and why each was not taken."""
    return tuple(Rejected("auto", f"{way.words}: {_worse(way, ways[0])}") for way in ways[1 : TOLD + 1])


def _worse(way: JoinCandidate, taken: JoinCandidate) -> str:
    ours, theirs = way.quality, taken.quality
    reasons: list[str] = []
    if ours is None or theirs is None:
        return "not measured"
    if ours.skate_ratio > theirs.skate_ratio + WORSE_SKATE:
        reasons.append(f"skates {ours.skate_ratio:.1f} times its sources")
    if ours.excess_m_s2 > theirs.excess_m_s2 + WORSE_M_S2:
        reasons.append(f"throws {ours.excess_joint} {ours.excess_m_s2:.0f} m/s² harder than they do")
    if ours.knee_ratio > max(FAST_KNEE, theirs.knee_ratio):
        reasons.append(f"moves a knee {ours.knee_ratio:.1f} times as fast")
    if way.hard_m_s2 > max(taken.hard_m_s2, 1.0) + WORSE_HARD_M_S2:
        reasons.append(f"asks the body for {way.hard_m_s2:.1f} m/s²")
    return ", ".join(reasons) or f"costs {way.cost:.2f}, not {taken.cost:.2f}"


def _finish(departure: Departure, target: Clip, made: Transition, feet: bool) -> _MadeJoin:
    """The transition of a method put in its place, its feet planned where asked."""
    if not feet:
        whole = assemble(departure, target, made)
        quality = measured(departure, target, made, whole) if _has_legs(departure.skeleton) else None
        return _MadeJoin([JoinSection(departure, target, made, None, whole, quality)])
    length_s = len(made.pose.root_pos) / departure.fps
    old, new = departing_paths(departure, length_s), foot_paths(target, departure.fps, length_s)
    ends = _ends(departure, target, made, old, new)
    plan = step_search.plan_at(ends, made.placement, made.placement)
    return _MadeJoin([JoinSection(departure, target, made, plan, *stepped(departure, target, made, ends, plan))])


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


def _reported(join: _MadeJoin) -> Clip:
    """The clip of the last leg with the story of all of them."""
    legs, rejected = join
    segments: list[Segment] = []
    start, at_clip = 0.0, 0.0
    for i, leg in enumerate(legs):
        whole, made = leg.assembled, leg.made
        name = legs[i - 1].target.name or "steps" if i else _name(leg.departure)
        entered = leg.target.name or "target"
        if whole.join_s > start + 1e-6:
            segments.append(
                Segment("clip", start, whole.join_s, (name,), clip_times_s=((at_clip, at_clip + whole.join_s - start),))
            )
        segments.append(
            Segment(
                "transition" if i == 0 else "connection",
                whole.join_s,
                whole.end_s,
                (name, entered),
                method=made.method,
                phases=_phases(leg),
                clip_times_s=tuple((float(t.time_s[0]), float(t.time_s[-1])) for t in made.tracks if len(t.time_s)),
                reason=_reason(leg),
                rejected=rejected if i == 0 else (),
                quality=leg.quality.figures() if leg.quality else {},
            )
        )
        start, at_clip = whole.end_s, made.enter_s
    last = legs[-1]
    clip = last.assembled.clip
    if clip.duration > start + 1e-6:
        segments.append(
            Segment(
                "clip", start, clip.duration, (last.target.name or "target",),
                clip_times_s=((at_clip, at_clip + clip.duration - start),),
            )
        )  # fmt: skip
    provenance = replace(last.assembled.provenance, correction_m=_corrections(last))
    return replace(clip, report=Report(tuple(segments), join.figures, provenance))


def _name(departure: Departure) -> str:
    return departure.clip.name or "first" if departure.clip is not None else "departure"


def _worst(qualities: Sequence[JoinQuality]) -> dict[str, float]:
    """Each figure of the join where it is worst."""
    if not qualities:
        return {}
    every = [{**q.figures(), "cost": q.cost} for q in qualities]
    return {key: max(figures[key] for figures in every) for key in every[0]}


def _phases(leg: JoinSection) -> tuple[str, str] | None:
    if leg.plan is None:
        return None
    old, new = departing_paths(leg.departure), foot_paths(leg.target, leg.departure.fps)
    at = old.lead + (round(leg.departure.at_s * old.fps) if leg.departure.clip is not None else 0)
    entry = new.lead + round(leg.made.enter_s * new.fps)
    words = {(True, True): "both", (True, False): "left", (False, True): "right", (False, False): "none"}
    before, after = (words[bool(x[0]), bool(x[1])] for x in (old.down[at], new.down[min(entry, len(new.down) - 1)]))
    return before, after


def _reason(leg: JoinSection) -> str:
    feet = "" if leg.plan is None else "; ".join(
        f"{side} foot {track.note}" for side, track in zip(("left", "right"), leg.plan.feet, strict=True)
    )  # fmt: skip
    return "; ".join(x for x in (leg.made.note, feet) if x)


def _corrections(leg: JoinSection) -> np.ndarray:
    """(T,) how far the step plan moved a foot or the pelvis from where the blend had it."""
    clip = leg.assembled.clip
    plain = assemble(leg.departure, leg.target, leg.made).clip
    moved = np.linalg.norm(clip.pose.root_pos - plain.pose.root_pos, axis=-1)
    if _has_legs(clip.skeleton):
        ankles = [world_legs(c.skeleton, c.pose).ankle for c in (clip, plain)]
        moved = np.maximum(moved, np.linalg.norm(ankles[0] - ankles[1], axis=-1).max(axis=-1))
    return moved
