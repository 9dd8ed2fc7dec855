"""Ground: heights under feet, from a function y = h(x, z), a grid of heights or a triangle mesh seen from above.

Heights are world heights; a clip is taken to have been made on a flat floor at y = 0 (`clip.floor()` puts it there).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from footfall.core.errors import ParameterError
from footfall.core.skeleton import readonly

Ground = Callable[[np.ndarray, np.ndarray], np.ndarray]  # x, z (...) -> y (...), metres
FARTHEST_M = 1e4  # heights beyond are no ground
MOST_CELLS = 4_000_000  # of a sampled mesh


@dataclass(frozen=True, eq=False)
class HeightField:
    """Heights on a square grid, bilinear between its points, level beyond its edges. Call it like a function."""

    heights: np.ndarray  # (X, Z) metres
    x0: float
    z0: float
    cell_m: float

    def __post_init__(self) -> None:
        if np.ndim(self.heights) != 2 or not np.size(self.heights) or not np.isfinite(self.heights).all():
            raise ParameterError(f"heights must be a finite (X, Z) array, got shape {np.shape(self.heights)}")
        if not (np.isfinite([self.x0, self.z0, self.cell_m]).all() and self.cell_m > 0):
            raise ParameterError(f"a height field needs finite x0, z0 and cell_m > 0, got cell_m {self.cell_m}")
        object.__setattr__(self, "heights", readonly(self.heights))

    def __call__(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        i, u = _cell(x, self.x0, self.cell_m, self.heights.shape[0])
        k, v = _cell(z, self.z0, self.cell_m, self.heights.shape[1])
        h = self.heights
        i1, k1 = np.minimum(i + 1, h.shape[0] - 1), np.minimum(k + 1, h.shape[1] - 1)
        return (h[i, k] * (1 - u) + h[i1, k] * u) * (1 - v) + (h[i, k1] * (1 - u) + h[i1, k1] * u) * v


def _cell(x: np.ndarray, start: float, cell: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Index of the grid point at or before each x, and the share of the cell beyond it."""
    at = np.clip((np.asarray(x, float) - start) / cell, 0.0, count - 1.0)
    i = np.minimum(at.astype(int), max(count - 2, 0))
    return i, at - i


def heights_at(ground: Ground, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Heights (...) under points; 0 where the ground has none, never beyond FARTHEST_M."""
    x, z = np.asarray(x, float), np.asarray(z, float)
    with np.errstate(all="ignore"):
        y = np.asarray(ground(x, z), float)
    try:
        y = np.broadcast_to(y, np.broadcast_shapes(x.shape, z.shape))
    except ValueError:
        raise ParameterError(
            f"a ground function must return one height for each point: {x.shape} were asked, {y.shape} came back"
        ) from None
    return np.clip(np.where(np.isfinite(y), y, 0.0), -FARTHEST_M, FARTHEST_M)


def mesh_ground(vertices: np.ndarray, triangles: np.ndarray, cell_m: float = 0.02, outside: float = 0.0) -> HeightField:
    """The highest surface of a mesh, vertices (V, 3) and triangles (F, 3), sampled on a grid; `outside` elsewhere."""
    vertices, triangles = np.asarray(vertices, float), np.asarray(triangles)
    _check_mesh(vertices, triangles, cell_m)
    if not len(triangles):
        return HeightField(np.full((1, 1), outside), 0.0, 0.0, cell_m)
    used = vertices[triangles.astype(int)]  # (F, 3, 3)
    low, high = used[..., [0, 2]].min(axis=(0, 1)), used[..., [0, 2]].max(axis=(0, 1))
    cells = np.ceil((high - low) / cell_m) + 1
    if cells.prod() > MOST_CELLS:
        raise ParameterError(
            f"a mesh of {high[0] - low[0]:.4g} x {high[1] - low[1]:.4g} m takes {cells.prod():.3g} cells of {cell_m} "
            f"m, more than {MOST_CELLS}; give a larger cell_m"
        )
    heights = np.full((int(cells[0]), int(cells[1])), -np.inf)
    for triangle in used:
        _raise_to(heights, triangle, low, cell_m)
    return HeightField(np.where(np.isfinite(heights), heights, outside), float(low[0]), float(low[1]), cell_m)


def _check_mesh(vertices: np.ndarray, triangles: np.ndarray, cell_m: float) -> None:
    if vertices.ndim != 2 or vertices.shape[1] != 3 or not np.isfinite(vertices).all():
        raise ParameterError(f"vertices must be a finite (V, 3) array, got shape {vertices.shape}")
    whole = np.issubdtype(triangles.dtype, np.integer) or not triangles.size
    if triangles.ndim != 2 or triangles.shape[1] != 3 or not whole:
        raise ParameterError(
            f"triangles must be whole numbers (F, 3), got shape {triangles.shape} of {triangles.dtype}"
        )
    if triangles.size and not (triangles.min() >= 0 and triangles.max() < len(vertices)):
        raise ParameterError(
            f"triangles name vertices {triangles.min()} to {triangles.max()}; there are {len(vertices)}"
        )
    if not (np.isfinite(cell_m) and cell_m > 0):
        raise ParameterError(f"cell_m must be > 0, got {cell_m}")


def _raise_to(heights: np.ndarray, triangle: np.ndarray, low: np.ndarray, cell: float) -> None:
    """Raise the grid (in place) to one triangle (3, 3) where it covers grid points; upright ones cover none."""
    floor = triangle[:, [0, 2]]
    (x1, z1), (x2, z2) = floor[1] - floor[0], floor[2] - floor[0]
    area = x1 * z2 - x2 * z1
    if abs(area) < 1e-12:
        return
    first = np.maximum(np.floor((floor.min(axis=0) - low) / cell).astype(int), 0)
    last = np.minimum(np.ceil((floor.max(axis=0) - low) / cell).astype(int) + 1, heights.shape)
    x = low[0] + cell * np.arange(first[0], last[0])[:, None] - floor[0, 0]
    z = low[1] + cell * np.arange(first[1], last[1])[None, :] - floor[0, 1]
    b, c = (x * z2 - x2 * z) / area, (x1 * z - x * z1) / area
    inside = (b >= -1e-9) & (c >= -1e-9) & (b + c <= 1 + 1e-9)
    y = triangle[0, 1] + b * (triangle[1, 1] - triangle[0, 1]) + c * (triangle[2, 1] - triangle[0, 1])
    part = heights[first[0] : last[0], first[1] : last[1]]
    np.maximum(part, np.where(inside, y, -np.inf), out=part)
