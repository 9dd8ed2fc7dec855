"""How benchmarks measure: medians of repeated runs, a calibration kernel, peak memory of a child process."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Row(NamedTuple):
    """One measured figure; `limit` says what it should be, in words, and `ok` whether it is."""

    what: str
    value: str
    limit: str = ""
    ok: bool | None = None


def median_s(
    job: Callable[[], object], repeats: int = 5, warm_up: int = 1, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Median seconds of a job, after warming up: of the wall clock, or of another clock."""
    for _ in range(warm_up):
        job()
    times = []
    for _ in range(repeats):
        start = clock()
        job()
        times.append(clock() - start)
    return float(np.median(times))


def calibration_s() -> float:
    """Time of a fixed piece of numpy work: tells readers of absolute times how fast the machine was."""
    a = np.random.default_rng(0).normal(size=(400, 400))
    b = np.linspace(0.0, 1.0, 1_000_000)

    def work() -> None:
        np.linalg.norm(a @ a)
        np.sin(b).sum()

    return median_s(work, repeats=9)


def peak_memory_mb(code: str) -> float:
    """Peak resident memory, in MB, of a fresh Python that runs the code (Linux; rusage would count its parent's)."""
    report = "\nprint([line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')][0])"
    done = subprocess.run([sys.executable, "-c", code + report], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1]) / 1024.0


def start_up_s(code: str, repeats: int = 5) -> float:
    """Median seconds of a fresh Python process that runs the code."""
    return median_s(lambda: subprocess.run([sys.executable, "-c", code], check=True, capture_output=True), repeats)
