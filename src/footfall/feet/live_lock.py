"""Foot lock of live characters: a standing foot stays where it landed, frame by frame, without looking ahead.

Of a foot in contact the lowest of heel, ball and tip is held; when another becomes the lowest, the hold passes on to it
where it is. A landing foot is held where it lands and settles onto the ground; one that lands in flight is braked. A
leaving one carries its offset on, velocity and all, and loses it in the swing as a critically damped spring does. No
part of a sole sinks: a foot that would is raised, whatever it is held by. What
is held far from its motion is drawn along, softly. The pelvis moves the least that lets the held feet be reached; a
foot begins to count for it shortly before it lands. Poses and contacts need not agree (blends, switches, captures):
no foot is stopped, passed on or let go faster than a leg can follow, or knees would jump. The readable twin is
`footfall_lab.oracles.plain_frame`; legs are bent by `feet.leg_kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import inlined, part
from footfall.core.rotation_kernels import add_scaled, dot, minus, multiply, rotate
from footfall.feet.leg_kernels import ONE, LegGoal, LegPose, leg_reach, place_leg, shortest_turn
from footfall.feet.limits import (
    LIVE_ASKEW,
    LIVE_BACKWARDS,
    LIVE_BRAKE_M_S2,
    LIVE_FADE_S,
    LIVE_FASTEST_M_S,
    LIVE_KNEE_ASIDE,
    LIVE_KNEE_LOW_M,
    LIVE_KNEE_RAD_S2,
    LIVE_LOW_M,
    LIVE_LOWER_M,
    LIVE_RISE_M_S,
    LIVE_SETTLE_S,
    LIVE_SHIFT_S,
    LIVE_SLAP_M_S2,
    LIVE_STOP_M_S2,
    LIVE_SUNK_M,
    LIVE_WRONG_M,
)
from footfall.feet.live_knee import AS_ASKED, knee_in_time, knee_pole, note_side
from footfall.feet.pelvis_reach import least_move


class FootHold(NamedTuple):
    """What is remembered of one foot from frame to frame; arrays are changed in place."""

    held: Any  # (3,) where the point that is held stands
    offset: Any  # (3,) what is added to the ankle
    speed: Any  # (3,) of the offset, m/s
    slip: Any  # (3,) speed with which the held place still moves, m/s
    was: Any  # (3, 3) where heel, ball and tip were a frame ago; NaN where there was none


class Soles(NamedTuple):
    """Where a foot's heel, ball and tip are as animated, and how high over where they stand."""

    points: Any  # three places (3,)
    heights: Any  # three numbers
    ground: float  # height of the floor under the foot over the body's own


class HoldLimits(NamedTuple):
    """How far, in metres, feet are held from their motion."""

    near: float  # exactly, up to here
    far: float  # none is held beyond this
    sunk: float  # a sole that does not stand may be so deep in the ground


class LegJoints(NamedTuple):
    """What of a body its legs are bent by."""

    parents: Any  # (J,) of all joints
    legs: Any  # (2, 3) hip, knee and ankle of left and right
    sole: Any  # (2, 3, 3) heel, ball and tip in the frames of their joints


@part
def contacts(spans: Any, t: float, is_loop: bool, ahead: float, down: Any) -> Any:
    """Which of heel and toe are down at generic time t, down (2, 2); 1.0 for a foot that is, or is about to be."""
    count = len(spans) // 8
    laps = 1 if is_loop else 0
    soon_left = soon_right = 0.0
    for side in range(2):
        for which in range(2):
            now = False
            for s in range(count):
                at = ((2 * side + which) * count + s) * 2
                start, end = spans[at], spans[at + 1]
                for lap in range(-laps, laps + 1):
                    if t + lap <= end:
                        now = now or t + lap >= start
                        if t + lap >= start - ahead:
                            if side == 0:
                                soon_left = 1.0
                            else:
                                soon_right = 1.0
            down[side, which] = now
    return soon_left, soon_right


@part
def point_of(world: Any, joint: int, local: Any) -> Any:
    """Where a point in a joint's frame is; world (J, 8): rotation, place."""
    w, p = world[joint], (np.float64(world[joint, 4]), np.float64(world[joint, 5]), np.float64(world[joint, 6]))
    q = (np.float64(w[0]), np.float64(w[1]), np.float64(w[2]), np.float64(w[3]))
    return add_scaled(p, rotate(q, (local[0], local[1], local[2])), 1.0)


@part
def only_low(sole_joints: Any, sole: Any, standing: Any, world: Any, down: Any) -> None:
    """Take parts of feet that are in the air for not down, down (2, 2) heel, toe of left, right."""
    for side in range(2):
        for which in range(2):
            point = point_of(world, sole_joints[side, which], sole[side, which])
            if point[1] - standing[side, which] > LIVE_LOW_M:
                down[side, which] = False


@part
def fade(offset: Any, speed: Any, goal: Any, dt: float, time_s: float) -> None:
    """A critically damped spring's step (in place, exact) of an offset (3,) and its speed to a goal."""
    k = 1.0 / time_s
    e = np.exp(-k * dt)
    for i in range(3):
        x, v = offset[i] - goal[i], speed[i]
        j = (v + k * x) * dt
        offset[i], speed[i] = goal[i] + (x + j) * e, (v - k * j) * e


@part
def choose(heights: Any, down: Any, current: int) -> int:
    """Which of heel, ball and tip is held: the lowest of those down, but the current one unless clearly lower.

    Where what is said to be down is far over what is not, the pose is another than that of its contacts (a blend, a
    pose that dies away), and the lowest stands.
    """
    best, low, lowest = -1, 0.0, 0
    for k in range(3):
        if heights[k] < heights[lowest]:
            lowest = k
        if down[0 if k == 0 else 1] and (best < 0 or heights[k] < low):
            best, low = k, heights[k]
    if best < 0:
        return -1
    if low > heights[lowest] + LIVE_WRONG_M:
        best, low = lowest, heights[lowest]
        return current if current >= 0 and heights[current] <= low + LIVE_LOWER_M else best
    stays = current >= 0 and down[0 if current == 0 else 1]
    return current if stays and heights[current] <= low + LIVE_LOWER_M else best


@part
def hold_one(sole: Any, down: Any, chosen_before: int, hold: Any, may: Any, dt: float) -> int:
    """One foot's FootHold a frame later, in place; which of heel, ball and tip is held now, -1 for none.

    sole: its Soles; down (2,): heel and toe; may: its HoldLimits. Places are relative to the character.
    """
    points, heights, ground = sole.points, sole.heights, sole.ground
    held, offset, speed, slip, was = hold.held, hold.offset, hold.speed, hold.slip, hold.was
    shown = was[0, 0] == was[0, 0]  # NaN: there was no frame before
    chosen = chosen_before if dt == 0.0 and shown else choose(heights, down, chosen_before)  # no time, no landing
    if chosen_before < 0 or chosen < 0:
        fade(offset, speed, (0.0, ground, 0.0), dt, LIVE_FADE_S)
    if chosen < 0:
        up = sinks(sole, ground - may.sunk, offset[1], was, (dt, LIVE_STOP_M_S2))
        if up > 0.0:
            offset[1] += up
            speed[1] = max(speed[1], 0.0)
    else:
        ball, ball_before = min(chosen, 1), min(chosen_before, 1)  # over the floor, toes are held by their ball
        point = (points[ball][0], points[chosen][1], points[ball][2])
        if chosen_before >= 0:
            brake(held, slip, dt)
        for i in range(3):
            k, before = (chosen, chosen_before) if i == 1 else (ball, ball_before)
            if k != before:
                held[i] = point[i] + (offset[i] if before < 0 or i == 1 else held[i] - points[before][i])
                gone = held[i] - was[k, i]
                slip[i] = gone / dt if dt > 0.0 and gone == gone else 0.0  # NaN: there was no frame before
        settle(held, slip, heights[chosen] + held[1] - point[1] - ground, dt)
        up = sinks(sole, ground - LIVE_SUNK_M, held[1] - point[1], was, (dt, LIVE_SLAP_M_S2))
        if up > 0.0:
            held[1] += up
            slip[1] = max(slip[1], 0.0)
        out = near(held[0] - point[0], held[2] - point[2], may)
        for i in range(3):
            new = (held[i] - point[i]) * (1.0 if i == 1 else out)
            if dt > 0.0:
                speed[i] = min(max((new - offset[i]) / dt, -LIVE_FASTEST_M_S), LIVE_FASTEST_M_S)
            offset[i] = new
    for k in range(3):
        for i in range(3):
            was[k, i] = points[k][i] + offset[i]
    return chosen


@part
def sinks(sole: Any, floor: float, offset: float, was: Any, stop: Any) -> float:
    """How far a foot must be raised: its sole comes down no faster than it could be stopped at a floor.

    stop: seconds since the last frame, and m/s² with which it is stopped.
    """
    most, points, heights = 0.0, sole.points, sole.heights
    for k in range(3):
        now, before = heights[k] + offset - floor, was[k, 1] - points[k][1] + heights[k] - floor
        if now >= 0.0 and now >= before:
            continue
        if before >= 0.0:
            least = max(before - stop[0] * np.sqrt(2.0 * stop[1] * before), 0.0)
        elif before < 0.0:
            least = min(before + LIVE_RISE_M_S * stop[0], 0.0)
        else:  # NaN: there was no frame before
            least = 0.0
        most = max(most, least - now)
    return most


@part
def brake(held: Any, slip: Any, dt: float) -> None:
    """A foot that was held while it moved comes to rest: its place and speed over the floor, in place."""
    speed = np.sqrt(slip[0] * slip[0] + slip[2] * slip[2])
    left = max(speed - LIVE_BRAKE_M_S2 * dt, 0.0) / max(speed, 1e-9)
    slip[0], slip[2] = left * slip[0], left * slip[2]
    held[0], held[2] = held[0] + slip[0] * dt, held[2] + slip[2] * dt


@part
def settle(held: Any, slip: Any, high: float, dt: float) -> None:
    """A landed foot goes on to the ground as a critically damped spring does, and not through it."""
    k = 1.0 / LIVE_SETTLE_S
    v = max(slip[1], -k * high) if high > 0.0 else min(max(slip[1], 0.0), -k * high)
    j = (v + k * high) * dt
    e = np.exp(-k * dt)
    held[1] += (high + j) * e - high
    slip[1] = (v - k * j) * e


@part
def near(x: float, z: float, may: Any) -> float:
    """What of an offset is taken: all of a near one, less and less of one that goes on growing; may: HoldLimits."""
    far = np.sqrt(x * x + z * z)
    if far <= may.near:
        return 1.0
    room = may.far - may.near
    return float((may.near - room * np.expm1(-(far - may.near) / room)) / far)


@part
def leg_of(world: Any, parents: Any, joints: Any) -> Any:
    """The LegPose of hip, knee and ankle (3,); world (J, 8): rotation, place."""
    hip, knee, ankle = joints[0], joints[1], joints[2]
    return LegPose(
        _spot(world, hip),
        _spot(world, knee),
        _spot(world, ankle),
        _spin(world, parents[hip]),
        _spin(world, parents[knee]),
        _spin(world, parents[ankle]),
        _spin(world, hip),
        _spin(world, knee),
        _spin(world, ankle),
    )


@part
def _spot(world: Any, j: int) -> Any:
    return np.float64(world[j, 4]), np.float64(world[j, 5]), np.float64(world[j, 6])


@part
def _spin(world: Any, j: int) -> Any:
    if j < 0:
        return 1.0, 0.0, 0.0, 0.0
    return np.float64(world[j, 0]), np.float64(world[j, 1]), np.float64(world[j, 2]), np.float64(world[j, 3])


@part
def eased(u: float) -> float:
    """As core.easing.ease, for u in [0, 1]."""
    return u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)


@part
def knee_ahead(leg: Any, ahead: Any) -> Any:
    """The leg with its knee on the side of the toes.

    A knee that is bent backward a little, as in poses that die away, is mirrored: drawn to its place it would flip from
    one side to the other.
    """
    thigh, line = minus(leg.knee, leg.hip), minus(leg.ankle, leg.hip)
    size = max(dot(line, line), 1e-12)
    along, toes = dot(thigh, line), dot(ahead, line)
    behind = dot(thigh, ahead) * size - along * toes
    if behind >= 0.0:
        return leg
    behind /= size
    hint = add_scaled(ahead, line, -toes / size)
    far, long = dot(thigh, thigh), max(dot(hint, hint), 1e-12)
    if long < LIVE_ASKEW * dot(ahead, ahead) or far - along * along / size > LIVE_BACKWARDS**2 * far:
        return leg
    new = add_scaled(leg.knee, hint, -2.0 * behind / long)
    upper = shortest_turn(thigh, minus(new, leg.hip))
    lower = shortest_turn(minus(leg.ankle, leg.knee), minus(leg.ankle, new))
    over = leg.over_hip, multiply(upper, leg.over_knee), multiply(lower, leg.over_ankle)
    turns = multiply(upper, leg.hip_turn), multiply(lower, leg.knee_turn), leg.ankle_turn
    return LegPose(leg.hip, new, leg.ankle, over[0], over[1], over[2], turns[0], turns[1], turns[2])


@inlined
def bend_legs(rot: Any, world: Any, body: Any, offset: Any, grip: Any, shift: Any, knees: Any, dt: float) -> Any:
    """Rotations (J, 4) of both legs, in place, with ankles moved by offsets (2, 3); what the pelvis moves by.

    body: LegJoints. shift (2, 3), the pelvis's move and speed, follows the least move that lets feet reach as a
    critically damped spring does; what it lags behind is within what a leg has left before it is straight. knees
    (2, 6): as `live_knee` has them.
    """
    first, second = np.int64(0), np.int64(1)  # as literals they would be types of their own, and all compiled twice
    left, toes0 = leg_ahead(world, body, first)
    right, toes1 = leg_ahead(world, body, second)
    t0 = add_scaled(left.ankle, (offset[0, 0], offset[0, 1], offset[0, 2]), 1.0)
    t1 = add_scaled(right.ankle, (offset[1, 0], offset[1, 1], offset[1, 2]), 1.0)
    r0, r1 = leg_reach(left, eased(grip[0])), leg_reach(right, eased(grip[1]))
    fade(shift[0], shift[1], least_move(minus(t0, left.hip), minus(t1, right.hip), r0, r1), dt, LIVE_SHIFT_S)
    move = (shift[0, 0], shift[0, 1], shift[0, 2])
    may = (LIVE_KNEE_LOW_M, LIVE_KNEE_RAD_S2, LIVE_KNEE_ASIDE)
    t0 = knee_in_time(left, t0, move, knees[0], may, dt)
    t1 = knee_in_time(right, t1, move, knees[1], may, dt)
    pole0, pole1 = knee_pole(left, toes0, knees[0], dt), knee_pole(right, toes1, knees[1], dt)
    place_leg(rot, body.legs[0], left, LegGoal(move, t0, ONE, pole0, AS_ASKED))
    place_leg(rot, body.legs[1], right, LegGoal(move, t1, ONE, pole1, AS_ASKED))
    return move


@part
def note_sides(body: Any, world: Any, knees: Any) -> None:
    """Where both knees of a pose as made point, into knees (2, 6); world (J, 8): rotation, place."""
    for side in range(2):
        note_side(leg_of(world, body.parents, body.legs[side]), knees[side])


@part
def leg_ahead(world: Any, body: Any, side: int) -> Any:
    """One leg with its knee on the side of the toes, and where those point."""
    leg, ball = leg_of(world, body.parents, body.legs[side]), body.sole[side, 1]
    toes = rotate(leg.ankle_turn, (ball[0], ball[1], ball[2]))
    return knee_ahead(leg, toes), toes
