"""Manifest: where every frame of every made clip comes from, in as few rows as possible.

A row is a stretch of frames and a source: between its first and last frame, times of the source and its weight go on a
straight line, to within a millisecond and a hundredth. A frame's sources are the rows that hold it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

TIME_S, WEIGHT = 1e-3, 1e-2  # a straight line may be so far off
LEAST = 1e-4  # weights below are no source
DIGITS = 5


class ManifestRow(NamedTuple):
    """A stretch of a made clip that comes from one source."""

    file: str
    kind: str
    first_frame: int
    last_frame: int
    source: str
    start_s: float
    end_s: float
    start_weight: float
    end_weight: float
    mirrored: bool = False
    speed: float = 1.0
    character: str = ""
    grade: str = ""  # green, amber or red, or empty where nothing was judged
    kept: bool = True
    why: str = ""  # it is not kept


def stretches(time_s: np.ndarray, weight: np.ndarray) -> list[tuple[int, int]]:
    """(first, last) frames of straight stretches of a source's times and weights (T,); NaN or weight 0 is none."""
    there = np.isfinite(time_s) & (weight > LEAST)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]]).astype(int)))
    found: list[tuple[int, int]] = []
    for first, end in edges.reshape(-1, 2).tolist():
        _split(time_s, weight, first, end - 1, found)
    return found


def _split(time_s: np.ndarray, weight: np.ndarray, first: int, last: int, found: list[tuple[int, int]]) -> None:
    """Straight stretches from first to last, halved at the frame that is farthest off until none is."""
    frames = np.arange(first, last + 1)
    share = (frames - first) / max(last - first, 1)
    off = np.zeros(len(frames))
    for values, most in ((time_s, TIME_S), (weight, WEIGHT)):
        line = values[first] + share * (values[last] - values[first])
        off = np.maximum(off, np.abs(values[first : last + 1] - line) / most)
    worst = int(off.argmax())
    if off[worst] <= 1.0:
        found.append((first, last))
        return
    cut = first + min(max(worst, 1), last - first)
    _split(time_s, weight, first, cut - 1, found)
    _split(time_s, weight, cut, last, found)


def as_csv(rows: Iterable[ManifestRow]) -> bytes:
    """The manifest as a file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(ManifestRow._fields)
    for row in rows:
        writer.writerow([_shown(value) for value in row])
    return text.getvalue().encode()


def _shown(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return round(value, DIGITS) + 0.0 if isinstance(value, float) else value
