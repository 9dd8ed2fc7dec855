"""ff.match: where best to leave a clip and where in a whole library best to enter a recording, with the cost of each.

The cost is the distance of two moments (`features.row_distances`), in metres. Not every pair is compared: rows are kept
turned as bodies face, so those that are near are near as plain vectors too. Keys, every fifth row of the library, are
compared so with every third moment of the clip, which is one product of matrices; only around the nearest keys are rows
compared exactly, as in the coarse and fine steps of Jégou et al. 2011.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.align.features import points_of
from footfall.core.clip import Clip
from footfall.core.errors import ReadError, WrongType
from footfall.library.build import Settings, with_library
from footfall.library.facets import Facet
from footfall.library.find import APART_S, in_folder, well_apart
from footfall.library.index_file import Index
from footfall.library.moments import FPS, KEY, moments_facet, on_body, turned_rows, what
from footfall.motions.library import ClipLike, open_clip
from footfall.retarget.character import Body, Character
from footfall.retarget.character import character as character_of

COUNT = 10  # places that are told unless more are asked for
PLAYED_S = 0.3  # a clip is played for so long before it is left: by eye
LEFT_S = 0.5  # so much of a recording is left when it is entered: by eye
STRIDE = 3  # rows of the clip from one that is compared with keys to the next
KEYS = 60  # keys looked at closely for each place that is told: fitted by footfall bench library, recall over 0.98
BLOCK = 1 << 15  # keys compared at once


class MatchedPlace(NamedTuple):
    """A moment to leave a clip at, and the moment of a recording to enter."""

    file: str
    clip: str  # empty where the file holds one clip
    leave_s: float
    enter_s: float
    cost_m: float
    what: str


class FoundPlaces(NamedTuple):
    """What was found in a folder, and what could not be searched."""

    places: list[MatchedPlace]
    clips: int
    frames: int
    bad: list[tuple[str, str]]  # (file, why)


def match(
    clip: ClipLike,
    folder: str | Path,
    count: int = COUNT,
    character: Body = "adult",
    index: str | Path | None = None,
    **options: Any,
) -> list[MatchedPlace]:
    """The best places to leave a clip and to enter a recording of a folder, the cheapest first.

    >>> import footfall as ff, tempfile
    >>> takes = tempfile.mkdtemp()
    >>> _ = ff.save(ff.motion("walk", speed=1.3, cycles=4), f"{takes}/walk.bvh")
    >>> best = ff.match("walk:speed=1.2,cycles=2", takes, count=1)[0]
    >>> print(best.file, best.cost_m < 0.1)
    walk.bvh True

    clip: a clip, a file or a built-in motion. character: the body that all are compared on. index: the folder that the
    library's index is kept in. options: how files are read, as for `load`. Files that cannot be used are left out with
    a warning. Moments to enter that are nearer to each other than 0.3 s count once.
    """
    if not isinstance(folder, str | Path):
        raise WrongType("a folder of recordings", folder)
    folder, opened = Path(folder), open_clip(clip, **options)
    own = None if isinstance(clip, Clip) else in_folder(Path(clip), opened, folder, 0.0)
    settings = Settings(options, None if index is None else Path(index))
    found = match_in(folder, opened, character_of(character), count, own and own[:2], settings)
    for file, why in found.bad:
        warnings.warn(f"{file}: {why}", stacklevel=2)
    return found.places


def match_in(
    folder: Path, clip: Clip, body: Character, count: int, own: tuple[str, str] | None, settings: Settings
) -> FoundPlaces:
    """The best places of a folder for a clip, its library brought up to date first. own: file and name of the clip."""
    facet = moments_facet(body, settings.options)
    rows = turned_rows(on_body(clip, body), points_of(body.skeleton))

    def look(index: Index) -> FoundPlaces:
        names = index.names(facet.key)
        if not names:
            raise ReadError(folder, "", "a motion that can be used", f"none among {len(index.files)} files")
        places = best_places(index, facet, rows, count, own)
        return FoundPlaces(places, len(names), index.rows_in(facet.key, "rows"), index.problems(facet.key))

    found, report = with_library(folder, [facet], look, settings)
    return found._replace(bad=sorted([*found.bad, *report.lost]))


def best_places(
    index: Index, facet: Facet, rows: np.ndarray, count: int, own: tuple[str, str] | None = None
) -> list[MatchedPlace]:
    """The cheapest places to enter from any of a clip's rows (n, 6 P)."""
    names = index.names(facet.key)
    first = min(round(PLAYED_S * FPS), len(rows) // 2)
    leaving = rows[first:]
    keys = index.column(facet.key, "keys")
    near = _nearest_keys(keys.whole(), leaving[::STRIDE], KEYS * count)
    owner = np.searchsorted(keys.starts, near, side="right") - 1  # (K,) the clip of each key
    best: list[tuple[float, int, int, int]] = []  # cost, clip, row entered, row left
    owners = np.unique(owner)
    every = index.arrays(facet.key, "rows", [names[k][:2] for k in owners])
    for k, held in zip(owners, every, strict=True):
        around = (near[owner == k] - keys.starts[k])[:, None] * KEY + np.arange(1 - KEY, KEY)
        frames = np.unique(np.clip(around, 0, max(len(held) - 1 - round(LEFT_S * FPS), 0)))
        costs = between(held[frames], leaving)
        if own == names[k][::2]:
            apart = np.abs(frames[:, None] - (first + np.arange(len(leaving)))) / FPS
            costs[apart < APART_S] = np.inf
        leave = costs.argmin(axis=1)
        least = np.full(len(held), np.inf)
        least[frames] = costs[np.arange(len(frames)), leave]
        left = dict(zip(frames.tolist(), leave.tolist(), strict=True))
        best += [(float(least[i]), int(k), i, first + left[i]) for i in well_apart(least, APART_S * FPS, count)]
    best = sorted(best)[:count]
    return _told(index, facet, names, best)


def _nearest_keys(keys: np.ndarray, rows: np.ndarray, count: int) -> np.ndarray:
    """Numbers of the keys that are nearest to any row as plain vectors, in order."""
    count = min(count, len(keys))
    return np.sort(np.argpartition(least_to_keys(keys, rows), count - 1)[:count])


def least_to_keys(keys: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(K,) square of the distance of each key to the nearest row, as plain vectors."""
    rows = rows.astype(np.float32)
    lengths = np.einsum("rd,rd->r", rows, rows)
    least = np.empty(len(keys), np.float32)
    for start in range(0, len(keys), BLOCK):
        some = keys[start : start + BLOCK].astype(np.float32)
        apart = lengths - 2.0 * (some @ rows.T)
        least[start : start + BLOCK] = apart.min(axis=1) + np.einsum("kd,kd->k", some, some)
    return least


def between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(A, B) metres: exact distances of rows, as `row_distances` gives them one by one."""
    a, b = (np.asarray(rows, np.float32).reshape(len(rows), -1, 3) for rows in (a, b))
    floor = np.abs((a[..., 0] - 1j * a[..., 2]) @ (b[..., 0] + 1j * b[..., 2]).T)
    up = a[..., 1] @ b[..., 1].T
    lengths = np.einsum("npd,npd->n", a, a)[:, None] + np.einsum("npd,npd->n", b, b)
    return np.sqrt(np.maximum(lengths - 2.0 * (up + floor), 0.0))


def _told(
    index: Index, facet: Facet, names: list[tuple[str, int, str]], best: list[tuple[float, int, int, int]]
) -> list[MatchedPlace]:
    several = {file for file, number, _ in names if number}
    held = (index.arrays(facet.key, each, [names[k][:2] for _, k, _, _ in best]) for each in ("speed", "down"))
    found = []
    for (cost, k, enter, leave), speed, down in zip(best, *held, strict=True):
        file, number, name = names[k]
        words = what(index.told(facet.key, file, number), speed[enter], down[enter])
        found.append(MatchedPlace(file, name if file in several else "", leave / FPS, enter / FPS, cost, words))
    return found
