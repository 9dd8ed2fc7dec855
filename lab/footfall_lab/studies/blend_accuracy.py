"""Blends that hit what is asked: random requests to every built-in space, measured on the finished clips."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import footfall as ff
from footfall.core.clip import Clip
from footfall.motions.seat import PELVIS
from footfall.parametric.blend_space import BlendSpace, BlendWarning
from footfall.parametric.builtin_sets import SETS
from footfall.parametric.effort import strayed
from footfall.parametric.measure import polar_of
from footfall.weights.examples import examples_of
from footfall.weights.hull import hull_of
from footfall_lab.bench._measure import Row

TITLE = "Blends that hit what is asked"
REQUESTS, QUICK_REQUESTS, SEED = 200, 20, 2012
READY_S = 1.0
# What misses may be: the median and 95 % of them. Places in metres, speeds as shares, turns in degrees a second.
LIMITS = {"place": (0.01, 0.03), "landing": (0.01, 0.01), "height": (0.01, 0.01), "speed": (0.01, 0.01),
          "turn": (1.0, 1.0), "side": (0.02, 0.02), "angle": (1.0, 1.0), "seat": (0.01, 0.03)}  # fmt: skip
SHOWN = {"place": (100.0, "cm"), "landing": (100.0, "cm"), "height": (100.0, "cm"), "speed": (100.0, "%"),
         "turn": (1.0, "°/s"), "side": (1.0, "m/s"), "angle": (1.0, "°"), "seat": (100.0, "cm")}  # fmt: skip


class Asked(NamedTuple):
    """One space, asked many times."""

    space: BlendSpace
    points: np.ndarray  # (Q, d)
    off: dict[str, np.ndarray]  # what is measured -> misses (Q,)
    stray_deg: np.ndarray  # (Q,) by how much the worst joint leaves the range of the examples
    moved_m: np.ndarray  # (Q,) by foot lock
    warned: int
    worst: Clip


def run(out: Path, quick: bool, progress: Callable[[str], None], captures: Path | None = None) -> list[Row]:
    """Every built-in space with parameters: how far clips are from what was asked, and how soon they are there."""
    from footfall.io.save import atomic_write
    from footfall.render.sheet import render_strip
    from footfall_lab.studies._report import page, rows_csv

    rows, pictures = [], []
    for name, recipe in SETS.items():
        progress(name)
        if recipe.by:
            count = QUICK_REQUESTS if quick else REQUESTS
            found = ask(ff.blend_space(name), count)
            by_rbf = ask(ff.blend_space(name, method="rbf"), count) if recipe.is_measured else None
            rows += _rows(name, found, by_rbf)
            pictures.append((f"{name}: the request that is met worst", _png(render_strip(found.worst))))
        rows.append(_ready(name, 1 if quick else 3))
    about = (
        f"{REQUESTS} random requests inside the hull of every built-in space, clips made with feet locked, measured on "
        "the clips by forward kinematics; beside it the same requests by radial basis functions."
    )
    atomic_write(out / "blend_accuracy.html", page(TITLE, about, rows, pictures).encode())
    atomic_write(out / "blend_accuracy.csv", rows_csv(rows))
    return rows


def ask(space: BlendSpace, count: int) -> Asked:
    """Random requests inside the hull, and what the clips do."""
    points = requests(space, count)
    clips, warned = [], 0
    for p in points:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", BlendWarning)
            clips.append(space(**dict(zip(space.motion.parameter_names, p.tolist(), strict=True))))
        warned += bool(said)
    each = [misses(space, clip, p) for clip, p in zip(clips, points, strict=True)]
    off = {what: np.array([one[what] for one in each]) for what in each[0]}
    worst = int(np.argmax(np.max([v / LIMITS[what][1] for what, v in off.items()], axis=0)))
    moved = np.array([clip.report.quality["lock_moved_m"] if clip.report else 0.0 for clip in clips])
    stray = np.degrees(strayed(space.motion, space.answers(points).weights))
    return Asked(space, points, off, stray, moved, warned, clips[worst])


def requests(space: BlendSpace, count: int) -> np.ndarray:
    """(Q, d) parameters, spread evenly over the hull of the examples (of a jump: over the places it leads to)."""
    examples = examples_of(space.motion.parameters, polar_of(space.motion))
    hull = hull_of(examples.units(examples.parameters))
    drawn = np.random.default_rng(SEED).random((400 * count, len(space.motion.parameter_names)))
    return examples.from_units(drawn[hull.inside(drawn)][:count])


def misses(space: BlendSpace, clip: Clip, p: np.ndarray) -> dict[str, float]:
    """How far a clip is from what was asked, from the positions of its joints alone."""
    motion = space.motion
    asked = dict(zip(motion.parameter_names, p.tolist(), strict=True))
    if motion.kind == "target":
        apex = next(e.start_s for e in clip.events if e.name == "apex")
        joint = getattr(clip.skeleton.roles, motion.effector)
        return {"place": float(np.linalg.norm(clip.positions[round(apex * clip.fps), joint] - p))}
    if motion.kind == "jump":
        return _jump_misses(clip, asked)
    if "angle" in asked:
        facing = np.degrees(np.unwrap(clip.root_motion.heading))
        return {"angle": float(abs(facing[-1] - facing[0] - asked["angle"]))}
    if motion.kind == "take":  # of somebody who sits at the end, or at the start
        ends = clip.positions[[0, -1], clip.skeleton.roles.pelvis, 1]
        return {"seat": float(abs(ends.min() - PELVIS - asked["height"]))}
    speed, side, turn = steady_motion(clip)
    found = {"speed": lambda: abs(speed / asked["speed"] - 1.0), "turn": lambda: abs(turn - asked["turn"]),
             "side": lambda: abs(side - asked["side"])}  # fmt: skip
    return {name: found[name]() for name in asked}


def _jump_misses(clip: Clip, asked: dict[str, float]) -> dict[str, float]:
    root, angle = clip.positions[:, 0], np.radians(asked["direction"])
    place = asked["distance"] * np.array([np.sin(angle), np.cos(angle)])
    apex = round(next(e.start_s for e in clip.events if e.name == "apex") * clip.fps)
    off = max(e.end_s for e in clip.events if e.name.endswith("toe") and e.end_s < apex / clip.fps)
    rise = root[apex, 1] - np.interp(off, clip.times, root[:, 1])
    landing = np.linalg.norm((root[-1] - root[0])[[0, 2]] - place)
    return {"landing": float(landing), "height": float(abs(rise - asked["height"]))}


def steady_motion(clip: Clip) -> tuple[float, float, float]:
    """Speed ahead and to the left (m/s) and turn (°/s) of one round: of the arcs from every moment to the same moment
    of the next round, ahead being where the body faces without its sway."""
    place, facing = clip.root_motion.position @ [1j, 0.0, 1.0], np.unwrap(clip.root_motion.heading)
    turned = float(facing[-1] - facing[0])
    trend = turned * clip.times / clip.duration
    steady = (facing - trend)[:-1].mean() + trend
    next_round = place[-1] + (place - place[0]) * np.exp(1j * turned)
    arcs = (next_round - place) * np.exp(-1j * (steady + 0.5 * turned)) / np.sinc(0.5 * turned / np.pi)
    velocity = arcs[:-1].mean() / clip.duration
    return float(velocity.real), float(velocity.imag), float(np.degrees(turned) / clip.duration)


def _rows(name: str, found: Asked, before: Asked | None) -> list[Row]:
    rows = []
    for what, values in found.off.items():
        scale, unit = SHOWN[what]
        median, high = np.quantile(values, [0.5, 0.95])
        limits = LIMITS[what]
        text = f"median {median * scale:.3f}, 95 % {high * scale:.3f}, largest {values.max() * scale:.3f} {unit}"
        if before is not None:
            old = np.quantile(before.off[what], [0.5, 0.95]) * scale
            text += f" (by rbf: {old[0]:.2f}, {old[1]:.2f})"
        wanted = f"median at most {limits[0] * scale:g}, 95 % {limits[1] * scale:g} {unit}"
        rows.append(Row(f"{name}: {what} missed by", text, wanted, bool(median <= limits[0] and high <= limits[1])))
    stray, moved = (np.quantile(x, [0.5, 0.95, 1.0]) for x in (found.stray_deg, 100.0 * found.moved_m))
    text = (
        f"worst joint {stray[0]:.1f}, {stray[1]:.1f}, {stray[2]:.1f}° beyond all examples, foot lock moves "
        f"{moved[0]:.1f}, {moved[1]:.1f}, {moved[2]:.1f} cm (median, 95 %, largest); {found.warned} of "
        f"{len(found.points)} warn"
    )
    return [*rows, Row(f"{name}: the body", text)]


def _ready(name: str, repeats: int) -> Row:
    """How long a fresh process takes to have a space, the import included, and then its first clip.

    Judged by the processor's time: nothing runs beside it, and what else the machine does is not in it.
    """
    ready, whole = (_start_up(f"import footfall as ff\nff.blend_space({name!r}){call}", repeats) for call in ("", "()"))
    text = (
        f"{ready[0]:.2f} s of processor from the start of a process ({ready[1]:.2f} s of the clock), its first clip "
        f"after {whole[0]:.2f} s ({whole[1]:.2f} s)"
    )
    return Row(f"{name}: ready after", text, f"each at most {READY_S:g} s of processor", whole[0] <= READY_S)


def _start_up(code: str, repeats: int) -> tuple[float, float]:
    """Median seconds of processor and of the clock of a fresh process that runs the code, a first run not counted."""
    found = []
    for _ in range(repeats + 1):
        before, start = os.times(), time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        found.append((used, time.perf_counter() - start))
    processor, clock = np.median(found[1:], axis=0)
    return float(processor), float(clock)


def _png(picture: np.ndarray) -> bytes:
    from io import BytesIO

    from PIL import Image

    data = BytesIO()
    Image.fromarray(picture).save(data, "PNG")
    return data.getvalue()
