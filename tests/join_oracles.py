"""Oracles of how a join's poses are made: blending, following a step plan and moving a body, over numpy arrays."""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.easing import gentle
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.feet.foot_paths import FootPaths
from footfall.feet.leg_solve import Legs, LegTargets, reach_balls, solve_legs, world_legs
from footfall.feet.limits import (
    JOIN_BENT_M,
    JOIN_FOLDED,
    JOIN_GRIP_S,
    JOIN_LONG_RELEASE_S,
    JOIN_PELVIS_S,
    JOIN_RELEASE_S,
    JOIN_SETTLE_S,
    JOIN_SLOWING_S,
    JOIN_STRAIGHT,
    JOIN_SWING_SOFT_FROM,
    JOIN_SWING_STRAIGHT,
    JOIN_TIPTOE_RAD,
    STEP_CLEAR_CALM_M,
    STEP_CLEAR_M,
    STEP_CLEAR_MOST_M,
    STEP_CLEAR_OF_STEP,
    STEP_RISE_M_S2,
    STEP_WAIT_DOWN,
    STEP_WAIT_UP,
)
from footfall.feet.pelvis_reach import low_pass, smooth_moves
from footfall.feet.step_following import MIDDLE
from footfall.feet.step_plan import NEVER, JoinEnds, PlannedFoot, StepPlan
from footfall.kinematics.pose_blend import between, turns

FREE, SOFT_FROM = 0.3, 0.97  # of the leg, as every user of the leg solver has them
LEVEL = np.array([1.0, 0.0, 1.0])


def blend(skeleton: Skeleton, a: Pose, b: Pose, weight: np.ndarray) -> Pose:
    """Poses (K,) with b's share of weight (K,): exactly a's at 0 and exactly b's at 1.

    The root's place is mixed in the world; its turn about the vertical apart from its tilt, so that a body that must
    turn round does so on its feet. Both go the shorter way, chosen once: streams that pass each other do not flip.
    """
    w = weight[:, None]
    rot = rotation.multiply(a.rot, rotation.exp(w[..., None] * turns(between(a.rot, b.rot))))
    whole = rotation.multiply(b.rot[:, 0], rotation.conjugate(a.rot[:, 0]))  # (K, 4) in the world
    upright = twist(whole, rotation.UP)
    tilt = turns(rotation.multiply(whole, rotation.conjugate(upright)))
    turned = rotation.multiply(rotation.exp(w * turns(upright)), a.rot[:, 0])
    rot[:, 0] = rotation.multiply(rotation.exp(w * tilt), turned)
    pos = None
    if a.pos is not None or b.pos is not None:
        ours, theirs = (skeleton.offsets if pose.pos is None else pose.pos for pose in (a, b))
        pos = _line(ours, theirs, w[..., None])
    rot = np.where(w[..., None] == 1.0, b.rot, np.where(w[..., None] == 0.0, a.rot, rotation.normalize(rot)))
    return Pose(_line(a.root_pos, b.root_pos, w), rot, pos)


def _line(a: np.ndarray, b: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.where(w == 1.0, b, a + w * (b - a))


def apply(ends: JoinEnds, plan: StepPlan, pose: Pose, whole: bool | None = None) -> Pose:
    """Poses (N,) after the departure, with feet as planned; from plan.end on they stay as they are.

    whole: these are all there are, and none need be the target's own at the end; else told by their number.
    """
    count = min(len(pose.root_pos), plan.end)
    whole = count == len(pose.root_pos) if whole is None else whole
    part = pose.at(slice(0, count))
    k = np.arange(1, count + 1)
    legs = world_legs(ends.old.skeleton, part)
    ankle, turn = np.empty((count, 2, 3)), np.empty((count, 2, 4))
    free, swing = np.zeros((count, 2)), np.zeros((count, 2))
    for foot, track in enumerate(plan.feet):
        ball, rot = follow(ends, plan, foot, k)
        ankle[:, foot] = ball - rotation.rotate(rot, ends.old.ball_at[foot])
        turn[:, foot] = rotation.multiply(rot, rotation.conjugate(legs.foot[:, foot]))
        free[:, foot] = (k > track.lift) & (k < track.land)
        swing[:, foot] = np.clip((k - track.lift) / max(track.land - track.lift, 1), 0.0, 1.0)
        own = (k >= track.land) & (k >= plan.length)
        ankle[own, foot], turn[own, foot] = legs.ankle[own, foot], rotation.IDENTITY
    move = _pelvis(ends, legs, ankle, free + _middle(swing) / (0.3 * FREE), whole)
    ankle = _not_too_far(legs, _not_too_near(legs, ankle, move, free), move, swing)
    pole = knee_poles(legs, max(1, round(JOIN_PELVIS_S * ends.old.fps)))
    fixed = solve_legs(ends.old.skeleton, part, LegTargets(move, ankle, turn, pole))
    root_pos, rots = np.array(pose.root_pos), np.array(pose.rot)
    root_pos[:count], rots[:count] = fixed.root_pos, fixed.rot
    return pose._replace(root_pos=root_pos, rot=rots)


def _not_too_near(legs: Legs, ankle: np.ndarray, move: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Ankles (N, 2, 3) of swinging feet that pass close under their hips lowered: no leg folds up farther than half."""
    hip = legs.hip + move[:, None]
    leg = np.linalg.norm(legs.knee - legs.hip, axis=-1) + np.linalg.norm(legs.ankle - legs.knee, axis=-1)
    away = ankle - hip
    least = np.minimum(JOIN_FOLDED * leg, np.linalg.norm(legs.ankle - legs.hip, axis=-1))
    beside = np.hypot(away[..., 0], away[..., 2]) / np.maximum(least, 1e-9)
    most = -least * np.maximum(1.0 - beside**2, 0.0)  # how high, from the hip
    over, width = away[..., 1] - most, 0.03 * leg
    lower = width * np.logaddexp(0.0, over / width) * gentle(1.5 - beside)  # soft, and only under it
    moved = np.array(ankle)
    moved[..., 1] -= np.where(free > 0.0, lower, 0.0)
    return moved


def _middle(swing: np.ndarray) -> np.ndarray:
    """1 in the middle of a swing, 0 at both its ends and outside of it."""
    return 16.0 * (swing * (1.0 - swing)) ** 2


def _not_too_far(legs: Legs, ankle: np.ndarray, move: np.ndarray, swing: np.ndarray) -> np.ndarray:
    """Ankles (N, 2, 3) of feet in mid-swing (N, 2), 0 to 1, drawn towards their hips before the leg is straight.

    A foot that is left behind would else be caught up with all at once, and the knee snap open.
    """
    hip = legs.hip + move[:, None]
    leg = np.linalg.norm(legs.knee - legs.hip, axis=-1) + np.linalg.norm(legs.ankle - legs.knee, axis=-1)
    away = ankle - hip
    far = np.maximum(np.linalg.norm(away, axis=-1), 1e-9)
    middle = _middle(swing)
    own = np.linalg.norm(legs.ankle - legs.hip, axis=-1)
    first = np.maximum(JOIN_SWING_SOFT_FROM * leg, np.minimum(own, JOIN_SWING_STRAIGHT * leg - 0.02 * leg))
    room = JOIN_SWING_STRAIGHT * leg - first
    slowed = np.where(far <= first, far, first + room * -np.expm1(-np.maximum(far - first, 0.0) / room))
    return hip + away * ((far + middle * (slowed - far)) / far)[..., None]


def knee_poles(legs: Legs, half_width: int) -> np.ndarray:
    """(N, 2, 3) where knees should bend to when their legs are straight: as they bend around then, or forward.

    Not to where the feet point: in a swing they point down, and what is level of that turns round in a few frames.
    """
    line = legs.ankle - legs.hip
    line = line / np.maximum(np.linalg.norm(line, axis=-1, keepdims=True), 1e-9)
    thigh = legs.knee - legs.hip
    bend = thigh - (thigh * line).sum(axis=-1, keepdims=True) * line
    across = legs.hip[:, 0] - legs.hip[:, 1]
    ahead = np.cross(across, rotation.UP) / np.maximum(np.linalg.norm(across, axis=-1, keepdims=True), 1e-9)
    smooth = low_pass(bend.reshape(len(bend), 6), half_width).reshape(bend.shape)
    return smooth + JOIN_BENT_M * ahead[:, None]


def follow(ends: JoinEnds, plan: StepPlan, foot: int, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ball (N, 3) and rotation (N, 4) of one foot at frames k (N,) after the departure."""
    track = plan.feet[foot]
    slow = JOIN_SLOWING_S * ends.old.fps
    old_ball, old_rot = _at(ends.old, foot, ends.leave + ends.late[0] + _slowed(k, max(track.old_last, slow), slow))
    ball, rot = _at(ends.new, foot, ends.start + ends.late[1] - _slowed(-k, -track.new_first, slow))
    new_ball = plan.placement.points(ball)
    new_rot = rotation.multiply(rotation.yaw(plan.placement.turn), rot)
    if track.held:
        return _held(plan, track, k, (old_ball, old_rot), (new_ball, new_rot), ends.old.fps)
    return _stepped(track, k, (old_ball, old_rot), (new_ball, new_rot), ends, foot)


def _slowed(k: np.ndarray, last: float, slow: float) -> np.ndarray:
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


def _held(plan: StepPlan, track: PlannedFoot, k: np.ndarray, old: Way, new: Way, fps: float) -> Way:
    """The target's foot, moved and turned to where it is held; the offset goes in the target's swing.

    While it is held the ball does not move over the floor at all, however it rolls or slides in either motion.
    """
    swing = (k - track.lift) / max(track.land - track.lift, 1) if track.land < NEVER else np.zeros(len(k))
    left = (1.0 - gentle(swing))[:, None]
    place, offset = np.array(track.place), np.array(track.offset)
    begin, end = track.rest
    let_go = (JOIN_RELEASE_S if end == track.lift else JOIN_LONG_RELEASE_S) * fps
    still = (1.0 - gentle((k - end + let_go) / (2.0 * let_go)))[:, None] * LEVEL
    yaw = rotation.yaw(track.turn * left[:, 0])
    ball = new[0] + still * (place - new[0])
    ball = place + rotation.rotate(yaw, ball - place) + left * offset
    was = old[0] + gentle((k - begin) / (JOIN_GRIP_S * fps))[:, None] * LEVEL * (place + offset - old[0])
    weight = gentle(k / max(1, min(plan.length, track.lift)))
    return was + weight[:, None] * (ball - was), rotation.slerp(old[1], rotation.multiply(yaw, new[1]), weight)


def _stepped(track: PlannedFoot, k: np.ndarray, old: Way, new: Way, ends: JoinEnds, foot: int) -> Way:
    """From the old path to the new one, over what is between them and the floor."""
    u = np.clip((k - track.lift) / max(track.land - track.lift, 1), 0.0, 1.0)
    first, last = STEP_WAIT_UP * track.low_start, 1.0 - STEP_WAIT_DOWN * track.low_end
    over, up = gentle((u - first) / (last - first)), gentle(u)
    ball = old[0] + over[:, None] * (new[0] - old[0])
    ball[:, 1] = old[0][:, 1] + up * (new[0][:, 1] - old[0][:, 1])
    rot = _turned(old[1], new[1], up)
    inside = (u > 0.0) & (u < 1.0)
    if not inside.any():
        return ball, rot
    i = np.flatnonzero(inside)
    far = float(np.linalg.norm((new[0][i[-1]] - old[0][i[0]])[[0, 2]]))
    clear = min(STEP_CLEAR_M + STEP_CLEAR_OF_STEP * far, STEP_CLEAR_MOST_M) * min(1.0, far / 0.03)
    clear = clear if ends.calm <= 1.0 else min(clear, STEP_CLEAR_CALM_M)
    swing_s = (track.land - track.lift) / ends.old.fps
    clear = min(clear, STEP_RISE_M_S2 / 32.0 * swing_s**2)  # a hump of 1 m in 1 s asks for 32
    hump = 256.0 * (u * (1.0 - u)) ** 4
    rest = ball[i[0], 1] + up * (ball[i[-1], 1] - ball[i[0], 1])
    middle = inside & (hump > MIDDLE)
    short = float(np.max((clear * hump - (ball[:, 1] - rest))[middle] / hump[middle], initial=0.0))
    if short > 0.0:
        ball[:, 1] += short * hump
        tip = JOIN_TIPTOE_RAD * min(1.0, short / 0.05) * hump * (1.0 - u) * track.low_start
        ahead = _ahead(rot, ends.old.ball_at[foot])
        side = np.cross(rotation.UP, ahead)  # to the foot's left: turning about it lowers the toes
        rot = rotation.multiply(rotation.exp(tip[:, None] * side), rot)
    return ball, rot


def _turned(a: np.ndarray, b: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Rotations (N, 4) from a to b by weight (N,), the way round chosen once: a foot in mid-swing does not flip."""
    return rotation.multiply(a, rotation.exp(weight[:, None] * turns(between(a, b))))


def _ahead(rot: np.ndarray, ball_at: np.ndarray) -> np.ndarray:
    """(N, 3) level vectors from ankles to balls, of length 1 for level feet and less the more they point down."""
    v = rotation.rotate(rot, ball_at) * np.array([1.0, 0.0, 1.0])
    return v / max(float(np.linalg.norm(ball_at[[0, 2]])), 1e-9)


def _pelvis(ends: JoinEnds, legs: Legs, ankle: np.ndarray, free: np.ndarray, whole: bool) -> np.ndarray:
    """(N, 3) least smooth moves of the pelvis that bring feet into reach, from nothing at the departure."""
    fps, count = ends.old.fps, len(ankle)
    centers, radii = reach_balls(legs, ankle)
    leg = np.linalg.norm(legs.knee - legs.hip, axis=-1) + np.linalg.norm(legs.ankle - legs.knee, axis=-1)
    moved = -np.expm1(-((np.linalg.norm(ankle - legs.ankle, axis=-1) / 0.01) ** 2))
    room = (JOIN_STRAIGHT - SOFT_FROM) * leg
    eased = SOFT_FROM * leg + room * -np.expm1(-np.maximum(radii - SOFT_FROM * leg, 0.0) / room)
    radii = radii + moved * (np.minimum(eased, radii) - radii) + FREE * 0.3 * leg * free
    move = smooth_moves(centers, radii, max(1, round(JOIN_PELVIS_S * fps)))
    begin = gentle(np.arange(1, count + 1) / (JOIN_SETTLE_S * fps))
    finish = np.ones(count) if whole else gentle(np.arange(count, 0, -1) / (JOIN_SETTLE_S * fps))
    return move * (begin * finish)[:, None]


def move_body(skeleton: Skeleton, pose: Pose, move: np.ndarray, fps: float) -> Pose:
    """Bodies moved by `move` (K, 3), as far as legs reach, over feet that stay."""
    legs = world_legs(skeleton, pose)
    centers, radii = reach_balls(legs, legs.ankle)
    half = max(1, round(JOIN_PELVIS_S * fps))
    move = move + smooth_moves(centers - move[:, None], radii, half)
    still = np.broadcast_to(rotation.IDENTITY, legs.foot.shape)
    return solve_legs(skeleton, pose, LegTargets(move, legs.ankle, still, knee_poles(legs, half)))


def twist(q: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """The part of q that turns about a unit axis: q == swing * twist, swing about an axis at right angles."""
    along = (q[..., 1:] * axis).sum(axis=-1, keepdims=True)
    t = np.concatenate([q[..., :1], along * axis], axis=-1)
    n = np.sqrt((t * t).sum(axis=-1, keepdims=True))
    lost = n < 1e-12  # a half turn about an axis at right angles has no defined twist
    return np.where(lost, rotation.IDENTITY, t / np.where(lost, 1.0, n))
