"""A bow: the trunk bends forward at the hips by depth degrees, pauses, and rises; the head follows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip, Event
from footfall.core.errors import ParameterError
from footfall.motions import action, starts
from footfall.motions.keyframes import pulse


def make(depth: float = 45.0, seed: int = 0) -> Clip:
    if not 5.0 <= depth <= 90.0:
        raise ParameterError(f"depth must be 5 to 90 degrees, got {depth:g}")
    rng = action.random_of(seed)
    tempo = 1.0 + rng.uniform(-0.1, 0.1)
    start = starts.relaxed(width=rng.uniform(0.85, 1.05))
    apex = action.on_frame((0.85 + 0.004 * depth) * tempo)
    end = action.on_frame(2.05 * apex + 0.3)
    t = action.frames(end)
    share = rng.uniform(0.56, 0.66)
    hips = pulse(0.06, apex, end - 0.12, t, hold_s=0.35)
    chest = pulse(0.0, apex + 0.03, end - 0.05, t, hold_s=0.3)
    lean = start.chest[1]
    hand = replace(start.left, hangs=0.45)  # the arms stay near the sides, half hanging
    plan = replace(
        start.plan(t),
        turn=action.toward(start.turn, (0.0, share * depth, 0.0), hips),
        chest=action.toward(start.chest, (0.0, lean + (1.0 - share) * depth, 0.0), chest),
        gaze=action.toward((0.0, 1.5, 4.0), (0.0, 0.0, 2.4 - 0.022 * depth), chest),
        looks=0.75 * pulse(0.0, apex - 0.1, end, t, hold_s=0.5),
        mass=np.tile(start.balance[[0, 2]] + [0.0, 0.01], (len(t), 1)),
        left=hand,
        right=hand,
    )
    events = [*start.contacts(t), Event("apex", apex, apex)]
    return action.clip_of(plan, "bow", events, {"depth": depth})
