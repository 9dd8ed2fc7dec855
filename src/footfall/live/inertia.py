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
KNEE_ROUND_RAD = 0.4  # radians: how wide the curve is by which an offset straightens a knee; by eye
KNEE_LEAST_RAD = 0.03  # radians of a knee's bend that such an offset leaves alone: the curve is steep there; by eye
KNEE_RAD_S = 12.0  # rad/s that this curve makes an offset begin with, at most; built-in runs bend knees by 12
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
    if j == rows.turn.shape[1] - 1:
        return fade_of(rows, n)
    turn = rows.turn[n, j]
    far = np.sqrt(np.float64(turn[0]) ** 2 + np.float64(turn[1]) ** 2 + np.float64(turn[2]) ** 2)
    return longer(fade_of(rows, n), far)


@part
def fade_of(rows: Any, n: int) -> float:
    """Seconds in which offsets die away."""
    length = float(rows.fade_s[n])
    if rows.lost[n, 0] * rows.lost[n, 0] + rows.lost[n, 1] * rows.lost[n, 1] > SLOW_M_S * SLOW_M_S:
        length = min(length, FADE_S)  # it is the velocity that takes longer
    return length


@part
def longer(length: float, far: float) -> float:
    """Seconds in which an offset of so many radians dies away: no faster than it may turn."""
    return float(max(length, EASE_PEAK * far / FASTEST_RAD_S))


@part
def slack_left(rows: Any, n: int, side: int, age: float) -> float:
    """What is left of the offset of a knee's slack at an age."""
    slack = rows.slack[n, side]
    x, v = (np.float64(slack[0]), 0.0, 0.0), (np.float64(slack[1]), 0.0, 0.0)
    return float(quintic_of(x, v, slack_s(rows, n, side), age, MOST_RAD_S2)[0])


@part
def slack_s(rows: Any, n: int, side: int) -> float:
    """Seconds in which the offset of a knee's slack dies away."""
    return longer(fade_of(rows, n), abs(np.float64(rows.slack[n, side, 0])))


@part
def offset_is_gone(rows: Any, n: int) -> bool:
    """Whether nothing is left of any offset nor of the velocity."""
    length = max(float(rows.fade_s[n]), slack_s(rows, n, 0), slack_s(rows, n, 1))
    for j in range(rows.turn.shape[1] - 1):
        length = max(length, offset_s(rows, n, j))
    return bool(rows.age[n] >= length)


@part
def add_offset(handle: Any, n: int, age: float, q: Any) -> None:
    """The pose q (4, J') and the sway in room.row with what is left of the offset at an age on them."""
    room, body, joints = handle.room, handle.tables.body, handle.rows.turn.shape[1] - 1
    if body.legs[0, 0] >= 0:
        for side in range(2):
            leg, hinge = body.legs[side], handle.rows.hinge[n, side]
            bend = signed_bend(body, leg, q, hinge)
            bend_leg(body.offsets, leg, q, hinge, bend, straightened(bend, slack_left(handle.rows, n, side, age)))
    for j in range(joints):
        v = left_of(handle, n, j, age)
        x, y, z = np.float32(v[0]), np.float32(v[1]), np.float32(v[2])
        s = QUARTER * (x * x + y * y + z * z)
        c, k = cosine(s), HALF * sinc(s)
        turn_by(q, j, c, k * x, k * y, k * z)
    v = left_of(handle, n, joints, age)
    at = 3 * room.turns.shape[2]
    for i in range(3):
        room.row[at + i] += np.float32(v[i])


@part
def slack_of(bend: float) -> float:
    """How far a knee is from straight: as far as it is bent, and farther and farther behind where it is hardly bent."""
    b = max(bend, KNEE_LEAST_RAD)
    return b - 0.25 * KNEE_ROUND_RAD * KNEE_ROUND_RAD / b


@part
def straightened(bend: float, slack: float) -> float:
    """A knee's bend with an offset of its slack: never all of it is taken, and none of it with a kink.

    Taken of the bend itself, an offset would hold a knee straight while what plays straightens it too, and then let it
    go all at once.
    """
    if slack >= 0.0:
        return bend + slack
    left = slack_of(bend) + slack
    return float(
        bend - max(bend, KNEE_LEAST_RAD) + 0.5 * (left + np.sqrt(left * left + KNEE_ROUND_RAD * KNEE_ROUND_RAD))
    )


@part
def slack_between(bend: float, other: float) -> float:
    """The offset by which `straightened` makes one bend the other."""
    return other - bend if other >= bend else slack_of(other) - slack_of(bend)


@part
def bend_leg(offsets: Any, leg: Any, q: Any, hinge: Any, bend: float, new: float) -> None:
    """The knee of a leg in q (4, J') bent otherwise: its ankle stays where it was as seen from the hip, but for how
    far, and so does its foot.

    Thigh and shin of a leg that is nearly straight turn by much for a little of its length. Were only one of them held
    back by an offset, the other would throw the foot.
    """
    if new == bend:
        return
    upper, lower = vector_of(offsets, leg[1]), vector_of(offsets, leg[2])
    a, b = np.sqrt(dot(upper, upper)), np.sqrt(dot(lower, lower))
    lean = np.arctan2(b * np.sin(new), a + b * np.cos(new)) - np.arctan2(b * np.sin(bend), a + b * np.cos(bend))
    axis = (np.float64(hinge[0]), np.float64(hinge[1]), np.float64(hinge[2]))
    ankle = turn_at(q, leg[2])
    turn_about(q, leg[0], rotate(turn_at(q, leg[1]), axis), -lean)
    turn_about(q, leg[1], axis, new - bend)
    turn_about(q, leg[2], rotate((ankle[0], -ankle[1], -ankle[2], -ankle[3]), axis), lean - new + bend)


@part
def turn_about(q: Any, j: int, axis: Any, angle: float) -> None:
    """Joint j of q (4, J') turned about an axis (3,) in its own frame."""
    c, s = np.cos(0.5 * angle), np.sin(0.5 * angle)
    turn_by(q, j, np.float32(c), np.float32(s * axis[0]), np.float32(s * axis[1]), np.float32(s * axis[2]))


@part
def signed_bend(body: Any, leg: Any, q: Any, hinge: Any) -> float:
    """Radians that a knee is bent about its hinge (3,) in q (4, J'); negative where backward."""
    bend, axis = knee_bend(body, leg, q)
    return bend if axis[0] * hinge[0] + axis[1] * hinge[1] + axis[2] * hinge[2] >= 0.0 else -bend


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
            add_offset(handle, n, rows.age[n] - back, room.turns[0])  # before its start it goes on backward
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
    for k in range(2):
        blend_one(handle, n, k * STEP_S)
        if body.legs[0, 0] >= 0:
            for side in range(2):
                begin_slack(handle, n, side, k)
        for j in range(joints):
            v = apart(room.turns[0], room.turns[2 + k], j)
            for i in range(3):
                (rows.turn if k == 0 else rows.spin)[n, j, i] = v[i]
        for i in range(3):
            (rows.turn if k == 0 else rows.spin)[n, joints, i] = room.sway[2 + k, i] - room.row[at + i]
    for j in range(joints + 1):
        rate_of(rows.turn[n, j], rows.spin[n, j], MOST_RAD_S if j < joints else MOST_SPEED)
    velocity = layer_velocity(handle, n)
    for i in range(3):
        rows.lost[n, i] = rows.velocity[n, i] - velocity[i]
    lost = np.sqrt(rows.lost[n, 0] * rows.lost[n, 0] + rows.lost[n, 1] * rows.lost[n, 1])
    rows.age[n], rows.fade_s[n] = 0.0, max(FADE_S, EASE_PEAK * lost / MOST_BRAKE_M_S2)


@part
def begin_slack(handle: Any, n: int, side: int, k: int) -> None:
    """What a knee as shown differs by in slack from what plays, now (k = 0) or STEP_S before, which then becomes the
    rate. What plays is left as bent as that makes it: all other offsets are from there."""
    rows, room, body = handle.rows, handle.room, handle.tables.body
    leg, hinge, slack, shown = body.legs[side], rows.hinge[n, side], rows.slack[n, side], room.turns[2 + k]
    if k == 0:  # of the more bent: a straight one tells of none, and some captured ones are bent backward a little
        plays, was = knee_bend(body, leg, room.turns[0]), knee_bend(body, leg, shown)
        axis = plays[1] if plays[0] >= was[0] else was[1]
        hinge[0], hinge[1], hinge[2] = axis[0], axis[1], axis[2]
    bend, other = signed_bend(body, leg, room.turns[0], hinge), signed_bend(body, leg, shown, hinge)
    by = slack_between(bend, other)
    if k == 0:
        slack[0], slack[1] = by, other - bend
    else:
        own = (slack[1] - (other - bend)) / STEP_S  # the rate of the bend itself
        slack[1] = min(max((slack[0] - by) / STEP_S, min(own, -KNEE_RAD_S)), max(own, KNEE_RAD_S))
    bend_leg(body.offsets, leg, room.turns[0], hinge, bend, straightened(bend, by))


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
