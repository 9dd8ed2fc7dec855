"""Nearest row: exact search of a table of features that skips whole boxes of rows that cannot win.

Rows that follow each other in time are alike, so the box around 16 of them is small (Holden et al. 2020). A box, and
then a row, is left as soon as what is summed of it exceeds the best.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import LOOSE, kernel

BOX = 16  # rows in a box: published (Holden et al. 2020)
STRIDE = 8  # columns summed between two looks at the best: one vector register of float32


def boxes(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest values (B, D) of every 16 rows (N, D) in order."""
    starts = np.arange(0, len(rows), BOX)
    return np.minimum.reduceat(rows, starts), np.maximum.reduceat(rows, starts)


@kernel(_nrt=False, fastmath=LOOSE)
def nearest(rows: Any, low: Any, high: Any, query: Any, penalty: Any, group: Any, best: int, cost: float) -> Any:
    """The row of least |row - query|² + penalty[group of the row], and that sum; best and cost to begin with.

    rows (N, D) float32 with D a multiple of 8; group (N,) small numbers; a penalty of infinity leaves a group out.
    """
    width = rows.shape[1]
    least = np.float32(cost)
    for b in range(len(low)):
        total = np.float32(0.0)
        for c in range(0, width, STRIDE):
            for d in range(c, c + STRIDE):
                q = query[d]
                away = max(max(low[b, d] - q, q - high[b, d]), np.float32(0.0))
                total += away * away
            if total >= least:
                break
        if total >= least:
            continue
        for i in range(b * BOX, min(b * BOX + BOX, len(rows))):
            total = penalty[group[i]]
            for c in range(0, width, STRIDE):
                if total >= least:
                    break
                for d in range(c, c + STRIDE):
                    away = rows[i, d] - query[d]
                    total += away * away
            if total < least:
                best, least = i, total
    return best, least
