"""Live characters: the rows of one graph, stepped together; one for `Controller`, many for `Controllers`.

A step writes what is asked for into the rows, runs the frame kernel over all of them, shared over threads where there
are many, and decides for those the kernel has flagged. Characters do not depend on each other, so the number of threads
changes no byte.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np

from footfall.core.errors import ParameterError, WrongType, finite_number
from footfall.core.pose import Pose
from footfall.core.references import reference
from footfall.graph.graph import Graph
from footfall.live.decisions import Decider
from footfall.live.frame import ShownPoses, advance_rows, pose_rows, step_row, step_rows
from footfall.live.ground_state import live_ground
from footfall.live.handle import Handle
from footfall.live.leaving import settle
from footfall.live.on_ground import pose_rows_on_ground, step_rows_on_ground
from footfall.live.overlay import overlay_rows
from footfall.live.playable_graph import playable_graph
from footfall.live.rows import land, new_room, new_rows
from footfall.live.taking import GET_UP, lies, on_floor

LONGEST_STEP_S = 0.05  # a longer step is made in pieces
LEAST_STEP_S = 1e-5  # a shorter one is gone together with the next: speeds are differences over a step; by eye
MOST_STEP_S = 60.0  # a longer one is refused as a mistake
FEW = 128  # rows: fewer are not worth a thread of their own; measured
Root = tuple[float, float, float]
Start = tuple[str | None, float, float, float]  # type, x, z, heading


class LiveCharacters:
    """Characters of one graph."""

    def __init__(
        self, graph: Graph, starts: Sequence[Start], lock: bool, threads: int | None = 1, ground: Any = None
    ) -> None:
        if not isinstance(graph, Graph):
            raise WrongType("a motion graph, as ff.graph('builtin') gives", graph)
        if threads is not None and threads < 1:
            raise ParameterError(f"threads must be 1 or more, got {threads}")
        count = len(starts)
        of = self.playable = playable_graph(graph)
        self.graph, self.lock, self.count = graph, lock, count
        self.rows = new_rows(of.tables, count, of.dimensions)
        threads = min(threads or os.cpu_count() or 1, max(count // FEW, 1))
        self.rooms = [new_room(of.tables, of.dimensions) for _ in range(threads)]
        shared = of.tables, of.edges, of.steering, of.weights, self.rows
        self.handles = [reference(Handle(*shared, room)) for room in self.rooms]
        self.decider = Decider(graph, of, self.rows, self.handles[0])
        self.shown = self._new_poses()
        self._flagged: list[int] = []
        self._owed_s = 0.0  # of steps that were too short to be gone
        homes = [self.decider.known(graph.home if type is None else type) for type, *_ in starts]
        for into in (self.rows.node, self.rows.type, self.rows.want, self.rows.motion[:, 0]):
            into[:] = homes
        self.rows.root[:] = [[finite_number(w, v) for w, v in zip(("x", "z", "heading"), at, strict=True)]
                             for _, *at in starts]  # fmt: skip
        if of.arm_movements:  # compiled now: the first wave is not to wait for it
            self._run(overlay_rows, self.decider.overlays.handle, self.shown, 0.0)
        self.ground = None if ground is None else live_ground(ground, of.tables.body, self.rows, lock)
        if self.ground is not None:
            self.decider.steps = self.ground.rows.steps
        for n, k in enumerate(homes):
            settle(self.handles[0], n, np.array(self.decider.aim(n, k)[0], float))

    @property
    def nbytes(self) -> int:
        """Memory of graph, tables and characters."""
        return self.playable.nbytes + sum(a.nbytes for a in (*self.rows, *self.shown))

    def place(self, n: int, x: float, z: float, heading: float) -> None:
        """Put one character somewhere else."""
        at = finite_number("x", x), finite_number("z", z), finite_number("heading", heading)
        self.rows.root[n] = at
        land(self.rows, n)
        if self.ground is not None:
            self.ground.lift(n)

    def take(self, n: int, pose: Pose, velocity: np.ndarray, spin: np.ndarray) -> None:
        """One character goes on from a pose in the world with the velocities of its root and joints."""
        number = self.playable.number
        get_up = next((number[name] for name in GET_UP if name in number), None)
        is_down = lies(self.graph.skeleton, pose, get_up is not None)
        if self.ground is not None:
            pose = self.ground.leveled(n, pose)
        root, local, before, moving = on_floor(self.graph.skeleton, pose, velocity, spin)
        self.rows.root[n] = root
        self.decider.take(n, self.rooms[0], local, before, moving, get_up if is_down else None)

    def step(self, dt: float, roots: Sequence[Root] | None = None, fresh: bool = False) -> ShownPoses:
        """One step of all characters; fresh: into arrays that no later step writes to."""
        if not 0.0 <= dt <= MOST_STEP_S:
            raise ParameterError(f"a step lasts 0 to {MOST_STEP_S:g} s, got {dt}")
        given = None
        if roots is not None:
            given = [[finite_number("root", v) for v in root] for root in roots]
        if fresh:
            self.shown = self._new_poses()
        self._owed_s += dt
        dt, self._owed_s = (self._owed_s, 0.0) if self._owed_s >= LEAST_STEP_S else (0.0, self._owed_s)
        pieces = 1 if dt <= LONGEST_STEP_S else math.ceil(dt / LONGEST_STEP_S)
        for _ in range(pieces):
            for n in self._flagged:
                self.decider.decide(n)
            self._go(dt / pieces, given)
            if self.decider.overlays.busy:
                self._run(overlay_rows, self.decider.overlays.handle, self.shown, dt / pieces)
            self._flagged = self._events()
            for n in self._flagged:
                self.decider.note(n)
        return self.shown

    def _go(self, dt: float, roots: list[list[float]] | None) -> None:
        """A step of all rows, or to given roots."""
        if roots is not None:
            self._run(advance_rows, dt)
            self.rows.root[:] = roots
        if self.ground is not None:
            over = step_rows_on_ground if roots is None else pose_rows_on_ground
            self._run(over, self.ground.handle, self.shown, dt)
        elif roots is None and self.count == 1:
            step_row(self.handles[0], self.shown, dt, self.lock)
        else:
            self._run(step_rows if roots is None else pose_rows, self.shown, dt, self.lock)

    def _events(self) -> list[int]:
        """Characters that the last step has flagged."""
        decider = self.decider
        due = decider.due_now() if decider.due or decider.overlays.busy else ()
        if self.count == 1:
            return [0] if self.rows.event[0] or due else []
        flagged = list(np.flatnonzero(self.rows.event).tolist())
        return flagged if not due else sorted({*flagged, *due})

    def _run(self, kernel, *given) -> None:  # type: ignore[no-untyped-def]
        """A kernel over all rows, each thread with its own part and its own room."""
        if len(self.handles) == 1:
            kernel(self.handles[0], 0, self.count, *given)
            return
        ends = [self.count * k // len(self.handles) for k in range(len(self.handles) + 1)]
        jobs = [
            _pool().submit(kernel, handle, a, b, *given)
            for handle, a, b in zip(self.handles[1:], ends[1:-1], ends[2:], strict=True)
        ]
        kernel(self.handles[0], ends[0], ends[1], *given)
        for job in jobs:
            job.result()

    def _new_poses(self) -> ShownPoses:
        joints = len(self.graph.skeleton)
        return ShownPoses(np.empty((self.count, 3)), np.empty((self.count, joints, 4)))


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(os.cpu_count() or 1, 2), "footfall characters")
