"""Writing an index: one writer at a time, and what it is given is kept at once.

Arrays go to the end of their file first and the tables speak of them after, each change whole or not at all; `settle`
lays them column by column when a build is done.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall.core.errors import WriteError
from footfall.library.facets import FileResult
from footfall.library.index_tables import (
    ARRAYS,
    BROKEN,
    BUSY_S,
    DTYPES,
    SCHEMA,
    TABLE,
    TABLES,
    LibraryDamaged,
    cause_of,
    check_schema,
    clip_crc,
    mapped,
    meta_of,
)

LOCK = "writer"
OF_A_FILE = ("parts", "clips", "arrays")
LOOK_S = 0.1  # between two looks at whether another writer is done
COPIED = 1 << 24  # bytes copied at a time


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
            check_schema(db, self.place)
            if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise LibraryDamaged(self.place, "damaged tables")
            self._number = int(meta_of(db, "arrays"))
            self._end = int(db.execute("SELECT coalesce(max(start + size), 0) FROM arrays").fetchone()[0])
        except sqlite3.OperationalError:
            raise
        except BROKEN as error:
            raise LibraryDamaged(self.place, cause_of(error)) from error
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
        held = mapped(self.place / ARRAYS.format(self._number))
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
                    rows["clips"].append((*row, clip_crc(number, clip.name, told)))
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
        old, number = mapped(self.place / ARRAYS.format(self._number)), self._number + 1
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


# --- inside -----------------------------------------------------------------------------------------------------------


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
