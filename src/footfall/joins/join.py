"""Join: two motions in one clip, feet on the floor, with a report of how it was done and how well.

join(a, b) chooses everything; at_s, enter_s, length_s and method fix what should not be chosen. docs/joins.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footfall.analysis.content import content_bounds
from footfall.core.clip import Clip, fix_signs
from footfall.core.errors import ParameterError, UnknownName
from footfall.core.report import Rejected, Report, Segment
from footfall.feet.foot_paths import foot_paths
from footfall.feet.leg_solve import has_legs, world_legs
from footfall.joins import transition as contract
from footfall.joins.assemble import assemble
from footfall.joins.by_method import at_moment, best_moments, finds_entry
from footfall.joins.departure import Departure, departing_paths, leaving
from footfall.joins.join_costs import cost_of
from footfall.joins.join_section import JoinSection, measured
from footfall.joins.joined_body import on_body, standing
from footfall.joins.search import SearchRequest, others_told, search, worse
from footfall.joins.shown_clips import shown_clips
from footfall.joins.transition import JOIN_PARAMETERS, TransitionRequest
from footfall.motions.library import ClipLike, open_clip, open_each
from footfall.quality.verdict import judgement_of, told

if TYPE_CHECKING:
    from footfall.joins.through_donor import DonorFolder, DonorWay

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
    donors: str | Path | DonorFolder | None = None,
    **options: Any,
) -> Clip:
    """Join one motion to another: a new clip, with a report of how it was made and how well.

    a: a clip, or a Departure from any state. b: a clip, or several of which the one that suits best is entered; put on
    the body of a where theirs differs. Clips may also be given as files or built-in motions: join("walk", "kick.bvh").
    method: a name of `joins.methods()`; "auto" tries and measures. at_s: when a is left. enter_s: when b is entered.
    length_s: of the transition. Where neither time is given every method tries moments within the last 1.5 s of a and
    the first 1.5 s of b; given one of them, methods other than "auto" leave at the end and enter at the start.
    foot_lock: plan footsteps for methods that only blend. donors: a folder of recordings; where the judge prefers it,
    a stretch of one of them is put between the two. options: of the method.
    """
    a, targets = a if isinstance(a, Departure) else open_clip(a), open_each(b)
    if not targets:
        raise ParameterError("there is no clip to enter; give one or more")
    request = TransitionRequest(length_s, enter_s, options=options)
    if isinstance(a, Clip) and not LEAST_FPS <= a.fps <= MOST_FPS:
        raise ParameterError(f"clips of {LEAST_FPS:g} to {MOST_FPS:g} fps can be joined, not of {a.fps:g}; resample it")
    if isinstance(a, Clip) and has_legs(a.skeleton):
        a = standing(a)
    source, at_s = _left(a, at_s)
    for target in targets:
        if target.duration * source.fps > MOST_FRAMES:
            raise ParameterError(
                f"{target.name or 'the target'} lasts {target.duration:g} s, over {MOST_FRAMES} frames at "
                f"{source.fps:g} fps; trim it"
            )
    targets = [on_body(source, target) for target in targets]
    asked = isinstance(source, Departure) or at_s is not None, enter_s is not None
    if donors is not None:
        direct = _check_donors(source, targets, method, options)
        return _with_donors(*direct, _within(*direct, at_s, enter_s, length_s), donors, asked)
    if method == "auto" and has_legs(source.skeleton):
        return _best([_auto(source, target, at_s, length_s, enter_s, options) for target in targets], asked)
    name = "crossfade" if method == "auto" else method
    feet = foot_lock and has_legs(source.skeleton)
    if isinstance(source, Clip) and has_legs(source.skeleton) and not (any(asked) or finds_entry(name, options)):
        return _best([_by_method(source, target, name, request, feet) for target in targets], asked)
    departure = source if isinstance(source, Departure) else leaving(source, at_s)
    made = [(target, contract.method(name).transition(departure, target, request)) for target in targets]
    return _best([_MadeJoin(at_moment(departure, target, t, feet)) for target, t in made], asked)


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


def _check_donors(
    source: Clip | Departure, targets: Sequence[Clip], method: str, options: Mapping[str, Any]
) -> tuple[Clip, Clip]:
    """The two clips that a donor may lead between, or an error that says why there can be none."""
    if method != "auto" or options:
        raise ParameterError("ways through donors are chosen by the method auto; leave method and its options out")
    if not isinstance(source, Clip) or len(targets) != 1:
        raise ParameterError("a donor leads from one clip to another; give a clip to leave and one to enter")
    if not has_legs(source.skeleton):
        raise ParameterError("a donor is chosen by what the judge sees of two legs, and this body has none")
    return source, targets[0]


def _with_donors(
    a: Clip, b: Clip, request: SearchRequest, donors: str | Path | DonorFolder, asked: tuple[bool, bool]
) -> Clip:
    """The direct join, or one through a recording of a folder where that is better; the others are told."""
    from footfall.joins.through_donor import LEAST_COST, DonorFolder, judged_way, ways_through

    ways = search(a, b, request)
    direct = _MadeJoin(ways[0].section, others_told(ways, "auto"))
    out = _best([direct], asked)
    loops = a.is_loop, b.is_loop
    judged = judged_way(direct.section.assembled.clip, shown_clips(direct.section, asked), loops)
    if judged.cost <= LEAST_COST:
        why = f"not looked for: the direct join costs {judged.cost:.2f}, and no way through a donor less"
        return _also_rejected(out, [Rejected("donor", why)])
    folder = donors if isinstance(donors, DonorFolder) else DonorFolder(Path(donors))
    through = ways_through(a, b, request, folder, asked)
    told_of = [(way.judged, Rejected("donor", way.words)) for way in through]
    if through and through[0].judged.cost < judged.cost:
        told_of[0] = judged, Rejected("auto", "directly")
        out, judged = _reported_way(through[0]), through[0].judged
    elif not through:
        told_of = []
        out = _also_rejected(
            out, [Rejected("donor", f"no recording of {folder.folder.name} leads from one to the other")]
        )
    return _also_rejected(out, [r._replace(reason=f"{r.reason}: {worse(j, judged)}") for j, r in told_of])


def _reported_way(way: DonorWay) -> Clip:
    """A join through a donor with the story of how it was made."""
    from footfall.joins.in_a_row import in_a_row

    first, second = (_reported(_MadeJoin(section)) for section in (way.first, way.second))
    assert first.report is not None
    assert second.report is not None
    report = in_a_row(first.report, second.report, second.fps, way.shift_s, way.start_s)
    donor = f"a donor, {way.stretch.what}"
    segments = [replace(s, reason=donor) if s.clips == (way.name,) else s for s in report.segments]
    seams = iter(way.judged.judgement.seams if way.judged.judgement else ())
    report = told(
        replace(report, segments=tuple(segments)), way.judged.judgement,
        lambda s: next(seams, None) if s.kind == "transition" else None,
    )  # fmt: skip
    name = f"{_name(way.first.departure)}_to_{way.second.target.name or 'target'}"
    return replace(second, report=report, name=name)


def _also_rejected(clip: Clip, more: Sequence[Rejected]) -> Clip:
    """The clip with other ways told in the report of its first transition, before those that are there."""
    assert clip.report is not None
    segments = list(clip.report.segments)
    n = next(i for i, segment in enumerate(segments) if segment.kind == "transition")
    segments[n] = replace(segments[n], rejected=(*more, *segments[n].rejected))
    return replace(clip, report=replace(clip.report, segments=tuple(segments)))


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


def _auto(
    source: Clip | Departure,
    target: Clip,
    at_s: float | None,
    length_s: float | None,
    enter_s: float | None,
    options: dict[str, Any],
) -> _MadeJoin:
    for key in options:
        raise UnknownName("option of auto", key, JOIN_PARAMETERS)
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
