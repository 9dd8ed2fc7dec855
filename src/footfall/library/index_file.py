"""The index of a folder on disk: tables (sqlite) that say what is known of every file, and one file of packed arrays.

A place holds `library.sqlite`, `arrays-N.bin` and `writer`, whose lock one writer holds. Arrays are appended and on the
disk before the tables speak of them, so a process may be ended at any moment: bytes no table speaks of are cut off by
the next writer. When a build is done the arrays lie column by column (all rows of all clips, then all speeds …) in the
order of files, whatever order they were made in: the same folder gives the same bytes, and a column is one piece of
memory. Nothing read here is trusted: what does not add up is a damaged index, and is made again.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.core.errors import FootfallError, ReadError, WriteError
from footfall.library.facets import FileResult

SCHEMA = "1"
TABLES = (
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
    "CREATE TABLE files(file TEXT PRIMARY KEY, stamp TEXT, hash TEXT) WITHOUT ROWID",
    "CREATE TABLE parts(file TEXT, facet TEXT, code TEXT, problem TEXT, PRIMARY KEY(file, facet)) WITHOUT ROWID",
    "CREATE TABLE clips(facet TEXT, file TEXT, number INTEGER, name TEXT, told TEXT, crc INTEGER,"
    " PRIMARY KEY(facet, file, number)) WITHOUT ROWID",
    "CREATE TABLE arrays(facet TEXT, name TEXT, file TEXT, number INTEGER, dtype TEXT, shape TEXT, start INTEGER,"
    " size INTEGER, crc INTEGER, PRIMARY KEY(facet, name, file, number)) WITHOUT ROWID",
)
KEYS = {"meta": "key", "files": "file", "parts": "file, facet", "clips": "facet, file, number",
        "arrays": "facet, name, file, number"}  # fmt: skip
OF_A_FILE = ("parts", "clips", "arrays")
PIECE = "dtype, shape, start, size"  # of the table of arrays: where one lies
DTYPES = ("<f2", "<f4", "<f8", "|b1", "|u1", "<i4", "<i8")
BUSY_S = 30.0  # a reader waits so long for a writer's commit, which takes milliseconds
LOOK_S = 0.1  # between two looks at whether another writer is done
COPIED = 1 << 24  # bytes copied at a time
TABLE, ARRAYS, LOCK = "library.sqlite", "arrays-{}.bin", "writer"
BROKEN = (sqlite3.Error, ValueError, KeyError, TypeError, OverflowError)


class LibraryDamaged(ReadError):
    """An index that does not add up; it is made again."""

    def __init__(self, place: Path, found: str) -> None:
        super().__init__(place, "", "a whole library index", found, "it is made again by footfall library build")


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
        with _reading(place) as db:
            _check_schema(db, place)
            self.files: dict[str, str] = dict(db.execute("SELECT file, hash FROM files ORDER BY file"))
            self._mapped(db)

    def _mapped(self, db: sqlite3.Connection) -> np.ndarray:
        """The arrays that the tables speak of now; while somebody reads these, no writer can put others in place."""
        return _mapped(self.place / ARRAYS.format(_meta(db, "arrays")))

    def clips(self, facet: str) -> list[KeptClip]:
        """All clips of a facet, by file and number."""
        with _reading(self.place) as db:
            asked = "SELECT file, number, name, told, crc FROM clips WHERE facet = ? ORDER BY file, number"
            return [_kept(*row) for row in db.execute(asked, (facet,))]

    def names(self, facet: str) -> list[tuple[str, int, str]]:
        """(file, number, name) of all clips of a facet, in the same order."""
        asked = "SELECT file, number, name FROM clips WHERE facet = ? ORDER BY file, number"
        with _reading(self.place) as db:
            return [(str(file), int(number), str(name)) for file, number, name in db.execute(asked, (facet,))]

    def told(self, facet: str, file: str, number: int) -> dict[str, Any]:
        """What a facet tells of one clip."""
        asked = "SELECT file, number, name, told, crc FROM clips WHERE facet = ? AND file = ? AND number = ?"
        with _reading(self.place) as db:
            return _kept(*db.execute(asked, (facet, file, number)).fetchone()).told

    def arrays(self, facet: str, name: str, clips: Sequence[tuple[str, int]]) -> list[np.ndarray]:
        """One kind of array of some clips (file and number), compared with their check sums: where these are few of
        many, a whole column would cost more."""
        asked = f"SELECT {PIECE}, crc FROM arrays WHERE facet = ? AND name = ? AND file = ? AND number = ?"
        with _reading(self.place) as db:
            held = np.asarray(self._mapped(db))
            rows = [db.execute(asked, (facet, name, *clip)).fetchone() for clip in clips]
            return [_checked(_piece(held, *where), crc, self.place) for *where, crc in rows]

    def rows_in(self, facet: str, name: str) -> int:
        """Rows of a column."""
        with _reading(self.place) as db:
            asked = "SELECT dtype, shape, sum(size) FROM arrays WHERE facet = ? AND name = ?"
            dtype, shape, size = db.execute(asked, (facet, name)).fetchone()
            return 0 if not size else int(size) // _row_bytes(dtype, _dims(shape))

    def problems(self, facet: str) -> list[tuple[str, str]]:
        """(file, why) of those that the facet can say nothing about, in order."""
        with _reading(self.place) as db:
            asked = "SELECT file, problem FROM parts WHERE facet = ? AND problem != '' ORDER BY file"
            return [(str(file), str(why)) for file, why in db.execute(asked, (facet,))]

    def stamps(self, facet: str, code: str) -> dict[str, str]:
        """Stamp of every file of which a facet was worked out by this code."""
        asked = "SELECT file, stamp FROM parts JOIN files USING(file) WHERE facet = ? AND code = ? AND problem = ''"
        with _reading(self.place) as db:
            return {str(file): str(stamp) for file, stamp in db.execute(asked, (facet, code))}

    def column(self, facet: str, name: str) -> Column:
        """One kind of array of all clips."""
        asked = (
            f"SELECT {PIECE}, a.crc FROM clips LEFT JOIN arrays a USING(facet, file, number)"
            " WHERE facet = ? AND a.name = ? ORDER BY file, number"
        )
        with _reading(self.place) as db:
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


class IndexWriter:
    """The one writer of an index: waits for its turn, makes what is damaged anew, and keeps what it is given at once.

    told: gets a sentence where there is something to say. wait: while another writes; else that is an error.
    """

    def __init__(self, place: Path, told: Callable[[str], None] = lambda text: None, wait: bool = True) -> None:
        self.place, self._told, self._wait = place, told, wait
        self.is_new = False

    def __enter__(self) -> IndexWriter:
        try:
            self.place.mkdir(parents=True, exist_ok=True)
            _check_ours(self.place)
            self._lock = _locked(self.place, self._told, self._wait)
            try:
                self._open()
            except LibraryDamaged as error:
                self._told(f"{self.place.name}: {error.found}; made again")
                self._db.close()
                _remove(self.place)
                self._open()
        except (OSError, sqlite3.OperationalError) as error:
            raise WriteError(
                f"{self.place}: could not be written: {getattr(error, 'strerror', None) or error}"
            ) from error
        return self

    def __exit__(self, *about: object) -> None:
        self._arrays.close()
        self._db.close()
        self._lock.close()

    def _open(self) -> None:
        path = self.place / TABLE
        self._db = db = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
        try:
            self.is_new = not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if self.is_new:
                db.execute("BEGIN IMMEDIATE")
                for table in TABLES:
                    db.execute(table)
                meta = [("arrays", "0"), ("schema", SCHEMA), ("settled", "0")]
                db.executemany("INSERT INTO meta VALUES(?, ?)", meta)
                db.execute("COMMIT")
            _check_schema(db, self.place)
            if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise LibraryDamaged(self.place, "damaged tables")
            self._number = int(_meta(db, "arrays"))
            self._end = int(db.execute("SELECT coalesce(max(start + size), 0) FROM arrays").fetchone()[0])
        except sqlite3.OperationalError:
            raise
        except BROKEN as error:
            raise LibraryDamaged(self.place, _cause(error)) from error
        self._arrays = self._arrays_at(self._number)
        if self._arrays.seek(0, os.SEEK_END) < self._end:
            self._arrays.close()
            raise LibraryDamaged(self.place, "arrays that are cut short")
        self._arrays.truncate(self._end)  # what a writer that was ended had not told of yet
        for other in self.place.glob(ARRAYS.format("*")):
            if other.name != ARRAYS.format(self._number):
                with contextlib.suppress(OSError):  # a reader on Windows holds it: the next writer removes it
                    other.unlink()

    def _arrays_at(self, number: int) -> Any:
        path = self.place / ARRAYS.format(number)
        path.touch()
        return path.open("r+b")

    # --- what is known ------------------------------------------------------------------------------------------------
    def stamps(self) -> dict[str, tuple[str, str]]:
        """Stamp and content of every file."""
        return {file: (stamp, mark) for file, stamp, mark in self._db.execute("SELECT file, stamp, hash FROM files")}

    def made(self, facet: str, code: str) -> set[str]:
        """Files of which a facet was worked out by this code."""
        asked = "SELECT file FROM parts WHERE facet = ? AND code = ?"
        return {file for (file,) in self._db.execute(asked, (facet, code))}

    def damaged(self) -> set[str]:
        """Files of which an array has other bytes than were written."""
        bad = set()
        held = _mapped(self.place / ARRAYS.format(self._number))
        for file, start, size, crc in self._db.execute("SELECT file, start, size, crc FROM arrays ORDER BY start"):
            if zlib.crc32(held[start : start + size].data) != crc:
                bad.add(file)
        return bad

    # --- changes, each kept at once -----------------------------------------------------------------------------------
    def forget(self, files: Sequence[str]) -> None:
        """Remove all that is known of files."""
        if not files:
            return
        with self._transaction():
            for table in ("files", *OF_A_FILE):
                self._db.executemany(f"DELETE FROM {table} WHERE file = ?", [(file,) for file in files])

    def restamp(self, file: str, stamp: str) -> None:
        """A file's content is what it was, at another time."""
        with self._transaction():
            self._db.execute("UPDATE files SET stamp = ? WHERE file = ?", (stamp, file))

    def rename(self, old: str, new: str, stamp: str) -> None:
        """A file has moved: all that is known of it goes with it."""
        with self._transaction():
            for table in ("files", *OF_A_FILE):
                self._db.execute(f"DELETE FROM {table} WHERE file = ?", (new,))
                self._db.execute(f"UPDATE {table} SET file = ? WHERE file = ?", (new, old))
            self._db.execute("UPDATE files SET stamp = ? WHERE file = ?", (stamp, new))

    def add(self, results: Sequence[FileResult], code: str) -> None:
        """Keep what was worked out of some files, all of it or nothing."""
        rows: dict[str, list[tuple[Any, ...]]] = {"files": [], "parts": [], "clips": [], "arrays": []}
        data = bytearray()
        for result in results:
            rows["files"].append((result.file, result.stamp, result.hash))
            for part in result.parts:
                rows["parts"].append((result.file, part.facet, code, part.problem))
                for number, clip in enumerate(part.clips):
                    told = json.dumps(clip.told)
                    row = part.facet, result.file, number, clip.name, told
                    rows["clips"].append((*row, _clip_crc(number, clip.name, told)))
                    for name, array in sorted(clip.arrays.items()):
                        shape, crc = json.dumps(array.shape), zlib.crc32(raw := _raw(array))
                        place = part.facet, name, result.file, number, _dtype(array), shape
                        rows["arrays"].append((*place, self._end + len(data), len(raw), crc))
                        data += raw
        try:
            self._arrays.seek(self._end)
            self._arrays.write(data)
            self._arrays.flush()
            os.fsync(self._arrays.fileno())
        except OSError as error:
            raise WriteError(f"{self.place}: could not be written: {error.strerror or error}") from error
        with self._transaction():
            for result in results:  # of other content nothing that was known holds
                other = "AND EXISTS(SELECT 1 FROM files WHERE file = ? AND hash != ?)"
                for table in OF_A_FILE:
                    asked = f"DELETE FROM {table} WHERE file = ? {other}"
                    self._db.execute(asked, (result.file, result.file, result.hash))
            for table in OF_A_FILE:
                asked = f"DELETE FROM {table} WHERE file = ? AND facet = ?"
                self._db.executemany(asked, [row[:2] for row in rows["parts"]])
            for table, some in rows.items():
                marks = ", ".join("?" * (len(some[0]) if some else 0))
                self._db.executemany(f"INSERT OR REPLACE INTO {table} VALUES({marks})", some) if some else None
        self._end += len(data)

    def settle(self) -> bool:
        """Lay the arrays column by column in the order of files, where they do not lie so; whether anything moved."""
        if self._db.execute("SELECT value FROM meta WHERE key = 'settled'").fetchone() == ("1",):
            return False
        moved = self._settle()
        with self._transaction():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES('settled', '1')")
        return moved

    def _settle(self) -> bool:
        asked = "SELECT facet, name, file, number, start, size FROM arrays ORDER BY facet, name, file, number"
        rows = self._db.execute(asked).fetchall()
        ends = np.cumsum([0, *(row[5] for row in rows)])
        length = self._arrays.seek(0, os.SEEK_END)
        if length == ends[-1] and all(row[4] == start for row, start in zip(rows, ends[:-1], strict=True)):
            return False
        old, number = _mapped(self.place / ARRAYS.format(self._number)), self._number + 1
        path = self.place / ARRAYS.format(number)
        try:
            with path.open("wb") as file:
                for run in _runs(rows):
                    for at in range(run[0], run[1], COPIED):
                        file.write(old[at : min(at + COPIED, run[1])].data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise WriteError(f"{self.place}: could not be written: {error.strerror or error}") from error
        del old
        with self._transaction():
            moved = [(int(start), *row[:4]) for row, start in zip(rows, ends[:-1], strict=True)]
            keys = "facet = ? AND name = ? AND file = ? AND number = ?"
            self._db.executemany(f"UPDATE arrays SET start = ? WHERE {keys}", moved)
            self._db.execute("UPDATE meta SET value = ? WHERE key = 'arrays'", (str(number),))
        self._arrays.close()
        with contextlib.suppress(OSError):
            (self.place / ARRAYS.format(self._number)).unlink()
        self._number, self._end, self._arrays = number, int(ends[-1]), self._arrays_at(number)
        return True

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.execute("INSERT OR REPLACE INTO meta VALUES('settled', '0')")
                yield
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise WriteError(f"{self.place}: could not be written: {error}") from error


def ordered_dump(place: Path) -> list[str]:
    """Every row of every table in the order of its key, less the number of the arrays' file, which counts moves."""
    with _reading(place) as db:
        _check_schema(db, place)
        lines = []
        for table, key in KEYS.items():
            rows = db.execute(f"SELECT * FROM {table} ORDER BY {key}")
            lines += [f"{table} {json.dumps(row)}" for row in rows if row[:1] != ("arrays",)]
        return lines


def array_bytes(place: Path) -> bytes:
    """All packed arrays."""
    with _reading(place) as db:
        return (place / ARRAYS.format(_meta(db, "arrays"))).read_bytes()


# --- inside -----------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _reading(place: Path) -> Iterator[sqlite3.Connection]:
    """One look at the tables, all of it at the same moment; whatever is wrong with them is a LibraryDamaged."""
    path = place / TABLE
    if not path.is_file():
        raise LibraryDamaged(place, "no tables")
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)) as db:
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("BEGIN")
            yield db
    except FootfallError:
        raise
    except BROKEN as error:
        raise LibraryDamaged(place, _cause(error)) from error


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
    if _clip_crc(number, name, told) != crc:
        raise ValueError("other words than were written")
    return KeptClip(file, int(number), name, json.loads(told))


def _clip_crc(number: int, name: str, told: str) -> int:
    return zlib.crc32("\0".join((str(number), name, told)).encode("utf-8", "surrogateescape"))


def _check_schema(db: sqlite3.Connection, place: Path) -> None:
    found = {sql for (sql,) in db.execute("SELECT sql FROM sqlite_master")}
    if found != set(TABLES):
        raise LibraryDamaged(place, "other tables than footfall makes")
    if _meta(db, "schema") != SCHEMA:
        raise LibraryDamaged(place, f"schema {_meta(db, 'schema')}, not {SCHEMA}")


def _meta(db: sqlite3.Connection, key: str) -> str:
    found = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    if found is None or not str(found[0]).isdecimal():
        raise ValueError(f"no {key}")
    return str(found[0])


def _mapped(path: Path) -> np.ndarray:
    """(n,) the bytes of a file, read as they are needed."""
    try:
        if not path.stat().st_size:
            return np.zeros(0, np.uint8)
        return np.memmap(path, np.uint8, "r")
    except OSError as error:
        raise LibraryDamaged(path.parent, f"no arrays ({error.strerror or error})") from error


def _check_ours(place: Path) -> None:
    """Refuse a folder that holds anything that is not ours: it could be a person's."""
    ours = {TABLE, f"{TABLE}-journal", LOCK, f"{LOCK}-journal"}
    for path in place.iterdir():
        if path.name not in ours and not path.match(ARRAYS.format("*")):
            raise WriteError(f"{place}: holds {path.name}, so it is no library index; name an empty or a new folder")


def _locked(place: Path, told: Callable[[str], None], wait: bool) -> sqlite3.Connection:
    """The writer's lock, which ends with the process that holds it, however that ends, on every system."""
    lock = sqlite3.connect(place / LOCK, timeout=0.0, isolation_level=None, check_same_thread=False)
    waiting = False
    while True:
        try:
            lock.execute("BEGIN EXCLUSIVE")
            return lock
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            if not wait:
                lock.close()
                raise WriteError(f"{place}: another footfall is filling this library") from error
            if not waiting:
                told("another footfall is filling this library; waiting for it")
            waiting = True
            time.sleep(LOOK_S)


def _remove(place: Path) -> None:
    for path in (place / TABLE, place / f"{TABLE}-journal", *place.glob(ARRAYS.format("*"))):
        path.unlink(missing_ok=True)


def _runs(rows: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, int]]:
    """(start, end) of stretches of bytes, those that follow each other joined."""
    start = end = -1
    for row in rows:
        if row[4] != end:
            if end > start:
                yield start, end
            start = row[4]
        end = row[4] + row[5]
    if end > start:
        yield start, end


def _raw(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array, _dtype(array)).tobytes()


def _dtype(array: np.ndarray) -> str:
    found = array.dtype.newbyteorder("<").str
    return found if found in DTYPES else "<f8"


def _cause(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
