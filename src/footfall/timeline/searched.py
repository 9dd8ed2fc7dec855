"""Searched joins: where a clip follows another as soon as possible, when and how is chosen by the search of all joins.

`joins.search` leads on, balances and judges; here its best way becomes a join of the timeline: when the next clip
starts, and the frames in between. Clips that were put at a time by hand are joined by the rules of `planner`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import NamedTuple
from weakref import ref

import numpy as np

from footfall.core.clip import fix_signs
from footfall.feet.leg_solve import has_legs
from footfall.joins.assemble import assemble
from footfall.joins.join_section import JoinSection
from footfall.joins.search import WITHIN_S, JoinCandidate, SearchRequest, others_told, search
from footfall.timeline.arranged_clip import ArrangedClip
from footfall.timeline.evaluate import EvaluatedJoin
from footfall.timeline.gentleness import ForetoldQuality
from footfall.timeline.planner import PlannedJoin, label_at
from footfall.timeline.recent import Recent

KEPT = 128  # searched joins that are remembered, 0.1 MB each
LEAST_FRAMES = 8  # of a clip that is searched
LEAST_LEFT_S = 0.1  # seconds at the end of a clip that must be its own for it to be left as it is


class SearchedJoin(NamedTuple):
    """The best way from a clip into the next, in the first one's time."""

    offset: int  # output frames from its first frame to the next clip's
    join: PlannedJoin
    frames: EvaluatedJoin


class JoinBefore(NamedTuple):
    """The join into a piece."""

    frames: EvaluatedJoin
    offset: int  # output frames from the piece before to this one


def changed(piece: ArrangedClip, before: JoinBefore) -> ArrangedClip:
    """A piece as the join into it left it, where that changed it to its end: feet may be held beside their places."""
    frames, clip = before.frames, piece.clip
    first = frames.first - before.offset
    rows = np.arange(max(first, 0), min(frames.end - before.offset, clip.frames))
    pose = frames.placement.inverse().pose(frames.pose.at(rows - first))
    root_pos, rot = np.array(clip.pose.root_pos), np.array(clip.pose.rot)
    root_pos[rows], rot[rows] = pose.root_pos, pose.rot
    return replace(piece, clip=clip.with_pose(fix_signs(clip.pose._replace(root_pos=root_pos, rot=rot))))


class JoinSearcher:
    """Searches joins and remembers them by their clips."""

    def __init__(self) -> None:
        self._found: Recent[tuple[Hashable, ...], SearchedJoin | None] = Recent(KEPT)

    def find(
        self, previous: ArrangedClip, following: ArrangedClip, free_s: float, before: JoinBefore | None
    ) -> SearchedJoin | None:
        """The join of two pieces, the first of which is its own from free_s of its own time on; before that it is what
        the join before made of it. None where they are too short, or have no feet, for a search."""
        leave_s = max(previous.bounds.leave_from_s, free_s)
        if leave_s < previous.clip.duration - LEAST_LEFT_S or before is None:
            key: tuple[Hashable, ...] = (ref(previous.clip), ref(following.clip), leave_s)
            return self._found.get(key, lambda: _searched(previous, following, leave_s))
        key = (ref(previous.clip), ref(following.clip), ref(before.frames), before.offset)
        return self._found.get(
            key, lambda: _searched(changed(previous, before), following, previous.bounds.leave_from_s)
        )


def _searched(previous: ArrangedClip, following: ArrangedClip, leave_s: float) -> SearchedJoin | None:
    a, b = previous.clip, following.clip
    if min(a.frames, b.frames) < LEAST_FRAMES or not has_legs(a.skeleton):
        return None
    request = SearchRequest(window_s=(0.0, min(following.bounds.enter_by_s, WITHIN_S)), leave_from_s=leave_s)
    ways = search(a, b, request)
    way = ways[0].section
    offset = round((way.assembled.end_s - way.made.enter_s + way.pair.entered.shift_s) * a.fps)
    return SearchedJoin(offset, _planned(previous, following, ways, offset), _frames(way, offset))


def _planned(previous: ArrangedClip, following: ArrangedClip, ways: list[JoinCandidate], offset: int) -> PlannedJoin:
    """The decision, for the plan and the report."""
    way = ways[0].section
    fps, whole = previous.clip.fps, way.assembled
    first, last = way.new_frames
    words = [led.words for led in way.pair if led is not None and led.words]
    begin_s, end_s = (first - 1) / fps, (last + 1) / fps
    return PlannedJoin(
        "bridge" if words else "transition",
        begin_s=begin_s,
        leave_s=max(whole.join_s, begin_s),
        reach_s=end_s,
        enter_s=min(whole.end_s, end_s),
        end_s=end_s,
        phases=(label_at(previous.at(0.0), begin_s), label_at(following.at(offset / fps), end_s)),
        reason="; ".join([*words, way.made.note]),
        rejected=others_told(ways, "search"),
        own_rate=True,
        searched=True,
    )


def _frames(way: JoinSection, offset: int) -> EvaluatedJoin:
    """The frames between the clips, in the first one's world."""
    clip, plan = way.assembled.clip, way.plan
    assert plan is not None
    first, last = way.new_frames
    inside = np.arange(first, last + 1)  # not a slice: what is remembered would hold both clips' frames
    weight, previous_s, following_s = _clocks(way, inside, offset)
    down = np.stack([clip.contacts.left, clip.contacts.right], axis=1)[inside]
    return EvaluatedJoin(
        clip.skeleton,
        first,
        last + 1,
        fix_signs(clip.pose.at(inside)),
        assemble(way.departure, way.target, way.made).clip.pose.at(inside),
        way.made.placement,
        weight,
        previous_s,
        following_s,
        down,
        (plan.feet[0].note, plan.feet[1].note),
        ForetoldQuality(0.0, 0.0, 0.0),
        None,
    )


def _clocks(way: JoinSection, frames: np.ndarray, offset: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Share of the second clip, and seconds of both, at frames (K,) of the result: beyond a clip's own end, or before
    its start, where it is led on."""
    fps, (left, entered), (end_s, begin_s) = way.departure.fps, way.pair, way.own_s
    assert left is not None
    t = frames / fps
    weight = np.interp(t, (way.assembled.join_s + np.arange(1, 1 + len(_share(way))) / fps), _share(way))
    weight = np.where(t <= way.assembled.join_s, 0.0, np.where(t >= way.assembled.end_s, 1.0, weight))
    previous_s, following_s = t, t - offset / fps
    if left.words:
        previous_s = np.where(t > end_s + 1e-6, left.own.duration + t - end_s, t)
    if entered.words:
        following_s = np.where(t < begin_s - 1e-6, t - begin_s, following_s)
    return weight, previous_s, following_s


def _share(way: JoinSection) -> np.ndarray:
    """(L,) of the second clip in the frames of the blend."""
    return way.made.tracks[-1].weight
