"""Evaluating a join: from the planner's decision to poses, feet planned so that none slides.

Both clips are played by their clocks and blended; feet that stand in both stay, others step, as in every join of
footfall (`feet.step_search`). Everything is computed in the previous clip's own world, so that dragging a clip, which
moves all that follow, only asks for the joins beside it again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from footfall.core.clip import fix_signs
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.feet import step_search
from footfall.feet.foot_paths import FootPaths, foot_paths
from footfall.feet.join_legs import legs_of, move_body
from footfall.feet.limits import STEP_AFTER_S
from footfall.feet.step_following import follow_steps
from footfall.feet.step_plan import NEVER, JoinEnds, StepPlan
from footfall.joins.join_costs import velocity
from footfall.kinematics.floor_align import FloorTransform
from footfall.kinematics.pose_blend import blend
from footfall.quality.skate import AFTER_S, BEFORE_S
from footfall.timeline.adaptation import pelvis_over_feet
from footfall.timeline.alignment import align
from footfall.timeline.arranged_clip import ArrangedClip
from footfall.timeline.assembly import in_a_row
from footfall.timeline.clocks import RUN_IN_S, JoinClocks, clocks
from footfall.timeline.gentleness import ForetoldQuality, FramesAround, foretell, moves_until_s
from footfall.timeline.must_show import NOTHING, all_that_should_be, best_met
from footfall.timeline.planner import PlannedJoin, PlanOptions
from footfall.timeline.streams import played, poses
from footfall.timeline.windows import BlendWindow, earliest_begin, neighbours, variants, waits, window

NEAR_S = 0.2  # seconds: so far are windows moved where a clip loses more than it should. By eye
STANDS_S = 0.5  # seconds: a clip that ends with standing still for longer waits for the next. By eye
ROUNDS = 4  # of looking around the best window for a better one
REACH_S = 0.6  # seconds after a join that still belong to it (quality.joins)
SPARE_S = 0.2  # seconds more than feet may be on their way that are looked at
LEAD_S = 0.5  # seconds of the previous clip before the join that the feet are planned with


@dataclass(frozen=True, eq=False)
class EvaluatedJoin:
    """Poses of the output frames from `first` on, in the previous clip's own world."""

    skeleton: Skeleton
    first: int  # output frames after the previous clip's first frame
    end: int  # the first frame that is the next clip's own pose, placed
    pose: Pose  # (end - first,)
    raw: Pose  # (end - first,) before feet were put in their places
    placement: FloorTransform  # from the next clip's own world
    weight: np.ndarray  # (end - first,) share of the next clip
    previous_s: np.ndarray  # (end - first,) clip seconds of either clip
    following_s: np.ndarray
    down: np.ndarray  # (end - first, 2) which feet stand
    notes: tuple[str, str]  # what each foot does
    foretold: ForetoldQuality  # excess acceleration, skate, feet under the floor
    hold_s: tuple[float, float] | None  # the figure waits from and to, in seconds after the previous clip's start
    warped: bool = True  # clocks are as planned; a transition may do better with its phases at their own rate

    @cached_property
    def moved_m(self) -> np.ndarray:
        """(end - first,) metres that foot planning moved a foot or the pelvis from where the blend had it."""
        before, after = (legs_of(self.skeleton, pose)[0][:, :, 2] for pose in (self.raw, self.pose))
        feet = np.linalg.norm(after - before, axis=-1).max(axis=-1)
        return np.maximum(feet, np.linalg.norm(self.pose.root_pos - self.raw.root_pos, axis=-1))


class JoinApproach(NamedTuple):
    """What is known of a join before it is made."""

    natural: FloorTransform  # where the next clip lies in the previous one's world
    over: BlendWindow  # when it is blended, if that will do
    first: int  # the first frame of the previous clip that it may change


def approach(
    previous: ArrangedClip, following: ArrangedClip, join: PlannedJoin, free_s: float, fps: float, options: PlanOptions
) -> JoinApproach:
    """How a join begins; free_s: from when on the previous clip may be changed."""
    natural = align(previous, following, join)
    over = _window(previous, following, join, free_s, fps, options, natural)
    begin = over.begin_s if options.paper else earliest_begin(previous, over, free_s)
    return JoinApproach(natural, over, int(np.floor((begin - previous.start_s) * fps + 1e-6)) + 1)


def evaluate_join(
    previous: ArrangedClip,
    following: ArrangedClip,
    join: PlannedJoin,
    free_s: float,
    fps: float,
    options: PlanOptions,
    way: JoinApproach | None = None,
    old: FootPaths | None = None,
) -> EvaluatedJoin:
    """The frames of a join. free_s: from when on the previous clip may be changed; way: its approach, where that is
    known; old: the previous clip's feet and poses where an earlier join has changed them."""
    natural, over, _ = way or approach(previous, following, join, free_s, fps, options)
    here, there = old or foot_paths(previous.clip, fps), foot_paths(following.clip, fps)
    streams = _Streams(previous, following, join, fps, options, natural, here, there)
    streams = _unwarped(streams) if join.own_rate else streams
    tried = _over(streams, over)
    waits = previous.filler and following.filler  # a stand hardly skates: what a start does beside it looks like much
    if not (options.paper or tried.foretold.fair or (waits and tried.foretold.smooth)):
        tried = _gentlest(tried, free_s)
    return _finished(tried, join)


def _gentlest(first: _Tried, free_s: float) -> _Tried:
    """The join made in other ways, until it looks fair: in windows that often help, with its clocks as they are instead
    of warped, then around the best."""
    over, best = first.over, first
    must = best_met(first.given.previous, first.given.following, over)
    roomy = must in (NOTHING, all_that_should_be(first.given.previous, first.given.following))
    seen = {_name(first.given, over)}

    def better(given: _Streams, others: list[BlendWindow]) -> bool:
        nonlocal best
        before = best
        for other in others:
            if best.foretold.fair:
                break
            if must.is_met(other) and (roomy or _near(other, over)) and _name(given, other) not in seen:
                seen.add(_name(given, other))
                best = min(best, _over(given, other), key=lambda tried: tried.foretold.cost)
        return best is not before

    others = variants(first.given.previous, first.given.join, over, free_s)
    better(first.given, others)
    for foot in (0, 1):  # a foot that is to kick or jump must stand by then: it stays, the other one steps
        if best.foretold.lacks > 0.0:
            better(first.given._replace(stays=foot), [over, *others])
    if not best.foretold.good and first.given.join.kind == "transition":
        better(_unwarped(first.given), [over])
    if not best.foretold.good:
        better(best.given, neighbours(best.given.previous, best.given.join, over, over, free_s))
    for _ in range(ROUNDS):
        given = best.given
        if best.foretold.good or not better(given, neighbours(given.previous, given.join, best.over, over, free_s)):
            break
    return best


def _near(other: BlendWindow, over: BlendWindow) -> bool:
    """Whether a window takes little more of a clip that loses more than it should already than the one wished for."""
    return max(abs(other.begin_s - over.begin_s), abs(other.end_s - over.end_s)) <= NEAR_S + 1e-9


def _name(given: _Streams, over: BlendWindow) -> tuple[str, int | None, float, float]:
    """What a window is told from others by: not by what rounding made of it."""
    return given.join.kind, given.stays, round(over.begin_s, 6), round(over.end_s, 6)


def _unwarped(given: _Streams) -> _Streams:
    """A transition whose phases meet as they are: where they are stretched to other lengths, and the clips run on, a
    limb may be accelerated as in neither clip."""
    return given._replace(join=replace(given.join, kind="connection"))


class _Streams(NamedTuple):
    """What a join is made of, whichever window it is made in."""

    previous: ArrangedClip
    following: ArrangedClip
    join: PlannedJoin
    fps: float
    options: PlanOptions
    natural: FloorTransform
    old: FootPaths
    new: FootPaths
    stays: int | None = None  # the foot, 0 left or 1 right, on whose place the next clip is put; None: the search says


class _Tried(NamedTuple):
    """A join over one window, and how it looks."""

    given: _Streams
    over: BlendWindow
    first: int  # output frames after the previous clip's first frame
    ends: JoinEnds
    plan: StepPlan
    time: JoinClocks
    raw: Pose  # (K,) before feet were put in their places
    pose: Pose  # (K,)
    foretold: ForetoldQuality


def _over(given: _Streams, over: BlendWindow) -> _Tried:
    """The join over a window."""
    previous, following, join, fps = given.previous, given.following, given.join, given.fps
    first = int(np.floor((over.begin_s - previous.start_s) * fps + 1e-6)) + 1
    over_s = max(over.end_s, join.end_s + (0.5 * RUN_IN_S if waits(join) > 0.0 else 0.0))
    reach = int(np.ceil((over_s - previous.start_s) * fps - 1e-6))
    length = max(1, reach - first + 1)
    lead = min(round(LEAD_S * fps), max(first - 1, 0))
    whole = round((following.end_s - previous.start_s) * fps) - first + 1  # frames to the next clip's end
    after = length + round((STEP_AFTER_S + SPARE_S) * fps)
    for count in (after, max(whole, after)):  # a foot that is held for good changes the next clip to its end
        times_s = previous.start_s + np.arange(first - 1 - lead, first + count) / fps
        time = clocks(previous, following, join, over, times_s, given.options)
        ours = played(given.old, time.previous, lead)
        theirs = played(given.new, time.following, lead)
        ends = JoinEnds(ours, theirs, lead, lead + length, length)
        plan = _planned(ends, given)
        if plan.end < NEVER:
            break
    count = min(plan.end, len(time.weight) - 1 - lead)
    around = _frames(given, ends, plan, time, count)
    raw, pose = _posed(given, ends, plan, time, around, count)
    found = foretell(previous.clip, following.clip, _around(around, time, pose), fps)
    return _Tried(given, over, first, ends, plan, time, raw, pose, found)


def _planned(ends: JoinEnds, given: _Streams) -> StepPlan:
    """The cheapest plan of the feet, wherever the next clip is put or with one foot on its place."""
    if given.stays is None:
        return step_search.plan(ends, given.natural)
    here, there = ends.old.ball[ends.leave, given.stays], ends.new.ball[ends.enter, given.stays]
    turned = FloorTransform(given.natural.turn, np.zeros(3))
    shift = (here - turned.points(there)) * np.array([1.0, 0.0, 1.0])
    return step_search.plan_at(ends, turned._replace(shift=shift), given.natural)


def _window(
    previous: ArrangedClip,
    following: ArrangedClip,
    join: PlannedJoin,
    free_s: float,
    fps: float,
    options: PlanOptions,
    natural: FloorTransform,
) -> BlendWindow:
    """When the join is blended: longer where the body must change its speed."""
    here, there = foot_paths(previous.clip, fps), foot_paths(following.clip, fps)
    leave, enter = here.index(join.leave_s - previous.start_s), there.index(join.enter_s - following.start_s)
    change = velocity(there, enter, float(natural.turn)) - velocity(here, leave, 0.0)
    return window(previous, following, join, free_s, float(np.linalg.norm(change)), options)


def _hold(previous: ArrangedClip, join: PlannedJoin, over: BlendWindow) -> tuple[float, float] | None:
    """When the figure waits, in seconds after the previous clip's start: in the next clip's posture, and before that
    where the previous clip has come to an end and stands still."""
    stands = moves_until_s(previous.clip)
    begin, end = over.begin_s - previous.start_s, over.end_s - previous.start_s
    waits_on = waits(join) > 0.0 and join.end_s > over.end_s
    if min(begin, previous.clip.duration) - stands > STANDS_S:
        return stands, join.end_s - previous.start_s if waits_on else begin
    return (end, join.end_s - previous.start_s) if waits_on else None


class _Frames(NamedTuple):
    """Both clips' poses around a join, as far as they are seen."""

    first: int  # of the clocks' frames, the first that is looked at
    begin: int  # the first of the join's own
    end: int  # the first that is not looked at any more
    old: Pose  # from `first` to where the blend is over
    new: Pose  # from `begin` to `end`, or to where the join is over, in the previous clip's world


def _frames(given: _Streams, ends: JoinEnds, plan: StepPlan, time: JoinClocks, count: int) -> _Frames:
    """What a join of so many frames, and its figures, are made from."""
    begin = ends.leave + 1
    first = max(0, begin - round(BEFORE_S * given.fps))
    end = min(begin + max(count + round(REACH_S * given.fps), round(AFTER_S * given.fps)), len(time.weight))
    own = int(np.searchsorted(time.following, given.following.clip.duration + 0.5 / given.fps))
    end = max(min(end, own), begin + 1)  # the next clip's end is the motion's, or another join's
    over = min(int(np.searchsorted(time.weight, 1.0)), begin + count)  # from there on it is all the next clip's
    old = poses(given.old, time.previous[first : max(over, begin)])
    new = plan.placement.pose(poses(given.new, time.following[begin : max(end, begin + count)]))
    return _Frames(first, begin, end, old, new)


def _posed(
    given: _Streams, ends: JoinEnds, plan: StepPlan, time: JoinClocks, frames: _Frames, count: int
) -> tuple[Pose, Pose]:
    """The frames of a plan, before and after feet are put in their places."""
    weight = time.weight[frames.begin : frames.begin + count]
    old, new = frames.old.at(slice(frames.begin - frames.first, None)), frames.new
    blended = len(old.root_pos)
    mixed = blend(ends.old.skeleton, old, new.at(slice(0, blended)), weight[:blended])
    raw = in_a_row([mixed, new.at(slice(blended, count))])
    pose = follow_steps(ends, plan, raw, count == len(time.weight) - frames.begin)
    if given.join.kind == "adaptation":
        move = pelvis_over_feet(ends, plan, count) * weight[:, None]
        pose = move_body(ends.old.skeleton, pose, move, ends.old.fps)
    return raw, pose


def _finished(made: _Tried, join: PlannedJoin) -> EvaluatedJoin:
    """The join that was chosen, as it was planned or with other clocks."""
    ends, plan, time = made.ends, made.plan, made.time
    count = len(made.pose.root_pos)
    own = slice(ends.leave + 1, ends.leave + 1 + count)
    return EvaluatedJoin(
        ends.old.skeleton,
        made.first,
        made.first + count,
        fix_signs(made.pose),
        made.raw,
        plan.placement,
        time.weight[own],
        time.previous[own],
        time.following[own],
        _down(ends, plan, count),
        (plan.feet[0].note, plan.feet[1].note),
        made.foretold,
        _hold(made.given.previous, join, made.over),
        join.own_rate or made.given.join.kind == join.kind,
    )


def _down(ends: JoinEnds, plan: StepPlan, count: int) -> np.ndarray:
    """(count, 2) which feet stand in the frames after the departure, as planned."""
    k = np.arange(1, count + 1)
    old, new = (x[at + 1 : at + 1 + count] for x, at in ((ends.old.down, ends.leave), (ends.new.down, ends.start)))
    found = np.zeros((count, 2), bool)
    for foot, track in enumerate(plan.feet):
        if track.held:
            found[:, foot] = np.where(k <= track.lift, old[:, foot] | (k > max(track.new_first, 0)), new[:, foot])
        else:
            found[:, foot] = np.where(k <= track.lift, old[:, foot], (k >= track.land) & new[:, foot])
    return found


def _around(frames: _Frames, time: JoinClocks, pose: Pose) -> FramesAround:
    """The join's poses (K,) with what is around them: all that its figures are taken from."""
    before, size = frames.begin - frames.first, frames.end - frames.begin
    count = min(len(pose.root_pos), size)
    parts = [frames.old.at(slice(0, before)), pose.at(slice(0, count)), frames.new.at(slice(count, size))]
    seen = slice(frames.first, frames.end)
    return FramesAround(in_a_row(parts), before, time.previous[seen], time.following[seen])
