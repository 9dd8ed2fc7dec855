"""Support polygon: the convex hull of what stands on the floor, and its point nearest to a given one."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import kernel, part


def nearest_on_soles(points: np.ndarray, soles: np.ndarray, down: np.ndarray) -> np.ndarray:
    """(T, 2) nearest points of the hulls of the soles that stand; NaN where none does.

    points (T, 2) on the floor; soles (T, 2, 3, 2) heel, ball and tip of both feet; down (T, 2).
    """
    out = np.full((len(points), 2), np.nan)
    _nearest(*(np.ascontiguousarray(x, float) for x in (points, soles.reshape(len(points), 6, 2))), down, out)
    return out


@part
def _turn(ax: float, ay: float, bx: float, by: float, px: float, py: float) -> float:
    """Positive where p lies to the left of the way from a to b."""
    return (bx - ax) * (py - ay) - (by - ay) * (px - ax)


@kernel
def _nearest(points: Any, soles: Any, down: Any, out: Any) -> None:
    for n in range(len(points)):
        px, py, best = points[n, 0], points[n, 1], np.inf
        for i in range(6):
            if not down[n, i // 3]:
                continue
            ax, ay = soles[n, i, 0], soles[n, i, 1]
            for j in range(i + 1, 6):
                if not down[n, j // 3]:
                    continue
                bx, by = soles[n, j, 0], soles[n, j, 1]
                wx, wy = bx - ax, by - ay
                along = min(max(((px - ax) * wx + (py - ay) * wy) / max(wx * wx + wy * wy, 1e-12), 0.0), 1.0)
                qx, qy = ax + along * wx, ay + along * wy
                apart = (px - qx) ** 2 + (py - qy) ** 2
                if apart < best:
                    best, out[n, 0], out[n, 1] = apart, qx, qy
                for k in range(j + 1, 6):
                    if not down[n, k // 3]:
                        continue
                    cx, cy = soles[n, k, 0], soles[n, k, 1]
                    s0, s1, s2 = (
                        _turn(ax, ay, bx, by, px, py),
                        _turn(bx, by, cx, cy, px, py),
                        _turn(cx, cy, ax, ay, px, py),
                    )
                    if (s0 >= 0.0 and s1 >= 0.0 and s2 >= 0.0) or (s0 <= 0.0 and s1 <= 0.0 and s2 <= 0.0):
                        best, out[n, 0], out[n, 1] = 0.0, px, py
