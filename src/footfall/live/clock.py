"""Clock of live characters: the one place where time advances, along the arc of the carrier and through the graph.

Park, Shin, Kim & Shin 2004, eq. 16-19. Over B, the steps an edge shares with the node it leaves, and E, those it shares
with the node it enters, two layers play on one clock: both go on by the same number of key times. A motion without
steps keeps its own. The share of a blend follows ½ + ½ cos. What only a decision can settle is flagged in the row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import inlined, part
from footfall.live.inertia import begin_offset, offset_is_gone, show
from footfall.live.rows import ARRIVED, EDGE, ENDED, ENTERING, LEAVING, NODE, SPEED, TOLD, TURN, WAKE, WHEN_SLOW
from footfall.live.steering import OUTSIDE, aim, cover, weigh
from footfall.parametric.sampling import blended_rate, piece_of, travel_at

MOST_STRETCHES = 100_000  # between key times in one step; a step of more is a mistake
REACHED = 1e-5  # key times: a border that a step all but meets is met, whether weights are kept in 32 or 64 bits
TOGETHER = 1e-9  # key times: borders of two layers that lie nearer than this are crossed together
PACE_S = 0.05  # time constant with which a blend turns round; by eye
DONE = 0.999  # of a blend: what is left of it cannot be seen
MOST_LOST_M_S = 1.5  # that a body can lose while an offset dies away: 4 m/s² over 0.4 s (docs/believable.md)
FAR_ROUND = 1e3  # radians: of a heading beyond, whole rounds are dropped, to keep its precision
NEARLY_STRAIGHT = 1e-3  # radians²: of half a turn below, four terms of sin(x) / x are exact in 64 bits
TO_DEGREES = 180.0 / np.pi


class EdgeTables(NamedTuple):
    """K edges that have a motion; nodes and motions by their numbers in the tables, key times as in `graph.edges`."""

    before: np.ndarray  # (K,) i64
    after: np.ndarray  # (K,) i64
    motion: np.ndarray  # (K,) i64
    leave_at: np.ndarray  # (K,) i64
    shared_before: np.ndarray  # (K,) i64
    enter_at: np.ndarray  # (K,) i64
    shared_after: np.ndarray  # (K,) i64


@inlined
def advance_one(handle: Any, n: int, dt: float) -> None:
    """Move clock and root of one character on by dt seconds, each stretch between key times on an arc."""
    rows = handle.rows
    x, z, heading = rows.root[n, 0], rows.root[n, 1], rows.root[n, 2]
    left, ahead, aside = stretch(handle, n, dt)
    at_once = not (left > 0.0 or rows.age[n] >= 0.0)
    for _ in range(MOST_STRETCHES):
        if not left > 0.0:
            break
        left = stretch(handle, n, left)[0]
    if rows.age[n] >= 0.0:
        fade_velocity(rows, n, dt)
    rows.time_s[n] += dt
    root = rows.root[n]
    if dt > 0.0:
        turn = root[2] - heading
        if not at_once:  # else its one arc has told
            c, s = np.cos(heading + 0.5 * turn), np.sin(heading + 0.5 * turn)
            ahead, aside = c * (root[1] - z) + s * (root[0] - x), c * (root[0] - x) - s * (root[1] - z)
        rows.velocity[n, 0], rows.velocity[n, 1] = ahead / dt, aside / dt
        rows.velocity[n, 2] = turn / dt
    if rows.wake[n] == WHEN_SLOW and has_braked(rows, n):
        rows.event[n] |= np.uint8(WAKE)
    if ends_within(handle, n, dt):
        rows.event[n] |= np.uint8(ENDED)
    if abs(root[2]) > FAR_ROUND:
        root[2] -= 2.0 * np.pi * np.rint(root[2] / (2.0 * np.pi))


@part
def ends_within(handle: Any, n: int, seconds: float) -> bool:
    """Whether a motion that is done once, and nothing else, plays to its end within some seconds.

    It is left before it does: of a step in which it ended, what is after the end would be lost, and a foot that swings
    would stop for it.
    """
    tables, rows = handle.tables, handle.rows
    k = rows.motion[n, 0]
    last = tables.pieces[k] - 1
    if rows.phase[n] != NODE or tables.loops[k] or piece_of(rows.t[n, 0], tables.pieces[k]) < last:
        return False
    rate = blended_rate(rows.weights[n, 0], tables.log_rates[k, last], tables.bounds[k, last], tables.count[k])
    return bool(rows.t[n, 0] + seconds * rate >= 1.0)


@part
def has_braked(rows: Any, n: int) -> bool:
    """Whether a character on an edge is slow, with no velocity left that dies away."""
    speed2 = rows.velocity[n, 0] * rows.velocity[n, 0] + rows.velocity[n, 1] * rows.velocity[n, 1]
    fades = 0.0 <= rows.age[n] < rows.fade_s[n]
    return rows.phase[n] != NODE and not fades and speed2 < MOST_LOST_M_S * MOST_LOST_M_S


@part
def stretch(handle: Any, n: int, left: float) -> Any:
    """To the end of the step, or to the first key time on the way; returns the time that is left, and metres ahead and
    to the left as seen from half-way."""
    tables, rows = handle.tables, handle.rows
    motion, t, rate, weights = rows.motion[n], rows.t[n], rows.rate[n], rows.weights[n]
    layers, share, phase = rows.layers[n], np.float64(rows.share[n]), rows.phase[n]
    wrap(handle, n)
    speed, border, steps = 0.0, np.inf, 0
    for v in range(layers):
        k = motion[v]
        m = min(piece_of(t[v], tables.pieces[k]), tables.pieces[k] - 1)
        rate[v] = blended_rate(weights[v], tables.log_rates[k, m], tables.bounds[k, m], tables.count[k])
        if layers == 1 or not (stands(tables, k) and not stands(tables, motion[1 - v])):
            speed += (1.0 if layers == 1 else share if v == 0 else 1.0 - share) * rate[v] * tables.pieces[k]
            steps += 1
            if t[v] < 1.0:
                border = min(border, m + 1 - t[v] * tables.pieces[k])
    if steps == 1 and layers == 2:  # one of them stands: the other's clock alone counts
        v = 1 if stands(tables, motion[0]) else 0
        speed = rate[v] * tables.pieces[motion[v]]
    if border == np.inf:
        return 0.0, 0.0, 0.0  # all that is playing has come to its end
    far = left * speed
    crosses = not far < border - REACHED
    if crosses:
        far = border
    used = far / speed
    gone = go_on(handle, n, far, used, border, crosses)
    keep = 1.0
    if phase == LEAVING and rows.held_back[n] > 0.0:
        keep = 1.0 - rows.held_back[n] * 4.0 * share * (1.0 - share)
    ahead, aside = move_root(rows.root[n], keep * gone[0], keep * gone[1], keep * gone[2])
    if phase != NODE:
        follow_edge(handle, n, far)
    elif layers == 1 and t[0] >= 1.0 and not tables.loops[motion[0]]:
        rows.event[n] |= np.uint8(ENDED)
        return 0.0, ahead, aside
    elif rows.wake[n] >= 0 and crosses:
        pieces = tables.pieces[motion[0]]
        if piece_of(t[0], pieces) % pieces == rows.wake[n]:
            rows.event[n] |= np.uint8(WAKE)
    return left - used if crosses else 0.0, ahead, aside


@part
def stands(tables: Any, k: int) -> bool:
    """Whether a motion is a loop without steps."""
    return tables.loops[k] and tables.pieces[k] == 1


@part
def wrap(handle: Any, n: int) -> None:
    """Loops at their end begin their next round."""
    tables, rows = handle.tables, handle.rows
    for v in range(rows.layers[n]):
        if rows.t[n, v] >= 1.0 and tables.loops[rows.motion[n, v]]:
            rows.t[n, v] = 0.0
            rows.laps[n, v] += 1


@part
def go_on(handle: Any, n: int, far: float, used: float, border: float, crosses: bool) -> Any:
    """All layers on by `far` key times, one without steps by `used` seconds; what the carrier goes, blended."""
    tables, rows = handle.tables, handle.rows
    motion, t, weights, layers = rows.motion[n], rows.t[n], rows.weights[n], rows.layers[n]
    share = np.float64(rows.share[n])
    forward = aside = turn = 0.0
    for v in range(layers):
        k = motion[v]
        if t[v] >= 1.0:
            continue
        pieces, first, count = tables.pieces[k], tables.first_mean[k], tables.count[k]
        s = 1.0 if layers == 1 else (share if v == 0 else 1.0 - share)
        if layers == 2 and stands(tables, k) and not stands(tables, motion[1 - v]):
            end = t[v] + used * rows.rate[n, v]
            rows.laps[n, v] += int(end)
            t[v] = end - np.floor(end)
            continue
        if layers == 2 and rows.phase[n] == ENTERING and v == 0 and stands(tables, motion[1]):
            s = 1.0  # an edge that stops comes to rest by itself, over its feet
        m = min(piece_of(t[v], pieces), pieces - 1)
        meets = crosses and m + 1 - t[v] * pieces <= border + TOGETHER
        end = (m + 1) / pieces if meets else t[v] + far / pieces
        before = travel_at(tables.travel, first, tables.cells[k], weights[v], count, t[v])
        after = travel_at(tables.travel, first, tables.cells[k], weights[v], count, end)
        forward += s * (after[0] - before[0])
        aside += s * (after[1] - before[1])
        turn += s * (after[2] - before[2])
        t[v] = end
    return forward, aside, turn


@part
def move_root(root: Any, forward: float, aside: float, turn: float) -> Any:
    """Move a floor frame x, z, heading along an arc, as `arc_root.moved` does; metres ahead and to the left of the line
    from its start to its end, as seen from half-way."""
    half = 0.5 * turn
    square = half * half
    if square < NEARLY_STRAIGHT:
        sinc = 1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0))
    else:
        sinc = np.sin(half) / half
    c, s, forward, aside = np.cos(root[2] + half), np.sin(root[2] + half), sinc * forward, sinc * aside
    root[0] += s * forward + c * aside
    root[1] += c * forward - s * aside
    root[2] += turn
    return forward, aside


@part
def fade_velocity(rows: Any, n: int, dt: float) -> None:
    """The carrier still goes what is left of a velocity that dies away, and the offset gets older."""
    length = rows.fade_s[n]
    u = min((rows.age[n] + 0.5 * dt) / length, 1.0)
    left = dt * (1.0 - u * u * u * (10.0 - 15.0 * u + 6.0 * u * u))
    move_root(rows.root[n], left * rows.lost[n, 0], left * rows.lost[n, 1], left * rows.lost[n, 2])
    rows.age[n] += dt
    if offset_is_gone(rows, n):
        rows.age[n] = -1.0


# --- along an edge ----------------------------------------------------------------------------------------------------


@part
def follow_edge(handle: Any, n: int, far: float) -> None:
    """What of B, the edge or E is over after `far` key times, and what begins."""
    tables, rows, edges = handle.tables, handle.rows, handle.edges
    e, phase = rows.edge[n], rows.phase[n]
    k = edges.motion[e]
    v = 1 if phase == LEAVING else 0
    end = tables.pieces[k] - edges.shared_after[e]
    if phase == EDGE:
        if rows.t[n, 0] * tables.pieces[k] >= end - TOGETHER:
            enter(handle, n)
        return
    blend_on(handle, n, v, far)
    y = rows.t[n, v] * tables.pieces[k]
    if phase == ENTERING:
        if rows.progress[n] >= 0.5 and np.isnan(rows.half_s[n]):
            rows.half_s[n] = rows.time_s[n]
            if rows.want[n] != edges.after[e]:
                rows.event[n] |= np.uint8(WAKE)  # who only passes through standing need not come to rest first
        if rows.t[n, 0] >= 1.0:
            arrive(handle, n)
    elif rows.pace[n] < 0.0 and rows.progress[n] <= 0.0:
        stay(rows, n)
    elif y >= edges.shared_before[e] - TOGETHER:
        if rows.pace[n] < 1.0 and rows.progress[n] < DONE:  # turned round too late to be back in time
            show(handle, n)
            stay(rows, n)
            node, pieces = rows.motion[n, 0], tables.pieces[rows.motion[n, 0]]
            at = min(piece_of(rows.t[n, 0], pieces), pieces - 1)  # on a key time: the stretch that begins
            rows.rate[n, 0] = blended_rate(rows.weights[n, 0], tables.log_rates[node, at], tables.bounds[node, at],
                                           tables.count[node])  # fmt: skip
            begin_offset(handle, n)
            return
        take_layer(rows, n)
        rows.phase[n] = EDGE
        if y >= end - TOGETHER:
            enter(handle, n)
        elif rows.want[n] != edges.after[e]:
            rows.event[n] |= np.uint8(WAKE)  # something else was asked for since


@part
def blend_on(handle: Any, n: int, v: int, far: float) -> None:
    """Progress and share of B or E, whose edge plays in layer v, after `far` key times."""
    tables, rows, edges = handle.tables, handle.rows, handle.edges
    e = rows.edge[n]
    k = edges.motion[e]
    seconds = far / (rows.rate[n, v] * tables.pieces[k])
    if v == 1 and rows.pace[n] < 1.0:
        goal = -1.0 if rows.want[n] == edges.before[e] else 1.0
        rows.pace[n] += (goal - rows.pace[n]) * (1.0 - np.exp(-seconds / PACE_S))
        rows.progress[n] += rows.pace[n] * seconds / max(rows.length[n], 1e-9)
    else:  # by the time that is left, so that the blend ends with its steps even where their length changes
        end = edges.shared_before[e] if v == 1 else tables.pieces[k]
        rest = seconds_to(tables, k, rows.weights[n, v], rows.t[n, v] * tables.pieces[k], np.float64(end))
        rows.progress[n] += (1.0 - rows.progress[n]) * seconds / max(seconds + rest, 1e-12)
    progress = min(max(rows.progress[n], 0.0), 1.0)
    rows.share[n] = 0.5 + 0.5 * np.cos(np.pi * progress)


@part
def seconds_to(tables: Any, k: int, weights: Any, y: float, end: float) -> float:
    """How long a motion takes from key time y to `end`; a loop goes round."""
    total, pieces = 0.0, tables.pieces[k]
    while y < end - TOGETHER:
        m = int(y + TOGETHER)
        stop, at = min(m + 1.0, end), m % pieces
        rate = blended_rate(weights, tables.log_rates[k, at], tables.bounds[k, at], tables.count[k])
        total += (stop - y) / (rate * pieces)
        y = stop
    return total


@part
def enter(handle: Any, n: int) -> None:
    """The edge's last steps begin: the node it enters plays in layer 1, as fast and turning as the edge arrives."""
    tables, rows, edges, steering = handle.tables, handle.rows, handle.edges, handle.steering
    e = rows.edge[n]
    k, after = edges.motion[e], edges.after[e]
    exit_velocity = last_velocity(tables, k, rows.weights[n, 0])
    set_layer(handle, n, 1, after, edges.enter_at[e] / tables.pieces[after])
    wish = handle.room.wish
    aim(steering, rows, n, 1, wish)
    for i in range(steering.axes[after]):
        source = steering.source[after, i]
        wish[i] = rows.goal[n, 1, i]
        if source >= 0:
            wish[i] = exit_velocity[0 if source == SPEED else 2 if source == TURN else 1]
        else:
            rows.event[n] |= np.uint8(TOLD)
    if steering.kind[after] == OUTSIDE:
        rows.event[n] |= np.uint8(TOLD)
    else:
        cover(steering, after, wish)
    for i in range(steering.axes[after]):
        rows.p[n, 1, i] = wish[i]
    weigh(handle, n, 1)
    rows.layers[n], rows.phase[n], rows.share[n], rows.pace[n] = 2, ENTERING, 1.0, 1.0
    rows.progress[n], rows.half_s[n] = 0.0, np.nan


@part
def last_velocity(tables: Any, k: int, weights: Any) -> Any:
    """Forward and left m/s and turn °/s of the carrier over the end of a motion's last stretch."""
    m, pieces = tables.pieces[k] - 1, tables.pieces[k]
    rate = blended_rate(weights, tables.log_rates[k, m], tables.bounds[k, m], tables.count[k]) * pieces
    first, cells, count = tables.first_mean[k], tables.cells[k], tables.count[k]
    a = travel_at(tables.travel, first, cells, weights, count, (m + 0.5) / pieces)
    b = travel_at(tables.travel, first, cells, weights, count, 1.0)
    return 2.0 * rate * (b[0] - a[0]), 2.0 * rate * (b[1] - a[1]), 2.0 * rate * (b[2] - a[2]) * TO_DEGREES


@part
def set_layer(handle: Any, n: int, v: int, k: int, t: float) -> None:
    """A layer plays motion k from canonical time t, at the parameters that nobody asked to change."""
    rows, steering = handle.rows, handle.steering
    rows.motion[n, v], rows.t[n, v], rows.laps[n, v] = k, t, 0
    for i in range(rows.p.shape[2]):
        rows.p[n, v, i] = rows.goal[n, v, i] = steering.usual[k, i]
        rows.p_rate[n, v, i] = 0.0


@part
def copy_layer(rows: Any, n: int, a: int, b: int) -> None:
    """What layer a plays is what layer b plays too."""
    rows.motion[n, b], rows.t[n, b], rows.rate[n, b] = rows.motion[n, a], rows.t[n, a], rows.rate[n, a]
    rows.laps[n, b] = rows.laps[n, a]
    for e in range(rows.weights.shape[2]):
        rows.weights[n, b, e] = rows.weights[n, a, e]
    for i in range(rows.p.shape[2]):
        rows.p[n, b, i], rows.p_rate[n, b, i] = rows.p[n, a, i], rows.p_rate[n, a, i]
        rows.goal[n, b, i] = rows.goal[n, a, i]


@part
def take_layer(rows: Any, n: int) -> None:
    """Layer 1 is the only one from now on."""
    copy_layer(rows, n, 1, 0)
    rows.layers[n], rows.share[n] = 1, 1.0


@part
def arrive(handle: Any, n: int) -> None:
    """The edge is gone to its end: the node it led to plays alone."""
    rows = handle.rows
    take_layer(rows, n)
    rows.node[n], rows.came[n] = handle.edges.after[rows.edge[n]], rows.edge[n]
    rows.edge[n], rows.phase[n], rows.held_back[n] = -1, NODE, 0.0
    rows.event[n] |= np.uint8(ARRIVED)


@part
def stay(rows: Any, n: int) -> None:
    """The node that was to be left plays alone again."""
    rows.layers[n], rows.share[n], rows.phase[n], rows.edge[n] = 1, 1.0, NODE, -1
    rows.held_back[n], rows.pace[n] = 0.0, 1.0
