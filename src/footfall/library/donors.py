"""Donors: stretches of a library's recordings that lead from the end of one motion to the start of another.

A stretch is entered at a moment that is like one at which the first motion may be left, and left at a moment that is
like one at which the second may be entered. Keys (`moments.py`) of the whole library are compared with both motions by
products of matrices; in each recording the cheapest pair of keys that follow each other is a candidate, and only around
the cheapest of these are moments compared exactly, as in `match.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from footfall.library.facets import Facet
from footfall.library.index_file import Index
from footfall.library.match import between, least_to_keys
from footfall.library.moments import FPS, KEY, what

COUNT = 4  # stretches that are told unless more are asked for
LASTS_S = (0.5, 4.0)  # seconds of a stretch, at least and at most: a step, and what a viewer waits for. By eye
PER_S_M = 0.01  # metres that a second of a stretch costs beside its ends, so that a short way is taken first. By eye
CLOSE = 10  # recordings looked at closely for each stretch that is told. By eye, as `match.KEYS` was fitted


class DonorStretch(NamedTuple):
    """A stretch of a recording, and how far its ends are from the motions that it leads between."""

    file: str
    number: int  # of the clip, among those of its file that move
    clip: str  # its name
    enter_s: float
    leave_s: float
    cost_m: float  # of both ends together
    what: str  # the recording where it is entered, in words


def donor_stretches(
    index: Index, facet: Facet, leaving: np.ndarray, entering: np.ndarray, count: int = COUNT,
    own: Collection[tuple[str, str]] = (),
) -> list[DonorStretch]:  # fmt: skip
    """The cheapest stretch of each of the best recordings, the cheapest first.

    leaving, entering: (n, 6 P) rows at which the first motion may be left and the second entered. own: (file, name) of
    clips that are no donors, because they are one of the two.
    """
    names = index.names(facet.key)
    keys, rows = index.column(facet.key, "keys"), index.column(facet.key, "rows")
    cost, enter, leave = _cheapest_keys(keys.whole(), keys.starts, leaving, entering)
    cost[[k for k, (file, _, name) in enumerate(names) if (file, name) in own]] = np.inf
    found = []
    for k in np.argsort(cost, kind="stable")[: CLOSE * count]:
        if np.isfinite(cost[k]):
            held, ends = rows.of(int(k)), (int(enter[k]), int(leave[k]))
            found.append((*_exactly(held, ends, leaving, entering), int(k)))
    speed, down = index.column(facet.key, "speed"), index.column(facet.key, "down")
    told = []
    for cost_m, first, last, k in sorted(found)[:count]:
        file, number, name = names[k]
        words = what(index.told(facet.key, file, number), speed.of(k)[first], down.of(k)[first])
        told.append(DonorStretch(file, number, name, first / FPS, last / FPS, cost_m, words))
    return told


def _cheapest_keys(
    keys: np.ndarray, starts: np.ndarray, leaving: np.ndarray, entering: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(C,) of every clip the cost of its cheapest pair of keys, infinite where it is too short, and the two keys."""
    into, out_of = (np.sqrt(np.maximum(least_to_keys(keys, rows), 0.0)) for rows in (leaving, entering))
    clips = len(starts) - 1
    owner = np.repeat(np.arange(clips), np.diff(starts))
    cost, enter, leave = np.full(clips, np.inf), np.zeros(clips, int), np.zeros(clips, int)
    shortest, longest = (round(s * FPS / KEY) for s in LASTS_S)
    for apart in range(shortest, min(longest, len(keys) - 1) + 1):
        total = into[:-apart] + out_of[apart:] + PER_S_M * apart * KEY / FPS
        total[owner[:-apart] != owner[apart:]] = np.inf
        order = np.lexsort((total, owner[:-apart]))  # the cheapest of each clip comes first
        first = order[np.unique(owner[:-apart][order], return_index=True)[1]]
        better = first[total[first] < cost[owner[first]]]
        k = owner[better]
        cost[k], enter[k], leave[k] = total[better], better - starts[k], better + apart - starts[k]
    return cost, enter, leave


def _exactly(
    held: np.ndarray, ends: tuple[int, int], leaving: np.ndarray, entering: np.ndarray
) -> tuple[float, int, int]:
    """Cost, first and last row of the cheapest stretch near two keys of a recording."""
    first, last = (np.unique(np.clip(end * KEY + np.arange(1 - KEY, KEY), 0, len(held) - 1)) for end in ends)
    into, out_of = between(held[first], leaving).min(axis=1), between(held[last], entering).min(axis=1)
    total = into[:, None] + out_of + PER_S_M / FPS * (last - first[:, None])
    i, j = np.unravel_index(int(total.argmin()), total.shape)
    return float(into[i] + out_of[j]), int(first[i]), int(last[j])
