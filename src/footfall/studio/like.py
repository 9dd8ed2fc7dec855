"""More like this: the library's clips with the moment most like a given moment of a clip (library/moments.py)."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from footfall.align.features import points_of, row_distances
from footfall.core.errors import FootfallError
from footfall.library.moments import FPS, on_body, query_row, turned_rows
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
        self._known: dict[str, np.ndarray | None] = {}
        self._lock = threading.Lock()

    def find(self, key: str, at_s: float, keys: Sequence[str]) -> tuple[AlikeClip, ...]:
        """The clips most like a clip's moment, the likest first, each with its own moment."""
        body, clip = character(BODY), self._library.clip(key)
        row = query_row(clip, min(max(at_s, 0.0), clip.duration), body, points_of(body.skeleton))
        found = []
        for other in keys[:MOST_CLIPS]:
            with self._lock:
                rows = self._rows(other) if other != key else None
            if rows is None:
                continue
            away = row_distances(rows, row)
            best = int(away.argmin())
            found.append(AlikeClip(other, round(best / FPS, 3), round(100.0 * float(away[best]), 1)))
        return tuple(sorted(found, key=lambda one: one.distance_cm)[:COUNT])

    def _rows(self, key: str) -> np.ndarray | None:
        """What is compared of a clip; None where it cannot be."""
        if key not in self._known:
            body = character(BODY)
            try:
                clip = on_body(self._library.clip(key), body)
                self._known[key] = turned_rows(clip, points_of(body.skeleton))
            except FootfallError:
                self._known[key] = None
        return self._known[key]
