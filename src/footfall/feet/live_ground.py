"""Feet of live characters on a ground: where a sole lies, where the next one is set, how it gets there.

A stance maps the level floor of a motion onto the plane that its sole lies in; a swing goes from the one plane to the
next. Nothing is known but the ground itself and where a foot is expected to land. Places are chosen as
`feet.ground_steps` chooses those of a whole clip, one step at a time: a sole that lies on the ground as a whole, a
stride as the motion has it or shorter, low steps rather than high ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import inlined, part
from footfall.core.rotation_kernels import add_scaled, dot, minus, rotate
from footfall.feet.leg_kernels import LegGoal, leg_reach, place_leg
from footfall.feet.limits import (
    GROUND_CLOSE,
    GROUND_EASIEST,
    GROUND_EDGE_M,
    GROUND_FLAT_M,
    GROUND_HANGS,
    GROUND_LONGEST,
    GROUND_PITCH,
    GROUND_RISE_M,
    GROUND_RISES,
    GROUND_RUN_RISE_M,
    GROUND_RUN_SHORTEST,
    GROUND_RUN_SLOWS,
    GROUND_SHORTEST,
    GROUND_SLACK_M,
    GROUND_SOLE_HALF_M,
    GROUND_STEEPEST,
    GROUND_STEP_M,
    GROUND_STEP_UP_M,
    GROUND_STRIDE,
    GROUND_STRIDE_M,
    GROUND_TILT,
    GROUND_TOBLER,
    LIVE_GROUND_CLEAR_M,
    LIVE_GROUND_GRAIN_M,
    LIVE_GROUND_HIGHEST_M,
    LIVE_GROUND_LANDS,
    LIVE_GROUND_LATER,
    LIVE_GROUND_MOST,
    LIVE_GROUND_PLANE_M,
    LIVE_GROUND_SHIFT_S,
    LIVE_GROUND_SOFT,
    LIVE_GROUND_STRIDE_M,
)
from footfall.feet.live_knee import AS_ASKED, knee_in_time, knee_pole
from footfall.feet.live_lock import eased, fade, leg_ahead
from footfall.feet.pelvis_reach import least_move
from footfall.kinematics.ground_kernels import has_edges, height_at

FLAT_X, FLAT_Z, X, Y, Z, SLOPE_X, SLOPE_Z = range(7)  # of a plane: a place on the level floor, that place on the ground
NEVER = 1e9  # what a step costs that nobody could take
FITS = 0.05  # what a sole costs, at most, that lies well. By eye
BEYOND = 0.15  # of its way, that a foot may be before its start or beyond its landing. By eye
LONGER = 1.4  # times as long as in its motion: up to this a foot's way is gone as the motion goes its own. By eye
COUNTS_ON = 0.7  # share of its height half-way that a motion's own swing is counted on for. By eye
SPARE_M = 0.008  # metres by which a sole is taken to be longer at either end: landings are off by as much. By eye
POWERS = (1.0, 2.0, 4.0)  # how much sooner a swing may go up, or later down, than ahead. By eye
DIVES = 0.15  # of its way down, for each power, that a swing is rather raised by than come down late and fast. By eye
LAST, LEAST_BUMP = 0.95, 0.3  # share of a swing that is looked at last; and of its height that is counted on there
SAMPLES = 16  # along a swing that are looked at for what is in its way
FINER = 3  # times as near are these where there are edges: on a short tread a sole has a centimetre to lie in. By eye
FINE = 5  # steps between two places along its way in which a foot is set on a tread. By eye
SMOOTH_EVERY = 4  # of these samples, one is looked at where a ground has no edges


class SoleFit(NamedTuple):
    """How a sole lies at a place."""

    height: float  # of the ground under its ball; NaN where nothing carries it
    slope_x: float  # rise for each metre along x and z
    slope_z: float
    cost: float


class Step(NamedTuple):
    """What a foot is about to do."""

    x: float  # where the middle of its sole is expected to land, as the motion has it
    z: float
    way_x: float  # unit: where the body goes
    way_z: float
    toes_x: float  # unit: where the foot points
    toes_z: float
    heel_m: float  # from the middle back to the heel, and ahead to the tip
    tip_m: float
    runs: bool
    now_x: float  # unit: where it points now
    now_z: float
    bow_x: float  # metres that its way goes aside of a straight line, half-way
    bow_z: float
    high_m: float  # metres over the floor that its lowest point is then, as the motion has it


@part
def fit_sole(ground: Any, x: float, z: float, step: Any, near: float) -> Any:
    """The SoleFit of a foot whose middle is at x, z."""
    ux, uz, back, ahead = step.toes_x, step.toes_z, -step.heel_m - SPARE_M, step.tip_m + SPARE_M
    heel = _height(ground, x + back * ux, z + back * uz, near)
    mid = _height(ground, x, z, near)
    ball = _height(ground, x + 0.5 * ahead * ux, z + 0.5 * ahead * uz, near)
    tip = _height(ground, x + ahead * ux, z + ahead * uz, near)
    wide = GROUND_SOLE_HALF_M
    left, right = (
        _height(ground, x + wide * uz, z - wide * ux, near),
        _height(ground, x - wide * uz, z + wide * ux, near),
    )
    if mid == -np.inf or (heel == -np.inf and tip == -np.inf):
        return SoleFit(np.nan, 0.0, 0.0, NEVER)
    pitch, base, least = 0.0, 0.0, np.inf
    for k in range(3):
        rise = 0.0 if k == 0 else (tip - heel) / (ahead - back) if k == 1 else (ball - heel) / (0.5 * ahead - back)
        if not abs(rise) <= GROUND_PITCH:
            continue
        high = max(max(heel - rise * back, mid), max(ball - 0.5 * rise * ahead, tip - rise * ahead))
        gaps = (_gap(high + rise * back - heel) + _gap(high - mid) + _gap(high + 0.5 * rise * ahead - ball)
                + _gap(high + rise * ahead - tip))  # fmt: skip
        if gaps + 1e-3 * abs(rise) < least - 1e-9:
            pitch, base, least = rise, high, gaps + 1e-3 * abs(rise)
    across = left - right
    roll = across / (2.0 * wide) if abs(across) < 2.0 * GROUND_FLAT_M else 0.0
    sides = _gap(abs(base + roll * wide - left)) + _gap(abs(base - roll * wide - right))
    far, near_by = ahead + GROUND_EDGE_M, back - GROUND_EDGE_M
    edge = _gap(abs(base + pitch * near_by - _height(ground, x + near_by * ux, z + near_by * uz, near)))
    edge += _gap(abs(base + pitch * far - _height(ground, x + far * ux, z + far * uz, near)))
    cost = GROUND_HANGS * (least + sides) / 6.0 + 0.5 * GROUND_CLOSE * edge + GROUND_TILT * pitch**2
    return SoleFit(base, pitch * ux + roll * uz, pitch * uz - roll * ux, cost)


@part
def _height(ground: Any, x: float, z: float, near: float) -> float:
    """The height of the ground; -inf where there is none."""
    found = height_at(ground, x, z, near)
    return found if found == found else -np.inf


@part
def _gap(gap: float) -> float:
    """What a gap under a sole counts, up to 1."""
    return min(gap / GROUND_FLAT_M, 1.0) ** 2


@part
def grade_keeps(grade: float, runs: bool) -> float:
    """Share of a stride that is kept on a grade, as `ground_steps.gait_factor`."""
    steep = min(max(abs(grade + GROUND_EASIEST) - GROUND_EASIEST, 0.0), GROUND_STEEPEST)
    less = 1.0 - np.exp(-0.5 * GROUND_TOBLER * steep)
    return 1.0 - less * (GROUND_RUN_SLOWS if runs else 1.0)


@part
def plan_step(ground: Any, step: Any, other: Any, plane: Any) -> bool:
    """Where a foot is set: its plane (7,), in place; False where no step can be taken, and it is set beside the other.

    other (7,): the plane of the other foot, on which it stands or will.
    """
    # as the motion has it, seen from the other foot
    x, z = step.x + other[X] - other[FLAT_X], step.z + other[Z] - other[FLAT_Z]
    own = (step.x - other[FLAT_X]) * step.way_x + (step.z - other[FLAT_Z]) * step.way_z
    best, found, cost, edges = 0.0, fit_sole(ground, x, z, step, other[Y]), NEVER, has_edges(ground)
    if found.height == found.height:
        cost = found.cost + step_cost(own, own, found.height - other[Y], step.runs, edges)
    rise = found.height - other[Y]
    if not has_edges(ground) and found.cost < FITS and abs(rise) < GROUND_STEEPEST * abs(own) + GROUND_STEP_UP_M:
        best = own * (grade_keeps(rise / max(abs(own), GROUND_STRIDE_M), step.runs) - 1.0)
        found = fit_sole(ground, x + best * step.way_x, z + best * step.way_z, step, other[Y])
        cost = found.cost
    elif cost > FITS:  # it could do better along its way
        shortest = GROUND_RUN_SHORTEST if step.runs else GROUND_SHORTEST
        low, high = shortest * own, GROUND_LONGEST * own
        low, high = min(low, high) - GROUND_SLACK_M, max(low, high) + GROUND_SLACK_M
        grain = LIVE_GROUND_GRAIN_M / FINER if edges else LIVE_GROUND_GRAIN_M
        for k in range(int((high - low) / grain) + 1):
            far = low + k * grain - own
            fit = fit_sole(ground, x + far * step.way_x, z + far * step.way_z, step, other[Y])
            if fit.cost >= NEVER:
                continue
            total = fit.cost + step_cost(own, own + far, fit.height - other[Y], step.runs, edges)
            if total < cost:
                best, found, cost = far, fit, total
        if edges and cost < NEVER:  # a tread may be hardly longer than the sole: the middle of where it lies
            best, found = on_tread(ground, step, other, (x, z), best, found)
    taken = cost < NEVER
    if not taken:  # beside the other foot
        best = -own
        found = fit_sole(ground, x + best * step.way_x, z + best * step.way_z, step, other[Y])
        if not abs(found.height - other[Y]) <= GROUND_RISE_M:
            found = SoleFit(other[Y], other[SLOPE_X], other[SLOPE_Z], 0.0)
            best = -own
    plane[FLAT_X], plane[FLAT_Z] = step.x, step.z
    plane[X], plane[Y], plane[Z] = x + best * step.way_x, found.height, z + best * step.way_z
    plane[SLOPE_X], plane[SLOPE_Z] = found.slope_x, found.slope_z
    return taken


@part
def on_tread(ground: Any, step: Any, other: Any, at: Any, far: float, fit: Any) -> Any:
    """How far along its way from `at` a foot is set that lies best near a place found in coarse steps, and its SoleFit
    there."""
    best, found = far, fit
    for k in range(-FINE, FINE + 1):
        by = far + k * LIVE_GROUND_GRAIN_M / FINE
        near = fit_sole(ground, at[0] + by * step.way_x, at[1] + by * step.way_z, step, other[Y])
        if near.cost < found.cost - 1e-9 and abs(near.height - fit.height) < GROUND_FLAT_M:
            best, found = by, near
    return best, found


@part
def step_cost(own: float, gone: float, rise: float, runs: bool, edges: bool) -> float:
    """What a step costs that goes so far and high where the motion goes `own`; as `ground_steps` has it. On a ground
    without edges a long stride may rise as its slope does."""
    most = GROUND_RUN_RISE_M if runs else GROUND_RISE_M
    if not edges:
        most = max(most, GROUND_STEEPEST * abs(gone) + GROUND_STEP_UP_M)
    if not abs(rise) <= most:
        return NEVER
    usual = max(abs(own), GROUND_STRIDE_M)
    wanted = own * grade_keeps(rise / max(abs(gone), 0.5 * usual), runs)
    return GROUND_STRIDE * ((gone - wanted) / usual) ** 2 + GROUND_RISES * (rise / GROUND_STEP_M) ** 4


@part
def on_plane(plane: Any, x: float, z: float) -> Any:
    """Where a point x, z of the level floor lies on a plane (7,): (3,). Far off the plane goes on level."""
    dx, dz = x - plane[FLAT_X], z - plane[FLAT_Z]
    most = LIVE_GROUND_PLANE_M
    high = plane[SLOPE_X] * min(max(dx, -most), most) + plane[SLOPE_Z] * min(max(dz, -most), most)
    return plane[X] + dx, plane[Y] + high, plane[Z] + dz


@part
def put_plane(plane: Any, flat: Any, place: Any, slope: Any) -> None:
    """A plane through a place (3,) that the point `flat` (x, z) of the floor is at."""
    plane[FLAT_X], plane[FLAT_Z] = flat[0], flat[1]
    plane[X], plane[Y], plane[Z] = place[0], place[1], place[2]
    plane[SLOPE_X], plane[SLOPE_Z] = slope[0], slope[1]


@part
def swung(start: Any, goal: Any, at: Any, u: float, power: float) -> Any:
    """How far a swing is on its way (horizontally, vertically), and what it is ahead of the motion by along it.

    start, goal (7,): planes; at: x, z of the foot as the motion has it; u: share of its time that is gone; power: how
    much sooner it goes up, or later down, than ahead.
    """
    sx, sz = goal[FLAT_X] - start[FLAT_X], goal[FLAT_Z] - start[FLAT_Z]
    size = sx * sx + sz * sz
    gone = (goal[X] - start[X]) ** 2 + (goal[Z] - start[Z]) ** 2
    share, told = eased(u), size / max(gone / LONGER**2, 2.0 * LIVE_GROUND_STRIDE_M**2)
    if told > 0.0:  # what a short way tells is little, the less the longer the one is that it stands for
        by_way = ((at[0] - start[FLAT_X]) * sx + (at[1] - start[FLAT_Z]) * sz) / size
        share += min(told, 1.0) * (min(max(by_way, -BEYOND), 1.0 + BEYOND) - share)
    late = eased(min(max((u - LIVE_GROUND_LANDS) / (1.0 - LIVE_GROUND_LANDS), 0.0), 1.0))
    across = share + (1.0 - share) * late
    up, ahead = rises(across, goal[Y] - start[Y], power)
    return across, up, ahead - across


@part
def rises(w: float, rise: float, power: float) -> Any:
    """How far up and how far ahead a swing is that is the share w on its way: up before it goes ahead, ahead before it
    goes down."""
    steep = min(max(abs(rise) / GROUND_STEP_UP_M - 0.5, 0.0), 1.0)
    if steep == 0.0:
        return w, w
    later, w01 = steep * min(LIVE_GROUND_LATER * (power - 1.0), 1.0), min(w, 1.0)
    if w < 0.0:  # as steep as where it starts: a foot that is on its way as it leaves is not jerked
        return (w + w * steep * (power - 1.0), w - w * later) if rise > 0.0 else (w - w * steep, w)
    if rise > 0.0:
        left = 1.0 - w01
        return w + steep * (left - raised(left, power)), w - later * w01 * left * left
    return w + steep * (raised(w01, power) - w01), w + later * w01 * w01 * (1.0 - w01)


@part
def raised(w: float, power: float) -> float:
    """w to one of POWERS."""
    square = w * w
    return w if power < 2.0 else square if power < 4.0 else square * square


@part
def in_the_way(ground: Any, planes: Any, step: Any, gone: float, powers: Any) -> Any:
    """How high a swing must be raised over the curve it takes anyway, so that it clears what lies on its way, and the
    power of that curve for which this is least.

    planes: start, goal (7,); gone: the share of its way that is behind it.
    """
    start, goal = planes
    least, best, dives = np.inf, 1.0, DIVES * max(start[Y] - goal[Y], 0.0)
    every = 1 if has_edges(ground) else SMOOTH_EVERY
    for power in powers:
        if power > 1.0 and every > 1:  # nothing to step up on
            break
        most = 0.0
        for k in range(every, SAMPLES + 1, every):
            w = min(k / SAMPLES, LAST)
            if w < gone:
                continue
            up, ahead = rises(w, goal[Y] - start[Y], power)
            under = stands_over(ground, planes, step, (w, up, ahead))
            if under > 0.0:
                most = max(most, (under + min(under, LIVE_GROUND_CLEAR_M)) / max(bump(w), LEAST_BUMP))
        if most < least - LIVE_GROUND_GRAIN_M - dives * (power - best):
            least, best = most, power
        if least == 0.0:
            break
    return min(least, LIVE_GROUND_HIGHEST_M), best


@part
def stands_over(ground: Any, planes: Any, step: Any, at: Any) -> float:
    """By how much the ground is over a swing's sole at shares (turned, up, ahead) of its way."""
    start, goal = planes
    w, up, ahead = at
    slope_x = start[SLOPE_X] + w * (goal[SLOPE_X] - start[SLOPE_X])
    slope_z = start[SLOPE_Z] + w * (goal[SLOPE_Z] - start[SLOPE_Z])
    aside = bump(w)
    x = start[X] + ahead * (goal[X] - start[X]) + aside * step.bow_x
    z = start[Z] + ahead * (goal[Z] - start[Z]) + aside * step.bow_z
    y = start[Y] + up * (goal[Y] - start[Y])
    ux, uz = step.now_x + w * (step.toes_x - step.now_x), step.now_z + w * (step.toes_z - step.now_z)
    pitch = slope_x * ux + slope_z * uz
    under = _height(ground, x, z, y)
    for far in (-step.heel_m, step.tip_m):
        under = max(under, _height(ground, x + far * ux, z + far * uz, y) - pitch * far)
    return under - y - aside * COUNTS_ON * step.high_m


@part
def bump(w: float) -> float:
    """How much of its height a swing is raised by at the share w of its way."""
    return max(4.0 * w * (1.0 - w), 0.0)


@part
def tilt(slope_x: float, slope_z: float) -> Any:
    """The rotation that lays what was level along a slope."""
    size = np.sqrt(1.0 + slope_x * slope_x + slope_z * slope_z)
    w = 1.0 + 1.0 / size
    x, z = -slope_z / size, slope_x / size
    n = np.sqrt(w * w + x * x + z * z)
    return w / n, x / n, 0.0, z / n


@inlined
def bend_onto(rot: Any, world: Any, body: Any, feet: Any, lead: Any, shift: Any, knees: Any, dt: float) -> Any:
    """Rotations (J, 4) of both legs, in place, with feet where they belong; what the pelvis moves by besides `lead`.

    body: LegJoints. feet: ankle (3,), turn (4,), grip and what its knee may do, of the left and the right. lead
    (3,): what the body is moved by with its ground. shift (2, 3): what it moves by so that feet reach, and its speed.
    knees (2, 6): as `live_knee` has them.
    """
    first, second = np.int64(0), np.int64(1)
    left, toes0 = leg_ahead(world, body, first)
    right, toes1 = leg_ahead(world, body, second)
    t0, turn0, grip0, may0 = feet[0]
    t1, turn1, grip1, may1 = feet[1]
    grip0, grip1 = eased(grip0), eased(grip1)
    r0, r1 = leg_reach(left, grip0), leg_reach(right, grip1)
    c0, c1 = minus(minus(t0, left.hip), lead), minus(minus(t1, right.hip), lead)
    fade(shift[0], shift[1], least_move(c0, c1, r0, r1), dt, LIVE_GROUND_SHIFT_S)
    move = add_scaled(lead, (shift[0, 0], shift[0, 1], shift[0, 2]), 1.0)
    t0, t1 = held_back(left, t0, move, grip0), held_back(right, t1, move, grip1)
    t0 = knee_in_time(left, t0, move, knees[0], may0, dt)
    t1 = knee_in_time(right, t1, move, knees[1], may1, dt)
    pole0 = knee_pole(left, rotate(turn0, toes0), knees[0], dt)
    pole1 = knee_pole(right, rotate(turn1, toes1), knees[1], dt)
    place_leg(rot, body.legs[0], left, LegGoal(move, t0, turn0, pole0, AS_ASKED))
    place_leg(rot, body.legs[1], right, LegGoal(move, t1, turn1, pole1, AS_ASKED))
    return move


@part
def held_back(leg: Any, target: Any, move: Any, grip: float) -> Any:
    """Where the ankle of a swinging leg (grip 0) goes so that it is not stretched."""
    thigh, shin = minus(leg.knee, leg.hip), minus(leg.ankle, leg.knee)
    length = np.sqrt(dot(thigh, thigh)) + np.sqrt(dot(shin, shin))
    hip = add_scaled(leg.hip, move, 1.0)
    line = minus(target, hip)
    far, soft, room = (
        np.sqrt(dot(line, line)),
        LIVE_GROUND_SOFT * length,
        (LIVE_GROUND_MOST - LIVE_GROUND_SOFT) * length,
    )
    if far <= soft:
        return target
    held = soft - room * np.expm1(-(far - soft) / room)
    return add_scaled(hip, line, 1.0 + (1.0 - grip) * (held / far - 1.0))
