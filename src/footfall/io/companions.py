"""Files that a motion is read with: the .asf skeleton of an .amc, and what a .gltf names.

Who looks at thousands of files asks this of each, so a folder is listed once, not once a file.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

# A folder's time is that of its last change, to some milliseconds by file system (2 s on FAT): a listing is kept only
# where the folder had not changed for so long, since a second change right after the first may bear the same time.
SETTLED_S = 2.5
FOLDERS = 64  # listings that are kept
NAMED = re.compile(rb'"uri"\s*:\s*("(?:[^"\\]|\\.)*+")')  # a string of JSON; possessive, so it never goes back
MOST_NAME = 4096  # bytes: longer ones hold the data themselves
MOST_GLTF = 1 << 28  # bytes of JSON that are looked through


def companions(path: Path) -> list[Path]:
    """The files beside a motion file that it is read with, those that exist, in order."""
    kind = path.suffix.lower()
    if kind == ".amc":
        found = asf_of(path)
        return [] if found is None else [found]
    return _named_in(path) if kind == ".gltf" else []


def asf_of(path: Path) -> Path | None:
    """The .asf beside an .amc: of the same name, of the same number in front, or the only one."""
    beside = asf_beside(path.parent)
    stem = path.stem.lower()
    while stem:
        if stem in beside:
            return path.parent / beside[stem]
        stem = stem.rpartition("_")[0]  # 02_01 belongs to 02
    return path.parent / next(iter(beside.values())) if len(beside) == 1 else None


def asf_beside(folder: Path) -> Mapping[str, str]:
    """Names of the .asf files of a folder, each by its stem in small letters."""
    changed_ns = os.stat(folder).st_mtime_ns
    if time.time_ns() - changed_ns < SETTLED_S * 1e9:
        return _asf_now(folder)
    return _asf_then(folder, changed_ns)


@lru_cache(maxsize=FOLDERS)
def _asf_then(folder: Path, changed_ns: int) -> Mapping[str, str]:
    return _asf_now(folder)


def _asf_now(folder: Path) -> Mapping[str, str]:
    with os.scandir(folder) as entries:
        names = sorted(e.name for e in entries if e.name.lower().endswith(".asf") and e.is_file())
    return {os.path.splitext(name)[0].lower(): name for name in names}


def _named_in(path: Path) -> list[Path]:
    """Plain relative names in a .gltf; what is no file here is left out, as is a file that cannot be read."""
    found = set()
    try:
        if os.stat(path).st_size > MOST_GLTF:
            return []
        for text in NAMED.findall(path.read_bytes()):
            if len(text) <= MOST_NAME and (name := _plain(text)):
                found.add(path.parent / name)
        return sorted(p for p in found if p.is_file())
    except (OSError, ValueError):
        return []


def _plain(text: bytes) -> str:
    """The relative name in a string of JSON; empty where it is another kind of address."""
    try:
        name = unquote(str(json.loads(text)))
    except ValueError:
        return ""
    parts = name.split("/")
    return "" if any(c in name for c in "\\:\0?#") or any(p in ("", ".", "..") for p in parts) else name
