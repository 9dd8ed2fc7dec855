"""Drawing: solids, floor marks and a view, packed for the compiled ray caster."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.render.floor_kernels import REACH_M, light_floor
from footfall.render.picture import DECAL, FIGURE, SOLID, Appearance, CameraView, Canvas, PackedScene, Patch, TileLists
from footfall.render.raycast_kernels import TILE, paint
from footfall.render.terrain import LEVEL, Terrain, sampled, self_shade

CELL_M = 0.012  # of the floor light, at a body height of 1.75 m
MAX_CELLS = 600_000


class Solids(NamedTuple):
    """Round cones, and the figures they belong to."""

    cones: np.ndarray  # (N,) SOLID
    figures: np.ndarray  # (F,) FIGURE

    @property
    def ends(self) -> np.ndarray:
        """(N, 2, 3)"""
        c = self.cones
        start = np.stack([c["ax"], c["ay"], c["az"]], axis=-1)
        return np.stack([start, start + np.stack([c["ux"], c["uy"], c["uz"]], axis=-1) * c["length"][:, None]], axis=1)

    @property
    def radii(self) -> np.ndarray:
        """(N, 2)"""
        c = self.cones
        return np.stack([c["radius"], c["radius"] - c["slope"] * c["length"]], axis=1)


def solids(
    ends: np.ndarray,
    radius: np.ndarray,
    color: np.ndarray,
    alpha: np.ndarray,
    figure: np.ndarray,
    piece: np.ndarray | None = None,
) -> Solids:
    """Pack round cones: ends (N, 2, 3), radius (N, 2), linear colour (N, 3), alpha and figure number (N,), sorted.

    A cone whose one ball holds the other becomes that ball. Figures with alpha < 1 are drawn see-through. Cones of
    one piece (N,), given as its first row, melt together; by default each is a piece of its own.
    """
    cones = _cones(SOLID, ends, radius, color, alpha)
    cones["piece"] = np.arange(len(cones)) if piece is None else piece
    see_through = np.unique(figure[alpha < 1.0])
    cones["group"] = np.where(alpha < 1.0, 1 + np.searchsorted(see_through, figure), 0)
    numbers, first, count = np.unique(figure, return_index=True, return_counts=True)
    figures = np.zeros(len(numbers), FIGURE)
    figures["first"], figures["last"] = first, first + count
    for f, (a, n) in zip(figures, zip(first, count, strict=True), strict=True):
        own = ends[a : a + n]
        middle = 0.5 * (own.min(axis=(0, 1)) + own.max(axis=(0, 1)))
        f["x"], f["y"], f["z"] = middle
        f["radius"] = (np.linalg.norm(own - middle, axis=-1) + radius[a : a + n]).max()
    return Solids(cones, figures)


def decals(ends: np.ndarray, radius: np.ndarray, color: np.ndarray, alpha: np.ndarray, layer: np.ndarray) -> np.ndarray:
    """Pack marks on the floor, (M,) DECAL: ends (M, 2, 2) as x, z; radius (M, 2); sorted here by layer."""
    marks = _cones(DECAL, ends, radius, color, alpha)
    marks["layer"] = layer
    return marks[np.argsort(layer, kind="stable")]


def draw(
    view: CameraView, look: Appearance, things: Solids, marks: np.ndarray, terrain: Terrain = LEVEL,
    only_shadows: bool = False,
) -> np.ndarray:  # fmt: skip
    """The picture, (H, W, 3) uint8; only_shadows: of the solids none is seen but what they do to the floor's light."""
    if len(terrain.heights):
        look = look._replace(floor_y=terrain.low)
    patch, light = floor_light(things, look, terrain)
    if only_shadows:
        things = Solids(things.cones[:0], things.figures[:0])
    marked = decal_boxes(view, marks, look.floor_y)
    if len(terrain.heights):
        high = decal_boxes(view, marks, terrain.high)
        marked = np.concatenate([np.minimum(marked, high)[:, :2], np.maximum(marked, high)[:, 2:]], axis=1)
    boxes = solid_boxes(view, things), marked
    tiles = TileLists(*by_tile(boxes[0], view), *by_tile(boxes[1], view))
    canvas = Canvas.empty(view, int(things.cones["group"].max(initial=0)) + 1)
    paint(view, look, PackedScene(*things, marks, patch, light, terrain), tiles, canvas)
    return canvas.image


def by_tile(boxes: np.ndarray, view: CameraView) -> tuple[np.ndarray, np.ndarray]:
    """Which boxes touch each tile of the picture: listed[at[tile] : at[tile + 1]]."""
    across, down = -(-view.width // TILE), -(-view.height // TILE)
    corners = np.floor(np.clip(boxes / TILE, -1.0, [across, down, across, down])).astype(np.int64)
    x0, y0 = np.maximum(corners[:, 0], 0), np.maximum(corners[:, 1], 0)
    wide = np.maximum(np.minimum(corners[:, 2], across - 1) - x0 + 1, 0)
    high = np.maximum(np.minimum(corners[:, 3], down - 1) - y0 + 1, 0)
    count = wide * high
    box = np.repeat(np.arange(len(boxes)), count)
    nth = np.arange(len(box)) - np.repeat(np.cumsum(count) - count, count)  # of the tiles of its box
    tile = (y0[box] + nth // wide[box]) * across + x0[box] + nth % wide[box]
    order = np.argsort(tile, kind="stable")
    return np.searchsorted(tile[order], np.arange(across * down + 1)), box[order]


def floor_patch(things: Solids, look: Appearance) -> tuple[Patch, tuple[int, int]]:
    """Where on the floor the solids' shadows may fall, and the shape of a grid there; coarser where they spread far."""
    if not len(things.cones):
        return Patch(0.0, 0.0, 1.0), (2, 2)
    ends, light = things.ends, np.array(look.light)
    height = np.maximum(ends[..., 1] - look.floor_y, 0.0)
    shadow = (ends[..., [0, 2]] - height[..., None] * light[[0, 2]] / light[1]).reshape(-1, 2)
    under = ends[..., [0, 2]].reshape(-1, 2)
    r, reach = things.radii.max(), REACH_M * look.scale
    pad = (r + look.softness * (height.max() + r) / light[1]) / light[1] + 0.05 * look.scale
    low = np.minimum(shadow.min(axis=0) - pad, under.min(axis=0) - reach)
    size = np.maximum(shadow.max(axis=0) + pad, under.max(axis=0) + reach) - low
    cell = max(CELL_M * look.scale, float(np.sqrt(size[0] * size[1] / MAX_CELLS)))
    return Patch(float(low[0]), float(low[1]), cell), (int(size[1] / cell) + 2, int(size[0] / cell) + 2)


def floor_light(things: Solids, look: Appearance, terrain: Terrain = LEVEL) -> tuple[Patch, np.ndarray]:
    """Key light and open sky on the floor around the solids, (nz, nx, 2)."""
    patch, shape = floor_patch(things, look)
    if len(terrain.heights):  # all of it: steps shade each other wherever they are
        patch, shape = Patch(terrain.x0, terrain.z0, terrain.cell_m), terrain.heights.shape
    light, ground = np.ones((*shape, 2)), np.zeros((0, 0))
    if len(terrain.heights):
        x = patch.x0 + patch.cell_m * np.arange(shape[1])[None, :]
        z = patch.z0 + patch.cell_m * np.arange(shape[0])[:, None]
        ground = np.ascontiguousarray(sampled(terrain, x, z) - terrain.low)
        light[..., 0] = self_shade(terrain, x, z, look.light)
    light_floor(things.cones, look, patch, light, ground)
    return patch, light


def solid_boxes(view: CameraView, things: Solids) -> np.ndarray:
    """(N, 4) pixel boxes that hold each cone's picture: those of its two end balls together."""
    ends, radii = things.ends, things.radii
    a, b = (_ball_boxes(view, ends[:, e], radii[:, e]) for e in (0, 1))
    return np.concatenate([np.minimum(a, b)[:, :2], np.maximum(a, b)[:, 2:]], axis=1)


def _ball_boxes(view: CameraView, center: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Tangents from the eye to a ball, in the camera's horizontal and vertical planes; all of the view when near."""
    offset = center - np.array(view.eye)
    x, y, z = offset @ view.right, offset @ view.up, offset @ view.forward
    boxes = np.empty((len(center), 4))
    near = z <= radius * 1.01
    depth = np.where(near, 1.0, z * z - radius * radius)
    for c, (u, sign, middle) in enumerate(((x, 1.0, 0.5 * view.width), (y, -1.0, 0.5 * view.height))):
        root = radius * np.sqrt(np.maximum(u * u + z * z - radius * radius, 0.0))
        low, high = (u * z - root) / depth, (u * z + root) / depth
        ends = middle + sign / view.per_px * np.stack([low, high])
        boxes[:, c] = np.where(near, 0.0, ends.min(axis=0) - 1.0)
        boxes[:, 2 + c] = np.where(near, 2.0 * middle, ends.max(axis=0) + 1.0)
    behind = z < -radius
    boxes[behind] = (1.0, 1.0, -1.0, -1.0)
    return boxes


def decal_boxes(view: CameraView, marks: np.ndarray, floor_y: float) -> np.ndarray:
    """(M, 4) pixel boxes of floor marks, from the corners of their boxes on the floor."""
    start = np.stack([marks["ax"], marks["az"]], axis=-1)
    ends = np.stack([start, start + np.stack([marks["ux"], marks["uz"]], axis=-1) * marks["length"][:, None]], axis=1)
    r = np.maximum(marks["radius"], marks["radius"] - marks["slope"] * marks["length"])[:, None]
    low, high = ends.min(axis=1) - r, ends.max(axis=1) + r
    corners = np.empty((len(r), 4, 3))
    corners[..., 1] = floor_y
    for n in range(4):
        corners[:, n, 0] = (low if n & 1 else high)[:, 0]
        corners[:, n, 2] = (low if n & 2 else high)[:, 1]
    offset = corners - np.array(view.eye)
    z = offset @ view.forward
    safe = np.maximum(z, 1e-6)
    x = 0.5 * view.width + (offset @ view.right) / (view.per_px * safe)
    y = 0.5 * view.height - (offset @ view.up) / (view.per_px * safe)
    boxes = np.stack([x.min(1) - 1, y.min(1) - 1, x.max(1) + 1, y.max(1) + 1], axis=1)
    some, none = (z <= 1e-6).any(axis=1), (z <= 1e-6).all(axis=1)
    boxes[some] = (0.0, 0.0, view.width, view.height)
    boxes[none] = (1.0, 1.0, -1.0, -1.0)
    return boxes


def _cones(kind: np.dtype, ends: np.ndarray, radius: np.ndarray, color: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Round cones as records, in space (x, y, z) or on the floor (x, z)."""
    ends, radius = np.asarray(ends, float), np.asarray(radius, float)
    span = ends[:, 1] - ends[:, 0]
    length = np.sqrt((span**2).sum(axis=1))
    ball = length <= np.abs(radius[:, 0] - radius[:, 1]) + 1e-9
    larger, rows = radius.argmax(axis=1), np.arange(len(ends))
    safe = np.where(ball, 1.0, length)
    start = np.where(ball[:, None], ends[rows, larger], ends[:, 0])
    axis = np.where(ball[:, None], 0.0, span / safe[:, None])
    found = np.zeros(len(ends), kind)
    for c, name in enumerate("xyz" if ends.shape[-1] == 3 else "xz"):
        found[f"a{name}"], found[f"u{name}"] = start[:, c], axis[:, c]
    found["length"] = np.where(ball, 0.0, length)
    found["radius"] = np.where(ball, radius[rows, larger], radius[:, 0])
    found["slope"] = np.where(ball, 0.0, (radius[:, 0] - radius[:, 1]) / safe)
    found["red"], found["green"], found["blue"] = np.reshape(color, (-1, 3)).T
    found["alpha"] = alpha
    return found
