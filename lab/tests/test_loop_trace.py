"""What kept an event loop is told from what it did, and late poses are laid to it."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable

import numpy as np
import pytest

from footfall_lab.bench._loop_trace import CAUSES, LoopTrace, Pause, stalls


def spin(seconds: float) -> None:
    """Work for so much processor time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def paused(work: Callable[[], None]) -> Pause:
    """The longest pause of a loop that does this once, between sleeps."""

    async def act() -> None:
        await asyncio.sleep(0.01)
        work()
        await asyncio.sleep(0.01)

    trace = LoopTrace()
    try:
        asyncio.run(act())
    finally:
        trace.close()
    return max(trace.pauses, key=lambda one: one.own_ms + one.garbage_ms)


def test_work_is_the_processor_time_of_the_loop() -> None:
    one = paused(lambda: spin(0.05))
    assert one.own_ms >= 50.0
    assert one.wall_ms >= one.own_ms - 1.0
    assert one.garbage_ms < 25.0


def test_garbage_is_told_from_work() -> None:
    held = [[[] for _ in range(100)] for _ in range(10_000)]  # a million lists to look through
    one = paused(lambda: gc.collect() and None)
    assert len(held) == 10_000
    assert one.garbage_ms > 0.5 * one.own_ms > 0.0


def test_nothing_is_watched_when_it_is_over() -> None:
    before = len(gc.callbacks)
    paused(lambda: spin(0.005))
    assert len(gc.callbacks) == before


@pytest.mark.parametrize(
    ("who", "pause", "cause"),
    [
        ("server", Pause(9.99, 30.0, 1.0, 29.0, 0.0, 0.0), "scheduler, server"),
        ("pages", Pause(9.99, 30.0, 1.0, 29.0, 0.0, 0.0), "scheduler, pages"),
        ("server", Pause(9.99, 30.0, 29.0, 0.0, 25.0, 0.0), "garbage"),
        ("server", Pause(9.99, 30.0, 2.0, 0.0, 0.0, 28.0), "other threads"),
        ("server", Pause(9.99, 30.0, 29.0, 0.0, 0.0, 0.0), "work of the server"),
        ("pages", Pause(9.99, 30.0, 29.0, 0.0, 0.0, 0.0), "work of the pages"),
        ("server", Pause(9.99, 30.0, 1.0, 1.0, 0.0, 1.0), ""),  # it waited, and nobody knows what for
        ("server", Pause(5.0, 30.0, 1.0, 29.0, 0.0, 0.0), ""),  # long before
        ("server", Pause(10.5, 30.0, 1.0, 29.0, 0.0, 0.0), ""),  # afterwards
    ],
)
def test_a_stall_is_laid_to_what_happened_meanwhile(who: str, pause: Pause, cause: str) -> None:
    arrived = np.array([[9.0, 1.0], [10.02, 30.0], [10.021, 28.0], [11.0, 2.0]])  # due at 9.99
    [found] = stalls(arrived, [pause] if who == "server" else [], [pause] if who == "pages" else [])
    assert (found.cause, found.poses, found.late_ms) == (cause, 2, 30.0)
    assert set(found.parts_ms) == set(CAUSES)


def test_late_poses_far_apart_are_stalls_of_their_own() -> None:
    arrived = np.array([[t, 9.0] for t in (1.0, 1.01, 1.5, 2.0, 2.005)])
    assert [one.poses for one in stalls(arrived, [], [])] == [2, 1, 2]
    assert stalls(np.array([[1.0, 7.9]]), [], []) == []
