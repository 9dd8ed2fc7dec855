"""Reaching for a point (x, y, z) with the wrist, from the floor to overhead, bending knees and trunk, and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.motions import action, starts
from footfall.motions.apex import Freedom, apex_posture
from footfall.motions.keyframes import pulse

FREEDOM = Freedom(
    rest=np.array([0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0]),
    scale=np.array([0.26, 16.0, 32.0, 6.0, 18.0, 26.0, 8.0, 0.03, 0.03]),
    low=np.array([-0.02, -38.0, -6.0, -10.0, -40.0, -14.0, -22.0, -0.07, -0.05]),
    high=np.array([0.48, 38.0, 72.0, 10.0, 40.0, 54.0, 22.0, 0.07, 0.07]),
)


def make(x: float = -0.3, y: float = 1.3, z: float = 0.45, side: str = "right", seed: int = 0) -> Clip:
    sign = action.sign_of(side)
    rng = action.random_of(seed)
    tempo, involved, extension = 1.0 + rng.uniform(-0.1, 0.1), rng.uniform(0.85, 1.15), rng.uniform(0.84, 0.92)
    start = starts.relaxed(width=rng.uniform(1.0, 1.35))
    target = np.array([sign * x, y, z])
    freedom = FREEDOM._replace(scale=FREEDOM.scale * np.where(np.isin(np.arange(9), (4, 5, 6)), involved, 1.0))
    posture = apex_posture(start, target, freedom, (0.5, extension))

    effort = float(np.clip(posture.down / 0.3 + abs(posture.turn[1]) / 60.0, 0.0, 1.2))
    apex = action.on_frame((0.82 + 0.22 * effort) * tempo)
    end = action.on_frame(1.95 * apex + 0.05)
    t = action.frames(end)
    legs = pulse(0.0, apex - 0.02, end - 0.12, t, hold_s=0.1)
    pelvis = pulse(0.02, apex - 0.01, end - 0.06, t, hold_s=0.1)
    chest = pulse(0.05, apex + 0.01, end - 0.03, t, hold_s=0.1)
    hand = pulse(0.1, apex, end - 0.05, t, hold_s=0.12)
    look = pulse(0.0, apex - 0.25, end, t, hold_s=0.4)
    plan = start.plan(t)
    plan = replace(
        plan,
        pelvis=plan.pelvis - posture.down * legs[:, None] * rotation.UP,
        turn=action.toward(start.turn, posture.turn, pelvis),
        chest=action.toward(start.chest, posture.chest, chest),
        gaze=np.tile(target, (len(t), 1)),
        looks=0.85 * look,
        mass=start.balance[[0, 2]] + posture.shift * pelvis[:, None],
        right=replace(
            start.right, target=target, share=hand, target_swivel=np.radians(rng.uniform(-12.0, 18.0)),
            via=(0.25 + 0.2 * rng.random(), -0.1, 0.6),
        ),
    )  # fmt: skip
    events = start.contacts(t)
    return action.aimed_clip(plan, "reach", events, apex, "Hand", side, (x, y, z))
