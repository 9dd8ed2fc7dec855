"""On ground: a finished clip put on slopes, stairs and rough floor, its feet planned on it and its body with them.

Feet are locked where they stand, every stance is set on the ground (`ground_steps`), swings pass over what lies between
(`ground_swing`), the body follows its feet and the legs are bent to them by the one leg solver. Steps take longer where
people take longer. Level ground given as ground is the clip itself. docs/ground.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.analysis.foot_points import BALL_UP, carried_soles
from footfall.analysis.gait import classify
from footfall.core import rotation
from footfall.core.clip import Clip, Event, fix_signs
from footfall.core.easing import ease
from footfall.core.pose import Pose
from footfall.core.report import Report
from footfall.core.roles import SIDES
from footfall.feet import limits
from footfall.feet.foot_lock import foot_lock
from footfall.feet.gentle import frames_to, over_obstacle
from footfall.feet.ground_path import GroundPath, ground_path, start_and_way
from footfall.feet.ground_steps import Footfall, GroundSearch, gait_factor, plan_footfalls, stances_of
from footfall.feet.ground_swing import SETTLE_S, FootMotion, PutFoot, put_foot, spans_of_frames
from footfall.feet.leg_solve import LegTargets, eased_reach, reach_balls, roll_to_reach, solve_legs, world_legs
from footfall.feet.lock_plan import plan_locks
from footfall.feet.pelvis_reach import low_pass, smooth_moves
from footfall.kinematics.fk import world_transforms_of
from footfall.kinematics.ground import Ground
from footfall.quality.ground_contact import SolePoints, sole_points

def on_ground(clip: Clip, ground: Ground) -> Clip:
    """The clip on a ground, as if it had been made there; a ground made by name lies ahead of where it begins."""
    return put_on_ground(clip, ground).clip


class PutClip(NamedTuple):
    """A clip on a ground, and how it came there."""

    clip: Clip
    ground: Ground  # where it lies
    falls: list[Footfall]
    times: np.ndarray  # (T,) seconds of the first clip at each frame
    soles: SolePoints  # of the feet, for measures


def put_on_ground(clip: Clip, ground: Ground) -> PutClip:
    """The same with all that was planned."""
    if clip.frames < 2:
        return PutClip(clip, ground, [], clip.times, sole_points(clip))
    ground = ground.ahead_of(*start_and_way(clip))
    if ground.is_level:
        raised = _raised(clip, float(ground.heights(0.0, 0.0)))
        return PutClip(raised, ground, [], clip.times, sole_points(clip))
    work = _prepared(clip, ground)
    pose = _with_toes(work, _put(work))
    moved = clip.with_pose(fix_signs(pose), is_loop=False, events=_moved_events(clip, work.times))
    soles = sole_points(work.clip, work.rest_m)
    return PutClip(replace(moved, report=_report(clip, work)), ground, work.falls, work.times, soles)


def _raised(clip: Clip, height: float) -> Clip:
    """The clip on a level floor at a height."""
    if height == 0.0:
        return clip
    return clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos + height * rotation.UP))


class _Work(NamedTuple):
    """A clip with locked feet, where its footfalls go, and at which of its moments each frame of the result is."""

    clip: Clip
    ground: Ground
    path: GroundPath
    falls: list[Footfall]
    heels: np.ndarray  # (T, 2) bool: the heel is held
    times: np.ndarray  # (T,) seconds in the clip
    ways: np.ndarray  # (T,) moments of the way that the body is put at
    lifts: np.ndarray  # (T,) metres that the body is raised
    rest_m: float  # height of a ball over the sole

    @property
    def fps(self) -> float:
        return self.clip.fps

    def frame_of(self, time_s: float) -> float:
        """Frame of the result at a clip time."""
        return float(np.interp(time_s, self.times, np.arange(len(self.times))))


def _prepared(clip: Clip, ground: Ground) -> _Work:
    open_clip = clip.with_pose(clip.pose, is_loop=False)
    plan = plan_locks(open_clip)
    locked = foot_lock(open_clip)
    stances = stances_of(locked, plan)
    level = [s.line[1] for s in stances]
    rest_m = float(np.median(level)) if level else BALL_UP * clip.skeleton.leg_length
    path = ground_path(open_clip, ground)
    runs = classify(clip).type == "run"
    falls = plan_footfalls(stances, GroundSearch(ground, path, rest_m, runs))
    times = _slowed(open_clip, falls, runs)
    ways = times + _smoothed(times, [(f.stance.middle_s, f.way_s - f.stance.middle_s) for f in falls], clip.fps)
    heels = np.zeros((len(times), 2), bool)
    for lock in plan.locks:
        if lock.part == "heel":
            heels[:, 0 if lock.foot == "left" else 1] |= (times >= lock.start_s - 1e-9) & (times <= lock.end_s + 1e-9)
    raised = [(f.stance.middle_s, float(f.ball[1] - f.stance.ball[1])) for f in falls]
    lifts = _smoothed(times, raised or list(zip(times, path.at("height", times), strict=True)), clip.fps)
    return _Work(locked, ground, path, falls, heels, times, ways, lifts, rest_m)


def _smoothed(times: np.ndarray, knots: list[tuple[float, float]], fps: float) -> np.ndarray:
    """(T,) a curve from knot to knot (clip seconds, value), without kinks."""
    if not knots:
        return np.zeros(len(times))
    at, value = np.array(knots).T
    curve = np.interp(times, at, value)
    return low_pass(curve[:, None], max(1, round(limits.GROUND_BODY_S * fps)))[:, 0]


def _slowed(clip: Clip, falls: list[Footfall], runs: bool) -> np.ndarray:
    """(T,) the clip's seconds at each frame of the result: steps up and down take longer, as people take longer."""
    longer = []
    for before, fall in zip(falls, falls[1:], strict=False):
        run = max(float(np.linalg.norm((fall.ball - before.ball)[[0, 2]])), limits.GROUND_STRIDE_M)
        by_grade = 1.0 / float(gait_factor(np.array(fall.rise_m / run), runs))
        most = limits.GROUND_STAIR_UP if fall.rise_m > 0 else limits.GROUND_STAIR_DOWN
        edge = abs(fall.rise_m - 0.5 * run * (fall.slope + before.slope))
        by_stair = 1.0 + (most - 1.0) * min(edge / limits.GROUND_STAIR_M, 1.3)
        longer.append((0.5 * (before.stance.middle_s + fall.stance.middle_s), max(by_grade, by_stair)))
    if not longer or max(value for _, value in longer) < 1.005:
        return clip.times
    at, value = np.array(longer).T
    rate = np.interp(clip.times, at, value)
    rate = low_pass(rate[:, None], max(1, round(limits.GROUND_SLOWS_S * clip.fps)))[:, 0]
    new = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]))]) / clip.fps
    return np.interp(np.arange(int(new[-1] * clip.fps) + 1) / clip.fps, new, clip.times)


def _body(work: _Work) -> Pose:
    """The clip's poses, carried along the way and raised with its footfalls; its legs still as they were."""
    pose = work.clip.sample(work.times)
    root = work.path.carried(pose.root_pos, work.times, work.ways)
    root[:, 1] += work.lifts
    rot = np.array(pose.rot)
    rot[:, 0] = rotation.multiply(rotation.yaw(work.path.turn(work.times, work.ways)), rot[:, 0])
    pose = pose._replace(root_pos=root, rot=rot)
    return _leaning(work, pose)


def _leaning(work: _Work, pose: Pose) -> Pose:
    """The trunk leant into a slope."""
    spine = work.clip.skeleton.roles.spine
    if not spine or not work.falls:
        return pose
    half = max(1, round(limits.GROUND_LEAN_S * work.fps))
    grade = low_pass(_grades(work)[:, None], half)[:, 0]
    lean = np.clip(limits.GROUND_LEAN * grade, -0.3 * limits.GROUND_LEAN_MOST, limits.GROUND_LEAN_MOST)
    if np.abs(lean).max() < 1e-3:
        return pose
    heading = work.path.at("heading", work.ways)
    left = np.stack([np.cos(heading), np.zeros_like(heading), -np.sin(heading)], axis=-1)
    over = world_transforms_of(work.clip.skeleton, pose, [int(work.clip.skeleton.parents[spine[0]])])[1][:, 0]
    local = rotation.rotate(rotation.conjugate(over), left)
    rot = np.array(pose.rot)
    rot[:, spine[0]] = rotation.multiply(rotation.axis_angle(local, lean), rot[:, spine[0]])
    return pose._replace(rot=rot)


def _grades(work: _Work) -> np.ndarray:
    """(T,) rise of the way for each metre, from footfall to footfall; 0 where the body stays."""
    falls, frames = work.falls, np.arange(len(work.times))
    grade = np.zeros(len(frames))
    for before, fall in zip(falls, falls[1:], strict=False):
        run = float(np.linalg.norm((fall.ball - before.ball)[[0, 2]]))
        ahead = float(work.path.at("along_m", fall.way_s) - work.path.at("along_m", before.way_s))
        if ahead > limits.GROUND_STRIDE_M * 0.5:
            here = (frames >= work.frame_of(before.stance.middle_s)) & (frames <= work.frame_of(fall.stance.middle_s))
            grade[here] = np.clip(fall.rise_m / max(run, ahead, 1e-6), -0.6, 0.6)
    return grade


def _put(work: _Work) -> Pose:
    """Poses with the legs on the ground."""
    skeleton, pose = work.clip.skeleton, _body(work)
    legs = world_legs(skeleton, pose)
    flatter = _flatter(work)
    ankle, turn, weight = np.array(legs.ankle), np.array(legs.foot), np.zeros((len(work.times), 2))
    for side in range(2):
        falls = [f for f in work.falls if f.stance.foot == side]
        if not falls:
            turn[:, side] = rotation.IDENTITY
            continue
        motion = _foot_motion(work, side, flatter)
        reach = eased_reach(legs.length[:, side], legs.length[:, side])
        foot = _lifted(work, motion, falls, (legs.hip[:, side], reach, work.heels[:, side]))
        ankle[:, side] = _point(foot, motion, 3)
        turn[:, side] = rotation.multiply(foot.turn, rotation.conjugate(legs.foot[:, side]))
        weight[:, side] = 1.0 - ease(frames_to(foot.stands) / (0.3 * work.fps))
    centers, _ = reach_balls(legs, ankle)
    length = legs.length
    radii = eased_reach(length, length) + limits.LEG_FREE * length * (1.0 - weight)
    move = smooth_moves(centers, radii, round(limits.LOCK_PELVIS_S * work.fps))
    sole = np.stack([f.sole[:, 1] - f.sole[:, 0] for f in (_foot_motion(work, s, flatter) for s in range(2))], axis=1)
    return solve_legs(skeleton, pose, LegTargets(move, ankle, turn, sole))


def _flatter(work: _Work) -> np.ndarray:
    """(T,) share of their roll that feet give up: where strides are short, or steps high, people step flat."""
    knots = []
    for n, fall in enumerate(work.falls):
        edge = 0.0
        if n:
            run = float(np.linalg.norm((fall.ball - work.falls[n - 1].ball)[[0, 2]]))
            edge = abs(fall.rise_m - 0.5 * run * (fall.slope + work.falls[n - 1].slope))
        share = (1.0 - min(max(fall.stride, 0.0), 1.0)) + 0.5 * edge / limits.GROUND_STAIR_M
        knots.append((fall.stance.start_s, limits.GROUND_FLATTER * min(share, 1.0)))
    return _smoothed(work.times, knots, work.fps)


def _foot_motion(work: _Work, side: int, flatter: np.ndarray) -> FootMotion:
    """One foot of the locked clip at the frames of the result."""
    clip = work.clip.with_pose(work.clip.sample(work.times), fps=work.fps)
    joints, local = carried_soles(work.clip)
    places, turns = world_transforms_of(clip.skeleton, clip.pose, [*joints[side].tolist()])
    points = places + rotation.rotate(turns, local[side])
    ball = points[:, 1]
    sole = np.concatenate([points, places[:, :1]], axis=1) - ball[:, None]
    carried = work.path.carried(ball, work.times, work.ways) + work.lifts[:, None] * rotation.UP
    return FootMotion(work.times, ball, turns[:, 0], sole, flatter, carried, work.fps)


def _point(foot: PutFoot, motion: FootMotion, which: int) -> np.ndarray:
    """(T, 3) heel, ball, tip or ankle of a foot that was put."""
    turned = rotation.multiply(foot.turn, rotation.conjugate(motion.turn))
    return np.asarray(foot.ball + rotation.rotate(turned, motion.sole[:, which]))


def _lifted(
    work: _Work, motion: FootMotion, falls: list[Footfall], leg: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> PutFoot:
    """A foot over its footfalls, rolled as its leg needs it, its swings delayed and lifted as the ground asks.

    leg: hips (T, 3), reaches (T,) and where heels are held (T,).
    """
    tries = []
    spans = spans_of_frames(motion.times, falls)
    for delay in limits.GROUND_DELAYS if work.ground.has_edges else limits.GROUND_DELAYS[:1]:
        delays = np.array([0.0, *(_signed(delay, a, b) for a, b in zip(falls, falls[1:], strict=False)), 0.0])
        tries.append((delays, _cleared(work, motion, _rolled(put_foot(motion, falls, delays), motion, leg, work.fps))))
    best = np.zeros(len(falls) + 1)
    for n, (a, b) in enumerate(zip(spans, spans[1:], strict=False)):
        window = slice(max(a[1] - 2, 0), b[0] + 3)
        pulls = [np.linalg.norm(np.diff(t.ball[window], n=2, axis=0), axis=-1).max(initial=0.0) for _, t in tries]
        best[n + 1] = tries[int(np.argmin(pulls))][0][n + 1]
    return _cleared(work, motion, _rolled(put_foot(motion, falls, best), motion, leg, work.fps))


def _cleared(work: _Work, motion: FootMotion, foot: PutFoot) -> PutFoot:
    """The foot lifted over what its swings would meet."""
    lift = over_obstacle(_needed(work, foot, motion), (SETTLE_S * work.fps) ** -4.0, ~foot.stands)
    return foot._replace(ball=foot.ball + lift[:, None] * rotation.UP)


def _signed(delay: float, left: Footfall, met: Footfall) -> float:
    """How a swing is delayed: late where it goes up, done early where it goes down, as it is on the level."""
    rise = float(met.ball[1] - left.ball[1])
    if abs(rise) < limits.GROUND_STEP_UP_M:
        return 0.0
    return delay if rise > 0.0 else -delay


def _rolled(
    foot: PutFoot, motion: FootMotion, leg: tuple[np.ndarray, np.ndarray, np.ndarray], fps: float
) -> PutFoot:
    """The foot rolled further over its ball where its leg does not reach its ankle and its heel is free."""
    hip, reach, heel_held = leg
    free = foot.stands & ~heel_held
    if not free.any():
        return foot
    arm = _point(foot, motion, 3) - foot.ball
    roll = np.zeros_like(arm)
    roll[free] = roll_to_reach(arm[free], foot.ball[free], hip[free], reach[free])
    begun = ease(frames_to(heel_held) / (limits.LOCK_HEEL_OFF_S * fps))[:, None]
    roll = low_pass(begun * roll, max(1, round(limits.LOCK_ROLL_S * fps)))
    return foot._replace(turn=rotation.multiply(rotation.exp(roll), foot.turn))


def _needed(work: _Work, foot: PutFoot, motion: FootMotion) -> np.ndarray:
    """(T,) how far a foot must be lifted so that heel, ball and tip clear the ground, and edges in good time."""
    from scipy.ndimage import maximum_filter1d

    near = work.path.at("height", work.ways)
    rest = (0.0, work.rest_m, work.rest_m)
    window = 2 * max(1, round(limits.GROUND_EDGE_S * work.fps)) + 1
    needed = np.full(len(near), -np.inf)
    for which in range(3):
        point = _point(foot, motion, which)
        if which == 2:  # toes bend up as far as level
            point[:, 1] = np.maximum(point[:, 1], foot.ball[:, 1])
        under = work.ground.heights(point[:, 0], point[:, 2], near)
        under = np.where(np.isnan(under), -np.inf, under)
        high = np.where(foot.swing > 0.0, maximum_filter1d(under, window, mode="nearest"), under)
        short = np.maximum(under, high - limits.GROUND_CLEAR_M * (1.0 - foot.swing)) + rest[which] - point[:, 1]
        needed = np.maximum(needed, short + limits.GROUND_CLEAR_M * foot.swing)
    return needed


def _with_toes(work: _Work, pose: Pose) -> Pose:
    """Poses with toes bent up where they would go into the ground, as toes do."""
    joints, local = carried_soles(work.clip)
    rot, near = np.array(pose.rot), work.path.at("height", work.ways)
    for side in range(2):
        ankle, toe = int(joints[side, 0]), int(joints[side, 2])
        if toe == ankle:
            continue
        places, turns = world_transforms_of(work.clip.skeleton, pose, [ankle, toe])
        along = rotation.rotate(turns[:, 1], local[side, 2])
        tip = places[:, 1] + along
        under = work.ground.heights(tip[:, 0], tip[:, 2], near)
        length = np.maximum(np.linalg.norm(along, axis=-1), 1e-6)
        short = np.where(np.isnan(under), 0.0, under + work.rest_m - tip[:, 1])
        soft = limits.GROUND_TOES_M * np.logaddexp(0.0, short / limits.GROUND_TOES_M)
        soft = np.where(short < -6.0 * limits.GROUND_TOES_M, 0.0, soft)
        level = np.hypot(along[:, 0], along[:, 2])
        pitch = np.arctan2(along[:, 1], level)
        wanted = np.arcsin(np.clip((along[:, 1] + soft) / length, -1.0, 0.9))
        bend = np.maximum(wanted - pitch, 0.0)
        axis = np.cross(along, rotation.UP)
        axis /= np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-9)
        bent = rotation.multiply(rotation.axis_angle(axis, bend), turns[:, 1])
        over = world_transforms_of(work.clip.skeleton, pose, [int(work.clip.skeleton.parents[toe])])[1][:, 0]
        rot[:, toe] = rotation.nearest_sign(rotation.multiply(rotation.conjugate(over), bent), rot[:, toe])
    return pose._replace(rot=rot)


def _moved_events(clip: Clip, times: np.ndarray) -> tuple[Event, ...]:
    """The clip's events at the times of the result."""
    frames = np.arange(len(times)) / clip.fps
    return tuple(
        Event(e.name, float(np.interp(e.start_s, times, frames)), float(np.interp(e.end_s, times, frames)))
        for e in clip.events
    )


def _report(clip: Clip, work: _Work) -> Report:
    """What was made of the clip: the ground, every footfall, and what had to change."""
    steps = [
        {
            "foot": SIDES[f.stance.foot],
            "strike_s": round(work.frame_of(f.stance.start_s) / work.fps, 3),
            "place_m": [round(float(x), 3) for x in f.ball],
            "rise_cm": round(100.0 * f.rise_m, 1),
            "stride_ratio": round(f.stride, 2),
            "supported": round(f.supported, 2),
        }
        for f in work.falls
    ]
    ratios = [f.stride for f in work.falls[1:]] or [1.0]
    told = {
        "ground": work.ground.name,
        "duration_ratio": round((len(work.times) - 1) / max(clip.frames - 1, 1), 3),
        "stride_ratio": [round(min(ratios), 2), round(max(ratios), 2)],
        "steps": steps,
    }
    base = clip.report or Report(())
    return replace(base, ground=told, provenance=None)
