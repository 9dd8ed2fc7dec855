"""Standing at ease, a loop: breathing, weight that goes from foot to foot, and a head that is never quite still."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.motions import action, starts

BREATH_HZ = 0.25
SWAY_HZ = (0.2, 0.3, 0.45)  # as postural sway has most of its power below 0.5 Hz
SHIFT_S = 4.5  # weight goes to one foot and back in about this time: quiet standing takes 4 to 8 s
# How far parts go with the weight, to either side, in a shift of that length: longer ones go farther. By eye, beside
# captured stands; never all at rest: what turns back does so while something else moves.
SHIFT_M = 0.012  # the centre of mass, to the foot that carries
ROUND_M = 0.010  # and forward on the way to the left foot, back on the way to the right
HIP_DEG = 1.6  # the hip of the foot that carries is higher
FOLLOW_DEG = 1.5  # the pelvis turns to it, and the chest after it
HAND_M = 0.018  # hands swing after the chest, forward and back
LAG = 0.09  # of a shift: the chest follows this much later, and the hands twice as much
LOOK_M = 0.12  # the point looked at, 4 m ahead


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

    begin, far = rng.random(), t[-1] / max(1, round(t[-1] / SHIFT_S)) / SHIFT_S

    def weight(late: float = 0.0) -> np.ndarray:
        """(T,) about 1 on the left foot … -1 on the right; late: in shares of a shift there and back."""
        return far * wave(1.0 / SHIFT_S, begin - late)

    def hand(at_rest: action.Hand, forward: float) -> action.Hand:
        lifted = 0.004 * breath[:, None] * np.array([1.0, 0.6, 0.2])
        swung = forward * HAND_M * weight(2.0 * LAG - 0.25)[:, None] * np.array([0.3, 0.0, 1.0])
        return replace(at_rest, rest=at_rest.rest + lifted + swung)

    start = starts.relaxed()
    breath = wave(BREATH_HZ)
    plan = start.plan(t)
    zero = np.zeros(len(t))
    sway = np.column_stack([SHIFT_M * weight() + wander(0.003), ROUND_M * weight(-0.25) + wander(0.004)])
    hips = np.column_stack([FOLLOW_DEG * weight() + wander(0.5), wander(0.5), HIP_DEG * weight() + wander(0.3)])
    chest = np.column_stack(
        [FOLLOW_DEG * weight(LAG) + wander(0.5), -0.9 * breath, -HIP_DEG * weight(LAG) + wander(0.3)]
    )
    look = np.column_stack([LOOK_M * weight(2.0 * LAG) + wander(0.15), wander(0.08), zero])
    plan = replace(
        plan,
        pelvis=plan.pelvis + np.column_stack([zero, 0.0015 * breath - 0.002, zero]),
        turn=plan.turn + hips,
        chest=plan.chest + chest,
        gaze=plan.gaze + look,
        looks=np.full(len(t), 0.8),
        mass=start.balance[[0, 2]] + sway,
        left=hand(start.left, 1.0),
        right=hand(start.right, -1.0),
    )
    clip = action.clip_of(plan, "stand", start.contacts(t), {"seconds": float(t[-1])})
    return replace(clip, is_loop=True)
