"""Skipping, a loop: step and hop on one foot, step and hop on the other; speed in m/s."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.motions import locomotion as loco
from footfall.motions.foot_path import FootPath, PlantedStep

STRIDE_S = 1.0  # both feet's step and hop
STEP, HOP = (0.0, 0.17), (0.33, 0.46)  # gait phases in which the left foot is down
TOP = 0.25  # gait phase at the top of the hop
RISE = 0.065  # metres up and down about the mean
HEIGHT = 0.945  # metres, mean of the pelvis
KNEE_UP, KNEE_AHEAD = 0.17, 0.08  # metres that the free foot goes higher and further ahead than in a run, by eye
UPRIGHT = loco.Style(lean=-0.09, arms=1.15)  # a skip is held straighter than a run, arms swing wider: by eye


def make(speed: float = 1.7, cycles: int = 2) -> Clip:
    stride = np.round(STRIDE_S * loco.FPS) / loco.FPS
    t = np.arange(-round(1.6 * stride * loco.FPS), round((cycles + 1.6) * stride * loco.FPS) + 1) / loco.FPS
    zero = 0.0 * t
    path = replace(loco.travel(t, zero + speed, zero, zero, zero + 1.0), phase=t / stride, style=UPRIGHT)

    def bounce(feet: loco.Feet, pelvis: np.ndarray, turn: np.ndarray) -> tuple[loco.Feet, np.ndarray]:
        feet = (_knee_up(feet[0], path.phase + 0.5), _knee_up(feet[1], path.phase))
        height = HEIGHT + RISE * np.cos(4.0 * np.pi * (path.phase - TOP))
        return feet, pelvis * [1.0, 0.0, 1.0] + height[:, None] * rotation.UP

    steps = (_steps(path, stride, right=False), _steps(path, stride, right=True))
    pose, steps = loco.walk_along(path, steps, alter=bounce)
    return loco.loop_of(pose, steps, t, cycles * stride, "skip", {"speed": speed})


def _knee_up(foot: FootPath, phase: np.ndarray) -> FootPath:
    """The foot raised while the other one hops: phase 0 is the other's step."""
    off, on = HOP[1] - 0.5, 0.5
    share = np.clip(((phase - off) % 1.0) / (on - off), 0.0, 1.0)
    hump = 64.0 * (share * (1.0 - share)) ** 3
    return foot._replace(ankle=foot.ankle + np.outer(hump, [0.0, KNEE_UP, KNEE_AHEAD]))


def _steps(path: loco.TravelPath, stride: float, right: bool) -> list[PlantedStep]:
    """Two contacts a cycle, each planted under the body where it passes in the middle of the contact."""
    sign, offset = (-1.0, 0.5) if right else (1.0, 0.0)
    first, last = int(np.ceil(path.phase[0])), int(np.floor(path.phase[-1])) - 1
    steps = []
    for cycle in range(first, last + 1):
        for (begin, end), pitch_in, pitch_out in ((STEP, 0.15, 0.6), (HOP, 0.0, 0.75)):
            start_s, end_s = (stride * (cycle + offset + p) for p in (begin, end))
            z = float(np.interp(0.46 * start_s + 0.54 * end_s, path.t, path.position[:, 2]))
            steps.append(PlantedStep(start_s, end_s, sign * 0.07, z, sign * 0.05, pitch_in, pitch_out, 0.25, 0.5))
    return steps
