"""The built-in body: a symmetric adult of 1.75 m, 22 joints, standing in a T-pose and facing +Z.

Segment lengths follow the usual anthropometric shares of stature (thigh .245, shank .246, foot .152, upper arm .186,
forearm .146; Drillis & Contini 1966), rounded to millimetres.
"""

from __future__ import annotations

from functools import cache

from footfall.core.skeleton import Skeleton

THIGH, SHANK = 0.429, 0.431
ANKLE_HEIGHT = 0.078  # of the ankle joint over the sole
BALL_HEIGHT = 0.022  # of the toe joint over the sole
BALL_FORWARD = 0.135  # toe joint ahead of the ankle
TOE_LENGTH = 0.062
TIP_HEIGHT = 0.005  # of the toe tip's end site over the sole
HEEL_BACK = 0.052  # heel's contact point behind the ankle
HIP_HALF = 0.088  # half the distance between the hip joints
HIP_DROP = 0.02  # hip joints below the pelvis joint
LEG = THIGH + SHANK
HIP_HEIGHT = LEG + ANKLE_HEIGHT  # of the hip joints when standing straight

_ARM = [  # joint, parent, offset of the left one
    ("Shoulder", "Spine2", (0.035, 0.105, 0.012)),
    ("Arm", "Shoulder", (0.135, 0.0, -0.012)),
    ("ForeArm", "Arm", (0.292, 0.0, 0.0)),
    ("Hand", "ForeArm", (0.252, 0.0, 0.0)),
]
_LEG = [
    ("UpLeg", "Hips", (HIP_HALF, -HIP_DROP, 0.0)),
    ("Leg", "UpLeg", (0.0, -THIGH, 0.0)),
    ("Foot", "Leg", (0.0, -SHANK, 0.0)),
    ("ToeBase", "Foot", (0.0, BALL_HEIGHT - ANKLE_HEIGHT, BALL_FORWARD)),
]
_TRUNK = [
    ("Hips", "", (0.0, HIP_HEIGHT + HIP_DROP, 0.0)),
    ("Spine", "Hips", (0.0, 0.095, -0.012)),
    ("Spine1", "Spine", (0.0, 0.125, -0.008)),
    ("Spine2", "Spine1", (0.0, 0.125, 0.004)),
    ("Neck", "Spine2", (0.0, 0.15, 0.002)),
    ("Head", "Neck", (0.0, 0.08, 0.012)),
]


@cache
def adult() -> Skeleton:
    """The built-in skeleton; end sites mark crown, fingertips, heels and toe tips."""
    rows = [*_TRUNK]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        for chain in (_ARM, _LEG):
            for joint, parent, (x, y, z) in chain:
                above = parent if parent in ("Spine2", "Hips") else side + parent
                rows.append((side + joint, above, (sign * x, y, z)))
    ends = [("Head", (0.0, 0.22, 0.02))]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        ends.append((f"{side}Hand", (sign * 0.18, 0.0, 0.0)))
        ends.append((f"{side}Foot", (0.0, -ANKLE_HEIGHT, -HEEL_BACK)))
        ends.append((f"{side}ToeBase", (0.0, TIP_HEIGHT - BALL_HEIGHT, TOE_LENGTH)))
    return Skeleton.of_rows(rows, ends)
