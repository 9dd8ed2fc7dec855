"""Notes on clips: the user's own names for clips of the library, and favourites; stored on disk."""

from __future__ import annotations

import threading
from pathlib import Path

import msgspec
from msgspec.structs import replace

from footfall.core.errors import FootfallError, WriteError
from footfall.io.plain_file import read_plain
from footfall.io.save import atomic_write
from footfall.studio.edits import name_of
from footfall.studio.messages import LibraryItem

MOST_BYTES = 4_000_000
MOST_MARKS = 20_000


class Noted(msgspec.Struct, frozen=True):
    """Of one clip."""

    name: str = ""  # empty: the library's own
    favourite: bool = False


class MarkFile(msgspec.Struct, frozen=True):
    """All of a folder's."""

    version: int = 1
    clips: dict[str, Noted] = {}


class ClipNotes:
    """Notes by a clip's key. May be used on any thread."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._clips: dict[str, Noted] = {}
        self._lock = threading.Lock()

    def read(self) -> None:
        """What was noted before; a file that cannot be read counts as none."""
        try:
            data = read_plain(self._file, MOST_BYTES, "notes on clips")
            self._clips = dict(msgspec.json.decode(data, type=MarkFile).clips)
        except (FootfallError, msgspec.DecodeError, RecursionError, ValueError):
            self._clips = {}

    def note(self, key: str, name: str | None, favourite: bool | None) -> None:
        """What is None stays as it was."""
        with self._lock:
            before = self._clips.get(key, Noted())
            now = Noted(
                before.name if name is None else name_of(name), before.favourite if favourite is None else favourite
            )
            if len(self._clips) >= MOST_MARKS and key not in self._clips:
                raise WriteError(f"{MOST_MARKS} clips have notes already; take one back first")
            self._clips = {**self._clips, key: now}
            if now == Noted():
                del self._clips[key]
            atomic_write(self._file, msgspec.json.encode(MarkFile(clips=self._clips)))

    def marked(self, item: LibraryItem) -> LibraryItem:
        """An item as the person sees it."""
        noted = self._clips.get(item.key)
        return item if noted is None else replace(item, name=noted.name or item.name, favourite=noted.favourite)
