"""The report of a timeline: segments with method, phases, times, reason and quality, and where each frame is from."""

from __future__ import annotations

import numpy as np

from footfall.core.report import Provenance, Segment
from footfall.timeline.composition import PlannedComposition
from footfall.timeline.synthesis import SynthesizedTrack
from footfall.timeline.track_plan import Overlay


def segments(made: SynthesizedTrack) -> list[Segment]:
    """Clips, joins and waits in order; seconds of the result."""
    found: list[Segment] = []
    for row in made.rows:
        start, end = row.first / made.fps, row.end / made.fps
        names = tuple(made.plan.pieces[i].name for i in row.pieces)
        spans = tuple((float(t[0]), float(t[-1])) for t in row.times_s)
        if len(row.pieces) == 2:
            found += _join_segments(made, row.pieces[0], start, end, spans)
        elif made.plan.pieces[row.pieces[0]].filler:
            found.append(Segment("wait", start, end, names, clip_times_s=spans, reason=_stands(made, row.pieces[0])))
        else:
            found.append(Segment("clip", start, end, names, clip_times_s=spans))
    return found


def _join_segments(
    made: SynthesizedTrack, i: int, start: float, end: float, spans: tuple[tuple[float, float], ...]
) -> list[Segment]:
    """A join, and the wait where the figure holds a pose, or stands before it is quite the stand's own."""
    join, evaluated = made.plan.joins[i], made.evaluated[i]
    names = made.plan.pieces[i].name, made.plan.pieces[i + 1].name
    rate = "" if evaluated.warped else " (played at their own rate after all: stretched, they would throw a limb)"
    reason = f"{join.reason}{rate}; left foot {evaluated.notes[0]}, right foot {evaluated.notes[1]}"
    whole = Segment(
        join.kind, start, end, names, phases=join.phases, clip_times_s=spans, reason=reason, rejected=join.rejected
    )
    since = made.plan.pieces[i].start_s - made.start_s
    if evaluated.hold_s is not None:
        wait = (since + evaluated.hold_s[0], since + evaluated.hold_s[1])
        return [whole, Segment("wait", *wait, names[1:], reason=f"waits for {names[1]} to start")]
    own = any(row.pieces == (i + 1,) for row in made.rows)
    if made.plan.pieces[i + 1].filler and not own:
        stands = max(join.end_s - made.start_s, start)
        return [whole, Segment("wait", min(stands, end), end, names[1:], reason=_stands(made, i + 1))]
    return [whole]


def _stands(made: SynthesizedTrack, filler: int) -> str:
    return f"stands until {made.plan.pieces[filler + 1].name} starts"


def composition_segment(overlay: Overlay, plan: PlannedComposition, duration_s: float) -> Segment:
    """What was laid over, in seconds of the result, which lasts duration_s."""
    begin, end = max(plan.begin_s, 0.0), min(plan.end_s, duration_s)
    return Segment(
        "composition",
        begin,
        end,
        (overlay.over, overlay.piece.name),
        reason=plan.reason,
        clip_times_s=((begin, end), (begin - plan.offset_s, end - plan.offset_s)),
    )


def provenance(made: SynthesizedTrack) -> Provenance:
    """Clip, time and weight of every frame; times are seconds of the recordings, not of the trimmed pieces."""
    pieces = made.plan.pieces
    names = tuple(dict.fromkeys(piece.name for piece in pieces))
    frames = made.rows[-1].end
    clip, time_s, weight = np.full((frames, 2), -1), np.zeros((frames, 2)), np.zeros((frames, 2))
    moved = np.zeros(frames)
    for row in made.rows:
        rows = slice(row.first, row.end)
        for column, i in enumerate(row.pieces):
            piece = pieces[i]
            clip[rows, column] = names.index(piece.name)
            time_s[rows, column] = piece.source_start_s + piece.source_rate * row.times_s[column]
            weight[rows, column] = row.weights[column]
        if row.part is not None:
            moved[rows] = made.evaluated[row.pieces[0]].moved_m[row.part]
    return Provenance(names, clip, time_s, weight, moved)
