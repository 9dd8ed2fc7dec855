"""ff.find: the moments of a folder's recordings that are most like one moment of a clip, searched exactly.

The distance of two rows (`features.row_distances`) is how far the body's points are apart on average over a sixth of a
second, in metres, when one body may be turned and moved on the floor: that of `align.distance`. Moments of one clip
nearer to each other than 0.3 s count once.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.align.features import points_of, row_distances
from footfall.core.clip import Clip
from footfall.core.errors import ReadError, WrongType
from footfall.io.plain_file import is_file
from footfall.library.build import Settings, with_library
from footfall.library.facets import Facet
from footfall.library.index_file import Index
from footfall.library.moments import FPS, Moment, moments_facet, query_row, what
from footfall.motions.library import ClipLike, open_clip
from footfall.retarget.character import Body, Character
from footfall.retarget.character import character as character_of

COUNT = 8  # moments that are told unless more are asked for
APART_S = 0.3  # moments of one clip nearer to each other count once: by eye
BLOCK = 4096  # rows compared at once
Query = tuple[np.ndarray, bool]  # a row, and whether it is the mirrored one


class FoundMoments(NamedTuple):
    """What was found in a folder, and what could not be searched."""

    moments: list[Moment]
    files: int
    frames: int
    bad: list[tuple[str, str]]  # (file, why)


def find(
    clip: ClipLike,
    at_s: float,
    folder: str | Path,
    count: int = COUNT,
    mirror: bool = False,
    character: Body = "adult",
    index: str | Path | None = None,
    **options: Any,
) -> list[Moment]:
    """The moments of a folder's recordings most like one moment of a clip: the same pose, moving the same way.

    >>> import footfall as ff, tempfile
    >>> takes = tempfile.mkdtemp()
    >>> _ = ff.save(ff.motion("kick"), f"{takes}/kick.bvh")
    >>> best = ff.find("kick", 0.5, takes, count=1)[0]
    >>> print(f"{best.file} at {best.t_s:.1f} s")
    kick.bvh at 0.5 s

    clip: a clip, a file or a built-in motion; a file of the folder is not its own answer. mirror: also moments whose
    mirror image is like it. character: the body that all are compared on. index: the folder that the library's index is
    kept in (default: in footfall's cache). options: how files are read, as for `load`. Files that cannot be used are
    left out with a warning.
    """
    if not isinstance(folder, str | Path):
        raise WrongType("a folder of recordings", folder)
    if not isinstance(at_s, int | float):
        raise WrongType("a time in seconds", at_s)
    folder, body, opened = Path(folder), character_of(character), open_clip(clip, **options)
    rows = query_rows(opened, at_s, body, mirror)
    own = None if isinstance(clip, Clip) else in_folder(Path(clip), opened, folder, at_s)

    def say(text: str) -> None:
        warnings.warn(text, stacklevel=4)

    settings = Settings(options, None if index is None else Path(index), told=say)
    found = find_in(folder, body, rows, count, own, settings)
    for file, why in found.bad:
        warnings.warn(f"{file}: {why}", stacklevel=2)
    return found.moments


def find_in(
    folder: Path, body: Character, queries: Sequence[Query], count: int, leave_out: tuple[str, str, float] | None,
    settings: Settings,
) -> FoundMoments:  # fmt: skip
    """The moments of a folder most like some, its library brought up to date first."""
    facet = moments_facet(body, settings.options)

    def look(index: Index) -> FoundMoments:
        bad = index.problems(facet.key)
        frames = index.rows_in(facet.key, "rows")
        if not frames:
            raise ReadError(folder, "", "a motion that can be used", f"none among {len(index.files)} files")
        found = nearest(index, facet, queries, count, leave_out=leave_out)
        files = len({file for file, _, _ in index.names(facet.key)})
        return FoundMoments(found, files, frames, bad)

    found, report = with_library(folder, [facet], look, settings)
    return found._replace(bad=sorted([*found.bad, *report.lost]))


def query_rows(clip: Clip, at_s: float, body: Character, mirror: bool = False) -> list[Query]:
    """The rows of a moment to look for on a body, each with whether it is mirrored."""
    points = points_of(body.skeleton)
    searched = [(clip, False), (clip.mirror(), True)] if mirror else [(clip, False)]
    return [(query_row(each, at_s, body, points), mirrored) for each, mirrored in searched]


def nearest(
    index: Index, facet: Facet, queries: Sequence[Query], count: int = COUNT, apart_s: float = APART_S,
    leave_out: tuple[str, str, float] | None = None,
) -> list[Moment]:  # fmt: skip
    """The moments most like one, best first.

    leave_out: file, clip and time of the query itself, where the folder holds it.
    """
    names = index.names(facet.key)
    rows = index.column(facet.key, "rows")
    several = {file for file, number, _ in names if number}
    best: list[tuple[float, str, float, int, int, bool]] = []  # distance, file, time, clip, frame, mirrored
    for k, (file, _, name) in enumerate(names):
        distance = np.stack([_distances(rows.of(k), row) for row, _ in queries])  # (Q, n)
        which = distance.argmin(axis=0)
        least = distance[which, np.arange(len(which))]
        if leave_out is not None and leave_out[:2] == (file, name):
            least[np.abs(np.arange(len(least)) / FPS - leave_out[2]) < apart_s] = np.inf
        for i in well_apart(least, apart_s * FPS, count):
            best.append((float(least[i]), file, i / FPS, k, i, queries[int(which[i])][1]))
        best = sorted(best)[:count]
    held = (index.arrays(facet.key, each, [names[k][:2] for *_, k, _, _ in best]) for each in ("speed", "down"))
    found = []
    for (distance_m, file, t_s, k, i, mirrored), speed, down in zip(best, *held, strict=True):
        words = what(index.told(facet.key, *names[k][:2]), speed[i], down[i])
        found.append(Moment(file, names[k][2] if file in several else "", t_s, distance_m, mirrored, words))
    return found


def _distances(rows: np.ndarray, row: np.ndarray) -> np.ndarray:
    """(n,) metres, some rows at a time, so that memory stays small."""
    return np.concatenate([row_distances(rows[a : a + BLOCK], row) for a in range(0, len(rows), BLOCK)])


def well_apart(distance: np.ndarray, apart: float, count: int) -> list[int]:
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


def in_folder(source: Path, clip: Clip, folder: Path, at_s: float) -> tuple[str, str, float] | None:
    """File, clip and time of a moment, where the folder holds it."""
    if not is_file(source):
        return None
    try:
        name = source.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        return None
    return name, clip.name, at_s
