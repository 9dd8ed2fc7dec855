"""CUDA machine: a GPU's memory as torch tensors, and the kernels of a step in a CUDA graph.

The first step of a length is launched kernel by kernel, the second is captured, all others are one replay.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from footfall.core.errors import need
from footfall.live.gpu.characters import StepNumbers, WanderNumbers
from footfall.live.gpu.compiler import Kernels, NoGpu, compile_source
from footfall.live.gpu.layout import DeviceField
from footfall.live.gpu.packed_graph import PackedGraph
from footfall.live.gpu.source import POSE_THREADS, PRECISION, source

# Kernels of a step: in order, and between them those of three kinds of characters, which run beside each other: each
# waits for its own reads most of the time.
FIRST = ("clear", "hear")
BESIDE = (("decide", "decide_blocks", "go_told"), ("go_edges",), ("go",))
LAST = ("go_warps", "scan", "scatter", "blend", "mix", "pose")
STEP = (*FIRST, *(name for line in BESIDE for name in line), *LAST)
KERNELS = ("settle", "wander", "blend_each", *STEP)
THREADS = {"mix": 256, "scan": 1024, "pose": POSE_THREADS}  # of a block; 128 of all others
TAKES_MORE = ("wander", "go", "go_told", "go_edges", "go_warps", "pose")  # kernels with a second argument
LISTS = ("decide", "decide_blocks", "go_told", "go_edges", "go_warps", "blend")  # kernels that go through a list
BLOCKS_EACH = 32  # blocks a multiprocessor, of those; measured: 8, 16 and 32 take 3.51, 3.21 and 3.10 ms a step


def cuda_torch() -> Any:
    """torch with a GPU, or one sentence that says why not."""
    torch = need("torch", "gpu")
    if not torch.cuda.is_available():
        raise NoGpu(
            "torch finds no CUDA GPU here: leave device='cuda' away to step characters on the processor's cores"
        )
    return torch


class CudaMachine:
    """One GPU."""

    def __init__(
        self, packed: PackedGraph, device: str = "cuda", feet: str = PRECISION, cache: Path | None = None
    ) -> None:
        self.torch = torch = cuda_torch()
        self.device = torch.device(device)
        torch.zeros(1, device=self.device)  # makes the device's context the current one
        about = torch.cuda.get_device_properties(self.device)
        code = compile_source(source(packed, feet), f"sm_{about.major}{about.minor}", cache)
        self.kernels = Kernels(code, KERNELS)
        self.listed = BLOCKS_EACH * about.multi_processor_count
        self.joints, self.bins = len(packed["body.parents"]), len(packed["m.mean"])
        # those that decide are the longest line, and few: their blocks go first
        self.beside = [torch.cuda.Stream(self.device, priority=-1 if "decide" in line else 0) for line in BESIDE]
        self._graphs: dict[bytes, Any] = {}

    # --- memory -------------------------------------------------------------------------------------------------------
    def zeros(self, field: DeviceField) -> Any:
        return self.torch.zeros(field.shape, dtype=getattr(self.torch, np.dtype(field.dtype).name), device=self.device)

    def put(self, array: Any, values: Any) -> None:
        if isinstance(values, (int, float)):
            array.fill_(values)
        else:
            array.copy_(self.torch.as_tensor(values, device=self.device))

    def get(self, array: Any) -> np.ndarray:
        return np.asarray(array.cpu().numpy())

    def pointer(self, array: Any) -> int:
        return int(array.data_ptr())

    # --- kernels ------------------------------------------------------------------------------------------------------
    def launch(self, name: str, world: np.ndarray, more: ctypes.Structure | None, count: int) -> None:
        """One kernel of a step, on torch's current stream."""
        threads = THREADS.get(name, 128)
        rows = {"mix": count * (self.joints + 1), "blend_each": 32 * count, "clear": max(self.bins, 1)}.get(name, count)
        blocks = -(-rows // threads)
        if name == "scan":
            blocks = 1
        elif name in LISTS:
            blocks = min(self.listed, -(-(2 * count + self.bins) // 4))
        words = (ctypes.c_uint64 * len(world))(*world.tolist())
        given = (words, more) if name in TAKES_MORE else (words,)
        self.kernels.launch(name, blocks, threads, self.torch.cuda.current_stream(self.device).cuda_stream, *given)

    def turned(self, array: Any, axes: tuple[int, ...]) -> Any:
        return array.permute(axes)

    def wander(self, world: np.ndarray, wishes: WanderNumbers, count: int) -> None:
        self.launch("wander", world, wishes, count)

    def settle(self, world: np.ndarray) -> None:
        self.launch("settle", world, None, int(world[0]))

    def launch_step(self, world: np.ndarray, step: StepNumbers, count: int) -> None:
        """All kernels of a step, on torch's current stream and those beside it."""
        cuda = self.torch.cuda
        main = cuda.current_stream(self.device)
        for name in FIRST:
            self.launch(name, world, step, count)
        for stream, line in zip(self.beside, BESIDE, strict=True):
            stream.wait_stream(main)
            with cuda.stream(stream):
                for name in line:
                    self.launch(name, world, step, count)
        for stream in self.beside:
            main.wait_stream(stream)
        for name in LAST:
            self.launch(name, world, step, count)

    def step(self, world: np.ndarray, step: StepNumbers, count: int) -> None:
        key = bytes(step) + world.tobytes()
        if key not in self._graphs:
            self._graphs[key] = None
            self.launch_step(world, step, count)
            return
        if self._graphs[key] is None:
            graph = self.torch.cuda.CUDAGraph()
            with self.torch.cuda.graph(graph):
                self.launch_step(world, step, count)
            self._graphs[key] = graph
        self._graphs[key].replay()
