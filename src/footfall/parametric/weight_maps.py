"""Maps of a blend space over a plane of its parameters: how far its blends miss, and how bent its weights are.

Error and smoothness are those of Feng et al. 2012; error is told in shares of the examples' range, so that metres and
degrees can be seen in one picture.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from footfall.parametric.blend_space import BlendSpace
from footfall.parametric.measure import polar_of
from footfall.weights.examples import examples_of

CHUNK = 48  # requests answered together, between which a caller can stop
MARGIN = 0.08  # of the range, shown around the examples; by eye
Told = Callable[[float], None]  # is told the share that is done; may raise to stop


class WeightMap(NamedTuple):
    """A grid of requests, answered: rows from low to high of the one parameter, columns of the other."""

    weights: np.ndarray  # (rows, columns, N)
    error: np.ndarray  # (rows, columns) distance from asked to achieved, shares of the range
    kappa: np.ndarray  # (rows, columns) curvature of the weights
    inside: np.ndarray  # (rows, columns) in the hull of the examples

    @property
    def mean_error(self) -> float:
        """Inside the hull."""
        return float(self.error[self.inside].mean()) if self.inside.any() else 0.0

    @property
    def mean_kappa(self) -> float:
        """Inside the hull."""
        return float(self.kappa[self.inside].mean()) if self.inside.any() else 0.0


def shown_range(space: BlendSpace) -> tuple[np.ndarray, np.ndarray]:
    """(d,) least and largest value of every parameter in a picture: those of the examples and a little beyond."""
    low, high = (np.array(side) for side in zip(*space.ranges.values(), strict=True))
    return low - MARGIN * (high - low), high + MARGIN * (high - low)


def plane_points(space: BlendSpace, axes: tuple[int, ...], at: np.ndarray, size: int) -> np.ndarray:
    """(rows, columns, d) requests over the parameters `axes` (columns first, then rows, if any), the others as at (d,).

    One parameter has one row.
    """
    low, high = shown_range(space)
    lines = [np.linspace(low[axis], high[axis], size) for axis in axes[:2]]
    points = np.tile(np.asarray(at, float), (size if len(lines) > 1 else 1, size, 1))
    points[..., axes[0]] = lines[0]
    if len(lines) > 1:
        points[..., axes[1]] = lines[1][:, None]
    return points


def weight_map(space: BlendSpace, points: np.ndarray, told: Told = lambda share: None) -> WeightMap:
    """Every request of points (rows, columns, d)."""
    flat, parts = points.reshape(-1, points.shape[-1]), []
    for first in range(0, len(flat), CHUNK):
        told(first / len(flat))
        parts.append(space.answers(flat[first : first + CHUNK]))
    shape = points.shape[:2]
    units = examples_of(space.motion.parameters, polar_of(space.motion)).units
    achieved = np.concatenate([part.achieved for part in parts])
    weights = np.concatenate([part.weights for part in parts]).reshape(*shape, -1)
    error = np.linalg.norm(units(achieved) - units(flat), axis=1).reshape(shape)
    inside = np.concatenate([part.inside for part in parts]).reshape(shape)
    return WeightMap(weights, error, _bent(weights), inside)


def _bent(weights: np.ndarray) -> np.ndarray:
    """(rows, columns) curvature, at the border as beside it."""
    rows = len(weights)
    wide = np.tile(weights, (3, 1, 1)) if rows == 1 else weights
    return np.pad(curvature(wide[None])[0], 1, mode="edge")[:rows]


def curvature(w: np.ndarray) -> np.ndarray:
    """(slices, m - 2, n - 2) kappa = |sum over neighbours of (w - w_neighbour)| / 8 of weights (slices, m, n, N)."""
    total = 8.0 * neighbour(w, 0, 0)
    for a in (-1, 0, 1):
        for b in (-1, 0, 1):
            if a or b:
                total -= neighbour(w, a, b)
    return np.asarray(np.linalg.norm(total, axis=-1) / 8.0)


def neighbour(values: np.ndarray, a: int, b: int) -> np.ndarray:
    """(slices, m - 2, n - 2, …) of values (slices, m, n, …) those a rows and b columns beside the inner ones."""
    m, n = values.shape[1:3]
    return values[:, 1 + a : m - 1 + a, 1 + b : n - 1 + b]
