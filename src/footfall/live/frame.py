"""Frame kernels: clock, root and pose of live characters in one frame, one pass, one thread.

A character plays one or two layers, each a parametric motion with its own canonical time and weights. `advance_one`
moves clock and root on; `pose_crowd` samples and blends the layers, places the root in the world, runs forward
kinematics and locks the feet. The oracle of both is `footfall_lab.oracles.plain_frame`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import kernel, part
from footfall.feet.limits import LIVE_EASE_S, LIVE_LIFT_S
from footfall.feet.live_body import HeldFeet
from footfall.feet.live_lock import FootHold, LegJoints, Soles, bend_legs, contacts, hold_one, only_low, point_of
from footfall.parametric.sampling import (
    ONE,
    between,
    blended_rate,
    cell_of,
    factors_of,
    piece_of,
    sum_rows,
    travel_at,
    turned_mean,
)

MOST_STRETCHES = 100_000  # between key times in one step; a step of more is a mistake
TOGETHER = 1e-9  # key times: borders of two layers that lie nearer than this are crossed together


@kernel(_nrt=False)
def pose_crowd(tables: Any, crowd: Any, dt: float, lock: bool) -> None:
    """Make the poses of all characters, in place, from the times, weights and roots they have now."""
    q, at = crowd.turns[0], len(crowd.row) - 8
    for n in range(len(crowd.share)):
        blend_one(tables, crowd, n)
        root = place_root(crowd.row, at, q, crowd.root[n, 2])
        walk_joints(q, tables.body, root, crowd.rot[n], crowd.world)
        finish_one(tables, crowd, n, dt, lock, False)


@part
def finish_one(tables: Any, crowd: Any, n: int, dt: float, lock: bool, inertialized: bool) -> None:
    """Lock the feet of one character whose joints are in crowd.world, and write where its joints are.

    inertialized: an offset was added after blending; a foot then stands only once it is near the floor.
    """
    x = y = z = 0.0
    if lock and tables.body.legs[0, 0] >= 0:
        soon = feet_down(tables, crowd, n)
        if inertialized:
            only_low(tables.body.sole_joints, tables.body.sole, tables.body.standing, crowd.world, crowd.down[n])
        x, y, z = plant_one(tables.body, feet_of(crowd, n), crowd.root[n], soon, dt)
    write_one(crowd.world, crowd.root[n, 0] + x, y, crowd.root[n, 1] + z, crowd.root_pos[n], crowd.positions[n])


@part
def feet_of(crowd: Any, n: int) -> Any:
    """The feet of one character, as views."""
    return HeldFeet(crowd.floor[n], crowd.lift[n], crowd.shift[n], crowd.hold[n], crowd.held[n], crowd.offset[n],
                    crowd.speed[n], crowd.slip[n], crowd.was[n], crowd.grip[n], crowd.down[n], crowd.rot[n : n + 1],
                    crowd.world)  # fmt: skip


@part
def feet_down(tables: Any, crowd: Any, n: int) -> Any:
    """Which parts of feet are on the floor by the larger layer, into crowd.down; and which foot is or soon will be.

    Of a foot that both layers have down only the parts that both have count: a heel is not put down again half-way
    through a blend. Where one has the heel down and the other the toe, both parts are: the lower one stands.
    """
    motion, t, rate, share, down = crowd.motion[n], crowd.t[n], crowd.rate[n], crowd.share[n], crowd.down[n]
    larger = 0 if share >= np.float32(0.5) else 1
    a = b = c = d = False
    soon = (0.0, 0.0)
    for turn in range(0 if share < ONE else 1, 2):  # the larger layer last
        v = larger if turn == 1 else 1 - larger
        a, b, c, d = down[0, 0], down[0, 1], down[1, 0], down[1, 1]
        k = motion[v]
        sum_rows(tables.spans[k], np.int64(0), crowd.weights[n, v], tables.count[k], crowd.spans)
        soon = contacts(crowd.spans, t[v], tables.loops[k], LIVE_EASE_S * rate[v], down)
    if share < ONE:
        agree(a, b, down[0])
        agree(c, d, down[1])
    return soon


@part
def agree(heel: bool, toe: bool, down: Any) -> None:
    """The parts of a foot that are down in both layers, or, of a foot that is down in both by unlike parts, both."""
    if (heel and down[0]) or (toe and down[1]):
        down[0], down[1] = heel and down[0], toe and down[1]
    elif (heel or toe) and (down[0] or down[1]):
        down[0], down[1] = True, True


@part
def advance_one(tables: Any, crowd: Any, n: int, dt: float) -> None:
    """Move clock and root of one character on: both layers by the same number of key times, each stretch on an arc."""
    motion, t, rate, weights = crowd.motion[n], crowd.t[n], crowd.rate[n], crowd.weights[n]
    travelled, share = crowd.travelled[n], np.float64(crowd.share[n])
    layers = 1 if share >= 1.0 else 2
    left = dt
    travelled[0] = travelled[1] = travelled[2] = 0.0
    for _ in range(MOST_STRETCHES):
        speed, border = 0.0, np.inf
        for v in range(layers):
            k = motion[v]
            m = piece_of(t[v], tables.pieces[k])
            if m == tables.pieces[k]:
                m -= 1
                if tables.loops[k]:
                    t[v], m = 0.0, 0
                    crowd.laps[n, v] += 1
            rate[v] = blended_rate(weights[v], tables.log_rates[k, m], tables.bounds[k, m], tables.count[k])
            speed += (share if v == 0 else 1.0 - share) * rate[v] * tables.pieces[k]
            if t[v] < 1.0:
                border = min(border, m + 1 - t[v] * tables.pieces[k])
        if layers == 1:
            speed = rate[0] * tables.pieces[motion[0]]
        if border == np.inf:
            break  # all that is playing has come to its end
        far = left * speed
        crosses = not far < border
        if crosses:
            far = border
        forward = aside = turn = 0.0
        for v in range(layers):
            k = motion[v]
            if t[v] >= 1.0:
                continue
            m = piece_of(t[v], tables.pieces[k])
            meets = crosses and m + 1 - t[v] * tables.pieces[k] <= border + TOGETHER
            end = (m + 1) / tables.pieces[k] if meets else t[v] + far / tables.pieces[k]
            before = travel_at(tables.rows, tables.first_row[k], tables.count[k], tables.cells[k], weights[v], t[v])
            after = travel_at(tables.rows, tables.first_row[k], tables.count[k], tables.cells[k], weights[v], end)
            s = 1.0 if layers == 1 else (share if v == 0 else 1.0 - share)
            forward += s * (after[0] - before[0])
            aside += s * (after[1] - before[1])
            turn += s * (after[2] - before[2])
            t[v] = end
        move_root(crowd.root[n], forward, aside, turn)
        travelled[0] += forward
        travelled[1] += aside
        travelled[2] += turn
        left = left - border / speed if crosses else 0.0
        if not left > 0.0:
            break


@part
def move_root(root: Any, forward: float, aside: float, turn: float) -> None:
    """Move a floor frame x, z, heading along an arc, as `arc_root.moved` does."""
    half = 0.5 * turn
    sinc = np.sin(half) / half if abs(half) > 1e-6 else 1.0 - half * half / 6.0
    c, s = sinc * np.cos(root[2] + half), sinc * np.sin(root[2] + half)
    root[0] += s * forward + c * aside
    root[1] += c * forward - s * aside
    root[2] += turn


@part
def blend_one(tables: Any, crowd: Any, n: int) -> None:
    """Blend the layers of one character on its carrier: rotations into crowd.turns[0], the root's sway into crowd.row.

    The sway lies behind the rotation vectors in the row.
    """
    row, turns, share = crowd.row, crowd.turns, crowd.share[n]
    at = 3 * turns.shape[2]
    x = y = z = np.float32(0.0)
    for v in range(2 if share < ONE else 1):
        k = crowd.motion[n, v]
        x, y, z = row[at], row[at + 1], row[at + 2]
        g, f = cell_of(crowd.t[n, v], tables.cells[k])
        count, grid = tables.count[k], tables.first_mean[k] + g
        factors_of(crowd.weights[n, v], count, f, crowd.factors)
        sum_rows(tables.rows, tables.first_row[k] + g * count, crowd.factors, 2 * count, row)
        turned_mean(tables.mean[grid], tables.mean[grid + 1], np.float32(f), row, turns[v])
    if share < ONE:
        rest = ONE - share
        between(turns[0], turns[1], rest)
        row[at], row[at + 1] = share * x + rest * row[at], share * y + rest * row[at + 1]
        row[at + 2] = share * z + rest * row[at + 2]


@part
def place_root(row: Any, at: int, q: Any, heading: float) -> Any:
    """Joint 0 of q turned by the heading, in place; where it is as seen from over the carrier."""
    hc, hs = np.cos(0.5 * heading), np.sin(0.5 * heading)
    c, s = hc * hc - hs * hs, 2.0 * hc * hs
    left, up, ahead = np.float64(row[at]), np.float64(row[at + 1]), np.float64(row[at + 2])
    a, b, d, e = q[0, 0], q[1, 0], q[2, 0], q[3, 0]
    q[0, 0], q[1, 0] = hc * a - hs * d, hc * b + hs * e
    q[2, 0], q[3, 0] = hc * d + hs * a, hc * e - hs * b
    return c * left + s * ahead, up, c * ahead - s * left


@part
def walk_joints(q: Any, body: Any, root: Any, rot: Any, world: Any) -> None:
    """Rotations q (4, J') as rot (J, 4), and world rotations and places (J, 8) relative to the carrier."""
    parents = body.parents
    for j in range(len(parents)):
        for i in range(4):
            rot[j, i] = q[i, j]
    for i in range(4):
        world[0, i] = rot[0, i]
    for i in range(3):
        world[0, 4 + i] = root[i]
    for j in range(1, len(parents)):
        step_joint(rot, parents[j], j, body.offsets, world)


@part
def step_joint(rot: Any, parent: int, j: int, offsets: Any, world: Any) -> None:
    """One joint from its parent, as `kinematics.fk` does for all."""
    p, o, r, out = world[parent], offsets[j], rot[j], world[j]
    w, x, y, z = p[0], p[1], p[2], p[3]
    ox, oy, oz = o[0], o[1], o[2]
    tx, ty, tz = y * oz - z * oy, z * ox - x * oz, x * oy - y * ox
    tx, ty, tz = tx + tx, ty + ty, tz + tz
    out[4] = p[4] + ox + w * tx + (y * tz - z * ty)
    out[5] = p[5] + oy + w * ty + (z * tx - x * tz)
    out[6] = p[6] + oz + w * tz + (x * ty - y * tx)
    a, b, c, d = r[0], r[1], r[2], r[3]
    out[0], out[1] = w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c
    out[2], out[3] = w * c - x * d + y * a + z * b, w * d + x * c - y * b + z * a


@part
def plant_one(body: Any, feet: Any, root: Any, soon: Any, dt: float) -> Any:
    """Hold both feet, bend the legs, walk the joints below the hips again; returns what the whole body moves by.

    body: a LiveBody; feet: a HeldFeet, whose rot and world hold the pose; root: x, z, heading of the carrier; soon: 1.0
    for a foot that is down or soon will be.
    """
    lift, floor, hold, grip = feet.lift, feet.floor, feet.hold, feet.grip
    rise_body(lift, 0.5 * (floor[0] + floor[1]), dt)
    most = dt / LIVE_EASE_S
    for side in range(2):
        p0 = point_of(feet.world, body.sole_joints[side, 0], body.sole[side, 0])
        p1 = point_of(feet.world, body.sole_joints[side, 1], body.sole[side, 1])
        p2 = point_of(feet.world, body.sole_joints[side, 2], body.sole[side, 2])
        high = body.standing[side]
        heights = (p0[1] - high[0], p1[1] - high[1], p2[1] - high[2])
        shifted(feet.held[side], feet.was[side], root, lift, -1.0)
        foot = FootHold(feet.held[side], feet.offset[side], feet.speed[side], feet.slip[side], feet.was[side])
        soles = Soles((p0, p1, p2), heights, floor[side] - lift[0])
        hold[side] = hold_one(soles, feet.down[side], hold[side], foot, dt)
        shifted(feet.held[side], feet.was[side], root, lift, 1.0)
        grip[side] += min(max(soon[side] - grip[side], -most), most)
    joints = LegJoints(body.parents, body.legs, body.sole)
    move = bend_legs(feet.rot[0], feet.world, joints, feet.offset, grip, feet.shift, dt)
    for j in body.below:
        step_joint(feet.rot[0], body.parents[j], j, body.offsets, feet.world)
    return move[0], move[1] + lift[0], move[2]


@part
def shifted(held: Any, was: Any, root: Any, lift: Any, sign: float) -> None:
    """Places of one foot from the world to the carrier and its lifted body (-1) and back (1), in place."""
    x, y, z = sign * root[0], sign * lift[0], sign * root[1]
    held[0], held[1], held[2] = held[0] + x, held[1] + y, held[2] + z
    for k in range(3):
        was[k, 0], was[k, 1], was[k, 2] = was[k, 0] + x, was[k, 1] + y, was[k, 2] + z


@part
def rise_body(lift: Any, goal: float, dt: float) -> None:
    """Height of the body and its speed, a critically damped spring's exact step towards the ground's height."""
    k = 1.0 / LIVE_LIFT_S
    x, v, e = lift[0] - goal, lift[1], np.exp(-k * dt)
    j = (v + k * x) * dt
    lift[0], lift[1] = goal + (x + j) * e, (v - k * j) * e


@part
def write_one(world: Any, x: float, y: float, z: float, root_pos: Any, positions: Any) -> None:
    """Places in the world."""
    for j in range(len(world)):
        positions[j, 0], positions[j, 1], positions[j, 2] = world[j, 4] + x, world[j, 5] + y, world[j, 6] + z
    root_pos[0], root_pos[1], root_pos[2] = positions[0, 0], positions[0, 1], positions[0, 2]
