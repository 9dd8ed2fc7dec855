"""Joint positions without rotations (.npz with positions or joints, a frame rate, and names and parents).

Without names and parents an array of 22, 24, 52 or 55 joints is taken to have the joints of SMPL, SMPL+H or SMPL-X.
Rotations are fitted (`kinematics/from_positions.py`); the rest pose of other bodies is the frame they are longest in.
"""

from __future__ import annotations

import numpy as np

from footfall.core.clip import Inferred
from footfall.core.skeleton import MAX_JOINTS, Skeleton
from footfall.io.formats.world_npz import NAMES, PARENTS, RATES, parent_first
from footfall.io.npz_safe import Npz, keys_of
from footfall.io.positions_motion import motion_of_positions
from footfall.io.raw import RawMotion, Reading
from footfall.io.smpl_body import LAYOUT_OF_WIDTH, smpl_body

READS = (".npz",)
PLACES = ("positions", "joints", "joint_positions", "joints3d")
SMPL_JOINTS = {width // 3: width for width in LAYOUT_OF_WIDTH}


def recognises(reading: Reading) -> bool:
    keys = keys_of(reading)
    return not keys.isdisjoint(PLACES) and "quaternions" not in keys


def read(reading: Reading) -> list[RawMotion]:
    with Npz(reading) as archive:
        archive.warn_of_pickles()
        key = archive.first_of(*PLACES) or PLACES[0]
        shape = archive.header(key).shape
        if len(shape) != 3 or shape[2] != 3 or not shape[0] or not 1 <= shape[1] <= MAX_JOINTS:
            raise reading.fail(key, "shape (frames, joints, 3)", f"{shape}")
        positions = archive.numbers(key)
        names_key, parents_key = archive.first_of(*NAMES), archive.first_of(*PARENTS)
        fps = archive.frame_rate(RATES)
        named = names_key is not None and parents_key is not None
        if names_key and parents_key:
            names, parents = archive.text(names_key), archive.array(parents_key, "iu").astype(np.int64)
            body, order = _body(reading, names, parents, positions)
            positions, how = positions[:, order], "names and parents in the file"
        elif shape[1] in SMPL_JOINTS:
            body, how = smpl_body(SMPL_JOINTS[shape[1]])[0], f"{shape[1]} joints and no names: those of SMPL"
        else:
            known = ", ".join(map(str, SMPL_JOINTS))
            raise reading.fail("", f"arrays {NAMES[0]} and {PARENTS[0]}, or {known} joints", f"{shape[1]} joints")
    raw = motion_of_positions(reading, body, positions, Inferred(fps, "the file says so", 1.0), not named)
    raw.inferred["joints"] = Inferred("named" if named else "SMPL", how, 0.95)
    return [raw]


def _body(
    reading: Reading, names: list[str], parents: np.ndarray, positions: np.ndarray
) -> tuple[Skeleton, np.ndarray]:
    """The tree, at rest as in the frame in which it reaches farthest along an axis, and the order of its joints."""
    joints = positions.shape[1]
    if len(names) != joints or parents.shape != (joints,):
        raise reading.fail("", f"{joints} names and parents", f"{len(names)} and {parents.shape}")
    if len(set(names)) != joints:
        raise reading.fail(NAMES[0], "names that differ from each other", "the same name twice")
    order = parent_first(reading, parents)
    above = np.array([-1, *np.argsort(order)[parents[order[1:]]]])
    tall = int(np.ptp(positions, axis=1).max(axis=1).argmax())
    place = positions[tall, order]
    offsets = place - place[np.maximum(above, 0)]
    return Skeleton(tuple(names[i] for i in order), above, offsets), order
