"""Index of moments: the features of every recording in a folder, on one body, searched exactly.

The distance of two rows (`features.row_distances`) is how far the body's points are apart on average over a sixth of a
second, in metres, when one body may be turned and moved on the floor: that of `align.distance`. Moments of one clip
nearer to each other than 0.3 s count once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.align.features import features, metric_rows, points_of, row_distances
from footfall.analysis.gait import classify
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError
from footfall.io.folder import SHARED, content_hash, motion_files, moving_clips
from footfall.retarget.character import Character
from footfall.retarget.one_body import same_body
from footfall.retarget.retarget import retarget

FPS = 30.0  # of what is kept: moments 1/30 s apart can hardly be told
APART_S = 0.3  # moments of one clip nearer to each other count once: by eye
LEAST = 3  # frames, the fewest that tell how a body moves
BLOCK = 4096  # rows compared at once
PARTS = ("left_heel", "left_toe", "right_heel", "right_toe")
Each = Callable[[Sequence[Path]], Iterable[Path]]  # goes over files, as a progress bar does


@dataclass(frozen=True, eq=False)
class IndexedClip:
    """One clip of the index."""

    clip: str  # its name in the file, where a file holds several
    type: str  # stand, walk, run, jump, other
    direction: str
    rows: np.ndarray  # (n, 6 P) float32, rounded to float16: what is kept on disk
    speed: np.ndarray  # (n, 3) float32: forward and left m/s, turn rad/s
    down: np.ndarray  # (n, 4) bool, heel and toe of left and right


class IndexedFile(NamedTuple):
    """One file of the index."""

    file: str  # path inside the folder
    hash: str  # of its content
    clips: tuple[IndexedClip, ...]


@dataclass(frozen=True, eq=False)
class MomentIndex:
    """A folder's moments on one body."""

    key: str  # body and reading options that the features depend on
    points: tuple[str, ...]
    files: tuple[IndexedFile, ...]

    @property
    def frames(self) -> int:
        return sum(len(entry.rows) for file in self.files for entry in file.clips)

    @property
    def nbytes(self) -> int:
        return sum(e.rows.nbytes + e.speed.nbytes + e.down.nbytes for file in self.files for e in file.clips)


class BadFile(NamedTuple):
    """A file that is left out, and why, in a sentence."""

    file: str
    why: str


class Moment(NamedTuple):
    """A moment that was found."""

    file: str
    clip: str  # empty where the file holds one clip
    t_s: float
    distance_m: float
    mirrored: bool
    what: str


def key_of(body: Character, options: Mapping[str, Any]) -> str:
    """Changes with the body and with how files are read."""
    s = body.skeleton
    told = [s.names, s.parents.tolist(), np.round(s.offsets, 6).tolist(), np.round(s.rest, 6).tolist()]
    return hashlib.blake2b(repr([told, sorted(options.items())]).encode(), digest_size=16).hexdigest()


def build_index(
    folder: Path,
    body: Character,
    old: MomentIndex | None = None,
    options: Mapping[str, Any] | None = None,
    each: Each = iter,
) -> tuple[MomentIndex, list[BadFile], int]:
    """The index of a folder, the files that could not be used, and how many were read anew.

    Files of an old index whose content has not changed are taken from it. options are those of footfall.load.
    """
    options = dict(options or {})
    key = key_of(body, options)
    kept = {f.hash: f for f in old.files} if old is not None and old.key == key else {}
    points = points_of(body.skeleton)
    files: list[IndexedFile] = []
    bad: list[BadFile] = []
    read = 0
    for path in each(motion_files(folder)):
        name = path.relative_to(folder).as_posix()
        try:
            mark = content_hash(path)
            if mark in kept:
                files.append(kept[mark]._replace(file=name))
                continue
            read += 1
            clips = [indexed(clip, body, points) for clip in moving_clips(path, LEAST, **options)]
        except FootfallError as error:
            if path.suffix.lower() not in SHARED:
                bad.append(BadFile(name, " ".join(str(error).split())))
            continue
        files.append(IndexedFile(name, mark, tuple(clips)))
    return MomentIndex(key, points, tuple(files)), bad, read


def on_body(clip: Clip, body: Character) -> Clip:
    """The clip at the index's frame rate on a body; frames enough to move are needed."""
    if clip.frames < LEAST:
        raise ParameterError(f"{clip.name or 'this clip'} has {clip.frames} frame(s); to be compared it needs {LEAST}")
    clip = clip.resample(FPS)
    return clip.floor() if same_body(clip.skeleton, body.skeleton) else retarget(clip, body)


def indexed(clip: Clip, body: Character, points: tuple[str, ...]) -> IndexedClip:
    clip = on_body(clip, body)
    of = features(clip, ("pelvis",))
    gait = classify(clip)
    n = len(of.speed)
    down = np.stack([np.asarray(getattr(clip.contacts, part))[:n] for part in PARTS], axis=1)
    return IndexedClip(
        clip.name, gait.type, gait.direction, rounded_rows(clip, points), of.speed.astype(np.float32), down
    )


def rounded_rows(clip: Clip, points: tuple[str, ...]) -> np.ndarray:
    """Rows as they are after a round trip to disk, so that a built and a read index answer alike."""
    return metric_rows(clip, points).astype(np.float16).astype(np.float32)


def query_row(clip: Clip, t_s: float, body: Character, points: tuple[str, ...]) -> np.ndarray:
    """The row of one moment of any clip, between frames on a straight line."""
    if not 0.0 <= t_s <= clip.duration + 1e-6:
        raise ParameterError(
            f"{clip.name or 'the clip'} lasts {clip.duration:.2f} s and has no moment at {t_s:g} s; give a time in it"
        )
    clip = on_body(clip, body)
    rows = metric_rows(clip, points)
    x = min(t_s * FPS, len(rows) - 1.0)
    i = min(int(x), len(rows) - 2)
    return rows[i] + np.float32(x - i) * (rows[i + 1] - rows[i])


def nearest(
    index: MomentIndex, queries: Sequence[tuple[np.ndarray, bool]], count: int = 8, apart_s: float = APART_S,
    leave_out: tuple[str, str, float] | None = None,
) -> list[Moment]:  # fmt: skip
    """The moments most like one, best first; queries are rows, each with whether it is the mirrored one.

    leave_out: file, clip and time of the query itself, where the folder holds it.
    """
    found: list[Moment] = []
    for file in index.files:
        for entry in file.clips:
            own = entry.clip if len(file.clips) > 1 else ""
            distance = np.stack([_distances(entry.rows, row) for row, _ in queries])  # (Q, n)
            which = distance.argmin(axis=0)
            best = distance[which, np.arange(len(which))]
            if leave_out is not None and leave_out[:2] == (file.file, entry.clip):
                best[np.abs(np.arange(len(best)) / FPS - leave_out[2]) < apart_s] = np.inf
            for i in _well_apart(best, apart_s * FPS, count):
                mirrored = queries[int(which[i])][1]
                found.append(Moment(file.file, own, i / FPS, float(best[i]), mirrored, what(entry, i)))
    return sorted(found, key=lambda m: (m.distance_m, m.file, m.t_s))[:count]


def _distances(rows: np.ndarray, row: np.ndarray) -> np.ndarray:
    """(n,) metres, some rows at a time, so that memory stays small."""
    return np.concatenate([row_distances(rows[a : a + BLOCK], row) for a in range(0, len(rows), BLOCK)])


def _well_apart(distance: np.ndarray, apart: float, count: int) -> list[int]:
    """Up to so many frames in order of distance, no two nearer than `apart` frames."""
    left = distance.copy()
    found: list[int] = []
    frames = np.arange(len(left))
    while len(found) < count:
        i = int(left.argmin()) if len(left) else 0
        if not len(left) or not np.isfinite(left[i]):
            break
        found.append(i)
        left[np.abs(frames - i) < apart] = np.inf
    return found


def what(entry: IndexedClip, frame: int) -> str:
    """A moment in words: what the clip is, how fast the body goes then, and what it stands on."""
    forward, side, turn = (float(v) for v in entry.speed[frame])
    speed = np.hypot(forward, side)
    stands = entry.down[frame].reshape(2, 2).any(axis=1)
    feet = {(True, True): "on both feet", (True, False): "on the left foot", (False, True): "on the right foot"}
    words = [f"{entry.type} {entry.direction}".strip()]
    if speed >= 0.1:
        words.append(f"{speed:.1f} m/s")
    if abs(turn) >= np.radians(20.0):
        words.append(f"turning {'left' if turn > 0 else 'right'}")
    words.append(feet.get((bool(stands[0]), bool(stands[1])), "off the ground"))
    return ", ".join(words)
