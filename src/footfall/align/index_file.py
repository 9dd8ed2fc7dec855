"""Index files: an index of moments on disk, small, written in one step, and never trusted.

An npz with one JSON header (schema, key, files and clips) and three arrays over all frames: rows as float16, speeds as
float16, contacts as bytes. A file of another schema, or one that does not add up, is no index: it is built again.
"""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from footfall.align.index import IndexedClip, IndexedFile, MomentIndex
from footfall.core.errors import ReadError
from footfall.io.cache_folder import cache_folder
from footfall.io.npz_safe import Npz
from footfall.io.plain_file import is_file
from footfall.io.raw import Reading, ReadOptions
from footfall.io.save import atomic_write
from footfall.io.text import parse_json

SCHEMA = 1


def index_path(folder: Path) -> Path:
    """Where a folder's index is kept unless told."""
    mark = hashlib.blake2b(str(folder.resolve()).encode(), digest_size=8).hexdigest()
    return cache_folder() / f"index-{mark}.npz"


def save_index(index: MomentIndex, path: Path) -> None:
    """Write an index, or leave what was there."""
    entries = [entry for file in index.files for entry in file.clips]
    width = 6 * len(index.points)
    files = [{"file": f.file, "hash": f.hash, "clips": [_told(e) for e in f.clips]} for f in index.files]
    header = {"schema": SCHEMA, "key": index.key, "points": list(index.points), "files": files}
    data = io.BytesIO()
    np.savez_compressed(
        data,
        header=np.frombuffer(json.dumps(header).encode(), np.uint8),
        rows=np.concatenate([np.zeros((0, width), np.float16), *(e.rows.astype(np.float16) for e in entries)]),
        speed=np.concatenate([np.zeros((0, 3), np.float16), *(e.speed.astype(np.float16) for e in entries)]),
        down=np.concatenate([np.zeros((0, 4), bool), *(e.down for e in entries)]),
    )
    atomic_write(path, data.getvalue())


def _told(entry: IndexedClip) -> dict[str, Any]:
    return {"clip": entry.clip, "type": entry.type, "direction": entry.direction, "n": len(entry.rows)}


def load_index(path: Path) -> MomentIndex:
    """Read an index; ReadError where it is none, is broken, or has another schema."""
    reading = Reading(path, ReadOptions())
    try:
        if not is_file(path):
            raise reading.fail("", "a file", "none")
        with Npz(reading) as archive, reading.guard("", "an index"):
            header = parse_json(reading, archive.array("header", "u").tobytes(), "header")
            if header["schema"] == SCHEMA:
                rows, speed = archive.array("rows", "f"), archive.array("speed", "f")
                return _index(header, rows, speed, archive.array("down", "b"))
    except ReadError as error:
        found = error.found or error.expected
        raise ReadError(path, error.place, "an index of moments", found, "delete it to build it again") from error
    raise ReadError(path, "", f"an index of schema {SCHEMA}", f"schema {header['schema']}", "build it again")


def _index(header: dict[str, Any], rows: np.ndarray, speed: np.ndarray, down: np.ndarray) -> MomentIndex:
    """ValueError or KeyError where parts do not fit together."""
    points = tuple(str(p) for p in header["points"])
    files: list[IndexedFile] = []
    at = 0
    if rows.shape != (len(rows), 6 * len(points)) or speed.shape != (len(rows), 3) or down.shape != (len(rows), 4):
        raise ValueError("shapes")
    rows, speed, down = rows.astype(np.float32), speed.astype(np.float32), down.astype(bool)
    if not (np.isfinite(rows).all() and np.isfinite(speed).all()):
        raise ValueError("numbers")
    for file in header["files"]:
        clips = []
        for clip in file["clips"]:
            end = at + int(clip["n"])
            if not at < end <= len(rows):
                raise ValueError("frames")
            part = slice(at, end)
            named = str(clip["clip"]), str(clip["type"]), str(clip["direction"])
            clips.append(IndexedClip(*named, rows[part], speed[part], down[part]))
            at = end
        files.append(IndexedFile(str(file["file"]), str(file["hash"]), tuple(clips)))
    if at != len(rows):
        raise ValueError("frames")
    return MomentIndex(str(header["key"]), points, tuple(files))
