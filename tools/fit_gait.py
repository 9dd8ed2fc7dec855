#!/usr/bin/env python3
"""Fits the Fourier gait curves of footfall.motions to CMU captures and writes src/footfall/motions/data/gait.json.

usage: python tools/fit_gait.py CMU_FOLDER        the folder that holds walk_straight/ and run_straight/ as BVH

Cycles lie between successive moments at which the same ankle is furthest ahead of the hips; each cycle is seen from a
frame that glides along its own straight line, left cycles are pooled with mirrored right ones, and every recording
weighs the same. Rotations are rotation vectors about their mean; coefficients are linear in speed. Trunk curves are
made symmetric by keeping only the harmonics that a mirrored half cycle allows.
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.signal import find_peaks, savgol_filter

import footfall as ff
from footfall.core import rotation
from footfall.kinematics.fk import world_transforms

HARMONICS = 6
# gait phase from the ankle's foremost moment to the strike
STRIKE_AFTER = {"walk": 0.02, "run": 0.085}
LEFT_OUT = ("104_04", "127_06")  # flipping ankles; speeding up throughout
RELATIVE = {  # curve -> (carrier, joint)
    "chest": ("Hips", "Spine1"),
    "neck": ("Spine1", "Neck"),
    "head": ("Spine1", "Head"),
    "arm": ("Spine1", "{side}Arm"),
    "fore": ("{side}Arm", "{side}ForeArm"),
}
ODD = {"pelvis_rot": (0, 1, 1), "chest": (0, 1, 1), "neck": (0, 1, 1), "head": (0, 1, 1), "hips": (1, 0, 0)}


class Cycle(NamedTuple):
    file: str
    speed: float
    phase: np.ndarray  # (T,) 0 … 1
    leg: float
    positions: dict[str, np.ndarray]
    rotations: dict[str, np.ndarray]
    hips: np.ndarray  # (T, 3) middle of the hip joints
    floor: np.ndarray  # (2,) height of left and right toe joints when down


def cycles_of(path: Path, mirrored: bool) -> list[Cycle]:
    """Every whole cycle of the left foot (of the right one, mirrored)."""
    clip = ff.load(path)
    skeleton = clip.skeleton
    positions, rotations = (x[2:] for x in world_transforms(skeleton, clip.pose))  # the first frame is invented
    swap = {}
    if mirrored:
        positions, rotations = positions * [-1, 1, 1], rotations * [1, 1, -1, -1]
        swap = {"Left": "Right", "Right": "Left"}
    names = {n: skeleton.index(swap.get(n[:4], swap.get(n[:5], "")) + n[4 if n.startswith("Left") else 5 :]
                               if swap and n.startswith(("Left", "Right")) else n) for n in skeleton.names}  # fmt: skip
    hips = 0.5 * (positions[:, names["LeftUpLeg"]] + positions[:, names["RightUpLeg"]])
    ahead = hips[-1] - hips[0]
    ahead = ahead * [1, 0, 1] / np.hypot(ahead[0], ahead[2])
    reach = savgol_filter(((positions[:, names["LeftFoot"]] - hips) * ahead).sum(axis=1), 15, 3)
    peaks = find_peaks(reach, distance=50, prominence=0.1)[0]
    floor = np.array([np.percentile(positions[:, names[f"{s}ToeBase"], 1], 8) for s in ("Left", "Right")])
    found = []
    for start, end in pairwise(peaks):
        seconds = (end - start) / clip.fps
        if 0.45 < seconds < 1.9:
            span = slice(start, end + 1)
            way = hips[end] - hips[start]
            straight = rotation.yaw(-np.arctan2(way[0], way[2]))
            phase = np.linspace(0.0, 1.0, end - start + 1)
            glide = (hips[start] + phase[:, None] * way) * [1, 0, 1]
            seen = rotation.rotate(straight, positions[span] - glide[:, None])
            turned = rotation.multiply(straight, rotations[span])
            found.append(Cycle(
                path.stem, float(np.hypot(way[0], way[2]) / seconds), phase, skeleton.leg_length,
                {n: seen[:, j] for n, j in names.items()}, {n: turned[:, j] for n, j in names.items()},
                rotation.rotate(straight, hips[span] - glide), floor,
            ))  # fmt: skip
    return found


def relative(cycle: Cycle, name: str) -> np.ndarray:
    carrier, joint = (n.format(side="Left") for n in RELATIVE[name])
    return rotation.multiply(rotation.conjugate(cycle.rotations[carrier]), cycle.rotations[joint])


def features(cycle: Cycle, means: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Curves (T, D) of one cycle, closed by taking out their linear drift."""
    p = cycle.positions
    centre = cycle.hips.mean(axis=0) * [1, 0, 1]
    foot = p["LeftToeBase"] - p["LeftFoot"]
    pitch = np.unwrap(np.arctan2(foot[:, 1], foot[:, 2]))
    yaw = np.arctan2(foot[:, 0], np.hypot(foot[:, 1], foot[:, 2]))
    line = p["LeftFoot"] - p["LeftUpLeg"]
    line = line / np.linalg.norm(line, axis=1, keepdims=True)
    knee = p["LeftLeg"] - p["LeftUpLeg"]
    curves = {
        "pelvis_rot": rotation.log(cycle.rotations["Hips"]),
        "hips": (cycle.hips - centre - [0, cycle.floor.mean(), 0]) / cycle.leg,
        "ankle": (p["LeftFoot"] - centre - [0, cycle.floor[0], 0]) / cycle.leg,
        "foot": np.column_stack([pitch, yaw]),
        "knee": (knee - (knee * line).sum(axis=1, keepdims=True) * line) / cycle.leg,
    }
    for name, mean in means.items():
        curves[name] = rotation.log(rotation.multiply(rotation.conjugate(mean), relative(cycle, name)))
    return {n: c - (c[-1] - c[0]) * cycle.phase[:, None] for n, c in curves.items()}


def fourier(phase: np.ndarray, curve: np.ndarray) -> np.ndarray:
    """(1 + 2H, D) coefficients: mean, then cosine and sine of each harmonic."""
    angle = 2.0 * np.pi * phase[:, None] * np.arange(1, HARMONICS + 1)
    basis = np.empty((len(phase), 1 + 2 * HARMONICS))
    basis[:, 0], basis[:, 1::2], basis[:, 2::2] = 1.0, np.cos(angle), np.sin(angle)
    return np.linalg.lstsq(basis, curve, rcond=None)[0]


def symmetric(coefficients: np.ndarray, odd: tuple[int, ...]) -> np.ndarray:
    """Only odd harmonics for what changes sign in the mirrored half cycle, only even ones for the rest."""
    harmonic = np.repeat(np.arange(HARMONICS + 1), [1, *[2] * HARMONICS])
    keep = (harmonic[:, None] % 2) == np.array(odd)
    return coefficients * keep


def fit(gait: str, files: list[Path]) -> dict[str, Any]:
    cycles = [c for f in files if f.stem not in LEFT_OUT for m in (False, True) for c in cycles_of(f, m)]
    means = {n: rotation.average(np.concatenate([relative(c, n)[::4] for c in cycles])) for n in RELATIVE}
    curves = [features(c, means) for c in cycles]
    speeds = np.array([c.speed for c in cycles])
    names = [c.file for c in cycles]
    weight = np.sqrt([1.0 / names.count(n) for n in names])
    middle = float(np.average(speeds, weights=weight**2))
    design = np.column_stack([np.ones_like(speeds), speeds - middle]) * weight[:, None]
    fitted = {}
    for name in curves[0]:
        rows = np.array([fourier(c.phase - STRIKE_AFTER[gait], f[name]) for c, f in zip(cycles, curves, strict=True)])
        flat = rows.reshape(len(rows), -1) * weight[:, None]
        solved = np.linalg.solve(design.T @ design + np.diag([0.0, 0.05]), design.T @ flat)  # a little ridge on slopes
        solved = solved.reshape(2, *rows.shape[1:])
        fitted[name] = np.array([symmetric(s, ODD[name]) for s in solved]) if name in ODD else solved
    for name in ("chest", "neck", "head"):  # a symmetric mean may only nod
        means[name] = rotation.exp(rotation.log(means[name]) * [1, 0, 0])
    print(f"{gait}: {len(cycles)} cycles, {speeds.min():.2f} to {speeds.max():.2f} m/s")
    return {
        "speed": round(middle, 3),
        "range": [round(float(speeds.min()), 3), round(float(speeds.max()), 3)],
        "means": {n: [round(float(x), 5) for x in q] for n, q in means.items()},
        "curves": {n: np.round(c, 4).tolist() for n, c in fitted.items()},
    }


def main() -> None:
    folder = Path(sys.argv[1])
    gaits = {g: fit(g, sorted((folder / f"{g}_straight").glob("*.bvh"))) for g in ("walk", "run")}
    target = Path(__file__).resolve().parents[1] / "src/footfall/motions/data/gait.json"
    target.write_text(json.dumps(gaits, separators=(",", ":")))
    print(f"wrote {target.name}, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
