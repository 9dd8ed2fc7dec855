"""Workers: one job on many items in separate processes, the same on every platform.

Each worker is a fresh Python (`worker.py`), so nothing is forked and a script that calls footfall needs no guard. A
worker that comes to an end, because a file made it or because somebody killed it, costs the job it had, nothing else.
Results come as soon as they are there, or in order. `cluster.py` gives the same over many machines.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from typing import Protocol, TypeVar

from footfall.io.cache_folder import CODE

A = TypeVar("A")
R = TypeVar("R")
AHEAD = 2  # jobs given out for each worker, so that none waits
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB", "BLIS")}


class WorkerLost(Exception):
    """The process that had a job came to an end."""


class Workers(Protocol):
    """Whoever does jobs: processes here, or a cluster."""

    count: int
    ahead: int  # jobs it is given before the first is done

    def submit(self, job: Callable[[A], R], argument: A) -> Future[R]: ...
    def close(self) -> None: ...


def core_count() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class OwnProcess:
    """Jobs done in this process, one at a time."""

    count = ahead = 1

    def submit(self, job: Callable[[A], R], argument: A) -> Future[R]:
        done: Future[R] = Future()
        done.set_result(job(argument))
        return done

    def close(self) -> None:
        pass


class ProcessWorkers:
    """So many processes on this machine."""

    def __init__(self, count: int) -> None:
        self.count, self.ahead = count, AHEAD * count
        self._free: queue.SimpleQueue[subprocess.Popen[bytes] | None] = queue.SimpleQueue()
        for _ in range(count):
            self._free.put(None)
        self._all: set[subprocess.Popen[bytes]] = set()
        self._threads = ThreadPoolExecutor(count, "worker")  # each waits for one process
        self._changing = threading.Lock()
        self._is_over = False

    def submit(self, job: Callable[[A], R], argument: A) -> Future[R]:
        return self._threads.submit(self._done, job, argument)

    def close(self) -> None:
        """End all of it, whatever it is doing."""
        with self._changing:
            self._is_over = True
            for process in self._all:
                process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._all:
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    pipe.close() if pipe else None

    def _done(self, job: Callable[[A], R], argument: A) -> R:
        process = self._free.get()
        try:
            if process is None or process.poll() is not None:
                process = self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            pickle.dump((job, argument), process.stdin, pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            fine, found = pickle.load(process.stdout)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
            if process is not None:
                process.kill()
            raise WorkerLost from error
        finally:
            self._free.put(process)
        if not fine:
            raise RuntimeError(f"a worker failed:\n{found}")
        return found

    def _started(self) -> subprocess.Popen[bytes]:
        with self._changing:
            if self._is_over:
                raise OSError("over")
            paths = [str(CODE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "footfall.library.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(paths)},
            )  # fmt: skip
            self._all.add(process)
            return process


def as_done(
    workers: Workers, job: Callable[[A], R], arguments: Sequence[A], lost: Callable[[A], R] | None = None
) -> Iterator[tuple[int, R]]:
    """(number, result) of each argument as soon as it is done. lost: the result where a worker ended over it."""
    waiting: dict[Future[R], int] = {}
    left = iter(enumerate(arguments))
    try:
        while True:
            while len(waiting) < workers.ahead and (following := next(left, None)) is not None:
                waiting[workers.submit(job, following[1])] = following[0]
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                number = waiting.pop(future)
                try:
                    yield number, future.result()
                except WorkerLost:
                    if lost is None:
                        raise
                    yield number, lost(arguments[number])
    finally:
        for future in waiting:
            future.cancel()


def in_order(
    workers: Workers, job: Callable[[A], R], arguments: Sequence[A], lost: Callable[[A], R] | None = None
) -> Iterator[R]:
    """The result of each argument, in the order of these."""
    held: dict[int, R] = {}
    turn = 0
    for number, result in as_done(workers, job, arguments, lost):
        held[number] = result
        while turn in held:
            yield held.pop(turn)
            turn += 1


def workers_for(things: int, jobs: int | None = None, alone: int = 1) -> Workers:
    """Processes for so many things, all cores' by default; so few as `alone` are done in this process."""
    count = min(core_count() if jobs is None else jobs, things)
    return ProcessWorkers(count) if count > 1 and things > alone else OwnProcess()
