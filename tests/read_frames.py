"""Binary frames of the studio read back, as the page does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.studio.frames import BLEND, CROWD, HEADER, JOIN, LIVE, MAGIC, PREVIEW, TAIL, TAKE, WORDS, LiveTail


class Frame(NamedTuple):
    """A frame as read back."""

    kind: int
    serial: int
    track: int
    fps: float
    start_s: float
    poses: np.ndarray  # (T, J, 7) f32
    live: LiveTail | None


def decode(data: bytes) -> Frame:
    """Read a frame; one that is cut short or no frame at all is refused."""
    if len(data) < HEADER.size:
        raise ValueError(f"a frame has at least {HEADER.size} bytes, this one {len(data)}")
    magic, kind, serial, track, count, joints, fps, start_s = HEADER.unpack_from(data)
    words = 3 if kind == CROWD else WORDS
    end = HEADER.size + 4 * words * count * joints
    if (
        magic != MAGIC
        or kind not in (TAKE, PREVIEW, LIVE, JOIN, BLEND, CROWD)
        or len(data) != end + (TAIL.size if kind == LIVE else 0)
    ):
        raise ValueError("this is no frame of poses, or one that was cut short")
    poses = np.frombuffer(data, "<f4", words * count * joints, HEADER.size).reshape(count, joints, words)
    live = LiveTail(*TAIL.unpack_from(data, end)) if kind == LIVE else None
    return Frame(kind, serial, track, fps, start_s, poses, live)
