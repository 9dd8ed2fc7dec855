"""Frame kernel: everything that happens to a crowd of live characters in one frame, one pass, one thread.

For every character: weights, clock and root (`advance_one`), sampling and blending of one or two layers, root in the
world, forward kinematics, foot lock. The readable twin is `footfall_lab.oracles.plain_frame`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import kernel, part
from footfall.feet.live_lock import EASE_S, LIFT_S, bend_legs, contacts, hold_one, point_of
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
    weigh,
)

MOST_STRETCHES = 100_000  # between key times, of one step: more is a mistake
TOGETHER = 1e-9  # key times of two layers this near are one
LEGS = np.array([[0, 1, 2], [0, 1, 2]])


@kernel(_nrt=False)
def run_frame(tables: Any, crowd: Any, dt: float, going: bool, posing: bool, lock: bool, weighing: bool = False) -> int:
    """All characters, in place, what is asked for; -1, or the first of them whose motion does not exist."""
    for n in range(len(crowd.share)):
        for v in range(2):
            if crowd.motion[n, v] < 0 or crowd.motion[n, v] >= len(tables.count):
                return n
    q, at = crowd.turns[0], len(crowd.row) - 8
    planted = lock and tables.legs[0, 0] >= 0
    for n in range(len(crowd.share)):
        if weighing:
            for v in range(2 if crowd.share[n] < ONE else 1):
                k = crowd.motion[n, v]
                weigh(crowd.wanted[n, v], tables.middle[k], tables.scale[k], tables.centres[k], tables.near[k],
                      tables.coefficients[k], crowd.weights[n, v], crowd.factors)  # fmt: skip
        if going:
            advance_one(tables.rows, tables.first_row, tables.count, tables.cells, tables.pieces, tables.loops,
                        tables.log_rates, tables.bounds, crowd.motion[n], crowd.t[n], crowd.laps[n], crowd.rate[n],
                        crowd.weights[n], np.float64(crowd.share[n]), crowd.root[n], crowd.travelled[n],
                        dt)  # fmt: skip
        if posing:
            blend_one(tables.rows, tables.mean, tables.first_row, tables.first_mean, tables.count, tables.cells,
                      crowd.motion[n], crowd.t[n], crowd.weights[n], crowd.share[n], crowd.row, crowd.factors,
                      crowd.turns)  # fmt: skip
            root = place_root(crowd.row, at, q, crowd.root[n, 2])
            walk_joints(q, tables.parents, tables.offsets, root, crowd.rot[n], crowd.world)
            x = y = z = 0.0
            if planted:
                soon = feet_down(tables.spans, tables.count, tables.loops, crowd.spans, crowd.motion[n], crowd.t[n],
                                 crowd.rate[n], crowd.weights[n], crowd.share[n], crowd.down[n])  # fmt: skip
                x, y, z = plant_one(tables.sole_joints, tables.sole, tables.standing, tables.parents, tables.offsets,
                                    tables.legs, tables.below, crowd.world, crowd.rot[n : n + 1], crowd.root[n],
                                    crowd.floor[n], crowd.lift[n], crowd.shift[n], crowd.down[n], soon, crowd.hold[n],
                                    crowd.held[n], crowd.offset[n], crowd.speed[n], crowd.slip[n], crowd.was[n],
                                    crowd.grip[n], dt)  # fmt: skip
            write_one(crowd.world, crowd.root[n, 0] + x, y, crowd.root[n, 1] + z, crowd.root_pos[n], crowd.positions[n])
    return -1


@part
def feet_down(spans: Any, counts: Any, loops: Any, scratch: Any, motion: Any, t: Any, rate: Any, weights: Any,
              share: Any, down: Any) -> Any:  # fmt: skip
    """Parts of feet on the floor, down (2, 2), by the larger layer; and as `contacts` which foot is, or soon will be.

    Of a foot that both layers have down only the parts that both have: a heel is not put down again half-way through
    a blend. Where one has the heel down and the other the toe, both parts are: the lower one stands.
    """
    larger = 0 if share >= np.float32(0.5) else 1
    a = b = c = d = False
    soon = (0.0, 0.0)
    for turn in range(0 if share < ONE else 1, 2):  # the larger layer last
        v = larger if turn == 1 else 1 - larger
        a, b, c, d = down[0, 0], down[0, 1], down[1, 0], down[1, 1]
        sum_rows(spans[motion[v]], np.int64(0), weights[v], counts[motion[v]], scratch)
        soon = contacts(scratch, t[v], loops[motion[v]], EASE_S * rate[v], down)
    if share < ONE:
        if (a and down[0, 0]) or (b and down[0, 1]):
            down[0, 0], down[0, 1] = a and down[0, 0], b and down[0, 1]
        elif (a or b) and (down[0, 0] or down[0, 1]):
            down[0, 0], down[0, 1] = True, True
        if (c and down[1, 0]) or (d and down[1, 1]):
            down[1, 0], down[1, 1] = c and down[1, 0], d and down[1, 1]
        elif (c or d) and (down[1, 0] or down[1, 1]):
            down[1, 0], down[1, 1] = True, True
    return soon


@part
def advance_one(rows: Any, first_row: Any, counts: Any, cells: Any, pieces: Any, loops: Any, log_rates: Any,
                bounds: Any, motion: Any, t: Any, laps: Any, rate: Any, weights: Any, share: float, root: Any,
                travelled: Any, dt: float) -> None:  # fmt: skip
    """Clock and root of one character: both layers go on by the same number of key times, each stretch on an arc."""
    layers = 1 if share >= 1.0 else 2
    left = dt
    travelled[0] = travelled[1] = travelled[2] = 0.0
    for _ in range(MOST_STRETCHES):
        speed, border = 0.0, np.inf
        for v in range(layers):
            k = motion[v]
            m = piece_of(t[v], pieces[k])
            if m == pieces[k]:
                m -= 1
                if loops[k]:
                    t[v], m = 0.0, 0
                    laps[v] += 1
            rate[v] = blended_rate(weights[v], log_rates[k, m], bounds[k, m], counts[k])
            speed += (share if v == 0 else 1.0 - share) * rate[v] * pieces[k]
            if t[v] < 1.0:
                border = min(border, m + 1 - t[v] * pieces[k])
        if layers == 1:
            speed = rate[0] * pieces[motion[0]]
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
            m = piece_of(t[v], pieces[k])
            meets = crosses and m + 1 - t[v] * pieces[k] <= border + TOGETHER
            end = (m + 1) / pieces[k] if meets else t[v] + far / pieces[k]
            before = travel_at(rows, first_row[k], counts[k], cells[k], weights[v], t[v])
            after = travel_at(rows, first_row[k], counts[k], cells[k], weights[v], end)
            s = 1.0 if layers == 1 else (share if v == 0 else 1.0 - share)
            forward += s * (after[0] - before[0])
            aside += s * (after[1] - before[1])
            turn += s * (after[2] - before[2])
            t[v] = end
        move_root(root, forward, aside, turn)
        travelled[0] += forward
        travelled[1] += aside
        travelled[2] += turn
        left = left - border / speed if crosses else 0.0
        if not left > 0.0:
            break


@part
def move_root(root: Any, forward: float, aside: float, turn: float) -> None:
    """A floor frame x, z, heading after an arc; the twin is arc_root.moved."""
    half = 0.5 * turn
    sinc = np.sin(half) / half if abs(half) > 1e-6 else 1.0 - half * half / 6.0
    c, s = sinc * np.cos(root[2] + half), sinc * np.sin(root[2] + half)
    root[0] += s * forward + c * aside
    root[1] += c * forward - s * aside
    root[2] += turn


@part
def blend_one(rows: Any, mean: Any, first_row: Any, first_mean: Any, counts: Any, cells: Any, motion: Any, t: Any,
              weights: Any, share: Any, row: Any, factors: Any, turns: Any) -> None:  # fmt: skip
    """Rotations turns[0] (4, J') of one character on its carrier, and its root's sway behind the vectors in row."""
    at = 3 * turns.shape[2]
    x = y = z = np.float32(0.0)
    for v in range(2 if share < ONE else 1):
        k = motion[v]
        x, y, z = row[at], row[at + 1], row[at + 2]
        g, f = cell_of(t[v], cells[k])
        factors_of(weights[v], counts[k], f, factors)
        sum_rows(rows, first_row[k] + g * counts[k], factors, 2 * counts[k], row)
        turned_mean(mean[first_mean[k] + g], mean[first_mean[k] + g + 1], np.float32(f), row, turns[v])
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
def walk_joints(q: Any, parents: Any, offsets: Any, root: Any, rot: Any, world: Any) -> None:
    """Rotations q (4, J') as rot (J, 4), and world rotations and places (J, 8) relative to the carrier."""
    for j in range(len(parents)):
        for i in range(4):
            rot[j, i] = q[i, j]
    for i in range(4):
        world[0, i] = rot[0, i]
    for i in range(3):
        world[0, 4 + i] = root[i]
    for j in range(1, len(parents)):
        step_joint(rot, parents[j], j, offsets, world)


@part
def step_joint(rot: Any, parent: int, j: int, offsets: Any, world: Any) -> None:
    """One joint from its parent; the twin is kinematics.fk."""
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
def plant_one(sole_joints: Any, sole: Any, standing: Any, parents: Any, offsets: Any, legs: Any, below: Any,
              world: Any, rot: Any, root: Any, floor: Any, lift: Any, shift: Any, down: Any, soon: Any, hold: Any,
              held: Any, offset: Any, speed: Any, slip: Any, was: Any, grip: Any, dt: float) -> Any:  # fmt: skip
    """Both feet held, legs bent, joints below the hips walked again; what the whole body moves by."""
    rise_body(lift, 0.5 * (floor[0] + floor[1]), dt)
    most = dt / EASE_S
    for side in range(2):
        p0 = point_of(world, sole_joints[side, 0], sole[side, 0])
        p1 = point_of(world, sole_joints[side, 1], sole[side, 1])
        p2 = point_of(world, sole_joints[side, 2], sole[side, 2])
        heights = (p0[1] - standing[side, 0], p1[1] - standing[side, 1], p2[1] - standing[side, 2])
        shifted(held[side], was[side], root, lift, -1.0)
        hold[side] = hold_one((p0, p1, p2), heights, floor[side] - lift[0], down[side], hold[side], held[side],
                              offset[side], speed[side], slip[side], was[side], dt)  # fmt: skip
        shifted(held[side], was[side], root, lift, 1.0)
        grip[side] += min(max(soon[side] - grip[side], -most), most)
    move = bend_legs(rot, world, parents, legs, sole, offset, grip, shift, LEGS, dt)
    for j in below:
        step_joint(rot[0], parents[j], j, offsets, world)
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
    k = 1.0 / LIFT_S
    x, v, e = lift[0] - goal, lift[1], np.exp(-k * dt)
    j = (v + k * x) * dt
    lift[0], lift[1] = goal + (x + j) * e, (v - k * j) * e


@part
def write_one(world: Any, x: float, y: float, z: float, root_pos: Any, positions: Any) -> None:
    """Places in the world."""
    for j in range(len(world)):
        positions[j, 0], positions[j, 1], positions[j, 2] = world[j, 4] + x, world[j, 5] + y, world[j, 6] + z
    root_pos[0], root_pos[1], root_pos[2] = positions[0, 0], positions[0, 1], positions[0, 2]
