"""Parts of a clip that was split: planned as one clip, shown as several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from footfall.studio import messages as m
from footfall.timeline.continued import runs_of
from footfall.timeline.model import TimelineClip


@dataclass(frozen=True)
class PartedTrack:
    """A track as it is planned, with the clips that each of its clips is shown as."""

    played: m.DocumentTrack
    parts: dict[int, tuple[m.PlacedClip, ...]]  # by the number of the first

    def first_of(self, clip: int) -> int:
        """The clip that a part is planned as."""
        return next((first for first, parts in self.parts.items() if any(p.id == clip for p in parts)), clip)

    def shown(self, view: m.TrackView) -> m.TrackView:
        """The view with every part in its own place; a run is left from its last part."""
        if not self.parts:
            return view
        clips = [one for clip in view.clips for one in self._shown(clip)]
        joins = (replace(j, before=self.parts[j.before][-1].id) if j.before in self.parts else j for j in view.joins)
        return replace(view, clips=tuple(clips), joins=tuple(joins))

    def _shown(self, clip: m.ClipView) -> list[m.ClipView]:
        parts = self.parts.get(clip.id)
        if parts is None:
            return [clip]
        begin_s = parts[0].trim_s[0] if parts[0].trim_s else 0.0
        found = []
        for part in parts:
            assert part.trim_s is not None  # only such go on
            from_s, to_s = ((t - begin_s) / part.speed for t in part.trim_s)
            to_s = max(from_s, min(to_s, clip.end_s - clip.start_s))
            phases = tuple(
                replace(p, start_s=max(p.start_s, from_s) - from_s, end_s=min(p.end_s, to_s) - from_s)
                for p in clip.phases
                if p.start_s < to_s and p.end_s > from_s
            )
            start_s, end_s = clip.start_s + from_s, clip.start_s + to_s
            found.append(replace(clip, id=part.id, start_s=start_s, end_s=end_s, phases=phases))
        return found


def parted(track: m.DocumentTrack, entries: Sequence[TimelineClip]) -> PartedTrack:
    """A track whose runs of parts are one clip each; entries: its clips as the timeline has them."""
    clips, parts = [], {}
    for run in runs_of(entries):
        some = tuple(track.clips[i] for i in run)
        whole = some[0]
        if len(some) > 1 and some[0].trim_s is not None and some[-1].trim_s is not None:
            whole = replace(whole, trim_s=(some[0].trim_s[0], some[-1].trim_s[1]))
            parts[whole.id] = some
        clips.append(whole)
    return PartedTrack(replace(track, clips=tuple(clips)) if parts else track, parts)
