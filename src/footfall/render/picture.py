"""What the compiled ray caster takes: a camera, a look, and records of round cones in space and on the floor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Array = np.ndarray
RGB = tuple[float, float, float]
F8, I8 = np.float64, np.int64


class View(NamedTuple):
    """A pinhole camera. Plain numbers, as in Look: the compiled code passes them without counting references."""

    eye: RGB  # x, y, z
    right: RGB  # unit
    up: RGB
    forward: RGB
    per_px: float  # slope of a ray per pixel from the middle
    width: int
    height: int


class Look(NamedTuple):
    """Light, floor and background; colours are linear."""

    light: RGB  # unit direction towards the key light
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


def _record(numbers: str, integers: str) -> np.dtype:
    return np.dtype([(n, F8) for n in numbers.split()] + [(n, I8) for n in integers.split()])


# a round cone: start a, unit axis u (0 for a ball), length, ra and k; linear colour; group 0 is opaque, every other
# group is one see-through figure; piece is the first of the rows whose cones melt into one smooth piece
SOLID = _record("ax ay az ux uy uz length radius slope red green blue alpha", "group piece")
# a figure: the ball around it and its rows [first, last) among the solids
FIGURE = _record("x y z radius", "first last")
# a round cone flat on the floor; painted in order, and of one layer only the strongest counts
DECAL = _record("ax az ux uz length radius slope red green blue alpha", "layer")
