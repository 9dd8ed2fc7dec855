"""Evaluating a join: from the planner's decision to poses, feet planned so that none slides.

Both clips are played by their clocks and blended; feet that stand in both stay, others step (`footsteps`), as in every
join of footfall. Everything is computed in the previous clip's own world, so that dragging a clip, which moves all that
follow, only asks for the joins beside it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.kinematics.floor_align import FloorTransform
from footfall.quality.skate import AFTER_S, BEFORE_S
from footfall.timeline.adaptation import pelvis_over_feet
from footfall.timeline.alignment import align
from footfall.timeline.clocks import RUN_IN_S, Clocks, clocks
from footfall.timeline.gentleness import Looks, Shown, looks, moves_until_s
from footfall.timeline.piece import Piece
from footfall.timeline.planner import PlannedJoin, PlanOptions
from footfall.timeline.streams import played, poses
from footfall.timeline.windows import Window, earliest_begin, neighbours, variants, waits, window
from footfall.transitions import footsteps
from footfall.transitions.foot_paths import FootPaths, foot_paths
from footfall.transitions.join_compiled import apply, blend, continuous, move_body, placed, world_legs
from footfall.transitions.steps_between import velocity

STANDS_S = 0.5  # a clip that ends with standing still for longer waits for the next
ROUNDS = 4  # of looking around the best window for a better one
REACH_S = 0.6  # after a join: what still belongs to it
LEAD_S = 0.5  # how much of the previous clip before the join the feet are planned with


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
    looks: Looks  # foretold: how hard joints are thrown, how feet skate
    hold_s: tuple[float, float] | None  # the figure waits from and to, in seconds after the previous clip's start

    @cached_property
    def moved_m(self) -> np.ndarray:
        """(end - first,) metres that foot planning moved a foot or the pelvis from where the blend had it."""
        before, after = (world_legs(self.skeleton, pose).ankle for pose in (self.raw, self.pose))
        feet = np.linalg.norm(after - before, axis=-1).max(axis=-1)
        return np.maximum(feet, np.linalg.norm(self.pose.root_pos - self.raw.root_pos, axis=-1))


def first_frame(previous: Piece, following: Piece, join: PlannedJoin, free_s: float, fps: float, o: PlanOptions) -> int:
    """The first frame of the previous clip that a join may change."""
    over = _window(previous, following, join, free_s, fps, o, align(previous, following, join))
    begin = over.begin_s if o.paper else earliest_begin(previous, over, free_s)
    return int(np.floor((begin - previous.start_s) * fps + 1e-6)) + 1


def evaluate_join(
    previous: Piece,
    following: Piece,
    join: PlannedJoin,
    free_s: float,
    fps: float,
    options: PlanOptions,
    old: FootPaths | None = None,
) -> EvaluatedJoin:
    """The frames of a join. free_s: from when on the previous clip may be changed; old: its feet and poses where an
    earlier join has changed them."""
    natural = align(previous, following, join)
    over = _window(previous, following, join, free_s, fps, options, natural)
    here, there = old or foot_paths(previous.clip, fps), foot_paths(following.clip, fps)
    streams = _Streams(previous, following, join, fps, options, natural, here, there)
    best = _over(streams, over)
    return best if options.paper or best.looks.fair else _gentlest(streams, over, free_s, best)


def _gentlest(given: _Streams, over: Window, free_s: float, made: EvaluatedJoin) -> EvaluatedJoin:
    """The join made in other windows, until it looks fair: first in those that often help, then around the best."""
    tried = {over: made}
    best = over

    def better(others: list[Window]) -> bool:
        nonlocal best
        before = best
        for other in others:
            if tried[best].looks.fair:
                break
            if other not in tried:
                tried[other] = _over(given, other)
            best = min(best, other, key=lambda w: tried[w].looks.cost)
        return best != before

    better(variants(given.previous, given.join, over, free_s))
    if not tried[best].looks.good:
        better(neighbours(given.previous, given.join, over, over, free_s))
    for _ in range(ROUNDS):
        if tried[best].looks.good or not better(neighbours(given.previous, given.join, best, over, free_s)):
            break
    return tried[best]


class _Streams(NamedTuple):
    """What a join is made of, whichever window it is made in."""

    previous: Piece
    following: Piece
    join: PlannedJoin
    fps: float
    options: PlanOptions
    natural: FloorTransform
    old: FootPaths
    new: FootPaths


def _over(given: _Streams, over: Window) -> EvaluatedJoin:
    """The join over a window."""
    previous, following, join, fps = given.previous, given.following, given.join, given.fps
    first = int(np.floor((over.begin_s - previous.start_s) * fps + 1e-6)) + 1
    over_s = max(over.end_s, join.end_s + (0.5 * RUN_IN_S if waits(join) > 0.0 else 0.0))
    reach = int(np.ceil((over_s - previous.start_s) * fps - 1e-6))
    length = max(1, reach - first + 1)
    lead = min(round(LEAD_S * fps), max(first - 1, 0))
    whole = round((following.end_s - previous.start_s) * fps) - first + 1  # frames to the next clip's end
    after = length + round((footsteps.AFTER_S + 0.2) * fps)
    for count in (after, max(whole, after)):  # a foot that is held for good changes the next clip to its end
        frames = np.arange(first - 1 - lead, first + count)
        time = clocks(previous, following, join, over, previous.start_s + frames / fps, given.options)
        ours = played(given.old, time.previous, lead)
        theirs = played(given.new, time.following, lead)
        ends = footsteps.Ends(ours, theirs, lead, lead + length, length)
        plan = footsteps.plan(ends, given.natural)
        if plan.end < footsteps.NEVER:
            break
    return _made(given, ends, plan, time, first, _hold(previous, join, over))


def _window(
    previous: Piece,
    following: Piece,
    join: PlannedJoin,
    free_s: float,
    fps: float,
    options: PlanOptions,
    natural: FloorTransform,
) -> Window:
    """When the join is blended: longer where the body must change its speed."""
    here, there = foot_paths(previous.clip, fps), foot_paths(following.clip, fps)
    leave, enter = here.index(join.leave_s - previous.start_s), there.index(join.enter_s - following.start_s)
    change = velocity(there, enter, float(natural.turn)) - velocity(here, leave, 0.0)
    return window(previous, following, join, free_s, float(np.linalg.norm(change)), options)


def _hold(previous: Piece, join: PlannedJoin, over: Window) -> tuple[float, float] | None:
    """When the figure waits, in seconds after the previous clip's start: in the next clip's posture, and before that
    where the previous clip has come to an end and stands still."""
    stands = moves_until_s(previous.clip)
    begin, end = over.begin_s - previous.start_s, over.end_s - previous.start_s
    waits_on = waits(join) > 0.0 and join.end_s > over.end_s
    if min(begin, previous.clip.duration) - stands > STANDS_S:
        return stands, join.end_s - previous.start_s if waits_on else begin
    return (end, join.end_s - previous.start_s) if waits_on else None


def _made(
    given: _Streams,
    ends: footsteps.Ends,
    plan: footsteps.FootPlan,
    time: Clocks,
    first: int,
    hold: tuple[float, float] | None,
) -> EvaluatedJoin:
    """The frames of a plan."""
    count = min(plan.end, len(time.weight) - 1 - ends.leave)
    own = slice(ends.leave + 1, ends.leave + 1 + count)
    new = placed(plan.placement, poses(given.new, time.following[own]))
    raw = blend(ends.old.skeleton, poses(given.old, time.previous[own]), new, time.weight[own])
    whole = count == len(time.weight) - 1 - ends.leave
    pose = apply(ends, plan, raw, whole)
    if given.join.kind == "adaptation":
        move = pelvis_over_feet(ends, plan)[:count] * time.weight[own][:, None]
        pose = move_body(ends.old.skeleton, pose, move, ends.old.fps)
    pose = continuous(pose)
    return EvaluatedJoin(
        ends.old.skeleton,
        first,
        first + count,
        pose,
        raw,
        plan.placement,
        time.weight[own],
        time.previous[own],
        time.following[own],
        _down(ends, plan, count),
        (plan.tracks[0].note, plan.tracks[1].note),
        looks(given.previous.clip, given.following.clip, _shown(given, ends, plan, time, pose), given.fps),
        hold,
    )


def _down(ends: footsteps.Ends, plan: footsteps.FootPlan, count: int) -> np.ndarray:
    """(count, 2) which feet stand in the frames after the departure, as planned."""
    k = np.arange(1, count + 1)
    old, new = (x[at + 1 : at + 1 + count] for x, at in ((ends.old.down, ends.leave), (ends.new.down, ends.start)))
    found = np.zeros((count, 2), bool)
    for foot, track in enumerate(plan.tracks):
        if track.held:
            found[:, foot] = np.where(k <= track.lift, old[:, foot] | (k > max(track.new_first, 0)), new[:, foot])
        else:
            found[:, foot] = np.where(k <= track.lift, old[:, foot], (k >= track.land) & new[:, foot])
    return found


def _shown(given: _Streams, ends: footsteps.Ends, plan: footsteps.FootPlan, time: Clocks, pose: Pose) -> Shown:
    """The join's poses (K,) with what is around them: all that its figures are taken from."""
    begin, count = ends.leave + 1, len(pose.root_pos)
    first = max(0, begin - round(BEFORE_S * given.fps))
    end = min(begin + max(count + round(REACH_S * given.fps), round(AFTER_S * given.fps)), len(time.weight))
    own = int(np.searchsorted(time.following, given.following.clip.duration + 0.5 / given.fps))
    end = max(min(end, own), begin + 1)  # the next clip's end is the motion's, or another join's
    count = min(count, end - begin)
    parts = [poses(given.old, time.previous[first:begin]), pose.at(slice(0, count))]
    if end > begin + count:
        parts.append(placed(plan.placement, poses(given.new, time.following[begin + count : end])))
    offsets = [p.pos for p in parts if p.pos is not None]
    whole = Pose(
        np.concatenate([p.root_pos for p in parts]),
        np.concatenate([p.rot for p in parts]),
        np.concatenate(offsets) if len(offsets) == len(parts) else None,
    )
    return Shown(whole, begin - first, time.previous[first:end], time.following[first:end])
