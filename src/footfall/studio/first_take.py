"""The first take: the demo as it came out when this version was made, so that a figure moves before anything compiles.

`tools/make_first_take.py` writes it. Places are whole tenths of a millisecond from the first joint, rotations whole
32767ths: a figure on a screen shows no more, and the file stays small.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec
import numpy as np

from footfall.core.errors import FootfallError, ReadError
from footfall.io.plain_file import read_plain
from footfall.studio import frames
from footfall.studio import messages as m

FILE = Path(__file__).parent / "first_take.bin"
MOST_BYTES = 2_000_000
PLACE, TURN = 1e4, 32767.0  # steps a metre, steps of a quaternion's unit


class FirstTake(msgspec.Struct, frozen=True):
    """One track: how its clips lie, its body, its poses, and how many kernels were ready when it was made."""

    document: m.Document
    track: m.TrackView
    skeleton: m.SkeletonView
    fps: float
    kernels: int
    roots: bytes  # (T, 3) float32, metres
    rows: bytes  # (T, J, 7) int16


def packed(document: m.Document, track: m.TrackView, skeleton: m.SkeletonView, rows: np.ndarray, fps: float,
           kernels: int) -> bytes:  # fmt: skip
    """The file of a take's rows (T, J, 7); its joins are left out, for the judge has the word on them."""
    roots = np.ascontiguousarray(rows[:, 0, :3], "<f4")
    steps = np.concatenate([(rows[..., :3] - roots[:, None]) * PLACE, rows[..., 3:] * TURN], axis=-1)
    view = msgspec.structs.replace(track, joins=())
    whole = np.round(steps).astype("<i2").tobytes()
    return zlib.compress(
        msgspec.msgpack.encode(FirstTake(document, view, skeleton, fps, kernels, roots.tobytes(), whole)), 9
    )


def read() -> FirstTake | None:
    """The take that came with this version; None where there is none."""
    try:
        data = read_plain(FILE, MOST_BYTES, "the first take")
        return msgspec.msgpack.decode(zlib.decompress(data), type=FirstTake)
    except (FootfallError, ReadError, ValueError, zlib.error):
        return None


def rows_of(take: FirstTake) -> np.ndarray:
    """(T, J, 7) float32 world poses."""
    joints = len(take.skeleton.names)
    roots = np.frombuffer(take.roots, "<f4").reshape(-1, 1, 3)
    steps = np.frombuffer(take.rows, "<i2").reshape(-1, joints, frames.WORDS).astype(np.float32)
    rows = np.concatenate([steps[..., :3] / np.float32(PLACE) + roots, steps[..., 3:] / np.float32(TURN)], axis=-1)
    return np.ascontiguousarray(rows, np.float32)


def shown(take: FirstTake, revision: int) -> tuple[m.Take, bytes]:
    """As a page gets it: the message, and the poses of its one track."""
    message = m.Take(revision, take.track.end_s, (take.track,), (take.skeleton,), 0.0)
    return message, frames.encode(frames.TAKE, revision, take.track.id, rows_of(take), take.fps, take.track.start_s)
