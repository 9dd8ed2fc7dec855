"""Time-warp: the monotone path through a distance array whose mean cost is least, exactly.

The path covers every row (M0), begins and ends at any column (M1), goes one row on, one column on or both at a step,
and takes at most three horizontal (row) or vertical (column) steps in a row. A state is a cell with the direction and
length of the run that reached it, so dynamic programming is exact; the least *mean* is found by Dinkelbach's method:
the programme is repeated on d - λ, λ the mean of the last path, until no path is better.
(Egbert 2005 walks greedily from every start instead.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core.errors import FootfallError, ParameterError
from footfall.core.kernels import LOOSE, kernel

RUN = 3  # horizontal or vertical steps in a row, at most: published (Egbert 2005); the seven states below count on it
HORIZONTAL, VERTICAL = (tuple(np.uint8(first + k) for k in range(RUN)) for first in (1, 1 + RUN))  # states of runs
ROUNDS = 50  # of Dinkelbach's method, at most: four to six were enough in all that was tried


class NoPath(FootfallError):
    """No path through the array keeps the limit on successive steps."""


class WarpPath(NamedTuple):
    """Cells of a time-warp's path in order, and their mean cost."""

    rows: np.ndarray  # (K,) int, from 0 to n - 1
    columns: np.ndarray  # (K,) int; a looped M1 goes on from its last column to 0
    mean: float


def time_warp(distances: np.ndarray, looped: bool = False) -> WarpPath:
    """The best path through (n, m) distances; looped: columns go round."""
    d = np.ascontiguousarray(distances, float)
    if d.ndim != 2 or 0 in d.shape or not np.isfinite(d).all():
        raise ParameterError(f"a time-warp needs a finite array of distances (n, m), both at least 1, got {d.shape}")
    n, m = d.shape
    if not looped and n > (RUN + 1) * m:
        raise NoPath(
            f"no path leads through {n} frames of the first motion with {m} of the second: at most {RUN} may be passed "
            f"while the other stands still, so it needs {-(-n // (RUN + 1))}; loop the second motion or trim the first"
        )
    mean = float(d.min(axis=1).mean())  # no path is likely to be much better: a good first λ
    best: WarpPath | None = None
    for _ in range(ROUNDS):
        rows, columns = _cheapest(d, mean, looped)
        path = WarpPath(rows, columns, float(d[rows, columns].mean()))
        if best is not None and path.mean >= best.mean:
            return best
        best, mean = path, path.mean
    raise NoPath("the time-warp did not settle; this should not happen with finite distances")


def _cheapest(cost: np.ndarray, mean: float, looped: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the path of least total cost, mean taken away from every cell."""
    came = np.zeros((3, *cost.shape), np.uint8)
    last = sweep(cost, mean, looped, came)
    state, column = (int(k) for k in np.unravel_index(int(last.argmin()), last.shape))
    most = (RUN + 1) * len(cost)  # after at most three vertical steps comes one to the next row
    rows, columns = np.empty(most, np.int64), np.empty(most, np.int64)
    length = trace(came, state, column, rows, columns)
    return rows[:length][::-1], columns[:length][::-1]


# --- kernels ----------------------------------------------------------------------------------------------------------


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
        best, at = _least_run(d[j], np.uint8(0), (v1[j], v2[j], v3[j]), VERTICAL)
        came[j] = at
        o1[j] = here[j] + best
        o2[j] = here[j] + h1[j]
        o3[j] = here[j] + h2[j]
        least[j], least_from[j] = _least_run(best, at, (h1[j], h2[j], h3[j]), HORIZONTAL)


@kernel(fastmath=LOOSE, inline="always")
def _standing(now: Any, least: Any, least_from: Any) -> None:
    """Least of the states from which a run of vertical steps may begin."""
    d, h1, h2, h3 = now[0], now[1], now[2], now[3]
    for j in range(len(least)):
        least[j], least_from[j] = _least_run(d[j], np.uint8(0), (h1[j], h2[j], h3[j]), HORIZONTAL)


@kernel(fastmath=LOOSE, inline="always")
def _least_run(best: Any, at: Any, runs: Any, states: Any) -> Any:
    """The least of a value, in state `at`, and of three runs in their states; and its state."""
    a, b, c = runs
    at = states[0] if a < best else at
    best = min(a, best)
    at = states[1] if b < best else at
    best = min(b, best)
    at = states[2] if c < best else at
    return min(c, best), at


@kernel(fastmath=LOOSE, inline="always")
def _shifted(here: Any, values: Any, out: Any, looped: Any) -> None:
    """Cost here plus the value one column before."""
    m = len(here)
    out[0] = here[0] + values[m - 1] if looped else np.inf
    for j in range(1, m):
        out[j] = here[j] + values[j - 1]


@kernel(inline="always")
def _moved(values: Any, out: Any) -> None:
    """Values one column before."""
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
        elif state <= RUN:
            state = int(came[1, i, j]) if state == 1 else state - 1
            i -= 1
        else:
            state = int(came[2, i, j]) if state == RUN + 1 else state - 1
            j = (j - 1) % m
