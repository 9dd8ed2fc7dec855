"""Step following: a step plan turned into poses, legs bent and the pelvis moved so that feet are where it says."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.kernels import kernel, part, read_only
from footfall.core.pose import Pose
from footfall.core.rotation_kernels import conjugate, multiply, put, quaternion, rotate, settle_signs, share, slerp
from footfall.core.skeleton import Skeleton
from footfall.feet.join_legs import (
    drawn_in,
    eased,
    half_width,
    knee_poles,
    legs_of,
    length,
    soft_reach,
    vector,
)
from footfall.feet.leg_solve import LegTargets, leg_joints, solve_legs
from footfall.feet.limits import (
    JOIN_GRIP_S,
    JOIN_LONG_RELEASE_S,
    JOIN_RELEASE_S,
    JOIN_SETTLE_S,
    JOIN_SLOWING_S,
    JOIN_TIPTOE_M,
    JOIN_TIPTOE_RAD,
    STEP_CLEAR_CALM_M,
    STEP_CLEAR_FROM_M,
    STEP_CLEAR_M,
    STEP_CLEAR_MOST_M,
    STEP_CLEAR_OF_STEP,
    STEP_RISE_M_S2,
    STEP_WAIT_DOWN,
    STEP_WAIT_UP,
)
from footfall.feet.pelvis_reach import smooth_moves
from footfall.feet.step_plan import (
    HELD,
    LAND,
    LET_GO,
    LIFT,
    LOW_END,
    LOW_START,
    NEVER,
    NEW_FIRST,
    OFFSET,
    OLD_LAST,
    PLACE,
    REST,
    TURN,
    JoinEnds,
    StepPlan,
    packed,
)

HUMP_M_S2 = 32.0  # largest acceleration of a hump 1 m high and 1 s long, m/s²
LEVEL = 0.5  # of the way from ankle to ball: at least this is level where a foot stands, however a rig rests
MIDDLE = 0.7  # of the hump's height: a step must clear the floor where it is higher. By eye, on pairs


class Followed(NamedTuple):
    """A plan and the motions it is for, as kernels have them."""

    old_ball: Any  # (T, 2, 3)
    old_foot: Any  # (T, 2, 4)
    new_ball: Any
    new_foot: Any
    ball_at: Any  # (2, 3) the balls in the ankles' frames
    toward: Any  # (2, 3) the same, scaled to have 1 level as the feet rest
    feet: Any  # (2, COLUMNS) packed
    span: int  # frames of the transition
    fps: float
    calm: float
    old_at: float  # frame of the old motion at the departure
    new_at: float  # frame of the new motion at the departure
    floor: Any  # (5,) cosine and sine of half the placement's turn, and its shift


def followed(ends: JoinEnds, plan: StepPlan) -> Followed:
    """What the kernels are given."""
    old, new, half = ends.old, ends.new, 0.5 * float(plan.placement.turn)
    feet = np.array([packed(foot) for foot in plan.feet])
    floor = np.array([np.cos(half), np.sin(half), *plan.placement.shift])
    return Followed(
        read_only(old.ball),
        read_only(old.foot),
        read_only(new.ball),
        read_only(new.foot),
        read_only(old.ball_at),
        toward_balls(old.skeleton, old.ball_at),
        feet,
        int(plan.length),
        float(old.fps),
        float(ends.calm),
        float(ends.leave + ends.late[0]),
        float(ends.start + ends.late[1]),
        floor,
    )


def toward_balls(skeleton: Skeleton, ball_at: np.ndarray) -> np.ndarray:
    """(2, 3) the balls in the ankles' frames, scaled to be 1 ahead over the floor as the feet rest.

    Which of a frame's axes is up is the rig's own choice: in many, bones lie along their second axis.
    """
    resting = rotation.rotate(skeleton.rest_world[1][leg_joints(skeleton)[:, 2]], ball_at)
    far = np.linalg.norm(ball_at, axis=-1)
    level = np.maximum(np.hypot(resting[:, 0], resting[:, 2]), LEVEL * far)
    return np.asarray(ball_at / np.maximum(level, 1e-9)[:, None])


def follow_steps(ends: JoinEnds, plan: StepPlan, pose: Pose, whole: bool | None = None) -> Pose:
    """Poses (N,) after the departure, with feet as planned; from plan.end on they stay as they are.

    whole: these are all there are, and none need be the target's own at the end; else told by their number.
    """
    count = min(len(pose.root_pos), plan.end)
    whole = count == len(pose.root_pos) if whole is None else whole
    part, skeleton, fps = pose.at(slice(0, count)), ends.old.skeleton, ends.old.fps
    given, (places, feet) = followed(ends, plan), legs_of(skeleton, part)
    ankle, turn = np.empty((count, 2, 3)), np.empty((count, 2, 4))
    centers, radii = np.empty((count, 2, 3)), np.empty((count, 2))
    aim_feet(given, places, feet, ankle, turn, centers, radii)
    move = smooth_moves(centers, radii, half_width(fps))
    settle_body(given, bool(whole), places, move, ankle)
    bent = solve_legs(skeleton, part, LegTargets(move, ankle, turn, knee_poles(places, fps)))
    rest = slice(count, None)
    root_pos, rot = np.concatenate([bent.root_pos, pose.root_pos[rest]]), np.concatenate([bent.rot, pose.rot[rest]])
    return pose._replace(root_pos=root_pos, rot=rot)


@part
def slowed(k: float, last: float, slow: float) -> float:
    """Frame k, stopped at `last`: it comes to rest over `slow` frames before and after it."""
    if k < last - slow:
        return k
    late = min(max((k - last + slow) / (2.0 * slow), 0.0), 1.0)
    return min(k, last + slow) - slow * late * late


@part
def sample_foot(path: Any, feet: Any, side: int, x: float, ball: Any, rot: Any) -> None:
    """Ball and rotation of a foot at a frame, whole or not."""
    x = min(max(x, 0.0), len(path) - 1.0)
    i = min(int(x), len(path) - 2)
    u = x - i
    for c in range(3):
        ball[c] = path[i, side, c] + u * (path[i + 1, side, c] - path[i, side, c])
    put(rot, slerp(quaternion(feet[i, side]), quaternion(feet[i + 1, side]), u))


@part
def sample_both(plan: Any, side: int, old: Any, old_rot: Any, new: Any, new_rot: Any) -> None:
    """Both motions' ways of one foot, slowed where they are left or awaited; the target's placed on the floor."""
    foot, slow, turn = plan.feet[side], JOIN_SLOWING_S * plan.fps, (plan.floor[0], 0.0, plan.floor[1], 0.0)
    for n in range(len(old)):
        k = n + 1.0
        x = plan.old_at + slowed(k, max(foot[OLD_LAST], slow), slow)
        sample_foot(plan.old_ball, plan.old_foot, side, x, old[n], old_rot[n])
        x = plan.new_at - slowed(-k, -foot[NEW_FIRST], slow)
        sample_foot(plan.new_ball, plan.new_foot, side, x, new[n], new_rot[n])
        place, q = rotate(turn, vector(new[n])), multiply(turn, quaternion(new_rot[n]))
        for c in range(3):
            new[n, c] = place[c] + plan.floor[2 + c]
        put(new_rot[n], q)


@part
def hold(foot: Any, span: int, fps: float, old: Any, old_rot: Any, new: Any, new_rot: Any) -> None:
    """A held foot, written over the old path: the target's foot, moved and turned to where it is held; the offset goes
    in the target's swing. While it is held the ball does not move over the floor at all, however it rolls or slides in
    either motion."""
    place, offset = vector(foot[PLACE:]), vector(foot[OFFSET:])
    release = (JOIN_RELEASE_S if foot[LET_GO] == foot[LIFT] else JOIN_LONG_RELEASE_S) * fps
    for n in range(len(old)):
        k = n + 1.0
        swing = (k - foot[LIFT]) / max(foot[LAND] - foot[LIFT], 1.0) if foot[LAND] < NEVER else 0.0
        left = 1.0 - eased(swing)
        still = 1.0 - eased((k - foot[LET_GO] + release) / (2.0 * release))
        grip = eased((k - foot[REST]) / (JOIN_GRIP_S * fps))
        weight = eased(k / max(1.0, min(float(span), foot[LIFT])))
        half = 0.5 * foot[TURN] * left
        yaw = (np.cos(half), 0.0, np.sin(half), 0.0)
        off = ((1.0 - still) * (new[n, 0] - place[0]), new[n, 1] - place[1], (1.0 - still) * (new[n, 2] - place[2]))
        turned = rotate(yaw, off)
        for c in range(3):
            ball = place[c] + turned[c] + left * offset[c]
            was = old[n, c] + (0.0 if c == 1 else grip * (place[c] + offset[c] - old[n, c]))
            old[n, c] = was + weight * (ball - was)
        put(old_rot[n], slerp(quaternion(old_rot[n]), multiply(yaw, quaternion(new_rot[n])), weight))


@part
def progress(foot: Any, k: float) -> float:
    """How far a foot is on its step, 0 to 1."""
    return min(max((k - foot[LIFT]) / max(foot[LAND] - foot[LIFT], 1.0), 0.0), 1.0)


@part
def humped(u: float) -> float:
    """0 at both ends of a step, 1 in its middle, flat to the third derivative at its ends."""
    x = u * (1.0 - u)
    return 256.0 * x * x * x * x


@part
def step(foot: Any, fps: float, calm: float, toward: Any, old: Any, old_rot: Any, new: Any, new_rot: Any) -> None:
    """A step, written over the old path: from the old one to the new one, over what is between them and the floor;
    toward (3,) as `toward_balls` has it. The way round is chosen once: a foot in mid-swing does not flip."""
    first, last = STEP_WAIT_UP * foot[LOW_START], 1.0 - STEP_WAIT_DOWN * foot[LOW_END]
    begin, end = -1, -1
    for n in range(len(old)):
        u = progress(foot, n + 1.0)
        if 0.0 < u < 1.0:
            begin, end = (n if begin < 0 else begin), n
        put(new_rot[n], multiply(conjugate(quaternion(old_rot[n])), quaternion(new_rot[n])))  # now: from old to new
    settle_signs(new_rot)
    far = 0.0
    if begin >= 0:
        far = np.sqrt((new[end, 0] - old[begin, 0]) ** 2 + (new[end, 2] - old[begin, 2]) ** 2)
    for n in range(len(old)):
        u = progress(foot, n + 1.0)
        up, over = eased(u), eased((u - first) / (last - first))
        for c in range(3):
            old[n, c] += (up if c == 1 else over) * (new[n, c] - old[n, c])
        put(old_rot[n], multiply(quaternion(old_rot[n]), share(quaternion(new_rot[n]), up)))
    if begin < 0:
        return
    swing_s = (foot[LAND] - foot[LIFT]) / fps
    clear = min(STEP_CLEAR_M + STEP_CLEAR_OF_STEP * far, STEP_CLEAR_MOST_M) * min(1.0, far / STEP_CLEAR_FROM_M)
    clear = min(clear, STEP_CLEAR_CALM_M) if calm > 1.0 else clear
    clear = min(clear, STEP_RISE_M_S2 / HUMP_M_S2 * swing_s * swing_s)
    short, low, high = 0.0, old[begin, 1], old[end, 1]
    for n in range(begin, end + 1):
        u = progress(foot, n + 1.0)
        hump = humped(u)
        if hump > MIDDLE:
            short = max(short, (clear * hump - (old[n, 1] - low - eased(u) * (high - low))) / hump)
    if short > 0.0:
        lift_toes(foot, short, toward, old, old_rot)


@part
def lift_toes(foot: Any, short: float, toward: Any, ball: Any, rot: Any) -> None:
    """A step raised by what it is short of, heel first."""
    for n in range(len(ball)):
        u = progress(foot, n + 1.0)
        hump = humped(u)
        ball[n, 1] += short * hump
        tip = JOIN_TIPTOE_RAD * min(1.0, short / JOIN_TIPTOE_M) * hump * (1.0 - u) * foot[LOW_START]
        ahead = rotate(quaternion(rot[n]), vector(toward))
        side = (tip * ahead[2], 0.0, -tip * ahead[0])  # up x ahead: turning about it lowers the toes
        half = 0.5 * length(side)
        scale = 0.5 if half < 1e-12 else 0.5 * np.sin(half) / half
        put(rot[n], multiply((np.cos(half), scale * side[0], 0.0, scale * side[2]), quaternion(rot[n])))


@kernel
def lead_foot(plan: Any, side: int, ball: Any, rot: Any) -> None:
    """Ball (K, 3) and rotation (K, 4) of one foot in the frames after the departure."""
    new, new_rot, foot = np.empty((len(ball), 3)), np.empty((len(ball), 4)), plan.feet[side]
    sample_both(plan, side, ball, rot, new, new_rot)
    if foot[HELD] > 0.0:
        hold(foot, plan.span, plan.fps, ball, rot, new, new_rot)
    else:
        step(foot, plan.fps, plan.calm, plan.toward[side], ball, rot, new, new_rot)


@part
def aim_ankle(plan: Any, side: int, leg: Any, own: Any, ball: Any, rot: Any, ankle: Any, turn: Any) -> None:
    """Where one ankle should be, (K, 3), and how its foot is turned, (K, 4), from the ball's way and the foot's; leg
    (K, 3, 3) and own (K, 4) as the poses have it."""
    foot = plan.feet[side]
    for n in range(len(ball)):
        if n + 1 >= foot[LAND] and n + 1 >= plan.span:
            for c in range(3):
                ankle[n, c] = leg[n, 2, c]
            put(turn[n], (1.0, 0.0, 0.0, 0.0))
            continue
        carried = rotate(quaternion(rot[n]), vector(plan.ball_at[side]))
        for c in range(3):
            ankle[n, c] = ball[n, c] - carried[c]
        put(turn[n], multiply(quaternion(rot[n]), conjugate(quaternion(own[n]))))


@kernel
def aim_feet(plan: Any, places: Any, feet: Any, ankle: Any, turn: Any, centers: Any, radii: Any) -> None:
    """Where ankles should be in poses (K,) after the departure, and where the pelvis may be for them; places and feet
    of the legs as legs_of has them. Written are ankle (K, 2, 3), turn (K, 2, 4), centers (K, 2, 3), radii (K, 2)."""
    count = len(places)
    ball, rot = np.empty((count, 3)), np.empty((count, 4))
    for side in range(2):
        foot = plan.feet[side]
        lead_foot(plan, side, ball, rot)
        aim_ankle(plan, side, places[:, side], feet[:, side], ball, rot, ankle[:, side], turn[:, side])
        for n in range(count):
            free = foot[LIFT] < n + 1 < foot[LAND]
            radii[n, side] = soft_reach(places[n, side], ankle[n, side], free, progress(foot, n + 1.0))
            for c in range(3):
                centers[n, side, c] = ankle[n, side, c] - places[n, side, 0, c]


@kernel
def settle_body(plan: Any, whole: bool, places: Any, move: Any, ankle: Any) -> None:
    """The pelvis's moves (K, 3) eased in and out, and ankles (K, 2, 3) drawn in to what legs do, in place."""
    count, settling = len(move), JOIN_SETTLE_S * plan.fps
    for n in range(count):
        share_ = eased((n + 1.0) / settling) * (1.0 if whole else eased((count - n) / settling))
        for c in range(3):
            move[n, c] *= share_
        for side in range(2):
            foot = plan.feet[side]
            free = foot[LIFT] < n + 1 < foot[LAND]
            drawn = drawn_in(places[n, side], ankle[n, side], move[n], free, progress(foot, n + 1.0))
            ankle[n, side, 0], ankle[n, side, 1], ankle[n, side, 2] = drawn
