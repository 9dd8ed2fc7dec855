"""Libraries of 100 and 1 000 clips: build, memory, disk, find, match, lint, graph; `python -m` with a number for more.

All commands are given the same cache, so that they share one index as they do for a person.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError
from footfall.io.folder import motion_files
from footfall.io.load import load_all
from footfall.io.save import save
from footfall.motions.library import motion, motion_names
from footfall_lab.bench._measure import Row

SIZES = (100, 1000)
LENGTH_S = (2.0, 4.0)  # of a synthetic clip
RETIMED = (0.8, 1.25)
MOST_MB = 600.0  # of memory, a command and its workers together
LOOK_S = 0.5  # between two looks at the memory


class CommandCost(NamedTuple):
    """What a command took."""

    wall_s: float
    cpu_s: float
    peak_mb: float  # of its largest process
    all_mb: float  # of all its processes together at any moment, what they share counted once; 0 but on Linux

    @property
    def cores(self) -> float:
        """Cores it used on average."""
        return self.cpu_s / self.wall_s


def run(sizes: Sequence[int] = SIZES, captures: Path | None = None) -> list[Row]:
    """Every figure of this benchmark; clips are made of the built-in motions, and of captures where given."""
    given = os.environ.get("FOOTFALL_MOCAP")
    captures = captures or (Path(given) if given else None)
    rows: list[Row] = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            takes = Path(folder) / "takes"
            make_clips(takes, size, captures)
            rows += _measured(takes, Path(folder), size)
    return rows


def make_clips(folder: Path, count: int, captures: Path | None = None, seed: int = 0) -> None:
    """A synthetic library: trimmed, mirrored and retimed stretches of built-in motions and captures."""
    rng = np.random.default_rng(seed)
    base = list(_base(captures))
    for k in range(count):
        clip = base[int(rng.integers(len(base)))]
        length = rng.uniform(*LENGTH_S)
        start = rng.uniform(0.0, max(clip.duration - length, 0.0))
        made = clip.trim(start, min(start + length, clip.duration)).speed(float(rng.uniform(*RETIMED)))
        made = made.mirror() if rng.random() < 0.5 else made
        save(made, folder / f"{k // 500:02}" / f"{k:05}.npz")


def _base(captures: Path | None) -> Iterator[Clip]:
    for name in motion_names():
        yield motion(name, **({"cycles": 4} if name in ("walk", "run") else {}))
    for path in motion_files(captures) if captures else ():
        try:
            clips = load_all(path)
        except FootfallError:
            continue
        yield from (clip.resample(min(clip.fps, 60.0)) for clip in clips if 30 <= clip.frames < 20_000)


def _measured(takes: Path, folder: Path, size: int) -> list[Row]:
    cache = folder / "cache"

    def cost(*args: object) -> CommandCost:
        return command_cost(args, cache)

    build, again = cost("library", "build", takes), cost("library", "build", takes)
    disk = sum(path.stat().st_size for path in (cache / "libraries").rglob("*") if path.is_file()) / 1e6
    found = {
        "find": cost("find", "kick@0.5", takes),
        "match": cost("match", "walk:cycles=3", takes),
        "lint": cost("lint", "--json", takes),
        "graph build": cost("graph", "build", takes, "-o", folder / "a.graph"),
    }
    every = (build, again, *found.values())
    peak, together = max(one.peak_mb for one in every), max(one.all_mb for one in every)
    return [
        Row(f"{size} clips: library build", _said(build), "", None),
        Row(f"{size} clips: cores used", f"{build.cores:.2f}", "1.7 of 2, on a machine that does nothing else"),
        Row(f"{size} clips: unchanged", _said(again), "", None),
        Row(f"{size} clips: disk", f"{disk:.1f} MB, {1e3 * disk / size:.0f} kB a clip"),
        Row(f"{size} clips: largest process", f"{peak:.0f} MB"),
        Row(f"{size} clips: all processes", f"{together:.0f} MB", f"at most {MOST_MB:.0f} MB", together <= MOST_MB),
        *(Row(f"{size} clips: {name}", _said(one)) for name, one in found.items()),
    ]


def _said(cost: CommandCost) -> str:
    memory = f", {cost.all_mb:.0f} MB" if cost.all_mb else ""
    return f"{cost.wall_s:.1f} s, {cost.cpu_s:.1f} s of processor time{memory}"


def command_cost(args: Sequence[object], cache: Path) -> CommandCost:
    """Run a command as a person does."""
    start, together = time.perf_counter(), 0.0
    command = [sys.executable, "-m", "footfall", *map(str, args)]
    env = {**os.environ, "FOOTFALL_CACHE": str(cache)}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)
    assert process.stderr is not None
    os.set_blocking(process.stderr.fileno(), False)
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        together = max(together, _memory_mb(process.pid))
        process.stderr.read()
        time.sleep(min(LOOK_S, 0.02 + 0.1 * (time.perf_counter() - start)))
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):  # 3: some files could not be used
        raise RuntimeError(f"footfall {' '.join(map(str, args))} came to {process.returncode}")
    wall_s = time.perf_counter() - start
    return CommandCost(wall_s, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024.0, together)


def _memory_mb(pid: int) -> float:
    """Memory of a process and all below it, pages that several of them map shared out among them."""
    try:
        told = Path(f"/proc/{pid}/smaps_rollup").read_text()
        own = next(float(line.split()[1]) for line in told.splitlines() if line.startswith("Pss:")) / 1024.0
        below = [
            child for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
        ]
    except (OSError, StopIteration):  # it has just ended, or this is no Linux
        return 0.0
    return own + sum(_memory_mb(int(child)) for child in below)


if __name__ == "__main__":
    for row in run([int(arg) for arg in sys.argv[1:]] or SIZES):
        print(f"{row.what:32} {row.value}")
