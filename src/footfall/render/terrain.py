"""Terrain: a ground as the ray caster draws it, heights on a fine grid with upright edges where they jump.

Rays are marched from cell to cell, and over whole blocks of cells where they pass above all that is in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footfall.render.pixel_kernels import pixels_inlined

if TYPE_CHECKING:
    from footfall.kinematics.ground import Ground

CELL_M = 0.012  # of the grid, at a body height of 1.75 m
MOST_CELLS = 700_000
JUMP_M = 0.03  # metres between neighbours: more is an upright edge
BLOCK = 16  # cells along a side that a ray may pass at once
SHADOW_M, SHADOW_STEPS = 1.2, 48  # how far terrain shades itself, and in how many steps
FAR = 6  # blocks beyond the grid, where the edge's heights go on


class Terrain(NamedTuple):
    """Heights (nz, nx) at points of a grid; without any, the floor is level."""

    x0: float
    z0: float
    cell_m: float
    low: float
    high: float
    heights: np.ndarray  # (nz, nx)
    blocks: np.ndarray  # highest of each block and its neighbours


LEVEL = Terrain(0.0, 0.0, 1.0, 0.0, 0.0, np.zeros((0, 0)), np.zeros((0, 0)))


def terrain_of(ground: Ground, middle: np.ndarray, reach_m: float, scale: float) -> Terrain:
    """The ground around a place (3,), as far as reach_m; holes are as deep as the lowest of it less half a metre."""
    side = 2.0 * reach_m
    cell = max(CELL_M * scale, side / np.sqrt(MOST_CELLS))
    count = BLOCK * (int(side / cell / BLOCK) + 1)
    x0, z0 = float(middle[0] - 0.5 * cell * count), float(middle[2] - 0.5 * cell * count)
    at = cell * np.arange(count)
    heights = ground.heights(x0 + at[None, :], z0 + at[:, None], float(middle[1]))
    known = heights[np.isfinite(heights)]
    low = float(known.min()) if known.size else 0.0
    heights = np.where(np.isfinite(heights), heights, low - 0.5)
    blocks = heights.reshape(count // BLOCK, BLOCK, count // BLOCK, BLOCK).max(axis=(1, 3))
    wide = np.pad(blocks, 1, mode="edge")
    near = np.stack([wide[i : i + len(blocks), k : k + len(blocks)] for i in range(3) for k in range(3)])
    return Terrain(x0, z0, cell, float(heights.min()), float(heights.max()), heights, np.array(near.max(axis=0)))


def self_shade(terrain: Terrain, x: np.ndarray, z: np.ndarray, light: tuple[float, float, float]) -> np.ndarray:
    """(...) 1 in the light to 0 where the terrain itself stands before it, at points of it."""
    y, lit = sampled(terrain, x, z), np.ones(np.broadcast_shapes(x.shape, z.shape))
    for away in np.linspace(0.0, SHADOW_M, SHADOW_STEPS + 1)[1:]:
        over = y + light[1] * away - sampled(terrain, x + light[0] * away, z + light[2] * away)
        lit = np.minimum(lit, np.clip(0.5 + over / (0.02 + 0.12 * away), 0.0, 1.0))
    return lit


def sampled(terrain: Terrain, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Heights (...) at the nearest points of the grid."""
    rows, columns = terrain.heights.shape
    i = np.clip(np.rint((z - terrain.z0) / terrain.cell_m).astype(int), 0, rows - 1)
    k = np.clip(np.rint((x - terrain.x0) / terrain.cell_m).astype(int), 0, columns - 1)
    return terrain.heights[i, k]


@pixels_inlined
def terrain_height(terrain: Any, x: float, z: float) -> float:
    """The height at a point: between the grid's points, or at the nearest one where they are an edge apart."""
    h = terrain.heights
    u = min(max((x - terrain.x0) / terrain.cell_m, 0.0), h.shape[1] - 1.001)
    v = min(max((z - terrain.z0) / terrain.cell_m, 0.0), h.shape[0] - 1.001)
    k, i = int(u), int(v)
    u, v = u - k, v - i
    a, b, c, d = h[i, k], h[i, k + 1], h[i + 1, k], h[i + 1, k + 1]
    if max(a, b, c, d) - min(a, b, c, d) > JUMP_M:
        return h[i + int(v + 0.5), k + int(u + 0.5)]
    return (a * (1.0 - u) + b * u) * (1.0 - v) + (c * (1.0 - u) + d * u) * v


@pixels_inlined
def terrain_hit(terrain: Any, ox: float, oy: float, oz: float, dx: float, dy: float, dz: float, limit: float) -> float:
    """Distance along a unit ray to the terrain, or inf beyond the limit."""
    level = np.sqrt(dx * dx + dz * dz)
    step = 0.7 * terrain.cell_m / max(level, 0.2)
    t = 0.0
    if oy > terrain.high:
        if dy >= 0.0:
            return np.inf
        t = (terrain.high - oy) / dy
    size = BLOCK * terrain.cell_m
    farthest = t + 4.0 * terrain.heights.shape[0] * terrain.cell_m
    before = t
    while t < min(limit, farthest):
        x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
        if y > terrain.high and dy >= 0.0:
            return np.inf
        k = min(max(int((x - terrain.x0) / size), 0), terrain.blocks.shape[1] - 1)
        i = min(max(int((z - terrain.z0) / size), 0), terrain.blocks.shape[0] - 1)
        if y + min(dy, 0.0) * BLOCK * step > terrain.blocks[i, k]:
            before = t
            t += BLOCK * step
            continue
        if y < terrain_height(terrain, x, z):
            a, b = before, t
            for _ in range(10):
                m = 0.5 * (a + b)
                if oy + m * dy < terrain_height(terrain, ox + m * dx, oz + m * dz):
                    b = m
                else:
                    a = m
            return b if b < limit else np.inf
        before = t
        t += step
    return np.inf


@pixels_inlined
def terrain_normal(terrain: Any, x: float, z: float) -> tuple[float, float, float]:
    """The unit normal there; that of an upright edge is nearly level."""
    d = 0.8 * terrain.cell_m
    nx = terrain_height(terrain, x - d, z) - terrain_height(terrain, x + d, z)
    nz = terrain_height(terrain, x, z - d) - terrain_height(terrain, x, z + d)
    ny = 2.0 * d
    size = np.sqrt(nx * nx + ny * ny + nz * nz)
    return nx / size, ny / size, nz / size
