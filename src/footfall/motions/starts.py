"""The stances actions start from and return to, as targets: relaxed, and fighting with the left foot forward."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Event
from footfall.kinematics.fk import world_positions
from footfall.motions import action, arms, stance
from footfall.motions.action import Hand, Plan
from footfall.motions.body import HIP_DROP, adult
from footfall.motions.gait_change import STAND_HALF
from footfall.motions.locomotion import TOE_OUT
from footfall.motions.mass import center_of_mass
from footfall.motions.rolling_feet import Stand, contact_spans, rolling_foot


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
        still = [np.zeros(len(t)), np.zeros(len(t))]

        def feet(pelvis: np.ndarray, turn: np.ndarray) -> action.Feet:
            left, right = (rolling_foot([stand], t, flat) for stand, flat in zip(self.stands, still, strict=True))
            return left, right

        return Plan(
            t, np.tile(self.pelvis, (len(t), 1)), np.tile(self.turn, (len(t), 1)), np.tile(self.chest, (len(t), 1)),
            np.tile([0.0, 1.5, 4.0], (len(t), 1)), np.zeros(len(t)), self.left, self.right, feet,
            (self.knee_yaw(0, t), self.knee_yaw(1, t)),
        )  # fmt: skip

    def knee_yaw(self, side: int, t: np.ndarray) -> np.ndarray:
        """(T,) where a knee points in this stance: between the foot and the pelvis."""
        return np.full(len(t), 0.6 * self.stands[side].yaw + 0.4 * np.radians(self.turn[0]))

    def contacts(self, t: np.ndarray) -> list[Event]:
        """Both feet down all along."""
        flat = np.zeros(len(t))
        left, right = (
            contact_spans(side, [s], t, flat) for side, s in zip(("left", "right"), self.stands, strict=True)
        )
        return left + right

    @cached_property
    def balance(self) -> np.ndarray:
        """(3,) the centre of mass in this stance."""
        plan = self.plan(np.zeros(1))
        turn = action.turned(plan.turn)
        pose = action.compose(plan, plan.pelvis, turn, plan.feet(plan.pelvis, turn))
        return np.asarray(center_of_mass(world_positions(adult(), pose))[0])


def relaxed(width: float = 1.0) -> Start:
    """Standing at ease, arms hanging; width scales the distance between the feet."""
    upper = stance.RELAXED.upper(1)
    wrist, swivel = arms.swivel_of(upper.left_arm[0], upper.left_forearm[0])
    hand = Hand(wrist, swivel, hangs=0.75)
    half = width * STAND_HALF
    stands = (Stand(half, 0.0, TOE_OUT), Stand(-half, 0.0, -TOE_OUT))
    lean = stance.RELAXED.chest[0]
    return Start(stands, stance.HIP_STANDING, (0.0, 0.0, 0.0), (0.0, lean, 0.0), hand, hand)


def fighting(width: float = 1.0, crouch: float = 0.055) -> Start:
    """Left foot forward, body turned away to the right, knees bent, fists before the face."""
    stands = (
        Stand(0.12 * width, 0.17 * width, np.radians(-6.0)),
        Stand(-0.12 * width, -0.17 * width, np.radians(-48.0)),
    )
    left = Hand(arms.SHOULDER + np.array([-0.05, 0.06, 0.33]), np.radians(-8.0))
    right = Hand(arms.SHOULDER + np.array([-0.07, 0.07, 0.24]), np.radians(-12.0))
    hips = stance.HIP_STANDING - crouch - 0.02
    return Start(stands, hips, (-34.0, 6.0, 0.0), (-4.0, 10.0, 0.0), left, right)


def facing(angle_deg: float) -> np.ndarray:
    """Unit vector on the floor, degrees to the left of forward."""
    return np.asarray(rotation.rotate(rotation.yaw(np.radians(angle_deg)), rotation.AXES["Z"]))
