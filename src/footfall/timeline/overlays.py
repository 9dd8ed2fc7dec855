"""Overlays: arm movements laid over a track, each made in a world of its own and remembered.

What a movement does to a body does not depend on where on the floor it stands, nor on when it happens. So those that
lie over the same frames are made together, from these frames alone, in the world of the first of their clips; dragging
a clip elsewhere only moves the result over the floor.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from footfall.core.clip import Clip, fix_signs
from footfall.core.pose import Pose
from footfall.core.report import Segment
from footfall.kinematics.floor_align import FloorTransform
from footfall.timeline.arranged_clip import arm_movement
from footfall.timeline.assembly import PoseStrip, together
from footfall.timeline.composition import BLEND_S, LAG, SYNC_HZ, compose_into, plan_composition
from footfall.timeline.recent import Recent
from footfall.timeline.report import composition_segment
from footfall.timeline.synthesis import FrameRow, SynthesizedTrack
from footfall.timeline.track_plan import Overlay

Kept = Recent[tuple[object, ...], "LaidMovements"]


class LaidMovements(NamedTuple):
    """Movements that lie over the same frames."""

    first: int  # frame, after the first that they look at, from which on poses are changed
    pose: Pose  # (K,) in the world of the first clip there
    segments: tuple[Segment, ...]  # seconds after the first frame that they look at


class _Group(NamedTuple):
    """Overlays that look at the same frames, and these frames."""

    overlays: tuple[Overlay, ...]
    first: int
    end: int


def composed(made: SynthesizedTrack, kept: Kept) -> tuple[list[PoseStrip], list[Segment]]:
    """A track's strips with everything laid over them, and what to say of it."""
    strips, found = [PoseStrip(row.own, row.placement) for row in made.rows], []
    for group in _groups(made):
        rows = [row for row in made.rows if row.first < group.end and row.end > group.first]
        laid = kept.get(_key(made, group, rows), partial(_lay, made, group, rows))
        first = group.first + laid.first
        strips = _replaced(strips, first, PoseStrip(laid.pose, made.placements[rows[0].pieces[0]]))
        since = group.first / made.fps
        found += [_later(segment, since) for segment in laid.segments]
    return strips, found


def _groups(made: SynthesizedTrack) -> list[_Group]:
    """Overlays in order of time, those together that look at the same frames."""
    groups: list[_Group] = []
    whole, fps = made.rows[-1].end, made.fps
    for overlay in made.plan.overlays:
        found = arm_movement(overlay.piece.clip)
        most = LAG * (found.end_s - found.start_s) + BLEND_S
        start = _start(made, overlay)
        first = max(0, start + int(np.floor((found.start_s - most) * fps)) - 1)
        end = min(whole, start + int(np.ceil((found.end_s + most + 2.0 / SYNC_HZ) * fps)) + 2)
        if end <= first:
            continue
        same = [group for group in groups if group.first < end and group.end > first]
        groups = [group for group in groups if group not in same]
        overlays = tuple(o for group in same for o in group.overlays)
        bounds = (min(first, *(g.first for g in same)), max(end, *(g.end for g in same))) if same else (first, end)
        groups.append(_Group((*overlays, overlay), *bounds))
    return sorted(groups, key=lambda group: group.first)


def _start(made: SynthesizedTrack, overlay: Overlay) -> int:
    """The output frame of an overlay's first frame."""
    return round((overlay.piece.start_s - made.start_s) * made.fps)


def _key(made: SynthesizedTrack, group: _Group, rows: list[FrameRow]) -> tuple[object, ...]:
    """All that the result is made of, whenever and wherever it happens."""
    first, pieces, whole = group.first, made.plan.pieces, made.rows[-1].end
    movements = tuple((o.piece.clip, _start(made, o) - first, o.over, o.piece.name, o.shifts) for o in group.overlays)
    bases = tuple(
        (
            pieces[row.pieces[0]].clip if row.part is None else made.evaluated[row.pieces[0]],
            (row.times_s[0][0] if row.part is None else row.part.start),
            row.first - first,
            row.end - first,
        )
        for row in rows
    )
    between = tuple(made.evaluated[i] for i in range(rows[0].pieces[0], rows[-1].pieces[0]))
    return movements, bases, between, group.end - first, first == 0, group.end == whole


def _lay(made: SynthesizedTrack, group: _Group, rows: list[FrameRow]) -> LaidMovements:
    """Every movement of a group over its frames."""
    fps, count = made.fps, group.end - group.first
    placement = {rows[0].pieces[0]: FloorTransform(np.zeros(()), np.zeros(3))}
    for a, b in pairwise(range(rows[0].pieces[0], rows[-1].pieces[-1] + 1)):
        placement[b] = placement[a].after(made.evaluated[a].placement)
    strips = [
        PoseStrip(row.own, placement[row.pieces[0]]).part(max(group.first - row.first, 0), group.end - row.first)
        for row in rows
    ]
    pose = together(strips)
    room = (0.0 if group.first == 0 else -np.inf, (count - 1) / fps if group.end == made.rows[-1].end else np.inf)
    segments, first, end = [], count, 0
    for overlay in group.overlays:
        extra = overlay.piece
        base = Clip(extra.clip.skeleton, fps, pose, name=overlay.over)
        start_s = (_start(made, overlay) - group.first) / fps
        plan = plan_composition(base, extra.clip, start_s, arm_movement(extra.clip), room, overlay.shifts)
        part = compose_into(base.skeleton, pose, fps, extra.clip, plan)
        first, end = min(first, part.start), max(end, part.stop)
        segments.append(composition_segment(overlay, plan, (count - 1) / fps))
    pose = fix_signs(pose)
    return LaidMovements(first, pose.at(slice(first, max(first, end))), tuple(segments))


def _replaced(strips: list[PoseStrip], first: int, by: PoseStrip) -> list[PoseStrip]:
    """Strips with those frames that another covers, from a frame on, taken from it."""
    end, frame = first + len(by.own.root_pos), 0
    if end == first:
        return strips
    before: list[PoseStrip] = []
    after: list[PoseStrip] = []
    for strip in strips:
        start, frame = frame, frame + len(strip.own.root_pos)
        if start < first:
            before.append(strip if frame <= first else strip.part(0, first - start))
        if frame > end:
            after.append(strip if start >= end else strip.part(end - start, frame - start))
    return [*before, by, *after]


def _later(segment: Segment, by_s: float) -> Segment:
    """A composition's segment, told by_s seconds later; the second clip's times are its own."""
    begin, end = segment.start_s + by_s, segment.end_s + by_s
    return Segment(
        segment.kind,
        begin,
        end,
        segment.clips,
        reason=segment.reason,
        clip_times_s=((begin, end), segment.clip_times_s[1]),
    )
