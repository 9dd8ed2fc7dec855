"""Support phases: double support, one foot, or none, over the whole clip (Oshita 2008, section 4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from footfall.analysis.contacts import Contacts
    from footfall.core.clip import Clip

LABELS = (("NS", "RS"), ("LS", "DS"))  # by left foot down, right foot down
SHORTEST_S = 0.03  # a shorter phase is two edges that meant to meet: by eye


class Phase(NamedTuple):
    """A stretch in which the same feet support: "DS" both, "RS" right, "LS" left, "NS" none."""

    label: str
    start_s: float
    end_s: float


def find_phases(clip: Clip, contacts: Contacts | None = None) -> list[Phase]:
    """Phases that follow each other without gaps from the clip's first frame to its last."""
    contacts = contacts or clip.contacts
    spans = {foot: contacts.spans(foot) for foot in ("left", "right")}
    inside = [t for foot in spans.values() for span in foot for t in span if 0.0 < t < clip.duration]
    edges = np.unique([0.0, *inside, clip.duration])
    if len(edges) == 1:  # a single frame is one phase of no length
        edges = np.array([edges[0], edges[0]])
    middles = 0.5 * (edges[1:] + edges[:-1])
    left, right = (_down(spans[foot], middles) for foot in ("left", "right"))
    pieces = [
        Phase(LABELS[int(a)][int(b)], float(start), float(end))
        for a, b, start, end in zip(left, right, edges[:-1], edges[1:], strict=True)
    ]
    return _without_short(_merged(pieces))


def _down(spans: list[tuple[float, float]], t: np.ndarray) -> np.ndarray:
    """(N,) whether each time lies in one of the spans, which are in order and apart."""
    if not spans:
        return np.zeros(len(t), bool)
    starts, ends = np.array(spans).T
    at = np.searchsorted(starts, t, side="right") - 1
    return (at >= 0) & (t <= ends[at])


def _merged(phases: list[Phase]) -> list[Phase]:
    """Neighbours of one label become one phase."""
    merged: list[Phase] = []
    for phase in phases:
        if merged and merged[-1].label == phase.label:
            merged[-1] = merged[-1]._replace(end_s=phase.end_s)
        else:
            merged.append(phase)
    return merged


def _without_short(phases: list[Phase]) -> list[Phase]:
    """Short phases given to their neighbours, shorter ones first: to both by halves, at the clip's ends to the one."""
    while len(phases) > 1:
        lengths = np.array([p.end_s - p.start_s for p in phases])
        around = np.concatenate([[np.inf], lengths, [np.inf]])
        gone = (lengths < SHORTEST_S) & (lengths <= around[:-2]) & (lengths < around[2:])  # never two in a row
        if not gone.any():
            break
        phases = _merged(_given_away(phases, gone))
    return phases


def _given_away(phases: list[Phase], gone: np.ndarray) -> list[Phase]:
    """The phases that stay, reaching to the middle of those that go."""
    middle = [0.5 * (p.start_s + p.end_s) for p in phases]
    last = len(phases) - 1
    kept = []
    for i in np.flatnonzero(~gone):
        start, end = phases[i].start_s, phases[i].end_s
        if i > 0 and gone[i - 1]:
            start = phases[0].start_s if i == 1 else middle[i - 1]
        if i < last and gone[i + 1]:
            end = phases[last].end_s if i + 1 == last else middle[i + 1]
        kept.append(Phase(phases[i].label, start, end))
    return kept
