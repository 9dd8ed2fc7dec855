"""Offset of motion matching: from the pose shown last to the frames that play now, and how it dies away (Bollo 2018).

Everything happens on the carrier: the carrier itself goes on from where it is, and takes the new motion's velocity
without a step.
"""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.easing import ease
from footfall.core.pose import Pose
from footfall.edit.coast import most_spin
from footfall.joins.methods.inertialize import MOST_M_S2, MOST_RAD_S2, quintic

MOST_SPEED = 5.0  # m/s: a root offset that is faster was put somewhere else, it did not move


class Inertia:
    """The offset of a pose on its carrier from the motion that plays, dying away."""

    __slots__ = ("age", "length", "place", "place_rate", "rate", "turn", "turn_rate")

    def __init__(
        self, before: Pose, now: Pose, new_before: Pose, new_now: Pose, dt: float, rate: np.ndarray, length: float
    ) -> None:
        """From the last two poses that were shown, the same two moments of the new motion, and the travel rate (3,)
        that is lost."""
        turn = _apart(new_now.rot, now.rot)
        was = rotation.nearer_way(_apart(new_before.rot, before.rot), turn)
        self.turn, self.turn_rate = turn, most_spin((turn - was) / dt)
        self.place = now.root_pos - new_now.root_pos
        speed = (self.place - (before.root_pos - new_before.root_pos)) / dt
        self.place_rate = speed * min(1.0, MOST_SPEED / max(float(np.linalg.norm(speed)), 1e-9))
        self.rate = rate
        self.age, self.length = 0.0, length

    def travel(self, dt: float) -> np.ndarray:
        """(3,) what the carrier still goes of its old velocity in the next dt seconds."""
        middle = (self.age + 0.5 * dt) / self.length
        return self.rate * (dt * float(1.0 - ease(np.array(middle))))

    def pose(self, pose: Pose) -> Pose:
        """The pose with what is left of the offset on it."""
        at = np.array([self.age])
        turn = quintic(self.turn, self.turn_rate, self.length, at, MOST_RAD_S2)[0]
        place = quintic(self.place, self.place_rate, self.length, at, MOST_M_S2)[0]
        return Pose(pose.root_pos + place, rotation.multiply(pose.rot, rotation.exp(turn)), pose.pos)

    @property
    def over(self) -> bool:
        return self.age >= self.length


def _apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return rotation.log(rotation.multiply(rotation.conjugate(a), b))
