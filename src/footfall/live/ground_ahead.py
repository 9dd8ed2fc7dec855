"""Ground ahead: when and where a swinging foot of a live character will land, and the plane of the ground there."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import part
from footfall.feet.limits import (
    GROUND_SAME_M,
    GROUND_SAME_S,
    LIVE_GROUND_BLIND_S,
    LIVE_GROUND_LATE,
    LIVE_GROUND_SAME_M,
)
from footfall.feet.live_ground import (
    FLAT_X,
    FLAT_Z,
    LAST,
    POWERS,
    SLOPE_X,
    SLOPE_Z,
    Step,
    bump,
    in_the_way,
    on_plane,
    plan_step,
    put_plane,
    swung,
)
from footfall.feet.live_lock import point_of
from footfall.live.clock import move_root
from footfall.live.frame import (
    place_root,
    step_joint,
)
from footfall.live.ground_pace import step_pace
from footfall.live.layers import moment, sample_one
from footfall.parametric.sampling import sum_rows, travel_at

TOGETHER = 1e-6  # of canonical time: a strike that is due this soon is now
STEP_LEADS_S = 0.15  # seconds of the body's way that a landing foot is ahead of it. By eye
LEAST_LEFT = 0.2  # share of a swing: of what is less than this left, no length of the whole is told. By eye
POINTS_AHEAD = 0.4  # of its length: a foot that points less far ahead, seen from above, hangs. By eye
NEARLY_DOWN_S = 0.02  # seconds: a foot that is said to be down but is not comes down so soon, ...
FADED = 0.5  # ... or in this share of what an offset still takes that dies away: it is what keeps the foot up. By eye


@part
def coming_layer(rows: Any, n: int) -> int:
    """The layer that says what comes: the one that comes in, where there are two."""
    return rows.layers[n] - 1


@part
def seconds_to_strike(handle: Any, n: int, side: int) -> float:
    """How long until a foot comes down, by what comes in; negative where no motion tells."""
    rows, tables, spans = handle.rows, handle.tables, handle.room.spans
    v = coming_layer(rows, n)
    k = rows.motion[n, v]
    if v == 1:  # else `feet_down` has just done that
        sum_rows(tables.spans[k], np.int64(0), rows.weights[n, v], tables.count[k], spans)
    count, t, best = len(spans) // 8, rows.t[n, v], np.inf
    for which in range(2):
        for s in range(count):
            at = ((2 * side + which) * count + s) * 2
            start, end = spans[at], spans[at + 1]
            if end < start:
                continue
            for lap in range(-1, 2):
                if (lap == 0 or tables.loops[k]) and start + lap > t - TOGETHER:
                    best = min(best, start + lap - t)
                elif lap == 0 and start <= t <= end:
                    return max(NEARLY_DOWN_S, FADED * (rows.fade_s[n] - rows.age[n]) if rows.age[n] >= 0.0 else 0.0)
    return best / max(rows.rate[n, v], 1e-6) if best < np.inf else -1.0


@part
def look_ahead(handle: Any, n: int, ground: Any, given: Any, sole: Any, side: int, left_s: float) -> None:
    """Where a swinging foot will land, and the plane it lands on."""
    own, bow = given.rows, given.rows.bow[n, side]
    other, goal = own.goal[n, 1 - side], own.goal[n, side]
    if left_s >= 0.0:
        seen, way = expected(handle, n, given.chain, side, left_s)
    else:
        seen, way = guessed(handle, n, sole, LIVE_GROUND_BLIND_S * (1.0 - own.gone[n, side]))
    x, z, ux, uz, heel, tip, _ = seen
    runs = own.flies[n, 0] and own.flies[n, 1]
    if own.gone[n, side] == 0.0:
        bow[0] = bow[1] = bow[2] = 0.0
        if left_s > 2.0 * NEARLY_DOWN_S:
            half = expected(handle, n, given.chain, side, 0.5 * left_s)[0]
            bow[0], bow[1] = aside(half, own.start[n, side], (x, z))
            bow[2] = max(half[6], 0.0)
    step = Step(x, z, way[0], way[1], ux, uz, heel, tip, runs, sole[2], sole[3], bow[0], bow[1], bow[2])
    start, gone = own.start[n, side], own.gone[n, side]
    planes = start, goal
    if gone > 0.0:  # planned before: the place is kept unless another is expected by now
        moved = np.sqrt((x - goal[FLAT_X]) ** 2 + (z - goal[FLAT_Z]) ** 2)
        if moved < (4.0 if gone > LIVE_GROUND_LATE else 1.0) * LIVE_GROUND_SAME_M:
            goal[FLAT_X], goal[FLAT_Z] = x, z
            power = own.power[n, side]
            share = swung(start, goal, (sole[0], sole[1]), gone, power)[0]
            found = in_the_way(ground, planes, step, share, (power,))
            if share < LAST:
                own.bump[n, side, 2] = found[0]
            return
    far = np.sqrt((x - start[FLAT_X]) ** 2 + (z - start[FLAT_Z]) ** 2)
    if left_s < GROUND_SAME_S and far < 0.5 * GROUND_SAME_M and gone == 0.0:  # it hardly leaves
        place = on_plane(start, x, z)
        put_plane(goal, (x, z), place, (start[SLOPE_X], start[SLOPE_Z]))
        own.slow[n, side] = 1.0
        return
    own.blocked[n] = not plan_step(ground, step, other, goal)
    swing_s = (left_s if left_s >= 0.0 else LIVE_GROUND_BLIND_S) / max(1.0 - gone, LEAST_LEFT)
    own.slow[n, side] = step_pace((start, other, goal), way, swing_s, runs)
    found = in_the_way(ground, planes, step, 0.0, POWERS)
    own.bump[n, side, 2], own.power[n, side] = found


@part
def guessed(handle: Any, n: int, sole: Any, left_s: float) -> Any:
    """A foot's sole as it lands where no motion tells: ahead of the body by what a step leads it."""
    root, velocity = handle.rows.root[n], handle.rows.velocity[n]
    c, s = np.cos(root[2]), np.sin(root[2])
    vx, vz = s * velocity[0] + c * velocity[1], c * velocity[0] - s * velocity[1]
    aside = c * (sole[0] - root[0]) - s * (sole[1] - root[1])
    far = left_s + STEP_LEADS_S
    x, z = root[0] + far * vx + c * aside, root[1] + far * vz - s * aside
    size = np.sqrt(vx * vx + vz * vz)
    way = (vx / size, vz / size) if size > 0.1 else (s, c)
    return (x, z, s, c, sole[4], sole[5], 0.0), way


@part
def aside(half: Any, start: Any, end: Any) -> Any:
    """How far aside of the line from its start (7,) to its end x, z a sole is half-way: x, z."""
    sx, sz = end[0] - start[FLAT_X], end[1] - start[FLAT_Z]
    dx, dz = half[0] - start[FLAT_X], half[1] - start[FLAT_Z]
    share = (dx * sx + dz * sz) / max(sx * sx + sz * sz, 1e-4)
    high = bump(share)
    if high < 0.2:
        return 0.0, 0.0
    return (dx - share * sx) / high, (dz - share * sz) / high


@part
def expected(handle: Any, n: int, chain: Any, side: int, left_s: float) -> Any:
    """A foot's sole as it will land by what comes in, and the direction in which the body goes until then."""
    rows, tables, room = handle.rows, handle.tables, handle.room
    v = coming_layer(rows, n)
    k, t, weights = rows.motion[n, v], rows.t[n, v], rows.weights[n, v]
    end = t + left_s * rows.rate[n, v]
    root = room.sway[0]
    for i in range(3):
        root[i] = rows.root[n, i]
    first, cells, count = tables.first_mean[k], tables.cells[k], tables.count[k]
    a = travel_at(tables.travel, first, cells, weights, count, t)
    b = travel_at(tables.travel, first, cells, weights, count, min(end, 1.0))
    move_root(root, b[0] - a[0], b[1] - a[1], b[2] - a[2])
    if end > 1.0 and tables.loops[k]:
        c = travel_at(tables.travel, first, cells, weights, count, end - 1.0)
        move_root(root, c[0], c[1], c[2])
    way_x, way_z = root[0] - rows.root[n, 0], root[1] - rows.root[n, 1]
    size = np.sqrt(way_x * way_x + way_z * way_z)
    if size < 0.02:
        way_x, way_z, size = np.sin(root[2]), np.cos(root[2]), 1.0
    sample_one(handle, k, moment(end, tables.loops[k]), weights, 1)
    q = room.turns[1]
    place = place_root(room.row, 3 * room.turns.shape[2], q, root[2])
    walk_chain(tables.body, chain, q, place, room)
    return sole_at(tables.body, room.world, side, root), (way_x / size, way_z / size)


@part
def walk_chain(body: Any, chain: Any, q: Any, root: Any, room: Any) -> None:
    """Rotations q (4, J') of the joints of a chain into the room, and where they are; root: (3,) where it is."""
    rot, world = room.rot[0], room.world
    for j in chain:
        for i in range(4):
            rot[j, i] = q[i, j]
    for i in range(4):
        world[0, i] = rot[0, i]
    world[0, 4], world[0, 5], world[0, 6] = root[0], root[1], root[2]
    for j in chain[1:]:
        step_joint(rot, body.parents[j], j, body.offsets, world)


@part
def sole_at(body: Any, world: Any, side: int, root: Any) -> Any:
    """The middle of a sole (x, z) in the world, where it points (2), how far heel and tip are from there, and how high
    its lowest point is; root: x, z and heading of the carrier."""
    heel = point_of(world, body.sole_joints[side, 0], body.sole[side, 0])
    ball = point_of(world, body.sole_joints[side, 1], body.sole[side, 1])
    tip = point_of(world, body.sole_joints[side, 2], body.sole[side, 2])
    ux, uz = ball[0] - heel[0], ball[2] - heel[2]
    toes = np.sqrt((tip[0] - ball[0]) ** 2 + (tip[1] - ball[1]) ** 2 + (tip[2] - ball[2]) ** 2)
    foot = np.sqrt(ux * ux + uz * uz + (ball[1] - heel[1]) ** 2)
    s, c = np.sin(root[2]), np.cos(root[2])
    short = POINTS_AHEAD * foot - (ux * s + uz * c)
    if short > 0.0:  # a foot that hangs down, or is kicked up behind, is taken to point where the body does
        ux, uz = ux + short * s, uz + short * c
    size = max(np.sqrt(ux * ux + uz * uz), 1e-6)
    ux, uz, half = ux / size, uz / size, 0.5 * foot  # the middle as it is when the heel stays and the foot lies flat
    high = body.standing[side]
    low = min(min(heel[1] - high[0], ball[1] - high[1]), tip[1] - high[2])
    return root[0] + heel[0] + half * ux, root[1] + heel[2] + half * uz, ux, uz, half, half + toes, low
