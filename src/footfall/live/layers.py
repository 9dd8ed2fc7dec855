"""Layers: the one or two motions a character plays, sampled, blended and placed as one pose on its carrier.

The oracle is `footfall_lab.oracles.plain_frame`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import part
from footfall.parametric.sampling import (
    ONE,
    between,
    blended_rate,
    cell_of,
    factors_of,
    sum_rows,
    turned_mean,
)


@part
def blend_one(handle: Any, n: int, back: float) -> None:
    """The pose of one character on its carrier, `back` seconds before now: rotations into room.turns[0], the root's
    sway behind the rotation vectors in room.row."""
    rows, room, tables = handle.rows, handle.room, handle.tables
    row, share = room.row, rows.share[n]
    at = 3 * room.turns.shape[2]
    x = y = z = np.float32(0.0)
    for v in range(2 if rows.layers[n] == 2 and share < ONE else 1):
        k = rows.motion[n, v]
        x, y, z = row[at], row[at + 1], row[at + 2]
        t = rows.t[n, v]
        if back != 0.0:
            t = earlier(tables, k, rows.weights[n, v], t, back)
        sample_one(handle, k, t, rows.weights[n, v], v)
    if rows.layers[n] == 2 and share < ONE:
        rest = ONE - share
        between(room.turns[0], room.turns[1], rest)
        row[at], row[at + 1] = share * x + rest * row[at], share * y + rest * row[at + 1]
        row[at + 2] = share * z + rest * row[at + 2]


@part
def earlier(tables: Any, k: int, weights: Any, t: float, seconds: float) -> float:
    """The canonical time of motion k some seconds before t. Key times may lie close together, so that the rate of the
    stretch at t says nothing of what was before it. A motion that is done once has no time before its start."""
    pieces = tables.pieces[k]
    y, left, goes_on = t * pieces, seconds, True
    while goes_on:
        if y <= 0.0:
            if not tables.loops[k]:
                return 0.0
            y += pieces
        m = int(np.ceil(y)) - 1  # the stretch that ends at y, or holds it
        rate = pieces * blended_rate(weights, tables.log_rates[k, m], tables.bounds[k, m], tables.count[k])
        goes_on = left * rate > y - m
        left, y = left - (y - m) / rate, np.float64(m) if goes_on else y - left * rate
    return moment(y / pieces, tables.loops[k])


@part
def moment(t: float, is_loop: bool) -> float:
    """A canonical time that may lie before the start, within 0 and 1."""
    return t - np.floor(t) if is_loop else min(max(t, 0.0), 1.0)


@part
def sample_one(handle: Any, k: int, t: float, weights: Any, into: int) -> None:
    """Motion k at a canonical time: rotations into room.turns[into], the root's sway into room.row."""
    tables, room = handle.tables, handle.room
    g, f = cell_of(t, tables.cells[k])
    count, grid = tables.count[k], tables.first_mean[k] + g
    factors_of(weights, count, f, room.factors)
    sum_rows(tables.rows, tables.first_row[k] + g * count, room.factors, 2 * count, room.row)
    turned_mean(tables.mean[grid], tables.mean[grid + 1], np.float32(f), room.row, room.turns[into])
