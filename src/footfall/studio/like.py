"""More like this: the library's clips whose some moment is most like one moment of a clip (align/index.py)."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from footfall.align.features import points_of
from footfall.align.index import IndexedFile, MomentIndex, indexed, nearest, query_row
from footfall.core.errors import FootfallError
from footfall.retarget.character import character
from footfall.studio.library import Library
from footfall.studio.messages import AlikeClip

BODY = "adult"  # that all are compared on
MOST_CLIPS = 400  # of a library that are looked at
COUNT = 12  # clips that are told


class Likeness:
    """Finds clips that are like a moment; what it worked out of a clip is kept. May be asked on any thread."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known: dict[str, IndexedFile | None] = {}
        self._lock = threading.Lock()

    def find(self, key: str, at_s: float, keys: Sequence[str]) -> tuple[AlikeClip, ...]:
        """The clips most like a clip's moment, the likest first, each with its own moment."""
        body = character(BODY)
        points = points_of(body.skeleton)
        clip = self._library.clip(key)
        row = query_row(clip, min(max(at_s, 0.0), clip.duration), body, points)
        with self._lock:
            files = [self._file(other) for other in keys[:MOST_CLIPS] if other != key]
        index = MomentIndex(BODY, points, tuple(file for file in files if file is not None))
        found: dict[str, AlikeClip] = {}
        for moment in nearest(index, [(row, False)], len(files) + COUNT, apart_s=1e6):
            found.setdefault(
                moment.file, AlikeClip(moment.file, round(moment.t_s, 3), round(100 * moment.distance_m, 1))
            )
        return tuple(found.values())[:COUNT]

    def _file(self, key: str) -> IndexedFile | None:
        """What is compared of a clip; None where it cannot be."""
        if key not in self._known:
            body = character(BODY)
            try:
                entry = indexed(self._library.clip(key), body, points_of(body.skeleton))
                self._known[key] = IndexedFile(key, "", (entry,))
            except FootfallError:
                self._known[key] = None
        return self._known[key]
