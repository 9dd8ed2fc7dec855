"""One joint that jumps within a frame and stays: eased over 0.05 s, since nothing says which side is wrong."""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.kinematics.clean_steps import bad_steps, moment, runs, step_limit

HALF_S = 0.02  # frames replaced on either side of the jump
CERTAIN = 2.0  # times the limit: without a way back, more is asked of a step
ALONE = 2.0  # times the steps right beside it


def repair_jumps(q: np.ndarray, fps: float) -> tuple[np.ndarray, list[str]]:
    """One joint's rotations (T, 4) with jumps eased, and what was found; the same array when none was."""
    bad, sizes = bad_steps(q, fps)
    limit = step_limit(fps)
    jumps = [int(t) for t in bad if sizes[t] > max(CERTAIN * limit, ALONE * _beside(sizes, int(t)))]
    found: list[str] = []
    if not jumps:
        return q, found
    q, half, last = q.copy(), max(1, round(HALF_S * fps)), len(q) - 1
    for first, final in runs(jumps, half):
        a, b = max(first - half, 0), min(final + 1 + half, last)
        inside = np.arange(a + 1, b)
        q[inside] = rotation.slerp(q[a], q[b], (inside - a) / (b - a))
        size = np.degrees(sizes[first : final + 1].max())
        found.append(f"{moment(first, final + 1, fps)} jumped by {size:.0f}°; eased from frame {a} to {b}")
    return rotation.continuous_signs(q), found


def _beside(sizes: np.ndarray, t: int) -> float:
    """Mean of the steps right before and after: a fast swing speeds up and slows down, a jump does not."""
    return float(0.5 * (sizes[max(t - 1, 0)] + sizes[min(t + 1, len(sizes) - 1)]))
