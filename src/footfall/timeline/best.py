"""Best timing: clips moved a little from where they were put, to where the measured joins are best."""

from __future__ import annotations

from dataclasses import replace

from footfall.timeline.arrangement import Arrangement
from footfall.timeline.model import Timeline

MOVES_S = (-0.3, -0.2, -0.1, -0.05, 0.05, 0.1, 0.2, 0.3)
GAIN = 0.05  # a move must make the join better by this much


def improved(arranged: Arrangement) -> Arrangement:
    """The arrangement with every clip but the first of each track moved by up to 0.3 s, one after another, to where its
    joins cost least; "asap" starts become times."""
    for track in range(len(arranged.timeline.tracks)):
        starts = arranged.plan()[track].starts_s
        arranged = arranged.with_timeline(_with_starts(arranged.timeline, track, starts))
        for clip in range(1, len(starts)):
            arranged = _moved(arranged, track, clip)
    return arranged


def _moved(arranged: Arrangement, track: int, clip: int) -> Arrangement:
    starts = list(arranged.plan()[track].starts_s)
    best, least = arranged, cost(arranged, track)
    for move in MOVES_S:
        # what follows keeps its distance: only the join into this clip changes
        there = [start + (move if i >= clip else 0.0) for i, start in enumerate(starts)]
        other = arranged.with_timeline(_with_starts(arranged.timeline, track, there))
        found = cost(other, track)
        if found < least - GAIN:
            best, least = other, found
    return best


def cost(arranged: Arrangement, track: int) -> float:
    """What all joins of a track cost together, as measured; waiting counts too."""
    clip = arranged.render(track)
    joins = clip.report.joins if clip.report else ()
    waits = sum(s.end_s - s.start_s for s in joins if s.kind == "hold")
    return sum(s.quality.get("cost", 0.0) for s in joins) + 2.0 * waits


def _with_starts(timeline: Timeline, track: int, starts: tuple[float, ...] | list[float]) -> Timeline:
    old = timeline.tracks[track]
    clips = tuple(replace(clip, start_s=start) for clip, start in zip(old.clips, starts, strict=True))
    tracks = list(timeline.tracks)
    tracks[track] = replace(old, clips=clips)
    return replace(timeline, tracks=tuple(tracks))
