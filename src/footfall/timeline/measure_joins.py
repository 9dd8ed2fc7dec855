"""How good each join of a take is, by the same measures as all joins of footfall."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip
from footfall.core.report import Segment
from footfall.joins.measure import JoinQuality, measure
from footfall.quality.joins import TimeMap, excess_acceleration
from footfall.quality.skate import AFTER_S, BEFORE_S
from footfall.timeline.synthesis import SynthesizedTrack


def with_quality(clip: Clip, made: SynthesizedTrack, segments: list[Segment]) -> list[Segment]:
    """The segments, those that are joins with their figures: measured in fixed windows, not in the segment alone."""
    found = []
    joins = {row.first for row in made.rows if len(row.pieces) == 2}
    for segment in segments:
        first = round(segment.start_s * made.fps)
        if segment.kind in ("clip", "composition", "wait") or first not in joins:
            found.append(segment)
            continue
        quality = quality_at(clip, made, first / made.fps)
        found.append(replace(segment, quality={**quality.figures(), "cost": quality.cost}))
    return found


def quality_at(clip: Clip, made: SynthesizedTrack, join_s: float) -> JoinQuality:
    """Measured around a second of the result, against every clip that is played there; what is laid over it has a say
    in which accelerations are usual, not in how feet stand."""
    start, end = join_s - BEFORE_S, join_s + AFTER_S
    sources = sources_between(made, start, end)
    found = measure(clip, join_s, sources)
    laid = [(extra, at) for extra, at in _laid(clip, made) if at < end and at + extra.duration > start]
    if not laid:
        return found
    excess = excess_acceleration(clip, join_s, [*sources, *laid])
    return found._replace(excess_m_s2=excess.value, excess_joint=excess.joint, excess_s=excess.time_s)


def _laid(clip: Clip, made: SynthesizedTrack) -> list[tuple[Clip, float]]:
    """What is laid over, with the second of the result at which it starts; it may have been shifted to swing with the
    arm of what it lies over, which the clip's report says."""
    said = [s for s in clip.report.segments if s.kind == "composition"] if clip.report else []
    found = []
    for overlay in made.plan.overlays:
        at = overlay.piece.start_s - made.start_s
        own = [s.start_s - s.clip_times_s[1][0] for s in said if s.clips[1] == overlay.piece.name]
        found.append((overlay.piece.clip, min(own, key=lambda start: abs(start - at), default=at)))
    return found


def sources_between(made: SynthesizedTrack, start_s: float, end_s: float) -> list[tuple[Clip, TimeMap]]:
    """The clips played in a stretch of the result, each with the map from seconds of the result to its own."""
    first, last = start_s * made.fps, end_s * made.fps
    used = [row for row in made.rows if row.first < last and row.end > first]
    pieces = sorted({i for row in used for i in row.pieces})
    return [(made.plan.pieces[i].clip, time_map(made, i)) for i in pieces]


def time_map(made: SynthesizedTrack, piece: int) -> TimeMap:
    """From seconds of the result to seconds of one of its clips: by its clocks, beyond them at rate 1."""
    parts = [(row, row.pieces.index(piece)) for row in made.rows if piece in row.pieces]
    at = np.concatenate([row.first + np.arange(len(row.times_s[0])) for row, _ in parts]) / made.fps
    own = np.concatenate([row.times_s[column] for row, column in parts])

    def times(t_s: np.ndarray) -> np.ndarray:
        inside = np.interp(t_s, at, own)
        return inside + np.minimum(t_s - at[0], 0.0) + np.maximum(t_s - at[-1], 0.0)

    return times
