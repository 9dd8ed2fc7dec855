"""Compiled ray caster: round cones over a floor with soft shadows, one pass per picture and one at its edges.

Colours are linear light; pictures are written with a square root, a cheap and smooth stand-in for the sRGB curve.
"""

from __future__ import annotations

import numpy as np

from footfall.render.cone_kernels import hit, solid_color
from footfall.render.floor_kernels import floor_color
from footfall.render.picture import (
    RGB,
    Appearance,
    Array,
    CameraView,
    Canvas,
    PackedScene,
    TileLists,
    Vector,
)
from footfall.render.pixel_kernels import pixels, pixels_inlined
from footfall.render.terrain import Terrain, terrain_hit, terrain_normal

TILE = 16  # pixels; primitives are listed per tile
FLOOR, EMPTY, RISER = -1, -2, -3  # what a ray met, when no solid
# where rays go within an edge pixel: no two of the eight in one row or column
SAMPLES = (np.array([[0, 3], [1, 6], [2, 1], [3, 4], [4, 7], [5, 2], [6, 5], [7, 0]]) - 3.5) / 8.0
ON_SLOPE = 0.45  # of its light that a face of the ground keeps when it faces away from the lamp
UPRIGHT = 0.72  # of its light that an upright face keeps wherever the lamp is, so that steps are seen from below too


@pixels_inlined
def backdrop(look: Appearance, down: float) -> RGB:
    """What is seen where nothing is, from the top of the picture, 0, down to its bottom, 1."""
    down = down * down * (3.0 - 2.0 * down)
    return (
        look.top[0] + down * (look.bottom[0] - look.top[0]),
        look.top[1] + down * (look.bottom[1] - look.top[1]),
        look.top[2] + down * (look.bottom[2] - look.top[2]),
    )


@pixels_inlined
def find_nearest(solids: Array, near: Array, eye: Vector, unit: Vector, canvas: Canvas) -> None:
    """The nearest cone of each group that a unit ray meets: how far away it is and its number, into the canvas."""
    t_of, i_of = canvas.t_of, canvas.i_of
    for g in range(len(t_of)):
        t_of[g] = np.inf
    for n in range(len(near)):
        i = near[n]
        t = hit(solids, i, eye[0], eye[1], eye[2], unit[0], unit[1], unit[2])
        if t < t_of[solids[i].group]:
            t_of[solids[i].group], i_of[solids[i].group] = t, i


@pixels_inlined
def slope_shade(look: Appearance, terrain: Terrain, x: float, z: float) -> tuple[int, float]:
    """What uneven ground is at a place, a floor or an upright face, and the share of a level floor's light it keeps."""
    nx, ny, nz = terrain_normal(terrain, x, z)
    facing = max(nx * look.light[0] + ny * look.light[1] + nz * look.light[2], 0.0) / look.light[1]
    shade = (ON_SLOPE + (1.0 - ON_SLOPE) * min(facing, 1.2)) * (UPRIGHT + (1.0 - UPRIGHT) * ny)
    away = (x - look.center[0]) ** 2 + (z - look.center[1]) ** 2
    shade += (1.0 - shade) * (1.0 - np.exp(-away / (look.fade_m * look.fade_m)))
    return FLOOR if ny > 0.5 else RISER, shade


@pixels_inlined
def seen_through(
    look: Appearance, scene: PackedScene, eye: Vector, unit: Vector, limit: float, met: int, color: RGB, canvas: Canvas
) -> tuple[int, float, float, float]:
    """What was met behind, with the see-through figures nearer than the limit drawn over it, farthest first."""
    solids, t_of = scene.solids, canvas.t_of
    red, green, blue = color
    for _ in range(1, len(t_of)):
        far = 0
        for g in range(1, len(t_of)):
            if t_of[g] < limit and (far == 0 or t_of[g] > t_of[far]):
                far = g
        if far == 0:
            break
        i, t = canvas.i_of[far], t_of[far]
        at, alpha = (eye[0] + t * unit[0], eye[1] + t * unit[1], eye[2] + t * unit[2]), solids[i].alpha
        r, g2, b2 = solid_color(solids, scene.figures, look, i, at, unit)
        red, green, blue = red + alpha * (r - red), green + alpha * (g2 - green), blue + alpha * (b2 - blue)
        met = (met + 3) * 10007 + solids[i].piece
        t_of[far] = np.inf
    return met, red, green, blue


@pixels_inlined
def cast(
    view: CameraView,
    look: Appearance,
    scene: PackedScene,
    near: Array,
    marks: Array,
    x: float,
    y: float,
    canvas: Canvas,
) -> tuple[int, float, float, float]:
    """What the ray through pixel coordinates (x, y) met, as a number, and its colour."""
    a, b = (x - 0.5 * view.width) * view.per_px, (0.5 * view.height - y) * view.per_px
    dx = view.forward[0] + a * view.right[0] + b * view.up[0]
    dy = view.forward[1] + a * view.right[1] + b * view.up[1]
    dz = view.forward[2] + a * view.right[2] + b * view.up[2]
    size = np.sqrt(dx * dx + dy * dy + dz * dz)
    per_size = 1.0 / size
    ux, uy, uz = dx * per_size, dy * per_size, dz * per_size
    ox, oy, oz = view.eye
    find_nearest(scene.solids, near, view.eye, (ux, uy, uz), canvas)
    drop, per_drop = oy - look.floor_y, 1.0 / dy
    limit = -drop * per_drop * size if drop > 0.0 and dy < 0.0 else np.inf
    uneven = scene.terrain.heights.shape[0] > 0
    if uneven:
        limit = terrain_hit(scene.terrain, ox, oy, oz, ux, uy, uz, canvas.t_of[0])
    met, (red, green, blue) = EMPTY, backdrop(look, y / view.height)
    if canvas.t_of[0] < limit:
        i, t = canvas.i_of[0], canvas.t_of[0]
        met = scene.solids[i].piece  # within a piece normals are smooth, so nothing to smooth there
        at = (ox + t * ux, oy + t * uy, oz + t * uz)
        red, green, blue = solid_color(scene.solids, scene.figures, look, i, at, (ux, uy, uz))
        limit = t
    elif limit < np.inf:
        met, t = FLOOR, limit * per_size if uneven else -drop * per_drop  # along the unnormalised ray, for derivatives
        f, r1, r2 = t * view.per_px, view.right[1] * per_drop, view.up[1] * per_drop
        pixel = (
            f * (view.right[0] - dx * r1),
            f * (view.right[2] - dz * r1),
            -f * (view.up[0] - dx * r2),
            -f * (view.up[2] - dz * r2),
        )
        red, green, blue = floor_color(look, scene, marks, ox + t * dx, oz + t * dz, pixel, (red, green, blue))
        if uneven:
            met, shade = slope_shade(look, scene.terrain, ox + t * dx, oz + t * dz)
            red, green, blue = red * shade, green * shade, blue * shade
    return seen_through(look, scene, view.eye, (ux, uy, uz), limit, met, (red, green, blue), canvas)


@pixels_inlined
def is_edge(met: Array, x: int, y: int) -> bool:
    """Whether a pixel met something else than one of its four neighbours."""
    here = met[y, x]
    return (
        (x > 0 and met[y, x - 1] != here)
        or (x + 1 < met.shape[1] and met[y, x + 1] != here)
        or (y > 0 and met[y - 1, x] != here)
        or (y + 1 < met.shape[0] and met[y + 1, x] != here)
    )


@pixels_inlined
def displayed(linear: float) -> float:
    """A channel as the screen shows it, 0 to 1."""
    return np.sqrt(min(max(linear, 0.0), 1.0))


@pixels
def paint(view: CameraView, look: Appearance, scene: PackedScene, tiles: TileLists, canvas: Canvas) -> None:
    """Fill the canvas: one ray a pixel, then eight where neighbours met different things."""
    met, image = canvas.met, canvas.image
    across = (view.width + TILE - 1) // TILE
    for again in range(2):
        for tile in range(len(tiles.solid_at) - 1):
            near = tiles.solids[tiles.solid_at[tile] : tiles.solid_at[tile + 1]]
            marks = tiles.marks[tiles.mark_at[tile] : tiles.mark_at[tile + 1]]
            y0, x0 = (tile // across) * TILE, (tile % across) * TILE
            for y in range(y0, min(y0 + TILE, view.height)):
                for x in range(x0, min(x0 + TILE, view.width)):
                    if again == 0:
                        met[y, x], r, g, b = cast(view, look, scene, near, marks, x + 0.5, y + 0.5, canvas)
                    elif is_edge(met, x, y):
                        r, g, b = 0.0, 0.0, 0.0
                        for n in range(len(SAMPLES)):
                            _, dr, dg, db = cast(
                                view, look, scene, near, marks, x + 0.5 + SAMPLES[n, 0], y + 0.5 + SAMPLES[n, 1], canvas
                            )
                            # mixed as displayed: mixed as light, dark edges on a light floor look ragged
                            r, g, b = r + displayed(dr), g + displayed(dg), b + displayed(db)
                        r, g, b = (r / len(SAMPLES)) ** 2, (g / len(SAMPLES)) ** 2, (b / len(SAMPLES)) ** 2
                    else:
                        continue
                    for c, value in enumerate((r, g, b)):
                        image[y, x, c] = int(255.0 * displayed(value) + 0.5)
