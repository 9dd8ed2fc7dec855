"""Arranged clips: a clip as it lies on the timeline, with its support phases (Oshita 2008, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from footfall.analysis.phases import Phase
from footfall.core.clip import Clip

if TYPE_CHECKING:
    from footfall.analysis.summary import Analysis

AROUND_S = 0.15  # seconds to either side of an apex that belong to it. By eye


def analysis_of(clip: Clip) -> Analysis:
    """The clip's analysis, made once: a drag asks for it again and again.

    It is kept in the clip itself: an analysis knows its clip, so a table of clips would never let go of either.
    """
    kept = vars(clip)
    if "_analysis" not in kept:
        from footfall.analysis.summary import analyze

        kept["_analysis"] = analyze(clip)
    found: Analysis = kept["_analysis"]
    return found


@dataclass(frozen=True, eq=False)
class ArrangedClip:
    """A clip, ready to be joined (trimmed, sped, mirrored, on the track's body), at a time of the timeline."""

    clip: Clip
    start_s: float  # timeline second of the clip's first frame
    name: str = ""
    source_start_s: float = 0.0  # where the clip's first frame lies in the recording it was cut from
    source_rate: float = 1.0  # seconds of the recording per second of the clip
    method: str | None = None  # how a person wants it to be joined to the previous one

    @cached_property
    def end_s(self) -> float:
        return self.start_s + self.clip.duration

    @cached_property
    def analysis(self) -> Analysis:
        return analysis_of(self.clip)

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """Support phases in timeline seconds."""
        shift = self.start_s
        return tuple(Phase(p.label, p.start_s + shift, p.end_s + shift) for p in self.analysis.phases)

    @property
    def action_from_s(self) -> float:
        """A join into the clip is over by then, so that what it is about is seen whole."""
        return float("inf") if self.action_s is None else self.action_s - AROUND_S

    @property
    def action_until_s(self) -> float:
        """Nor does a join out of it begin before."""
        return float("-inf") if self.action_s is None else self.action_s + AROUND_S

    @cached_property
    def action_s(self) -> float | None:
        """Timeline second of the moment the clip is about (a kick's or punch's apex), known or found; None: no such."""
        known = [event.start_s for event in self.clip.events if event.name == "apex"]
        if known and self.analysis.gait.type != "jump":  # a jump may well land in something else
            return self.start_s + known[-1]
        apex = self.analysis.apex
        return None if apex is None else self.start_s + apex.t_s

    def at(self, start_s: float) -> ArrangedClip:
        """The same piece at another time."""
        return ArrangedClip(self.clip, start_s, self.name, self.source_start_s, self.source_rate, self.method)

    def clip_time(self, t_s: float) -> float:
        """Seconds into the clip at a timeline second."""
        return t_s - self.start_s
