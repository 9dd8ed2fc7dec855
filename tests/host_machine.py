"""A machine for the kernels of `live.gpu` that is no GPU: the same source, built by a plain C++ compiler."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np

from footfall.live.gpu.characters import StepNumbers, WanderNumbers
from footfall.live.gpu.layout import DeviceField
from footfall.live.gpu.packed_graph import PackedGraph
from footfall.live.gpu.source import PRECISION, source

COMPILER = shutil.which("g++") or shutil.which("clang++")


class HostMachine:
    """Memory is numpy's; one core runs the kernels, one character after another."""

    def __init__(self, packed: PackedGraph, folder: Path, feet: str = PRECISION) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        code, library = folder / f"kernels_{feet}.cpp", folder / f"kernels_{feet}.so"
        code.write_text(source(packed, feet))
        assert COMPILER is not None
        subprocess.run(
            [COMPILER, "-O2", "-std=c++17", "-fno-strict-aliasing", "-shared", "-fPIC", code, "-o", library], check=True
        )
        self.library = ctypes.CDLL(str(library))

    def zeros(self, field: DeviceField) -> np.ndarray:
        return np.zeros(field.shape, field.dtype)

    def put(self, array: np.ndarray, values: np.ndarray | float) -> None:
        array[...] = values

    def get(self, array: np.ndarray) -> np.ndarray:
        return array.copy()

    def pointer(self, array: np.ndarray) -> int:
        return array.ctypes.data

    def turned(self, array: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
        return array.transpose(axes)

    def wander(self, world: np.ndarray, wishes: WanderNumbers, count: int) -> None:
        self.library.wander(ctypes.c_void_p(world.ctypes.data), ctypes.byref(wishes))

    def settle(self, world: np.ndarray) -> None:
        self.library.settle(ctypes.c_void_p(world.ctypes.data))

    def step(self, world: np.ndarray, step: StepNumbers, count: int) -> None:
        self.library.step(ctypes.c_void_p(world.ctypes.data), ctypes.byref(step))
