"""The constrained time-warp in plain numpy, row by row: the oracle of align/time_warp.py."""

from __future__ import annotations

import numpy as np

from footfall.align.time_warp import ROUNDS, RUN, WarpPath


def plain_time_warp(d: np.ndarray, looped: bool = False) -> WarpPath:
    """What `time_warp` gives for (n, m) distances."""
    mean, best = float(d.min(axis=1).mean()), None
    for _ in range(ROUNDS):
        came = np.zeros((3, *d.shape), np.uint8)
        last = sweep(d, mean, looped, came)
        state, column = (int(k) for k in np.unravel_index(int(last.argmin()), last.shape))
        rows, columns = trace(came, state, column)
        path = WarpPath(rows, columns, float(d[rows, columns].mean()))
        if best is not None and path.mean >= best.mean:
            return best
        best, mean = path, path.mean
    raise AssertionError("the time-warp did not settle")


def trace(came: np.ndarray, state: int, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the path that ends in the last row at a column and state."""
    _, n, m = came.shape
    cells = [(n - 1, column)]
    while (state, cells[-1][0]) != (0, 0):
        i, j = cells[-1]
        first = state in (0, 1, RUN + 1)  # of its run: anything else that is allowed may have been before
        kind = 0 if state == 0 else 1 if state <= RUN else 2
        state = int(came[kind, i, j]) if first else state - 1
        cells.append((i if kind == 2 else i - 1, j if kind == 1 else (j - 1) % m))
    rows, columns = np.array(cells[::-1]).T
    return rows, columns


def sweep(cost: np.ndarray, mean: float, looped: bool, came: np.ndarray) -> np.ndarray:
    """The last row's values (7, m); came (3, n, m) is filled.

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
