"""The stances actions start from and return to, as targets: relaxed, and fighting with the left foot forward."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Event
from footfall.motions import action, arms, rig, stance
from footfall.motions.action import Hand, Plan
from footfall.motions.body import HIP_DROP
from footfall.motions.captured_keys import captured_keys
from footfall.motions.gait_change import STAND_HALF
from footfall.motions.locomotion import TOE_OUT
from footfall.motions.rolling_feet import Stand, contact_spans, rolling_foot

GUARD = np.array([-0.02, 0.06, 0.02])  # metres that fists are held higher and closer than captured: by eye


@dataclass(frozen=True)
class Start:
    """A stance: feet, how high the hip joints are, trunk angles in degrees (yaw, pitch, roll), resting hands."""

    stands: tuple[Stand, Stand]  # left, right
    hips: float
    turn: tuple[float, float, float]
    chest: tuple[float, float, float]
    left: Hand
    right: Hand

    @property
    def pelvis(self) -> np.ndarray:  # (3,)
        return np.array([0.0, self.hips + HIP_DROP, 0.0])

    def plan(self, t: np.ndarray) -> Plan:
        """The stance held, looking ahead."""
        left, right = (rolling_foot([stand], t, np.zeros(len(t))) for stand in self.stands)

        return Plan(
            t, np.tile(self.pelvis, (len(t), 1)), np.tile(self.turn, (len(t), 1)), np.tile(self.chest, (len(t), 1)),
            np.tile([0.0, 1.5, 4.0], (len(t), 1)), np.zeros(len(t)), self.left, self.right, lambda *_: (left, right),
            (self.knee_yaw(0, t), self.knee_yaw(1, t)),
        )  # fmt: skip

    def knee_yaw(self, side: int, t: np.ndarray) -> np.ndarray:
        """(T,) where a knee points in this stance: between the foot and the pelvis."""
        return np.full(len(t), 0.6 * self.stands[side].yaw + 0.4 * np.radians(self.turn[0]))

    def contacts(self, t: np.ndarray) -> list[Event]:
        """Both feet down all along."""
        flat, (left, right) = np.zeros(len(t)), self.stands
        return contact_spans("left", [left], t, flat) + contact_spans("right", [right], t, flat)

    @cached_property
    def balance(self) -> np.ndarray:
        """(3,) the centre of mass in this stance."""
        plan = self.plan(np.zeros(1))
        turn = action.turned(plan.turn)
        pose = action.compose(plan, plan.pelvis, turn, plan.feet(plan.pelvis, turn))
        return np.asarray(rig.center_of_mass(pose)[0])


def relaxed(width: float = 1.0) -> Start:
    """Standing at ease, arms hanging; width scales the distance between the feet."""
    wrist, swivel = arms.swivel_of(stance.RELAXED.left_arm, stance.RELAXED.left_forearm)
    hand = Hand(wrist, swivel, hangs=0.75)
    half = width * STAND_HALF
    stands = (Stand(half, 0.0, TOE_OUT), Stand(-half, 0.0, -TOE_OUT))
    return Start(stands, stance.HIP_STANDING, (0.0, 0.0, 0.0), (0.0, stance.LEAN_DEG, 0.0), hand, hand)


def fighting(width: float = 1.0, crouch: float = 0.055) -> Start:
    """Left foot forward, body turned away to the right, knees bent, fists before the chest, as captured boxers."""
    stands = (
        Stand(0.12 * width, 0.17 * width, np.radians(-6.0)),
        Stand(-0.12 * width, -0.17 * width, np.radians(-40.0)),
    )
    held = captured_keys("punch", 0.0)
    turn, chest = (held.at_rest(channel) for channel in ("pelvis", "chest"))
    left, right = (arms.SHOULDER + arms.ARM * held.at_rest(f"{side}_wrist") + GUARD for side in ("left", "right"))
    hips = stance.HIP_STANDING - crouch - 0.02
    return Start(stands, hips, (turn[0], turn[1], 0.0), (chest[0], chest[1], 0.0), Hand(left), Hand(right))


def facing(angle_deg: float) -> np.ndarray:
    """Unit vector on the floor, degrees to the left of forward."""
    return np.asarray(rotation.rotate(rotation.yaw(np.radians(angle_deg)), rotation.AXES["Z"]))
