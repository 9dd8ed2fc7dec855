"""Ground work: a clip with locked feet, where its footfalls go on a ground, and how long each of its steps takes."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from footfall.analysis.foot_points import BALL_UP
from footfall.analysis.gait import classify
from footfall.core.clip import Clip
from footfall.feet import limits
from footfall.feet.foot_lock import foot_lock
from footfall.feet.ground_carry import Carry, carry_of, carrying
from footfall.feet.ground_path import GroundPath, ground_path
from footfall.feet.ground_steps import Footfall, GroundSearch, ahead_of, gait_factor, plan_footfalls, stances_of
from footfall.feet.lock_plan import plan_locks
from footfall.feet.pelvis_reach import low_pass
from footfall.kinematics.ground import Ground


class GroundWork(NamedTuple):
    """A clip with locked feet, where its footfalls go, and at which of its moments each frame of the result is."""

    clip: Clip
    source: Clip  # the clip as it was given, which accelerations are compared with
    ground: Ground
    path: GroundPath
    falls: list[Footfall]
    heels: np.ndarray  # (T, 2) bool: the heel is held
    balls: np.ndarray  # (T, 2) bool: the ball is, or the foot rolls over its toes
    times: np.ndarray  # (T,) seconds in the clip
    carry: Carry  # where the body goes
    lifts: np.ndarray  # (T,) metres that the body is raised
    rest_m: float  # height of a ball over the sole
    runs: bool

    @property
    def fps(self) -> float:
        return self.clip.fps

    def frame_of(self, time_s: float) -> float:
        """Frame of the result at a clip time."""
        return float(np.interp(time_s, self.times, np.arange(len(self.times))))


def prepared(clip: Clip, ground: Ground) -> GroundWork:
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
    carry = carry_of(times, falls, path, clip.fps)
    heels, balls = np.zeros((len(times), 2), bool), np.zeros((len(times), 2), bool)
    for lock in plan.locks:
        held = heels if lock.part == "heel" else balls
        end_s = lock.end_s + lock.over_s
        held[:, 0 if lock.foot == "left" else 1] |= (times >= lock.start_s - 1e-9) & (times <= end_s + 1e-9)
    raised = _lifts(falls, path)
    knots = raised or list(zip(times, path.at("height", times), strict=True))
    lifts = smoothed(times, knots, clip.fps, limits.GROUND_LIFT_S)
    return GroundWork(locked, open_clip, ground, path, falls, heels, balls, times, carry, lifts, rest_m, runs)


def _lifts(falls: list[Footfall], path: GroundPath) -> list[tuple[float, float]]:
    """Moments and metres that the body is raised by: with each footfall, and nearer to the lower one between two, where
    one leg reaches down and the other still stands above. On a slope it is as high as the ground under it."""
    found: list[tuple[float, float]] = []
    for n, fall in enumerate(falls):
        edge = edge_of(falls[n - 1], fall) if n else 0.0
        moments = carrying(fall)
        lifts = [
            float(fall.ball[1] - fall.stance.ball[1]) - fall.slope * ahead_of(fall.stance, path, t) for t in moments
        ]
        if edge > limits.GROUND_STEP_UP_M and found[-1][0] < fall.stance.start_s < moments[0]:
            low, high = sorted((found[-1][1], lifts[0]))
            found.append((fall.stance.start_s, low + limits.GROUND_LOW * (high - low)))
        found += zip(moments, lifts, strict=True)
    return sorted(found)


def edge_of(before: Footfall, fall: Footfall) -> float:
    """Metres that a step rises or falls beyond what the slope of the ground gives: the height of an edge."""
    run = float(np.linalg.norm((fall.ball - before.ball)[[0, 2]]))
    return abs(fall.rise_m - 0.5 * run * (fall.slope + before.slope))


def smoothed(
    times: np.ndarray, knots: list[tuple[float, float]], fps: float, half_s: float = limits.GROUND_BODY_S
) -> np.ndarray:
    """(T,) a curve from knot to knot (clip seconds, value), without kinks."""
    if not knots:
        return np.zeros(len(times))
    at, value = np.array(knots).T
    curve = np.interp(times, at, value)
    return low_pass(curve[:, None], max(1, round(half_s * fps)))[:, 0]


def _slowed(clip: Clip, falls: list[Footfall], runs: bool) -> np.ndarray:
    """(T,) the clip's seconds at each frame of the result: steps up and down take longer, as people take longer."""
    longer = []
    for before, fall in itertools.pairwise(falls):
        by_grade = 1.0 / float(gait_factor(np.array(0.5 * (fall.slope + before.slope)), runs))
        human = limits.GROUND_STAIR_UP_S if fall.rise_m > 0 else limits.GROUND_STAIR_DOWN_S
        most = max(human / max(fall.stance.start_s - before.stance.start_s, 0.3), 1.0)
        by_stair = 1.0 + (most - 1.0) * min(edge_of(before, fall) / limits.GROUND_STAIR_M, 1.3)
        longer.append((0.5 * (before.stance.middle_s + fall.stance.middle_s), max(by_grade, by_stair)))
    if not longer or max(value for _, value in longer) < 1.005:
        return clip.times
    at, value = np.array(longer).T
    rate = np.interp(clip.times, at, value)
    rate = low_pass(rate[:, None], max(1, round(limits.GROUND_SLOWS_S * clip.fps)))[:, 0]
    new = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]))]) / clip.fps
    return np.interp(np.arange(int(new[-1] * clip.fps) + 1) / clip.fps, new, clip.times)


def flatter_of(work: GroundWork) -> np.ndarray:
    """(T,) share of their roll that feet give up: where strides are short, or steps high, people step flat."""
    knots = []
    for n, fall in enumerate(work.falls):
        edge = edge_of(work.falls[n - 1], fall) if n else 0.0
        share = (1.0 - min(max(fall.stride, 0.0), 1.0)) + 0.5 * edge / limits.GROUND_STAIR_M
        knots.append((fall.stance.start_s, limits.GROUND_FLATTER * min(share, 1.0)))
    return smoothed(work.times, knots, work.fps)
