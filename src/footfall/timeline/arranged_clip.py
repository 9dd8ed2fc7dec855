"""Arranged clips: a clip as it lies on the timeline, with its support phases (Oshita 2008, section 4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from footfall.analysis.additional import Additional, find_additional
from footfall.analysis.content import ContentBounds, action_bounds, apex_bounds, content_bounds
from footfall.analysis.phases import Phase, find_phases
from footfall.analysis.summary import need_legs
from footfall.core.clip import Clip
from footfall.core.once import once

FOOT_ACTIONS = ("jump", "kick")
NO_ACTIONS = ContentBounds(float("inf"), float("-inf"))
EACH_END = 0.5  # of what a clip may lose, as much at either end


@once
def phases_of(clip: Clip) -> tuple[Phase, ...]:
    """The support phases of a clip with two legs, in its own seconds; a drag asks for them again and again.

    Not the whole Analysis, which knows its clip: kept with the clip, the two would hold each other until Python looks
    for such rings, which takes hundreds of edits.
    """
    need_legs(clip)
    return tuple(find_phases(clip))


@once
def arm_movement(clip: Clip) -> Additional:
    """Whether only the arms of a clip do something, which, and when."""
    need_legs(clip)
    return find_additional(clip)


@dataclass(frozen=True, eq=False)
class ArrangedClip:
    """A clip, ready to be joined (trimmed, sped, mirrored, on the track's body), at a time of the timeline."""

    clip: Clip
    start_s: float  # timeline second of the clip's first frame
    name: str = ""
    source_start_s: float = 0.0  # where the clip's first frame lies in the recording it was cut from
    source_rate: float = 1.0  # seconds of the recording per second of the clip
    method: str | None = None  # how a person wants it to be joined to the previous one
    filler: bool = False  # standing, put in where nothing else is to be done
    searched: bool = False  # it follows the previous one as soon as possible: the join into it is searched

    @cached_property
    def end_s(self) -> float:
        return self.start_s + self.clip.duration

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """Support phases in timeline seconds."""
        shift = self.start_s
        return tuple(Phase(p.label, p.start_s + shift, p.end_s + shift) for p in phases_of(self.clip))

    @cached_property
    def bounds(self) -> ContentBounds:
        """Seconds of the clip between which it must be shown; what it may lose is shared between both ends. Nothing of
        a filler must be."""
        if self.filler:
            return ContentBounds(self.clip.duration, 0.0)
        return content_bounds(self.clip, EACH_END)

    @cached_property
    def actions(self) -> ContentBounds:
        """Seconds of the clip between which its actions lie."""
        return action_bounds(self.clip) if not self.filler else NO_ACTIONS

    @cached_property
    def foot_actions(self) -> ContentBounds:
        """Seconds of the clip between which its kicks and jumps lie: a step on the way would take their place."""
        return action_bounds(self.clip, FOOT_ACTIONS) if not self.filler else NO_ACTIONS

    @cached_property
    def apexes(self) -> ContentBounds:
        """Seconds of the clip between which its actions strike, or are at their highest."""
        return apex_bounds(self.clip) if not self.filler else NO_ACTIONS

    @property
    def keep_from_s(self) -> float:
        """A join into the clip is over by then, so that its actions and most of it are seen."""
        return self.start_s + self.bounds.enter_by_s

    @property
    def keep_until_s(self) -> float:
        """Nor does a join out of it begin before."""
        return self.start_s + self.bounds.leave_from_s

    def at(self, start_s: float) -> ArrangedClip:
        """The same piece at another time."""
        return replace(self, start_s=start_s)

    def clip_time(self, t_s: float) -> float:
        """Seconds into the clip at a timeline second."""
        return t_s - self.start_s
