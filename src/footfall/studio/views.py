"""Views: plans and reports of a timeline as the page shows them, with a grade for every join and starts to snap to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from footfall.core.clip import Clip
from footfall.core.once import once
from footfall.quality.judge import SeamJudgement
from footfall.studio import messages as m
from footfall.studio.cures import cures_of
from footfall.studio.figures import phase_spans
from footfall.timeline.arranged_clip import ArrangedClip, phases_of
from footfall.timeline.planner import LONG_HOLD_S
from footfall.timeline.track_plan import Overlay, TrackPlan

GRADES: dict[str, m.Grade] = {"green": "good", "amber": "fair", "red": "poor"}  # the judge's, as the page has them
SAME_S = 1e-4
Seams = Mapping[int, SeamJudgement]  # of joins, by their place in the plan


class Recording(NamedTuple):
    """The recording a clip of a track is taken from."""

    name: str
    seconds: float  # of all of it, at the clip's speed and with its repeats


Ids = Mapping[int, int]  # clip numbers by id() of a piece of the plan


def track_view(
    track: m.DocumentTrack, plan: TrackPlan, sources: Sequence[Recording], seams: Seams | None = None
) -> m.TrackView:
    """A planned track; sources: of each of its clips."""
    ids = piece_ids(track, plan, sources)
    composed = {ids[id(overlay.piece)] for overlay in plan.overlays}
    pieces: dict[int, ArrangedClip] = {}
    unseen = [piece for piece, _ in plan.unseen]
    played = [piece for piece in plan.pieces if not piece.filler]
    for piece in [*(overlay.piece for overlay in plan.overlays), *played, *unseen]:
        pieces.setdefault(ids[id(piece)], piece)
    clips = [
        _clip_view(placed, start, pieces.get(placed.id), placed.id in composed, source)
        for placed, start, source in zip(track.clips, plan.starts_s, sources, strict=True)
    ]
    joins = [
        (_join_view if last == first + 1 else _wait_view)(ids, plan, slice(first, last), seams or {})
        for first, last in pairwise(i for i, piece in enumerate(plan.pieces) if not piece.filler)
    ]
    ends = {clip.id: clip.end_s for clip in clips}
    joins = [replace(join, cures=cures_of(join, track, ends)) for join in joins]
    joins += [_composition(ids, plan, overlay) for overlay in plan.overlays]
    start, end = plan.pieces[0].start_s, max(piece.end_s for piece in played)
    return m.TrackView(track.id, _s(start), _s(end), tuple(clips), tuple(joins))


def piece_ids(track: m.DocumentTrack, plan: TrackPlan, sources: Sequence[Recording]) -> Ids:
    """Which clip each piece of a plan is, or is a part of; what fills a gap is none."""
    left = list(zip(track.clips, plan.starts_s, sources, strict=True))
    found: dict[int, int] = {}
    played = (piece for piece in plan.pieces if not piece.filler)
    every = [*played, *(overlay.piece for overlay in plan.overlays), *(piece for piece, _ in plan.unseen)]
    for piece in every:
        for entry in left:
            if abs(entry[1] - piece.start_s) < SAME_S and _is_of(entry[0], entry[2], piece):
                found[id(piece)] = entry[0].id
                left.remove(entry)
                break
    for piece in every:  # what is left of a clip beside one that lies in its middle
        if id(piece) not in found:
            before = [
                placed.id
                for placed, start, source in zip(track.clips, plan.starts_s, sources, strict=True)
                if start <= piece.start_s + SAME_S and _is_of(placed, source, piece)
            ]
            found[id(piece)] = before[-1] if before else track.clips[0].id
    return found


def broken_track(track: m.DocumentTrack, problem: str | None, before: m.TrackView | None = None) -> m.TrackView:
    """A track that could not be made, shown where its clips were, or one that is empty."""
    known = {clip.id: clip for clip in before.clips} if before else {}
    clips: list[m.ClipView] = []
    for placed in track.clips:
        at = clips[-1].end_s if clips else 0.0
        old = known.get(placed.id)
        length = old.end_s - old.start_s if old else 1.0
        start = placed.start_s if placed.start_s is not None else at
        name = old.name if old else placed.clip
        clips.append(m.ClipView(placed.id, name, start, start + length, False, old.phases if old else (), length))
    end = max((clip.end_s for clip in clips), default=0.0)
    return m.TrackView(track.id, min((c.start_s for c in clips), default=0.0), end, tuple(clips), (), problem)


def _is_of(placed: m.PlacedClip, source: Recording, piece: ArrangedClip) -> bool:
    """Whether a piece can be of a clip: what is known of both agrees."""
    same = piece.name == source.name and placed.method == piece.method
    return same and abs(placed.speed - piece.source_rate) < 1e-9


def _clip_view(
    placed: m.PlacedClip, start: float, piece: ArrangedClip | None, composed: bool, source: Recording
) -> m.ClipView:
    whole = _s(source.seconds)
    if piece is None:  # one of two that lie exactly upon each other
        return m.ClipView(placed.id, source.name, _s(start), _s(start + whole), composed, (), whole)
    phases = _phases(piece.clip)
    return m.ClipView(placed.id, piece.name, _s(start), _s(start + piece.clip.duration), composed, phases, whole)


@once
def _phases(clip: Clip) -> tuple[m.PhaseSpan, ...]:
    """Those of a clip; a drag shows them again and again."""
    return phase_spans(phases_of(clip))


def _join_view(ids: Ids, plan: TrackPlan, joins: slice, seams: Seams) -> m.JoinView:
    """The join of a piece with the next."""
    i = joins.start
    join, before, after = plan.joins[i], plan.pieces[i], plan.pieces[i + 1]
    kind = "wait" if join.hold_s > LONG_HOLD_S and join.kind != "fallback" else join.kind
    reason = f"{join.kind}: {join.reason}" if kind == "wait" else join.reason
    refused = tuple(m.Refused(r.method, r.reason) for r in join.rejected)
    return m.JoinView(
        ids[id(before)], ids[id(after)], kind, _s(join.begin_s), _s(join.end_s), reason,
        join.phases, refused, *_seen(seams.get(i)),
    )  # fmt: skip


def _wait_view(ids: Ids, plan: TrackPlan, filled: slice, seams: Seams) -> m.JoinView:
    """Two pieces with a gap between them that is filled: from where the first is left to where the last has been
    entered; graded as the worst of the joins in between."""
    before, after, joins = plan.pieces[filled.start], plan.pieces[filled.stop], plan.joins[filled]
    names = ", ".join(piece.name for piece in plan.pieces[filled.start + 1 : filled.stop])
    reason = f"the gap is filled with {names}; joined by {', '.join(join.kind for join in joins)}"
    refused = tuple(m.Refused(r.method, r.reason) for join in joins for r in join.rejected)
    found = [seams[i] for i in range(filled.start, filled.stop) if i in seams]
    worst = max(found, key=lambda seam: list(GRADES).index(seam.grade), default=None)
    return m.JoinView(
        ids[id(before)], ids[id(after)], "wait", _s(joins[0].begin_s), _s(joins[-1].end_s), reason,
        None, refused, *_seen(worst),
    )  # fmt: skip


def _seen(seam: SeamJudgement | None) -> tuple[float | None, float | None, m.Grade, str]:
    """Skate, excess acceleration, grade and what a viewer would say first; nothing while it is not judged."""
    if seam is None:
        return None, None, "unknown", ""
    skate, excess = round(seam.figures["skate"].value, 3), round(seam.figures["excess"].value, 2)
    return skate, excess, GRADES[seam.grade], seam.reasons[0] if seam.reasons else ""


def _composition(ids: Ids, plan: TrackPlan, overlay: Overlay) -> m.JoinView:
    piece = overlay.piece
    played = [p for p in plan.pieces if not p.filler]
    under = next((p for p in played if p.start_s <= piece.start_s < p.end_s), played[0])
    reason = f"{piece.name} moves the arms of a standing body: it is laid over {overlay.over}"
    return m.JoinView(
        ids[id(under)], ids[id(piece)], "composition", _s(piece.start_s), _s(piece.end_s),
        reason, None, (), None, None, "unknown",
    )  # fmt: skip


def _s(seconds: float) -> float:
    """Seconds to a tenth of a millisecond: enough for a picture, short on the wire."""
    return round(float(seconds), 4)
