"""What the compiled ray caster takes: a camera, a look, and records of round cones in space and on the floor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.render.terrain import LEVEL, Terrain

Array = np.ndarray
RGB = tuple[float, float, float]
Vector = tuple[float, float, float]
PixelSize = tuple[float, float, float, float]  # floor metres (x, z) that a pixel spans to the right, then down
F8, I8 = np.float64, np.int64


class CameraView(NamedTuple):
    """A pinhole camera. Plain numbers, as in Appearance: the compiled code passes them without counting references."""

    eye: Vector
    right: Vector  # unit
    up: Vector
    forward: Vector
    per_px: float  # slope of a ray per pixel from the middle
    width: int
    height: int


class Appearance(NamedTuple):
    """Light, floor and background; colours are linear."""

    light: Vector  # unit direction towards the key light
    key: RGB
    sky: RGB
    bounce: RGB
    floor: RGB
    shadow: RGB  # colour of the floor in full shadow
    line: RGB
    top: RGB
    bottom: RGB
    center: tuple[float, float]  # x, z: the floor fades with distance from here
    fade_m: float
    floor_y: float
    grid_m: float
    scale: float  # body height over 1.75 m
    softness: float  # penumbra half-width per metre of distance
    gloss: float
    rim: float


class Patch(NamedTuple):
    """Where a grid of floor points lies."""

    x0: float
    z0: float
    cell_m: float


class PackedScene(NamedTuple):
    """All that rays may meet."""

    solids: Array  # (N,) SOLID
    figures: Array  # (F,) FIGURE
    decals: Array  # (M,) DECAL
    patch: Patch
    light: Array  # (nz, nx, 2) key light and open sky at the points of the patch
    terrain: Terrain = LEVEL


class TileLists(NamedTuple):
    """Which solids and marks each tile of the picture shows: solids[solid_at[tile] : solid_at[tile + 1]]."""

    solid_at: Array
    solids: Array
    mark_at: Array
    marks: Array


class Canvas(NamedTuple):
    """What painting fills, and room to work in."""

    met: Array  # (H, W) int64 what the middle of each pixel shows
    image: Array  # (H, W, 3) uint8
    t_of: Array  # (groups,) scratch: distance of the nearest solid of each group
    i_of: Array  # (groups,) int64 scratch: which that is

    @staticmethod
    def empty(view: CameraView, groups: int) -> Canvas:
        size = view.height, view.width
        image = np.empty((*size, 3), np.uint8)
        return Canvas(np.empty(size, np.int64), image, np.empty(groups), np.zeros(groups, np.int64))


def _record(numbers: str, integers: str) -> np.dtype:
    return np.dtype([(n, F8) for n in numbers.split()] + [(n, I8) for n in integers.split()])


# a round cone: start a, unit axis u (0 for a ball), length, ra and k; linear colour; group 0 is opaque, every other
# group is one see-through figure; piece is the first of the rows whose cones melt into one smooth piece
SOLID = _record("ax ay az ux uy uz length radius slope red green blue alpha", "group piece")
# a figure: the ball around it and its rows [first, last) among the solids
FIGURE = _record("x y z radius", "first last")
# a round cone flat on the floor; painted in order, and of one layer only the strongest counts
DECAL = _record("ax az ux uz length radius slope red green blue alpha", "layer")
