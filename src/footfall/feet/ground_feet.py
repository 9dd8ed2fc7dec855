"""Ground feet: each foot over its footfalls, rolled as its leg needs it, its swings delayed and lifted over edges.

A swing up steps begins late and one down steps ends early; how much is tried, and the gentlest is taken. Toes bend
where they would go into the ground.
"""

from __future__ import annotations

import itertools

import numpy as np

from footfall.analysis.foot_points import carried_soles
from footfall.core import rotation
from footfall.core.easing import ease
from footfall.core.pose import Pose
from footfall.feet import limits
from footfall.feet.gentle import frames_to, over_obstacle
from footfall.feet.ground_steps import Footfall
from footfall.feet.ground_swing import SETTLE_S, FootMotion, PutFoot, put_foot, spans_of_frames
from footfall.feet.ground_work import GroundWork, smoothed
from footfall.feet.leg_solve import roll_to_reach
from footfall.feet.pelvis_reach import low_pass
from footfall.feet.toe_bend import toes_over
from footfall.kinematics.fk import world_transforms_of


def foot_motion(work: GroundWork, side: int, flatter: np.ndarray) -> FootMotion:
    """One foot of the locked clip at the frames of the result."""
    clip = work.clip.with_pose(work.clip.sample(work.times), fps=work.fps)
    joints, local = carried_soles(work.clip)
    places, turns = world_transforms_of(clip.skeleton, clip.pose, [*joints[side].tolist()])
    points = places + rotation.rotate(turns, local[side])
    ball = points[:, 1]
    sole = np.concatenate([points, places[:, :1]], axis=1) - ball[:, None]
    carried = work.carry.carried(ball) + work.lifts[:, None] * rotation.UP
    strides = [(f.stance.start_s, min(max(f.stride, 0.0), 1.0)) for f in work.falls]
    shorter = 1.0 - smoothed(work.times, strides, work.fps)
    heading = work.carry.heading
    way = np.stack([np.sin(heading), np.zeros_like(heading), np.cos(heading)], axis=-1)
    ahead = ((carried - work.carry.place) * way).sum(axis=-1)
    carried = carried - (shorter * ahead)[:, None] * way
    held = np.stack([work.heels[:, side], work.balls[:, side]], axis=1)
    return FootMotion(work.times, ball, held, turns[:, 0], sole, flatter, carried, work.fps)


def point_of(foot: PutFoot, motion: FootMotion, which: int) -> np.ndarray:
    """(T, 3) heel, ball, tip or ankle of a foot that was put."""
    turned = rotation.multiply(foot.turn, rotation.conjugate(motion.turn))
    return np.asarray(foot.ball + rotation.rotate(turned, motion.sole[:, which]))


def lifted(
    work: GroundWork, motion: FootMotion, falls: list[Footfall], leg: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> PutFoot:
    """A foot over its footfalls, rolled as its leg needs it, its swings delayed and lifted as the ground asks.

    leg: hips (T, 3), reaches (T,) and where heels are held (T,).
    """
    tries = []
    spans = spans_of_frames(motion.times, falls)
    for delay in limits.GROUND_DELAYS if work.ground.has_edges else limits.GROUND_DELAYS[:1]:
        delays = np.array([delay, *(_signed(delay, a, b) for a, b in itertools.pairwise(falls)), delay])
        tries.append((delays, _cleared(work, motion, _rolled(put_foot(motion, falls, delays), motion, leg, work.fps))))
    best = np.zeros(len(falls) + 1)
    ends = [-1, *(b for _, b in spans)], [*(a for a, _ in spans), len(motion.times)]
    for n, (a, b) in enumerate(zip(*ends, strict=True)):
        window = slice(max(a - 2, 0), b + 3)
        pulls = [np.linalg.norm(np.diff(t.ball[window], n=2, axis=0), axis=-1).max(initial=0.0) for _, t in tries]
        best[n] = tries[int(np.argmin(pulls))][0][n]
    return _cleared(work, motion, _rolled(put_foot(motion, falls, best), motion, leg, work.fps))


def _cleared(work: GroundWork, motion: FootMotion, foot: PutFoot) -> PutFoot:
    """The foot lifted over what its swings would meet."""
    beyond = round(2.0 * SETTLE_S * work.fps)
    lift = over_obstacle(_needed(work, foot, motion), (SETTLE_S * work.fps) ** -4.0, ~foot.stands, beyond)
    return foot._replace(ball=foot.ball + lift[:, None] * rotation.UP)


def _signed(delay: float, left: Footfall, met: Footfall) -> float:
    """How a swing is delayed: late where it goes up, done early where it goes down, as it is on the level."""
    rise = float(met.ball[1] - left.ball[1])
    if abs(rise) < limits.GROUND_STEP_UP_M:
        return 0.0
    return delay if rise > 0.0 else -delay


def _rolled(foot: PutFoot, motion: FootMotion, leg: tuple[np.ndarray, np.ndarray, np.ndarray], fps: float) -> PutFoot:
    """The foot rolled further over its ball where its leg does not reach its ankle and its heel is free."""
    hip, reach, heel_held = leg
    free = foot.stands & ~heel_held
    if not free.any():
        return foot
    arm = point_of(foot, motion, 3) - foot.ball
    roll = np.zeros_like(arm)
    roll[free] = roll_to_reach(arm[free], foot.ball[free], hip[free], reach[free])
    begun = ease(frames_to(heel_held) / (limits.LOCK_HEEL_OFF_S * fps))[:, None]
    roll = low_pass(begun * roll, max(1, round(limits.LOCK_ROLL_S * fps)))
    return foot._replace(turn=rotation.multiply(rotation.exp(roll), foot.turn))


def _needed(work: GroundWork, foot: PutFoot, motion: FootMotion) -> np.ndarray:
    """(T,) how far a foot must be lifted so that heel, ball and tip clear the ground, and edges in good time."""
    from scipy.ndimage import maximum_filter1d

    near = work.carry.level
    rest = (0.0, work.rest_m, work.rest_m)
    window = 2 * max(1, round(limits.GROUND_EDGE_S * work.fps)) + 1
    needed = np.full(len(near), -np.inf)
    for which in range(3):
        point = point_of(foot, motion, which)
        if which == 2:  # toes bend up as far as level
            point[:, 1] = np.maximum(point[:, 1], foot.ball[:, 1])
        under = work.ground.heights(point[:, 0], point[:, 2], near)
        under = np.where(np.isnan(under), -np.inf, under)
        high = np.where(foot.swing > 0.0, maximum_filter1d(under, window, mode="nearest"), under)
        short = np.maximum(under, high - limits.GROUND_CLEAR_M * (1.0 - foot.swing)) + rest[which] - point[:, 1]
        needed = np.maximum(needed, short + limits.GROUND_CLEAR_M * foot.swing)
    return needed


def with_toes(work: GroundWork, pose: Pose) -> Pose:
    """Poses with toes bent up where they would go into the ground, as toes do."""
    joints, local = carried_soles(work.clip)

    def least(tip: np.ndarray) -> np.ndarray:
        under = work.ground.heights(tip[:, 0], tip[:, 2], work.carry.level)
        return np.where(np.isnan(under), -np.inf, under + work.rest_m)

    for side in range(2):
        ankle, toe = int(joints[side, 0]), int(joints[side, 2])
        if toe != ankle:
            pose = toes_over(work.clip.skeleton, pose, toe, local[side, 2], least)
    return pose
