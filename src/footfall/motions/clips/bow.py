"""A bow: the trunk bends forward at the hips by depth degrees, pauses, and rises; the head follows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip, Event
from footfall.core.errors import ParameterError
from footfall.motions import action, starts
from footfall.motions.keyframes import curve

# From a captured bow of 55 degrees: how long it takes to go down, stays and comes up; what of it the hips bend; and how
# much further than the chest the head goes.
DEPTH = 55.0
DOWN_S, STAY_S, UP_S = 0.85, 0.75, 1.15
HIPS, HEAD = 0.47, 0.27
FAR = 100.0  # metres: a gaze that goes into a direction
BEFORE_S = 0.12  # at rest before it and after it; the chest goes first and comes up last
SHALLOW = 0.55  # of those times that even the smallest bow takes


def make(depth: float = 45.0, seed: int = 0) -> Clip:
    if not 5.0 <= depth <= 90.0:
        raise ParameterError(f"depth must be 5 to 90 degrees, got {depth:g}")
    rng = action.random_of(seed)
    tempo = (1.0 + rng.uniform(-0.1, 0.1)) * (SHALLOW + (1.0 - SHALLOW) * depth / DEPTH)
    start = starts.relaxed(width=rng.uniform(0.85, 1.05))
    down, up, end = np.cumsum([BEFORE_S + DOWN_S * tempo, STAY_S * tempo, UP_S * tempo + BEFORE_S])
    apex, end = action.on_frame(0.5 * (down + up)), action.on_frame(end)
    t = action.frames(end)
    hips = curve([(BEFORE_S, 0.0), (down - 0.05, 1.0), (up + 0.05, 1.0), (end - 0.16, 0.0)], t)
    chest = curve([(0.06, 0.0), (down, 1.0), (up, 0.96), (end - 0.04, 0.0)], t)
    share = HIPS + rng.uniform(-0.04, 0.04)
    lean = start.chest[1]
    hand = replace(start.left, hangs=0.45)  # the arms stay near the sides, half hanging
    looks_down = np.radians((1.0 + HEAD) * depth) * chest
    gaze = np.column_stack([0.0 * t, 1.4 - FAR * np.sin(looks_down), FAR * np.cos(looks_down)])
    plan = replace(
        start.plan(t),
        turn=action.toward(start.turn, (0.0, share * depth, 0.0), hips),
        chest=action.toward(start.chest, (0.0, lean + (1.0 - share) * depth, 0.0), chest),
        gaze=gaze,
        looks=curve([(0.0, 0.0), (0.6 * down, 1.0), (up + 0.3, 1.0), (end, 0.0)], t),
        mass=np.tile(start.balance[[0, 2]] + [0.0, 0.01], (len(t), 1)),
        left=hand,
        right=hand,
    )
    events = [*start.contacts(t), Event("apex", apex, apex)]
    return action.clip_of(plan, "bow", events, {"depth": depth})
