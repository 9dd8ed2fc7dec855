"""Transitions: frame distances, time-warp, look-up tables and a transition by example, each against a plain way."""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

from footfall.align.distance import Clouds, CloudWindow, clouds, distances
from footfall.align.tables import LookupTables, build, describe, save
from footfall.align.time_warp import time_warp
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.joins.departure import Departure, leaving
from footfall.joins.transition import TransitionRequest, method
from footfall.motions.library import motion
from footfall_lab.bench._measure import Row, median_s
from footfall_lab.oracles.time_warp import plain_time_warp

FRAMES, JOINTS = 400, 25
DISTANCE_MS, WARP_MS, TRANSITION_US = 10.0, 5.0, 200.0
TABLE_MOTIONS, TABLE_FRAMES, TABLE_BYTES = 50, 200, 1_000_000
THESIS_S = (11.2, 68.9)  # Egbert's table of warp times for pairs of 116 to 378 frames, on a machine of 2005
CALLS = 50


def run() -> list[Row]:
    """Every figure of this benchmark."""
    return [*distance_rows(), *warp_rows(), *table_rows(), *by_example_rows()]


def distance_rows() -> list[Row]:
    """All pairs of frames of two clips."""
    a, b = (clouds(wandering(seed), CloudWindow(), dtype=np.float32) for seed in (0, 1))
    fast = median_s(lambda: distances(a, b))
    cells = 40
    plain = median_s(lambda: plain_distances(a, b, cells), repeats=3) * (FRAMES / cells) ** 2
    what = f"{FRAMES} x {FRAMES} frames, {JOINTS} joints, windows of {CloudWindow().samples}"
    value = f"{1e3 * fast:.1f} ms, {plain / fast:.0f} times as fast as a plain loop"
    return [Row(f"distance: {what}", value, f"at most {DISTANCE_MS:g} ms", 1e3 * fast <= DISTANCE_MS)]


def plain_distances(a: Clouds, b: Clouds, cells: int) -> np.ndarray:
    """The same, one pair of frames after the other."""
    p = a.floor.shape[1] // 2
    result = np.empty((cells, cells))
    for i in range(cells):
        for j in range(cells):
            x, z, u, v = a.floor[i, :p], a.floor[i, p:], b.floor[j, :p], b.floor[j, p:]
            turned = np.hypot(x @ u + z @ v, x @ v - z @ u)
            result[i, j] = a.square[i] + b.square[j] - 2.0 * (a.height[i] @ b.height[j]) - 2.0 * turned
    return np.maximum(result, 0.0)


def warp_rows() -> list[Row]:
    """The best path through such distances."""
    a, b = (clouds(wandering(seed), CloudWindow(), dtype=np.float32) for seed in (0, 1))
    d = distances(a, b)
    fast = median_s(lambda: time_warp(d), warm_up=2)
    plain = median_s(lambda: plain_time_warp(d), repeats=1, warm_up=0)
    low, high = THESIS_S
    value = f"{1e3 * fast:.1f} ms, {plain / fast:.0f} times as fast as plain numpy"
    return [
        Row(f"time-warp: {FRAMES} x {FRAMES}, exact", value, f"at most {WARP_MS:g} ms", 1e3 * fast <= WARP_MS),
        Row("the thesis's greedy warp of shorter clips, in 2005", f"{low:g} to {high:g} s"),
    ]


def table_rows() -> list[Row]:
    """Size of the tables of many motions, of any content."""
    rng = np.random.default_rng(0)
    loop = motion("walk").resample(60.0)
    motions = tuple(
        describe(loop.with_pose(loop.sample(np.arange(TABLE_FRAMES + 1) / 60.0), name=f"m{i}"), None)
        for i in range(TABLE_MOTIONS)
    )
    entries = {
        (i, j): np.sort(rng.integers(0, TABLE_FRAMES, TABLE_FRAMES)).astype(np.uint8)
        for i in range(TABLE_MOTIONS)
        for j in range(TABLE_MOTIONS)
        if i != j
    }
    tables = LookupTables(motions, entries)
    with tempfile.TemporaryDirectory() as folder:
        on_disk = save(tables, Path(folder, "tables.npz")).stat().st_size
    pair = motion("walk", speed=1.3), motion("run", speed=3.0)
    once = median_s(lambda: build([clip.with_pose(clip.pose) for clip in pair]), repeats=3)
    return [
        Row(
            f"look-up tables: {TABLE_MOTIONS} motions of {TABLE_FRAMES} frames, all pairs",
            f"{tables.nbytes / 1e3:.0f} kB in memory, {on_disk / 1e3:.0f} kB in a file",
            "at most 1 MB",
            max(tables.nbytes, on_disk) <= TABLE_BYTES,
        ),
        Row("building both entries of one pair (walk and run at 120 fps), clouds and all", f"{1e3 * once:.0f} ms"),
    ]


def by_example_rows() -> list[Row]:
    """One transition, its moment given and everything that can be kept being kept: processor time."""
    rows = []
    for fps, travelling in ((30.0, False), (60.0, False), (120.0, False), (60.0, True), (120.0, True)):
        pair = [motion(name, speed=speed).resample(fps) for name, speed in (("walk", 1.3), ("run", 3.0))]
        walk, run_ = (_with_positions(clip) for clip in pair) if travelling else pair
        departure = leaving(walk, round(0.5 * fps) / fps)
        us, plain = (
            1e6 * median_s(partial(_many, name, departure, run_), repeats=7, clock=time.process_time) / CALLS
            for name in ("by-example", "crossfade")
        )
        what = f"{len(walk.skeleton)} joints{' with places of their own' if travelling else ''}"
        rows.append(
            Row(
                f"by-example: walk to run, {fps:g} fps, {what}",
                f"{us:.0f} µs, {plain / us:.1f} times as fast as a crossfade",
                f"at most {TRANSITION_US:g} µs",
                us <= TRANSITION_US,
            )
        )
    return rows


def _with_positions(clip: Clip) -> Clip:
    """The clip with the places of its joints written out for every frame, as some files have them."""
    places = np.broadcast_to(clip.skeleton.offsets, (clip.frames, *clip.skeleton.offsets.shape))
    return clip.with_pose(clip.pose._replace(pos=np.array(places)))


def _many(name: str, departure: Departure, target: Clip) -> None:
    make = method(name).transition
    for _ in range(CALLS):
        make(departure, target, TransitionRequest(length_s=0.45, enter_s=0.3))


def wandering(seed: int) -> Clip:
    """A chain of joints that sways and drifts: any content will do."""
    rng = np.random.default_rng(seed)
    t = np.arange(FRAMES) / 60.0
    skeleton = Skeleton(
        tuple(f"j{j}" for j in range(JOINTS)),
        (np.arange(JOINTS) - 1) // 2,
        rng.normal(0, 0.2, (JOINTS, 3)),
    )
    waves = np.sin(rng.uniform(2, 6, (JOINTS, 3)) * t[:, None, None] + rng.uniform(0, 6, (JOINTS, 3)))
    root = np.stack([np.sin(t), 1.0 + 0.05 * np.sin(5 * t), 1.2 * t], axis=-1)
    return Clip(skeleton, 60.0, Pose(root, rotation.exp(0.5 * waves)), name=f"wandering {seed}")
