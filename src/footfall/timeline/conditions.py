"""Which two support phases may be joined, and how (Oshita 2008, tables 1 to 3 and eq. 1).

Rows are the phase of the previous motion, columns that of the next, in the order NS, RS, LS, DS.
"""

from __future__ import annotations

from footfall.analysis.phases import Phase

ORDER = ("NS", "RS", "LS", "DS")
METHODS = ("transition", "connection", "adaptation")  # better ones first
TABLES = {
    "transition": {"NS": "+++-", "RS": "++--", "LS": "+-+-", "DS": "----"},
    "connection": {"NS": "-+++", "RS": "-+-+", "LS": "--++", "DS": "----"},
    "adaptation": {"NS": "----", "RS": "----", "LS": "----", "DS": "-+++"},
}
SHORTEST, LONGEST = 0.7, 1.5  # s_min and s_max: how much a phase may be sped up or slowed down in a transition


def allowed(method: str, previous: str, following: str) -> bool:
    """Whether a method may join a phase with a label to another."""
    return TABLES[method][previous][ORDER.index(following)] == "+"


def scales(previous: Phase, following: Phase) -> tuple[float, float]:
    """How much longer than each phase the transition from one into the other takes (eq. 1)."""
    length = following.end_s - previous.start_s
    return _over(length, previous), _over(length, following)


def fits(previous: Phase, following: Phase, shortest: float = SHORTEST, longest: float = LONGEST) -> bool:
    """Whether a transition between two phases of the timeline stretches both within the limits (eq. 1)."""
    return all(shortest < scale < longest for scale in scales(previous, following))


def _over(length: float, phase: Phase) -> float:
    own = phase.end_s - phase.start_s
    return length / own if own > 0.0 else float("inf")
