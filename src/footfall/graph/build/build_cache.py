"""Build cache: what was computed from each recording, keyed by the content of its file and by footfall's own code.

Whatever cannot be read back whole is worked out again: nothing in the cache is trusted.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from footfall.core.errors import FootfallError
from footfall.io.cache_folder import CODE, cache_folder, code_mark
from footfall.io.npz_safe import Npz
from footfall.io.raw import Reading, ReadOptions
from footfall.io.save import atomic_write

UNRELATED = ("cli", "render", "timeline")  # code that no graph depends on
MOST_FILES = 4000
HEADER = "header"
Arrays = dict[str, np.ndarray]
T = TypeVar("T")


@cache
def own_mark() -> str:
    """Changes with any code that a graph is made by."""
    files = sorted(CODE.rglob("*.py"))
    return code_mark(path for path in files if path.relative_to(CODE).parts[0] not in UNRELATED)


def key_of(kind: str, *told: Any) -> str:
    """The name of what is kept under it: it changes with the code and with what is told."""
    text = json.dumps([own_mark(), *told], sort_keys=True, default=str)
    return f"{kind}-{hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}.npz"


def folder() -> Path:
    return cache_folder() / "graphs"


def keep(name: str, header: Mapping[str, Any], arrays: Arrays | None = None) -> None:
    """Keep something, where there is a place to write."""
    with contextlib.suppress(FootfallError):  # worked out every time
        atomic_write(folder() / name, packed(header, arrays or {}))


def kept(name: str) -> tuple[dict[str, Any], Arrays] | None:
    """What is kept under a name, or nothing."""
    path = folder() / name
    if not path.is_file():
        return None
    try:
        return unpacked(path)
    except (FootfallError, ValueError, KeyError, zipfile.BadZipFile, OSError):
        return None


def made_once(
    key: str, make: Callable[[], T], tell: Callable[[T], tuple[dict[str, Any], Arrays]], read: Callable[..., T]
) -> T:
    """What is kept under a key, as `read` makes it of header and arrays; else made, and kept as `tell` packs it."""
    found = kept(key)
    if found is not None:
        with contextlib.suppress(KeyError, TypeError, ValueError, IndexError, FootfallError):
            return read(*found)
    made = make()
    keep(key, *tell(made))
    return made


def tidy() -> None:
    """Drop the oldest of what is kept, where there is too much of it."""
    try:
        files = sorted(folder().glob("*.npz"), key=lambda p: p.stat().st_mtime)
        for path in files[: max(len(files) - MOST_FILES, 0)]:
            path.unlink(missing_ok=True)
    except OSError:
        pass


def packed(header: Mapping[str, Any], arrays: Arrays) -> bytes:
    """An npz of arrays and one JSON header; the same content gives the same bytes."""
    text = np.frombuffer(json.dumps(header, allow_nan=False).encode(), np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **{HEADER: text, **arrays})
    return buffer.getvalue()


def unpacked(path: Path) -> tuple[dict[str, Any], Arrays]:
    """The header and arrays of such an npz, all checked before they are read."""
    reading = Reading(path, ReadOptions())
    with Npz(reading) as archive:
        header = json.loads(archive.array(HEADER, "u").tobytes())
        arrays = {key: archive.array(key, "fiubUS") for key in archive.keys if key != HEADER}
    if not isinstance(header, dict):
        raise ValueError("header")
    return header, arrays
