"""Inertialization of live characters: the difference between the shown pose and the new motion decays (Bollo 2018).

Everything happens on the carrier: the carrier goes on from where it is, and takes the new motion's velocity without a
step. What the feet hold is not part of it: the foot lock goes on with what it has. The quintic is that of
`joins.methods.inertialize`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import part
from footfall.core.rotation_kernels import cross, dot, rotate
from footfall.edit.coast import MOST_RAD_S
from footfall.joins.methods.inertialize import MOST_M_S2, MOST_RAD_S2, quintic_of
from footfall.live.layers import blend_one
from footfall.parametric.sampling import HALF, ONE, QUARTER, ZERO, cosine, logarithm, piece_of, sinc, travel_at

FADE_S = 0.4  # in which the offset dies away; by eye. A velocity may take longer,
SLOW_M_S = 0.3  # unless it is slower than this; by eye
STEP_S = 1.0 / 60.0  # over which poses are differenced for their velocities
MOST_BRAKE_M_S2 = 16.0  # m/s² with which a velocity that the new motion lacks dies away, at most; by eye
EASE_PEAK = 1.875  # the steepest slope of the quintic ease
FASTEST_RAD_S = 8.0  # rad/s with which an offset dies away at most: an arm that is far off takes longer; by eye
STRAIGHT_RAD_S2 = 120.0  # rad/s² with which a knee that straightens is stopped before it is straight; by eye
SOFT_KNEE = 0.3  # of a knee's bend: an offset that leaves less of it begins to get less itself; by eye
MOST_SPEED = 5.0  # m/s: a root offset that is faster was put somewhere else, it did not move


@part
def left_of(handle: Any, n: int, j: int, age: float) -> Any:
    """What is left of the offset of joint j, or of the root after the last joint, at an age."""
    rows = handle.rows
    most = MOST_RAD_S2 if j < rows.turn.shape[1] - 1 else MOST_M_S2
    turn, spin = rows.turn[n, j], rows.spin[n, j]
    return quintic_of((turn[0], turn[1], turn[2]), (spin[0], spin[1], spin[2]), offset_s(rows, n, j), age, most)


@part
def offset_s(rows: Any, n: int, j: int) -> float:
    """Seconds in which the offset of joint j, or of the root after the last joint, dies away."""
    length = float(rows.fade_s[n])
    if rows.lost[n, 0] * rows.lost[n, 0] + rows.lost[n, 1] * rows.lost[n, 1] > SLOW_M_S * SLOW_M_S:
        length = min(length, FADE_S)  # it is the velocity that takes longer
    if j == rows.turn.shape[1] - 1:
        return length
    turn = rows.turn[n, j]
    far = np.sqrt(np.float64(turn[0]) ** 2 + np.float64(turn[1]) ** 2 + np.float64(turn[2]) ** 2)
    return max(length, EASE_PEAK * far / FASTEST_RAD_S)


@part
def offset_is_gone(rows: Any, n: int) -> bool:
    """Whether nothing is left of any offset nor of the velocity."""
    length = float(rows.fade_s[n])
    for j in range(rows.turn.shape[1] - 1):
        length = max(length, offset_s(rows, n, j))
    return bool(rows.age[n] >= length)


@part
def add_offset(handle: Any, n: int, age: float, q: Any) -> None:
    """The pose q (4, J') and the sway in room.row with what is left of the offset at an age on them."""
    room, body, joints = handle.room, handle.tables.body, handle.rows.turn.shape[1] - 1
    for j in range(joints):
        v = left_of(handle, n, j, age)
        k = ONE
        for side in range(2):
            if j == body.legs[side, 1] and handle.rows.soft[n, side] > ZERO:
                k = np.float32(kept_of_knee(knee_bend(body, body.legs[side], q)[0], v, handle.rows.soft[n, side]))
        x, y, z = k * np.float32(v[0]), k * np.float32(v[1]), k * np.float32(v[2])
        s = QUARTER * (x * x + y * y + z * z)
        c, k = cosine(s), HALF * sinc(s)
        turn_by(q, j, c, k * x, k * y, k * z)
    v = left_of(handle, n, joints, age)
    at = 3 * room.turns.shape[2]
    for i in range(3):
        room.row[at + i] += np.float32(v[i])


@part
def kept_of_knee(bend: float, offset: Any, soft: float) -> float:
    """How much is kept of a knee's offset (3,) that straightens it, where what plays bends it by so much: less and less
    where it takes nearly all of that, so that it does not bend backward; soft: how long before it begins to."""
    size = np.sqrt(offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2])
    if size * (1.0 + soft) <= bend:
        return 1.0
    x = bend / size
    if x <= 1.0 - soft:
        return float(x)
    over = x - 1.0 + soft
    return float(x - 0.25 * over * over / soft)


@part
def knee_bend(body: Any, leg: Any, q: Any) -> Any:
    """Radians that a knee is bent in q (4, J'), and the axis (3,) about which, in its own frame; leg: hip, knee and
    ankle."""
    turn = turn_at(q, leg[1])
    thigh, shin = vector_of(body.offsets, leg[1]), rotate(turn, vector_of(body.offsets, leg[2]))
    out = cross(thigh, shin)
    size = np.sqrt(dot(out, out))
    back = rotate((turn[0], -turn[1], -turn[2], -turn[3]), out)
    by = 1.0 / max(size, 1e-12)
    return float(np.arctan2(size, dot(thigh, shin))), (by * back[0], by * back[1], by * back[2])


@part
def turn_by(q: Any, j: int, c: Any, x: Any, y: Any, z: Any) -> None:
    """Joint j of q (4, J') turned by c, x, y, z in its own frame."""
    a, b, d, e = q[0, j], q[1, j], q[2, j], q[3, j]
    q[0, j], q[1, j] = a * c - b * x - d * y - e * z, a * x + b * c + d * z - e * y
    q[2, j], q[3, j] = a * y - b * z + d * c + e * x, a * z + b * y - d * x + e * c


@part
def show(handle: Any, n: int) -> None:
    """The pose as it is shown, offset and all, and the one STEP_S before: into room.turns[2] and [3], and sway."""
    rows, room = handle.rows, handle.room
    at = 3 * room.turns.shape[2]
    for k in range(2):
        back = k * STEP_S
        blend_one(handle, n, back)
        if rows.age[n] >= 0.0:
            add_offset(handle, n, max(rows.age[n] - back, 0.0), room.turns[0])
        for i in range(4):
            for j in range(room.turns.shape[2]):
                room.turns[2 + k, i, j] = room.turns[0, i, j]
        for i in range(3):
            room.sway[2 + k, i] = room.row[at + i]


@part
def begin_offset(handle: Any, n: int) -> None:
    """What `show` has kept differs by from what plays now is the offset from now on."""
    rows, room, body = handle.rows, handle.room, handle.tables.body
    at, joints = 3 * room.turns.shape[2], rows.turn.shape[1] - 1
    bends = (0.0, 0.0)
    for k in range(2):
        blend_one(handle, n, (1 - k) * STEP_S)
        for j in range(joints):
            v = apart(room.turns[0], room.turns[3 - k], j)
            for i in range(3):
                (rows.spin if k == 0 else rows.turn)[n, j, i] = v[i]
        for i in range(3):
            (rows.spin if k == 0 else rows.turn)[n, joints, i] = room.sway[3 - k, i] - room.row[at + i]
        if body.legs[0, 0] >= 0:
            bends = knee_bend(body, body.legs[0], room.turns[0])[0], knee_bend(body, body.legs[1], room.turns[0])[0]
    for j in range(joints + 1):
        rate_of(rows.turn[n, j], rows.spin[n, j], MOST_RAD_S if j < joints else MOST_SPEED)
    if body.legs[0, 0] >= 0:
        for side in range(2):
            settle_knee(handle, n, side, bends[side])
    velocity = layer_velocity(handle, n)
    for i in range(3):
        rows.lost[n, i] = rows.velocity[n, i] - velocity[i]
    lost = np.sqrt(rows.lost[n, 0] * rows.lost[n, 0] + rows.lost[n, 1] * rows.lost[n, 1])
    rows.age[n], rows.fade_s[n] = 0.0, max(FADE_S, EASE_PEAK * lost / MOST_BRAKE_M_S2)


@part
def settle_knee(handle: Any, n: int, side: int, there: float) -> None:
    """What keeps an offset from bending a knee backward, which what plays bends by `there`: one that straightens goes
    on no faster than it can be stopped in time, and how softly its offset gets less where that is not enough."""
    rows, room, body = handle.rows, handle.room, handle.tables.body
    leg = body.legs[side]
    spin = rows.spin[n, leg[1]]
    (bend, own), (was, _) = knee_bend(body, leg, room.turns[2]), knee_bend(body, leg, room.turns[3])
    over = -np.sqrt(2.0 * STRAIGHT_RAD_S2 * bend) - (bend - was) / STEP_S
    if over > 0.0:
        for i in range(3):
            spin[i] += np.float32(over * own[i])
    rows.soft[n, side] = min(SOFT_KNEE, bend / (there - bend)) if there > bend else 0.0


@part
def vector_of(offsets: Any, j: int) -> Any:
    """Where a joint is in its parent's frame."""
    return np.float64(offsets[j, 0]), np.float64(offsets[j, 1]), np.float64(offsets[j, 2])


@part
def turn_at(q: Any, j: int) -> Any:
    """The rotation of joint j of q (4, J')."""
    return np.float64(q[0, j]), np.float64(q[1, j]), np.float64(q[2, j]), np.float64(q[3, j])


@part
def carry_under(rows: Any, n: int) -> None:
    """The carrier goes under the body, by what the root's place differs: what is over a foot stays over it, and a leap
    is not taken back. Between steps only, or the carrier would seem to be that fast."""
    root, off = rows.root[n], rows.turn[n, rows.turn.shape[1] - 1]
    c, s = np.cos(root[2]), np.sin(root[2])
    root[0], root[1] = root[0] + c * off[0] + s * off[2], root[1] + c * off[2] - s * off[0]
    off[0] = off[2] = 0.0


@part
def apart(q: Any, other: Any, j: int) -> Any:
    """The rotation vector from joint j of q (4, J') to that of the other."""
    aw, ax, ay, az = q[0, j], q[1, j], q[2, j], q[3, j]
    bw, bx, by, bz = other[0, j], other[1, j], other[2, j], other[3, j]
    dw = aw * bw + ax * bx + ay * by + az * bz
    dx, dy = aw * bx - ax * bw - ay * bz + az * by, aw * by + ax * bz - ay * bw - az * bx
    dz = aw * bz - ax * by + ay * bx - az * bw
    k = np.float32(2.0) * logarithm(ONE - min(abs(dw), ONE)) * (ONE if dw >= ZERO else -ONE)
    return k * dx, k * dy, k * dz


@part
def rate_of(turn: Any, spin: Any, most: float) -> None:
    """spin (3,), which holds the offset STEP_S before turn (3,), becomes the rate, no faster than `most`."""
    size = np.float64(turn[0]) ** 2 + np.float64(turn[1]) ** 2 + np.float64(turn[2]) ** 2
    far = np.sqrt(size)
    if far > 2.0:  # near a half turn both ways round are as long: the one that goes on
        along = turn[0] * spin[0] + turn[1] * spin[1] + turn[2] * spin[2]
        if along < 0.0:
            was = np.sqrt(np.float64(spin[0]) ** 2 + np.float64(spin[1]) ** 2 + np.float64(spin[2]) ** 2)
            round_way = 1.0 - 2.0 * np.pi / max(was, 1e-6)
            spin[0], spin[1], spin[2] = spin[0] * round_way, spin[1] * round_way, spin[2] * round_way
    total = 0.0
    for i in range(3):
        spin[i] = (turn[i] - spin[i]) / STEP_S
        total += spin[i] * spin[i]
    scale = min(1.0, most / max(np.sqrt(total), 1e-9))
    for i in range(3):
        spin[i] *= scale


@part
def layer_velocity(handle: Any, n: int) -> Any:
    """Forward and left m/s and turn rad/s with which the carrier of layer 0 goes now, differenced over a stretch."""
    rows, tables = handle.rows, handle.tables
    k, t, weights = rows.motion[n, 0], rows.t[n, 0], rows.weights[n, 0]
    step, pieces = min(STEP_S * rows.rate[n, 0], 0.5), tables.pieces[k]
    m = min(piece_of(t, pieces), pieces - 1)  # beyond its key times the clock goes at another rate
    a, b = max(t - step, m / pieces), min(t + step, (m + 1) / pieces)
    per = rows.rate[n, 0] / max(b - a, 1e-9)
    first, cells, count = tables.first_mean[k], tables.cells[k], tables.count[k]
    before = travel_at(tables.travel, first, cells, weights, count, a)
    after = travel_at(tables.travel, first, cells, weights, count, b)
    return per * (after[0] - before[0]), per * (after[1] - before[1]), per * (after[2] - before[2])
