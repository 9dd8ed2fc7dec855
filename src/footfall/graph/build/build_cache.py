"""Build cache: what was worked out of every recording, kept by the content of its file and by footfall's own code.

Whatever cannot be read back whole is worked out again: nothing in the cache is trusted.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import footfall
from footfall.core.errors import FootfallError
from footfall.io.cache_folder import cache_folder
from footfall.io.npz_safe import Npz
from footfall.io.raw import Reading, ReadOptions
from footfall.io.save import atomic_write

UNRELATED = ("cli", "studies", "bench", "render", "timeline")  # code that no graph depends on
MOST_FILES = 4000
HEADER = "header"
Arrays = dict[str, np.ndarray]


@cache
def code_mark() -> str:
    """Changes with any code that a graph is made by."""
    root = Path(footfall.__file__).parent
    found = hashlib.blake2b(footfall.__version__.encode(), digest_size=8)
    for path in sorted(root.rglob("*.py")):
        inside = path.relative_to(root)
        if inside.parts[0] not in UNRELATED:
            found.update(inside.as_posix().encode())
            found.update(path.read_bytes())
    return found.hexdigest()


def key_of(kind: str, *told: Any) -> str:
    """The name of what is kept under it: it changes with the code and with what is told."""
    text = json.dumps([code_mark(), *told], sort_keys=True, default=str)
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
        header, arrays = unpacked(path)
    except (FootfallError, ValueError, KeyError, zipfile.BadZipFile, OSError):
        return None
    return header, arrays


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
