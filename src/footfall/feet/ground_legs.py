"""Ground legs: legs bent onto feet on the ground, the pelvis moved so that they reach, made smoother where they pop."""

from __future__ import annotations

import numpy as np

from footfall.analysis.foot_points import carried_soles
from footfall.core import rotation
from footfall.core.easing import ease
from footfall.core.pose import Pose
from footfall.feet import limits
from footfall.feet.gentle import frames_to, over_obstacle, smooth_curve, widened
from footfall.feet.ground_body import body_on
from footfall.feet.ground_feet import foot_motion, lifted, point_of
from footfall.feet.ground_work import GroundWork, flatter_of
from footfall.feet.leg_excess import LegExcess, accelerations_of, largest_near
from footfall.feet.leg_solve import LegTargets, eased_reach, leg_joints, reach_balls, solve_legs, world_legs
from footfall.feet.pelvis_reach import low_pass, smooth_moves
from footfall.kinematics.fk import world_transforms_of
from footfall.quality.joins import AROUND_S as EXCESS_S
from footfall.quality.joins import CLEAN, measured_joints

# All by eye, on the clips of the study of ground.
ROUNDS = 8  # in each of which legs that pop are made smoother
FIRM_S, SOFTER, SOFTEST_S = 0.008, 1.6, 0.07  # seconds of smoothing in the first round, times more in each, and at most
TAPER_S = 0.015  # seconds: half-width over which the smoothing itself grows and ends
HOLD = 80.0  # times as hard as in a swing that a curve is held in a stance
STRAIGHT_M = 0.01  # metres: a knee less off the line from hip to ankle shows no side at all
KNEE_S = 0.04  # seconds: half-width of the smoothing of where a knee bends to
BODY_S = (0.018, 0.0, 0.035)  # seconds that the body itself is smoothed over: what kept still against its shaking may
# shake then, so each is tried until nothing pops
UP_S = 0.05  # seconds: about how soon a foot is down again that was raised out of the ground
DEEP_M, EDGE_M = 0.002, 0.04  # metres: less deep is on the ground; deeper is past an edge, and its swing's business
LOW_S, LOWEST_M = 0.5, 0.2  # seconds in which a body is up again that came down for its legs; metres it does at most
AROUND_S = 0.035  # seconds about a pop in which a foot's curve is made smoother
LOWER, LOWER_S = 0.006, 0.12  # of the leg that a body comes down in a round, and seconds about the pop


def legs_on(work: GroundWork) -> Pose:
    """Poses with the legs on the ground."""
    pose = _steady_knees(work, body_on(work))
    legs = world_legs(work.clip.skeleton, pose)
    flatter = flatter_of(work)
    ankle, turn, along = np.array(legs.ankle), np.array(legs.foot), np.array(legs.knee - legs.hip)
    weight, swing = np.zeros((len(work.times), 2)), np.ones((len(work.times), 2))
    reach = eased_reach(legs.length, legs.length) - limits.GROUND_BENT * flatter[:, None] * legs.length
    for side in range(2):
        falls = [f for f in work.falls if f.stance.foot == side]
        if not falls:
            turn[:, side] = rotation.IDENTITY
            continue
        motion = foot_motion(work, side, flatter)
        along[:, side] = motion.sole[:, 1] - motion.sole[:, 0]
        foot = lifted(work, motion, falls, (legs.hip[:, side], reach[:, side], work.heels[:, side]))
        ankle[:, side] = point_of(foot, motion, 3)
        turn[:, side] = rotation.multiply(foot.turn, rotation.conjugate(legs.foot[:, side]))
        weight[:, side] = 1.0 - ease(frames_to(foot.stands) / (0.3 * work.fps))
        swing[:, side] = ease(frames_to(foot.stands) / (limits.GROUND_REACHES_S * work.fps))
    free = limits.LEG_FREE * legs.length * (1.0 - weight)
    targets, reaches = LegTargets(np.zeros_like(pose.root_pos), ankle, turn, along), (reach, free, swing)
    best, least = pose, np.inf
    for body_s in BODY_S:
        made = _gently(work, pose, targets, reaches, body_s)
        worst = _worst_excess(work, made)
        if worst < least:
            best, least = made, worst
        if least <= CLEAN:
            break
    return best


def _worst_excess(work: GroundWork, pose: Pose) -> float:
    """m/s², the most that any joint but fingers is accelerated beyond what it does in the clip nearby."""
    joints = tuple(measured_joints(work.clip).tolist())
    own = accelerations_of(work.clip, work.clip.sample(work.times), joints)
    ours = accelerations_of(work.clip, pose, joints)
    return float((ours - largest_near(own, int(EXCESS_S * work.fps + 1e-6))).max(initial=0.0))


def _gently(
    work: GroundWork,
    pose: Pose,
    targets: LegTargets,
    reaches: tuple[np.ndarray, np.ndarray, np.ndarray],
    body_s: float,
) -> Pose:
    """Poses with legs on their targets. Where a leg pops its foot's curve is made smoother and the body comes down.

    reaches: of legs, how much farther those of swinging feet may be, and (T, 2) 1 in the middle of swings. body_s:
    seconds that the body itself is smoothed over there, at most.
    """
    reach, free, swing = reaches
    legs, fps = world_legs(work.clip.skeleton, pose), work.fps
    excess = LegExcess.of(work.clip.with_pose(work.clip.sample(work.times)))
    smooth_s, lower = np.zeros((len(work.times), 2)), np.zeros(len(work.times))
    steps = min(float(flatter_of(work).max(initial=0.0)) / (0.5 * limits.GROUND_FLATTER), 1.0)
    half = round((limits.LOCK_PELVIS_S + steps * (limits.GROUND_PELVIS_S - limits.LOCK_PELVIS_S)) * fps)
    offset = targets.ankle - legs.ankle
    for n in range(ROUNDS + 1):
        ankle = legs.ankle + _smoothed_curves(offset, smooth_s, swing, fps)
        down = low_pass(lower[:, None], max(1, round(LOWER_S * fps)))
        calm = np.minimum(smooth_s.max(axis=1), body_s)[:, None]
        steady = _smoothed_curves(pose.root_pos[:, None], calm, 1.0, fps)[:, 0] - pose.root_pos
        centers, radii = reach_balls(legs, ankle)[0] - steady[:, None], reach - down * legs.length + free
        low = np.zeros_like(steady) if work.runs else _lowered(centers, radii, fps)  # a run bends its legs to bounce
        move = steady - low + smooth_moves(centers + low[:, None], radii, half)
        held = _within_reach(ankle, legs.hip + move[:, None], legs.length, swing)
        made = solve_legs(work.clip.skeleton, pose, targets._replace(move=move, ankle=held))
        popped = excess.exceeded(made, np.ones(len(work.times), bool))
        if n == ROUNDS or not popped.any():
            break
        near = widened(popped, max(1, round(AROUND_S * fps)))
        smooth_s[near] = np.minimum(np.maximum(SOFTER * smooth_s[near], FIRM_S), SOFTEST_S)
        straight = popped & (legs_stretched(work, made) > limits.GROUND_STRAIGHT)
        lower[widened(np.asarray(straight.any(axis=1)), round(LOWER_S * fps))] += LOWER
    sunk = np.stack([_sunk(work, made, k) for k in range(2)], axis=1)
    if not (sunk > 0.0).any():
        return made
    every = np.ones(len(sunk), bool)
    up = np.stack([over_obstacle(sunk[:, k], (UP_S * fps) ** -4.0, every) for k in range(2)], axis=1)
    raised = held + up[..., None] * rotation.UP
    return solve_legs(work.clip.skeleton, pose, targets._replace(move=move, ankle=raised))


def _lowered(centers: np.ndarray, radii: np.ndarray, fps: float) -> np.ndarray:
    """(T, 3) what a body comes down by, as gently as can be, so that its legs reach; centers (T, 2, 3) and radii (T, 2)
    as `smooth_moves` takes them, which does the rest."""
    across = (centers[..., 0] ** 2 + centers[..., 2] ** 2) / radii**2
    room = centers[..., 1] + radii * np.sqrt(np.maximum(1.0 - across, 0.0))
    needed = np.minimum((-room).max(axis=1), LOWEST_M)
    low = over_obstacle(needed, (LOW_S * fps) ** -4.0, np.ones(len(needed), bool), round(2.0 * LOW_S * fps))
    return low[:, None] * rotation.UP


def _sunk(work: GroundWork, pose: Pose, side: int) -> np.ndarray:
    """(T,) how much deeper than DEEP_M a foot's heel or ball is in the ground."""
    joints, local = carried_soles(work.clip)
    places, turns = world_transforms_of(work.clip.skeleton, pose, joints[side, :2].tolist())
    points = places + rotation.rotate(turns, local[side, :2])
    under = work.ground.heights(points[..., 0], points[..., 2], work.carry.level[:, None])
    deep = np.where(np.isnan(under), -np.inf, under) + np.array([0.0, work.rest_m]) - points[..., 1] - DEEP_M
    return np.asarray(np.where(deep < EDGE_M, deep, -np.inf).max(axis=1))


def legs_stretched(work: GroundWork, pose: Pose) -> np.ndarray:
    """(T, 2) from hip to ankle, of the leg."""
    legs = world_legs(work.clip.skeleton, pose)
    return np.asarray(legs.stretch / legs.length)


def _smoothed_curves(offset: np.ndarray, smooth_s: np.ndarray, swing: np.ndarray | float, fps: float) -> np.ndarray:
    """(T, K, 3) curves smoothed over so many seconds (T, K), less in stances than in swings (1)."""
    if not smooth_s.any():
        return offset
    every = np.ones(len(offset), bool)
    stiff = (low_pass(smooth_s, max(1, round(TAPER_S * fps))) * fps) ** 4
    firm = np.broadcast_to(1.0 + HOLD * (1.0 - np.asarray(swing)) ** 4, smooth_s.shape)
    made = [smooth_curve(offset[:, k], firm[:, k], stiff[:, k], every) for k in range(offset.shape[1])]
    return np.stack(made, axis=1)


def _steady_knees(work: GroundWork, pose: Pose) -> Pose:
    """Poses whose knees bend to a side that does not shake.

    To which side a leg bends is noise while it is nearly straight. Where the ground bends it, that noise would be seen.
    """
    skeleton, rot = work.clip.skeleton, np.array(pose.rot)
    legs, joints = world_legs(skeleton, pose), leg_joints(skeleton)[:, 0]
    over = world_transforms_of(skeleton, pose, [int(skeleton.parents[j]) for j in joints])[1]
    heading = work.carry.heading
    for k, hip in enumerate(joints.tolist()):
        line = legs.ankle[:, k] - legs.hip[:, k]
        line = line / np.maximum(np.linalg.norm(line, axis=-1, keepdims=True), 1e-9)
        side = _across(legs.knee[:, k] - legs.hip[:, k], line)
        bent = np.linalg.norm(side, axis=-1, keepdims=True)
        own = rotation.rotate(rotation.yaw(-heading), side * bent)
        steady = low_pass(own, max(1, round(KNEE_S * work.fps)))
        wanted = _across(rotation.rotate(rotation.yaw(heading), steady), line)
        angle = np.arctan2((np.cross(side, wanted) * line).sum(axis=-1), (side * wanted).sum(axis=-1))
        angle = np.sin(angle)  # a straight leg may bend to the very other side for a frame: that is not followed
        angle = angle * (bent**2 / (bent**2 + STRAIGHT_M**2))[:, 0]
        world = rotation.multiply(rotation.axis_angle(line, angle), rotation.multiply(over[:, k], rot[:, hip]))
        rot[:, hip] = rotation.nearest_sign(rotation.multiply(rotation.conjugate(over[:, k]), world), rot[:, hip])
    return pose._replace(rot=rot)


def _across(v: np.ndarray, line: np.ndarray) -> np.ndarray:
    """What of vectors (T, 3) lies across unit lines (T, 3)."""
    return np.asarray(v - (v * line).sum(axis=-1, keepdims=True) * line)


def _within_reach(ankle: np.ndarray, hip: np.ndarray, length: np.ndarray, swing: np.ndarray) -> np.ndarray:
    """Ankles (T, 2, 3), those of swinging legs (1 in the middle of a swing) held back from stretching them."""
    line = ankle - hip
    far = np.linalg.norm(line, axis=-1)
    soft, room = limits.GROUND_SWING_SOFT * length, (limits.GROUND_SWING_MOST - limits.GROUND_SWING_SOFT) * length
    held = np.where(far > soft, soft - room * np.expm1(-np.maximum(far - soft, 0.0) / room), far)
    return hip + line * (1.0 + swing * (held / np.maximum(far, 1e-9) - 1.0))[..., None]
