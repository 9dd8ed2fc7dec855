"""Crowd on a GPU: a million characters, told what to do by tensors, or wandering; what they show as tensors.

crowd = ff.Crowd(ff.graph("builtin"), 2**20, device="cuda")
shown = crowd.step(1 / 60, type=types, speed=speeds, turn=turns)     # tensors of N, or one for all
shown.rot, shown.joints, shown.contacts                              # torch tensors, views of what the kernels wrote
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.core.errors import ParameterError, WrongType
from footfall.graph.graph import Graph
from footfall.live.gpu.characters import LONGEST_STEP_S, DeviceCharacters, Machine, WanderNumbers
from footfall.live.gpu.layout import MOST_GOALS
from footfall.live.gpu.packed_graph import PackedGraph, load_packed, pack_graph, save_packed
from footfall.live.wandering import PAUSE_S, SPEEDS, WALK, places, square_side


class DevicePoses(NamedTuple):
    """What a step shows: arrays of the device, views that the next step writes to."""

    place: Any  # (N, 3) f64 what is added to joints for the world
    joints: Any  # (N, J, 3) f32 metres, places of joints as seen from over the character's place
    rot: Any  # (N, J, 4) f32 rotations in the parent's frame; of joint 0 in the world
    contacts: Any  # (N, 2, 2) u8 heel and toe of left and right on the floor

    @property
    def root_pos(self) -> Any:
        """(N, 3) f64 of joint 0, world."""
        return self.place + self.joints[:, 0]


class GpuCrowd:
    """Characters of one graph on a device; the same seed gives the same crowd, byte for byte on one device."""

    def __init__(
        self, graph: Graph | PackedGraph | str | Path, count: int, seed: int = 0, side_m: float | None = None,
        goals: Sequence[tuple[float, float]] | np.ndarray | None = None, device: str = "cuda",
        machine: Machine | None = None,
    ) -> None:  # fmt: skip
        """graph: a motion graph, a packed one, or the file of one, whose rows, if it has any, are gone on with.

        goals: x, z that are gone to in order, round and round. Other than on the CPU nobody looks at others.
        """
        rows: dict[str, np.ndarray] = {}
        if isinstance(graph, (str, Path)):
            graph, rows = load_packed(graph)
        if not isinstance(graph, (Graph, PackedGraph)):
            raise WrongType("a motion graph, a packed one or its file", graph)
        packed = pack_graph(graph) if isinstance(graph, Graph) else graph
        if machine is None:
            from footfall.io.cache_folder import cache_folder
            from footfall.live.gpu.cuda import CudaMachine

            machine = CudaMachine(packed, device, cache=cache_folder())
        self.packed, self.side_m = packed, square_side(count, side_m)
        self.characters = DeviceCharacters(packed, count, machine, rows=rows or None)
        points = np.zeros((0, 2)) if goals is None else np.asarray(goals, float).reshape(-1, 2)
        if goals is not None and not (0 < len(points) <= MOST_GOALS and np.isfinite(points).all()):
            raise ParameterError(f"goals are 1 to {MOST_GOALS} points x, z in metres")
        machine.put(self.characters.work["g_points"][: len(points)], points)
        rng = np.random.default_rng(seed)
        if not rows:
            start = np.column_stack([places(rng, count, self.side_m), rng.uniform(-np.pi, np.pi, count)])
            machine.put(self.characters.rows["root"], np.ascontiguousarray(start.T))
        self._wishes = self._wander_numbers(seed, len(points)) if WALK in packed.names else None

    def __len__(self) -> int:
        return self.characters.count

    @property
    def types(self) -> tuple[str, ...]:
        """Types of motion and actions by their numbers."""
        return self.packed.names

    @property
    def pushed(self) -> int:
        """Nobody is pushed: on a device nobody looks at others."""
        return 0

    def step(self, dt: float, **commands: Any) -> DevicePoses:
        """Go on by dt seconds: with commands, as `ask` takes them, or to goals of one's own where none are given."""
        pieces = 1 if dt <= LONGEST_STEP_S else math.ceil(dt / LONGEST_STEP_S)
        if commands:
            self.ask(**commands)
        for _ in range(pieces):
            if not commands and self._wishes is not None:
                self._wishes.dt = dt / pieces
                self.characters.machine.wander(self.characters.world, self._wishes, len(self))
            self.characters.step(dt / pieces)
        return self.shown

    def ask(
        self, type: Any = None, speed: Any = None, turn: Any = None, side: Any = None, urgent: Any = None,
        shove: Any = None,
    ) -> None:  # fmt: skip
        """What holds from the next step on; each one for all, or a tensor (N,); not given: as it was.

        type: a name, or numbers of `types`, below 0 as it was; speed, turn, side: m/s, °/s, m/s, NaN as it was; urgent:
        who changes at once; shove: (N, 2) m/s forward and to the left, or one pair for all.
        """
        self.characters.ask(type=type, urgent=urgent, shove=shove, speed=speed, turn=turn, side=side)

    @property
    def shown(self) -> DevicePoses:
        """The poses of the last step."""
        of, turned = self.characters, self.characters.machine.turned
        return DevicePoses(turned(of.work["o_place"], (1, 0)), turned(of.work["o_joints"], (2, 0, 1)), of.work["o_rot"],
                           turned(of.rows["down"], (2, 0, 1)))  # fmt: skip

    def state(self, name: str) -> Any:
        """A field of the rows (`live.rows.CharacterRows`) as it lies on the device, the character innermost, but
        outermost for weights, turn and spin; writing to it changes the characters."""
        return self.characters.rows[name]

    def save(self, path: str | Path) -> None:
        """Graph and rows as one npz, which `ff.Crowd(path, n, device="cuda")` goes on with."""
        save_packed(self.packed, path, self.characters.read_rows())

    def _wander_numbers(self, seed: int, goals: int) -> WanderNumbers:
        walk = self.packed.names.index(WALK)
        low, high = float(self.packed["s.low"][walk, 0]), float(self.packed["s.high"][walk, 0])
        return WanderNumbers(0.0, self.side_m, *SPEEDS, low, high, *PAUSE_S, self.packed.home, walk, goals,
                             seed % 2**32)  # fmt: skip
