"""Time-warp: the monotone path through a distance array whose mean cost is least, exactly.

The path covers every row (M0), begins and ends at any column (M1), goes one row on, one column on or both at a step,
and takes at most three horizontal (row) or vertical (column) steps in a row. A state is a cell with the direction and
length of the run that reached it, so dynamic programming is exact; the least *mean* is found by Dinkelbach's method:
the programme is repeated on d - λ, λ the mean of the last path, until no path is better.
(Egbert 2005 walks greedily from every start instead.)
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

from footfall.core.errors import FootfallError, ParameterError

RUN = 3  # horizontal or vertical steps in a row
COMPILE_CELLS = 1_000_000  # from here on, loading the compiler costs less than the readable twin
ROUNDS = 50  # Dinkelbach needs four to six


class NoPath(FootfallError):
    """No path through the array keeps the limit on successive steps."""


class Path(NamedTuple):
    """Cells in order, and their mean cost."""

    rows: np.ndarray  # (K,) int, from 0 to n - 1
    columns: np.ndarray  # (K,) int; a looped M1 goes on from its last column to 0
    mean: float


def time_warp(distances: np.ndarray, looped: bool = False, compiled: bool | None = None) -> Path:
    """The best path through (n, m) distances; looped: columns go round.

    compiled: None takes the compiled sweep where the compiler is loaded already or the work is large.
    """
    d = np.ascontiguousarray(distances, float)
    if d.ndim != 2 or 0 in d.shape or not np.isfinite(d).all():
        raise ParameterError(f"a time-warp needs a finite array of distances (n, m), both at least 1, got {d.shape}")
    n, m = d.shape
    if not looped and n > (RUN + 1) * m:
        raise NoPath(
            f"no path leads through {n} frames of the first motion with {m} of the second: at most {RUN} may be passed "
            f"while the other stands still, so it needs {-(-n // (RUN + 1))}; loop the second motion or trim the first"
        )
    if compiled is None:
        compiled = "numba" in sys.modules or d.size >= COMPILE_CELLS
    mean = float(d.min(axis=1).mean())  # no path is likely to be much better: a good first λ
    best: Path | None = None
    for _ in range(ROUNDS):
        rows, columns = _traced(d, mean, looped, compiled)
        path = Path(rows, columns, float(d[rows, columns].mean()))
        if best is not None and path.mean >= best.mean:
            return best
        best, mean = path, path.mean
    raise NoPath("the time-warp did not settle; this should not happen with finite distances")


def _traced(cost: np.ndarray, mean: float, looped: bool, compiled: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the path of least total cost, mean taken away from every cell."""
    came = np.zeros((3, *cost.shape), np.uint8)
    if compiled:
        from footfall.align import time_warp_kernel as fast

        last = fast.sweep(cost, mean, looped, came)
        follow = fast.trace
    else:
        last = sweep(cost, mean, looped, came)
        follow = trace
    state, column = (int(k) for k in np.unravel_index(int(last.argmin()), last.shape))
    most = (RUN + 1) * len(cost)  # after at most three vertical steps comes one to the next row
    rows, columns = np.empty(most, np.int64), np.empty(most, np.int64)
    length = follow(came, state, column, rows, columns)
    return rows[:length][::-1], columns[:length][::-1]


def trace(came: np.ndarray, state: int, column: int, rows: np.ndarray, columns: np.ndarray) -> int:
    """The readable twin: cells of the path that ends in the last row at a column and state, last first; how many."""
    _, n, m = came.shape
    i, j = n - 1, column
    for k in range(len(rows)):
        rows[k], columns[k] = i, j
        if state == 0 and i == 0:
            return k + 1
        first = state in (0, 1, RUN + 1)  # of its run: anything else that is allowed may have been before
        kind = 0 if state == 0 else 1 if state <= RUN else 2
        state = int(came[kind, i, j]) if first else state - 1
        i, j = (i if kind == 2 else i - 1), (j if kind == 1 else (j - 1) % m)
    raise NoPath("a path through these distances is longer than any can be")


def sweep(cost: np.ndarray, mean: float, looped: bool, came: np.ndarray) -> np.ndarray:
    """The readable twin of align/time_warp_kernel.py: the last row's values (7, m); came (3, n, m) is filled.

    State 0 was reached by a diagonal step, 1 2 3 by that many horizontal steps in a row, 4 5 6 by vertical ones.
    """
    m = cost.shape[1]

    def step(values: np.ndarray) -> np.ndarray:
        """Values of the column before each column."""
        moved = np.roll(values, 1)
        if not looped:
            moved[0] = np.inf
        return moved

    now = np.full((7, m), np.inf)
    still = np.array([0, 4, 5, 6])  # states from which a run of horizontal steps may begin
    for i, here in enumerate(cost - mean):
        past, now = now, np.full((7, m), np.inf)
        if i == 0:
            now[0] = here
        else:
            came[1, i] = still[past[still].argmin(axis=0)]
            now[1] = here + past[still].min(axis=0)
            now[2:4] = here + past[1:3]
            came[0, i] = np.roll(past.argmin(axis=0), 1)
            now[0] = here + step(past.min(axis=0))
        came[2, i] = np.roll(now[:4].argmin(axis=0), 1)
        now[4] = here + step(now[:4].min(axis=0))
        now[5] = here + step(now[4])
        now[6] = here + step(now[5])
    return now
