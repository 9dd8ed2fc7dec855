"""Where footfall keeps what it can make again: built graphs, indexes of folders."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """$FOOTFALL_CACHE, else footfall in the user's cache folder."""
    given = os.environ.get("FOOTFALL_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "footfall"
