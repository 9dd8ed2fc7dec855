"""Continued clips: parts of a split clip that still follow each other are played through as one.

Two parts of one recording that follow each other need no join: any blend between them would only change what was
recorded. A part that was moved, mirrored or sped is a clip of its own again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from footfall.timeline.model import Marker, Timeline, TimelineClip, TimelineTrack

SAME_S = 1e-6  # seconds: ends that differ by less are one


def goes_on(before: TimelineClip, after: TimelineClip) -> bool:
    """Whether a clip is the rest of the one before it."""
    if before.trim_s is None or after.trim_s is None or after.start_s != "asap" or after.method is not None:
        return False
    same = before.clip is after.clip or (isinstance(before.clip, str) and before.clip == after.clip)
    how = [(c.animation, c.speed, c.mirror, c.repeat) for c in (before, after)]
    return same and how[0] == how[1] and abs(before.trim_s[1] - after.trim_s[0]) < SAME_S


def runs_of(clips: Sequence[TimelineClip]) -> list[range]:
    """The places of clips that are played through as one, in order; most have a run of their own."""
    breaks = [i + 1 for i, (a, b) in enumerate(pairwise(clips)) if not goes_on(a, b)]
    return [range(a, b) for a, b in pairwise([0, *breaks, len(clips)])] if clips else []


def played_through(timeline: Timeline) -> Timeline:
    """The timeline with every run as one clip; markers are of the same moments."""
    runs = [runs_of(track.clips) for track in timeline.tracks]
    if all(len(run) == len(track.clips) for run, track in zip(runs, timeline.tracks, strict=True)):
        return timeline
    tracks = tuple(
        replace(track, clips=tuple(_one(track.clips, run) for run in some))
        for track, some in zip(timeline.tracks, runs, strict=True)
    )
    return replace(timeline, tracks=tracks, markers=tuple(_moved(m, timeline.tracks, runs) for m in timeline.markers))


def _one(clips: Sequence[TimelineClip], run: range) -> TimelineClip:
    first, last = clips[run[0]], clips[run[-1]]
    if first is last or first.trim_s is None or last.trim_s is None:
        return first
    return replace(first, trim_s=(first.trim_s[0], last.trim_s[1]))


def _moved(marker: Marker, tracks: Sequence[TimelineTrack], runs: Sequence[Sequence[range]]) -> Marker:
    """A marker by the places of runs; one that names what there is not is left for others to refuse."""
    clips, at_s = list(marker.clips), list(marker.at_s)
    for n, track in enumerate(marker.tracks):
        place = next(
            (k for k, run in enumerate(runs[track]) if clips[n] in run) if 0 <= track < len(runs) else iter(()), None
        )
        if place is None:
            continue
        first, own = tracks[track].clips[runs[track][place][0]], tracks[track].clips[clips[n]]
        if first.trim_s is not None and own.trim_s is not None:
            at_s[n] += (own.trim_s[0] - first.trim_s[0]) / own.speed
        clips[n] = place
    return replace(marker, clips=(clips[0], clips[1]), at_s=(at_s[0], at_s[1]))
