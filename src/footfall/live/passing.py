"""Passing over: from any moment of one motion into another without a stop, on the feet that stand.

The body is faster or slower than the motion that comes; the difference dies away (`live.inertia`), and while it does it
takes the body some way farther, or less far, than that motion would. How long it takes is chosen so that the foot that
stands ends up where the new motion has it: no step is made up for. Moments of the new motion are compared by that, by
pose, and by velocity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import kernel, part
from footfall.core.rotation_kernels import rotate
from footfall.feet.live_lock import contacts
from footfall.live.inertia import begin_offset, carry_under, layer_velocity, show
from footfall.live.leaving import alone, rate_at, soonest, unlike
from footfall.live.rows import NODE
from footfall.live.steering import weigh
from footfall.parametric.sampling import sum_rows

# Squared radians, of all joints together, that other things count for. By eye, on kicks, punches and jumps from walks.
FOOT_COST = 400.0  # a squared metre that a foot that stands is off
LAND_COST = 60.0  # a squared metre that a foot in the air is away from where it should stand now
FLOAT_COST = 60.0  # that no foot goes on standing
SPEED_COST = 4.0  # a squared m/s that dies away
HASTE_COST = 30.0  # a second that an action is entered earlier in it: its apex comes later
LATER_S = 0.15  # seconds: a foot that is lifted sooner may be anywhere. By eye
LANDING_S, LANDING = 0.1, 0.6  # a foot that lands so soon counts so much of one that stands. By eye
NOWHERE = 9.0  # metres: no foot goes on standing, or a velocity is too much to lose on the way
LEAST_S, MOST_S = 0.28, 0.62  # seconds in which differences die away. By eye
RISE_S, RISES = 1.2, 16  # seconds in which a body that lies comes to where it gets up from; moments tried. By eye
MANAGED_S2_M = 0.31  # seconds that a change of velocity by 1 m/s takes at least: 6 m/s² at the steepest of a quintic


@part
def ball_of(handle: Any, which: int, side: int) -> Any:
    """Where the ball of a foot is in the pose of room.turns[which], as seen from a carrier under joint 0."""
    body, q = handle.tables.body, handle.room.turns[which]
    j, ball = body.sole_joints[side, 1], body.sole[side, 1]
    p = (ball[0], ball[1], ball[2])
    while j >= 0:
        turn = np.float64(q[0, j]), np.float64(q[1, j]), np.float64(q[2, j]), np.float64(q[3, j])
        p = rotate(turn, p)
        if j > 0:
            o = body.offsets[j]
            p = (p[0] + o[0], p[1] + o[1], p[2] + o[2])
        j = body.parents[j]
    return p


@part
def standing(handle: Any, n: int, k: int, t: float) -> Any:
    """1.0 for each of left and right foot that is down at t of motion k, whose contacts are in room.spans."""
    down = handle.rows.down[n]
    a, b, c, d = down[0, 0], down[0, 1], down[1, 0], down[1, 1]
    found = contacts(handle.room.spans, t, handle.tables.loops[k], 0.0, down)
    down[0, 0], down[0, 1], down[1, 0], down[1, 1] = a, b, c, d
    return found


@part
def stances(handle: Any, n: int) -> Any:
    """How far the left and the right foot stand in layer 0, 0 to 1; one that lands soon counts for less than 1."""
    rows = handle.rows
    k, t = rows.motion[n, 0], rows.t[n, 0]
    spans_of(handle, k, rows.weights[n, 0])
    now, soon = standing(handle, n, k, t), standing(handle, n, k, t + LANDING_S * rows.rate[n, 0])
    return max(now[0], LANDING * soon[0]), max(now[1], LANDING * soon[1])


@part
def spans_of(handle: Any, k: int, weights: Any) -> None:
    """The contacts of a blend of motion k, into room.spans."""
    tables = handle.tables
    sum_rows(tables.spans[k], np.int64(0), weights, tables.count[k], handle.room.spans)


@part
def match(handle: Any, n: int, stood: Any, among: Any, tries: int) -> Any:
    """Cost, canonical time, seconds to die away, and metres that feet are off, of the best moment to pass over to.

    Layer 0 plays the new motion at its weights; `show` has kept what is to be left; stood: how far each foot stands in
    it, 0 to 1. among: the first and the last moment, and seconds in which the velocity dies away at least.
    """
    rows, k = handle.rows, handle.rows.motion[n, 0]
    old = ball_of(handle, 2, 0), ball_of(handle, 2, 1)
    spans_of(handle, k, rows.weights[n, 0])
    best, first = (np.inf, among[0], LEAST_S, NOWHERE), soonest(handle, n, k)
    for m in range(tries):
        t = max(among[0] + (among[1] - among[0]) * (m + 0.5) / tries, first)
        rows.t[n, 0], rows.rate[n, 0] = t, rate_at(handle, n, k, t)
        cost = unlike(handle, n, k, t)
        velocity, now = layer_velocity(handle, n), standing(handle, n, k, t)
        later = standing(handle, n, k, t + LATER_S * rows.rate[n, 0])
        lost = rows.velocity[n, 0] - velocity[0], rows.velocity[n, 1] - velocity[1]
        speed = np.sqrt(lost[0] * lost[0] + lost[1] * lost[1])
        found = settle_feet(handle, old, (stood, now, later), lost, among[2])
        cost += found[0] + SPEED_COST * speed * speed
        if not handle.tables.loops[k]:
            cost += HASTE_COST * (among[1] - t) / rows.rate[n, 0]
        if cost < best[0]:
            best = (cost, t, found[1], found[2])
    return best


@part
def settle_feet(handle: Any, old: Any, down: Any, lost: Any, least: float) -> Any:
    """Cost, seconds, and metres off of the feet, where a velocity `lost` (left, then ahead of the carrier) dies away.

    old: where both feet are; down: 1.0 for each foot that stood, stands, and will.
    """
    stood, now, later = down
    speed2 = lost[0] * lost[0] + lost[1] * lost[1]
    along = total = 0.0
    new = ball_of(handle, 0, 0), ball_of(handle, 0, 1)
    for side in range(2):
        weight = stood[side] * (0.3 * now[side] + 0.7 * later[side])
        ahead, aside = old[side][2] - new[side][2], old[side][0] - new[side][0]
        along += weight * (ahead * lost[0] + aside * lost[1])
        total += weight
    least = max(least, MANAGED_S2_M * np.sqrt(speed2))
    seconds = least if speed2 < 1e-4 or total <= 0.0 else 2.0 * along / (total * speed2)
    seconds = max(min(seconds, MOST_S), least)
    cost = off = 0.0
    if (total <= 0.0 and now[0] + now[1] > 0.0) or least > MOST_S:
        cost, off = FLOAT_COST, NOWHERE
    for side in range(2):
        ahead = old[side][2] - new[side][2] - 0.5 * seconds * lost[0]
        aside = old[side][0] - new[side][0] - 0.5 * seconds * lost[1]
        far = ahead * ahead + aside * aside
        weight = stood[side] * (0.3 * now[side] + 0.7 * later[side])
        cost += FOOT_COST * weight * far + LAND_COST * (1.0 - stood[side]) * now[side] * far
        off = max(off, weight * np.sqrt(far))
    return cost, seconds, off


@part
def play_alone(handle: Any, n: int, k: int, t: float, p: Any) -> None:
    """Motion k alone at canonical time t and parameters p."""
    rows = handle.rows
    alone(handle, n, k, t)
    for i in range(len(p)):
        rows.p[n, 0, i] = rows.goal[n, 0, i] = p[i]
    weigh(handle, n, 0)
    rows.rate[n, 0] = rate_at(handle, n, k, t)


@kernel(_nrt=False)
def tabulate(handle: Any, a: int, p_a: Any, b: int, p_b: Any, among: Any, out: Any) -> None:
    """What passing over from motion a to motion b comes to, at every one of P moments of a: out (P, 4), as `match`."""
    rows = handle.rows
    for m in range(len(out)):
        t = (m + 0.5) / len(out)
        play_alone(handle, 0, a, t, p_a)
        rows.phase[0], rows.age[0] = NODE, -1.0
        velocity = layer_velocity(handle, 0)
        for i in range(3):
            rows.velocity[0, i] = velocity[i]
        show(handle, 0)
        stood = stances(handle, 0)
        play_alone(handle, 0, b, 0.0, p_b)
        found = match(handle, 0, stood, (among[0], among[1], among[2]), 24)
        for i in range(4):
            out[m, i] = found[i]


@kernel(_nrt=False)
def pass_over(handle: Any, n: int, k: int, p: Any, among: Any) -> float:
    """Into node k at parameters p now, at the best moment among two of it; metres that feet are off."""
    rows = handle.rows
    show(handle, n)
    stood = stances(handle, n)
    play_alone(handle, n, k, 0.0, p)
    found = match(handle, n, stood, (among[0], among[1], among[2]), 24)
    set_time(handle, n, found[1])
    rows.phase[n], rows.edge[n], rows.node[n] = NODE, -1, k
    begin_offset(handle, n)
    carry_under(rows, n)
    rows.fade_s[n] = found[2]
    rows.latency_s[n] = rows.time_s[n] - rows.asked_s[n]
    return found[3]


@kernel(_nrt=False)
def rise(handle: Any, n: int, k: int) -> None:
    """Into an action that gets up, at the moment of its first half that is most like what somebody has put into
    room.turns[2] and [3]; what the pose differs by dies away slowly."""
    rows = handle.rows
    play_alone(handle, n, k, 0.0, rows.p[n, 0, :0])
    best, at = np.inf, 0.0
    for m in range(RISES):
        t = 0.5 * m / RISES
        set_time(handle, n, t)
        cost = unlike(handle, n, k, t)
        if cost < best:
            best, at = cost, t
    set_time(handle, n, at)
    rows.phase[n], rows.edge[n], rows.node[n] = NODE, -1, k
    begin_offset(handle, n)
    carry_under(rows, n)
    rows.fade_s[n] = RISE_S
    rows.latency_s[n] = rows.time_s[n] - rows.asked_s[n]


@part
def set_time(handle: Any, n: int, t: float) -> None:
    """The motion of layer 0 at canonical time t."""
    rows = handle.rows
    rows.t[n, 0], rows.laps[n, 0] = t, 0
    rows.rate[n, 0] = rate_at(handle, n, rows.motion[n, 0], t)
