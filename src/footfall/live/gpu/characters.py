"""Characters on a device: their arrays, what is asked of them, and one step; whichever device runs the kernels.

A `Machine` has the memory and runs the kernels: `cuda.CudaMachine` on a GPU; the tests have one that runs the same
source, built by a plain C++ compiler, on the CPU.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from footfall.core.errors import ParameterError, UnknownName
from footfall.feet.limits import LIVE_FADE_S, LIVE_LIFT_S, LIVE_SETTLE_S, LIVE_SHIFT_S
from footfall.live.easing import SLOW
from footfall.live.gpu.layout import (
    DeviceField,
    from_device_order,
    row_fields,
    rows_of,
    table_arrays,
    to_device_order,
    work_fields,
)
from footfall.live.gpu.packed_graph import PackedGraph
from footfall.live.gpu.source import world_words
from footfall.live.rows import ASKED, CharacterRows

LONGEST_STEP_S = 0.05  # a longer step is made in pieces by who asks for it, as on the CPU
MOST_CHARACTERS = 2**22  # a mistake beyond, and what 32-bit numbers of a character's joints can count


class Machine(Protocol):
    """Memory and kernels of one device."""

    def zeros(self, field: DeviceField) -> Any: ...
    def put(self, array: Any, values: np.ndarray | float) -> None: ...
    def get(self, array: Any) -> np.ndarray: ...
    def pointer(self, array: Any) -> int: ...
    def turned(self, array: Any, axes: tuple[int, ...]) -> Any: ...
    def settle(self, world: np.ndarray) -> None: ...
    def wander(self, world: np.ndarray, wishes: WanderNumbers, count: int) -> None: ...
    def step(self, world: np.ndarray, step: StepNumbers, count: int) -> None: ...


class StepNumbers(ctypes.Structure):
    """What all characters share of a step: seconds, what springs keep over it, and whether feet are held."""

    _fields_ = (("dt", ctypes.c_double), ("keep", ctypes.c_double), ("lift_e", ctypes.c_double),
                ("fade_e", ctypes.c_double), ("settle_e", ctypes.c_double), ("shift_e", ctypes.c_double),
                ("lock", ctypes.c_int))  # fmt: skip


class WanderNumbers(ctypes.Structure):
    """What all that wander share: seconds, the square's side, speeds that are liked and covered, pauses, and types."""

    _fields_ = (("dt", ctypes.c_double), ("side_m", ctypes.c_double),
                *((name, ctypes.c_float) for name in ("slow", "fast", "low", "high", "pause_low", "pause_high")),
                ("home", ctypes.c_int), ("walk", ctypes.c_int), ("goals", ctypes.c_int),
                ("seed", ctypes.c_uint))  # fmt: skip


def step_numbers(dt: float, lock: bool) -> StepNumbers:
    """Of a step of dt seconds."""
    if not 0.0 <= dt <= LONGEST_STEP_S:
        raise ParameterError(f"a step on a device lasts 0 to {LONGEST_STEP_S:g} s, got {dt}")
    kept = [math.exp(-dt / s) for s in (SLOW, LIVE_LIFT_S, LIVE_FADE_S, LIVE_SETTLE_S, LIVE_SHIFT_S)]
    return StepNumbers(dt, *kept, int(lock))


class DeviceCharacters:
    """Characters of one packed graph in a device's memory."""

    def __init__(
        self, packed: PackedGraph, count: int, machine: Machine, lock: bool = True,
        rows: Mapping[str, np.ndarray] | None = None,
    ) -> None:  # fmt: skip
        """At rest at the origin in the graph's home, or as rows say (`CharacterRows`, any of its fields)."""
        if not 1 <= count <= MOST_CHARACTERS:
            raise ParameterError(f"a device steps 1 to {MOST_CHARACTERS} characters, got {count}")
        self.packed, self.count, self.machine, self.lock = packed, count, machine, lock
        self.rows = {f.name: machine.zeros(f) for f in row_fields(packed, count)}
        self.work = {f.name: machine.zeros(f) for f in work_fields(packed, count)}
        self.tables = {}
        for name, values in table_arrays(packed).items():
            self.tables[name] = machine.zeros(DeviceField(name, "", values.dtype, values.shape))
            machine.put(self.tables[name], values)
        arrays = {**{f"r_{name}": a for name, a in self.rows.items()}, **self.work, **self.tables}
        self.world = world_words(packed, count, {name: machine.pointer(a) for name, a in arrays.items()})
        self._begin(rows or {})
        for name, value in (("c_type", -1), ("c_asked", math.nan), ("g_reached", -1)):
            machine.put(self.work[name], value)

    def _begin(self, rows: Mapping[str, np.ndarray]) -> None:
        """Everybody in the graph's home, where rows do not say otherwise; parameters that nobody asked for are usual.

        What a row begins with is the same for all and is spread on the device, so that a million cost no more.
        """
        for name, one in zip(CharacterRows._fields, rows_of(self.packed, 1), strict=True):
            if name in rows:
                self.machine.put(self.rows[name], to_device_order(name, np.asarray(rows[name], one.dtype)))
                continue
            self.machine.put(self.rows[name], float(one.flat[0]))
            for at in np.argwhere(one[0] != one.flat[0]) if np.isfinite(one).any() else ():
                self.machine.put(self.rows[name][tuple(at)], float(one[0][tuple(at)]))
        self.machine.put(self.rows["act"], rows.get("act", -1))
        given = [name for name in ("node", "type", "want", "motion") if name in rows]
        if given:
            return
        home = self.packed.home
        for name in ("node", "type", "want"):
            self.machine.put(self.rows[name], home)
        self.machine.put(self.rows["motion"][0], home)
        for name in ("p", "goal"):
            for i, value in enumerate(self.packed["d.usual"][home]):
                self.machine.put(self.rows[name][0, i], float(value))
        self.machine.settle(self.world)

    def number(self, type: str) -> int:
        """Of a node, by its name."""
        if type not in self.packed.names:
            raise UnknownName("type of motion", type, self.packed.names)
        return self.packed.names.index(type)

    def ask(self, type: Any = None, urgent: Any = None, shove: Any = None, **asked: Any) -> None:
        """What holds from the next step on: one for all or an array of the device for each; None changes nothing."""
        if type is not None:
            self.machine.put(self.work["c_type"], self.number(type) if isinstance(type, str) else type)
        if urgent is not None:
            self.machine.put(self.work["c_urgent"], urgent)
        if shove is not None:
            for i in range(2):
                self.machine.put(self.work["c_shove"][i], shove[i] if isinstance(shove, tuple) else shove[:, i])
        for name, value in asked.items():
            if name not in ASKED:
                raise UnknownName("parameter", name, ASKED)
            if value is not None:
                self.machine.put(self.work["c_asked"][ASKED.index(name)], value)

    def step(self, dt: float) -> None:
        """All characters on by dt seconds."""
        self.machine.step(self.world, step_numbers(dt, self.lock), self.count)

    def read_rows(self) -> dict[str, np.ndarray]:
        """The rows, on the host, as `CharacterRows` has them, and `act`."""
        found = {name: from_device_order(name, self.machine.get(a)) for name, a in self.rows.items()}
        found["down"] = found["down"].astype(bool)
        shapes = zip(CharacterRows._fields, rows_of(self.packed, 1), strict=True)
        return {**{name: found[name].reshape(self.count, *one.shape[1:]) for name, one in shapes}, "act": found["act"]}

    @property
    def row_bytes(self) -> int:
        """Bytes of state of one character."""
        return sum(math.prod(f.shape) * f.dtype.itemsize for f in row_fields(self.packed, 1))
