"""Human gait as Fourier curves over the cycle, from walks and runs of the CMU motion capture database.

Each curve (pelvis, chest, head, arm, foot, …) is a truncated Fourier series in gait phase, phase 0 being the left
strike, whose coefficients are linear in speed. They were fitted to 39 walking and 8 running cycles between strikes of
the same foot, left cycles pooled with mirrored right ones (tools/fit_gait.py). Shape is never extrapolated: outside the
speeds seen (walk 0.72-1.72, run 2.69-3.63 m/s) the coefficients of the nearest seen speed hold.

The data used in this project was obtained from mocap.cs.cmu.edu. The database was created with funding from
NSF EIA-0196217.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.easing import soft_clip


class Trunk(NamedTuple):
    """Pelvis and upper body over time; lengths in leg lengths, rotations as quaternions."""

    hips: np.ndarray  # (T, 3) middle of the hip joints against the evenly moving body frame; y over the floor
    pelvis: np.ndarray  # (T, 4) against the body frame
    chest: np.ndarray  # (T, 4) against the pelvis
    head: np.ndarray  # (T, 4) against the chest


class Limbs(NamedTuple):
    """One side's arm and leg over time."""

    arm: np.ndarray  # (T, 4) upper arm against the chest, from a T-pose
    forearm: np.ndarray  # (T, 4) against the upper arm
    ankle: np.ndarray  # (T, 3) in leg lengths, against the body frame, y over the floor
    pitch: np.ndarray  # (T,) of the foot, toe up positive, 0 = flat


def trunk(run: np.ndarray, speed: np.ndarray, phase: np.ndarray) -> Trunk:
    """Curves of the trunk; run (T,) mixes walking (0) into running (1)."""
    turns = (_mixed_rotation(name, run, speed, phase) for name in ("pelvis_rot", "chest", "head"))
    return Trunk(_mixed_vector("hips", run, speed, phase), *turns)


def limbs(run: np.ndarray, speed: np.ndarray, phase: np.ndarray, right: bool) -> Limbs:
    """Curves of one side; the right side is the left one mirrored, half a cycle later."""
    phase = phase + 0.5 if right else phase
    turn, flip = (rotation.MIRROR_ROTATION, rotation.MIRROR_VECTOR) if right else (np.ones(4), np.ones(3))
    foot = _mixed_vector("foot", run, speed, phase)
    return Limbs(
        _mixed_rotation("arm", run, speed, phase) * turn,
        _mixed_rotation("fore", run, speed, phase) * turn,
        _mixed_vector("ankle", run, speed, phase) * flip,
        foot[:, 0] + (1.0 - run) * _FLAT_PITCH["walk"] + run * _FLAT_PITCH["run"],
    )


# the ankle lies higher than the toe joint: slope of that line, in the captures, when the foot is flat
_FLAT_PITCH = {"walk": 0.27, "run": 0.40}


def _mixed_vector(name: str, run: np.ndarray, speed: np.ndarray, phase: np.ndarray) -> np.ndarray:
    mix = run[:, None]
    walk_part = _curve("walk", name, speed, phase) if (run < 1).any() else 0.0
    run_part = _curve("run", name, speed, phase) if (run > 0).any() else 0.0
    return (1.0 - mix) * walk_part + mix * run_part


def _mixed_rotation(name: str, run: np.ndarray, speed: np.ndarray, phase: np.ndarray) -> np.ndarray:
    sides = []
    for gait in ("walk", "run"):
        mean = _data()[gait]["means"].get(name)
        turned = rotation.exp(_curve(gait, name, speed, phase))
        sides.append(turned if mean is None else rotation.multiply(mean, turned))
    return rotation.slerp(sides[0], sides[1], run)


def _curve(gait: str, name: str, speed: np.ndarray, phase: np.ndarray) -> np.ndarray:
    """(T, D) values of one Fourier series."""
    fit = _data()[gait]
    at_mean, per_speed = fit["curves"][name]  # each (1 + 2H, D)
    slowest, fastest = fit["range"]
    offset = soft_clip(speed, slowest, fastest, 0.05) - fit["speed"]
    harmonics = np.arange(1, len(at_mean) // 2 + 1)
    angle = 2.0 * np.pi * phase[:, None] * harmonics
    basis = np.empty((len(phase), len(at_mean)))
    basis[:, 0] = 1.0
    basis[:, 1::2], basis[:, 2::2] = np.cos(angle), np.sin(angle)
    return basis @ at_mean + offset[:, None] * (basis @ per_speed)


@cache
def _data() -> dict[str, Any]:
    import json

    raw = json.loads((files("footfall.motions") / "data" / "gait.json").read_text("utf-8"))
    for fit in raw.values():
        fit["curves"] = {name: np.array(c) for name, c in fit["curves"].items()}
        fit["means"] = {name: rotation.normalize(np.array(q)) for name, q in fit["means"].items()}
    return raw
