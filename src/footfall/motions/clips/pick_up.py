"""Picking something up at a point (x, y, z) with one hand: knees and hips bend, the hand stays, the body rises.

It ends standing, the hand before the body. How far the trunk bends and how long it takes is as captured.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.motions import action, arms, starts
from footfall.motions.keyframes import curve
from footfall.motions.reaching import FOLLOWS, reach_posture, step_contacts, step_pitch, stepping_feet, steps_of

LOWEST, HIGHEST = 0.05, 1.0  # metres of the wrist over the floor
DOWN_S, GRASP_S, UP_S = 1.55, 0.4, 1.45  # for something on the floor: 26_09 takes 1.7 s down and 1.4 s up
HIGH = 0.6  # of these times that something at hip height takes
CARRIED = (0.02, -0.62, 0.55)  # arm lengths, the wrist from its shoulder when the body is up: 111_17, by eye
FREE_ARM = (0.1, 0.06, -0.12)  # metres the other hand goes out and back


def make(x: float = -0.2, y: float = 0.15, z: float = 0.4, side: str = "right", steps: int = 1, seed: int = 0) -> Clip:
    if not LOWEST <= y <= HIGHEST:
        raise ParameterError(
            f"y must be {LOWEST:g} to {HIGHEST:g} m over the floor for a pick-up, got {y:g}; try reach"
        )
    sign = action.sign_of(side)
    rng = action.random_of(seed)
    tempo = (1.0 + rng.uniform(-0.1, 0.1)) * (HIGH + (1.0 - HIGH) * (1.0 - y / HIGHEST))
    start = starts.relaxed(width=rng.uniform(1.05, 1.4))
    target = np.array([sign * x, y, z])
    posture, way = reach_posture(start, target, rng.uniform(0.9, 1.1), rng.uniform(0.87, 0.93), steps)

    apex = action.on_frame((DOWN_S + 0.4 * np.hypot(*way)) * tempo)
    stay = GRASP_S * tempo
    end = action.on_frame(apex + stay + UP_S * tempo)
    t = action.frames(end)

    def bent(late: float) -> np.ndarray:
        return curve([(late, 0.0), (apex - 0.03 + 0.3 * late, 1.0), (apex + stay, 1.0), (end - 0.1 + late, 0.0)], t)

    pelvis, chest, up = bent(0.02), bent(0.06), curve([(apex + 0.5 * stay, 0.0), (end - 0.15, 1.0)], t)
    hand = curve([(0.12, 0.0), (apex, 1.0), (apex + 0.6 * stay, 1.0), (end - 0.1, 0.0)], t)
    looks = curve([(0.0, 0.0), (0.4 * apex, 1.0), (apex + stay, 1.0), (end - 0.05, 0.0)], t)
    walks = steps_of(start, way, apex, end, tempo)
    pitch = step_pitch(walks, t)
    carried = FOLLOWS * np.array([way[0], 0.0, way[1]]) * pelvis[:, None]
    holds = arms.SHOULDER + arms.ARM * np.array(CARRIED)
    plan = start.plan(t)
    plan = replace(
        plan,
        pelvis=plan.pelvis - posture.down * bent(0.0)[:, None] * rotation.UP + carried,
        turn=action.toward(start.turn, posture.turn, pelvis),
        chest=action.toward(start.chest, posture.chest, chest),
        gaze=np.tile(target, (len(t), 1)),
        looks=0.9 * looks,
        mass=start.balance[[0, 2]] + posture.shift * pelvis[:, None] + carried[:, [0, 2]],
        left=replace(start.left, rest=start.left.rest + np.outer(chest, FREE_ARM)),
        right=replace(
            start.right, rest=action.toward(start.right.rest, holds, up), target=target, share=hand,
            target_swivel=np.radians(rng.uniform(-8.0, 12.0)), via=(0.25, -0.1, 0.5),
        ),
        feet=stepping_feet(start, walks, t, pitch),
    )  # fmt: skip
    return action.aimed_clip(plan, "pick_up", step_contacts(start, walks, t, pitch), apex, "Hand", side, (x, y, z))
