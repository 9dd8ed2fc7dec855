"""Foot lock of live characters: what stands stays where it landed, frame by frame, with no look at what comes.

Of a foot in contact the lowest of heel, ball and tip is held; when another becomes the lowest, the hold passes on to it
where it is. A landing foot is held where it lands and settles onto the ground; one that lands in flight is braked. A
leaving one carries its offset on, velocity and all, and loses it in the swing as a critically damped spring does. What
is held far from its motion is drawn along, softly. The pelvis moves the least that lets the held feet be reached; a
foot begins to count for it shortly before it lands. Poses and contacts need not agree (blends, switches, captures):
no foot is stopped, passed on or let go faster than a leg can follow, or knees would be thrown. The readable twin is
`footfall_lab.oracles.plain_frame`; legs are bent as in `feet.leg_kernels`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import part
from footfall.core.rotation_kernels import add_scaled, dot, minus, multiply, rotate
from footfall.feet.leg_kernels import FREE, SOFT_FROM, _between, _least_move, _place

EASE_S = 0.12  # a foot begins to count for the pelvis this long before it lands, and ceases this long after it leaves
FADE_S = 0.05  # time constant of what is left of a hold, in the swing
SETTLE_S = 0.03  # time constant of a landed foot's height
LIFT_S = 0.15  # time constant of the body's height over the ground
SHIFT_S = 0.025  # time constant of the pelvis
LOW_M = 0.03  # over where it stands: a foot whose pose is dying away is on the floor from here on
LOWER_M = 0.004  # a hold passes on to a point that is lower by this much
WRONG_M = 0.012  # over the lowest: what is so high and said to be down is not what stands
FASTEST = 3.0  # m/s: with which an offset may go on when its foot leaves
BRAKE = 50.0  # m/s²: with which a foot that lands in flight comes to rest
STOP = 40.0  # m/s²: with which a falling one is stopped at the ground
RISE_M_S = 1.0  # with which a swinging foot is kept out of the ground
BACKWARD = 0.3  # thighs: a knee farther behind the line of its leg is meant
ASKEW = 0.1  # of the foot's length, squared, across the leg's line: less does not say where ahead is
NEAR_M, FAR_M = 0.12, 0.25  # feet are held exactly up to the first from their motion, and never farther than the second


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
            if point[1] - standing[side, which] > LOW_M:
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
    if low > heights[lowest] + WRONG_M:
        best, low = lowest, heights[lowest]
        return current if current >= 0 and heights[current] <= low + LOWER_M else best
    stays = current >= 0 and down[0 if current == 0 else 1]
    return current if stays and heights[current] <= low + LOWER_M else best


@part
def hold_one(points: Any, heights: Any, ground: float, down: Any, hold: int, held: Any, offset: Any, speed: Any,
             slip: Any, was: Any, dt: float) -> int:  # fmt: skip
    """One foot's offset, in place: points (3) of its sole as animated, heights (3) of them over where they stand.

    Places are relative to the character; ground: that of the floor over the body's own.
    """
    chosen = choose(heights, down, hold)
    if hold < 0 or chosen < 0:
        fade(offset, speed, (0.0, ground, 0.0), dt, FADE_S)
    if chosen < 0:
        up = sinks(points, heights, ground, offset[1], was, dt)
        if up > 0.0:
            offset[1] += up
            speed[1] = max(speed[1], 0.0)
    else:
        point = points[chosen]
        if chosen != hold:
            for i in range(3):
                now = offset[i] if hold < 0 or i == 1 else held[i] - points[hold][i]
                held[i] = point[i] + now
                gone = held[i] - was[chosen, i]
                slip[i] = gone / dt if dt > 0.0 and gone == gone else 0.0  # NaN: there was no frame before
        else:
            brake(held, slip, dt)
        settle(held, slip, heights[chosen] + held[1] - point[1] - ground, dt)
        out = near(held[0] - point[0], held[2] - point[2])
        for i in range(3):
            new = (held[i] - point[i]) * (1.0 if i == 1 else out)
            if dt > 0.0:
                speed[i] = min(max((new - offset[i]) / dt, -FASTEST), FASTEST)
            offset[i] = new
    for k in range(3):
        for i in range(3):
            was[k, i] = points[k][i] + offset[i]
    return chosen


@part
def sinks(points: Any, heights: Any, ground: float, offset: float, was: Any, dt: float) -> float:
    """How far a swinging foot must be raised: it comes down no faster than it could be stopped at the ground."""
    most = 0.0
    for k in range(3):
        now, before = heights[k] + offset - ground, was[k, 1] - points[k][1] + heights[k] - ground
        if now >= 0.0 and now >= before:
            continue
        if before >= 0.0:
            least = max(before - dt * np.sqrt(2.0 * STOP * before), 0.0)
        elif before < 0.0:
            least = min(before + RISE_M_S * dt, 0.0)
        else:  # NaN: there was no frame before
            least = 0.0
        most = max(most, least - now)
    return most


@part
def brake(held: Any, slip: Any, dt: float) -> None:
    """A foot that was held while it moved comes to rest: its place and speed over the floor, in place."""
    speed = np.sqrt(slip[0] * slip[0] + slip[2] * slip[2])
    left = max(speed - BRAKE * dt, 0.0) / max(speed, 1e-9)
    slip[0], slip[2] = left * slip[0], left * slip[2]
    held[0], held[2] = held[0] + slip[0] * dt, held[2] + slip[2] * dt


@part
def settle(held: Any, slip: Any, high: float, dt: float) -> None:
    """A landed foot goes on to the ground as a critically damped spring does, and not through it."""
    k = 1.0 / SETTLE_S
    v = max(slip[1], -k * high) if high > 0.0 else min(max(slip[1], 0.0), -k * high)
    j = (v + k * high) * dt
    e = np.exp(-k * dt)
    held[1] += (high + j) * e - high
    slip[1] = (v - k * j) * e


@part
def near(x: float, z: float) -> float:
    """What of an offset is taken: all of a near one, less and less of one that goes on growing."""
    far = np.sqrt(x * x + z * z)
    if far <= NEAR_M:
        return 1.0
    room = FAR_M - NEAR_M
    return (NEAR_M - room * np.expm1(-(far - NEAR_M) / room)) / far


@part
def leg_of(world: Any, parents: Any, legs: Any, side: int) -> Any:
    """One leg as `foot_lock` takes it: hip, knee, ankle, the rotations of what carries each, and their own."""
    hip, knee, ankle = legs[side, 0], legs[side, 1], legs[side, 2]
    return (
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
def reach_of(leg: Any, grip: float) -> float:
    """How far a hip may be from where its ankle should be."""
    thigh, shin, line = (
        minus(leg[1], leg[0]),
        minus(leg[2], leg[1]),
        minus(leg[2], leg[0]),
    )
    length = np.sqrt(dot(thigh, thigh)) + np.sqrt(dot(shin, shin))
    return min(max(SOFT_FROM * length, np.sqrt(dot(line, line))), length) + FREE * length * (1.0 - grip)


@part
def knee_ahead(leg: Any, ahead: Any) -> Any:
    """The leg with its knee on the side of the toes: one bent backward a little, as poses that die away can be, is
    mirrored. Drawn to its place it would flip from one side to the other."""
    hip, knee, ankle = leg[0], leg[1], leg[2]
    thigh, line = minus(knee, hip), minus(ankle, hip)
    size = max(dot(line, line), 1e-12)
    along = dot(thigh, line)
    behind = dot(thigh, ahead) - along * dot(ahead, line) / size
    if behind >= 0.0:
        return leg
    hint = add_scaled(ahead, line, -dot(ahead, line) / size)
    far, long = dot(thigh, thigh), max(dot(hint, hint), 1e-12)
    if long < ASKEW * dot(ahead, ahead) or far - along * along / size > BACKWARD**2 * far:
        return leg
    new = add_scaled(knee, hint, -2.0 * behind / long)
    upper, lower = (
        _between(thigh, minus(new, hip)),
        _between(minus(ankle, knee), minus(ankle, new)),
    )
    return (hip, new, ankle, leg[3], multiply(upper, leg[4]), multiply(lower, leg[5]), multiply(upper, leg[6]),
            multiply(lower, leg[7]), leg[8])  # fmt: skip


@part
def bend_legs(rot: Any, world: Any, parents: Any, legs: Any, ball: Any, offset: Any, grip: Any, shift: Any,
              at: Any, dt: float) -> Any:  # fmt: skip
    """Rotations (1, J, 4) of both legs, in place, with ankles moved by offsets (2, 3); what the pelvis moves by.

    It follows the least move that lets feet reach, as a critically damped spring does; what it lags behind is within
    what a leg has left before it is straight.
    """
    first, second = np.int64(0), np.int64(1)  # as literals they would be types of their own, and all compiled twice
    left, right = leg_of(world, parents, legs, first), leg_of(world, parents, legs, second)
    left = knee_ahead(left, rotate(left[8], (ball[0, 1, 0], ball[0, 1, 1], ball[0, 1, 2])))
    right = knee_ahead(right, rotate(right[8], (ball[1, 1, 0], ball[1, 1, 1], ball[1, 1, 2])))
    t0 = add_scaled(left[2], (offset[0, 0], offset[0, 1], offset[0, 2]), 1.0)
    t1 = add_scaled(right[2], (offset[1, 0], offset[1, 1], offset[1, 2]), 1.0)
    r0, r1 = reach_of(left, eased(grip[0])), reach_of(right, eased(grip[1]))
    least = _least_move(minus(t0, left[0]), minus(t1, right[0]), r0, r1)
    fade(shift[0], shift[1], least, dt, SHIFT_S)
    move = (shift[0, 0], shift[0, 1], shift[0, 2])
    one = (1.0, 0.0, 0.0, 0.0)
    p0, p1 = (ball[0, 1, 0], ball[0, 1, 1], ball[0, 1, 2]), (ball[1, 1, 0], ball[1, 1, 1], ball[1, 1, 2])
    _place(rot, first, legs, at, first, left, move, t0, one, rotate(left[8], p0))
    _place(rot, first, legs, at, second, right, move, t1, one, rotate(right[8], p1))
    return move
