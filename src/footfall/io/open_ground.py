"""ff.ground: a ground from a name, a file, heights, a mesh or a function."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.core.errors import ParameterError, ReadError, WrongType
from footfall.io.gltf_scene import read_scene_mesh
from footfall.io.obj_mesh import read_obj
from footfall.io.plain_file import is_file
from footfall.kinematics import ground as made
from footfall.kinematics.ground import Ground

MESHES, PICTURES, ARRAYS = (".glb", ".gltf", ".obj"), (".png", ".jpg", ".jpeg", ".tif", ".tiff"), (".npy",)
CELL_M, HIGH_M = 0.05, 1.0  # of a picture: metres a pixel, and metres from black to white
MOST_PIXELS = 16_000_000
NAMES = "flat, slope:12 (per cent), stairs:15x35 (rise x run, cm), waves:10x200 (height x length, cm)"
ROUGH_M = 0.6  # metres: side of the plates of a rough ground
ROUGH_PLATES = 81  # of them along each side: 48 m


def ground(
    source: Any, cell_m: float = CELL_M, high_m: float = HIGH_M, corner: tuple[float, float] | None = None
) -> Ground:
    """A ground to walk on.

    >>> import footfall as ff
    >>> ff.ground("stairs:15x35").name
    'stairs of 15 x 35 cm'

    source: a name (flat, slope:12, stairs:15x35, stairs:-15x35x8 for eight steps down, waves:10x200, rough:7, with
    @2.5 for where it begins, in metres), which lies ahead of whoever walks on it, or at ~x,z,degrees; a file (.glb and
    .obj meshes, .png heights, .npy heights in metres); an array of heights (X, Z); a pair of vertices (V, 3) and
    triangles (F, 3); a function y = h(x, z) on arrays; or a Ground. cell_m: metres between heights of an array or
    picture. high_m: metres from black to white. corner: x, z of the first height (default: the middle of the array lies
    at 0, 0).
    """
    if isinstance(source, Ground):
        return source
    if isinstance(source, str | Path):
        return _named(str(source), cell_m, high_m, corner)
    if callable(source):
        return made.function_ground(source, getattr(source, "__name__", "function"))
    if isinstance(source, tuple) and len(source) == 2:
        return made.mesh_ground(np.asarray(source[0]), np.asarray(source[1]))
    if isinstance(source, np.ndarray | list):
        return _field(np.asarray(source, float), cell_m, corner)
    raise WrongType(f"a ground: {NAMES}, a file, heights, a mesh or a function", source)


def _named(text: str, cell_m: float, high_m: float, corner: tuple[float, float] | None) -> Ground:
    path = Path(text)
    if path.suffix.lower() in (*MESHES, *PICTURES, *ARRAYS):
        return _file(path, cell_m, high_m, corner)
    spec, _, where = text.partition("~")
    found = replace(_by_name(spec, text), text=spec)
    if not where:
        return found
    try:
        x, z, degrees = (float(part) for part in where.split(","))
    except ValueError:
        raise ParameterError(f"no ground {text!r}: after ~ give x,z,degrees, as in stairs:15x35~0.5,1.2,90") from None
    return found.ahead_of(np.array([x, 0.0, z]), float(np.radians(degrees)))


def _by_name(spec: str, text: str) -> Ground:
    """The ground of a name and its numbers."""
    name, _, numbers = spec.partition(":")
    try:
        numbers, _, start = numbers.partition("@")
        values = [float(part) for part in numbers.lower().split("x")] if numbers else []
        begin = {"start_m": float(start)} if start else {}
        if name in ("flat", "level") and len(values) <= 1:
            return made.level(0.01 * values[0] if values else 0.0)
        if name == "slope" and len(values) == 1:
            return made.slope(0.01 * values[0])
        if name == "stairs" and len(values) in (2, 3):
            return made.stairs(0.01 * values[0], 0.01 * values[1], *values[2:], **begin)
        if name == "waves" and len(values) == 2:
            return made.waves(0.01 * values[0], 0.01 * values[1], **begin)
        if name == "rough" and len(values) in (1, 2):
            return _rough(0.01 * values[0], int(values[1]) if len(values) > 1 else 0)
    except ValueError as error:
        if isinstance(error, ParameterError):
            raise
    files = " ".join(MESHES + PICTURES + ARRAYS)
    raise ParameterError(f"no ground {text!r}: give {NAMES}, rough:7 (cm), or a file ({files})")


def _rough(step_m: float, seed: int) -> Ground:
    """Plates about the origin, each up to step_m over or under the middle of their heights; the same for one seed."""
    heights = np.random.default_rng(seed).choice([0.0, 0.5 * step_m, step_m], (ROUGH_PLATES, ROUGH_PLATES))
    side = ROUGH_M * ROUGH_PLATES
    return made.plates(heights, ROUGH_M, (-0.5 * side, -0.5 * side))


def _file(path: Path, cell_m: float, high_m: float, corner: tuple[float, float] | None) -> Ground:
    if not is_file(path):
        raise ReadError(path, "", "a file of a ground", "none of that name")
    kind = path.suffix.lower()
    if kind in MESHES:
        return made.mesh_ground(*(read_obj(path) if kind == ".obj" else read_scene_mesh(path)), name=path.name)
    if kind in ARRAYS:
        try:
            heights = np.load(path, allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise ReadError(path, "", "an array of heights", str(error)) from None
        return _field(np.asarray(heights, float), cell_m, corner)
    return _field(high_m * _picture(path), cell_m, corner)


def _picture(path: Path) -> np.ndarray:
    """(X, Z) 0 for black to 1 for white; the picture's right is +X and its lower edge +Z."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            if image.width * image.height > MOST_PIXELS:
                raise ReadError(path, "", f"at most {MOST_PIXELS} pixels", f"{image.width} x {image.height}")
            deep = image.mode in ("I", "I;16", "F")
            grey = np.asarray(image if deep else image.convert("L"), float)
    except (UnidentifiedImageError, OSError) as error:
        raise ReadError(path, "", "a picture of heights", str(error)) from None
    return (grey / (max(float(grey.max()), 1.0) if deep and grey.max() <= 1.0 else 65535.0 if deep else 255.0)).T


def _field(heights: np.ndarray, cell_m: float, corner: tuple[float, float] | None) -> Ground:
    if corner is None and heights.ndim == 2:
        across, down = heights.shape
        corner = (-0.5 * cell_m * (across - 1), -0.5 * cell_m * (down - 1))
    return made.height_field(heights, cell_m, corner or (0.0, 0.0))
