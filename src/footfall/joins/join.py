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
from footfall.core.errors import ParameterError, UnknownName
from footfall.core.report import Rejected, Report, Segment
from footfall.edit.floor import floor
from footfall.edit.loop import first_joint_under_body
from footfall.edit.travel import with_travel
from footfall.feet.foot_paths import foot_paths
from footfall.feet.leg_solve import has_legs, world_legs
from footfall.joins import transition as contract
from footfall.joins.assemble import assemble
from footfall.joins.by_method import at_moment, best_moments, finds_entry
from footfall.joins.departure import Departure, departing_paths, leaving
from footfall.joins.search import JoinSection, SearchRequest, cost_of, measured, others_told, search
from footfall.joins.shown_clips import shown_clips
from footfall.joins.transition import TransitionRequest
from footfall.motions.library import ClipLike, open_clip, open_each
from footfall.quality.verdict import judgement_of, told
from footfall.retarget.one_body import same_body

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
    """Join one motion to another: a new clip, with a report of how it was made and how well.

    a: a clip, or a Departure from any state. b: a clip, or several of which the one that suits best is entered; put on
    the body of a where theirs differs. Clips may also be given as files or built-in motions: join("walk", "kick.bvh").
    method: a name of `joins.methods()`; "auto" tries and measures. at_s: when a is left. enter_s: when b is entered.
    length_s: of the transition. Where neither time is given every method tries moments within the last 1.5 s of a and
    the first 1.5 s of b; given one of them, methods other than "auto" leave at the end and enter at the start.
    foot_lock: plan footsteps for methods that only blend. options: of the method.
    """
    a, targets = a if isinstance(a, Departure) else open_clip(a), open_each(b)
    if not targets:
        raise ParameterError("there is no clip to enter; give one or more")
    request = TransitionRequest(length_s, enter_s, options=options)
    if isinstance(a, Clip) and not LEAST_FPS <= a.fps <= MOST_FPS:
        raise ParameterError(f"clips of {LEAST_FPS:g} to {MOST_FPS:g} fps can be joined, not of {a.fps:g}; resample it")
    if isinstance(a, Clip) and has_legs(a.skeleton):
        a = _standing(a)
    source, at_s = _left(a, at_s)
    for target in targets:
        if target.duration * source.fps > MOST_FRAMES:
            raise ParameterError(
                f"{target.name or 'the target'} lasts {target.duration:g} s, over {MOST_FRAMES} frames at "
                f"{source.fps:g} fps; trim it"
            )
    targets = [_on_body(source, target) for target in targets]
    asked = isinstance(source, Departure) or at_s is not None, enter_s is not None
    if method == "auto" and has_legs(source.skeleton):
        return _best([_auto(source, target, at_s, length_s, enter_s, options) for target in targets], asked)
    name = "crossfade" if method == "auto" else method
    feet = foot_lock and has_legs(source.skeleton)
    if isinstance(source, Clip) and has_legs(source.skeleton) and not (any(asked) or finds_entry(name, options)):
        return _best([_by_method(source, target, name, request, feet) for target in targets], asked)
    departure = source if isinstance(source, Departure) else leaving(source, at_s)
    made = [(target, contract.method(name).transition(departure, target, request)) for target in targets]
    return _best([_MadeJoin(at_moment(departure, target, t, feet)) for target, t in made], asked)


def on_one_body(a: Clip, b: Clip) -> tuple[Clip, Clip]:
    """Two clips as `join` takes them, the second on the body of the first; joining these again changes neither."""
    first = _standing(a) if has_legs(a.skeleton) else a
    return first, _on_body(first, b)


class _MadeJoin(NamedTuple):
    """A join and the alternatives that were not taken."""

    section: JoinSection
    rejected: tuple[Rejected, ...] = ()

    @property
    def cost(self) -> float:
        """What the judge makes of it."""
        clip = self.section.assembled.clip
        return cost_of(self.section, judgement_of(clip, shown_clips(self.section, (True, True))))


def _best(made: Sequence[_MadeJoin], asked: tuple[bool, bool]) -> Clip:
    """The join that costs least, judged; asked: whether when to leave and when to enter was given by hand."""
    best = min(made, key=lambda one: one.cost) if len(made) > 1 else made[0]
    clip = _reported(best)
    assert clip.report is not None
    found = judgement_of(clip, shown_clips(best.section, asked))
    seam = found.seams[0] if found and found.seams else None
    return replace(clip, report=told(clip.report, found, lambda s: seam if s.kind == "transition" else None))


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
    return _standing(target) if isinstance(source, Clip) and has_legs(target.skeleton) else target


def _standing(clip: Clip) -> Clip:
    """The clip with its soles on the floor, travelling, and its first joint under it: blends move a body as one."""
    return first_joint_under_body(floor(with_travel(clip)))


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
    ways = search(source, target, _within(source, target, at_s, enter_s, length_s))
    return _MadeJoin(ways[0].section, others_told(ways, "auto"))


def _by_method(source: Clip, target: Clip, name: str, request: TransitionRequest, feet: bool) -> _MadeJoin:
    ways = best_moments(source, target, name, request, _within(source, target, None, None, request.length_s), feet)
    return _MadeJoin(ways[0].section, others_told(ways, name))


def _within(
    source: Clip | Departure, target: Clip, at_s: float | None, enter_s: float | None, length_s: float | None
) -> SearchRequest:
    """What was asked for, and when both may be left and entered without cutting what they show."""
    leave_from_s = content_bounds(source).leave_from_s if isinstance(source, Clip) and at_s is None else 0.0
    return SearchRequest(at_s, enter_s, length_s, (0.0, content_bounds(target).enter_by_s), leave_from_s)


def _reported(join: _MadeJoin) -> Clip:
    """The clip with the story of how it was made."""
    section, rejected = join.section, join.rejected
    whole, made, clip = section.assembled, section.made, section.assembled.clip
    names = _name(section.departure), section.target.name or "target"
    quality = measured(section) if has_legs(clip.skeleton) else None
    (left, entered), (left_s, begins_s) = section.pair, section.own_s
    shift = whole.end_s - made.enter_s + entered.shift_s  # when the second begins
    first = section.departure.at_s - whole.join_s
    segments = []
    if left_s > 1e-6:
        segments.append(Segment("clip", 0.0, left_s, names[:1], clip_times_s=((first, first + left_s),)))
    if whole.join_s > left_s + 1e-6:
        segments.append(Segment("bridge", left_s, whole.join_s, names[:1], reason=left.words if left else ""))
    times = tuple((float(t.time_s[0]), float(t.time_s[-1])) for t in made.tracks if len(t.time_s))
    segments.append(
        Segment(
            "transition",
            whole.join_s,
            whole.end_s,
            names,
            method=made.method,
            phases=_phases(section),
            clip_times_s=times,
            reason=_reason(section),
            rejected=rejected,
            quality=quality.figures() if quality else {},
        )
    )
    if begins_s > whole.end_s + 1e-6:
        segments.append(Segment("bridge", whole.end_s, begins_s, names[1:], reason=entered.words))
    if clip.duration > begins_s + 1e-6:
        span = (begins_s - shift, clip.duration - shift)
        segments.append(Segment("clip", begins_s, clip.duration, names[1:], clip_times_s=(span,)))
    provenance = replace(whole.provenance, correction_m=_corrections(section))
    figures = {**quality.figures(), "cost": quality.cost} if quality else {}
    return replace(clip, report=Report(tuple(segments), figures, provenance))


def _name(departure: Departure) -> str:
    return departure.clip.name or "first" if departure.clip is not None else "departure"


def _phases(section: JoinSection) -> tuple[str, str] | None:
    if section.plan is None:
        return None
    old, new = departing_paths(section.departure), foot_paths(section.target, section.departure.fps)
    at = old.lead + (round(section.departure.at_s * old.fps) if section.departure.clip is not None else 0)
    entry = new.lead + round(section.made.enter_s * new.fps)
    words = {(True, True): "both", (True, False): "left", (False, True): "right", (False, False): "none"}
    before, after = (words[bool(x[0]), bool(x[1])] for x in (old.down[at], new.down[min(entry, len(new.down) - 1)]))
    return before, after


def _reason(section: JoinSection) -> str:
    feet = "" if section.plan is None else "; ".join(
        f"{side} foot {track.note}" for side, track in zip(("left", "right"), section.plan.feet, strict=True)
    )  # fmt: skip
    return "; ".join(x for x in (section.made.note, feet) if x)


def _corrections(section: JoinSection) -> np.ndarray:
    """(T,) how far the step plan moved a foot or the pelvis from where the blend had it."""
    clip = section.assembled.clip
    plain = assemble(section.departure, section.target, section.made).clip
    moved = np.linalg.norm(clip.pose.root_pos - plain.pose.root_pos, axis=-1)
    if has_legs(clip.skeleton):
        ankles = [world_legs(c.skeleton, c.pose).ankle for c in (clip, plain)]
        moved = np.maximum(moved, np.linalg.norm(ankles[0] - ankles[1], axis=-1).max(axis=-1))
    return moved
