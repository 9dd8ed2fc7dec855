"""Standing: the relaxed and the fighting stance that actions start from, with breathing and sway."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.core import rotation
from footfall.motions.body import ANKLE_HEIGHT, LEG
from footfall.motions.rig import Upper

HIP_STANDING = ANKLE_HEIGHT + 0.985 * LEG  # a relaxed stance keeps the knees a little soft

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class UpperPosture:
    """A posture of the upper body: rotation vectors in degrees, each against the part that carries it."""

    chest: Vector = (3.0, 0.0, 0.0)
    head: Vector = (-2.0, 0.0, 0.0)
    left_arm: Vector = (4.0, -8.0, -82.0)  # from a T-pose: hanging, a little forward
    left_forearm: Vector = (0.0, -16.0, 4.0)
    right_arm: Vector = (4.0, 8.0, 82.0)
    right_forearm: Vector = (0.0, 16.0, -4.0)

    def upper(self, frames: int) -> Upper:
        """The posture held for a number of frames."""
        parts = (self.chest, self.head, self.left_arm, self.left_forearm, self.right_arm, self.right_forearm)
        return Upper(*(np.tile(rotation.exp(np.radians(p)), (frames, 1)) for p in parts))


RELAXED = UpperPosture()
