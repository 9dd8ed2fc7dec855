"""Live characters: microseconds a step of `Controller` and `Controllers`, and of the kernels under them.

The first rows are what a program pays that calls `hero.step(...)` or `Controllers.step(...)`: requests, decisions,
weights, clock, pose and foot lock, and the pose handed back. Rows that say "kernel alone" are parts of it, beside what
else could do the same work. Steps of one character are medians of CPU time, crowds of wall-clock and CPU time, kernels
the least CPU time of many runs. Ratios are of figures measured in the same run.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.graph.graph import Graph
from footfall.kinematics.fk import world_positions
from footfall.parametric.builtin_sets import parametric_set
from footfall.parametric.parametric_motion import ParametricMotion, with_weights
from footfall_lab.bench._measure import Row
from footfall_lab.oracles import plain_blend, plain_frame

if TYPE_CHECKING:
    from footfall.live.characters import LiveCharacters
    from footfall.parametric.packed import MotionTables

DT = 1.0 / 60.0
# --- steps of the product ---
RUNS, FEW_RUNS, STEPS = 41, 9, 180  # runs whose median is taken, of long ones, and steps of a run of one character
CHANGE_EVERY_S = 1.5  # between changes of type of one character
CROWD_CHANGE_S = 3.0  # and on average of each of a crowd
TYPES = (("walk", 1.3, 10.0), ("run", 3.0, -10.0), ("walk", 1.7, 20.0), ("stand", 0.0, 0.0))  # m/s, °/s
CROWDS = (100, 1000, 10_000, 100_000)
WANTED = 10_000  # characters that are to be stepped
WANTED_HZ = 60.0  # so often a second
CROWD_FRAMES = {100: 240, 1000: 120, 10_000: 60, 100_000: 12}
STEADY_US, VARYING_US, CHANGING_US = 10.0, 10.0, 15.0  # limits of a step of one character
ROW_BYTES = 2048
# --- kernels alone ---
CHARACTERS, EXAMPLES, JOINTS = 1000, 20, 24
SIZES = (5, 10, 15, 20)  # examples
FRAME_US, COMPILED_S = 1.5, 45.0  # limits
STRAIGHT = 0.1  # most that a time may be off the line through all sizes
REPEATS = 100
CHAIN = 16  # multiply-adds, each waiting for the one before


def run() -> list[Row]:
    """Every figure of this benchmark."""
    from footfall.graph.build.open_graph import graph

    rows = [Row("load of the machine while this ran (processes over cores)", load())]
    rows += steps(graph("builtin"))
    rows += kernels()
    rows += compiling()
    return rows


def load() -> str:
    """How busy the machine is: figures of a busy one are larger."""
    return f"{os.getloadavg()[0]:.1f} over {os.cpu_count()}"


def limit(value: float, most: float, unit: str = "µs") -> tuple[str, bool]:
    """What a row says of its limit."""
    return f"at most {most:g} {unit}", value <= most


# --- steps of the product ---------------------------------------------------------------------------------------------


def steps(graph: Graph) -> list[Row]:
    """One character in three ways, and crowds whose commands vary at every frame and whose types change."""
    one = {
        "with the same command": (one_us(graph, _steady), STEADY_US),
        "with speed and turn varying every frame": (one_us(graph, _varying), VARYING_US),
        f"with the type changing every {CHANGE_EVERY_S:g} s": (one_us(graph, _changing), CHANGING_US),
    }
    rows = [Row(f"hero.step {how}", f"{us:.1f} µs", *limit(us, most)) for how, (us, most) in one.items()]
    what = f"own speed and turn every frame, another type every {CROWD_CHANGE_S:g} s on average"
    for count in CROWDS:
        for threads in (1, 2):
            wall, cpu = crowd_s(graph, count, threads)
            told = f"Controllers.step of {count} characters on {threads} {'core' if threads == 1 else 'cores'}, {what}"
            hz = f"{1.0 / wall:.0f} steps a second, {1e6 * cpu / count:.2f} µs of CPU each"
            is_wanted = count == WANTED and threads == 2
            rows.append(Row(told, hz, *((f"at least {WANTED_HZ:g}", 1.0 / wall >= WANTED_HZ) if is_wanted else ())))
    size = row_bytes(graph)
    rows.append(Row("state of a character", f"{size} bytes", f"at most {ROW_BYTES}", size <= ROW_BYTES))
    return rows


def row_bytes(graph: Graph) -> int:
    """Bytes of one row."""
    from footfall.live.controller import Controllers

    return Controllers(graph, [(0.0, 0.0, 0.0)]).row_bytes


def _steady(k: int) -> dict[str, Any]:
    return {"type": "walk", "speed": 1.4, "turn": 10.0}


def _varying(k: int) -> dict[str, Any]:
    return {"type": "walk", "speed": 1.3 + 0.3 * math.sin(0.05 * k), "turn": 20.0 * math.sin(0.03 * k)}


def _changing(k: int) -> dict[str, Any]:
    kind, speed, turn = TYPES[int(k * DT / CHANGE_EVERY_S) % len(TYPES)]
    return {"type": kind, "speed": speed, "turn": turn}


def one_us(graph: Graph, commands: Callable[[int], dict[str, Any]]) -> float:
    """Median CPU microseconds of a step of one character, whose commands are made beforehand."""
    from footfall.live.controller import Controller

    hero = Controller(graph)
    rounds = round(len(TYPES) * CHANGE_EVERY_S / DT) if commands is _changing else STEPS
    asked = [commands(k) for k in range(rounds)]
    for given in [*asked, *asked[:STEPS]]:
        hero.step(DT, **given)
    found = []
    for _ in range(RUNS if rounds == STEPS else FEW_RUNS):
        start = time.thread_time()
        for given in asked:
            hero.step(DT, **given)
        found.append((time.thread_time() - start) / rounds)
    return 1e6 * float(np.median(found))


def crowd_s(graph: Graph, count: int, threads: int) -> tuple[float, float]:
    """Median wall-clock and CPU seconds of a step of a crowd, every character by commands of its own."""
    from footfall.live.controller import Controllers

    rng = np.random.default_rng(0)
    many = Controllers(graph, rng.uniform(-50.0, 50.0, (count, 3)), type="walk", threads=threads)
    types = np.array([many.types.index(name) for name in ("stand", "walk", "run")])
    kinds, speed, phase = rng.choice(types, count), rng.uniform(0.9, 3.0, count), rng.uniform(0.0, 6.0, count)
    frames = CROWD_FRAMES[count]
    walls, cpus = [], []
    for k in range(2 * frames):
        change = rng.random(count) < DT / CROWD_CHANGE_S
        kinds[change] = rng.choice(types, int(change.sum()))
        asked = speed + 0.2 * np.sin(0.1 * k + phase), 25.0 * np.cos(0.07 * k + phase)
        wall, cpu = time.perf_counter(), time.process_time()
        many.step(DT, type=kinds, speed=asked[0], turn=asked[1])
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return float(np.median(walls[frames:])), float(np.median(cpus[frames:]))


# --- kernels alone ----------------------------------------------------------------------------------------------------


def kernels() -> list[Row]:
    """The frame kernel by itself and its parts, against numpy, a plain compiled loop and what the machine can do."""
    from footfall.live.frame import advance_rows, pose_rows, step_rows

    motion = example_motion(EXAMPLES)
    live = walkers(motion, CHARACTERS)
    body = f"{EXAMPLES} examples × {JOINTS} joints, {CHARACTERS} characters"
    span, shown = (live.handles[0], 0, CHARACTERS), live.shown
    whole = least_us(lambda: step_rows(*span, shown, DT, True)) / CHARACTERS
    clock = least_us(lambda: advance_rows(*span, DT)) / CHARACTERS
    bare = least_us(lambda: pose_rows(*span, shown, DT, False)) / CHARACTERS
    posed = least_us(lambda: pose_rows(*span, shown, DT, True)) / CHARACTERS
    blended = least_us(lambda: _loops()["blend"](*span)) / CHARACTERS
    rows = [
        Row(f"kernel alone: whole frame, {body}, each", f"{whole:.2f} µs", *limit(whole, FRAME_US)),
        Row("of that parameters, weights, clock and root", f"{clock:.2f} µs"),
        Row("of that sampling and blending", f"{blended:.2f} µs"),
        Row("of that forward kinematics and writing the pose", f"{bare - blended:.2f} µs"),
        Row("of that foot lock", f"{posed - bare:.2f} µs"),
    ]
    rows += baselines(motion, live, whole, blended)
    rows += against_machine(live.playable.tables, blended)
    rows += by_examples()
    rows.append(Row("memory of the tables", f"{live.playable.tables.nbytes / 1e6:.2f} MB"))
    return rows


def walkers(motion: ParametricMotion, count: int) -> LiveCharacters:
    """Characters of a graph of this motion alone, at moments and with requests of their own, after a second."""
    from footfall.graph.graph import Graph as MotionGraph
    from footfall.graph.graph import Node
    from footfall.live.characters import LiveCharacters as Live

    rng = np.random.default_rng(0)
    graph = MotionGraph("bench", {motion.name: Node(motion)}, {})
    live = Live(graph, [(None, 0.0, 0.0, h) for h in rng.uniform(-3.0, 3.0, count)], True)
    low, high = motion.parameters.min(axis=0), motion.parameters.max(axis=0)
    live.rows.asked[:, : len(low)] = rng.uniform(low + 0.2 * (high - low), high - 0.2 * (high - low), (count, len(low)))
    live.rows.t[:] = rng.random((count, 1))
    for _ in range(60):
        live.step(DT)
    return live


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


# --- against what else could be done ----------------------------------------------------------------------------------


def baselines(motion: ParametricMotion, live: LiveCharacters, whole: float, blended: float) -> list[Row]:
    """The same in numpy, whole frame and parts, and by the plain compiled loop over float64."""
    from footfall.parametric.blend_kernels import blend_rotations, blend_rows
    from footfall_lab.oracles.character import crowd, pack

    weights, t = live.rows.weights[:, 0, : len(motion)].astype(float), live.rows.t[:, 0].copy()

    def in_numpy() -> None:
        pose = plain_blend.local_pose(motion, t, weights)
        world_positions(motion.skeleton, Pose(pose.root_pos, pose.rot))

    numpy_us = least_us(in_numpy, repeats=5) / CHARACTERS
    packed = pack([motion])
    twin = crowd(packed, 1)
    twin.wanted[0, 0], twin.t[0] = live.rows.p[0, 0], live.rows.t[0]
    twin_us = least_us(lambda: plain_frame.step(packed, [motion], twin, DT), 5, repeats=5)
    rot, root = np.empty((CHARACTERS, JOINTS, 4)), np.empty((CHARACTERS, 3))

    def in_a_plain_loop() -> None:
        blend_rotations(t, weights, motion.mean, motion.vectors, rot)
        blend_rows(t, weights, motion.root, root)

    loop_us = least_us(in_a_plain_loop, repeats=10) / CHARACTERS
    return [
        Row("plain numpy, whole frame of one character, over the kernel's", f"{twin_us / whole:.0f} ×"),
        Row("vectorised numpy, sampling, blending and places only, over the kernel's whole frame",
            f"{numpy_us / whole:.0f} ×"),
        Row("plain compiled loop (float64, joints outermost), sampling and blending", f"{loop_us:.2f} µs"),
        Row("plain compiled loop over the kernel, sampling and blending", f"{loop_us / blended:.1f} ×"),
    ]  # fmt: skip


@cache
def _loops() -> dict[str, Any]:
    """Loops that are only of use here."""
    from footfall.core.kernels import LOOSE, kernel
    from footfall.live.layers import blend_one

    def blend(handle: Any, first: int, last: int) -> None:
        for n in range(first, last):
            blend_one(handle, n, 0.0)

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


def against_machine(t: MotionTables, us: float) -> list[Row]:
    """Shares of the measured peak of multiply-adds and of the measured bandwidth at the size of the tables."""
    x = np.ones(512, np.float32)
    rounds = 200
    peak = CHAIN * len(x) * rounds / least_us(lambda: _loops()["fma"](x, np.float32(0.5), rounds)) / 1e3  # G a second
    near = bandwidth(t.nbytes)
    far = bandwidth(192 << 20, repeats=8)
    joints, width, count = t.mean.shape[2], t.rows.shape[1], int(t.count[0])
    sums = 2 * count * width + 60 * joints  # multiply-adds: of rows; interpolation, series and product of a joint
    read = 4 * (2 * count * width + 2 * 4 * joints)
    return [
        Row("peak of multiply-adds, float32, one thread", f"{peak:.1f} G/s"),
        Row(f"sampling and blending: {sums} multiply-adds, share of the peak", f"{100 * sums / us / 1e3 / peak:.0f} %"),
        Row(f"bandwidth of a triad as large as the tables ({t.nbytes / 1e6:.1f} MB)", f"{near:.0f} GB/s"),
        Row("of a triad of 192 MB", f"{far:.0f} GB/s"),
        Row(f"sampling and blending: {read} bytes read, share of the first", f"{100 * read / us / 1e3 / near:.0f} %"),
    ]


def bandwidth(size: int, repeats: int = REPEATS) -> float:
    """GB/s of a = b + s c over three float32 arrays of this size together."""
    a, b, c = np.zeros((3, size // 12), np.float32)
    us = least_us(lambda: _loops()["triad"](a, b, c, np.float32(0.5)), repeats=repeats)
    return 3 * a.nbytes / us / 1e3


def by_examples() -> list[Row]:
    """Cost against the number of examples, and how straight the line is."""
    from footfall.live.frame import step_rows

    ready = [walkers(example_motion(count), CHARACTERS) for count in SIZES]
    rounds = []
    for _ in range(REPEATS):  # in turn, so that whatever else the machine does meets all
        whole = [least_us(partial(step_rows, x.handles[0], 0, CHARACTERS, x.shown, DT, True), repeats=1, warm_up=0)
                 for x in ready]  # fmt: skip
        parts = [least_us(partial(_loops()["blend"], x.handles[0], 0, CHARACTERS), repeats=1, warm_up=0) for x in ready]
        rounds.append([whole, parts])
    times, blends = np.min(rounds, axis=0) / CHARACTERS
    line = np.polyfit(SIZES, times, 1)
    off = float(np.abs(np.polyval(line, SIZES) / times - 1.0).max())
    cells = [_dotted(found) for found in (times, blends)]
    return [
        Row(f"kernel alone: whole frame with {', '.join(map(str, SIZES))} examples", f"{cells[0]} µs"),
        Row("of that sampling and blending", f"{cells[1]} µs"),
        Row(
            f"an example costs {1e3 * line[0]:.0f} ns; farthest from a straight line",
            f"{100 * off:.1f} %",
            f"at most {100 * STRAIGHT:g} %",
            off <= STRAIGHT,
        ),
    ]


def _dotted(values: Sequence[float] | np.ndarray) -> str:
    return " … ".join(f"{value:.2f}" for value in values)


# --- compiling --------------------------------------------------------------------------------------------------------

FRESH = """
import sys, time
import footfall as ff
graph = ff.graph("builtin")
start = time.process_time()
hero = ff.Controller(graph)
for kind in ("walk", "stand"):
    hero.step(0.02, type=kind, urgent=True)
print(time.process_time() - start)
"""


def compiling() -> list[Row]:
    """CPU seconds of the first steps of a fresh process: nothing cached, then everything."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "NUMBA_CACHE_DIR": folder}
        cold, warm = (
            float(
                subprocess.run(
                    [sys.executable, "-c", FRESH], env=env, check=True, capture_output=True, text=True
                ).stdout
            )
            for _ in range(2)
        )
    return [
        Row("the first steps of a fresh process, CPU time, import of the compiler and compiling included",
            f"{cold:.1f} s", *limit(cold, COMPILED_S, "s")),
        Row("the same with compiled code on disk", f"{warm:.2f} s"),
    ]  # fmt: skip
