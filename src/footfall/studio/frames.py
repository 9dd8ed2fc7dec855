"""Binary frames: world poses of takes, previews, characters, joins and blends, as little-endian floats for the page.

Header of eight 4-byte words: magic, kind, serial, track, frames, joints (all u32), frames a second, start (f32); then
frames × joints × 7 float32: place x y z, rotation x y z w. A live frame ends with f64 echo, f32 slide, f32 depth.
A crowd's has characters in place of frames, and x y z alone.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import world_transforms

MAGIC = 0x46464631
TAKE, PREVIEW, LIVE, JOIN, BLEND, CROWD = 1, 2, 3, 4, 5, 6
WORDS = 7  # floats a joint
HEADER = struct.Struct("<6I2f")
TAIL = struct.Struct("<d2f")


class LiveTail(NamedTuple):
    """What a live frame says beside its pose."""

    echo_ms: float  # LiveSteer.sent_ms of the newest steer it knows of
    slide_cm_s: float
    depth_mm: float


def world_rows(skeleton: Skeleton, pose: Pose) -> np.ndarray:
    """(T, J, 7) float32 places and rotations (x y z w) in the world of poses (T,)."""
    positions, rotations = world_transforms(skeleton, pose)
    rows = np.empty((*pose.batch, len(skeleton), WORDS), np.float32)
    rows[..., :3] = positions
    rows[..., 3:6] = rotations[..., 1:]
    rows[..., 6] = rotations[..., 0]
    return rows


def encode(kind: int, serial: int, track: int, rows: np.ndarray, fps: float, start_s: float) -> bytes:
    """A frame of rows (T, J, 7)."""
    header = HEADER.pack(MAGIC, kind, serial & 0xFFFFFFFF, track, len(rows), rows.shape[1], fps, start_s)
    return header + np.ascontiguousarray(rows, "<f4").tobytes()


def track_of(frame: bytes) -> int:
    """The track of an encoded frame."""
    return int(HEADER.unpack_from(frame)[3])


def encode_live(serial: int, track: int, row: np.ndarray, fps: float, time_s: float, tail: LiveTail) -> bytes:
    """A frame of one pose (J, 7) of a live character."""
    return encode(LIVE, serial, track, row[None], fps, time_s) + TAIL.pack(*tail)
