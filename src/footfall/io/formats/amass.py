"""AMASS and other SMPL-family motion (.npz with poses, trans and a frame rate).

Rotations are exact. The body is a stand-in: the shape of a subject (betas) needs the licensed SMPL model files, so
joints stand where a body of average shape has them, rounded and made symmetric. Metres, Z up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Inferred
from footfall.core.pose import Pose
from footfall.core.skeleton import JointRow, Place, Skeleton
from footfall.io.npz_safe import Npz, keys_of
from footfall.io.raw import RawMotion, Reading

READS = (".npz",)
RATES = ("mocap_framerate", "mocap_frame_rate", "framerate", "frame_rate", "fps")
LAYOUT_OF_WIDTH = {66: "SMPL body", 72: "SMPL", 156: "SMPL+H", 165: "SMPL-X"}


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

Z_UP = rotation.axis_angle(rotation.AXES["X"], np.pi / 2)  # the model stands along Y, the files along Z


def recognises(reading: Reading) -> bool:
    return "poses" in keys_of(reading)


def read(reading: Reading) -> list[RawMotion]:
    with Npz(reading) as archive:
        archive.warn_of_pickles()
        shape = archive.header("poses").shape
        width = int(np.prod(shape[1:])) if len(shape) in (2, 3) else 0
        if width not in LAYOUT_OF_WIDTH or (len(shape) == 3 and shape[2] != 3):
            known = ", ".join(f"{w} ({name})" for w, name in LAYOUT_OF_WIDTH.items())
            raise reading.fail("poses", f"a table with a width of {known}", f"shape {shape}")
        vectors = archive.numbers("poses").reshape(shape[0], width // 3, 3)
        fps = archive.frame_rate(RATES)
        trans = _translation(archive, len(vectors))
    if not len(vectors):
        raise reading.fail("poses", "at least one frame", "none")
    skeleton, origin = stand_in(width)
    # the model turns about its pelvis, whose place is added to trans without being turned
    pose = Pose(trans + origin, rotation.exp(vectors))
    body = "a stand-in of average shape: betas (and dmpls) are not used, so lengths are not the subject's"
    inferred = {
        "layout": Inferred(LAYOUT_OF_WIDTH[width], f"poses is {width} wide", 1.0),
        "body": Inferred("average", body, 1.0),
    }
    return [RawMotion(skeleton, fps, pose, unit_m=1.0, up="z", inferred=inferred)]


def stand_in(width: int) -> tuple[Skeleton, np.ndarray]:
    """Skeleton for a width of poses, standing along Z, and where the model has its pelvis (3,), metres."""
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
    rest = placed.rest.copy()
    rest[0] = Z_UP
    offsets = np.concatenate([np.zeros((1, 3)), where[1:] - where[parents[1:]]])
    return replace(placed, offsets=offsets, rest=rest, end_offsets=placed.end_offsets / 100.0), where[0]


def _translation(archive: Npz, frames: int) -> np.ndarray:
    if "trans" not in archive:
        archive.reading.warn("", "no trans: the body stays in place")
        return np.zeros((frames, 3))
    trans = archive.numbers("trans")
    if trans.shape != (frames, 3):
        raise archive.reading.fail("trans", f"shape ({frames}, 3), one row a frame of poses", f"{trans.shape}")
    return trans


def _from_wrist(side: str, place: Place) -> Place:
    wrist = next(p for name, _, p in _both_sides(BODY) if name == f"{side}_wrist")
    x, y, z = _mirrored(place) if side == "right" else place
    return wrist[0] + x, wrist[1] + y, wrist[2] + z
