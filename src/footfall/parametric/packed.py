"""Packed motions: many parametric motions of one body as plain arrays that compiled kernels read.

Layout: canonical time outermost, then example, then component, joints innermost, float32. One grid point of one example
is one row: rotation vectors x, y, z of all joints, then the root's sway; two neighbouring grid points of all examples
are one contiguous block, and a frame of a blend is a weighted sum of its rows. Travel has a table of its own, in
float64 and with examples innermost: a clock reads it between grid points, and adds it up for hours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.feet.live_body import LiveBody

WIDTH = 8  # joints, examples and columns are padded to a multiple of this: whole vectors
SPARE = 4  # rows of zeros after each motion: rows are summed four at a time
PARTS = ("left_heel", "left_toe", "right_heel", "right_toe")
NEVER = (9.0, -9.0)  # a span that no canonical time lies in


class MotionTables(NamedTuple):
    """What kernels read; M motions of J joints (J' padded), E examples at most (padded), S spans."""

    rows: np.ndarray  # (R, 3 J' + 8) f32: vectors [3][J'], root sway (3), 5 unused; [motion][grid][example]
    mean: np.ndarray  # (sum of G + 1, 4, J') f32
    travel: np.ndarray  # (sum of G + 1, 3, E) f64: forward, left and turn of the carrier since canonical time 0
    first_row: np.ndarray  # (M,) i64 where a motion begins in rows
    first_mean: np.ndarray  # (M,) i64 and in mean and travel
    count: np.ndarray  # type: ignore[assignment]  # (M,) i64 examples; nobody counts in a tuple of arrays
    cells: np.ndarray  # (M,) i64 G
    pieces: np.ndarray  # (M,) i64 K - 1
    loops: np.ndarray  # (M,) bool
    log_rates: np.ndarray  # (M, P, E) f64 ln of canonical time a second, between key times
    bounds: np.ndarray  # (M, P, 2) f64 least and largest ln of a blended rate
    spans: np.ndarray  # (M, E, 8 S) f32 canonical times: [heel, toe of left, of right][span][start, end]
    body: LiveBody

    @property
    def width(self) -> int:
        """E."""
        return self.log_rates.shape[2]

    @property
    def nbytes(self) -> int:
        """Memory of all tables."""
        return sum(table.nbytes for table in (*self[:-1], *self.body))
