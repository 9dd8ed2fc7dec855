"""Foot tracks: a plan of footsteps turned into poses, legs bent and the pelvis moved so that feet are where it says."""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.kinematics.two_bone_ik import SOFT_FROM
from footfall.retarget.leg_solve import FREE, Legs, LegTargets, reach_balls, solve, world_legs
from footfall.retarget.pelvis_reach import smooth_moves
from footfall.transitions.foot_paths import FootPaths
from footfall.transitions.footsteps import NEVER, Ends, FootPlan, FootTrack

CLEAR_M, CLEAR_OF_STEP, CLEAR_MOST_M = 0.04, 0.08, 0.10  # how high a step goes, and how much more a metre
WAIT_UP, WAIT_DOWN = 0.12, 0.10  # share of a step in which the foot only goes up, or only down
TIPTOE_RAD = 0.35  # how far the heel leads as a foot is lifted
STRAIGHT = 0.985  # extension that moved legs keep below
PELVIS_S = 0.08  # half-width of the smoothing of pelvis moves
GRIP_S, RELEASE_S, LONG_RELEASE_S = 0.15, 0.06, 0.25  # how long a held ball takes to stand still, and to be let go
LEVEL = np.array([1.0, 0.0, 1.0])
SLOWING_S = 0.05  # over which a foot comes to rest where a motion is left or awaited
SETTLE_S = 0.12  # over which the pelvis may begin to move, after the departure and before the end


def gentle(u: np.ndarray) -> np.ndarray:
    """0 up to u = 0, 1 from u = 1 on, flat to the third derivative at both ends (a septic).

    A leg that stands straight bends as the root of how much nearer hip and foot come; only what begins as slowly as
    u⁴ bends it without a jerk.
    """
    u = np.clip(u, 0.0, 1.0)
    return u**4 * (35.0 - 84.0 * u + 70.0 * u**2 - 20.0 * u**3)


def apply(ends: Ends, plan: FootPlan, pose: Pose) -> Pose:
    """Poses (N,) after the departure, with feet as planned; from plan.end on they stay as they are."""
    count = min(len(pose.root_pos), plan.end)
    part = pose.at(slice(0, count))
    k = np.arange(1, count + 1)
    legs = world_legs(ends.old.skeleton, part)
    ankle, turn = np.empty((count, 2, 3)), np.empty((count, 2, 4))
    free = np.zeros((count, 2))
    for foot, track in enumerate(plan.tracks):
        ball, rot = follow(ends, plan, foot, k)
        ankle[:, foot] = ball - rotation.rotate(rot, ends.old.ball_at[foot])
        turn[:, foot] = rotation.multiply(rot, rotation.conjugate(legs.foot[:, foot]))
        free[:, foot] = (k > track.lift) & (k < track.land)
        own = (k >= track.land) & (k >= plan.length)
        ankle[own, foot], turn[own, foot] = legs.ankle[own, foot], rotation.IDENTITY
    move = _pelvis(ends, legs, ankle, free, count == len(pose.root_pos))
    pole = rotation.rotate(rotation.multiply(turn, legs.foot), ends.old.ball_at) * np.array([1.0, 0.0, 1.0])
    fixed = solve(ends.old.skeleton, part, LegTargets(move, ankle, turn, pole))
    root_pos, rots = np.array(pose.root_pos), np.array(pose.rot)
    root_pos[:count], rots[:count] = fixed.root_pos, fixed.rot
    return pose._replace(root_pos=root_pos, rot=rots)


def follow(ends: Ends, plan: FootPlan, foot: int, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ball (N, 3) and rotation (N, 4) of one foot at frames k (N,) after the departure."""
    track = plan.tracks[foot]
    slow = SLOWING_S * ends.old.fps
    old_ball, old_rot = _at(ends.old, foot, ends.leave + ends.late[0] + _slowed(k, track.old_last, slow))
    ball, rot = _at(ends.new, foot, ends.start + ends.late[1] - _slowed(-k, -track.new_first, slow))
    new_ball = plan.placement.points(ball)
    new_rot = rotation.multiply(rotation.yaw(plan.placement.turn), rot)
    if track.held:
        return _held(plan, track, k, (old_ball, old_rot), (new_ball, new_rot), ends.old.fps)
    return _stepped(track, k, (old_ball, old_rot), (new_ball, new_rot), ends.old.ball_at[foot])


def _slowed(k: np.ndarray, last: int, slow: float) -> np.ndarray:
    """Frames k that stop at `last`, coming to rest over `slow` frames before and after it."""
    late = np.clip((k - last + slow) / (2.0 * slow), 0.0, 1.0)
    return np.where(k < last - slow, k, np.minimum(k, last + slow) - slow * late**2)


def _at(paths: FootPaths, foot: int, x: np.ndarray) -> Way:
    """Ball and rotation at frames x (N,), whole or not."""
    x = np.clip(x, 0.0, len(paths.ball) - 1.0)
    i = np.minimum(x.astype(int), len(paths.ball) - 2)
    u = x - i
    ball = paths.ball[i, foot] + u[:, None] * (paths.ball[i + 1, foot] - paths.ball[i, foot])
    return ball, rotation.slerp(paths.foot[i, foot], paths.foot[i + 1, foot], u)


Way = tuple[np.ndarray, np.ndarray]  # ball (N, 3), rotation (N, 4)


def _held(plan: FootPlan, track: FootTrack, k: np.ndarray, old: Way, new: Way, fps: float) -> Way:
    """The target's foot, moved and turned to where it is held; the offset goes in the target's swing.

    While it is held the ball does not move over the floor at all, however it rolls or slides in either motion.
    """
    swing = (k - track.lift) / max(track.land - track.lift, 1) if track.land < NEVER else np.zeros(len(k))
    left = (1.0 - gentle(swing))[:, None]
    place, offset = np.array(track.place), np.array(track.offset)
    begin, end = track.rest
    let_go = (RELEASE_S if end == track.lift else LONG_RELEASE_S) * fps
    still = (1.0 - gentle((k - end + let_go) / (2.0 * let_go)))[:, None] * LEVEL
    yaw = rotation.yaw(track.turn * left[:, 0])
    ball = new[0] + still * (place - new[0])
    ball = place + rotation.rotate(yaw, ball - place) + left * offset
    was = old[0] + gentle((k - begin) / (GRIP_S * fps))[:, None] * LEVEL * (place + offset - old[0])
    weight = gentle(k / max(1, min(plan.length, track.lift)))
    return was + weight[:, None] * (ball - was), rotation.slerp(old[1], rotation.multiply(yaw, new[1]), weight)


def _stepped(track: FootTrack, k: np.ndarray, old: Way, new: Way, ball_at: np.ndarray) -> Way:
    """From the old path to the new one, over what is between them and the floor."""
    u = np.clip((k - track.lift) / max(track.land - track.lift, 1), 0.0, 1.0)
    first, last = WAIT_UP * track.low_start, 1.0 - WAIT_DOWN * track.low_end
    over, up = gentle((u - first) / (last - first)), gentle(u)
    ball = old[0] + over[:, None] * (new[0] - old[0])
    ball[:, 1] = old[0][:, 1] + up * (new[0][:, 1] - old[0][:, 1])
    rot = rotation.slerp(old[1], new[1], up)
    inside = (u > 0.0) & (u < 1.0)
    if not inside.any():
        return ball, rot
    i = np.flatnonzero(inside)
    far = float(np.linalg.norm((new[0][i[-1]] - old[0][i[0]])[[0, 2]]))
    clear = min(CLEAR_M + CLEAR_OF_STEP * far, CLEAR_MOST_M) * min(1.0, far / 0.03)
    hump = 256.0 * (u * (1.0 - u)) ** 4
    rest = ball[i[0], 1] + up * (ball[i[-1], 1] - ball[i[0], 1])
    middle = inside & (hump > 0.4)
    short = float(np.max((clear * hump - (ball[:, 1] - rest))[middle] / hump[middle], initial=0.0))
    if short > 0.0:
        ball[:, 1] += short * hump
        tip = TIPTOE_RAD * min(1.0, short / 0.05) * hump * (1.0 - u) * track.low_start
        side = np.cross(rotation.UP, _ahead(rot, ball_at))  # to the foot's left: turning about it lowers the toes
        rot = rotation.multiply(rotation.exp(tip[:, None] * side), rot)
    return ball, rot


def _ahead(rot: np.ndarray, ball_at: np.ndarray) -> np.ndarray:
    """(N, 3) level unit vectors from ankles to balls."""
    v = rotation.rotate(rot, ball_at) * np.array([1.0, 0.0, 1.0])
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-9)


def _pelvis(ends: Ends, legs: Legs, ankle: np.ndarray, free: np.ndarray, whole: bool) -> np.ndarray:
    """(N, 3) least smooth moves of the pelvis that bring feet into reach, from nothing at the departure."""
    fps, count = ends.old.fps, len(ankle)
    centers, radii = reach_balls(legs, ankle)
    leg = np.linalg.norm(legs.knee - legs.hip, axis=-1) + np.linalg.norm(legs.ankle - legs.knee, axis=-1)
    moved = -np.expm1(-((np.linalg.norm(ankle - legs.ankle, axis=-1) / 0.01) ** 2))
    room = (STRAIGHT - SOFT_FROM) * leg
    eased = SOFT_FROM * leg + room * -np.expm1(-np.maximum(radii - SOFT_FROM * leg, 0.0) / room)
    radii = radii + moved * (np.minimum(eased, radii) - radii) + FREE * 0.3 * leg * free
    move = smooth_moves(centers, radii, max(1, round(PELVIS_S * fps)))
    begin = gentle(np.arange(1, count + 1) / (SETTLE_S * fps))
    finish = np.ones(count) if whole else gentle(np.arange(count, 0, -1) / (SETTLE_S * fps))
    return move * (begin * finish)[:, None]
