"""Live characters: microseconds a frame, against numpy, a plain compiled loop and what the machine can do.

Times are the least of many short runs, in CPU time of this thread: on a machine that does other things as well,
anything longer is those other things. Ratios are to baselines measured in the same run.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import world_positions
from footfall.parametric.builtin_sets import parametric_set
from footfall.parametric.parametric_motion import ParametricMotion, with_weights
from footfall_lab.bench._measure import Row
from footfall_lab.oracles import plain_frame

if TYPE_CHECKING:
    from footfall.parametric.packed import Crowd, PackedGraph

CHARACTERS, EXAMPLES, JOINTS = 1000, 20, 24
SIZES = (5, 10, 15, 20)  # examples
DT = 1.0 / 60.0
ONE_US, EACH_US, SAMPLED_US, COMPILED_S = 30.0, 4.5, 2.5, 15.0  # limits
STRAIGHT = 0.1  # most that a time may be off the line through all sizes
REPEATS = 100
CHAIN = 16  # multiply-adds, each waiting for the one before


def run() -> list[Row]:
    """Every figure of this benchmark."""
    from footfall.parametric.packing import pack
    from footfall_lab.oracles.character import pose, step

    motion = example_motion(EXAMPLES)
    packed = pack([motion])
    body = f"{EXAMPLES} examples × {JOINTS} joints"
    one, many = example_crowd(packed, motion, 1), example_crowd(packed, motion, CHARACTERS)
    alone = least_us(lambda: step(packed, one, DT), 200)
    each = least_us(lambda: step(packed, many, DT)) / CHARACTERS
    sampled = least_us(lambda: pose(packed, many, DT, lock=False)) / CHARACTERS
    rows = [
        Row(f"whole frame of one character, {body}, through Python", f"{alone:.1f} µs", *limit(alone, ONE_US)),
        Row(f"whole frame of a character among {CHARACTERS}, one thread", f"{each:.2f} µs", *limit(each, EACH_US)),
        Row("of that sampling, blending and places of joints", f"{sampled:.2f} µs", *limit(sampled, SAMPLED_US)),
    ]
    rows += baselines(packed, motion, many, each, sampled)
    rows += against_machine(packed, many)
    rows += by_examples()
    rows += compiling(packed)
    rows.append(Row("memory of the tables", f"{packed.nbytes / 1e6:.2f} MB"))
    return rows


def limit(value: float, most: float, unit: str = "µs") -> tuple[str, bool]:
    """What a row says of its limit."""
    return f"at most {most:g} {unit}", value <= most


def least_us(job: Callable[[], object], calls: int = 1, repeats: int = REPEATS, warm_up: int = 3) -> float:
    """Least CPU time of a call, microseconds."""
    for _ in range(warm_up):
        job()
    best = np.inf
    for _ in range(repeats):
        start = time.thread_time()
        for _ in range(calls):
            job()
        best = min(best, time.thread_time() - start)
    return 1e6 * best / calls


# --- what is measured -------------------------------------------------------------------------------------------------


@cache
def example_motion(count: int) -> ParametricMotion:
    """The first examples of the built-in locomotion set, on a body with a finger on each hand: 24 joints."""
    whole = parametric_set("locomotion")
    skeleton = whole.skeleton
    hands = skeleton.indices(("LeftHand", "RightHand"))
    more = Skeleton(
        names=(*skeleton.names, "LeftFinger", "RightFinger"),
        parents=np.concatenate([skeleton.parents, hands]),
        offsets=np.vstack([skeleton.offsets, [[0.08, 0.0, 0.0], [-0.08, 0.0, 0.0]]]),
    )
    some = slice(0, count)
    mean = np.concatenate([whole.mean, whole.mean[:, hands]], axis=1)
    vectors = np.concatenate([whole.vectors, whole.vectors[:, :, hands]], axis=2)
    motion = replace(
        whole,
        skeleton=more,
        examples=whole.examples[some],
        parameters=whole.parameters[some],
        key_times=whole.key_times[some],
        mean=mean,
        vectors=vectors[:, some],
        root=whole.root[:, some],
        travel=whole.travel[:, some],
        pelvis=whole.pelvis[some],
        contacts={part: spans[some] for part, spans in whole.contacts.items()},
        fitted=None,
    )
    return with_weights(motion)


def example_crowd(packed: PackedGraph, motion: ParametricMotion, count: int) -> Crowd:
    """Characters at moments and with requests of their own, after a second of walking."""
    from footfall_lab.oracles.character import crowd, step

    rng = np.random.default_rng(0)
    here = crowd(packed, count)
    low, high = motion.parameters.min(axis=0), motion.parameters.max(axis=0)
    here.wanted[:, 0, : len(low)] = rng.uniform(low + 0.2 * (high - low), high - 0.2 * (high - low), (count, len(low)))
    here.t[:] = rng.random((count, 1))
    here.root[:, 2] = rng.uniform(-3.0, 3.0, count)
    for _ in range(60):
        step(packed, here, DT)
    return here


# --- against what else could be done ----------------------------------------------------------------------------------


def baselines(packed: PackedGraph, motion: ParametricMotion, many: Crowd, each: float, sampled: float) -> list[Row]:
    """The same in numpy, and by the plain compiled loop over float64."""
    from footfall.parametric.blend_kernels import blend_poses
    from footfall_lab.oracles.character import crowd

    weights, t = many.weights[:, 0, : len(motion)].astype(float), many.t[:, 0].copy()

    def in_numpy() -> None:
        pose = motion.local_pose(t, weights)
        world_positions(motion.skeleton, Pose(pose.root_pos, pose.rot))

    numpy_us = least_us(in_numpy, repeats=5) / CHARACTERS
    twin = crowd(packed, 1)
    twin.wanted[0, 0], twin.t[0] = many.wanted[0, 0], many.t[0]
    twin_us = least_us(lambda: plain_frame.step(packed, [motion], twin, DT), 5, repeats=5)
    rot, root = np.empty((CHARACTERS, JOINTS, 4)), np.empty((CHARACTERS, 3))
    loop_us = (
        least_us(lambda: blend_poses(t, weights, motion.mean, motion.vectors, motion.root, rot, root)) / CHARACTERS
    )
    ours_us = least_us(lambda: blend_all(packed, many)) / CHARACTERS
    return [
        Row("numpy, sampling, blending and places, the same batch", f"{numpy_us:.0f} µs", "", None),
        Row("numpy over ours", f"{numpy_us / sampled:.0f} ×"),
        Row("readable twin, whole frame of one character", f"{twin_us:.0f} µs"),
        Row("twin over ours in the batch", f"{twin_us / each:.0f} ×"),
        Row("plain compiled loop (float64, joints outermost), sampling and blending", f"{loop_us:.2f} µs"),
        Row("ours, sampling and blending", f"{ours_us:.2f} µs"),
        Row("plain compiled loop over ours", f"{loop_us / ours_us:.1f} ×"),
    ]


def blend_all(packed: PackedGraph, many: Crowd) -> None:
    """Sampling and blending alone."""
    t = packed.tables
    _kernels()["blend"](
        t.rows, t.mean, t.first_row, t.first_mean, t.count, t.cells, many.motion, many.t, many.weights, many.share,
        many.row, many.factors, many.turns,
    )  # fmt: skip


@cache
def _kernels() -> dict[str, Any]:
    """Loops that are only of use here."""
    from footfall.core.kernels import LOOSE, kernel
    from footfall.live.frame import blend_one

    def blend(rows: Any, mean: Any, first_row: Any, first_mean: Any, counts: Any, cells: Any, motion: Any, t: Any,
              weights: Any, share: Any, row: Any, factors: Any, turns: Any) -> None:  # fmt: skip
        for n in range(len(share)):
            blend_one(rows, mean, first_row, first_mean, counts, cells, motion[n], t[n], weights[n], share[n], row,
                      factors, turns)  # fmt: skip

    def triad(a: Any, b: Any, c: Any, s: Any) -> None:
        for i in range(len(a)):
            a[i] = b[i] + s * c[i]

    def fma(x: Any, s: Any, rounds: int) -> None:
        for _ in range(rounds):
            for i in range(len(x)):
                v = x[i]
                for _ in range(CHAIN):
                    v = v * s + s
                x[i] = v

    return {
        "blend": kernel(blend, _nrt=False),
        "triad": kernel(triad, fastmath=LOOSE),
        "fma": kernel(fma, fastmath=LOOSE),
    }


# --- against what the machine can do ----------------------------------------------------------------------------------


def against_machine(packed: PackedGraph, many: Crowd) -> list[Row]:
    """Shares of the measured peak of multiply-adds and of the measured bandwidth at the size of the tables."""
    x = np.ones(512, np.float32)
    rounds = 200
    peak = CHAIN * len(x) * rounds / least_us(lambda: _kernels()["fma"](x, np.float32(0.5), rounds)) / 1e3  # G a second
    near = bandwidth(packed.nbytes)
    far = bandwidth(192 << 20, repeats=8)
    us = least_us(lambda: blend_all(packed, many)) / CHARACTERS
    t = packed.tables
    joints, width, count = t.mean.shape[2], t.rows.shape[1], int(t.count[0])
    sums = 2 * count * width + 60 * joints  # multiply-adds: of rows; interpolation, series and product of a joint
    read = 4 * (2 * count * width + 2 * 4 * joints)
    return [
        Row("peak of multiply-adds, float32, one thread", f"{peak:.1f} G/s"),
        Row(f"sampling and blending: {sums} multiply-adds, share of the peak", f"{100 * sums / us / 1e3 / peak:.0f} %"),
        Row(f"bandwidth of a triad as large as the tables ({packed.nbytes / 1e6:.1f} MB)", f"{near:.0f} GB/s"),
        Row("of a triad of 192 MB", f"{far:.0f} GB/s"),
        Row(f"sampling and blending: {read} bytes read, share of the first", f"{100 * read / us / 1e3 / near:.0f} %"),
    ]


def bandwidth(size: int, repeats: int = REPEATS) -> float:
    """GB/s of a = b + s c over three float32 arrays of this size together."""
    a, b, c = np.zeros((3, size // 12), np.float32)
    us = least_us(lambda: _kernels()["triad"](a, b, c, np.float32(0.5)), repeats=repeats)
    return 3 * a.nbytes / us / 1e3


def by_examples() -> list[Row]:
    """Cost against the number of examples, and how straight the line is."""
    from footfall.parametric.packing import pack
    from footfall_lab.oracles.character import step

    motions = [example_motion(count) for count in SIZES]
    ready = [(packed, example_crowd(packed, m, CHARACTERS)) for m in motions for packed in [pack([m])]]
    rounds = []
    for _ in range(REPEATS):  # in turn, so that whatever else the machine does meets all
        whole = [least_us(partial(step, *each, DT), repeats=1, warm_up=0) for each in ready]
        rounds.append([whole, [least_us(partial(blend_all, *each), repeats=1, warm_up=0) for each in ready]])
    times, blends = np.min(rounds, axis=0) / CHARACTERS
    line = np.polyfit(SIZES, times, 1)
    off = float(np.abs(np.polyval(line, SIZES) / times - 1.0).max())
    cells = [(" … ".join(f"{t:.2f}" for t in found)) for found in (times, blends)]
    return [
        Row(f"whole frame with {', '.join(map(str, SIZES))} examples", f"{cells[0]} µs"),
        Row("of that sampling and blending", f"{cells[1]} µs"),
        Row(
            f"an example costs {1e3 * line[0]:.0f} ns; farthest from a straight line",
            f"{100 * off:.1f} %",
            f"at most {100 * STRAIGHT:g} %",
            off <= STRAIGHT,
        ),
    ]


# --- compiling --------------------------------------------------------------------------------------------------------

FRESH = """
import pickle, sys, time
packed = pickle.load(open(sys.argv[1], "rb"))
start = time.process_time()
import numpy as np
from footfall_lab.oracles.character import advance, crowd, step, travel, weights_of
step(packed, crowd(packed, 1), 0.02)
zero = np.zeros(1)
w = weights_of(packed, zero, np.zeros((1, 1)))
travel(packed, zero, *advance(packed, zero, zero, w, 0.1)[:1] * 2, zero, w)
print(time.process_time() - start)
"""


def compiling(packed: PackedGraph) -> list[Row]:
    """CPU seconds of the first frame of a fresh process: nothing cached, then everything."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "packed.pickle"
        file.write_bytes(pickle.dumps(packed))
        env = {**os.environ, "NUMBA_CACHE_DIR": folder}
        cold, warm = (
            float(
                subprocess.run(
                    [sys.executable, "-c", FRESH, str(file)], env=env, check=True, capture_output=True, text=True
                ).stdout
            )
            for _ in range(2)
        )
    return [
        Row("compiling all kernels, CPU time, import of the compiler included", f"{cold:.1f} s",
            *limit(cold, COMPILED_S, "s")),
        Row("the same from the cache on disk", f"{warm:.2f} s"),
    ]  # fmt: skip
