"""HumanML3D motion (.npy): positions of 22 joints, or its vectors of 263 features, 20 frames a second.

Guo et al. 2022, "Generating Diverse and Natural 3D Human Motions from Text". A vector holds the root's turn and travel
since the frame before, its height, then the other joints in the root's frame; its rotations, speeds and contacts follow
from those and are not used. Metres, Y up.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, Inferred
from footfall.io.formats.amass import need_smpl
from footfall.io.npz_safe import load_npy, npy_shape
from footfall.io.npz_write import packed_npy
from footfall.io.positions_motion import motion_of_positions
from footfall.io.raw import RawMotion, Reading
from footfall.io.save import atomic_write
from footfall.io.smpl_body import BODY_JOINTS, smpl_body

READS = (".npy",)
WRITES = (".npy",)
FPS = 20.0  # published (Guo et al. 2022)
VECTOR = 263  # 4 of the root, 21 joints x 3 places, 21 x 6 rotations, 22 x 3 speeds, 4 contacts
ROOT = 4  # numbers of the root: half its turn, its travel along x and z, its height
OTHER_LAYOUTS = ((322,),)  # shapes of a frame that another reader of .npy takes
CURE = "vectors that were made zero-mean for training must be made whole first: vectors * Std + Mean"


def recognises(reading: Reading) -> bool:
    return npy_shape(reading)[1:] not in OTHER_LAYOUTS  # what nobody knows is refused here, with its shape


def read(reading: Reading) -> list[RawMotion]:
    array = load_npy(reading).astype(float)
    if array.ndim == 3 and array.shape[1:] == (BODY_JOINTS, 3):
        positions, layout = array, f"{BODY_JOINTS} joint positions"
    elif array.ndim == 2 and array.shape[1] == VECTOR:
        positions, layout = positions_of_vectors(array), f"vectors of {VECTOR}"
    else:
        expected = f"(frames, {BODY_JOINTS}, 3) or (frames, {VECTOR}) of HumanML3D, or (frames, 322) of Motion-X"
        raise reading.fail("", expected, f"shape {array.shape}")
    if not len(positions):
        raise reading.fail("", "at least one frame", "none")
    given = reading.options.fps
    fps = Inferred(FPS, "HumanML3D's; the file does not say", 0.9) if given is None else Inferred(given, "given", 1.0)
    raw = motion_of_positions(reading, smpl_body(3 * BODY_JOINTS)[0], positions, fps, True, cure=CURE)
    raw.unit_m, raw.up = 1.0, None if reading.options.up else "y"
    raw.inferred["layout"] = Inferred(f"HumanML3D: {layout}", f"shape {array.shape}", 0.95)
    return [raw]


def write(clip: Clip, path: Path) -> None:
    """Positions (T, 22, 3) as float32, at 20 frames a second; the clip must be on the body of SMPL."""
    need_smpl(clip.skeleton, path.name, "smpl")
    at_rate = clip if abs(clip.fps - FPS) < 1e-9 else clip.resample(FPS)
    joints = clip.skeleton.indices(smpl_body(3 * BODY_JOINTS)[0].names)
    atomic_write(path, packed_npy(at_rate.positions[:, joints].astype(np.float32)))


def positions_of_vectors(vectors: np.ndarray) -> np.ndarray:
    """(T, 22, 3) places of the joints that vectors (T, 263) describe; the root starts over the origin, facing +Z."""
    steps = np.concatenate([np.zeros((1, 3)), vectors[:-1, :3]])  # a row says what happens until the next
    turn = rotation.yaw(-2.0 * np.cumsum(steps[:, 0]))  # the root's frame in the world
    travel = np.stack([steps[:, 1], np.zeros(len(steps)), steps[:, 2]], axis=-1)
    root = np.cumsum(rotation.rotate(turn, travel), axis=0)
    places = vectors[:, ROOT : ROOT + 3 * (BODY_JOINTS - 1)].reshape(-1, BODY_JOINTS - 1, 3)
    joints = rotation.rotate(turn[:, None], places) + root[:, None]
    root[:, 1] = vectors[:, 3]
    return np.concatenate([root[:, None], joints], axis=1)
