"""The body of SMPL-family files (AMASS, HumanML3D, Motion-X): joints by their published names and order.

A stand-in: the shape of a subject (betas) needs the licensed SMPL model files, so joints stand where a body of average
shape has them, rounded and made symmetric. Metres, Y up, facing +Z, arms out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from footfall.core.skeleton import JointRow, Place, Skeleton

LAYOUT_OF_WIDTH = {66: "SMPL body", 72: "SMPL", 156: "SMPL+H", 165: "SMPL-X"}  # three numbers a joint
BODY_JOINTS = 22  # that all of them share, and the first of each


def _both_sides(rows: Sequence[JointRow]) -> Iterator[JointRow]:
    """The rows, each joint of the left followed by its mirror image on the right."""
    for name, parent, place in rows:
        yield name, parent, place
        if name.startswith("left"):
            yield name.replace("left", "right"), parent.replace("left", "right"), _mirrored(place)


def _mirrored(place: Place | np.ndarray) -> Place:
    x, y, z = place
    return -x, y, z


# name, parent, place of the joint in the standing T-pose in cm: left, up, forward, from the model's own origin
BODY = (
    ("pelvis", "", (0.0, -22.0, 2.6)),
    ("left_hip", "pelvis", (6.9, -31.4, 2.2)),
    ("spine1", "pelvis", (0.0, -11.3, 0.3)),
    ("left_knee", "left_hip", (10.5, -69.3, 1.6)),
    ("spine2", "spine1", (0.0, 2.2, 0.4)),
    ("left_ankle", "left_knee", (9.0, -109.1, -2.7)),
    ("spine3", "spine2", (0.0, 7.5, 2.8)),
    ("left_foot", "left_ankle", (11.6, -114.3, 9.4)),
    ("neck", "spine3", (0.0, 28.6, -1.3)),
    ("left_collar", "spine3", (8.0, 19.4, -0.8)),
    ("head", "neck", (0.0, 35.3, 3.7)),
    ("left_shoulder", "left_collar", (17.4, 22.6, -1.7)),
    ("left_elbow", "left_shoulder", (43.0, 21.3, -4.2)),
    ("left_wrist", "left_elbow", (68.3, 22.1, -4.5)),
)
FACE = (("jaw", "head", (0.0, 34.5, 4.8)), ("left_eye", "head", (3.2, 41.5, 9.0)))
# finger: three joints and the tip, in cm from the left wrist
FINGERS = {
    "index": ((9.8, 0.3, 2.4), (13.1, 0.2, 2.7), (15.4, 0.0, 2.8), (17.5, -0.2, 2.8)),
    "middle": ((10.0, 0.5, 0.2), (13.2, 0.5, 0.0), (15.6, 0.2, -0.1), (18.0, 0.0, -0.2)),
    "pinky": ((7.7, -0.4, -4.1), (9.4, -0.5, -5.0), (11.1, -0.6, -5.7), (12.9, -0.8, -6.3)),
    "ring": ((9.0, 0.2, -2.0), (11.8, 0.2, -2.5), (14.3, 0.0, -2.9), (16.6, -0.2, -3.2)),
    "thumb": ((3.4, -1.0, 2.8), (5.9, -1.5, 4.8), (8.2, -1.7, 6.1), (10.4, -1.9, 7.1)),
}
HAND_CENTRE = (8.5, -0.8, -1.4)  # of SMPL without fingers, in cm from the left wrist
CROWN, TOE_TIP = (0.0, 17.0, 2.0), (0.5, -1.2, 7.5)  # cm, from the head and from the ball of the foot


def smpl_body(width: int) -> tuple[Skeleton, np.ndarray]:
    """Skeleton for a width of poses, standing along Y, and where the model has its pelvis (3,), metres."""
    joints = list(_both_sides(BODY))
    if width == 72:
        joints += [(f"{side}_hand", f"{side}_wrist", _from_wrist(side, HAND_CENTRE)) for side in ("left", "right")]
    if width == 165:
        joints += _both_sides(FACE)
    ends = [("head", CROWN), ("left_foot", TOE_TIP), ("right_foot", _mirrored(TOE_TIP))]
    for side in ("left", "right"):
        turn = _mirrored if side == "right" else tuple
        if width < 156:
            tip = np.subtract(FINGERS["middle"][3], HAND_CENTRE if width == 72 else 0.0)
            ends.append((f"{side}_{'hand' if width == 72 else 'wrist'}", turn(tip)))
            continue
        for finger, places in FINGERS.items():
            for k, place in enumerate(places[:3], start=1):
                parent = f"{side}_{finger}{k - 1}" if k > 1 else f"{side}_wrist"
                joints.append((f"{side}_{finger}{k}", parent, _from_wrist(side, place)))
            ends.append((f"{side}_{finger}3", turn(np.subtract(places[3], places[2]))))
    placed = Skeleton.of_rows(joints, ends)
    where, parents = placed.offsets / 100.0, placed.parents
    offsets = np.concatenate([np.zeros((1, 3)), where[1:] - where[parents[1:]]])
    return replace(placed, offsets=offsets, end_offsets=placed.end_offsets / 100.0), where[0]


def _from_wrist(side: str, place: Place) -> Place:
    wrist = next(p for name, _, p in _both_sides(BODY) if name == f"{side}_wrist")
    x, y, z = _mirrored(place) if side == "right" else place
    return wrist[0] + x, wrist[1] + y, wrist[2] + z
