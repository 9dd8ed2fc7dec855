"""Layout: what lies where in the memory of a device, and the struct of pointers through which kernels reach it.

Rows are those of `live.rows`, with the character innermost, so that neighbouring threads read neighbouring numbers;
weights and offsets, which a warp reads of one character at a time, keep the character outermost.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.feet.live_body import LiveBody
from footfall.live.gpu.packed_graph import PackedGraph
from footfall.live.rows import CharacterRows, new_rows
from footfall.parametric.packed import MotionTables

TABLES = ("m", "e", "s", "w", "d")  # prefixes of a PackedGraph whose arrays kernels read; the body is compiled in
OUTERMOST = ("weights", "turn", "spin")  # rows in which the character stays outermost
CHUNK = 8  # items of a cell that a warp blends together; measured
MOST_GOALS = 1024  # points that all go round
C_TYPES = {
    "float32": "float", "float64": "double", "int32": "int", "int64": "long long", "int8": "signed char",
    "uint8": "unsigned char", "bool": "unsigned char",
}  # fmt: skip


class DeviceField(NamedTuple):
    """An array of a device."""

    name: str
    c_type: str
    dtype: np.dtype
    shape: tuple[int, ...]


def tables_of(packed: PackedGraph) -> MotionTables:
    """The packed motions as the CPU's kernels have them."""
    body = LiveBody(*(packed[f"body.{name}"] for name in LiveBody._fields))
    values: list[Any] = [packed[f"m.{name}"] for name in MotionTables._fields if name != "body"]
    return MotionTables._make([*values, body])


def rows_of(packed: PackedGraph, count: int) -> CharacterRows:
    """New rows on the host, as `live.rows` has them."""
    return new_rows(tables_of(packed), count, packed.dimensions)


def narrowed(values: np.ndarray) -> np.ndarray:
    """A table as kernels read it: whole numbers in 32 bits, truth values as bytes."""
    kind = {"i": np.int32, "b": np.uint8}.get(values.dtype.kind, values.dtype)
    return np.ascontiguousarray(values if values.size else np.zeros(1), kind)


def row_fields(packed: PackedGraph, count: int) -> list[DeviceField]:
    """The rows of so many characters, and the action that each still has to do."""
    found = []
    for name, one in zip(CharacterRows._fields, rows_of(packed, 1), strict=True):
        shape, dtype = one.shape[1:], narrowed(one).dtype if one.dtype == bool else one.dtype
        of = (count, *shape) if name in OUTERMOST else (*shape, count)
        found.append(DeviceField(name, C_TYPES[dtype.name], dtype, of))
    return [*found, DeviceField("act", "int", np.dtype(np.int32), (count,))]


def work_fields(packed: PackedGraph, count: int) -> list[DeviceField]:
    """Commands (c_), what is shown (o_), bins of the blend (b_), goals (g_), lists of some (l_)."""
    joints, bins = len(packed["body.parents"]), len(packed["m.mean"])
    f4, f8, i4, u1 = (np.dtype(kind) for kind in (np.float32, np.float64, np.int32, np.uint8))
    return [
        DeviceField("c_type", "int", i4, (count,)), DeviceField("c_urgent", "unsigned char", u1, (count,)),
        DeviceField("c_asked", "float", f4, (3, count)), DeviceField("c_shove", "float", f4, (2, count)),
        DeviceField("o_rot", "Turn", f4, (count, joints, 4)), DeviceField("o_rot_1", "Turn", f4, (count, joints, 4)),
        DeviceField("o_sway", "Turn", f4, (count, 4)), DeviceField("o_sway_1", "Turn", f4, (count, 4)),
        DeviceField("o_feet", "unsigned char", u1, (2, count)),
        DeviceField("o_place", "double", f8, (3, count)), DeviceField("o_joints", "float", f4, (joints, 3, count)),
        DeviceField("b_count", "int", i4, (bins,)), DeviceField("b_first", "int", i4, (bins,)),
        DeviceField("b_chunks", "int", i4, (1,)),
        DeviceField("b_rank", "int", i4, (2, count)), DeviceField("b_bin", "int", i4, (2, count)),
        DeviceField("b_items", "int", i4, (2 * count + CHUNK * bins,)),
        DeviceField("g_goal", "double", f8, (2, count)), DeviceField("g_points", "double", f8, (MOST_GOALS, 2)),
        DeviceField("g_pause", "float", f4, (count,)), DeviceField("g_reached", "int", i4, (count,)),
        DeviceField("l_kind", "unsigned char", u1, (count,)),
        DeviceField("l_told", "Told", i4, (count, 2)), DeviceField("l_told_count", "int", i4, (1,)),
        DeviceField("l_edge", "int", i4, (count,)), DeviceField("l_edge_count", "int", i4, (1,)),
        DeviceField("l_heavy", "Heavy", i4, (count, 5)), DeviceField("l_heavy_count", "int", i4, (1,)),
        DeviceField("l_late", "Late", f8, (count, 5)), DeviceField("l_late_count", "int", i4, (1,)),
    ]  # fmt: skip


def table_arrays(packed: PackedGraph) -> dict[str, np.ndarray]:
    """Tables by the names that kernels have for them, on borders of 16 bytes; travel in 32 bits."""
    found = {name.replace(".", "_", 1): narrowed(values) for name, values in packed.arrays.items()
             if name.split(".")[0] in TABLES}  # fmt: skip
    found["m_travel"] = found["m_travel"].astype(np.float32)
    spare = -int(found["w_first"][0]) % 4  # every motion's table is of whole fours, after what comes before the first
    found["w_values"] = np.concatenate([np.zeros(spare, np.float32), found["w_values"]])
    found["w_first"] = found["w_first"] + np.int32(spare)
    return found


def to_device_order(name: str, values: np.ndarray) -> np.ndarray:
    """A field of rows (N, ...) as it lies on a device."""
    values = narrowed(values) if values.dtype == bool else values
    return np.ascontiguousarray(values if name in OUTERMOST else np.moveaxis(values, 0, -1))


def from_device_order(name: str, values: np.ndarray) -> np.ndarray:
    """The same back again."""
    return np.ascontiguousarray(values if name in OUTERMOST else np.moveaxis(values, -1, 0))
