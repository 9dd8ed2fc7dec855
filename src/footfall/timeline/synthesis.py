"""Synthesis: a planned track turned into one motion; only what changed since the last time is computed.

Each join is evaluated in its previous clip's own world and remembered; a track is then rows of frames, each piece moved
over the floor by the placements of all joins before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from weakref import ref

import numpy as np

from footfall.core import rotation
from footfall.core.clip import fix_signs
from footfall.core.pose import Pose
from footfall.feet.foot_paths import FootPaths, foot_paths, standing_after
from footfall.feet.join_legs import legs_of
from footfall.kinematics.floor_align import FloorTransform
from footfall.kinematics.root import floor_root
from footfall.timeline.arranged_clip import ArrangedClip
from footfall.timeline.assembly import PoseStrip, together
from footfall.timeline.evaluate import EvaluatedJoin, JoinApproach, approach, evaluate_join
from footfall.timeline.planner import PlanOptions
from footfall.timeline.recent import Recent
from footfall.timeline.streams import poses
from footfall.timeline.track_plan import OwnJoin, TrackPlan
from footfall.timeline.windows import counts_from_s

KEPT, KEPT_PER_JOIN = 64, 4  # joins that are remembered, 0.2 MB each, and at least so many for each of a track


@dataclass(frozen=True, eq=False)
class FrameRow:
    """Output frames that were made in one way."""

    first: int  # output frame
    own: Pose  # (K,) in the world of its first piece
    placement: FloorTransform  # from there into the world of the result
    pieces: tuple[int, ...]  # one, or the two that are joined
    times_s: tuple[np.ndarray, ...]  # (K,) clip seconds of each
    weights: tuple[np.ndarray, ...]  # (K,)
    part: slice | None = None  # of the evaluated join, where it is one

    @property
    def pose(self) -> Pose:
        """(K,) in the world of the result."""
        return self.placement.pose(self.own)

    @property
    def end(self) -> int:
        """The first output frame after it."""
        return self.first + len(self.times_s[0])


@dataclass(frozen=True, eq=False)
class SynthesizedTrack:
    """A track's frames before anything is laid over them."""

    plan: TrackPlan
    fps: float
    start_s: float  # timeline second of the first frame
    rows: tuple[FrameRow, ...]
    evaluated: tuple[EvaluatedJoin, ...]
    placements: tuple[FloorTransform, ...]  # of each piece, into the world of the result

    @cached_property
    def pose(self) -> Pose:
        """(T,) all rows one after another."""
        return together([PoseStrip(row.own, row.placement) for row in self.rows])


class JoinEvaluator:
    """Evaluates joins and remembers them by what they are made of.

    A join is evaluated in its previous clip's own time and world, so it is the same bytes whenever and wherever it
    happens, and whatever was evaluated before.
    """

    def __init__(self, fps: float, options: PlanOptions | None = None) -> None:
        self.fps, self.options = fps, options or PlanOptions()
        self._done: Recent[tuple[object, ...], EvaluatedJoin] = Recent(KEPT)
        self._ways: Recent[tuple[object, ...], JoinApproach] = Recent(KEPT)

    def joins(self, plan: TrackPlan) -> list[EvaluatedJoin]:
        """Every join of a track, first to last; one that begins before the last is over starts from what that made."""
        found: list[EvaluatedJoin] = []
        self._done.most = self._ways.most = max(KEPT, KEPT_PER_JOIN * len(plan.joins))
        for i, own in enumerate(plan.own):
            previous, following = plan.pieces[i], plan.pieces[i + 1]
            if own.frames is not None:
                found.append(own.frames)
                continue
            own = own._replace(free_s=counts_from_s(own.join, own.free_s))
            clips = ref(previous.clip), ref(following.clip), previous.filler, following.filler
            since = (*clips, own.join.kind, own.offset, own.free_s, *own.join.times)
            way = self._ways.get(since, partial(self._way, previous, following, own))
            shift = plan.own[i - 1].offset if i else 0
            before = found[-1] if found and found[-1].end - shift > way.first else None
            key = (*since, *((ref(before), shift) if before is not None else ()))
            found.append(self._done.get(key, partial(self._made, previous, following, own, way, before, shift)))
        return found

    def _way(self, previous: ArrangedClip, following: ArrangedClip, own: OwnJoin) -> JoinApproach:
        here, there = previous.at(0.0), following.at(own.offset / self.fps)
        return approach(here, there, own.join, own.free_s, self.fps, self.options)

    def _made(
        self,
        previous: ArrangedClip,
        following: ArrangedClip,
        own: OwnJoin,
        way: JoinApproach,
        before: EvaluatedJoin | None,
        shift: int,
    ) -> EvaluatedJoin:
        here, there = previous.at(0.0), following.at(own.offset / self.fps)
        old = None if before is None else still_moved(here, before, shift, self.fps)
        return evaluate_join(here, there, own.join, own.free_s, self.fps, self.options, way, old)


def synthesize(plan: TrackPlan, evaluator: JoinEvaluator) -> SynthesizedTrack:
    """All frames of a track, from its first clip's start to its last one's end."""
    fps, pieces = evaluator.fps, plan.pieces
    at = [round((piece.start_s - pieces[0].start_s) * fps) for piece in pieces]  # output frame of each first frame
    evaluated = evaluator.joins(plan)
    placements = [FloorTransform(np.zeros(()), np.zeros(3))]
    for join in evaluated:
        placements.append(placements[-1].after(join.placement))
    rows: list[FrameRow] = []
    frame = 0  # the next output frame
    for i, piece in enumerate(pieces):
        until = at[i] + (evaluated[i].first if i < len(evaluated) else piece.clip.frames)
        if i:
            rows.append(_joined_row(i, evaluated[i - 1], placements[i - 1], frame, at[i - 1], until))
            frame += len(rows[-1].times_s[0])
        if until > frame:
            rows.append(_own_row(i, piece, placements[i], np.arange(frame, until), at[i], fps))
            frame = until
    return SynthesizedTrack(plan, fps, pieces[0].start_s, tuple(rows), tuple(evaluated), tuple(placements))


def _own_row(
    i: int, piece: ArrangedClip, placement: FloorTransform, frames: np.ndarray, at: int, fps: float
) -> FrameRow:
    times, paths = (frames - at) / fps, foot_paths(piece.clip, fps)
    # a join into a very short clip may end after it: then it is led on, as joins have it
    first, end = paths.lead + int(frames[0]) - at, paths.lead + int(frames[-1]) + 1 - at
    own = paths.pose.at(slice(first, end)) if first >= 0 and end <= len(paths.down) else poses(paths, times)
    return FrameRow(int(frames[0]), own, placement, (i,), (times,), (np.ones(len(frames)),))


def _joined_row(i: int, join: EvaluatedJoin, placement: FloorTransform, frame: int, at: int, until: int) -> FrameRow:
    """The frames of the join into piece i, from output frame `frame` on, cut where the next join begins."""
    first = frame - at - join.first  # 0, unless rounding took a frame
    last = min(join.end - join.first, max(until - at - join.first, first + 1))
    part = slice(first, last)
    times = join.previous_s[part], join.following_s[part]
    return FrameRow(
        frame, join.pose.at(part), placement, (i - 1, i), times, (1.0 - join.weight[part], join.weight[part]), part
    )


def still_moved(piece: ArrangedClip, join: EvaluatedJoin, shift: int, fps: float) -> FootPaths:
    """A piece's feet and poses with what the join into it made of them; shift: frames from the piece before to this."""
    paths = foot_paths(piece.clip, fps)
    first, end = join.first - shift, join.end - shift  # in frames of this piece
    rows = np.arange(max(first, -paths.lead), min(end, len(paths.down) - paths.lead))
    pose = join.placement.inverse().pose(join.pose.at(rows - first))
    root_pos, rot, down = np.array(paths.pose.root_pos), np.array(paths.pose.rot), np.array(paths.down)
    down[rows + paths.lead] = join.down[rows - first]
    root_pos[rows + paths.lead], rot[rows + paths.lead] = pose.root_pos, pose.rot
    changed = fix_signs(paths.pose._replace(root_pos=root_pos, rot=rot))
    places, foot = legs_of(piece.clip.skeleton, changed)
    ankle = np.ascontiguousarray(places[:, :, 2])
    root, heading = np.array(paths.root), np.array(paths.heading)
    root[rows + paths.lead], heading[rows + paths.lead] = floor_root(piece.clip.skeleton, pose)
    moved = replace(
        paths,
        pose=changed,
        ankle=ankle,
        foot=foot,
        ball=ankle + rotation.rotate(foot, paths.ball_at),
        down=down,
        root=root,
        heading=np.unwrap(heading),
    )
    # beyond its end a body coasts, and feet that stand do not coast with it
    return moved if piece.clip.is_loop else standing_after(moved)
