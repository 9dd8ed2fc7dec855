"""A straight punch at a point (x, y, z) from a fighting stance: rear hip drives, trunk turns, fist snaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.motions import action, starts
from footfall.motions.apex import Freedom, apex_posture
from footfall.motions.keyframes import curve, pulse
from footfall.motions.rolling_feet import contact_spans, rolling_foot

FREEDOM = Freedom(
    rest=np.array([0.025, 12.0, 8.0, 0.0, 26.0, 8.0, 0.0, 0.03, 0.07]),
    scale=np.array([0.09, 9.0, 12.0, 4.0, 14.0, 10.0, 6.0, 0.02, 0.03]),
    low=np.array([0.0, -16.0, -2.0, -6.0, 4.0, -8.0, -14.0, -0.06, -0.04]),
    high=np.array([0.3, 32.0, 46.0, 6.0, 42.0, 30.0, 14.0, 0.09, 0.17]),
)


def make(x: float = 0.0, y: float = 1.45, z: float = 0.72, side: str = "right", seed: int = 0) -> Clip:
    sign = action.sign_of(side)
    rng = action.random_of(seed)
    tempo, drive = 1.0 + rng.uniform(-0.1, 0.1), rng.uniform(0.85, 1.15)
    start = starts.fighting(width=rng.uniform(0.94, 1.08), crouch=rng.uniform(0.045, 0.075))
    target = np.array([sign * x, y, z])
    freedom = FREEDOM._replace(rest=FREEDOM.rest * np.where(np.isin(np.arange(9), (1, 4, 8)), drive, 1.0))
    posture = apex_posture(start, target, freedom, (0.95, 0.965))

    apex = action.on_frame(0.36 * tempo)
    end = action.on_frame(apex + 0.54 * tempo)
    t = action.frames(end)
    hips = pulse(0.0, apex - 0.03, end - 0.08, t, dip=0.12, hold_s=0.03)  # the hip leads, the hand comes last
    chest = pulse(0.02, apex + 0.005, end - 0.04, t, dip=0.1, hold_s=0.02)
    fist = curve(
        [(0.06, 0.0), (0.55 * apex, -0.1), (apex, 1.0), (apex + 0.6 * (end - apex), 0.08), (end - 0.02, 0.0)], t
    )
    heel = -np.radians(rng.uniform(30.0, 42.0)) * pulse(0.1, apex - 0.02, end - 0.1, t, hold_s=0.04)
    plan = start.plan(t)

    def feet(pelvis: np.ndarray, turn: np.ndarray) -> action.Feet:
        still, _ = start.plan(t).feet(pelvis, turn)
        return still, rolling_foot([start.stands[1]], t, heel)

    guard = start.left.rest + np.array([-0.02, 0.02, -0.1])  # the other fist comes back to the chin
    plan = replace(
        plan,
        pelvis=plan.pelvis - posture.down * hips[:, None] * rotation.UP,
        turn=action.toward(start.turn, posture.turn, hips),
        chest=action.toward(start.chest, posture.chest, chest),
        gaze=np.tile(np.array([0.4, 1.0, 1.0]) * target + [0.0, 0.0, 1.5], (len(t), 1)),
        looks=np.full(len(t), 0.9),
        mass=start.balance[[0, 2]] + posture.shift * hips[:, None],
        left=replace(start.left, rest=action.toward(start.left.rest, guard, chest)),
        right=replace(
            start.right, target=target, share=fist, via=(0.15, -0.25, 0.1),
            target_swivel=np.radians(rng.uniform(12.0, 34.0)),
        ),
        feet=feet,
        knees=(plan.knees[0], plan.knees[1] + np.radians(30.0) * hips),
    )  # fmt: skip
    events = contact_spans("left", start.stands[:1], t, np.zeros(len(t)))
    events += contact_spans("right", start.stands[1:], t, heel)
    return action.aimed_clip(plan, "punch", events, apex, "Hand", side, (x, y, z))
