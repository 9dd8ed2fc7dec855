"""Report: where every frame of a made motion came from, why it was made so, and how well it turned out.

Joins, timelines and controllers all hand their clips out with one of these; `to_json` is what `--report` writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np


class Rejected(NamedTuple):
    """A way of joining that was considered and not taken."""

    method: str
    reason: str


@dataclass(frozen=True)
class Segment:
    """A stretch of the result that was made in one way."""

    kind: str  # clip, transition, connection, adaptation, bridge, composition, wait, fallback
    start_s: float
    end_s: float
    clips: tuple[str, ...]  # names of the clips it is made of
    method: str = ""  # crossfade, by-example, … where a transition method made it
    phases: tuple[str, str] | None = None  # support of the previous and the next motion, where they decided
    clip_times_s: tuple[tuple[float, float], ...] = ()  # of each clip, from and to
    reason: str = ""  # in words
    rejected: tuple[Rejected, ...] = ()
    quality: Mapping[str, float] = field(default_factory=dict)
    grade: str = ""  # of a join: green, amber or red (docs/believable.md); empty where it was not judged
    seen: tuple[str, ...] = ()  # what a viewer would say of it, the gravest first; empty unless it is red
    asked: Mapping[str, float] = field(default_factory=dict)  # of a blend: the parameters that were asked for
    achieved: Mapping[str, float] = field(default_factory=dict)  # and those measured on the finished clip


@dataclass(frozen=True, eq=False)
class Provenance:
    """Per output frame: up to S sources with their clip, time and weight, and how far foot lock moved the body."""

    clips: tuple[str, ...]  # names that `clip` indexes
    clip: np.ndarray  # (T, S) int, -1 where unused
    time_s: np.ndarray  # (T, S) seconds in that clip
    weight: np.ndarray  # (T, S)
    correction_m: np.ndarray  # (T,) largest move of a foot or the pelvis by foot lock


@dataclass(frozen=True)
class Report:
    """Everything known about how a motion was made."""

    segments: tuple[Segment, ...]
    quality: Mapping[str, float] = field(default_factory=dict)
    provenance: Provenance | None = None
    judgement: Mapping[str, Any] = field(default_factory=dict)  # believable, grade, reasons, every figure of every seam
    ground: Mapping[str, Any] = field(default_factory=dict)  # of a clip put on a ground: its footfalls and what changed

    @property
    def joins(self) -> tuple[Segment, ...]:
        """The segments that are not simply a clip."""
        return tuple(segment for segment in self.segments if segment.kind != "clip")

    def to_json(self) -> dict[str, Any]:
        """Plain data for json.dumps; provenance, which is as long as the motion, stays out."""
        segments = [{**asdict(s), "rejected": [r._asdict() for r in s.rejected]} for s in self.segments]
        told = {"segments": segments, "quality": dict(self.quality), "judgement": dict(self.judgement)}
        return {**told, "ground": dict(self.ground)} if self.ground else told
