"""Ground legs: legs bent onto feet on the ground, the pelvis moved so that they reach, no joint harder than it may."""

from __future__ import annotations

import numpy as np

from footfall.analysis.foot_points import carried_soles
from footfall.core import rotation
from footfall.core.easing import ease
from footfall.core.pose import Pose
from footfall.feet import limits
from footfall.feet.acceleration_bound import Bound, within_bound
from footfall.feet.gentle import frames_to, over_obstacle
from footfall.feet.ground_body import body_on
from footfall.feet.ground_feet import foot_motion, lifted, point_of
from footfall.feet.ground_work import GroundWork, flatter_of
from footfall.feet.leg_model import LegWork, moved_legs
from footfall.feet.leg_solve import LegTargets, eased_reach, leg_joints, reach_balls, solve_legs, world_legs
from footfall.feet.pelvis_reach import low_pass, smooth_moves
from footfall.kinematics.fk import world_transforms_of
from footfall.quality.body_signals import low_pass as low_pass_hz
from footfall.quality.joins import largest_near, measured_joints
from footfall.quality.knee import knee_speed

# All by eye, on the work half of the clips of the study of ground.
EXCESS_M_S2 = 28.0  # m/s² that joints may accelerate beyond the clip; quality.joins calls 40 clean
KNEE_FASTER, KNEE_RAD_S = 1.15, 2.0  # times the clip's fastest knee, and rad/s where that hardly turns; 1.3 are wanted
HEAVE, HEAVE_M_S2 = 1.12, 2.0  # times the hardest heave of the clip's pelvis, and m/s² where it has hardly any
HELD = 2e4  # times as firmly as in a swing that an ankle is held in a stance
NEAR, UP, NEAR_S = 30.0, 3.0, 0.05  # the same along the ground and up, so many seconds beside a stance
LETS_GO_S = 0.08  # seconds at the ends of a stance in which a foot may already, or still, be over its place
STRAIGHT_M = 0.01  # metres: a knee less off the line from hip to ankle shows no side at all
KNEE_S = 0.04  # seconds: half-width of the smoothing of where a knee bends to
UP_S = 0.05  # seconds: about how soon a foot is down again that was raised out of the ground
DEEP_M, EDGE_M = 0.002, 0.04  # metres: less deep is on the ground; deeper is past an edge, and its swing's business
LOW_S, LOWEST_M = 0.5, 0.2  # seconds in which a body is up again that came down for its legs; metres it does at most


def legs_on(work: GroundWork) -> Pose:
    """Poses with the legs on the ground."""
    pose, bends = _steady_knees(work, body_on(work))
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
        along[:, side] = bends[:, side] + rotation.unit(motion.sole[:, 1] - motion.sole[:, 0])
        foot = lifted(work, motion, falls, (legs.hip[:, side], reach[:, side], work.heels[:, side]))
        ankle[:, side] = point_of(foot, motion, 3)
        turn[:, side] = rotation.multiply(foot.turn, rotation.conjugate(legs.foot[:, side]))
        weight[:, side] = 1.0 - ease(frames_to(foot.stands) / (0.3 * work.fps))
        swing[:, side] = ease(frames_to(foot.stands) / (limits.GROUND_REACHES_S * work.fps))
    free = limits.LEG_FREE * legs.length * (1.0 - weight)
    targets, reaches = LegTargets(np.zeros_like(pose.root_pos), ankle, turn, along), (reach, free, swing)
    return _gently(work, pose, targets, reaches)


def _gently(
    work: GroundWork, pose: Pose, targets: LegTargets, reaches: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> Pose:
    """Poses with legs on their targets, which are moved where joints would accelerate harder than they may.

    reaches: of legs, how much farther those of swinging feet may be, and (T, 2) 1 in the middle of swings.
    """
    reach, free, swing = reaches
    skeleton, fps = work.clip.skeleton, work.fps
    legs = world_legs(skeleton, pose)
    steps = min(float(flatter_of(work).max(initial=0.0)) / (0.5 * limits.GROUND_FLATTER), 1.0)
    half = round((limits.LOCK_PELVIS_S + steps * (limits.GROUND_PELVIS_S - limits.LOCK_PELVIS_S)) * fps)
    centers, radii = reach_balls(legs, targets.ankle)[0], reach + free
    low = np.zeros_like(pose.root_pos) if work.runs else _lowered(centers, radii, fps)  # a run bends its legs to bounce
    move = -low + smooth_moves(centers + low[:, None], radii, half)
    held = _within_reach(targets.ankle, legs.hip + move[:, None], legs.length, swing)
    targets = targets._replace(move=move, ankle=held)
    made = solve_legs(skeleton, pose, targets)
    clear = np.stack([_clearance(work, made, k) for k in range(2)], axis=1)
    joints = tuple(measured_joints(work.clip).tolist())
    legwork = LegWork.of(skeleton, pose, targets, joints)
    made, moves = within_bound(legwork, _bound(work, legwork, swing, clear), fps)
    sunk = np.stack([_sunk(work, made, k) for k in range(2)], axis=1)
    if not (sunk > 0.0).any():
        return made
    every = np.ones(len(sunk), bool)
    moves[:, [4, 7]] += np.stack([over_obstacle(sunk[:, k], (UP_S * fps) ** -4.0, every) for k in range(2)], axis=1)
    return moved_legs(legwork, moves)


def _bound(work: GroundWork, legwork: LegWork, swing: np.ndarray, clear: np.ndarray) -> Bound:
    """What joints may do on a ground: swing (T, 2) 1 in the middle of swings, clear (T, 2) metres under feet."""
    count, fps = len(work.times), work.fps
    own = largest_near(work.source, fps, work.times)[:, list(legwork.joints)]
    most = (np.maximum(own, 0.0) + EXCESS_M_S2) / fps**2
    knee = max(KNEE_FASTER * knee_speed(work.source), KNEE_RAD_S) / fps
    stands = swing <= 0.0
    inside = np.stack([ease(frames_to(~stands[:, k]) / (LETS_GO_S * fps)) for k in range(2)], axis=1)
    beside = np.stack([ease(frames_to(stands[:, k]) / (NEAR_S * fps)) for k in range(2)], axis=1)
    ankles = np.ones((count, 2, 3))
    ankles[..., [0, 2]] += (NEAR * (1.0 - beside) ** 4 + HELD * stands)[..., None]
    ankles[..., 1] += UP * (1.0 - beside) ** 4 + HELD * inside**4 * stands
    height = legwork.pose.root_pos[:, 1] + legwork.targets.move[:, 1]
    heave = max(HEAVE * float(np.abs(_heaves(work.source.pose.root_pos[:, 1], fps)).max()), HEAVE_M_S2 / fps**2)
    return Bound(most, knee, _heaves(height, fps), heave, ankles, -np.maximum(clear, 0.0))


def _heaves(height: np.ndarray, fps: float) -> np.ndarray:
    """(T,) vertical acceleration of a pelvis, metres a frame², without what is quicker than gait; 0 at the ends."""
    edge, found = max(2, round(0.1 * fps)), np.zeros(len(height))
    found[1:-1] = np.diff(low_pass_hz(height, fps), n=2)
    found[:edge], found[len(found) - edge :] = 0.0, 0.0
    return found


def _lowered(centers: np.ndarray, radii: np.ndarray, fps: float) -> np.ndarray:
    """(T, 3) what a body comes down by, as gently as can be, so that its legs reach; centers (T, 2, 3) and radii (T, 2)
    as `smooth_moves` takes them, which does the rest."""
    across = (centers[..., 0] ** 2 + centers[..., 2] ** 2) / radii**2
    room = centers[..., 1] + radii * np.sqrt(np.maximum(1.0 - across, 0.0))
    needed = np.minimum((-room).max(axis=1), LOWEST_M)
    low = over_obstacle(needed, (LOW_S * fps) ** -4.0, np.ones(len(needed), bool), round(2.0 * LOW_S * fps))
    return low[:, None] * rotation.UP


def _clearance(work: GroundWork, pose: Pose, side: int) -> np.ndarray:
    """(T,) metres from a foot's heel or ball down to the ground, whichever is nearer."""
    return -_depths(work, pose, side).max(axis=1)


def _sunk(work: GroundWork, pose: Pose, side: int) -> np.ndarray:
    """(T,) how much deeper than DEEP_M a foot's heel or ball is in the ground."""
    deep = _depths(work, pose, side) - DEEP_M
    return np.asarray(np.where(deep < EDGE_M, deep, -np.inf).max(axis=1))


def _depths(work: GroundWork, pose: Pose, side: int) -> np.ndarray:
    """(T, 2) metres that a foot's heel and ball are in the ground; below 0 over it."""
    joints, local = carried_soles(work.clip)
    places, turns = world_transforms_of(work.clip.skeleton, pose, joints[side, :2].tolist())
    points = places + rotation.rotate(turns, local[side, :2])
    under = work.ground.heights(points[..., 0], points[..., 2], work.carry.level[:, None])
    return np.asarray(np.where(np.isnan(under), -np.inf, under) + np.array([0.0, work.rest_m]) - points[..., 1])


def _steady_knees(work: GroundWork, pose: Pose) -> tuple[Pose, np.ndarray]:
    """Poses whose knees bend to a side that does not shake, and that side (T, 2, 3), longer the surer it is.

    To which side a leg bends is noise while it is nearly straight. Where the ground bends it, that noise would be seen.
    """
    skeleton, rot = work.clip.skeleton, np.array(pose.rot)
    legs, joints = world_legs(skeleton, pose), leg_joints(skeleton)[:, 0]
    over = world_transforms_of(skeleton, pose, [int(skeleton.parents[j]) for j in joints])[1]
    heading, bends = work.carry.heading, np.zeros_like(legs.hip)
    for k, hip in enumerate(joints.tolist()):
        line = legs.ankle[:, k] - legs.hip[:, k]
        line = line / np.maximum(np.linalg.norm(line, axis=-1, keepdims=True), 1e-9)
        side = _across(legs.knee[:, k] - legs.hip[:, k], line)
        bent = np.linalg.norm(side, axis=-1, keepdims=True)
        own = rotation.rotate(rotation.yaw(-heading), side * bent)
        steady = low_pass(own, max(1, round(KNEE_S * work.fps)))
        wanted = _across(rotation.rotate(rotation.yaw(heading), steady), line)
        bends[:, k] = wanted / STRAIGHT_M**2
        angle = np.arctan2((np.cross(side, wanted) * line).sum(axis=-1), (side * wanted).sum(axis=-1))
        angle = np.sin(angle)  # a straight leg may bend to the very other side for a frame: that is not followed
        angle = angle * (bent**2 / (bent**2 + STRAIGHT_M**2))[:, 0]
        world = rotation.multiply(rotation.axis_angle(line, angle), rotation.multiply(over[:, k], rot[:, hip]))
        rot[:, hip] = rotation.nearest_sign(rotation.multiply(rotation.conjugate(over[:, k]), world), rot[:, hip])
    return pose._replace(rot=rot), bends


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
