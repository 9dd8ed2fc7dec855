"""Ground place: where feet and body of a live character are on a ground, by the planes its feet go between."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import inlined, part
from footfall.core.rotation_kernels import minus, rotate
from footfall.feet.limits import (
    GROUND_RISE_M,
    LIVE_GROUND_BENT_M,
    LIVE_GROUND_BODY_S,
    LIVE_GROUND_CLOSE_S,
    LIVE_GROUND_DEEP_M,
    LIVE_GROUND_FORESEE_S,
    LIVE_GROUND_KNEE_LATE_M,
    LIVE_GROUND_KNEE_LOW_M,
    LIVE_GROUND_KNEE_STEPS_RAD_S2,
    LIVE_GROUND_LIFT_M_S2,
    LIVE_GROUND_LOW,
    LIVE_GROUND_OVER_M,
    LIVE_GROUND_ROUND_M,
    LIVE_GROUND_SOON_S,
    LIVE_GROUND_UNEVEN,
    LIVE_KNEE_RAD_S2,
    LIVE_RISE_M_S,
)
from footfall.feet.live_ground import (
    FLAT_X,
    FLAT_Z,
    SLOPE_X,
    SLOPE_Z,
    X,
    Z,
    bump,
    on_plane,
    swung,
    tilt,
)
from footfall.feet.live_lock import eased, point_of
from footfall.kinematics.ground_kernels import has_edges, height_at
from footfall.live.ground_state import BODY, BUMP, LEAD, REST, SETTLE, TIMES_S, UP

OUT_M = 0.01  # metres between places that a foot in the side of a step is moved to. By eye
HALVINGS = 4  # of OUT_M, to which the way out of a step is found: a foot before its side does not tremble. By eye
SIDE_M = 0.025  # metres: a point that is deeper in the ground than this is in the side of a step. By eye
SUNK_M = 0.003  # metres that a motion itself may have a standing sole in the floor. By eye
STRAYS_M, STRAYS_S = 0.03, 0.05  # metres by which a swing strays from what is foreseen; less this soon before it lands
TURNS_S = 0.08  # seconds that a foot which turns as it stands is led on in thought. By eye
STANCE_OUT_M_S = 0.4  # m/s with which a standing foot is moved out of the side of a step. By eye
AHEAD_M = 0.005  # metres before the side of a step at which that begins: who drifts there is not jerked back. By eye

LED_M_S = (
    1.0  # m/s up or down at which a body is led, at most: what is faster is a foot that lands off its plan. By eye
)


@part
def now_at(own: Any, n: int, at: Any, side: int, u: float) -> Any:
    """Where the middle of a sole at x, z of the level floor is on the ground as planned (3), and its slope (2)."""
    return planned_at(own, n, at, side, u, own.bump[n, side, 0])


@part
def planned_at(own: Any, n: int, at: Any, side: int, u: float, high: float) -> Any:
    """As `now_at`, for a swing that is raised by as much half-way."""
    start, goal = own.start[n, side], own.goal[n, side]
    b = on_plane(goal, at[0], at[1])
    if not own.flies[n, side]:
        return b[0], b[1], b[2], goal[SLOPE_X], goal[SLOPE_Z]
    a, turn = on_plane(start, at[0], at[1]), eased(u)
    across, up, ahead = swung(start, goal, at, u, own.power[n, side])
    y = a[1] + up * (b[1] - a[1]) + high * bump(across)
    x = a[0] + across * (b[0] - a[0]) + ahead * (goal[X] - start[X])
    z = a[2] + across * (b[2] - a[2]) + ahead * (goal[Z] - start[Z])
    return (x, y, z, start[SLOPE_X] + turn * (goal[SLOPE_X] - start[SLOPE_X]),
            start[SLOPE_Z] + turn * (goal[SLOPE_Z] - start[SLOPE_Z]))  # fmt: skip


@inlined
def put_foot(handle: Any, n: int, ground: Any, given: Any, sole: Any, side: int, dt: float) -> Any:
    """Where a foot's ankle is to be as seen from over the carrier, its turn, grip and what its knee may do."""
    rows, body, world, own, keeps = handle.rows, handle.tables.body, handle.room.world, given.rows, given.keeps
    if own.flies[n, side]:
        spring(own.bump[n, side], own.bump[n, side, 2], dt, keeps, BUMP)
    rest = own.rest[n, side]
    plan = now_at(own, n, (sole[0], sole[1]), side, own.gone[n, side])
    place = (plan[0] + rest[0, 0], plan[1] + rest[0, 1], plan[2] + rest[0, 2])
    turn = tilt(plan[3] + rest[0, 3], plan[4] + rest[0, 4])
    offset = rows.offset[n, side]  # of the foot as it is held; the pose is as animated
    middle = (sole[0] - rows.root[n, 0] - offset[0], -offset[1], sole[1] - rows.root[n, 1] - offset[2])
    up, back = own.up[n, side], own.back[n, side]
    for i in range(2):
        spring(back[i], 0.0, dt, keeps, UP)
    place = (place[0] + back[0, 0], place[1], place[2] + back[1, 0])
    clear = 0.0
    aside = has_edges(ground) and abs(rest[0, 0]) + abs(rest[0, 2]) > 0.002  # it is still being set back
    if not own.flies[n, side] and has_edges(ground):
        drawn = np.sqrt((place[0] - own.last[n, side, 0]) ** 2 + (place[2] - own.last[n, side, 1]) ** 2)
        most = STANCE_OUT_M_S * dt
        if not aside:  # who is drawn along by its motion stops before a step
            most = max(most, drawn)
        place = stay_out(ground, own.goal[n, side], own.ends[n, side, 2], sole, place, (most, dt))
    if own.flies[n, side] or abs(rest[0, 1]) > 0.001 or aside:
        place, clear = keep_out(handle, n, ground, given, (sole, side), (place, turn, middle), dt)
    else:
        sunk = -sole[6] - offset[1]  # of the sole's lowest point, on the level floor: what no ground has to tell
        spring(up, max(sunk - SUNK_M, 0.0), dt, keeps, SETTLE)
    own.was[n, side, 0], own.was[n, side, 1] = sole[0], sole[1]
    own.last[n, side, 0], own.last[n, side, 1] = place[0], place[2]
    ankle = (np.float64(world[body.legs[side, 2], 4]), np.float64(world[body.legs[side, 2], 5]),
             np.float64(world[body.legs[side, 2], 6]))  # fmt: skip
    arm = rotate(turn, minus(ankle, middle))
    target = (place[0] - rows.root[n, 0] + arm[0], place[1] + up[0] + arm[1], place[2] - rows.root[n, 1] + arm[2])
    if not has_edges(ground):
        return target, turn, rows.grip[n, side], (max(LIVE_GROUND_KNEE_LOW_M, clear), LIVE_KNEE_RAD_S2, 0.0)
    low = LIVE_GROUND_KNEE_LATE_M if own.flies[n, side] else LIVE_GROUND_KNEE_LOW_M
    return target, turn, rows.grip[n, side], (low, LIVE_GROUND_KNEE_STEPS_RAD_S2, 0.0)


@part
def keep_out(handle: Any, n: int, ground: Any, given: Any, foot: Any, at: Any, dt: float) -> Any:
    """Raise a foot that swings, or has just landed, out of the ground and over the edges it comes to; its place (3,),
    moved back where its sole is in the side of a step, and metres that its lowest point is over the ground.

    foot: its sole and side. at: its place, its turn, and the middle of its sole in the pose.
    """
    body, world, own, keeps = handle.tables.body, handle.room.world, given.rows, given.keeps
    (sole, side), (place, turn, middle) = foot, at
    up, flies = own.up[n, side], own.flies[n, side]
    speed, now, out, pull, lowest, move = (0.0, 0.0), 0.0, 0.0, 0.0, np.inf, (0.0, 0.0)
    if dt > 0.0 and flies:
        ahead = LIVE_GROUND_SOON_S / dt
        speed = (place[0] - own.last[n, side, 0]) * ahead, (place[2] - own.last[n, side, 1]) * ahead
    foresees = flies and dt > 0.0 and has_edges(ground)
    for k in range(3):
        point = rotate(turn, minus(point_of(world, body.sole_joints[side, k], body.sole[side, k]), middle))
        point = (point[0], point[1] - body.standing[side, k], point[2])
        spot = (place[0] + point[0], place[1] + point[1], place[2] + point[2])
        deep = height_at(ground, spot[0], spot[2], place[1]) - spot[1]
        lowest = min(lowest, -deep)
        if deep - up[0] > SIDE_M:  # in the side of a step
            by = out_of_side(ground, spot, (sole[2], sole[3]), -1.0 if k > 0 else 1.0, up[0])
            if by[0] != 0.0 or by[1] != 0.0:
                move, deep = by, 0.0
        if now < deep < GROUND_RISE_M:  # what is higher is a wall
            now = deep
        if foresees:
            soon, asked = foresee(ground, own, n, (sole, side, k), (place, point), dt)
            out, pull = max(out, soon), max(pull, asked)
        else:
            soon = height_at(ground, spot[0] + speed[0], spot[2] + speed[1], place[1]) - spot[1]
            if out < soon < GROUND_RISE_M:
                out = soon
    move = at_most(move, LIVE_RISE_M_S * dt)
    own.back[n, side, 0, 0] += move[0]
    own.back[n, side, 1, 0] += move[1]
    least = min(now - LIVE_GROUND_DEEP_M, up[0] + LIVE_RISE_M_S * dt)
    before = up[1]
    spring(up, max(now, out), dt, keeps, UP)
    if pull > 0.0 and before + pull * dt > up[1]:  # it must be quicker than that to be up in time
        up[0] += (before + pull * dt - up[1]) * dt
        up[1] = before + pull * dt
    up[0] = max(up[0], least)
    return (place[0] + move[0], place[1], place[2] + move[1]), lowest + up[0]


@part
def foresee(ground: Any, own: Any, n: int, foot: Any, at: Any, dt: float) -> Any:
    """How high a point of a swinging sole must be raised soon, and the acceleration (m/s²) that gets it there in time.

    foot: its sole, side, and which point (heel, ball, tip); at: where the middle of the sole is (3,), and the point as
    seen from there. The swing is led on as planned, at the speed that its motion has now.
    """
    (sole, side, k), (place, point) = foot, at
    end, was, up, rest = own.ends[n, side, k], own.was[n, side], own.up[n, side], own.rest[n, side]
    known = end[0] == end[0]  # not where there was no frame before
    turning = ((point[0] - end[0]) / dt, (point[1] - end[1]) / dt, (point[2] - end[2]) / dt)
    for i in range(3):
        end[i] = point[i]
    out = pull = 0.0
    if not known:
        return out, pull
    vx, vz, left = (sole[0] - was[0]) / dt, (sole[1] - was[1]) / dt, own.left_s[n, side]
    here = now_at(own, n, (sole[0], sole[1]), side, own.gone[n, side])
    here = here[0] + rest[0, 0], here[1] + rest[0, 1], here[2] + rest[0, 2]
    for ahead in LIVE_GROUND_FORESEE_S:
        if ahead > left:
            break
        then = soon_at(own, n, (sole[0] + vx * ahead, sole[1] + vz * ahead), side, ahead)
        x = place[0] + then[0] - here[0] + point[0] + ahead * turning[0]
        y = place[1] + then[1] - here[1] + point[1] + ahead * turning[1]
        z = place[2] + then[2] - here[2] + point[2] + ahead * turning[2]
        high = height_at(ground, x, z, place[1])
        if k != 1:  # heels and toes are taken to be longer: where they will be is only guessed, the sooner the better
            far = (STRAYS_M if k > 0 else -STRAYS_M) * min((left - ahead) / STRAYS_S, 1.0)
            high = max(high, height_at(ground, x + far * sole[2], z + far * sole[3], place[1]))
        high += LIVE_GROUND_OVER_M - y
        if not LIVE_GROUND_OVER_M < high < GROUND_RISE_M:
            continue
        out = max(out, high)
        pull = max(pull, 2.0 * (high - up[0] - up[1] * ahead) / (ahead * ahead))
    return out, min(pull, LIVE_GROUND_LIFT_M_S2)


@part
def soon_at(own: Any, n: int, at: Any, side: int, ahead: float) -> Any:
    """Where the middle of a swinging sole is some seconds ahead (3,): as planned, raised over what lies in its way and
    nearer to its plan by then; at: x, z where its motion has it then."""
    gone, left, rest, raised = own.gone[n, side], own.left_s[n, side], own.rest[n, side], own.bump[n, side]
    high = raised[2] + sprung(raised[0] - raised[2], raised[1], ahead, TIMES_S[BUMP])
    then = planned_at(own, n, at, side, gone + (1.0 - gone) * ahead / max(left, 1e-6), high)
    time_s = TIMES_S[SETTLE if left < LIVE_GROUND_CLOSE_S else REST]
    return (
        then[0] + sprung(rest[0, 0], rest[1, 0], ahead, time_s),
        then[1] + sprung(rest[0, 1], rest[1, 1], ahead, time_s),
        then[2] + sprung(rest[0, 2], rest[1, 2], ahead, time_s),
    )


@part
def sprung(off: float, speed: float, after_s: float, time_s: float) -> float:
    """What a critically damped spring is off its goal by after some seconds."""
    return float((off + (speed + off / time_s) * after_s) * np.exp(-after_s / time_s))


@part
def stay_out(ground: Any, goal: Any, toes: Any, sole: Any, place: Any, may: Any) -> Any:
    """A standing foot whose heel or tip is in the side of a step, or turns into it, is moved out of it: the middle of
    its sole (3,), and its plane (7,), in place.

    toes (3,): x and z of its tip as seen from that middle a frame ago, in place; may: metres it is moved at most, dt.
    """
    ux, uz = sole[2], sole[3]
    most, dt = may
    tip_x, tip_z = sole[5] * ux, sole[5] * uz
    turns = TURNS_S / dt if dt > 0.0 and toes[0] == toes[0] else 0.0
    soon_x = turns * (tip_x - toes[0]) if turns > 0.0 else 0.0
    soon_z = turns * (tip_z - toes[2]) if turns > 0.0 else 0.0
    toes[0], toes[2] = tip_x, tip_z
    move_x = move_z = 0.0
    for k in range(4):  # tip and heel, and where they turn to
        far, sign = (-sole[4] - AHEAD_M, 1.0) if k % 2 else (sole[5] + AHEAD_M, -1.0)
        x, z = place[0] + move_x + far * ux, place[2] + move_z + far * uz
        if k > 1:
            x, z = x + soon_x * far / sole[5], z + soon_z * far / sole[5]
        y = place[1] + far * (goal[SLOPE_X] * ux + goal[SLOPE_Z] * uz)
        deep = height_at(ground, x, z, place[1]) - y
        if not SIDE_M < deep < GROUND_RISE_M:
            continue
        by = at_most(out_of_side(ground, (x, y, z), (ux, uz), sign, 0.0), most)
        move_x += by[0]
        move_z += by[1]
    goal[X] += move_x
    goal[Z] += move_z
    return place[0] + move_x, place[1], place[2] + move_z


@part
def out_of_side(ground: Any, at: Any, toes: Any, sign: float, up: float) -> Any:
    """Metres x, z that a point (3,) in the side of a step must move to be out of it; 0 where that is far. The way out
    is along its toes (2,), to the side of the sign, or across, where a foot along an edge is out sooner."""
    by, bx, bz = way_out(ground, at, toes, sign, up), toes[0], toes[1]
    for side in (-1.0, 1.0):
        across = way_out(ground, at, (toes[1], -toes[0]), side, up)
        if across != 0.0 and (by == 0.0 or abs(across) < abs(by)):
            by, bx, bz = across, toes[1], -toes[0]
    return by * bx, by * bz


@part
def at_most(move: Any, most: float) -> Any:
    """A move x, z that is no longer than that."""
    share = min(most / max(np.sqrt(move[0] * move[0] + move[1] * move[1]), 1e-9), 1.0)
    return share * move[0], share * move[1]


@part
def way_out(ground: Any, at: Any, toes: Any, sign: float, up: float) -> float:
    """Metres along the toes that a point (3,) in the side of a step must move to be out of it; 0 where that is far."""
    for k in range(1, 7):
        if is_out(ground, at, toes, sign * k * OUT_M, up):
            inside, outside = sign * (k - 1) * OUT_M, sign * k * OUT_M
            for _ in range(HALVINGS):
                middle = 0.5 * (inside + outside)
                if is_out(ground, at, toes, middle, up):
                    outside = middle
                else:
                    inside = middle
            return outside
    return 0.0


@part
def is_out(ground: Any, at: Any, toes: Any, by: float, up: float) -> bool:
    """Whether a point (3,) is out of the side of a step when it is moved along the toes."""
    return height_at(ground, at[0] + by * toes[0], at[2] + by * toes[1], at[1]) - at[1] - up < SIDE_M


@part
def must_hurry(own: Any, n: int, ground: Any, side: int) -> bool:
    """Whether a swing that is not as planned must be so soon: it is about to land on a tread."""
    return bool(has_edges(ground) and own.left_s[n, side] < LIVE_GROUND_CLOSE_S)


@part
def fade_rest(rest: Any, dt: float, keeps: Any, which: int) -> None:
    """What dies away (2, 5), a critically damped spring's exact step."""
    k, e = 1.0 / TIMES_S[which], keeps[which]
    for i in range(5):
        x, v = rest[0, i], rest[1, i]
        j = (v + k * x) * dt
        rest[0, i], rest[1, i] = (x + j) * e, (v - k * j) * e


@part
def spring(x: Any, goal: float, dt: float, keeps: Any, which: int) -> None:
    """A critically damped spring's exact step of x[0], with the speed x[1], to a goal."""
    k, e = 1.0 / TIMES_S[which], keeps[which]
    off, v = x[0] - goal, x[1]
    j = (v + k * off) * dt
    x[0], x[1] = goal + (off + j) * e, (v - k * j) * e


@part
def body_goal(handle: Any, n: int, own: Any) -> Any:
    """What the body is to be moved by with its feet (3,)."""
    root = handle.rows.root[n]
    x = y = z = uneven = 0.0
    high = (0.0, 0.0)
    for side in range(2):
        start, goal, u = own.start[n, side], own.goal[n, side], own.gone[n, side]
        a, b = on_plane(start, root[0], root[1]), on_plane(goal, root[0], root[1])
        x += 0.5 * (a[0] + u * (b[0] - a[0]) - root[0])
        z += 0.5 * (a[2] + u * (b[2] - a[2]) - root[1])
        here = a[1] + u * (b[1] - a[1])
        y += 0.5 * here
        high = (here, high[0])
        uneven += 0.5 * ((1.0 - u) * steepness(start) + u * steepness(goal))
    apart = high[0] - high[1]
    y -= LIVE_GROUND_BENT_M * min((uneven + abs(apart)) / LIVE_GROUND_UNEVEN, 1.0)
    y -= LIVE_GROUND_LOW * (np.sqrt(apart * apart + LIVE_GROUND_ROUND_M**2) - LIVE_GROUND_ROUND_M)
    return x, y, z


@part
def steepness(plane: Any) -> float:
    """Rise for each metre of a plane (7,)."""
    return float(np.sqrt(plane[SLOPE_X] * plane[SLOPE_X] + plane[SLOPE_Z] * plane[SLOPE_Z]))


@inlined
def lead_body(handle: Any, n: int, given: Any, dt: float) -> Any:
    """What the body is moved by with its ground now (3,), as springs that are led at the speed of their goals."""
    own, keep, e = given.rows, given.keeps[LEAD], given.keeps[BODY]
    goal, aim, body = body_goal(handle, n, own), own.aim[n], own.body[n]
    k = 1.0 / LIVE_GROUND_BODY_S
    for i in range(3):
        if dt > 0.0:
            speed = (goal[i] - aim[0, i]) / dt
            if i == 1:
                speed = min(max(speed, -LED_M_S), LED_M_S)
            aim[1, i] = keep * aim[1, i] + (1.0 - keep) * speed
        aim[0, i] = goal[i]
        ahead = goal[i] + 2.0 * LIVE_GROUND_BODY_S * aim[1, i]
        off, v = body[0, i] - ahead, body[1, i]
        j = (v + k * off) * dt
        body[0, i], body[1, i] = ahead + (off + j) * e, (v - k * j) * e
    return body[0, 0], body[0, 1], body[0, 2]


@part
def fall_behind(rows: Any, n: int, own: Any, lead: Any) -> None:
    """What a body is led over the floor by is taken off its carrier, and off all that goes with the level floor."""
    dx, dz = lead[0], lead[2]
    rows.root[n, 0] += dx
    rows.root[n, 1] += dz
    own.body[n, 0, 0] = own.body[n, 0, 2] = 0.0
    own.aim[n, 0, 0] -= dx
    own.aim[n, 0, 2] -= dz
    for side in range(2):
        rows.held[n, side, 0] += dx
        rows.held[n, side, 2] += dz
        for k in range(3):
            rows.was[n, side, k, 0] += dx
            rows.was[n, side, k, 2] += dz
        own.was[n, side, 0] += dx
        own.was[n, side, 1] += dz
        for plane in (own.start[n, side], own.goal[n, side]):
            plane[FLAT_X] += dx
            plane[FLAT_Z] += dz
