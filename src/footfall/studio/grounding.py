"""Grounding: takes put on the project's ground by a thread of their own, the newest only.

Planning every footfall takes seconds, so poses are first shown merely raised to the ground's height, and again when
their feet are put on it. On a timeline a climb keeps the take's times: boxes, markers and the other characters stay
where they are, and what `put_on_ground` would make longer is played as much faster.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError
from footfall.feet.on_ground import put_on_ground
from footfall.kinematics.ground import Ground
from footfall.studio import frames
from footfall.studio.edits import sentence
from footfall.studio.worker import Worker

LOG = logging.getLogger("footfall.studio")


@dataclass(frozen=True)
class Grounded:
    """A take on its ground."""

    revision: int
    clips: dict[int, Clip]  # by track
    frames: dict[int, bytes]
    problems: tuple[str, ...]  # sentences, of tracks that could not be put there


@dataclass(frozen=True)
class _Wish:
    revision: int
    clips: Mapping[int, Clip]
    starts_s: Mapping[int, float]
    ground: Ground


class Grounding:
    """The thread. `tell` is called on it with every take that is on its ground."""

    def __init__(self, tell: Callable[[Grounded], None]) -> None:
        self._tell = tell
        self._worker = Worker("grounding", self._run)
        self._wish: _Wish | None = None
        self._made: dict[int, tuple[Clip, Ground, Clip]] = {}  # by track: what was put on what, and what came out

    def put(self, revision: int, clips: Mapping[int, Clip], starts_s: Mapping[int, float], ground: Ground) -> None:
        """Ask for a take on a ground; what was asked for before is of no use any more."""
        with self._worker.there_is_work:
            self._wish = _Wish(revision, clips, starts_s, ground)
            self._worker.there_is_work.notify()
        self._worker.start()

    def stop(self) -> None:
        """End; what is being put there is of no use any more."""
        self._worker.stop()

    def _run(self) -> None:
        while True:
            with self._worker.there_is_work:
                while self._wish is None and not self._worker.is_over:
                    self._worker.there_is_work.wait()
                wish, self._wish = self._wish, None
                if self._worker.is_over or wish is None:
                    return
            self._put(wish)

    def _put(self, wish: _Wish) -> None:
        clips, data, problems = {}, {}, []
        for track, clip in wish.clips.items():
            if self._wish is not None or self._worker.is_over:
                return
            try:
                put = self._on(track, clip, wish.ground)
            except Exception as error:
                if not isinstance(error, FootfallError):
                    LOG.exception("track %d on its ground", track)
                problems.append(f"{clip.name} does not stand on the ground: {sentence(error)}")
                continue
            rows = frames.world_rows(put.skeleton, put.pose)
            clips[track] = put
            data[track] = frames.encode(frames.TAKE, wish.revision, track, rows, put.fps, wish.starts_s.get(track, 0.0))
        self._made = {track: one for track, one in self._made.items() if track in wish.clips}
        self._tell(Grounded(wish.revision, clips, data, tuple(problems)))

    def _on(self, track: int, clip: Clip, ground: Ground) -> Clip:
        """One track, as it was made before where neither it nor the ground has changed."""
        before = self._made.get(track)
        if before is None or before[0] is not clip or before[1] is not ground:
            before = self._made[track] = clip, ground, in_its_time(clip, ground)
        return before[2]


def in_its_time(clip: Clip, ground: Ground) -> Clip:
    """A clip on a ground, every moment of it at the second it had on the floor."""
    put = put_on_ground(clip, ground)
    if put.clip.frames == clip.frames and np.allclose(put.times, clip.times, atol=1e-9):
        return replace(put.clip, name=clip.name, skin=clip.skin)
    at_s = np.interp(clip.times, put.times, np.arange(put.clip.frames) / put.clip.fps)
    return clip.with_pose(replace(put.clip, is_loop=False).sample(at_s), is_loop=False)


def raised(data: bytes, ground: Ground) -> bytes:
    """An encoded frame of poses with every body as high as the ground under its first joint."""
    _, _, _, _, count, joints, _, _ = frames.HEADER.unpack_from(data)
    head = data[: frames.HEADER.size]
    rows = np.frombuffer(data, "<f4", count * joints * frames.WORDS, frames.HEADER.size).reshape(count, joints, -1)
    under = ground.heights(rows[:, 0, 0].astype(float), rows[:, 0, 2].astype(float))
    rows = rows.copy()
    rows[..., 1] += np.nan_to_num(under)[:, None].astype(np.float32)
    return head + rows.tobytes()
