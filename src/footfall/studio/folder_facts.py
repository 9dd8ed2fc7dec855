"""What the library of the studio's folder knows of its files: shown without reading them, added to as they are read.

The index (docs/library.md) is the one that all commands share. A file whose size and time are as the index has them
costs no more than that look; others are read by the describing process, and their facts are kept in the index.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from footfall.core.errors import FootfallError
from footfall.io.folder import content_hash
from footfall.library.build import place_of, stamps_of
from footfall.library.facets import ClipPart, FilePart, FileResult, facet_code
from footfall.library.facts import PARTS, facts_facet
from footfall.library.index_file import Index
from footfall.library.index_writer import IndexWriter
from footfall.studio.describe import Answer, item_of
from footfall.studio.messages import LibraryItem

LOG = logging.getLogger("footfall.studio")
AT_ONCE = 256  # files kept in one go: opening the index of 10 000 clips to write takes about as long as reading ten


class FolderFacts:
    """Facts of one folder's files; what is new may come from several threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._facet = facts_facet().key
        self._known: dict[str, tuple[str, list[LibraryItem]]] = {}  # file -> its stamp then, and its clips
        self._new: list[FileResult] = []
        self._saving = threading.Lock()

    def load(self) -> None:
        """Look at what is known; an index that is damaged, or none, is as if nothing were."""
        try:
            index = Index(place_of(self.folder))
            stamps = index.stamps(self._facet, facet_code())
            for clip in index.clips(self._facet):
                if clip.file in stamps:
                    item = item_of(clip.name, clip.told)
                    self._known.setdefault(clip.file, (stamps[clip.file], []))[1].append(item)
        except (FootfallError, ValueError) as error:  # facts that are none are a ValueError
            LOG.info("library: nothing is known of the folder yet (%s)", error)
            self._known = {}

    def items(self, path: Path) -> Sequence[LibraryItem]:
        """The clips of a file, keys and groups left out; none where the index does not know the file as it is now."""
        stamp, found = self._known.get(self._file(path), ("", []))
        return found if found and stamps_of([path]) == [stamp] else ()

    def mark(self, path: Path) -> tuple[str, str]:
        """What tells a file from another that may take its place while it is read."""
        return stamps_of([path])[0], content_hash(path)

    def keep(self, path: Path, mark: tuple[str, str], answer: Answer) -> None:
        """Keep what was found out about a file; mark: of it before it was read."""
        clips = [described.facts for described in answer.clips]
        if answer.problem is not None or not clips or self.mark(path) != mark:
            return
        parts = tuple(
            ClipPart(facts.name, facts.told, {"down": np.frombuffer(facts.down, bool).reshape(-1, len(PARTS))})
            for facts in clips
            if facts is not None
        )
        if len(parts) == len(clips):
            with self._saving:
                self._new.append(FileResult(self._file(path), *mark, (FilePart(self._facet, "", parts),)))
        if len(self._new) >= AT_ONCE:
            self.save()

    def save(self) -> None:
        """Put what was found out into the index; where it cannot be written, or another writes, nothing is kept."""
        with self._saving:
            new, self._new = self._new, []
        if not new:
            return
        try:
            with IndexWriter(place_of(self.folder), wait=False) as writer:
                writer.add(new, facet_code())
        except FootfallError as error:
            LOG.info("library: what was found out is not kept: %s", error)

    def _file(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix()
