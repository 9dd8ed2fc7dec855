"""Live characters on a ground: frames animated on the level floor, put on what lies under and ahead of their feet.

Each foot has two planes, the one it stands on or has left, and the one it stands on or goes to (`feet.live_ground`).
When it leaves, the motion is asked where and when it will land, and again on the way; there the next plane is laid. The
body goes with its feet, led evenly from step to step, and what it falls behind the level floor by is taken off the
carrier: `rows.root` is always where the character is. Steps that take people longer take it longer (`ground_pace`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import inlined, kernel, part
from footfall.feet.limits import (
    LIVE_EASE_S,
    LIVE_FAR_M,
    LIVE_GROUND_AGAIN_S,
    LIVE_GROUND_BLIND_S,
    LIVE_GROUND_CATCH_M,
    LIVE_GROUND_CATCH_S,
    LIVE_GROUND_CLOSE_S,
    LIVE_GROUND_FAR_M,
    LIVE_GROUND_NEAR_M,
    LIVE_GROUND_SAME_M,
    LIVE_GROUND_SWING_S,
    LIVE_NEAR_M,
)
from footfall.feet.live_ground import (
    FLAT_X,
    FLAT_Z,
    Step,
    X,
    Y,
    Z,
    bend_onto,
    fit_sole,
    put_plane,
)
from footfall.feet.live_knee import forget_knee
from footfall.feet.live_lock import HoldLimits, LegJoints, note_sides, only_low
from footfall.kinematics.ground_kernels import has_edges, height_at
from footfall.live.easing import kept
from footfall.live.frame import (
    animate_one,
    feet_down,
    feet_of,
    go_one,
    hold_feet,
    show_pose,
    step_joint,
)
from footfall.live.ground_ahead import look_ahead, seconds_to_strike, sole_at, walk_chain
from footfall.live.ground_pace import lead_pace, look_for_steps
from footfall.live.ground_place import (
    OUT_M,
    SIDE_M,
    body_goal,
    fade_rest,
    fall_behind,
    lead_body,
    must_hurry,
    now_at,
    put_foot,
)
from footfall.live.ground_state import REST, SETTLE, TIMES_S

BACK_OUT = 12  # times OUT_M that a foot which lands with its toes in a step is set back, at most. By eye


@kernel(_nrt=False)
def step_rows_on_ground(handle: Any, first: int, last: int, given: Any, shown: Any, dt: float) -> None:
    """As `frame.step_rows`, on a ground (a GroundHandle)."""
    keep = kept(dt)
    ground = (given.kind[0], given.numbers, given.grid, given.first, given.listed, given.corners)
    for i in range(len(TIMES_S)):
        given.keeps[i] = np.exp(-dt / TIMES_S[i])
    rows, pace = handle.rows, given.rows.pace
    for n in range(first, last):
        if pace[n] < 1.0:  # what it does takes longer; its time does not
            slow = pace[n] * dt
            go_one(handle, n, kept(slow), slow)
            rows.time_s[n] += dt - slow
            for i in range(3):
                rows.velocity[n, i] *= pace[n]
        else:
            go_one(handle, n, keep, dt)
        ground_one(handle, n, ground, given, shown, dt)
        lead_pace(given.rows, n, given.keeps)


@kernel(_nrt=False)
def pose_rows_on_ground(handle: Any, first: int, last: int, given: Any, shown: Any, dt: float) -> None:
    """As `frame.pose_rows`, on a ground."""
    ground = (given.kind[0], given.numbers, given.grid, given.first, given.listed, given.corners)
    for i in range(len(TIMES_S)):
        given.keeps[i] = np.exp(-dt / TIMES_S[i])
    for n in range(first, last):
        given.rows.pace[n] = 1.0  # its place is given, and its clock has gone on
        ground_one(handle, n, ground, given, shown, dt)


@inlined
def ground_one(handle: Any, n: int, ground: Any, given: Any, shown: Any, dt: float) -> None:
    """One character's pose on the ground."""
    rows, room, body, own = handle.rows, handle.room, handle.tables.body, given.rows
    fades = animate_one(handle, n)
    soon = feet_down(handle, n)
    if not has_edges(ground):  # among steps such a foot would need another tread at once
        soon = catch_up(rows, n, own, soon, dt)
    if fades:
        only_low(body.sole_joints, body.sole, body.standing, room.world, rows.down[n])
    near, far = (LIVE_GROUND_NEAR_M, LIVE_GROUND_FAR_M) if has_edges(ground) else (LIVE_NEAR_M, LIVE_FAR_M)
    hold_feet(body, feet_of(handle, n), rows.root[n], soon, HoldLimits(near, far, 0.0), dt)
    soles = sole_of(handle, n, 0), sole_of(handle, n, 1)
    if not own.begun[n]:
        begin(handle, n, ground, own, soles)
    root = (np.float64(room.world[0, 4]), np.float64(room.world[0, 5]), np.float64(room.world[0, 6]))
    looked = False
    for side in range(2):
        looked = step_foot(handle, n, ground, given, soles[side], side, dt) or looked
    if looked:  # the room was needed for another pose
        walk_chain(body, given.chain, room.turns[0], root, room)
    left = put_foot(handle, n, ground, given, soles[0], 0, dt)
    right = put_foot(handle, n, ground, given, soles[1], 1, dt)
    lead = lead_body(handle, n, given, dt)
    joints = LegJoints(body.parents, body.legs, body.sole)
    move = bend_onto(room.rot[0], room.world, joints, (left, right), lead, own.shift[n], rows.knees[n], dt)
    for j in body.below:
        step_joint(room.rot[0], body.parents[j], j, body.offsets, room.world)
    note_sides(body, room.world, rows.knees[n])
    room.place[0], room.place[1], room.place[2] = rows.root[n, 0] + move[0], move[1], rows.root[n, 1] + move[2]
    show_pose(room, shown.root_pos[n], shown.rot[n])
    fall_behind(rows, n, own, lead)


@part
def catch_up(rows: Any, n: int, own: Any, soon: Any, dt: float) -> Any:
    """A standing foot whose motion has gone far from it steps after it instead of being drawn along: it is taken for
    not down; which foot is or soon will be."""
    left, right = soon
    for side in range(2):
        down, offset = rows.down[n, side], rows.offset[n, side]
        own.catch_s[n, side] -= dt
        if not (down[0] or down[1]):  # its motion lifts it anyway
            own.catch_s[n, side] = 0.0
        elif own.catch_s[n, side] <= 0.0:
            far = offset[0] * offset[0] + offset[2] * offset[2] > LIVE_GROUND_NEAR_M**2
            other = rows.hold[n, 1 - side] >= 0 and (rows.down[n, 1 - side, 0] or rows.down[n, 1 - side, 1])
            stands = rows.hold[n, side] >= 0 and not own.flies[n, side]
            own.catch_s[n, side] = LIVE_GROUND_CATCH_S if far and other and stands and dt > 0.0 else 0.0
        if own.catch_s[n, side] > 0.0:
            down[0] = down[1] = False
            if own.catch_s[n, side] > LIVE_EASE_S:
                left, right = (0.0, right) if side == 0 else (left, 0.0)
    return left, right


@part
def sole_of(handle: Any, n: int, side: int) -> Any:
    """Middle x, z of a sole in the world as its foot is held, where it points (2), and how far heel and tip are."""
    body, world, root = handle.tables.body, handle.room.world, handle.rows.root[n]
    offset = handle.rows.offset[n, side]
    return sole_at(body, world, side, (root[0] + offset[0], root[1] + offset[2], root[2]))


@part
def begin(handle: Any, n: int, ground: Any, own: Any, soles: Any) -> None:
    """Both feet on the ground as they are."""
    high = height_at(ground, handle.rows.root[n, 0], handle.rows.root[n, 1], np.inf)
    for side in range(2):
        x, z = soles[side][0], soles[side][1]
        fit = fit_sole(ground, x, z, level_step(soles[side]), high)
        y = fit.height if fit.height == fit.height else high if high == high else 0.0
        for plane in (own.start[n, side], own.goal[n, side]):
            put_plane(plane, (x, z), (x, y, z), (fit.slope_x, fit.slope_z))
        own.flies[n, side], own.gone[n, side] = False, 1.0
        own.was[n, side, 0], own.was[n, side, 1] = x, z
        own.last[n, side, 0], own.last[n, side, 1] = x, z
        for i in range(5):
            own.rest[n, side, 0, i] = own.rest[n, side, 1, i] = 0.0
        for i in range(3):
            own.bump[n, side, i] = 0.0
        own.up[n, side, 0] = own.up[n, side, 1] = 0.0
        for i in range(2):
            own.back[n, side, i, 0] = own.back[n, side, i, 1] = 0.0
        forget_knee(handle.rows.knees[n, side])
        own.power[n, side] = own.slow[n, side] = 1.0
        own.catch_s[n, side] = 0.0
    target = body_goal(handle, n, own)
    for i in range(3):
        own.body[n, 0, i] = own.aim[n, 0, i] = target[i]
        own.body[n, 1, i] = own.aim[n, 1, i] = 0.0
        own.shift[n, 0, i] = own.shift[n, 1, i] = 0.0
    own.begun[n], own.blocked[n], own.pace[n], own.steps[n] = True, False, 1.0, False


@part
def level_step(sole: Any) -> Any:
    """A Step of a foot that stays where it is."""
    x, z, ux, uz, heel, tip, _ = sole
    return Step(x, z, ux, uz, ux, uz, heel, tip, False, ux, uz, 0.0, 0.0, 0.0)


@inlined
def step_foot(handle: Any, n: int, ground: Any, given: Any, sole: Any, side: int, dt: float) -> bool:
    """Lift, look ahead or land one foot; whether the room's pose was overwritten."""
    own = given.rows
    stands, lifts = handle.rows.hold[n, side] >= 0, not own.flies[n, side]
    fade_rest(own.rest[n, side], dt, given.keeps, SETTLE if stands or must_hurry(own, n, ground, side) else REST)
    was = own.gone[n, side]
    if stands:
        if own.flies[n, side]:
            before = on_its_way(own, n, sole, side, (was, was))
            land_foot(ground, own, n, sole, side)
            differ(own, n, sole, side, before, dt)
        return False
    left_s = seconds_to_strike(handle, n, side)  # as its motion has it
    if own.catch_s[n, side] > 0.0:
        left_s = own.catch_s[n, side] * own.pace[n]
    was = 0.0 if lifts else was
    own.left_s[n, side] = left_s / own.pace[n] if left_s >= 0.0 else LIVE_GROUND_BLIND_S * (1.0 - was)
    gone = was + (1.0 - was) * dt / max(dt + own.left_s[n, side], 1e-9)
    gone = min(gone, was + dt / LIVE_GROUND_SWING_S)  # one that lands sooner lands where it is by then
    own.wait_s[n, side] -= dt
    looks = lifts or own.wait_s[n, side] <= 0.0
    if looks:
        before = on_its_way(own, n, sole, side, (gone, was))
        if lifts:
            put_plane(own.start[n, side], (sole[0], sole[1]), before[0], (before[0][3], before[0][4]))
            own.flies[n, side], own.gone[n, side] = True, 0.0
            for k in range(3):
                own.ends[n, side, k, 0] = np.nan
        own.wait_s[n, side] = LIVE_GROUND_AGAIN_S if left_s > LIVE_GROUND_CLOSE_S else 0.5 * LIVE_GROUND_AGAIN_S
        look_ahead(handle, n, ground, given, sole, side, left_s)
        look_for_steps(handle, n, ground, own)
        if own.catch_s[n, side] > 0.0:
            own.bump[n, side, 2] = max(own.bump[n, side, 2], LIVE_GROUND_CATCH_M)
    own.gone[n, side] = gone
    if looks:
        differ(own, n, sole, side, (before[0], before[1], was), dt)
    return looks


@part
def on_its_way(own: Any, n: int, sole: Any, side: int, shares: Any) -> Any:
    """Where a foot is as planned, now and a frame ago, place and slope (5,) each, when these shares of its swing's time
    are gone; and the share of the frame ago."""
    at = own.was[n, side]
    return (
        now_at(own, n, (sole[0], sole[1]), side, shares[0]),
        now_at(own, n, (at[0], at[1]), side, shares[1]),
        shares[1],
    )


@part
def differ(own: Any, n: int, sole: Any, side: int, before: Any, dt: float) -> None:
    """What a new plan differs by from the one before, place and speed, is added to what dies away (Bollo 2018)."""
    after = on_its_way(own, n, sole, side, (own.gone[n, side], before[2]))
    rest = own.rest[n, side]
    for i in range(5):
        rest[0, i] += before[0][i] - after[0][i]
        if dt > 0.0:
            rest[1, i] += (before[0][i] - before[1][i] - after[0][i] + after[1][i]) / dt


@part
def land_foot(ground: Any, own: Any, n: int, sole: Any, side: int) -> None:
    """A foot that comes to stand: where it was to, or on what is under it."""
    goal, rest = own.goal[n, side], own.rest[n, side]
    place = now_at(own, n, (sole[0], sole[1]), side, own.gone[n, side])
    x, z = place[0] + rest[0, 0], place[2] + rest[0, 2]
    goal[FLAT_X], goal[FLAT_Z] = sole[0], sole[1]
    edges = has_edges(ground)  # where there are, its planned place on a tread is kept
    moved = not edges or abs(x - goal[X]) + abs(z - goal[Z]) > LIVE_GROUND_SAME_M
    step = level_step(sole)
    fit = fit_sole(ground, x, z, step, place[1])
    into = fit.height - goal[Y] > SIDE_M  # it has turned since its place was planned: its toes are in a step
    for k in range(1, BACK_OUT + 1 if edges and into else 0):
        bx, bz = x - k * OUT_M * sole[2], z - k * OUT_M * sole[3]
        back = fit_sole(ground, bx, bz, step, place[1])
        if back.height - goal[Y] <= SIDE_M:
            x, z, fit = bx, bz, back
            break
    if (moved or into) and fit.height == fit.height:
        put_plane(goal, (sole[0], sole[1]), (x, fit.height, z), (fit.slope_x, fit.slope_z))
    for i in range(7):
        own.start[n, side, i] = goal[i]
    for i in range(3):
        own.bump[n, side, i] = 0.0
    own.ends[n, side, 2, 0] = np.nan
    own.flies[n, side], own.gone[n, side] = False, 1.0
