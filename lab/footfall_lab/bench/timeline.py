"""Timelines: how long a one-minute take of thirty clips takes from prepared clips, and again after one was dragged."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from footfall.timeline.arrangement import Arrangement, timeline
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack
from footfall_lab.bench._measure import Row

CLIPS = (
    "walk:cycles=3", "kick", "walk:cycles=4", "run:cycles=5", "stop", "punch", "start", "walk-back:cycles=3",
    "turn-in-place", "jump",
)  # fmt: skip
COUNT, FPS = 30, 60.0
DRAG_MS, WHOLE_S = 16.0, 1.0
MOVES_S = (0.05, 0.1, -0.05)


def run() -> list[Row]:
    """Every figure of this benchmark."""
    placed = one_minute()
    fresh = Arrangement(placed.timeline)
    fresh._workshop = placed._workshop  # clips read, put on one body and analysed; nothing planned or joined
    start = time.perf_counter()
    take = fresh.render(measured=False)
    whole = time.perf_counter() - start
    times = drags(fresh)
    again = _again(fresh)
    drag = float(np.median(times))
    laid = len(fresh.plan()[0].overlays)
    what = f"{take.duration:.0f} s of {COUNT} clips, {laid} of them laid over others, at {FPS:g} fps"
    row, searched_s = searched_row()
    follow = searched_drags(row)
    return [
        Row(f"{len(CLIPS)} clips in a row, searched from prepared clips, for each", f"{searched_s / len(CLIPS):.2f} s"),
        Row("one clip of these was dragged", f"{np.median(follow):.1f} ms median, {max(follow):.0f} at most"),
        Row(f"{what}, from prepared clips: planned and joined", f"{whole:.2f} s", "at most 1 s", whole <= WHOLE_S),
        Row(f"{what}, after one clip was dragged", f"{drag:.1f} ms median", "at most 16 ms", drag <= DRAG_MS),
        Row(f"the slowest of these {len(times)} drags", f"{max(times):.1f} ms"),
        Row("nothing changed: planned again, put together", f"{again:.1f} ms"),
    ]


def one_minute() -> Arrangement:
    """Thirty clips, a minute in all, each as soon as possible after the one before, then at fixed times; three of them
    are laid over others. Everything is prepared."""
    speeds = (1.0, 1.05, 0.95)  # so that no two joins are the same
    entries = tuple(TimelineClip(CLIPS[i % len(CLIPS)], speed=speeds[i // len(CLIPS)]) for i in range(COUNT))
    arranged = timeline(Timeline((TimelineTrack(entries),), fps=FPS, options={"rules": True}))
    starts = arranged.plan()[0].starts_s
    fixed = tuple(replace(e, start_s=s) for e, s in zip(entries, starts, strict=True))
    arranged = arranged.with_timeline(Timeline((TimelineTrack(fixed),), fps=FPS))
    arranged.render(measured=False)  # analyses and foot paths belong to the clips
    return arranged


def searched_row() -> tuple[Arrangement, float]:
    """Ten of them, each as soon as possible after the one before, by search; and how many seconds that took."""
    arranged = timeline(Timeline((TimelineTrack(tuple(TimelineClip(clip) for clip in CLIPS)),), fps=FPS))
    start = time.perf_counter()
    arranged.render(measured=False)
    return arranged, time.perf_counter() - start


def searched_drags(arranged: Arrangement) -> list[float]:
    """Milliseconds of each re-synthesis after one clip of such a row was moved; what follows it follows on."""
    found = []
    plan, clips = arranged.plan()[0], arranged.timeline.tracks[0].clips
    for index in range(2, len(clips) - 1, 3):
        for move in MOVES_S:
            moved = (*clips[:index], replace(clips[index], start_s=plan.starts_s[index] + move), *clips[index + 1 :])
            other = arranged.with_timeline(replace(arranged.timeline, tracks=(TimelineTrack(moved),)))
            start = time.perf_counter()
            other.renders(measured=False)
            found.append(1e3 * (time.perf_counter() - start))
    return found


def drags(arranged: Arrangement) -> list[float]:
    """Milliseconds of each re-synthesis, clips here and there moved to and fro."""
    found = []
    clips = arranged.timeline.tracks[0].clips
    for index in range(2, COUNT - 1, 3):
        for move in MOVES_S:
            start_s = clips[index].start_s
            assert not isinstance(start_s, str)
            moved = (*clips[:index], replace(clips[index], start_s=start_s + move), *clips[index + 1 :])
            other = arranged.with_timeline(replace(arranged.timeline, tracks=(TimelineTrack(moved),)))
            start = time.perf_counter()
            other.renders(measured=False)
            found.append(1e3 * (time.perf_counter() - start))
    return found


def _again(arranged: Arrangement) -> float:
    start = time.perf_counter()
    for _ in range(5):
        arranged.with_timeline(arranged.timeline).renders(measured=False)
    return 1e3 * (time.perf_counter() - start) / 5
