"""How a body reaches: the posture that brings a wrist to a point, and the step it takes where that is too far.

Knees bend for a low point, a step brings the body near a far one, and the trunk leans only as far as people's do.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.core.clip import Event
from footfall.motions import action, starts
from footfall.motions.apex import Freedom, Posture, apex_posture, shortage
from footfall.motions.body import ANKLE_HEIGHT
from footfall.motions.keyframes import Key, curve
from footfall.motions.rolling_feet import Stand, clear_of_floor, contact_spans, rolling_foot

HIP, FLOOR = 0.92, 0.1  # metres: from hip height down the trunk may bend more and more, fully at the floor
# Captured reaches and catches lean 4 to 15°, turn the hips by 9 to 36° and the shoulders by 6 to 61°; one for the floor
# leans 75°. Pelvis down; pelvis and chest yaw, pitch, roll; mass left and forward.
UPRIGHT = Freedom(
    rest=np.array([0.0, 12.0, 0.0, 0.0, 9.0, 3.0, 0.0, 0.0, 0.0]),
    scale=np.array([0.16, 16.0, 9.0, 5.0, 20.0, 12.0, 6.0, 0.03, 0.05]),
    low=np.array([-0.02, -42.0, -4.0, -6.0, -44.0, -10.0, -8.0, -0.09, -0.05]),
    high=np.array([0.34, 42.0, 9.0, 6.0, 44.0, 12.0, 8.0, 0.09, 0.1]),
)
BENT = Freedom(
    rest=np.array([0.05, 9.0, 10.0, 0.0, 6.0, 8.0, 0.0, 0.0, 0.0]),
    scale=np.array([0.34, 16.0, 30.0, 6.0, 18.0, 24.0, 8.0, 0.03, 0.03]),
    low=np.array([-0.02, -38.0, -6.0, -10.0, -40.0, -14.0, -20.0, -0.07, -0.05]),
    high=np.array([0.45, 38.0, 55.0, 10.0, 40.0, 40.0, 20.0, 0.07, 0.07]),
)
LONG_ARM = 0.972  # arm lengths from shoulder to wrist at most
SHORT = 0.004  # metres that a body may lack without taking a step
STRIDE, SHORTEST, LONGEST = 1.7, 0.16, 0.75  # of what is lacking a step brings; the shortest and longest, metres
FOLLOWS = 0.6  # of a step: how far the weight goes with it
SWING_S, LIFT = 0.36, 0.1  # of a step: seconds in the air, metres the ankle rises


class Steps(NamedTuple):
    """The right foot's way out and back; without a step it stands."""

    way: np.ndarray  # (2,) metres to the left and forward
    stands: tuple[Stand, ...]

    @property
    def steps(self) -> bool:
        return len(self.stands) > 1


def reach_posture(
    start: starts.Start, target: np.ndarray, involved: float, extension: float, steps: int = 1
) -> tuple[Posture, np.ndarray]:
    """The trunk at the apex, seen from where the weight is, and the step (2,) it takes to get there; steps 0: none."""
    bent = float(np.clip((HIP - target[1]) / (HIP - FLOOR), 0.0, 1.0))
    freedom = Freedom(*(a + bent * (b - a) for a, b in zip(UPRIGHT, BENT, strict=True)))
    freedom = freedom._replace(scale=freedom.scale * np.where(np.isin(np.arange(9), (4, 5, 6)), involved, 1.0))
    way, far = np.zeros(2), (0.5, extension)
    posture = apex_posture(start, target, freedom, far)
    for _ in range(3 * min(steps, 1)):
        moved, seen = _stepped(start, target, way)
        lacking = shortage(moved, seen, posture, LONG_ARM)
        if np.linalg.norm(lacking) < SHORT:
            break
        ahead = np.array(lacking) / max(float(np.linalg.norm(lacking)), 1e-9)
        way = way + (STRIDE / FOLLOWS) * np.linalg.norm(lacking) * ahead
        length = float(np.linalg.norm(way))
        way = way * np.clip(length, SHORTEST, LONGEST) / length
        moved, seen = _stepped(start, target, way)
        posture = apex_posture(moved, seen, freedom, far)
    return posture, way


def _stepped(start: starts.Start, target: np.ndarray, way: np.ndarray) -> tuple[starts.Start, np.ndarray]:
    """The stance after a step, and the target (3,), both as seen from where the weight has gone."""
    gone = FOLLOWS * way
    left, right = (s._replace(x=s.x - gone[0], z=s.z - gone[1]) for s in start.stands)
    right = right._replace(x=right.x + way[0], z=right.z + way[1])
    return replace(start, stands=(left, right)), target - np.array([gone[0], 0.0, gone[1]])


def steps_of(start: starts.Start, way: np.ndarray, apex: float, end: float, tempo: float) -> Steps:
    home = start.stands[1]
    if not way.any():
        return Steps(way, (home,))
    swing = SWING_S * tempo
    out, back = 0.16 * tempo, end - swing - 0.3 * tempo
    there = home._replace(x=home.x + way[0], z=home.z + way[1], start_s=out + swing, end_s=max(back, apex + 0.15))
    return Steps(way, (home._replace(end_s=out), there, home._replace(start_s=there.end_s + swing)))


def step_pitch(steps: Steps, t: np.ndarray) -> np.ndarray:
    """(T,) of the stepping foot: the heel leaves first and comes down first; stepping back it lands on the ball."""
    if not steps.steps:
        return np.zeros(len(t))
    home, there, again = steps.stands
    keys = [(home.end_s - 0.12, 0.0), (home.end_s, -0.35), (there.start_s, 0.12), (there.start_s + 0.1, 0.0)]
    keys += [(there.end_s - 0.1, 0.0), (there.end_s, 0.06), (again.start_s, -0.2), (again.start_s + 0.12, 0.0)]
    return curve([(-1.0, 0.0), *keys, (t[-1] + 1.0, 0.0)], t)


def stepping_feet(start: starts.Start, steps: Steps, t: np.ndarray, pitch: np.ndarray) -> action.FeetOf:
    still = rolling_foot([start.stands[0]], t, np.zeros(len(t)))
    flights = []
    for before, after in zip(steps.stands[:-1], steps.stands[1:], strict=True):
        middle = 0.5 * (before.end_s + after.start_s)
        flights.append([Key(middle, [0.5 * (before.x + after.x), ANKLE_HEIGHT + LIFT, 0.5 * (before.z + after.z)])])
    foot = rolling_foot(steps.stands, t, pitch, flights)
    for before, after in zip(steps.stands[:-1], steps.stands[1:], strict=True):
        foot = clear_of_floor(foot, t, before.end_s, after.start_s)
    return lambda pelvis, turn: (still, foot)


def step_contacts(start: starts.Start, steps: Steps, t: np.ndarray, pitch: np.ndarray) -> list[Event]:
    events = contact_spans("left", start.stands[:1], t, np.zeros(len(t)))
    return events + contact_spans("right", steps.stands, t, pitch)
