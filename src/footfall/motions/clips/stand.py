"""Standing at ease, a loop: breathing, the slow sway of balance, and a head that is never quite still."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.motions import action, starts

BREATH_HZ = 0.25
SWAY_HZ = (0.2, 0.3, 0.45)  # as postural sway has most of its power below 0.5 Hz


def make(seconds: float = 4.0, seed: int = 0) -> Clip:
    if not 1.0 <= seconds <= 600.0:
        raise ParameterError(f"seconds must be 1 to 600, got {seconds:g}")
    rng = action.random_of(seed)
    t = action.frames(action.on_frame(seconds))

    def wave(hz: float, shift: float = 0.0) -> np.ndarray:
        cycles = max(1, round(hz * t[-1]))  # whole cycles: the loop closes
        return np.sin(2.0 * np.pi * (cycles * t / t[-1] + shift))

    def wander(size: float) -> np.ndarray:
        shares = np.array([0.6, 0.3, 0.2]) * size
        return np.sum([a * wave(hz, rng.random()) for a, hz in zip(shares, SWAY_HZ, strict=True)], axis=0)

    start = starts.relaxed()
    breath = wave(BREATH_HZ)
    plan = start.plan(t)
    zero = np.zeros(len(t))
    sway = np.column_stack([wander(0.007), wander(0.006)])
    plan = replace(
        plan,
        pelvis=plan.pelvis + np.column_stack([zero, 0.0015 * breath - 0.002, zero]),
        turn=plan.turn + np.column_stack([wander(0.8), wander(0.5), wander(0.7)]),
        chest=plan.chest + np.column_stack([wander(0.8), -0.9 * breath, wander(0.4)]),
        gaze=plan.gaze + np.column_stack([wander(0.25), wander(0.08), zero]),
        looks=np.full(len(t), 0.8),
        mass=start.balance[[0, 2]] + sway,
        left=replace(start.left, rest=start.left.rest + 0.004 * breath[:, None] * np.array([1.0, 0.6, 0.2])),
        right=replace(start.right, rest=start.right.rest + 0.004 * breath[:, None] * np.array([1.0, 0.6, 0.2])),
    )
    clip = action.clip_of(plan, "stand", start.contacts(t), {"seconds": float(t[-1])})
    return replace(clip, is_loop=True)
