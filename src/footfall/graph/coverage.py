"""Coverage: what the examples of a motion can do, and the point of it nearest to a request.

It is the convex hull of the examples' parameters, each parameter measured in its range. Requests come every frame, so
with one or two parameters, the usual case, the nearest point is found by a kernel, which live characters call too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.core.kernels import kernel
from footfall.weights.hull import Hull, hull_of

SAME = 1e-9  # in ranges of a parameter: what differs by less is rounding
MOVED = 1e-6  # of the range: a request moved by more than this is told as clamped


@dataclass(frozen=True, eq=False)
class Coverage:
    """The hull of N examples over d parameters."""

    low: np.ndarray  # (d,)
    high: np.ndarray  # (d,)
    scale: np.ndarray  # (d,) the range of each parameter; 1 where examples do not differ
    hull: Hull | None  # of the scaled examples, from three parameters on
    edges: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)))  # of two, scaled: corner, way to the next

    def nearest(self, p: Sequence[float]) -> tuple[list[float], bool]:
        """The nearest parameters that are covered, and whether those asked for are not."""
        d = len(self.low)
        if len(self.edges):
            sx, sy = self.scale.tolist()
            x, y, is_outside = into_polygon(float(p[0]) / sx, float(p[1]) / sy, self.edges)
            return ([x * sx, y * sy], True) if is_outside else ([float(p[0]), float(p[1])], False)
        if d <= 1 or self.hull is None:
            found = [min(max(v, float(a)), float(b)) for v, a, b in zip(p, self.low, self.high, strict=True)]
        else:
            units = np.asarray(p, float)[None] / self.scale
            corners = self.hull.origin + self.hull.points @ self.hull.axes
            found = ((self.hull.weights(units) @ corners)[0] * self.scale).tolist()
        changed = any(abs(a - b) > SAME + MOVED * float(s) for a, b, s in zip(found, p, self.scale, strict=True))
        return found if changed else [float(v) for v in p], changed


def coverage_of(parameters: np.ndarray) -> Coverage:
    """The coverage of examples with parameters (N, d)."""
    count, d = parameters.shape
    low, high = (parameters.min(axis=0), parameters.max(axis=0)) if d else (np.zeros(0), np.zeros(0))
    scale = np.where(high - low > SAME, high - low, 1.0)
    if d == 2:
        corners = hull_corners(parameters / scale)
        edges = [(x, y, u - x, v - y) for (x, y), (u, v) in zip(corners, (*corners[1:], *corners[:1]), strict=True)]
        return Coverage(low, high, scale, None, np.array(edges if len(corners) > 2 else np.zeros((0, 4))))
    return Coverage(low, high, scale, hull_of(parameters / scale) if d > 2 and count > 1 else None)


def hull_corners(points: np.ndarray) -> tuple[tuple[float, float], ...]:
    """The corners of the convex hull of points (N, 2), anticlockwise (Andrew's monotone chain)."""
    ordered = sorted({(float(x), float(y)) for x, y in points})
    if len(ordered) < 3:
        return tuple(ordered)

    def chain(of: list[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for q in of:
            while len(kept) > 1 and _cross(kept[-2], kept[-1], q) <= SAME:
                kept.pop()
            kept.append(q)
        return kept[:-1]

    return tuple(chain(ordered) + chain(ordered[::-1]))


def _cross(o: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


@kernel(_nrt=False)
def into_polygon(x: float, y: float, edges: Any) -> Any:
    """The nearest point of a convex polygon (H, 4) to a point, and whether the point is outside."""
    outside = False
    for h in range(len(edges)):
        outside = outside or edges[h, 2] * (y - edges[h, 1]) - edges[h, 3] * (x - edges[h, 0]) < -SAME
    if not outside:
        return x, y, False
    best, near_x, near_y = np.inf, x, y
    for h in range(len(edges)):
        ax, ay, ex, ey = edges[h, 0], edges[h, 1], edges[h, 2], edges[h, 3]
        share = min(max(((x - ax) * ex + (y - ay) * ey) / max(ex * ex + ey * ey, 1e-300), 0.0), 1.0)
        qx, qy = ax + share * ex, ay + share * ey
        far = (x - qx) * (x - qx) + (y - qy) * (y - qy)
        if far < best:
            best, near_x, near_y = far, qx, qy
    return near_x, near_y, True
