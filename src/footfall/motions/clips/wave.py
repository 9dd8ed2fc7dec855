"""A wave of one hand (side "left", "right") or of both: the arm goes up, the forearm swings, the arm comes down."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip, Event
from footfall.core.errors import ParameterError, UnknownName
from footfall.edit.mirror import mirror
from footfall.motions import action, arms, starts
from footfall.motions.keyframes import curve

SIDES = ("both", "left", "right")


def make(side: str = "right", swings: int = 3, seed: int = 0) -> Clip:
    if side not in SIDES:
        raise UnknownName("side", side, SIDES)
    if not 1 <= swings <= 50:
        raise ParameterError(f"swings must be 1 to 50, got {swings}")
    rng = action.random_of(seed)
    tempo = 1.0 + rng.uniform(-0.1, 0.1)
    start = starts.relaxed(width=rng.uniform(1.0, 1.25))
    up, period = 0.62 * tempo, 0.46 * tempo
    down = up + (swings + 0.25) * period
    end = action.on_frame(down + 0.8 * tempo)
    t = action.frames(end)
    raised = curve([(0.08, 0.0), (up, 1.0), (down, 1.0), (end - 0.04, 0.0)], t)
    body = curve([(0.0, 0.0), (up - 0.08, 1.0), (down - 0.05, 1.0), (end, 0.0)], t)
    busy = curve([(0.6 * up, 0.0), (up + 0.4 * period, 1.0), (down - 0.4 * period, 1.0), (down + 0.1, 0.0)], t)
    swing = busy * np.sin(2.0 * np.pi * (t - up) / period)

    plan = start.plan(t)
    both = side == "both"
    away = 0.0 if both else 1.0  # a single arm is balanced by the trunk
    right = _waving(start, raised, swing, rng)
    plan = replace(
        plan,
        turn=plan.turn + away * np.column_stack([-3.0 * body, 0.0 * t, -1.5 * body]),
        chest=plan.chest + np.column_stack([-4.0 * away * body, -2.0 * body, (-4.0 * body - 1.2 * swing) * away]),
        looks=0.7 * body,
        mass=start.balance[[0, 2]] + away * np.outer(body, [0.02, 0.0]),
        right=right,
        left=right if both else start.left,
    )
    middle = action.on_frame(0.5 * (up + down))
    clip = action.clip_of(plan, "wave", [*start.contacts(t), Event("apex", middle, middle)], {"swings": float(swings)})
    return mirror(clip) if side == "left" else clip


def _waving(start: starts.Start, raised: np.ndarray, swing: np.ndarray, rng: np.random.Generator) -> action.Hand:
    """The upper arm out to the side and level, the forearm up, swinging about the elbow."""
    elbow_out, lift = np.radians(rng.uniform(20.0, 32.0)), np.radians(rng.uniform(-14.0, -2.0))
    across = np.array([np.cos(elbow_out) * np.cos(lift), np.sin(lift), np.sin(elbow_out) * np.cos(lift)])
    elbow = arms.SHOULDER + np.array([0.0, 0.02, 0.0]) + arms.UPPER_ARM * across
    tilt = np.radians(6.0 + 24.0 * swing)  # of the forearm outwards from upright
    forearm = np.column_stack([np.sin(tilt), np.cos(tilt), np.full_like(tilt, 0.2)])
    wrist = elbow + arms.FOREARM * forearm / np.linalg.norm(forearm, axis=-1, keepdims=True)
    swivels = np.radians(20.0) * raised + (1.0 - raised) * float(np.mean(start.right.swivel))
    rest = np.broadcast_to(start.right.rest, wrist.shape)
    return replace(
        start.right, rest=arms.between_hands(rest, wrist, raised, np.array([0.5, 0.0, 0.7])), hangs=0.0, swivel=swivels
    )
