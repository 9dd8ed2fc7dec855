"""Ground: what feet stand on, as heights and normals under points.

A plane, stairs and waves lie along a way through a place; a height field and plates on a grid; a mesh is a heap of
triangles with as many levels as it likes; a function is asked. Heights are those of the world, in metres. Where there
is no ground, a hole or beyond an edge, the height is not a number. docs/ground.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from footfall.core.errors import FootfallError, ParameterError
from footfall.core.kernels import read_only
from footfall.kinematics.ground_kernels import (
    FIELD,
    MESH,
    PLANE,
    PLATES,
    STAIRS,
    WAVES,
    PackedGround,
    count_in_cells,
    heights_under,
    list_by_cell,
)

HeightFunction = Callable[[np.ndarray, np.ndarray], np.ndarray]  # x, z (...) -> y (...), metres
FARTHEST_M = 1e4  # metres: heights beyond are no ground
MOST_CELLS = 4_000_000  # of a grid
NORMAL_M = 0.01  # metres: half the distance over which a normal is taken. By eye
MESH_CELL_M = 0.25  # metres: triangles are looked up by cells of this size. By eye
LEVEL = 1e-9  # rise for each metre: less is level


class GroundError(FootfallError):
    """A ground that nobody can stand or walk on: what is wrong with it, and where."""


@dataclass(frozen=True, eq=False)
class Ground:
    """What feet stand on."""

    packed: PackedGround
    name: str = "ground"
    function: HeightFunction | None = None  # asked instead of `packed`, where there is one
    is_ahead: bool = False  # made by name: it lies ahead of whoever walks on it, wherever that is
    text: str = ""  # the name it was made by, and where it lies, as `footfall.ground` reads it

    @property
    def is_level(self) -> bool:
        """Whether it is one level plane."""
        kind, numbers = self.packed.kind, self.packed.numbers
        return self.function is None and kind == PLANE and abs(float(numbers[5])) <= LEVEL

    @property
    def has_edges(self) -> bool:
        """Whether it may rise or fall at once, as stairs, plates and meshes do."""
        return self.function is not None or self.packed.kind in (STAIRS, PLATES, MESH)

    def heights(self, x: np.ndarray | float, z: np.ndarray | float, near: np.ndarray | float = np.inf) -> np.ndarray:
        """Heights (...) under points x, z (...); NaN where there is none.

        near (...): heights at which a body is. Of several levels the highest counts that it could step on.
        """
        shape = np.broadcast_shapes(np.shape(x), np.shape(z), np.shape(near))
        points = [np.require(np.broadcast_to(v, shape), float, ("C", "W")).ravel() for v in (x, z, near)]
        if self.function is not None:
            return self._asked(points[0], points[1]).reshape(shape)
        found = np.empty(len(points[0]))
        heights_under(tuple(self.packed), *points, found)
        return found.reshape(shape)

    def _asked(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            y = np.asarray(self.function(x, z), float) if self.function is not None else x
        try:
            y = np.broadcast_to(y, x.shape)
        except ValueError:
            raise ParameterError(
                f"a ground function must return one height for each point: {x.shape} were asked, {y.shape} came back"
            ) from None
        return np.where(np.abs(y) <= FARTHEST_M, y, np.nan)

    def normals(self, x: np.ndarray, z: np.ndarray, near: np.ndarray | float = np.inf) -> np.ndarray:
        """Unit normals (..., 3), by differences over 2 cm; straight up where there is no ground about."""
        x, z = np.asarray(x, float), np.asarray(z, float)
        rise_x = self.heights(x + NORMAL_M, z, near) - self.heights(x - NORMAL_M, z, near)
        rise_z = self.heights(x, z + NORMAL_M, near) - self.heights(x, z - NORMAL_M, near)
        normal = np.stack([-rise_x, np.full(rise_x.shape, 2.0 * NORMAL_M), -rise_z], axis=-1)
        normal = np.where(np.isfinite(normal).all(axis=-1, keepdims=True), normal, [0.0, 1.0, 0.0])
        return np.asarray(normal / np.linalg.norm(normal, axis=-1, keepdims=True))

    def ahead_of(self, place: np.ndarray, heading: float) -> Ground:
        """A ground made by name, put before a body at a place (3,) that goes along a heading; others stay."""
        if not self.is_ahead:
            return self
        x, z, degrees = (round(float(v), 3) + 0.0 for v in (place[0], place[2], np.degrees(heading)))
        numbers, way = np.array(self.packed.numbers), np.radians(degrees)
        numbers[:4] = x, z, np.sin(way), np.cos(way)
        text = f"{self.text}~{x:g},{z:g},{degrees:g}" if self.text else ""
        return replace(self, packed=self.packed._replace(numbers=read_only(numbers)), is_ahead=False, text=text)


def _packed(kind: int, numbers: list[float], grid: np.ndarray | None = None, mesh: tuple = ()) -> PackedGround:
    full = np.zeros(9)
    full[: len(numbers)] = numbers
    first, listed, corners = mesh or (np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros((0, 3, 3)))
    heights = np.zeros((1, 1)) if grid is None else grid
    return PackedGround(kind, read_only(full), read_only(heights), first, listed, read_only(corners))


def _finite(what: str, *values: float) -> None:
    if not np.isfinite(values).all() or max(abs(v) for v in values) > FARTHEST_M:
        raise GroundError(f"{what} must be finite metres below {FARTHEST_M:g}, got {', '.join(map(str, values))}")


def level(height: float = 0.0) -> Ground:
    """A level floor."""
    _finite("the height of a floor", height)
    return Ground(_packed(PLANE, [0.0, 0.0, 0.0, 1.0, height, 0.0]), "flat")


def slope(grade: float) -> Ground:
    """A plane that rises by `grade` metres for each metre ahead, level across; 0.12 is 12 %."""
    _finite("the grade of a slope", grade)
    if abs(grade) > 1.0:
        raise GroundError(f"a slope of {100 * grade:.0f} % is climbed with hands: give one from -100 to 100 %")
    return Ground(_packed(PLANE, [0.0, 0.0, 0.0, 1.0, 0.0, grade]), f"slope of {100 * grade:.3g} %", is_ahead=True)


def stairs(rise_m: float, run_m: float, count: float = np.inf, start_m: float = 1.0) -> Ground:
    """Steps of a rise (below 0: down) and a run, the first edge start_m ahead; after `count` of them it is level."""
    _finite("rise, run and start of stairs", rise_m, run_m, start_m)
    if not run_m > 0.0 or not count >= 1:
        raise GroundError(f"stairs need a run above 0 and a step or more, got {run_m} m and {count}")
    numbers = [0.0, 0.0, 0.0, 1.0, 0.0, rise_m, run_m, start_m, min(float(count), 1e6)]
    return Ground(_packed(STAIRS, numbers), f"stairs of {100 * rise_m:.3g} x {100 * run_m:.3g} cm", is_ahead=True)


def waves(height_m: float, length_m: float, start_m: float = 0.5) -> Ground:
    """Waves across the way, from trough to crest height_m high."""
    _finite("height, length and start of waves", height_m, length_m, start_m)
    if not length_m > 0.0:
        raise GroundError(f"waves need a length above 0, got {length_m} m")
    numbers = [0.0, 0.0, 0.0, 1.0, 0.0, 0.5 * height_m, length_m, start_m]
    return Ground(_packed(WAVES, numbers), f"waves of {100 * height_m:.3g} x {100 * length_m:.3g} cm", is_ahead=True)


def height_field(heights: np.ndarray, cell_m: float, corner: tuple[float, float] = (0.0, 0.0)) -> Ground:
    """Heights (X, Z) at points cell_m apart, the first at corner (x, z), bilinear between; NaN is a hole."""
    grid = _grid(heights, cell_m, corner)
    return Ground(_packed(FIELD, [*corner, cell_m], grid), "height field")


def plates(heights: np.ndarray, cell_m: float, corner: tuple[float, float] = (0.0, 0.0)) -> Ground:
    """Level squares of cell_m at heights (X, Z), with upright edges; NaN is a hole."""
    grid = _grid(heights, cell_m, corner)
    return Ground(_packed(PLATES, [*corner, cell_m], grid), "plates")


def _grid(heights: np.ndarray, cell_m: float, corner: tuple[float, float]) -> np.ndarray:
    grid = np.asarray(heights, float)
    if grid.ndim != 2 or not grid.size or np.isinf(grid).any() or np.isnan(grid).all():
        raise GroundError(
            f"heights must be an (X, Z) array of metres, NaN where there is a hole, got shape {grid.shape} "
            f"with {int(np.isfinite(grid).sum())} finite heights"
        )
    if np.nanmax(np.abs(grid)) > FARTHEST_M:
        raise GroundError(f"heights must be below {FARTHEST_M:g} m, got {np.nanmax(np.abs(grid)):g}")
    if not (np.isfinite([*corner, cell_m]).all() and cell_m > 0):
        raise GroundError(f"a grid of heights needs a finite corner and cell_m > 0, got {corner} and {cell_m}")
    return np.array(grid)


def function_ground(function: HeightFunction, name: str = "function") -> Ground:
    """Ground that a function y = h(x, z) tells, on arrays."""
    return Ground(_packed(PLANE, [0.0, 0.0, 0.0, 1.0]), name, function)


def mesh_ground(vertices: np.ndarray, triangles: np.ndarray, name: str = "mesh") -> Ground:
    """The surfaces of a mesh, vertices (V, 3) and triangles (F, 3); what faces down or stands upright is no ground."""
    vertices, triangles = np.asarray(vertices, float), np.asarray(triangles)
    _check_mesh(vertices, triangles)
    corners = vertices[triangles.astype(int)]  # (F, 3, 3)
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(across, axis=-1)
    corners = np.ascontiguousarray(corners[np.abs(across[:, 1]) > 1e-6 * np.maximum(size, 1e-30)])
    if not len(corners):
        raise GroundError(f"{name} has no surface that faces up, so nobody can stand on it")
    low, high = corners[..., [0, 2]].min(axis=(0, 1)), corners[..., [0, 2]].max(axis=(0, 1))
    cell = max(MESH_CELL_M, float(np.sqrt(np.prod(np.maximum(high - low, 1e-9)) / MOST_CELLS)))
    shape = np.floor((high - low) / cell).astype(int) + 1
    if shape.prod() > 2 * MOST_CELLS:
        raise GroundError(f"{name} is {high[0] - low[0]:.4g} x {high[1] - low[1]:.4g} m large; is it in metres?")
    floor = (corners[..., [0, 2]] - low) / cell
    spans = np.concatenate([np.floor(floor.min(axis=1)), np.floor(floor.max(axis=1))], axis=1).astype(np.int64)
    spans = np.clip(spans, 0, np.tile(shape - 1, 2))
    counts = np.zeros(int(shape.prod()), np.int64)
    count_in_cells(spans, counts, int(shape[1]))
    first = np.concatenate([[0], np.cumsum(counts)])
    listed = np.zeros(int(first[-1]), np.int64)
    list_by_cell(spans, first[:-1].copy(), listed, int(shape[1]))
    cells = np.broadcast_to(np.zeros(1), tuple(shape)).copy()  # only its shape is looked at
    return Ground(_packed(MESH, [float(low[0]), float(low[1]), cell], cells, (first, listed, corners)), name)


def _check_mesh(vertices: np.ndarray, triangles: np.ndarray) -> None:
    if vertices.ndim != 2 or vertices.shape[1] != 3 or not np.isfinite(vertices).all():
        raise GroundError(f"vertices must be a finite (V, 3) array, got shape {vertices.shape}")
    whole = np.issubdtype(triangles.dtype, np.integer)
    if triangles.ndim != 2 or triangles.shape[1] != 3 or not whole or not len(triangles):
        raise GroundError(f"triangles must be whole numbers (F, 3), got shape {triangles.shape} of {triangles.dtype}")
    if not (triangles.min() >= 0 and triangles.max() < len(vertices)):
        raise GroundError(f"triangles name vertices {triangles.min()} to {triangles.max()}; there are {len(vertices)}")
    if len(vertices) and np.abs(vertices).max() > FARTHEST_M:
        raise GroundError(f"vertices must be within {FARTHEST_M:g} m, got {np.abs(vertices).max():g}")
