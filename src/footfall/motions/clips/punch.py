"""A straight punch at a point (x, y, z) from a fighting stance: the hips drive, the trunk turns, the fist snaps out.

When hips, chest, fist and the other arm move, and how far the trunk turns for a target straight ahead, is captured.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.motions import action, arms, starts
from footfall.motions.apex import Freedom, apex_posture
from footfall.motions.captured_keys import CapturedKeys, captured_keys, follow_s, lead_s
from footfall.motions.keyframes import Key, curve, pulse
from footfall.motions.rolling_feet import contact_spans, rolling_foot

EXTENSION = (0.972, 0.98)  # arm lengths from shoulder to wrist: captured straight punches have 0.97 to 0.99
PAUSE_S = 0.05  # at rest before the first key and after the last
# how far the fist is out at captured keys: drawn back first, at the apex, halfway back, nearly and quite back
FIST = ((0, 0.0), (2, -0.07), (6, 1.0), (8, 0.62), (10, 0.1), (11, 0.0))
SNAP = 70.0  # a second squared: how hard the fist is drawn back at the apex: by eye
DOWN, SHIFT = 0.02, (0.02, 0.06)  # metres the pelvis sinks and the weight goes, left and forward: by eye


def _freedom(keys: CapturedKeys, drive: float) -> Freedom:
    """The trunk at the apex: captured angles where nothing asks for others."""
    turn, chest = keys.at_apex("pelvis"), keys.at_apex("chest")
    return Freedom(
        rest=np.array(
            [DOWN, drive * (turn[0] + 4.0), turn[1] - 2.0, turn[2], drive * chest[0], chest[1] - 2.0, chest[2], *SHIFT]
        ),
        scale=np.array([0.14, 9.0, 10.0, 4.0, 14.0, 10.0, 6.0, 0.03, 0.07]),
        low=np.array([-0.02, -24.0, -12.0, -8.0, -10.0, -14.0, -16.0, -0.08, -0.1]),
        high=np.array([0.3, 24.0, 46.0, 6.0, 36.0, 30.0, 14.0, 0.09, 0.19]),
    )


def _key(apex: bool, t_s: float, out: float) -> Key:
    return Key(t_s, out, 0.0, -SNAP) if apex else Key(t_s, out)


def make(x: float = 0.0, y: float = 1.45, z: float = 0.72, side: str = "right", seed: int = 0) -> Clip:
    sign = action.sign_of(side)
    rng = action.random_of(seed)
    tempo, drive = 1.0 + rng.uniform(-0.1, 0.1), rng.uniform(0.9, 1.1)
    start = starts.fighting(width=rng.uniform(0.94, 1.08), crouch=rng.uniform(0.045, 0.075))
    target = np.array([sign * x, y, z])
    apex = action.on_frame(PAUSE_S + tempo * lead_s("punch"))
    end = action.on_frame(apex + tempo * follow_s("punch") + PAUSE_S)
    keys = captured_keys("punch", apex, tempo)
    posture = apex_posture(start, target, _freedom(keys, drive), EXTENSION)

    t = action.frames(end)
    hips, chest = keys.progress("pelvis", 0, t), keys.progress("chest", 0, t)
    fist = curve([_key(i == keys.apex, keys.times[i], out) for i, out in FIST], t)
    weight = pulse(0.0, apex, end, t, dip=0.06)
    heel = -np.radians(rng.uniform(30.0, 42.0)) * pulse(0.1, apex - 0.02, end - 0.1, t, hold_s=0.04)
    plan = start.plan(t)

    def feet(pelvis: np.ndarray, turn: np.ndarray) -> action.Feet:
        still, _ = start.plan(t).feet(pelvis, turn)
        return still, rolling_foot([start.stands[1]], t, heel)

    plan = replace(
        plan,
        pelvis=plan.pelvis - posture.down * weight[:, None] * rotation.UP,
        turn=action.toward(start.turn, posture.turn, hips),
        chest=action.toward(start.chest, posture.chest, chest),
        gaze=np.tile(np.array([0.7, 1.0, 1.0]) * target + [0.0, 0.0, 1.0], (len(t), 1)),
        looks=np.full(len(t), 0.9),
        mass=start.balance[[0, 2]] + posture.shift * weight[:, None],
        left=replace(start.left, rest=start.left.rest + arms.ARM * keys.moved("left_wrist", t)),
        right=replace(
            start.right, target=target, share=fist, via=(0.25, -0.1, 0.1),
            target_swivel=np.radians(rng.uniform(12.0, 34.0)),
        ),
        feet=feet,
        knees=(plan.knees[0], plan.knees[1] + np.radians(30.0) * weight),
    )  # fmt: skip
    events = contact_spans("left", start.stands[:1], t, np.zeros(len(t)))
    events += contact_spans("right", start.stands[1:], t, heel)
    return action.aimed_clip(plan, "punch", events, apex, "Hand", side, (x, y, z))
