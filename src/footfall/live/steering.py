"""Steering: from what is asked of a character to the parameters and weights of what it plays.

Every motion of a graph says which of its parameters follow speed, turn and side, what they are where nobody asks, how
fast they may change and what its examples cover. A node's parameters all follow; an edge's begin with those of the node
it leaves, which stay, and go on with those of the node it enters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import part
from footfall.graph.coverage import into_polygon
from footfall.graph.edges import BEYOND, Edge
from footfall.graph.graph import Node
from footfall.live.easing import ease_parameters
from footfall.live.packed_weights import look_up
from footfall.live.rows import ASKED

FREE, BOX, POLYGON, OUTSIDE = 0, 1, 2, 3  # how coverage is kept: nothing to keep, a range, a polygon, by Python
OWN = -1  # a parameter that follows none of speed, turn and side: its goal is written into the row


class SteeringTables(NamedTuple):
    """M motions of D parameters at most."""

    begin: np.ndarray  # (M,) i64 the first parameter that follows what is asked for
    axes: np.ndarray  # (M,) i64 how many there are
    cover: np.ndarray  # (M,) i64 the node whose coverage they keep to
    kind: np.ndarray  # (M,) i64 of a node's coverage
    first: np.ndarray  # (M,) i64 where a polygon's corners begin
    last: np.ndarray  # (M,) i64
    corners: np.ndarray  # (H, 4) f64 scaled: corner and the way to the next
    scale: np.ndarray  # (M, 2) f64
    low: np.ndarray  # (M, D) f64 of a range
    high: np.ndarray  # (M, D) f64
    source: np.ndarray  # (M, D) i64 which of speed, turn and side; OWN
    usual: np.ndarray  # (M, D) f64 where nobody asks
    limit: np.ndarray  # (M, D) f64 largest rate; 0: it stays
    least: np.ndarray  # (M, D) f64 weights are looked up no farther than this
    most: np.ndarray  # (M, D) f64


def steering_tables(nodes: Sequence[Node], edges: Sequence[Edge], dimensions: int) -> SteeringTables:
    """Of all nodes, then all edges with a motion."""
    names, d = [node.name for node in nodes], max(dimensions, 1)
    count = len(nodes) + len(edges)
    begin, axes, cover, kind, first, last = np.zeros((6, count), np.int64)
    corners: list[np.ndarray] = [np.zeros((1, 4))]
    scale, low, high = np.ones((count, 2)), np.zeros((count, d)), np.zeros((count, d))
    source, usual, limit = np.full((count, d), OWN), np.zeros((count, d)), np.zeros((count, d))
    least, most = np.full((count, d), -np.inf), np.full((count, d), np.inf)
    for k, node in enumerate(nodes):
        of, n = node.coverage, len(node.usual)
        axes[k], cover[k], first[k] = n, k, sum(len(c) for c in corners)
        kind[k] = FREE if n == 0 else POLYGON if len(of.edges) else BOX if n <= 1 or of.hull is None else OUTSIDE
        if len(of.edges):
            corners.append(of.edges)
            scale[k] = of.scale
        last[k] = sum(len(c) for c in corners)
        low[k, :n], high[k, :n], limit[k, :n] = of.low, of.high, node.limits
        for i, (name, _, value) in enumerate(node.usual):
            source[k, i] = ASKED.index(name) if name in ASKED else OWN
            usual[k, i] = value
    for k, edge in enumerate(edges, len(nodes)):
        assert edge.motion is not None
        table = edge.motion.parameters
        after, total = names.index(edge.after), table.shape[1]
        n = int(axes[after])
        begin[k], axes[k], cover[k] = total - n, n, after
        for into in (source, usual, limit):
            into[k, total - n : total] = into[after, :n]
        if total:
            slack = BEYOND * np.ptp(table, axis=0)
            least[k, :total], most[k, :total] = table.min(axis=0) - slack, table.max(axis=0) + slack
    return SteeringTables(begin, axes, cover, kind, first, last, np.concatenate(corners), scale, low, high, source,
                          usual, limit, least, most)  # fmt: skip


@part
def aim(steering: Any, rows: Any, n: int, v: int, wish: Any) -> None:
    """The goal of a layer: the nearest to what is asked for that the examples cover; wish: room."""
    k = rows.motion[n, v]
    begin, axes, c = steering.begin[k], steering.axes[k], steering.cover[k]
    if axes == 0 or steering.kind[c] == OUTSIDE:
        return
    for i in range(axes):
        source = steering.source[k, begin + i]
        if source < 0:
            wish[i] = rows.goal[n, v, begin + i]
        else:
            asked = rows.asked[n, source]
            wish[i] = asked if asked == asked else steering.usual[k, begin + i]
    cover(steering, c, wish)
    for i in range(axes):
        rows.goal[n, v, begin + i] = wish[i]


@part
def cover(steering: Any, c: int, wish: Any) -> None:
    """Parameters of a node brought to the nearest that its examples cover, in place."""
    if steering.kind[c] == POLYGON:
        sx, sy = steering.scale[c, 0], steering.scale[c, 1]
        corners = steering.corners[steering.first[c] : steering.last[c]]
        x, y, is_outside = into_polygon(wish[0] / sx, wish[1] / sy, corners)
        if is_outside:
            wish[0], wish[1] = x * sx, y * sy
    else:
        for i in range(steering.axes[c]):
            wish[i] = min(max(wish[i], steering.low[c, i]), steering.high[c, i])


@part
def steer(handle: Any, n: int, v: int, keep: float, dt: float) -> None:
    """Parameters of a layer a step nearer to what is asked for, and their weights."""
    steering, rows, room = handle.steering, handle.rows, handle.room
    k = rows.motion[n, v]
    begin, axes = steering.begin[k], steering.axes[k]
    if axes > 0:
        aim(steering, rows, n, v, room.wish)
        end = begin + axes
        ease_parameters(rows.goal[n, v, begin:end], rows.p[n, v, begin:end], rows.p_rate[n, v, begin:end],
                        steering.limit[k, begin:end], keep, dt)  # fmt: skip
    weigh(handle, n, v)


@part
def weigh(handle: Any, n: int, v: int) -> None:
    """The weights of a layer at its parameters."""
    steering, rows, room = handle.steering, handle.rows, handle.room
    k = rows.motion[n, v]
    for i in range(handle.weights.axes[k]):
        room.wish[i] = min(max(rows.p[n, v, i], steering.least[k, i]), steering.most[k, i])
    look_up(handle.weights, k, room.wish, room, rows.weights[n, v])
