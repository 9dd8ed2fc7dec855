"""Look-up tables: for every frame of a motion, the frame of another at which to enter it (Egbert 2005).

One small integer a frame, nothing at all where the entry is pinned: 50 motions of 200 frames, all pairs, take half a
megabyte. Motions that are to be played from their start (by default every one that is no loop) are pinned to frame 0.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.align.distance import Clouds, CloudWindow, clouds, distances, frame_count
from footfall.align.time_warp import NoPath, time_warp
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, ReadError, UnknownName
from footfall.core.once import once, once_per_pair
from footfall.core.skeleton import readonly
from footfall.io.npz_safe import Npz
from footfall.io.raw import Reading, ReadOptions
from footfall.io.save import atomic_write

VERSION = 1
HEADER = "footfall_tables"
MOST_FRAMES = 65_536  # of a target: entries are at most two bytes each
BYTE_FRAMES = 256  # of a target: up to here an entry is one byte


@dataclass(frozen=True)
class TableMotion:
    """What look-up tables remember of a clip."""

    name: str
    frames: int  # that differ: a loop's last frame is not counted
    fps: float
    looped: bool
    pinned: int  # the frame at which it is always entered, or -1


@dataclass(frozen=True, eq=False)
class LookupTables:
    """Entries of every motion into every other."""

    motions: tuple[TableMotion, ...]
    entries: Mapping[tuple[int, int], np.ndarray]  # (from, to) -> (frames of from,) uint8 or uint16; pinned left out

    def enter_s(self, left: str, at_s: float, target: str) -> float:
        """Time at which to enter the target when its predecessor would be at at_s.

        Past the predecessor's end: round it goes, if it loops; else its last frame counts.
        """
        a, b = self._index(left), self._index(target)
        to = self.motions[b]
        if to.pinned >= 0:
            return to.pinned / to.fps
        return int(self.entries[a, b][frame_at(self.motions[a], at_s)]) / to.fps

    @property
    def nbytes(self) -> int:
        """Bytes of all entries in memory."""
        return sum(e.nbytes for e in self.entries.values())

    def _index(self, name: str) -> int:
        names = [m.name for m in self.motions]
        if name not in names:
            raise UnknownName("motion in these tables", name, names)
        return names.index(name)


def frame_at(motion: TableMotion, t_s: float) -> int:
    """The nearest frame of a motion at a time: wrapped if it loops, else held at the ends."""
    frame = round(t_s * motion.fps)
    return frame % motion.frames if motion.looped else min(max(frame, 0), motion.frames - 1)


def build(clips: Sequence[Clip], pinned: Mapping[str, int | None] | None = None) -> LookupTables:
    """Tables of all ordered pairs of clips with different names.

    pinned: entries by name, None for a motion that may be entered anywhere; the others follow `pinned_frame`.
    """
    names = [c.name for c in clips]
    if len(set(names)) != len(names) or not all(names):
        raise ParameterError(f"motions in a table need names that differ, got {', '.join(names)}")
    for name in pinned or {}:
        if name not in names:
            raise UnknownName("motion to pin", name, names)
    motions = tuple(describe(c, (pinned or {}).get(c.name, pinned_frame(c))) for c in clips)
    entries = {
        (i, j): entries_of(a, b)
        for i, a in enumerate(clips)
        for j, b in enumerate(clips)
        if i != j and motions[j].pinned < 0
    }
    return LookupTables(motions, entries)


def describe(clip: Clip, pinned: int | None) -> TableMotion:
    """The motion of a clip, pinned to a frame or (None) not at all."""
    frames = frame_count(clip)
    if not 0 < frames <= MOST_FRAMES:
        raise ParameterError(f"a motion in a table has 1 to {MOST_FRAMES} frames, {clip.name} has {frames}; trim it")
    if pinned is not None and not 0 <= pinned < frames:
        raise ParameterError(f"{clip.name} cannot be entered at frame {pinned}; it has frames 0 to {frames - 1}")
    return TableMotion(clip.name, frames, clip.fps, clip.is_loop, -1 if pinned is None else int(pinned))


def pinned_frame(clip: Clip) -> int | None:
    """Where a clip is entered unless the caller knows better: a kick from its start, a loop anywhere."""
    return None if clip.is_loop else 0


@once_per_pair
def entries_of(left: Clip, target: Clip) -> np.ndarray:
    """(frames of left,) the frame of the target to enter for each frame of the motion that is left; made once.

    Of the frames the warp's path offers for a frame, the nearest in shape. Where the target is too short for any path,
    the nearest of all.
    """
    if left.skeleton.names != target.skeleton.names:
        raise ParameterError(
            f"{target.name or 'the target'} has other joints than {left.name or 'the motion that is left'}; "
            "retarget it onto the same body first"
        )
    d = distances(clouds_of(left), clouds_of(target))
    return readonly(best_entries(d, target.is_loop), np.uint8 if d.shape[1] <= BYTE_FRAMES else np.uint16)


def best_entries(d: np.ndarray, looped: bool) -> np.ndarray:
    """(n,) for each row of (n, m) distances the cheapest column on the warp's path."""
    try:
        path = time_warp(d, looped)
    except NoPath:
        return d.argmin(axis=1)
    order = np.lexsort((d[path.rows, path.columns], path.rows))
    rows, first = np.unique(path.rows[order], return_index=True)
    entries = np.empty(len(d), int)
    entries[rows] = path.columns[order][first]
    return entries


@once
def clouds_of(clip: Clip) -> Clouds:
    """The clip's clouds with the usual window and weights, in float32, made once."""
    return clouds(clip, CloudWindow(), dtype=np.float32)


# --- on disk -----------------------------------------------------------------------------------------------------


def save(tables: LookupTables, path: str | Path) -> Path:
    """Write tables in one step; a failed write leaves what was there before."""
    motions = [[m.name, m.frames, m.fps, int(m.looped), m.pinned] for m in tables.motions]
    header = json.dumps({"version": VERSION, "motions": motions}).encode()
    arrays = {HEADER: np.frombuffer(header, np.uint8)}
    for kind in (np.uint8, np.uint16):
        rows = [e for _, e in sorted(tables.entries.items()) if e.dtype == kind]
        arrays[np.dtype(kind).name] = np.concatenate(rows) if rows else np.zeros(0, kind)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]  # the stub takes the arrays for its only flag
    path = Path(path)
    atomic_write(path, buffer.getvalue())
    return path


def load(path: str | Path) -> LookupTables:
    """Tables from a file; everything it declares is checked against what it holds."""
    path = Path(path)
    if not path.is_file():
        raise ReadError(path, "", "a file of look-up tables", "none at that path")
    reading = Reading(path, ReadOptions())
    with Npz(reading) as archive:
        motions = _motions(archive, reading)
        pools = {kind: archive.array(kind, "u") for kind in ("uint8", "uint16")}
    used = dict.fromkeys(pools, 0)
    entries = {}
    for i, left in enumerate(motions):
        for j, target in enumerate(motions):
            if i == j or target.pinned >= 0:
                continue
            kind = "uint8" if target.frames <= BYTE_FRAMES else "uint16"
            rows = pools[kind].ravel()[used[kind] : used[kind] + left.frames]
            if len(rows) != left.frames or (rows >= target.frames).any():
                found = f"{len(rows)} of {left.frames} entries, up to {rows.max(initial=0)}"
                raise reading.fail(kind, f"entries from {left.name} into {target.name} below {target.frames}", found)
            used[kind] += left.frames
            entries[i, j] = readonly(rows, np.dtype(kind).type)
    return LookupTables(motions, entries)


def _motions(archive: Npz, reading: Reading) -> tuple[TableMotion, ...]:
    with reading.guard(HEADER, "the header of look-up tables"):
        header = json.loads(archive.array(HEADER, "u").tobytes())
        if header["version"] > VERSION:
            raise reading.fail(HEADER, f"version {VERSION} or older", f"{header['version']}", "update footfall")
        motions = tuple(TableMotion(str(n), int(f), float(r), bool(o), int(p)) for n, f, r, o, p in header["motions"])
    for m in motions:
        if not (0 < m.frames <= MOST_FRAMES and -1 <= m.pinned < m.frames and np.isfinite(m.fps) and m.fps > 0):
            raise reading.fail(HEADER, "a motion with frames, a rate and a pinned frame among them", f"{m}")
    return motions
