"""Loop trace: every time an event loop was late or busy for long, and what used the time.

The loop's own select is watched, so nothing that is measured is changed. A pause is either a stretch of work between
two selects, or a sleep that ended later than it should. What it is made of is read from the clocks of the thread, of
the process and of the system's scheduler, and from Python's collector of garbage. The same clock counts in every
process of a machine, so that pauses of a server and of its clients can be laid side by side.
"""

from __future__ import annotations

import gc
import os
import selectors
import threading
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

LEAST_S = 2e-3  # of a pause that is noted
LATE_MS = 8.0  # poses later than this are explained
APART_S = 0.02  # late poses nearer to each other than this are one stall
SLACK_S = 0.005  # a cause lies between the moment a pose was due, less this, and its arrival
CAUSES = (
    "scheduler, server",
    "scheduler, pages",
    "garbage",
    "other threads",
    "work of the server",
    "work of the pages",
)
ENOUGH = 0.6  # of a stall's lateness: it counts as explained where pauses of known cause make up this much of it


class Pause(NamedTuple):
    """A stretch in which the loop answered nobody."""

    start_s: float
    wall_ms: float
    own_ms: float  # processor time of the loop's thread
    queued_ms: float  # ready to run while others had the processors
    garbage_ms: float  # of the processor time, spent looking for garbage
    others_ms: float  # processor time of the process's other threads


class LoopTrace:
    """The pauses of every loop of this process, from now on."""

    def __init__(self) -> None:
        self.pauses: list[Pause] = []
        self._garbage_s = self._collecting_s = 0.0
        gc.callbacks.append(self._collected)
        self._lines: dict[int, int] = {}  # thread -> its scheduler's file
        self._select = select = selectors.DefaultSelector.select
        clocks: dict[int, tuple[float, ...]] = {}

        def traced(selector: Any, timeout: float | None = None) -> Any:
            key, now = id(selector), self._clocks()
            if key in clocks:
                self._note(clocks[key], now, 0.0)
            found = select(selector, timeout)
            clocks[key] = self._clocks()
            self._note(now, clocks[key], None if found or timeout is None else max(timeout, 0.0))
            return found

        setattr(selectors.DefaultSelector, "select", traced)  # noqa: B010 (its type is not that of a plain function)

    def close(self) -> None:
        """Watch no more."""
        setattr(selectors.DefaultSelector, "select", self._select)  # noqa: B010
        gc.callbacks.remove(self._collected)
        for line in self._lines.values():
            os.close(line)

    def _collected(self, phase: str, about: dict[str, int]) -> None:
        now = time.perf_counter()
        if phase == "stop":
            self._garbage_s += now - self._collecting_s
        self._collecting_s = now

    def _clocks(self) -> tuple[float, ...]:
        return (
            time.perf_counter(), time.thread_time(), self._queued_s(), self._garbage_s, time.process_time()
        )  # fmt: skip

    def _queued_s(self) -> float:
        thread = threading.get_native_id()
        try:
            if thread not in self._lines:
                self._lines[thread] = os.open(f"/proc/self/task/{thread}/schedstat", os.O_RDONLY)
            return int(os.pread(self._lines[thread], 64, 0).split()[1]) / 1e9
        except (OSError, IndexError, ValueError):  # no Linux
            return 0.0

    def _note(self, before: tuple[float, ...], after: tuple[float, ...], asked_s: float | None) -> None:
        """asked_s: how much of it was asked for, to sleep; None for a sleep that somebody ended, nobody knows when."""
        wall, own, queued, garbage, process = (b - a for a, b in zip(before, after, strict=True))
        late = queued if asked_s is None else wall - asked_s
        if late > LEAST_S:
            parts = (late, own, queued, garbage, process - own)
            self.pauses.append(Pause(after[0] - late, *(round(1e3 * max(part, 0.0), 3) for part in parts)))


class Stall(NamedTuple):
    """Poses that came late at one time, and what kept them."""

    at_s: float
    late_ms: float  # of the latest
    poses: int
    cause: str  # of CAUSES; empty where too little of it is explained
    share: float  # of the lateness that pauses make up
    parts_ms: dict[str, float]


def stalls(late: np.ndarray, server: Sequence[Pause], pages: Sequence[Pause]) -> list[Stall]:
    """late (K, 2): second of arrival and lateness in ms of every pose."""
    some = late[late[:, 1] > LATE_MS]
    some = some[np.argsort(some[:, 0])]
    found = []
    for group in np.split(some, np.flatnonzero(np.diff(some[:, 0]) > APART_S) + 1):
        if len(group):
            worst, since = float(group[:, 1].max()), float((group[:, 0] - 1e-3 * group[:, 1]).min()) - SLACK_S
            parts = _parts(since, float(group[-1, 0]), server, pages)
            cause = max(parts, key=lambda name: parts[name])
            share = sum(parts.values()) / worst
            found.append(Stall(group[0, 0], worst, len(group), cause if share >= ENOUGH else "", share, parts))
    return found


def _parts(since: float, until: float, server: Sequence[Pause], pages: Sequence[Pause]) -> dict[str, float]:
    """Milliseconds of each cause within a stretch of time."""
    parts = dict.fromkeys(CAUSES, 0.0)
    for who, pauses in (("server", server), ("pages", pages)):
        for one in pauses:
            end = one.start_s + 1e-3 * one.wall_ms
            inside = max(min(end, until) - max(one.start_s, since), 0.0) / (end - one.start_s)
            queued, own = min(one.queued_ms, one.wall_ms), min(one.own_ms, one.wall_ms)
            parts[f"scheduler, {who}"] += inside * queued
            parts["garbage"] += inside * min(one.garbage_ms, own)
            parts[f"work of the {who}"] += inside * max(own - one.garbage_ms, 0.0)
            parts["other threads"] += inside * min(one.others_ms, max(one.wall_ms - own - queued, 0.0))
    return parts
