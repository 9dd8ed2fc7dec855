"""A million characters on one GPU: milliseconds a step and of each kernel, bytes, and the share of what memory allows.

The graph is the built-in one made as large as 20 examples and 24 joints: examples are doubled and share their weights,
so motions stay what they are and cost what larger ones would. Every character has its own command and another type
every 3 s on average. Times are of CUDA events, medians; the bound is the bytes that a kernel must move, each once, at
the rate of a measured copy.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from footfall.live.gpu.packed_graph import PackedGraph
from footfall_lab.bench._measure import Row

DT = 1.0 / 60.0
EXAMPLES, JOINTS = 20, 24
FULL = 2**20
SIZES = tuple(2**k for k in range(10, 22))
CHANGE_S = 3.0  # seconds between changes of type, on average
WARM, TIMED = 240, 60  # steps before and while time is taken
STEP_MS, BLEND_MS, ROW_BYTES = 4.0, 1.5, 2048  # limits
COPIED = 2**31  # bytes of the copy that is timed


def run() -> list[Row]:
    """Every figure of this benchmark."""
    from footfall.graph.build.open_graph import graph
    from footfall.live.gpu.packed_graph import pack_graph

    packed = widened(pack_graph(graph("builtin")))
    rows = [Row("device", device_name()), *ceilings()]
    rows += full_size(packed, FULL)
    rows += sizes(packed)
    return rows


# --- the graph --------------------------------------------------------------------------------------------------------


def widened(packed: PackedGraph, examples: int = EXAMPLES, joints: int = JOINTS) -> PackedGraph:
    """The same motions with so many examples each (of those that have more than one), and joints."""
    of = dict(packed.arrays)
    count, kind = of["m.count"], of["w.kind"]
    into = [np.arange(max(int(c), examples) if c > 1 else 1) % c for c in count]  # new example -> old
    width = of["m.log_rates"].shape[2]
    assert all(len(one) <= width for one in into)
    halves = [1.0 / np.bincount(one)[one] for one in into]
    for name, axis in (("m.log_rates", 2), ("m.spans", 1)):
        of[name] = np.stack([_spread(values, axis - 1, one) for values, one in zip(of[name], into, strict=True)])
    of["m.travel"] = np.concatenate([_spread(part, 2, one) for part, one in zip(_grids(of), into, strict=True)])
    of["m.rows"], of["m.first_row"] = _rows(packed, into)
    values, first, size, wide = [np.zeros(1, np.float32)], [], [], []
    for k, (one, half) in enumerate(zip(into, halves, strict=True)):
        table, n, columns = _weights(packed, k, one, half) if kind[k] else (np.zeros(0, np.float32), 0, 0)
        first.append(sum(v.size for v in values))
        values.append(table)
        size.append(n)
        wide.append(columns)
    of |= {"w.values": np.concatenate(values), "w.first": np.array(first), "w.size": np.array(size),
           "w.width": np.array(wide), "m.count": np.array([len(one) for one in into])}  # fmt: skip
    more = joints - len(of["body.parents"])
    tips = [len(of["body.parents"]) - 1] * more
    of["body.parents"] = np.concatenate([of["body.parents"], np.array(tips, np.int64)])
    of["body.offsets"] = np.concatenate([of["body.offsets"], np.full((more, 3), 0.05, np.float32)])
    names = (*packed.joints, *(f"more_{k}" for k in range(more)))
    return PackedGraph(of, packed.names, packed.home, names, packed.edge_names)


def _spread(values: np.ndarray, axis: int, one: np.ndarray) -> np.ndarray:
    """Examples along an axis as the new ones have them, padded as they were."""
    out = np.zeros_like(values)
    at = [slice(None)] * values.ndim
    at[axis] = slice(0, len(one))
    out[tuple(at)] = np.take(values, one, axis=axis)
    return out


def _grids(of: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Travel of each motion."""
    ends = [*of["m.first_mean"][1:].tolist(), len(of["m.travel"])]
    return [of["m.travel"][a:b] for a, b in zip(of["m.first_mean"].tolist(), ends, strict=True)]


def _rows(packed: PackedGraph, into: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    rows, first, at = [], [], 0
    for k, one in enumerate(into):
        count, grid = int(packed["m.count"][k]), int(packed["m.cells"][k]) + 1
        start = int(packed["m.first_row"][k])
        old = packed["m.rows"][start : start + grid * count].reshape(grid, count, -1)
        rows += [old[:, one].reshape(-1, old.shape[2]), np.zeros((4, old.shape[2]), np.float32)]
        first.append(at)
        at += grid * len(one) + 4
    return np.concatenate(rows), np.array(first)


def _weights(packed: PackedGraph, k: int, one: np.ndarray, half: np.ndarray) -> tuple[np.ndarray, int, int]:
    """A motion's table of weights for its new examples; its size and width."""
    from footfall.live.packed_weights import LATTICE
    from footfall.weights.lookup import OUT_OF_REACH, WIDTH

    n, old, d = int(packed["w.size"][k]), int(packed["w.width"][k]), int(packed["w.axes"][k])
    begin, columns = int(packed["w.first"][k]), len(one) + -len(one) % WIDTH
    if packed["w.kind"][k] == LATTICE:
        table = packed["w.values"][begin : begin + n**d * old].reshape(-1, old)
        out = np.zeros((len(table), columns), np.float32)
        out[:, : len(one)] = table[:, one] * half
        return out.ravel(), n, columns
    flat = packed["w.values"][begin:]
    centres, near = flat[: d * n].reshape(d, n), flat[d * n : (d + 1) * n]
    lines = flat[(d + 1) * n : (d + 1) * n + (1 + d + n) * n].reshape(-1, n)
    out = np.zeros((1 + d + columns, columns), np.float32)
    out[: len(lines), : len(one)] = lines[:, one] * half
    more = ((0, 0), (0, columns - n))
    return np.concatenate([np.pad(centres, more).ravel(), np.pad(near, more[1], constant_values=OUT_OF_REACH),
                           out.ravel()]).astype(np.float32), columns, columns  # fmt: skip


# --- figures ----------------------------------------------------------------------------------------------------------


def device_name() -> str:
    """Which GPU this is."""
    from footfall.live.gpu.cuda import cuda_torch

    return str(cuda_torch().cuda.get_device_name())


def timed_ms(torch: Any, work: Any, repeats: int = TIMED) -> float:
    """Median milliseconds of one call, by events."""
    events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(repeats)]
    for before, after in events:
        before.record()
        work()
        after.record()
    torch.cuda.synchronize()
    return float(np.median([before.elapsed_time(after) for before, after in events]))


def copy_rate(torch: Any) -> float:
    """Bytes a second of a copy, read and written."""
    a = torch.rand(COPIED // 4, device="cuda")
    b = torch.empty_like(a)
    return 2 * COPIED / (1e-3 * timed_ms(torch, lambda: b.copy_(a), 20))


def ceilings() -> list[Row]:
    """What the device can do at most."""
    from footfall.live.gpu.cuda import cuda_torch

    return [Row("copy, TB/s read and written", f"{copy_rate(cuda_torch()) / 1e12:.2f}")]


class Bench:
    """Characters that walk, run and stand, each with its own command."""

    def __init__(self, packed: PackedGraph, count: int, cache: Any = None) -> None:
        from footfall.live.gpu.characters import DeviceCharacters, step_numbers
        from footfall.live.gpu.cuda import CudaMachine, cuda_torch

        self.torch, self.machine = cuda_torch(), CudaMachine(packed, cache=cache)
        self.characters = DeviceCharacters(packed, count, self.machine)
        self.count, self.numbers = count, step_numbers(DT, True)
        self.generator = self.torch.Generator(device="cuda").manual_seed(1)
        self.tell(True)
        for _ in range(WARM):
            self.step()
            self.tell()

    def tell(self, everybody: bool = False) -> None:
        """Other types for those whose turn it is, other speeds and turns for all."""
        torch, n = self.torch, self.count
        draw = torch.rand((4, n), device="cuda", generator=self.generator)
        now = draw[0] < (1.0 if everybody else DT / CHANGE_S)
        kinds = torch.where(now, (draw[1] * 3).to(torch.int32), -1)
        self.characters.ask(type=kinds, speed=0.5 + 3.0 * draw[2], turn=120.0 * draw[3] - 60.0)

    def step(self) -> None:
        self.characters.step(DT)

    def kernel_ms(self, repeats: int = TIMED) -> dict[str, float]:
        """Median milliseconds of every kernel of a step, launched one by one with events between them."""
        from footfall.live.gpu.cuda import STEP

        torch, world = self.torch, self.characters.world
        marks = []
        for _ in range(repeats):
            self.tell()
            row = [torch.cuda.Event(enable_timing=True) for _ in range(len(STEP) + 1)]
            row[0].record()
            for k, name in enumerate(STEP):
                self.machine.launch(name, world, self.numbers, self.count)
                row[k + 1].record()
            marks.append(row)
        torch.cuda.synchronize()
        return {
            name: float(np.median([row[k].elapsed_time(row[k + 1]) for row in marks])) for k, name in enumerate(STEP)
        }

    def step_ms(self, repeats: int = TIMED) -> float:
        """Median milliseconds of a whole step, one replay of its graph, with new commands before each."""
        torch, found = self.torch, []
        for _ in range(repeats):
            self.tell()
            a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            a.record()
            self.step()
            b.record()
            found.append((a, b))
        torch.cuda.synchronize()
        return float(np.median([a.elapsed_time(b) for a, b in found]))


def full_size(packed: PackedGraph, count: int, cache: Any = None) -> list[Row]:
    """A step of so many, and its kernels."""
    bench = Bench(packed, count, cache=cache)
    of = bench.characters
    step, kernels = bench.step_ms(), bench.kernel_ms()
    torch = bench.torch
    plain = timed_ms(torch, lambda: bench.machine.launch("blend_each", of.world, bench.numbers, count), 20)
    blend = sum(kernels[name] for name in ("scan", "scatter", "blend"))
    two = float((of.rows["layers"] == 2).double().mean())
    rows = [
        Row(f"step of {count} characters, ms", f"{step:.3f}", f"at most {STEP_MS} ms", step <= STEP_MS),
        Row("blending alone (scan, scatter, blend), ms", f"{blend:.3f}", f"at most {BLEND_MS} ms", blend <= BLEND_MS),
        Row("blending alone, unsorted, ms", f"{plain:.3f}"),
        Row("state of a character, bytes", str(of.row_bytes), f"at most {ROW_BYTES}", of.row_bytes <= ROW_BYTES),
        Row("characters with two layers, of all", f"{two:.3f}"),
    ]  # fmt: skip
    return rows + [Row(f"kernel {name}, ms", f"{ms:.3f}") for name, ms in kernels.items()]


def sizes(packed: PackedGraph, cache: Any = None) -> list[Row]:
    """Nanoseconds a character of a step, by how many there are."""
    rows = []
    for count in SIZES:
        bench = Bench(packed, count, cache=cache)
        ms = bench.step_ms(30)
        rows.append(Row(f"step of {count}, ms (ns a character)", f"{ms:.3f} ({1e6 * ms / count:.2f})"))
        del bench
    return rows


def long_run(packed: PackedGraph, count: int, seconds_wall: float, cache: Any = None) -> dict[str, float]:
    """Steps for so long: how many, and whether anything is no number, drifts or grows."""
    bench = Bench(packed, count, cache=cache)
    torch, of = bench.torch, bench.characters
    begun, steps, memory = time.time(), 0, torch.cuda.memory_allocated()
    worst = {"norm": 0.0, "bad": 0.0, "far": 0.0}
    while time.time() - begun < seconds_wall:
        for _ in range(200):
            bench.tell()
            bench.step()
        steps += 200
        rot, joints = of.work["o_rot"], of.work["o_joints"]
        worst["norm"] = max(worst["norm"], float((rot.norm(dim=-1) - 1).abs().max()))
        worst["bad"] += float((~torch.isfinite(rot)).sum() + (~torch.isfinite(joints)).sum())
        worst["far"] = max(worst["far"], float(joints.abs().max()))
    return {"steps": steps, "seconds": time.time() - begun, **worst,
            "memory grew, bytes": torch.cuda.memory_allocated() - memory}  # fmt: skip
