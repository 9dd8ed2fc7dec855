"""Ground kernels: the height of any ground under a point, one source for arrays of points and for live kernels.

A ground is packed as a kind, a few numbers and four arrays, so that a kernel takes any of them. Where there is no
ground the height is not a number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import kernel, part

PLANE, STAIRS, WAVES, FIELD, PLATES, MESH = range(6)  # kinds
CLIMB_M = 0.5  # metres over where the body is: what is higher is no ground to step on but a roof. By eye
INSIDE = 1e-9  # of a triangle: rounding at its edges


class PackedGround(NamedTuple):
    """Any ground as kernels take it.

    numbers: of a plane, stairs or waves: x, z, way x, way z, height there, then what the kind says; of a field, plates
    or a mesh: x, z of the first point and the size of a cell.
    """

    kind: int
    numbers: np.ndarray  # (9,)
    grid: np.ndarray  # (X, Z) heights of a field or of plates; of a mesh its shape tells the cells
    first: np.ndarray  # (cells + 1,) where each cell's triangles begin in `listed`
    listed: np.ndarray  # (N,) triangles, cell by cell
    corners: np.ndarray  # (F, 3, 3)


@part
def has_edges(ground: Any) -> bool:
    """Whether the ground may rise or fall at once."""
    return bool(ground[0] == STAIRS or ground[0] >= PLATES)


@part
def height_at(ground: Any, x: float, z: float, near: float) -> float:
    """The height under a point; of several levels the highest that lies at most CLIMB_M over `near`."""
    kind, numbers, grid, first, listed, corners = ground
    if kind <= WAVES:
        along = (x - numbers[0]) * numbers[2] + (z - numbers[1]) * numbers[3]
        if kind == PLANE:  # 5: rise for each metre
            return numbers[4] + numbers[5] * along
        if kind == WAVES:  # 5: amplitude, 6: length, 7: where the first begins
            return numbers[4] + numbers[5] * np.sin(2.0 * np.pi * max(along - numbers[7], 0.0) / numbers[6])
        # 5: rise, 6: run, 7: where the first begins, 8: how many
        steps = np.floor((along - numbers[7]) / numbers[6]) + 1.0
        return numbers[4] + numbers[5] * min(max(steps, 0.0), numbers[8])
    u, v = (x - numbers[0]) / numbers[2], (z - numbers[1]) / numbers[2]
    if kind == FIELD:
        return _bilinear(grid, u, v)
    i, k = np.floor(u), np.floor(v)
    if not (0.0 <= i < grid.shape[0] and 0.0 <= k < grid.shape[1]):
        return np.nan
    cell = (int(i), int(k))
    if kind == PLATES:
        return grid[cell[0], cell[1]]
    return _mesh_height(first, listed, corners, cell[0] * grid.shape[1] + cell[1], (x, z, near))


@part
def _bilinear(grid: Any, u: float, v: float) -> float:
    across, down = grid.shape[0] - 1, grid.shape[1] - 1
    if not (0.0 <= u <= across and 0.0 <= v <= down):
        return np.nan
    i, k = min(int(u), max(across - 1, 0)), min(int(v), max(down - 1, 0))
    i1, k1 = min(i + 1, across), min(k + 1, down)
    u, v = u - i, v - k
    return (grid[i, k] * (1.0 - u) + grid[i1, k] * u) * (1.0 - v) + (grid[i, k1] * (1.0 - u) + grid[i1, k1] * u) * v


@part
def _mesh_height(first: Any, listed: Any, corners: Any, cell: int, at: Any) -> float:
    x, z, near = at
    below, above = -np.inf, np.inf
    for n in range(first[cell], first[cell + 1]):
        t = corners[listed[n]]
        x1, z1, x2, z2 = t[1, 0] - t[0, 0], t[1, 2] - t[0, 2], t[2, 0] - t[0, 0], t[2, 2] - t[0, 2]
        area = x1 * z2 - x2 * z1
        if area == 0.0:
            continue
        px, pz = x - t[0, 0], z - t[0, 2]
        b, c = (px * z2 - x2 * pz) / area, (x1 * pz - px * z1) / area
        if b < -INSIDE or c < -INSIDE or b + c > 1.0 + INSIDE:
            continue
        y = t[0, 1] + b * (t[1, 1] - t[0, 1]) + c * (t[2, 1] - t[0, 1])
        if y <= near + CLIMB_M:
            below = max(below, y)
        else:
            above = min(above, y)
    if below > -np.inf:
        return below
    return above if above < np.inf else np.nan


@kernel
def heights_under(ground: Any, x: Any, z: Any, near: Any, out: Any) -> None:
    """Heights (N,) under points x, z (N,), each near a height (N,)."""
    for n in range(len(x)):
        out[n] = height_at(ground, x[n], z[n], near[n])


@kernel
def count_in_cells(spans: Any, counts: Any, across: int) -> None:
    """How many triangles touch each cell of a mesh's grid: spans (F, 4) are their first and last cells."""
    for n in range(len(spans)):
        for i in range(spans[n, 0], spans[n, 2] + 1):
            for k in range(spans[n, 1], spans[n, 3] + 1):
                counts[i * across + k] += 1


@kernel
def list_by_cell(spans: Any, at: Any, listed: Any, across: int) -> None:
    """Triangles listed cell by cell; at (cells,) is where each cell's begin, and is moved on."""
    for n in range(len(spans)):
        for i in range(spans[n, 0], spans[n, 2] + 1):
            for k in range(spans[n, 1], spans[n, 3] + 1):
                listed[at[i * across + k]] = n
                at[i * across + k] += 1
