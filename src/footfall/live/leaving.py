"""Leaving: whether this is a moment to take an edge, how the edge begins, and ways out at any moment.

Called for characters that are told to change, one at a time. A blend that would be too short waits for the next step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import kernel, part
from footfall.live.clock import TO_DEGREES, copy_layer, last_velocity, seconds_to, set_layer, stands, take_layer
from footfall.live.inertia import STEP_S, apart, begin_offset, carry_under, layer_velocity, show
from footfall.live.layers import earlier, sample_one
from footfall.live.rows import EDGE, LEAVING, NODE, SPEED, TOLD, TURN
from footfall.live.steering import OUTSIDE, aim, weigh
from footfall.parametric.sampling import blended_rate, piece_of, travel_at

# By eye, on streams of random requests (`footfall study park2004`, E3), unless another origin is given.
SHORTEST_S = 0.12  # a shorter blend is jerky
SHORTEST = 0.45  # of B: the least that is left of it where an edge begins; near its end the edge differs most
STOP_SHORTEST = 0.5  # the same where an edge ends standing: begun later, it leaves a foot behind
BACK_IN_TIME, BACK_SLACK_S = 1.3, 0.1  # of the time blended so far, and more: needed to turn a blend round
PREDICTED = 12  # pieces in which the way of a stop is foreseen
MOST_HELD_BACK = 0.9  # the largest share of a stop's way that is left out
TRIED = 32  # moments of a cycle that are tried for the one most like the pose
RATE_S = 0.1  # seconds: what a joint's speed counts for, against its angle; by eye
REROUTE_UNLIKE = 10.0  # squared radians of all joints: an edge is left in its middle for what is less unlike; by eye
BELIEVED_M_S2 = 4.0  # m/s² over 0.4 s: the hardest change of velocity that is believed (docs/believable.md)
DETOUR_UNLIKE = 40.0  # the same where it leads to what has no edge to the goal: back, before a run; by eye
HASTE_COST = 10.0  # squared radians of all joints for a second that a hurried edge takes longer than that; by eye
VELOCITY_COST = 20.0  # squared radians of all joints that a metre a second of the body counts for; by eye


@kernel(_nrt=False)
def leave(handle: Any, n: int, e: int) -> bool:
    """Begin to leave by edge e, if this is a moment to."""
    tables, rows, edges = handle.tables, handle.rows, handle.edges
    k, shared = rows.motion[n, 0], edges.shared_before[e]
    x = 0.0
    if not stands(tables, k):
        pieces = tables.pieces[k]
        y = rows.t[n, 0] * pieces
        x = (y - edges.leave_at[e]) % pieces
        if x >= shared:
            return False
        start = np.float64(edges.leave_at[e])
        whole = seconds_to(tables, k, rows.weights[n, 0], start, start + shared)
        rest = seconds_to(tables, k, rows.weights[n, 0], y, y + shared - x)
        least = STOP_SHORTEST if stands(tables, edges.after[e]) else SHORTEST
        if rest < max(SHORTEST_S, least * whole):
            return False
    begin(handle, n, e, x)
    return True


@part
def begin(handle: Any, n: int, e: int, x: float) -> None:
    """Start to leave by an edge, x key times after its start."""
    tables, rows, edges, steering = handle.tables, handle.rows, handle.edges, handle.steering
    k = edges.motion[e]
    set_layer(handle, n, 1, k, x / tables.pieces[k])
    for i in range(steering.begin[k]):
        rows.p[n, 1, i] = rows.p[n, 0, i]
    steer_at_once(handle, n, 1)
    rows.edge[n], rows.phase[n], rows.layers[n], rows.share[n] = e, LEAVING, 2, 1.0
    rows.pace[n], rows.progress[n], rows.held_back[n], rows.wake[n] = 1.0, 0.0, 0.0, -1
    rows.length[n] = seconds_to(tables, k, rows.weights[n, 1], x, np.float64(edges.shared_before[e]))
    if stands(tables, edges.after[e]):
        rows.held_back[n] = too_far(handle, n, e, x)
    rows.begun_s[n], rows.since_s[n], rows.half_s[n] = rows.time_s[n], rows.asked_s[n], np.nan
    rows.latency_s[n] = rows.time_s[n] - rows.asked_s[n]


@kernel(_nrt=False)
def foresee(handle: Any, n: int) -> Any:
    """When the edge that a character is on will be half blended into its node, and gone to its end; seconds."""
    tables, rows, edges = handle.tables, handle.rows, handle.edges
    e = rows.edge[n]
    k, v = edges.motion[e], 1 if rows.phase[n] == LEAVING else 0
    y, pieces, now = rows.t[n, v] * tables.pieces[k], np.float64(tables.pieces[k]), rows.time_s[n]
    rest = seconds_to(tables, k, rows.weights[n, v], y, pieces)
    shared = seconds_to(tables, k, rows.weights[n, v], pieces - edges.shared_after[e], pieces)
    half = rows.half_s[n] if rows.half_s[n] == rows.half_s[n] else now + max(rest - 0.5 * shared, 0.0)
    return half, now + rest


@part
def steer_at_once(handle: Any, n: int, v: int) -> None:
    """A layer that begins: its parameters are what is asked for."""
    rows, steering = handle.rows, handle.steering
    k = rows.motion[n, v]
    begins, axes = steering.begin[k], steering.axes[k]
    if axes > 0 and steering.kind[steering.cover[k]] == OUTSIDE:
        rows.event[n] |= np.uint8(TOLD)
    else:
        aim(steering, rows, n, v, handle.room.wish)
    for i in range(begins, begins + axes):
        rows.p[n, v, i] = rows.goal[n, v, i]
    weigh(handle, n, v)


@part
def too_far(handle: Any, n: int, e: int, x: float) -> float:
    """How much of the way of a stop is to be left out, so that the body ends over its feet.

    Blended with the gait it leaves, a stop takes the body farther than it does by itself, past the foot it stands on;
    what stands takes no step to make up for it.
    """
    rows, edges = handle.rows, handle.edges
    far, start = edges.shared_before[e] - x, np.float64(edges.leave_at[e])
    blended = own = may = 0.0  # metres: of the blend, of the edge, of what may be left out
    for k in range(PREDICTED):
        a, b = x + far * k / PREDICTED, x + far * (k + 1) / PREDICTED
        gone = forward_of(handle, rows.motion[n, 1], rows.weights[n, 1], a, b)
        share = 0.5 + 0.5 * np.cos(np.pi * (k + 0.5) / PREDICTED)
        both = gone + share * (forward_of(handle, rows.motion[n, 0], rows.weights[n, 0], start + a, start + b) - gone)
        blended, own, may = blended + both, own + gone, may + both * 4.0 * share * (1.0 - share)
    if own < 0.0:  # it walks backward
        blended, own, may = -blended, -own, -may
    return min(max((blended - own) / max(may, 1e-6), 0.0), MOST_HELD_BACK)


@part
def forward_of(handle: Any, k: int, weights: Any, start: float, end: float) -> float:
    """Metres forward of a motion between two key times, which may lie in its next round."""
    tables = handle.tables
    n = tables.pieces[k]
    if start >= n:
        start, end = start - n, end - n
    if end <= n:
        return ahead_at(tables, k, weights, end / n) - ahead_at(tables, k, weights, start / n)
    whole = ahead_at(tables, k, weights, 1.0)
    return whole - ahead_at(tables, k, weights, start / n) + ahead_at(tables, k, weights, (end - n) / n)


@part
def ahead_at(tables: Any, k: int, weights: Any, t: float) -> float:
    """Metres forward of a motion from its start to canonical time t."""
    return travel_at(tables.travel, tables.first_mean[k], tables.cells[k], weights, tables.count[k], t)[0]


@kernel(_nrt=False)
def turn_back(handle: Any, n: int) -> None:
    """Turn the blend of B round, where there is still time to."""
    rows = handle.rows
    if rows.phase[n] == LEAVING and rows.pace[n] == 1.0:
        left = (1.0 - rows.progress[n]) * rows.length[n]
        if left > BACK_IN_TIME * rows.progress[n] * rows.length[n] + BACK_SLACK_S:
            rows.pace[n] = np.nextafter(1.0, 0.0)


@kernel(_nrt=False)
def jump(handle: Any, n: int, k: int, p: Any) -> None:
    """Into node k at parameters p at once, a loop with steps where it is most like the pose; what that differs by dies
    away."""
    tables, rows = handle.tables, handle.rows
    show(handle, n)
    if rows.t[n, 0] >= 1.0 and not tables.loops[rows.motion[n, 0]]:  # it came to its end within a step, at its speed
        velocity = layer_velocity(handle, n)
        for i in range(3):
            rows.velocity[n, i] = velocity[i]
    alone(handle, n, k, 0.0)
    rows.phase[n], rows.edge[n], rows.node[n] = NODE, -1, k
    for i in range(len(p)):
        rows.p[n, 0, i] = rows.goal[n, 0, i] = p[i]
    weigh(handle, n, 0)
    if tables.loops[k] and not stands(tables, k):
        rows.t[n, 0] = likest(handle, n, k, 1.0, np.inf, 0.0, 0.0)[1]
    rows.rate[n, 0] = rate_at(handle, n, k, rows.t[n, 0])
    begin_offset(handle, n)
    carry_under(rows, n)
    rows.latency_s[n] = rows.time_s[n] - rows.asked_s[n]


@kernel(_nrt=False)
def hurry(handle: Any, n: int, ways: Any, k: int, p: Any) -> bool:
    """Towards node k at once: into whichever of these edges to it, or into k itself, is most like pose and velocity
    now, at the moment of it that is; False where k itself is."""
    show(handle, n)
    return nearest(handle, n, ways, k, p, np.inf, HASTE_COST) > 0


@kernel(_nrt=False)
def reroute(handle: Any, n: int, ways: Any, k: int, p: Any, most: float) -> int:
    """From the middle of an edge to somewhere else towards node k, where pose and velocity allow it: 1 by an edge, 0 in
    k itself, -1 where nothing is near enough and the edge goes on."""
    show(handle, n)
    copy_layer(handle.rows, n, 0, 1)  # for `take_layer` to bring back
    return nearest(handle, n, ways, k, p, most, 0.0)


@kernel(_nrt=False)
def take_up(handle: Any, n: int, ways: Any, k: int, p: Any) -> bool:
    """The same from the poses that somebody has put into room.turns[2] and [3], at the row's root and velocity."""
    return nearest(handle, n, ways, k, p, np.inf, 0.0) > 0


@part
def nearest(handle: Any, n: int, ways: Any, k: int, p: Any, most: float, haste: float) -> int:
    """Into whichever of these edges to node k, or k itself, is most like what is in room.turns[2] and [3].

    It returns what `reroute` does. most: how unlike it may be; what is more so goes on with what is kept in layer 1.
    haste: what a second counts for that an edge takes longer than a believed push would.
    """
    tables, rows, edges = handle.tables, handle.rows, handle.edges
    best, way, at, late = np.inf, -1, 0.0, 0.0
    for e in ways:
        m = edges.motion[e]
        take_edge(handle, n, e, 0.0)
        end = 1.0 - edges.shared_after[e] / tables.pieces[m]
        needs = needed_s(handle, n, m)
        cost, t = likest(handle, n, m, end, min(best, most), haste, needs)
        if cost < best:
            best, way, at, late = cost, e, t, haste * max(seconds_left(handle, n, m, t, end) - needs, 0.0)
    best -= late  # what is left of an edge counts against other edges, not against going straight into the node
    alone(handle, n, k, 0.0)
    for i in range(len(p)):
        rows.p[n, 0, i] = rows.goal[n, 0, i] = p[i]
    weigh(handle, n, 0)
    cost, t = likest(handle, n, k, 1.0, min(best, most), 0.0, 0.0)
    if min(cost, best) > most:
        take_layer(rows, n)
        return -1
    if cost <= best:
        way, at = -1, t
        rows.t[n, 0], rows.phase[n], rows.edge[n], rows.node[n] = t, NODE, -1, k
    else:
        take_edge(handle, n, way, at)
        rows.phase[n], rows.edge[n], rows.node[n] = EDGE, way, edges.before[way]
        rows.begun_s[n], rows.since_s[n], rows.half_s[n] = rows.time_s[n], rows.asked_s[n], np.nan
    rows.rate[n, 0] = rate_at(handle, n, rows.motion[n, 0], at)
    begin_offset(handle, n)
    carry_under(rows, n)
    rows.latency_s[n] = rows.time_s[n] - rows.asked_s[n]
    return 1 if way >= 0 else 0


@part
def alone(handle: Any, n: int, k: int, t: float) -> None:
    """Motion k is all that plays, from canonical time t."""
    rows = handle.rows
    set_layer(handle, n, 0, k, t)
    rows.layers[n], rows.share[n], rows.held_back[n], rows.pace[n], rows.wake[n] = 1, 1.0, 0.0, 1.0, -1


@part
def take_edge(handle: Any, n: int, e: int, t: float) -> None:
    """Edge e is all that plays, as if it had been begun at the velocity that the character has."""
    rows, steering = handle.rows, handle.steering
    k, before = handle.edges.motion[e], handle.edges.before[e]
    alone(handle, n, k, t)
    velocity = rows.velocity[n]
    for i in range(steering.begin[k]):
        source = steering.source[before, i]
        value = velocity[0] if source == SPEED else velocity[2] * TO_DEGREES if source == TURN else velocity[1]
        rows.p[n, 0, i] = value if source >= 0 else steering.usual[before, i]
    steer_at_once(handle, n, 0)


@part
def rate_at(handle: Any, n: int, k: int, t: float) -> float:
    """Canonical time a second of layer 0, which plays motion k, at t."""
    tables = handle.tables
    m = min(piece_of(t, tables.pieces[k]), tables.pieces[k] - 1)
    return blended_rate(handle.rows.weights[n, 0], tables.log_rates[k, m], tables.bounds[k, m], tables.count[k])


@kernel(_nrt=False)
def settle(handle: Any, n: int, p: Any) -> None:
    """A character that begins: its node plays at parameters p."""
    rows = handle.rows
    for i in range(len(p)):
        rows.p[n, 0, i] = rows.goal[n, 0, i] = p[i]
    weigh(handle, n, 0)


@part
def likest(handle: Any, n: int, k: int, end: float, most: float, haste: float, needs: float) -> Any:
    """How unlike, and at which canonical time before the end, motion k in layer 0 is most like what `show` kept.

    It is looked at TRIED moments; a body that goes on faster or slower than the motion there counts as unlike, and so
    does, by `haste`, every second that is left beyond those it `needs`. Moments that are more unlike than `most` for
    that need no pose.
    """
    rows = handle.rows
    best, found, first = np.inf, 0.0, soonest(handle, n, k)
    for m in range(TRIED):
        t = first + max(end - first, 0.0) * m / TRIED
        rows.t[n, 0], rows.rate[n, 0] = t, rate_at(handle, n, k, t)
        velocity = layer_velocity(handle, n)
        off = 0.0
        for i in range(3):
            off += (rows.velocity[n, i] - velocity[i]) ** 2
        off = VELOCITY_COST * off
        if haste > 0.0:
            off += haste * max(seconds_left(handle, n, k, t, end) - needs, 0.0)
        if off > min(best, most):
            continue
        cost = unlike(handle, n, k, t) + off
        if cost < best:
            best, found = cost, t
    return best, found


@part
def needed_s(handle: Any, n: int, k: int) -> float:
    """Seconds in which a believed push takes the body to the velocity that edge k in layer 0 ends with."""
    end, velocity = last_velocity(handle.tables, k, handle.rows.weights[n, 0]), handle.rows.velocity[n]
    ahead, aside = end[0] - velocity[0], end[1] - velocity[1]
    return float(np.sqrt(ahead * ahead + aside * aside)) / BELIEVED_M_S2


@part
def seconds_left(handle: Any, n: int, k: int, t: float, end: float) -> float:
    """Seconds from canonical time t of motion k in layer 0 to the end."""
    pieces = np.float64(handle.tables.pieces[k])
    return seconds_to(handle.tables, k, handle.rows.weights[n, 0], t * pieces, end * pieces)


@part
def soonest(handle: Any, n: int, k: int) -> float:
    """The first canonical time at which motion k in layer 0 may be entered: what is done once has no velocity before it
    has begun, and one that is taken for none would be added to the body's at once."""
    return 0.0 if handle.tables.loops[k] else STEP_S * rate_at(handle, n, k, 0.0)


@part
def unlike(handle: Any, n: int, k: int, t: float) -> float:
    """How far the pose and velocities of motion k at t are from what `show` kept: squared radians, of all joints."""
    rows, room, tables = handle.rows, handle.room, handle.tables
    joints = rows.turn.shape[1] - 1
    weights = rows.weights[n, 0]
    sample_one(handle, k, t, weights, 0)
    sample_one(handle, k, earlier(tables, k, weights, t, STEP_S), weights, 1)
    total = 0.0
    for j in range(joints):
        a, b = apart(room.turns[0], room.turns[2], j), apart(room.turns[1], room.turns[3], j)
        for i in range(3):
            speed = RATE_S * (a[i] - b[i]) / STEP_S
            total += a[i] * a[i] + speed * speed
    return total
