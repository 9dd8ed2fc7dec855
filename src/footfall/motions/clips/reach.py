"""Reaching for a point (x, y, z) with the wrist, from the floor to overhead, and back.

Knees bend for a low point, a step brings the body near a far one, and the trunk leans only as far as people's do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.motions import action, arms, starts
from footfall.motions.keyframes import pulse
from footfall.motions.reaching import FOLLOWS, reach_posture, step_contacts, step_pitch, stepping_feet, steps_of


def make(x: float = -0.3, y: float = 1.3, z: float = 0.45, side: str = "right", steps: int = 1, seed: int = 0) -> Clip:
    sign = action.sign_of(side)
    rng = action.random_of(seed)
    tempo, involved, extension = 1.0 + rng.uniform(-0.1, 0.1), rng.uniform(0.9, 1.1), rng.uniform(0.87, 0.93)
    start = starts.relaxed(width=rng.uniform(1.0, 1.35))
    target = np.array([sign * x, y, z])
    posture, way = reach_posture(start, target, involved, extension, steps)

    work = posture.down / 0.3 + abs(posture.turn[1]) / 60.0 + 2.0 * np.hypot(*way) + 2.0 * max(y - 1.45, 0.0)
    effort = float(np.clip(work, 0.0, 1.6))
    apex = action.on_frame((0.82 + 0.22 * effort) * tempo)
    end = action.on_frame(1.95 * apex + 0.05)
    t = action.frames(end)
    legs = pulse(0.0, apex - 0.02, end - 0.12, t, hold_s=0.1)
    pelvis = pulse(0.02, apex - 0.01, end - 0.06, t, hold_s=0.1)
    chest = pulse(0.05, apex + 0.01, end - 0.03, t, hold_s=0.1)
    hand = pulse(0.1, apex, end - 0.05, t, hold_s=0.12)
    look = pulse(0.0, apex - 0.3, end, t, hold_s=0.5)
    walks = steps_of(start, way, apex, end, tempo)
    pitch = step_pitch(walks, t)
    carried = FOLLOWS * np.array([way[0], 0.0, way[1]]) * pelvis[:, None]
    plan = start.plan(t)
    plan = replace(
        plan,
        pelvis=plan.pelvis - posture.down * legs[:, None] * rotation.UP + carried,
        turn=action.toward(start.turn, posture.turn, pelvis),
        chest=action.toward(start.chest, posture.chest, chest),
        gaze=np.tile(target, (len(t), 1)),
        looks=0.9 * look,
        mass=start.balance[[0, 2]] + posture.shift * pelvis[:, None] + carried[:, [0, 2]],
        left=replace(start.left, rest=start.left.rest + np.outer(chest, _counter(start, target))),
        right=replace(
            start.right, target=target, share=hand, target_swivel=np.radians(rng.uniform(-12.0, 18.0)),
            via=(0.25 + 0.2 * rng.random(), -0.1, 0.6),
        ),
        feet=stepping_feet(start, walks, t, pitch),
    )  # fmt: skip
    return action.aimed_clip(plan, "reach", step_contacts(start, walks, t, pitch), apex, "Hand", side, (x, y, z))


def _counter(start: starts.Start, target: np.ndarray) -> np.ndarray:
    """(3,) how the other arm swings back and out against the reach: the more the farther that goes."""
    away = float(np.clip(np.linalg.norm(target - start.pelvis - [0.0, 0.4, 0.0]) / arms.ARM, 0.0, 1.5))
    return away * np.array([0.06, 0.02, -0.09])
