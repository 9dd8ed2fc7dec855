"""One sweep of the constrained time-warp, compiled; its readable twin is in align/time_warp.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import LOOSE, kernel


@kernel(fastmath=LOOSE)
def sweep(cost: np.ndarray, mean: float, looped: bool, came: np.ndarray) -> np.ndarray:
    """Values (7, m) of the last row; came (3, n, m) is filled.

    cost (n, m), of which mean is taken away. States of a cell: 0 reached by a diagonal step, 1 2 3 by that many
    horizontal steps in a row, 4 5 6 by vertical ones. came[0] is the state a diagonal step came from, [1] that of a
    first horizontal step, [2] that of a first vertical one; later steps of a run come from the state before.
    """
    n, m = cost.shape
    now, past = np.empty((7, m)), np.empty((7, m))
    least, least_from = np.empty(m), np.empty(m, np.uint8)
    here = np.empty(m)
    for i in range(n):
        for j in range(m):
            here[j] = cost[i, j] - mean
        if i == 0:
            now[0] = here
            now[1:4] = np.inf
        else:
            _next_row(here, past, now, came[1, i], least, least_from)
            _shifted(here, least, now[0], looped)
            _moved(least_from, came[0, i])
        _standing(now, least, least_from)
        _shifted(here, least, now[4], looped)
        _moved(least_from, came[2, i])
        _shifted(here, now[4], now[5], looped)
        _shifted(here, now[5], now[6], looped)
        now, past = past, now
    return past


@kernel(fastmath=LOOSE, inline="always")
def _next_row(here: Any, past: Any, now: Any, came: Any, least: Any, least_from: Any) -> None:
    """Horizontal steps from the row before; least of all its states, for the diagonal ones."""
    d, v1, v2, v3 = past[0], past[4], past[5], past[6]
    h1, h2, h3 = past[1], past[2], past[3]
    o1, o2, o3 = now[1], now[2], now[3]
    for j in range(len(here)):
        best, at = d[j], np.uint8(0)
        at = np.uint8(4) if v1[j] < best else at
        best = min(v1[j], best)
        at = np.uint8(5) if v2[j] < best else at
        best = min(v2[j], best)
        at = np.uint8(6) if v3[j] < best else at
        best = min(v3[j], best)
        came[j] = at
        o1[j] = here[j] + best
        o2[j] = here[j] + h1[j]
        o3[j] = here[j] + h2[j]
        at = np.uint8(1) if h1[j] < best else at
        best = min(h1[j], best)
        at = np.uint8(2) if h2[j] < best else at
        best = min(h2[j], best)
        at = np.uint8(3) if h3[j] < best else at
        least[j] = min(h3[j], best)
        least_from[j] = at


@kernel(fastmath=LOOSE, inline="always")
def _standing(now: Any, least: Any, least_from: Any) -> None:
    """Least of the states from which a run of vertical steps may begin."""
    d, h1, h2, h3 = now[0], now[1], now[2], now[3]
    for j in range(len(least)):
        best, at = d[j], np.uint8(0)
        at = np.uint8(1) if h1[j] < best else at
        best = min(h1[j], best)
        at = np.uint8(2) if h2[j] < best else at
        best = min(h2[j], best)
        at = np.uint8(3) if h3[j] < best else at
        least[j] = min(h3[j], best)
        least_from[j] = at


@kernel(fastmath=LOOSE, inline="always")
def _shifted(here: Any, values: Any, out: Any, looped: Any) -> None:
    """Cost here plus the value one column before."""
    m = len(here)
    out[0] = here[0] + values[m - 1] if looped else np.inf
    for j in range(1, m):
        out[j] = here[j] + values[j - 1]


@kernel(inline="always")
def _moved(values: Any, out: Any) -> None:
    m = len(values)
    out[0] = values[m - 1]
    for j in range(1, m):
        out[j] = values[j - 1]


@kernel
def trace(came: np.ndarray, state: int, column: int, rows: np.ndarray, columns: np.ndarray) -> int:
    """Cells of the path that ends in the last row at a column and state, last first; returns how many."""
    _, n, m = came.shape
    i, j = n - 1, column
    k = 0
    while True:
        rows[k], columns[k] = i, j
        k += 1
        if state == 0:
            if i == 0:
                return k
            state = int(came[0, i, j])
            i, j = i - 1, (j - 1) % m
        elif state <= 3:
            state = int(came[1, i, j]) if state == 1 else state - 1
            i -= 1
        else:
            state = int(came[2, i, j]) if state == 4 else state - 1
            j = (j - 1) % m
