"""Standing at ease: how high the hips are, and how trunk and arms are held."""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.motions.body import ANKLE_HEIGHT, LEG
from footfall.motions.rig import Upper

HIP_STANDING = ANKLE_HEIGHT + 0.985 * LEG  # a relaxed stance keeps the knees a little soft
LEAN_DEG = 3.0  # of the chest, forward
_VECTORS = Upper(  # rotation vectors in degrees, each against the part that carries it
    chest=np.array([LEAN_DEG, 0.0, 0.0]),
    head=np.array([-2.0, 0.0, 0.0]),
    left_arm=np.array([4.0, -8.0, -82.0]),  # from a T-pose: hanging, a little forward
    left_forearm=np.array([0.0, -16.0, 4.0]),
    right_arm=np.array([4.0, 8.0, 82.0]),
    right_forearm=np.array([0.0, 16.0, -4.0]),
)
RELAXED = Upper(*(rotation.exp(np.radians(vector)) for vector in _VECTORS))  # (4,) each
