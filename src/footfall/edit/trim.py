"""Trimming: the part of a clip between two times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip, Event, fix_signs
from footfall.core.errors import ParameterError
from footfall.edit.sample import need_frames, sample

ON_FRAME = 1e-4  # frames: times typed with a few digits still mean the frame they are nearest to


def trim(clip: Clip, start_s: float, end_s: float) -> Clip:
    """From start_s to end_s, both included; the frames are kept as they are where both times fall on frames.

    A start between frames becomes the exact pose at that time, and the rest follows at the same rate; the last frame
    is the last one not after end_s. The whole of a loop stays a loop; a part of it does not.
    """
    need_frames(clip, what="trimmed")
    start_s, end_s = float(start_s), float(end_s)
    slack = ON_FRAME / clip.fps
    if not (-slack <= start_s <= end_s <= clip.duration + slack):
        raise ParameterError(
            f"cannot trim {clip.name or 'this clip'} to {start_s:g}:{end_s:g} s; give a start and an end, in that "
            f"order, from 0 to {clip.duration:g} s"
        )
    first = start_s * clip.fps
    first = float(round(first)) if abs(first - round(first)) <= ON_FRAME else first
    count = int(np.floor(end_s * clip.fps - first + ON_FRAME)) + 1
    if first.is_integer():
        pose = clip.pose.at(slice(int(first), int(first) + count))
    else:
        pose = fix_signs(sample(replace(clip, is_loop=False), (first + np.arange(count)) / clip.fps))
    whole = first == 0 and count == clip.frames
    cut = cut_events(clip.events, first / clip.fps, (count - 1) / clip.fps)
    return clip.with_pose(pose, events=cut, is_loop=clip.is_loop and whole)


def cut_events(events: tuple[Event, ...], start_s: float, duration_s: float) -> tuple[Event, ...]:
    """Events in the time of a part that starts at start_s; what lies outside it is gone, what crosses is cut."""
    kept = []
    for event in events:
        start, end = event.start_s - start_s, event.end_s - start_s
        if end >= 0.0 and start <= duration_s:
            kept.append(Event(event.name, max(start, 0.0), min(end, duration_s)))
    return tuple(kept)
