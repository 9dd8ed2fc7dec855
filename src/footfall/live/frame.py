"""Frame kernel: advances any number of live characters by one step, in one pass and one thread, by the same code.

For every row: parameters go nearer to what is asked for and become weights (`live.steering`), the clock and the root go
on (`live.clock`), the layers are sampled and blended (`live.layers`), what dies away is added (`live.inertia`), and
forward kinematics and the foot lock finish the pose. The oracle is `footfall_lab.oracles.plain_frame`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import inlined, kernel, part
from footfall.feet.limits import LIVE_EASE_S, LIVE_FAR_M, LIVE_LIFT_S, LIVE_NEAR_M, LIVE_SUNK_M
from footfall.feet.live_body import HeldFeet
from footfall.feet.live_lock import (
    FootHold,
    HoldLimits,
    LegJoints,
    Soles,
    bend_legs,
    contacts,
    hold_one,
    note_sides,
    only_low,
    point_of,
)
from footfall.live.clock import advance_one
from footfall.live.easing import kept
from footfall.live.inertia import add_offset
from footfall.live.layers import blend_one
from footfall.live.rows import LEAVING
from footfall.live.steering import steer
from footfall.parametric.sampling import ONE, sum_rows

# Characters that go on before their poses are made: half of a frame's code fits where a core keeps code, the whole does
# not. With a thousand of them, the second half would find nothing left of what the first half wrote.
TOGETHER = 32


class ShownPoses(NamedTuple):
    """What a step shows of characters."""

    root_pos: np.ndarray  # (N, 3) f64 of joint 0
    rot: np.ndarray  # (N, J, 4) f64 unit, in the parent's frame; joint 0 in the world


@kernel(_nrt=False)
def step_rows(handle: Any, first: int, last: int, shown: Any, dt: float, lock: bool) -> None:
    """Rows from first to before last go on by dt and show their poses."""
    keep = kept(dt)
    for start in range(first, last, TOGETHER):
        end = min(start + TOGETHER, last)
        for n in range(start, end):
            go_one(handle, n, keep, dt)
        for n in range(start, end):
            pose_one(handle, n, shown, dt, lock)


@kernel(_nrt=False, nogil=False)
def step_row(handle: Any, shown: Any, dt: float, lock: bool) -> None:
    """As `step_rows` for a character alone, with the interpreter kept.

    This takes microseconds. Who lets go of the interpreter while another thread wants it gets it back after that
    thread's whole turn, 5 ms as Python has it.
    """
    go_one(handle, 0, kept(dt), dt)
    pose_one(handle, 0, shown, dt, lock)


@kernel(_nrt=False)
def advance_rows(handle: Any, first: int, last: int, dt: float) -> None:
    """The first half of a step: parameters, weights, clock and root."""
    keep = kept(dt)
    for n in range(first, last):
        go_one(handle, n, keep, dt)


@kernel(_nrt=False)
def pose_rows(handle: Any, first: int, last: int, shown: Any, dt: float, lock: bool) -> None:
    """The second half: poses; dt is for the easing of feet."""
    for n in range(first, last):
        pose_one(handle, n, shown, dt, lock)


@inlined
def go_one(handle: Any, n: int, keep: float, dt: float) -> None:
    """One character's parameters, weights, clock and root; what it is leaving stays as it was."""
    rows = handle.rows
    for v in range(1 if rows.phase[n] == LEAVING else 0, rows.layers[n]):
        steer(handle, n, v, keep, dt)
    advance_one(handle, n, dt)


@inlined
def pose_one(handle: Any, n: int, shown: Any, dt: float, lock: bool) -> None:
    """The pose of one character from its times, weights and root as they are now."""
    rows, room, body = handle.rows, handle.room, handle.tables.body
    fades = animate_one(handle, n)
    place = room.place
    x = y = z = 0.0
    if lock and body.legs[0, 0] >= 0:
        soon = feet_down(handle, n)
        if fades:
            only_low(body.sole_joints, body.sole, body.standing, room.world, rows.down[n])
        x, y, z = plant_one(body, feet_of(handle, n), rows.root[n], soon, dt)
    place[0], place[1], place[2] = rows.root[n, 0] + x, y, rows.root[n, 1] + z
    show_pose(room, shown.root_pos[n], shown.rot[n])


@part
def animate_one(handle: Any, n: int) -> bool:
    """The pose of one character as animated, into its room; whether an offset dies away in it."""
    rows, room, body = handle.rows, handle.room, handle.tables.body
    blend_one(handle, n, 0.0)
    q, fades = room.turns[0], rows.age[n] >= 0.0
    if fades:
        add_offset(handle, n, rows.age[n], q)
    root = place_root(room.row, 3 * room.turns.shape[2], q, rows.root[n, 2])
    walk_joints(q, body.parents, body.offsets, root, room.rot[0], room.world)
    return bool(fades)


@inlined
def feet_of(handle: Any, n: int) -> Any:
    """The HeldFeet of one character."""
    rows, room = handle.rows, handle.room
    return HeldFeet(rows.floor[n], rows.lift[n], rows.shift[n], rows.hold[n], rows.held[n], rows.offset[n],
                    rows.speed[n], rows.slip[n], rows.was[n], rows.grip[n], rows.knees[n], rows.down[n], room.rot,
                    room.world)  # fmt: skip


@part
def show_pose(room: Any, root_pos: Any, out: Any) -> None:
    """The pose of a room as it is shown: place (3,) of joint 0, and unit rotations (J, 4)."""
    rot = room.rot[0]
    for i in range(3):
        root_pos[i] = room.world[0, 4 + i] + room.place[i]
    for j in range(len(out)):
        a, b, c, d = np.float64(rot[j, 0]), np.float64(rot[j, 1]), np.float64(rot[j, 2]), np.float64(rot[j, 3])
        size = 1.5 - 0.5 * (
            a * a + b * b + c * c + d * d
        )  # one over their length, which is 1 but for float32's rounding
        out[j, 0], out[j, 1], out[j, 2], out[j, 3] = a * size, b * size, c * size, d * size


@part
def feet_down(handle: Any, n: int) -> Any:
    """Which parts of feet are on the floor by the larger layer, into rows.down; and which foot is or soon will be.

    Of a foot that both layers have down only the parts that both have count: a heel is not put down again half-way
    through a blend. Where one has the heel down and the other the toe, both parts are: the lower one stands.
    """
    rows, tables, spans = handle.rows, handle.tables, handle.room.spans
    share, down = rows.share[n], rows.down[n]
    two = rows.layers[n] == 2 and share < ONE
    larger = 0 if share >= np.float32(0.5) or not two else 1
    a = b = c = d = False
    soon = (0.0, 0.0)
    for turn in range(0 if two else 1, 2):  # the larger layer last
        v = larger if turn == 1 else 1 - larger
        a, b, c, d = down[0, 0], down[0, 1], down[1, 0], down[1, 1]
        k = rows.motion[n, v]
        sum_rows(tables.spans[k], np.int64(0), rows.weights[n, v], tables.count[k], spans)
        soon = contacts(spans, rows.t[n, v], tables.loops[k], LIVE_EASE_S * rows.rate[n, v], down)
    if two:
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


@inlined
def plant_one(body: Any, feet: Any, root: Any, soon: Any, dt: float) -> Any:
    """Hold both feet, bend the legs, walk the joints below the hips again; returns what the whole body moves by.

    body: a LiveBody; feet: a HeldFeet, whose rot and world hold the pose; root: x, z, heading of the carrier; soon: 1.0
    for a foot that is down or soon will be.
    """
    rise_body(feet.lift, 0.5 * (feet.floor[0] + feet.floor[1]), dt)
    hold_feet(body, feet, root, soon, HoldLimits(LIVE_NEAR_M, LIVE_FAR_M, LIVE_SUNK_M), dt)
    joints = LegJoints(body.parents, body.legs, body.sole)
    move = bend_legs(feet.rot[0], feet.world, joints, feet.offset, feet.grip, feet.shift, feet.knees, dt)
    for j in body.below:
        step_joint(feet.rot[0], body.parents[j], j, body.offsets, feet.world)
    note_sides(body, feet.world, feet.knees)
    return move[0], move[1] + feet.lift[0], move[2]


@inlined
def hold_feet(body: Any, feet: Any, root: Any, soon: Any, may: Any, dt: float) -> None:
    """What both feet of a HeldFeet hold on to, and what is added to their ankles for it, in place; may:
    their HoldLimits."""
    lift, floor, hold, grip = feet.lift, feet.floor, feet.hold, feet.grip
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
        hold[side] = hold_one(soles, feet.down[side], hold[side], foot, may, dt)
        shifted(feet.held[side], feet.was[side], root, lift, 1.0)
        grip[side] += min(max(soon[side] - grip[side], -most), most)


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
