"""Motion-X motion (.npy): SMPL-X pose, face, travel and shape in 322 numbers a frame, 30 frames a second.

Lin et al. 2023, "Motion-X: A Large-scale 3D Expressive Whole-body Human Motion Dataset". Body, hands and jaw move the
stand-in body of `io/smpl_body.py`; eyes rest, expressions and the shape of the face are not used. Metres; the axis
that points up differs between its parts and is found from the body.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Inferred
from footfall.core.pose import Pose
from footfall.io.formats.amass import Z_UP
from footfall.io.npz_safe import load_npy, npy_shape
from footfall.io.raw import RawMotion, Reading
from footfall.io.smpl_body import BODY_JOINTS, smpl_body

READS = (".npy",)
FPS = 30.0  # published (Lin et al. 2023)
WIDTH = 322
BODY, HANDS, JAW, TRAVEL, BETAS = slice(0, 66), slice(66, 156), slice(156, 159), slice(309, 312), slice(312, 322)
SMPL_X = 165


def recognises(reading: Reading) -> bool:
    return npy_shape(reading)[1:] == (WIDTH,)


def read(reading: Reading) -> list[RawMotion]:
    table = load_npy(reading).astype(float)
    if table.ndim != 2 or table.shape[1] != WIDTH or not len(table):
        raise reading.fail("", f"shape (frames, {WIDTH}) with at least one frame", f"{table.shape}")
    body, origin = smpl_body(SMPL_X)
    vectors = np.zeros((len(table), len(body), 3))
    vectors[:, :BODY_JOINTS] = table[:, BODY].reshape(-1, BODY_JOINTS, 3)
    vectors[:, BODY_JOINTS] = table[:, JAW]
    vectors[:, BODY_JOINTS + 3 :] = table[:, HANDS].reshape(len(table), -1, 3)  # after jaw and two eyes
    turns = rotation.exp(vectors)
    stands = rotation.rotate(turns[:, 0], rotation.UP).mean(axis=0)  # where the model's up points to, mostly
    if abs(stands[2]) > abs(stands[1]):
        body = replace(body, rest=np.concatenate([Z_UP[None], body.rest[1:]]))
    given = reading.options.fps
    kept = "the file's, kept for writing it back"
    inferred = {
        "fps": Inferred(FPS, "Motion-X's; the file does not say", 0.9)
        if given is None
        else Inferred(given, "given", 1.0),
        "layout": Inferred("Motion-X", f"shape {table.shape}", 0.95),
        "body": Inferred("average", "a stand-in of average shape: betas and face are not used", 1.0),
        "betas": Inferred(tuple(float(b) for b in table[0, BETAS]), kept, 1.0),
    }
    pose = Pose(table[:, TRAVEL] + origin, turns)
    return [RawMotion(body, float(inferred["fps"].value), pose, unit_m=1.0, inferred=inferred)]
