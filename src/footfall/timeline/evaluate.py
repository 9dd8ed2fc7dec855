"""Evaluating a join: from the planner's decision to poses, feet planned so that none slides.

Both clips are played by their clocks and blended; feet that stand in both stay, others step (`footsteps`), as in every
join of footfall. Everything is computed in the previous clip's own world, so that dragging a clip, which moves all that
follow, only asks for the joins beside it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.kinematics.floor_align import FloorTransform
from footfall.retarget.leg_solve import LegTargets, reach_balls, solve, world_legs
from footfall.retarget.pelvis_reach import smooth_moves
from footfall.timeline.adaptation import pelvis_over_feet
from footfall.timeline.alignment import align
from footfall.timeline.clocks import RUN_IN_S, Clocks, clocks
from footfall.timeline.piece import Piece
from footfall.timeline.planner import PlannedJoin, PlanOptions
from footfall.timeline.streams import played, poses
from footfall.timeline.windows import Window, variants, waits, window
from footfall.transitions import foot_tracks, footsteps
from footfall.transitions.blend import blend
from footfall.transitions.foot_paths import FootPaths, foot_paths
from footfall.transitions.steps_between import velocity

ROUGH_M_S2 = 30.0  # legs thrown harder than this: the join is made in other windows too, and the gentlest one kept
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
    rough_m_s2: float  # how much harder a leg's joint is thrown than in the clips
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
    begin = min(over.begin_s, *(w.begin_s for w in variants(previous, join, over, free_s)), over.begin_s)
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
    if options.paper or best.rough_m_s2 <= ROUGH_M_S2:
        return best
    others = [_over(streams, other) for other in variants(previous, join, over, free_s)]
    return min([best, *others], key=lambda made: made.rough_m_s2)


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
    return _made(given, ends, plan, time, first, _hold(join, over, previous.start_s))


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


def _hold(join: PlannedJoin, over: Window, start_s: float) -> tuple[float, float] | None:
    if waits(join) == 0.0 or join.end_s <= over.end_s:
        return None
    return over.end_s - start_s, join.end_s - start_s


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
    new = plan.placement.pose(poses(given.new, time.following[own]))
    raw = blend(ends.old.skeleton, poses(given.old, time.previous[own]), new, time.weight[own])
    whole = count == len(time.weight) - 1 - ends.leave
    pose = foot_tracks.apply(ends, plan, raw, whole)
    if given.join.kind == "adaptation":
        move = pelvis_over_feet(ends, plan)[:count] * time.weight[own][:, None]
        pose = _body_moved(ends, pose, move)
    pose = pose._replace(rot=rotation.continuous_signs(pose.rot))
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
        _rough(given, pose),
        hold,
    )


def _body_moved(ends: footsteps.Ends, pose: Pose, move: np.ndarray) -> Pose:
    """Poses (K,) whose bodies are moved by `move` (K, 3), as far as legs reach, over feet that stay."""
    legs = world_legs(ends.old.skeleton, pose)
    centers, radii = reach_balls(legs, legs.ankle)
    half = max(1, round(foot_tracks.PELVIS_S * ends.old.fps))
    move = move + smooth_moves(centers - move[:, None], radii, half)
    pole = foot_tracks.knee_poles(legs, half)
    still = np.broadcast_to(rotation.IDENTITY, legs.foot.shape)
    return solve(ends.old.skeleton, pose, LegTargets(move, legs.ankle, still, pole))


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


def _rough(given: _Streams, pose: Pose) -> float:
    """How much harder hips, knees and ankles are thrown than anywhere in either clip, m/s²."""
    thrown = _thrown(given.previous.clip.skeleton, pose, given.fps)
    return float((thrown - np.maximum(*(_usual(x.clip, given.fps) for x in (given.previous, given.following)))).max())


def _thrown(skeleton: Skeleton, pose: Pose, fps: float) -> np.ndarray:
    """(3, 2) largest accelerations of hips, knees and ankles, left and right, m/s²."""
    legs = world_legs(skeleton, pose)
    parts = np.stack(legs[:3])  # (3, K, 2, 3)
    return np.linalg.norm(np.diff(parts, n=2, axis=1), axis=-1).max(axis=1, initial=0.0) * fps**2


_usuals: WeakKeyDictionary[Clip, dict[float, np.ndarray]] = WeakKeyDictionary()


def _usual(clip: Clip, fps: float) -> np.ndarray:
    """_thrown of a clip, once."""
    known = _usuals.setdefault(clip, {})
    if fps not in known:
        known[fps] = _thrown(clip.skeleton, clip.pose, fps)
    return known[fps]
