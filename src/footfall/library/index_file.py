"""The index of a folder on disk: tables (sqlite) that say what is known of every file, and one file of packed arrays.

A place holds `library.sqlite`, `arrays-N.bin` and `writer`, whose lock one writer holds. Arrays are appended and on the
disk before the tables speak of them, so a process may be ended at any moment: bytes no table speaks of are cut off by
the next writer. When a build is done the arrays lie column by column (all rows of all clips, then all speeds …) in the
order of files, whatever order they were made in: the same folder gives the same bytes, and a column is one piece of
memory. Nothing read here is trusted: what does not add up is a damaged index, and is made again.
"""

from __future__ import annotations

import json
import math
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.library.index_tables import (
    ARRAYS,
    DTYPES,
    KEYS,
    LibraryDamaged,
    check_schema,
    clip_crc,
    mapped,
    meta_of,
    reading,
)

PIECE = "dtype, shape, start, size"  # of the table of arrays: where one lies


class KeptClip(NamedTuple):
    """A clip as one facet knows it."""

    file: str
    number: int  # among the clips of its file that the facet knows
    name: str
    told: dict[str, Any]


class Column(NamedTuple):
    """One kind of array of all clips, one after the other, in the memory of the file where the index is settled."""

    place: Path
    data: np.ndarray  # (N, …) not compared with its check sums yet
    starts: np.ndarray  # (C + 1,) rows of clip c are starts[c]:starts[c + 1]; in the order of `Index.clips`
    crcs: tuple[int, ...]  # (C,)

    def of(self, clip: int) -> np.ndarray:
        """Those of one clip; other bytes than were written are a LibraryDamaged."""
        return _checked(self.data[self.starts[clip] : self.starts[clip + 1]], self.crcs[clip], self.place)

    def whole(self) -> np.ndarray:
        """Those of all clips."""
        for clip in range(len(self.crcs)):
            self.of(clip)
        return self.data


class Index:
    """A library's index, as it was when it was opened; any number of processes may read one."""

    def __init__(self, place: Path) -> None:
        self.place = place
        with reading(place) as db:
            check_schema(db, place)
            self.files: dict[str, str] = dict(db.execute("SELECT file, hash FROM files ORDER BY file"))
            self._mapped(db)

    def _mapped(self, db: sqlite3.Connection) -> np.ndarray:
        """The arrays that the tables speak of now; while somebody reads these, no writer can put others in place."""
        return mapped(self.place / ARRAYS.format(meta_of(db, "arrays")))

    def clips(self, facet: str) -> list[KeptClip]:
        """All clips of a facet, by file and number."""
        return list(self.each_clip(facet))

    def each_clip(self, facet: str) -> Iterator[KeptClip]:
        """The same one after the other: what is told of ten thousand takes a hundred megabytes."""
        with reading(self.place) as db:
            asked = "SELECT file, number, name, told, crc FROM clips WHERE facet = ? ORDER BY file, number"
            yield from (_kept(*row) for row in db.execute(asked, (facet,)))

    def names(self, facet: str) -> list[tuple[str, int, str]]:
        """(file, number, name) of all clips of a facet, in the same order."""
        asked = "SELECT file, number, name FROM clips WHERE facet = ? ORDER BY file, number"
        with reading(self.place) as db:
            return [(str(file), int(number), str(name)) for file, number, name in db.execute(asked, (facet,))]

    def told(self, facet: str, file: str, number: int) -> dict[str, Any]:
        """What a facet tells of one clip."""
        asked = "SELECT file, number, name, told, crc FROM clips WHERE facet = ? AND file = ? AND number = ?"
        with reading(self.place) as db:
            return _kept(*db.execute(asked, (facet, file, number)).fetchone()).told

    def arrays(self, facet: str, name: str, clips: Sequence[tuple[str, int]]) -> list[np.ndarray]:
        """One kind of array of some clips (file and number), compared with their check sums: where these are few of
        many, a whole column would cost more."""
        asked = f"SELECT {PIECE}, crc FROM arrays WHERE facet = ? AND name = ? AND file = ? AND number = ?"
        with reading(self.place) as db:
            held = np.asarray(self._mapped(db))
            rows = [db.execute(asked, (facet, name, *clip)).fetchone() for clip in clips]
            return [_checked(_piece(held, *where), crc, self.place) for *where, crc in rows]

    def rows_in(self, facet: str, name: str) -> int:
        """Rows of a column."""
        with reading(self.place) as db:
            asked = "SELECT dtype, shape, sum(size) FROM arrays WHERE facet = ? AND name = ?"
            dtype, shape, size = db.execute(asked, (facet, name)).fetchone()
            return 0 if not size else int(size) // _row_bytes(dtype, _dims(shape))

    def problems(self, facet: str) -> list[tuple[str, str]]:
        """(file, why) of those that the facet can say nothing about, in order."""
        with reading(self.place) as db:
            asked = "SELECT file, problem FROM parts WHERE facet = ? AND problem != '' ORDER BY file"
            return [(str(file), str(why)) for file, why in db.execute(asked, (facet,))]

    def stamps(self, facet: str, code: str) -> dict[str, str]:
        """Stamp of every file of which a facet was worked out by this code."""
        asked = "SELECT file, stamp FROM parts JOIN files USING(file) WHERE facet = ? AND code = ? AND problem = ''"
        with reading(self.place) as db:
            return {str(file): str(stamp) for file, stamp in db.execute(asked, (facet, code))}

    def column(self, facet: str, name: str) -> Column:
        """One kind of array of all clips."""
        asked = (
            f"SELECT {PIECE}, a.crc FROM clips LEFT JOIN arrays a USING(facet, file, number)"
            " WHERE facet = ? AND a.name = ? ORDER BY file, number"
        )
        with reading(self.place) as db:
            held = np.asarray(self._mapped(db))  # slices of a plain array cost a tenth of a mapped one's
            rows = db.execute(asked, (facet, name)).fetchall()
            count = "SELECT (SELECT count(*) FROM clips WHERE facet = ?), (SELECT count(*) FROM arrays WHERE facet = ?"
            if db.execute(f"{count} AND name = ?)", (facet, facet, name)).fetchone() != (len(rows), len(rows)):
                raise ValueError(f"{name} of other clips than there are")
            if not rows:
                return Column(self.place, np.zeros((0, 0), np.float32), np.zeros(1, int), ())
            dtypes, shapes, at, sizes, crcs = zip(*rows, strict=True)
            dims = {shape: _dims(shape) for shape in set(shapes)}
            if len({(dtype, dims[shape][1:]) for dtype, shape in set(zip(dtypes, shapes, strict=True))}) > 1:
                raise ValueError(f"columns of {name!r} that differ")
            lengths = np.array([dims[shape][0] for shape in shapes])
            starts, of_a_row = np.concatenate([[0], np.cumsum(lengths)]), dims[shapes[0]][1:]
            if (np.diff(at) == sizes[:-1]).all() and (lengths * _row_bytes(dtypes[0], dims[shapes[0]]) == sizes).all():
                whole = _piece(held, dtypes[0], json.dumps([int(starts[-1]), *of_a_row]), at[0], sum(sizes))
            else:
                whole = np.concatenate([_piece(held, *row[:4]) for row in rows])
            return Column(self.place, whole, starts, tuple(map(int, crcs)))


def ordered_dump(place: Path) -> list[str]:
    """Every row of every table in the order of its key, less the number of the arrays' file, which counts moves."""
    with reading(place) as db:
        check_schema(db, place)
        lines = []
        for table, key in KEYS.items():
            rows = db.execute(f"SELECT * FROM {table} ORDER BY {key}")
            lines += [f"{table} {json.dumps(row)}" for row in rows if row[:1] != ("arrays",)]
        return lines


def array_bytes(place: Path) -> bytes:
    """All packed arrays."""
    with reading(place) as db:
        return (place / ARRAYS.format(meta_of(db, "arrays"))).read_bytes()


# --- inside -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _dims(shape: str) -> tuple[int, ...]:
    return tuple(int(n) for n in json.loads(shape))


def _row_bytes(dtype: str, dims: tuple[int, ...]) -> int:
    """Bytes of one row of an array; 1 where a row holds nothing."""
    return max(math.prod(dims[1:]) * np.dtype(dtype).itemsize, 1)


def _checked(found: np.ndarray, crc: int, place: Path) -> np.ndarray:
    if zlib.crc32(found.data.cast("B") if found.size else b"") != crc:
        raise LibraryDamaged(place, "other bytes than were written")
    return found


def _piece(arrays: np.ndarray, dtype: str, shape: str, start: int, size: int) -> np.ndarray:
    dims = _dims(shape)
    held = arrays[start : start + size]
    fits = dtype in DTYPES and dims and min(dims) >= 0 and start >= 0 and len(held) == size
    if not fits or math.prod(dims) * np.dtype(dtype).itemsize != size:
        raise ValueError(f"an array of {size} bytes at {start}")
    return held.view(dtype).reshape(dims)


def _kept(file: str, number: int, name: str, told: str, crc: int) -> KeptClip:
    if clip_crc(number, name, told) != crc:
        raise ValueError("other words than were written")
    return KeptClip(file, int(number), name, json.loads(told))
