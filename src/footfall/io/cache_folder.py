"""Where footfall keeps what it can make again: built graphs, indexes of folders."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import footfall

CODE = Path(footfall.__file__).parent


def cache_folder() -> Path:
    """$FOOTFALL_CACHE, else footfall in the folder that the system has for a user's caches."""
    given = os.environ.get("FOOTFALL_CACHE")
    if given:
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "footfall" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "footfall"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "footfall"


def code_mark(files: Iterable[Path]) -> str:
    """Changes with footfall's version and with these files of its own code."""
    found = hashlib.blake2b(footfall.__version__.encode(), digest_size=8)
    for path in files:
        found.update(path.relative_to(CODE).as_posix().encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def forget_old(folder: Path, pattern: str, age_s: float) -> None:
    """Remove files and folders of a name like the pattern that nothing was written to for so long."""
    for path in folder.glob(pattern) if folder.is_dir() else ():
        try:
            if time.time() - path.stat().st_mtime > age_s:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        except OSError:  # somebody else removed it, or it is not ours to remove
            continue
