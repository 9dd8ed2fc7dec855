"""The tables of an index and the file of arrays beside them: what they hold, how one looks at them, what is damaged."""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from footfall.core.errors import FootfallError, ReadError

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
DTYPES = ("<f2", "<f4", "<f8", "|b1", "|u1", "<i4", "<i8")
BUSY_S = 30.0  # a reader waits so long for a writer's commit, which takes milliseconds
TABLE, ARRAYS = "library.sqlite", "arrays-{}.bin"
BROKEN = (sqlite3.Error, ValueError, KeyError, TypeError, OverflowError)


class LibraryDamaged(ReadError):
    """An index that does not add up; it is made again."""

    def __init__(self, place: Path, found: str) -> None:
        super().__init__(place, "", "a whole library index", found, "it is made again by footfall library build")


@contextlib.contextmanager
def reading(place: Path) -> Iterator[sqlite3.Connection]:
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
        raise LibraryDamaged(place, cause_of(error)) from error


def check_schema(db: sqlite3.Connection, place: Path) -> None:
    """Other tables than this version makes are a LibraryDamaged."""
    found = {sql for (sql,) in db.execute("SELECT sql FROM sqlite_master")}
    if found != set(TABLES):
        raise LibraryDamaged(place, "other tables than footfall makes")
    if meta_of(db, "schema") != SCHEMA:
        raise LibraryDamaged(place, f"schema {meta_of(db, 'schema')}, not {SCHEMA}")


def meta_of(db: sqlite3.Connection, key: str) -> str:
    """A number that the index tells of itself."""
    found = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    if found is None or not str(found[0]).isdecimal():
        raise ValueError(f"no {key}")
    return str(found[0])


def mapped(path: Path) -> np.ndarray:
    """(n,) the bytes of a file, read as they are needed."""
    try:
        if not path.stat().st_size:
            return np.zeros(0, np.uint8)
        return np.memmap(path, np.uint8, "r")
    except OSError as error:
        raise LibraryDamaged(path.parent, f"no arrays ({error.strerror or error})") from error


def clip_crc(number: int, name: str, told: str) -> int:
    """Check sum of the words kept of a clip."""
    return zlib.crc32("\0".join((str(number), name, told)).encode("utf-8", "surrogateescape"))


def cause_of(error: BaseException) -> str:
    """What was wrong, on one line."""
    return " ".join(str(error).split()) or type(error).__name__
