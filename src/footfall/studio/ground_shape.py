"""The shape of a ground around a place, for the page: triangles and lines that are drawn.

What lies along a way (a slope, stairs, waves) is its profile drawn out to both sides; heights and plates are cut out of
their grid; a mesh is its triangles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.kinematics.ground import Ground
from footfall.kinematics.ground_kernels import FIELD, PLANE, PLATES, STAIRS, WAVES
from footfall.studio.message_parts import GroundView

REACH_M = 20.0  # metres to each side of the place: the floor has faded away by then
ACROSS_M = 6.0  # of a profile, to each side: more would hide who walks beside it. By eye
LINE_M = 1.0  # between two lines
WAVE_PARTS = 16  # of one wave. By eye
MOST_POINTS = 96  # of heights along each side
MOST_TRIANGLES = 16_000  # of a mesh, the nearest: about 0.8 MB as text


class GroundShape(NamedTuple):
    """Triangles and lines in the world."""

    vertices: np.ndarray  # (V, 3) metres
    triangles: np.ndarray  # (F, 3) numbers of vertices
    lines: np.ndarray  # (L, 2, 3)

    def view(self) -> GroundView:
        """As the page is told."""
        numbers = [np.ascontiguousarray(part, kind).tobytes() for part, kind in
                   ((self.vertices, "<f4"), (self.triangles, "<u4"), (self.lines, "<f4"))]  # fmt: skip
        return GroundView(*numbers)


def ground_shape(ground: Ground, x: float, z: float, reach_m: float = REACH_M) -> GroundShape:
    """The ground around x, z, as far as reach_m."""
    kind = ground.packed.kind
    if kind in (PLANE, STAIRS, WAVES):
        return _along(ground, x, z, reach_m)
    if kind == PLATES:
        return _plates(ground, x, z, reach_m)
    return _field(ground, x, z, reach_m) if kind == FIELD else _mesh(ground, x, z)


def _along(ground: Ground, x: float, z: float, reach_m: float) -> GroundShape:
    """A profile along the way, drawn out across it."""
    numbers = ground.packed.numbers
    way, left = np.array([numbers[2], numbers[3]]), np.array([numbers[3], -numbers[2]])
    off = np.array([x, z]) - numbers[:2]
    middle, aside = float(off @ way), float(off @ left)
    u, y = _profile(ground, middle - reach_m, middle + reach_m)
    wide = ACROSS_M if abs(aside) < 0.5 * ACROSS_M else ACROSS_M + abs(aside)
    v = np.arange(-wide, wide + 0.5 * LINE_M, LINE_M)
    floor = numbers[:2] + u[:, None, None] * way + v[None, :, None] * left  # (U, V, 2)
    grid = np.stack([floor[..., 0], np.broadcast_to(y[:, None], floor.shape[:2]), floor[..., 1]], axis=-1)
    steps = y[1:] != y[:-1]
    edges = np.flatnonzero(np.concatenate([[True], steps]) | np.concatenate([steps, [True]]))
    if ground.packed.kind != STAIRS:
        edges = np.flatnonzero(np.abs(u / LINE_M - np.round(u / LINE_M)) < 1e-6)
    across = np.stack([grid[edges, 0], grid[edges, -1]], axis=1)
    ahead = np.stack([grid[:-1], grid[1:]], axis=2).reshape(-1, 2, 3)
    ends = grid[:, [0, -1]]
    return GroundShape(ends.reshape(-1, 3), _cells(len(u), 2), np.concatenate([across, ahead]))


def _profile(ground: Ground, first: float, last: float) -> tuple[np.ndarray, np.ndarray]:
    """Metres along the way and heights there; a step is two points one over the other."""
    kind, numbers = ground.packed.kind, ground.packed.numbers
    whole = np.arange(np.floor(first / LINE_M), np.ceil(last / LINE_M) + 1) * LINE_M
    if kind == PLANE:
        return whole, numbers[4] + numbers[5] * whole
    if kind == WAVES:
        fine = numbers[7] + np.arange(0.0, max(last - numbers[7], 0.0), numbers[6] / WAVE_PARTS)
        u = np.unique(np.round(np.concatenate([whole, fine[fine >= first]]), 6))
        return u, numbers[4] + numbers[5] * np.sin(2.0 * np.pi * np.maximum(u - numbers[7], 0.0) / numbers[6])
    low = max(int(np.ceil((first - numbers[7]) / numbers[6])), 0)
    high = min(int((last - numbers[7]) / numbers[6]), int(numbers[8]) - 1)
    steps = np.arange(low, high + 1)
    at, under = numbers[7] + steps * numbers[6], numbers[4] + steps * numbers[5]
    u = np.concatenate([[first], np.repeat(at, 2), [last]])
    ends = numbers[4] + numbers[5] * np.clip(np.floor((u[[0, -1]] - numbers[7]) / numbers[6]) + 1.0, 0.0, numbers[8])
    y = np.concatenate([[ends[0]], np.stack([under, under + numbers[5]], axis=-1).ravel(), [ends[1]]])
    return u, y


def _part(ground: Ground, x: float, z: float, reach_m: float) -> tuple[slice, slice]:
    """The rows and columns of a grid within reach."""
    corner, cell, shape = ground.packed.numbers[:2], ground.packed.numbers[2], ground.packed.grid.shape
    found = []
    for at, start, count in zip((x, z), corner, shape, strict=True):
        first, last = (int(np.floor((at + side - start) / cell)) for side in (-reach_m, reach_m))
        first = min(max(first, 0), count - 1)
        found.append(slice(first, min(max(last + 2, first + 1), count)))
    return found[0], found[1]


def _field(ground: Ground, x: float, z: float, reach_m: float) -> GroundShape:
    rows, columns = _part(ground, x, z, reach_m)
    corner, cell = ground.packed.numbers[:2], ground.packed.numbers[2]
    step = max(1, -(-max(rows.stop - rows.start, columns.stop - columns.start) // MOST_POINTS))
    i, k = (np.unique([*range(part.start, part.stop, step), part.stop - 1]) for part in (rows, columns))
    heights = ground.packed.grid[np.ix_(i, k)]
    places = np.broadcast_to((corner[0] + cell * i)[:, None], heights.shape)
    grid = np.stack([places, heights, np.broadcast_to(corner[1] + cell * k, heights.shape)], axis=-1)
    triangles = _cells(len(i), len(k))
    there = np.isfinite(heights).ravel()
    every = max(1, round(LINE_M / (cell * step)))
    lines = np.concatenate([
        np.stack([grid[:-1, ::every], grid[1:, ::every]], axis=2).reshape(-1, 2, 3),
        np.stack([grid[::every, :-1], grid[::every, 1:]], axis=2).reshape(-1, 2, 3),
    ])  # fmt: skip
    lines = lines[np.isfinite(lines).all(axis=(1, 2))]
    return GroundShape(np.nan_to_num(grid.reshape(-1, 3)), triangles[there[triangles].all(axis=1)], lines)


def _plates(ground: Ground, x: float, z: float, reach_m: float) -> GroundShape:
    """Every plate a square, and an upright one between two of different heights."""
    rows, columns = _part(ground, x, z, reach_m)
    corner, cell = ground.packed.numbers[:2], ground.packed.numbers[2]
    squares = []
    for i in range(rows.start, rows.stop):
        for k in range(columns.start, columns.stop):
            y = ground.packed.grid[i, k]
            if not np.isfinite(y):
                continue
            x0, z0 = corner[0] + i * cell, corner[1] + k * cell
            x1, z1 = x0 + cell, z0 + cell
            squares.append([(x0, y, z0), (x1, y, z0), (x1, y, z1), (x0, y, z1)])
            for after, ends in (((i + 1, k), ((x1, z0), (x1, z1))), ((i, k + 1), ((x0, z1), (x1, z1)))):
                if after[0] < rows.stop and after[1] < columns.stop:
                    next_y = ground.packed.grid[after]
                    if np.isfinite(next_y) and next_y != y:
                        (a, b), (c, d) = ends
                        squares.append([(a, y, b), (c, y, d), (c, next_y, d), (a, next_y, b)])
    corners = np.array(squares, float).reshape(-1, 4, 3)
    triangles = 4 * np.arange(len(corners))[:, None, None] + np.array([[0, 2, 1], [0, 3, 2]])
    lines = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2, 3)
    return GroundShape(corners.reshape(-1, 3), triangles.reshape(-1, 3), lines)


def _mesh(ground: Ground, x: float, z: float) -> GroundShape:
    corners = ground.packed.corners
    if len(corners) > MOST_TRIANGLES:
        away = np.hypot(corners[..., 0].mean(axis=1) - x, corners[..., 2].mean(axis=1) - z)
        corners = corners[np.argpartition(away, MOST_TRIANGLES)[:MOST_TRIANGLES]]
    vertices, numbers = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return GroundShape(vertices, numbers.reshape(-1, 3), np.zeros((0, 2, 3)))  # the page finds its edges


def _cells(rows: int, columns: int) -> np.ndarray:
    """Two triangles for each cell of a grid of points, seen from above."""
    at = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]
    return np.stack([np.stack([a, c, b], axis=-1), np.stack([a, d, c], axis=-1)], axis=2).reshape(-1, 3)
