"""Arms to hand targets: from a wrist's place, seen from the chest, to the rotations of girdle, arm and forearm.

All formulas are for the left arm; the right one is its mirror image. The shoulder girdle follows the hand a little, the
more the higher it goes. The elbow's side comes from a field of hinge axes over the directions an arm can point to:
hanging, elbows point back; forward, down; overhead, out and forward. A swivel turns it about the line from shoulder to
wrist.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.motions.body import adult
from footfall.motions.rig import bent_limb

MIRROR = rotation.MIRROR_VECTOR


def _offset(joint: str) -> np.ndarray:
    body = adult()
    return body.offsets[body.names.index(joint)]


GIRDLE, TO_ARM = _offset("LeftShoulder"), _offset("LeftArm")
UPPER_ARM, FOREARM = float(_offset("LeftForeArm")[0]), float(_offset("LeftHand")[0])
ARM = UPPER_ARM + FOREARM
SHOULDER = GIRDLE + TO_ARM  # from the chest joint, girdle at rest
SOFT_FROM = 0.985


class Arm(NamedTuple):
    """Rotations (T, 4): girdle and upper arm against the chest, forearm against the upper arm."""

    girdle: np.ndarray
    upper: np.ndarray
    forearm: np.ndarray


def pointing(swing: np.ndarray | float, out: np.ndarray | float, extension: np.ndarray | float) -> np.ndarray:
    """(..., 3) a left wrist, from the chest: degrees swung forward from hanging and out to the side, share of ARM."""
    s, o = np.radians(swing), np.radians(out)
    direction = np.stack(np.broadcast_arrays(np.sin(o), -np.cos(o) * np.cos(s), np.cos(o) * np.sin(s)), axis=-1)
    return SHOULDER + ARM * np.asarray(extension)[..., None] * direction


def between_hands(start: np.ndarray, end: np.ndarray, share: np.ndarray, via: np.ndarray) -> np.ndarray:
    """(T, 3) left wrists on the way from start to end (both (T, 3), from the chest), share 0 to 1.

    Direction and distance from the shoulder are blended, so that the hand moves on an arc and never further out than
    its ends; via (3,) bends the way, the more the wider the angle.
    """
    a, b = start - SHOULDER, end - SHOULDER
    far_a, far_b = (np.linalg.norm(v, axis=-1, keepdims=True) for v in (a, b))
    a, b = a / far_a, b / far_b
    w = share[:, None]
    wide = 0.5 * (1.0 - (a * b).sum(axis=-1, keepdims=True))
    inside = np.clip(w, 0.0, 1.0)
    hump = 16.0 * (inside * (1.0 - inside)) ** 2
    direction = (1.0 - w) * a + w * b + hump * wide * via
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    return SHOULDER + direction * ((1.0 - w) * far_a + w * far_b)


def left_arm(wrist: np.ndarray, swivel: np.ndarray | float = 0.0) -> Arm:
    """The arm that brings its wrist to (T, 3), from the chest; swivel (T,) radians lifts the elbow outwards."""
    girdle, start = girdle_of(wrist)
    aim = wrist - start
    aim = aim / np.linalg.norm(aim, axis=-1, keepdims=True)
    elbow = rotation.rotate(rotation.axis_angle(aim, swivel), rotation.cross(aim, _hinge(aim)))
    solved = bent_limb(start, wrist, elbow, UPPER_ARM, FOREARM, SOFT_FROM)
    upper, lower = solved.mid - start, solved.end - solved.mid
    hinge = rotation.cross(upper, lower)
    arm, forearm = _bone(upper, hinge), _bone(lower, hinge)
    return Arm(girdle, arm, rotation.multiply(rotation.conjugate(arm), forearm))


def mirrored(arm: Arm) -> Arm:
    """The same arm on the other side."""
    return Arm(*(q * rotation.MIRROR_ROTATION for q in arm))


def swivel_of(upper: np.ndarray, forearm: np.ndarray) -> tuple[np.ndarray, float]:
    """Wrist (3,), from the chest, and swivel of a left arm given by rotations (4,)."""
    direction = rotation.rotate(upper, rotation.AXES["X"])
    lower = rotation.rotate(rotation.multiply(upper, forearm), rotation.AXES["X"])
    wrist = SHOULDER + UPPER_ARM * direction + FOREARM * lower
    for _ in range(20):  # the girdle moves with the wrist: settle both
        _, start = girdle_of(wrist)
        wrist = start + UPPER_ARM * direction + FOREARM * lower
    aim = (wrist - start) / np.linalg.norm(wrist - start)
    usual, own = rotation.cross(aim, _hinge(aim)), direction - (direction @ aim) * aim
    return wrist, float(np.arctan2(rotation.cross(usual, own) @ aim, usual @ own))


def girdle_of(wrist: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Girdle rotation (..., 4) and shoulder joint (..., 3) for a wrist."""
    aim = wrist - SHOULDER
    aim = aim / np.linalg.norm(aim, axis=-1, keepdims=True)
    share = 0.12 + 0.07 * (1.0 + aim[..., 1:2])
    girdle = rotation.exp(share * rotation.log(rotation.between(rotation.AXES["X"], aim)))
    return girdle, GIRDLE + rotation.rotate(girdle, TO_ARM)


def _hinge(aim: np.ndarray) -> np.ndarray:
    """Axis the elbow bends about, for an arm that points along aim (..., 3)."""
    x, y = aim[..., 0], aim[..., 1]
    return np.stack([np.full_like(x, -1.0), -0.5 - 0.3 * x, 0.2 + 0.7 * x + 0.8 * y], axis=-1)


def _bone(along: np.ndarray, hinge: np.ndarray) -> np.ndarray:
    """Rotation whose +X is the bone's direction and whose -Y is the hinge axis."""
    x = along / np.linalg.norm(along, axis=-1, keepdims=True)
    y = -hinge / np.linalg.norm(hinge, axis=-1, keepdims=True)
    return rotation.from_matrix(np.stack([x, y, rotation.cross(x, y)], axis=-1))
