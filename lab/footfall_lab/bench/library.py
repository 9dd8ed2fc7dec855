"""Libraries of 100 and 1 000 clips: build, memory, disk, find, match, lint; `python -m` with a number for others."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
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
MOST_MB = 600.0  # of memory
GRAPH = 100  # clips: of more a graph is not built here


class CommandCost(NamedTuple):
    """What a command took."""

    wall_s: float
    cpu_s: float
    peak_mb: float  # of its largest process


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
    place = folder / "place"
    build = _cost("library", "build", takes, "--index", place)
    again = _cost("library", "build", takes, "--index", place)
    disk = sum(path.stat().st_size for path in place.iterdir()) / 1e6
    found = {
        "find": _cost("find", "kick@0.5", takes, "--index", place),
        "match": _cost("match", "walk:cycles=3", takes, "--index", place),
        "lint": _cost("lint", "--json", takes, "--index", place),
    }
    cores = build.cpu_s / build.wall_s
    peak = max(cost.peak_mb for cost in (build, again, *found.values()))
    rows = [
        Row(f"{size} clips: library build", _said(build), "", None),
        Row(f"{size} clips: cores used", f"{cores:.2f}", "1.7 of 2, on a machine that does nothing else"),
        Row(f"{size} clips: unchanged", _said(again), "", None),
        Row(f"{size} clips: disk", f"{disk:.1f} MB, {1e3 * disk / size:.0f} kB a clip"),
        Row(f"{size} clips: largest process", f"{peak:.0f} MB", f"at most {MOST_MB:.0f} MB", peak <= MOST_MB),
        *(Row(f"{size} clips: {name}", _said(cost)) for name, cost in found.items()),
    ]
    if size <= GRAPH:
        graph = _cost("graph", "build", takes, "-o", folder / "a.graph")
        rows.append(Row(f"{size} clips: graph build", _said(graph)))
    return rows


def _said(cost: CommandCost) -> str:
    return f"{cost.wall_s:.1f} s, {cost.cpu_s:.1f} s of processor time"


def _cost(*args: object) -> CommandCost:
    """Run a command as a person does."""
    import time

    start = time.perf_counter()
    command = [sys.executable, "-m", "footfall", *map(str, args)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return CommandCost(time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024.0)


if __name__ == "__main__":
    for row in run([int(arg) for arg in sys.argv[1:]] or SIZES):
        print(f"{row.what:32} {row.value}")
