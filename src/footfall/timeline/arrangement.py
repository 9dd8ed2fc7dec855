"""Arrangement: ff.timeline, clips in a row or a whole timeline file, rendered to one motion a track.

Everything that was worked out is kept: change a clip with `with_timeline` and only the joins beside it are made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, WrongType
from footfall.core.pose import Pose
from footfall.core.report import Report, Segment
from footfall.io.load import readable
from footfall.io.plain_file import is_file
from footfall.kinematics.floor_align import between_roots
from footfall.kinematics.root import floor_root
from footfall.timeline.assembly import together
from footfall.timeline.continued import played_through
from footfall.timeline.judged import with_judgement
from footfall.timeline.layers import lay
from footfall.timeline.measure_joins import with_quality
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack, in_a_row
from footfall.timeline.overlays import Kept, composed
from footfall.timeline.planner import PlanOptions
from footfall.timeline.prepare import Workshop
from footfall.timeline.recent import Recent
from footfall.timeline.report import provenance, segments
from footfall.timeline.synthesis import JoinEvaluator, SynthesizedTrack, synthesize
from footfall.timeline.track_plan import JoinPlanner, TrackPlan, plan_track

LAID = 64  # compositions that are remembered
TIMELINE_FILES = (".json", ".toml")
Entry = str | Path | Clip | TimelineClip


def timeline(clips: Timeline | Entry | Iterable[Entry], clean: bool = True) -> Arrangement:
    """Arrange clips in a row, each as soon as possible after the one before; or open a timeline or a timeline file.

    Clips are given as clips, files or built-in motions: timeline(["walk", "kick", "stand.bvh"]). clean: whether
    glitches of files are repaired.
    """
    if isinstance(clips, Timeline):
        return Arrangement(clips, clean=clean)
    if isinstance(clips, str | Path) and _is_timeline(Path(clips)):
        from footfall.timeline.file import load_timeline

        return Arrangement(load_timeline(clips), clean=clean)
    row = list(clips) if isinstance(clips, Iterable) and not isinstance(clips, str) else [clips]
    if not row:
        raise ParameterError("a timeline needs at least one clip")
    for entry in row:
        if not isinstance(entry, str | Path | Clip | TimelineClip):
            raise WrongType("clips in a row (each a clip, a file or a built-in motion), or a timeline file", entry)
    return Arrangement(in_a_row([str(entry) if isinstance(entry, Path) else entry for entry in row]), clean=clean)


def _is_timeline(path: Path) -> bool:
    """Whether a single path names a timeline file rather than a clip."""
    suffix = path.suffix.lower()
    if suffix in TIMELINE_FILES or suffix in readable() or not is_file(path):
        return suffix in TIMELINE_FILES
    with path.open("rb") as file:  # of another ending: JSON where it looks like it
        return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


class Arrangement:
    """A timeline with everything worked out for it so far."""

    def __init__(self, timeline: Timeline, shared: Arrangement | None = None, clean: bool = True) -> None:
        self.timeline = played_through(timeline)
        self._workshop: Workshop = shared._workshop if shared else Workshop(clean)
        self._workshop.make_room(sum(len(track.clips) for track in self.timeline.tracks))
        self._planners: dict[PlanOptions, JoinPlanner] = shared._planners if shared else {}
        self._evaluators: dict[tuple[float, PlanOptions], JoinEvaluator] = shared._evaluators if shared else {}
        self._laid: Kept = shared._laid if shared else Recent(LAID)

    def with_timeline(self, timeline: Timeline) -> Arrangement:
        """Another arrangement of mostly the same clips; what did not change is not made again."""
        return Arrangement(timeline, self)

    @property
    def fps(self) -> float:
        """Of the result: as asked for, or the highest of the clips'."""
        if self.timeline.fps is not None:
            return self.timeline.fps
        entries = (entry for track in self.timeline.tracks for entry in track.clips)
        return max(self._workshop.clip(entry.clip, entry.animation).fps for entry in entries)

    def files(self) -> dict[tuple[str, str | None], Clip]:
        """The clips that files named in it were read as, by file and animation."""
        entries = [entry for track in self.timeline.tracks for entry in track.clips]
        named = {(entry.clip, entry.animation) for entry in entries if isinstance(entry.clip, str)}
        return {(file, animation): self._workshop.clip(file, animation) for file, animation in sorted(named, key=str)}

    @property
    def options(self) -> PlanOptions:
        given = self.timeline.options
        usual = PlanOptions()
        return PlanOptions(
            float(given.get("s_min", usual.shortest_scale)),
            float(given.get("s_max", usual.longest_scale)),
            bool(given.get("paper", usual.paper)),
            bool(given.get("rules", usual.rules)),
        )

    def plan(self) -> list[TrackPlan]:
        """How every track will be joined, as data."""
        fps, options = self.fps, self.options
        planner = self._planners.setdefault(options, JoinPlanner(options))
        plans = [plan_track(track, self._workshop, fps, planner) for track in self.timeline.tracks]
        return _tied(self.timeline, plans, fps)

    def render(self, track: int = 0, measured: bool = True, judged: bool = True) -> Clip:
        """One track as a clip; its report says how every part was made, and how well if it is measured and judged."""
        return self._render(self.timeline.tracks[track], self.plan()[track], measured, measured and judged)

    def renders(self, measured: bool = True) -> list[Clip]:
        """Every track, one character each."""
        plans = self.plan()
        return [
            self._render(track, plan, measured, measured)
            for track, plan in zip(self.timeline.tracks, plans, strict=True)
        ]

    def synthesized(self) -> list[SynthesizedTrack]:
        """Every track's frames with where they come from, before anything is laid over them."""
        return [self._synthesized(plan) for plan in self.plan()]

    def _synthesized(self, plan: TrackPlan) -> SynthesizedTrack:
        fps, options = self.fps, self.options
        return synthesize(plan, self._evaluators.setdefault((fps, options), JoinEvaluator(fps, options)))

    def _render(self, track: TimelineTrack, plan: TrackPlan, measured: bool, judged: bool) -> Clip:
        fps, made = self.fps, self._synthesized(plan)
        strips, compositions = composed(made, self._laid)
        pose = self._layered(track, made, together(strips))
        pose = _placed(pose, plan, track)
        first = plan.pieces[0].clip
        name = track.name or "_".join(dict.fromkeys(piece.name for piece in plan.pieces if not piece.filler))
        own = segments(made)
        # what is measured depends on what is laid over; a clip that is not measured is made, and checked, once
        laid = Report(tuple(compositions if measured else _in_time([*own, *compositions])))
        clip = Clip(first.skeleton, fps, _finished(pose), name=name, skin=first.skin, report=laid)
        if not measured:
            return clip
        found = _in_time([*with_quality(clip, made, own), *compositions])
        report = Report(tuple(found), _worst(found), provenance(made))
        if judged:
            report = with_judgement(report, clip, made, track)
        return replace(clip, report=report)

    def _layered(self, track: TimelineTrack, made: SynthesizedTrack, pose: Pose) -> Pose:
        for layer in track.layers:
            clip = self._workshop.layer(layer, track, made.fps)
            pose = lay(made.plan.pieces[0].clip.skeleton, pose, clip, layer, layer.start_s - made.start_s, made.fps)
        return pose


def _finished(pose: Pose) -> Pose:
    """Poses that are written to no more, so that a clip need not copy them."""
    for values in pose:
        if values is not None:
            values.flags.writeable = False
    return pose


def _in_time(found: Sequence[Segment]) -> list[Segment]:
    return sorted(found, key=lambda s: (s.start_s, s.end_s))


def _worst(found: Sequence[Segment]) -> dict[str, float]:
    """The worst figure of all joins, by name."""
    joins = [segment.quality for segment in found if segment.quality]
    return {key: max(figures[key] for figures in joins) for key in joins[0]} if joins else {}


def _placed(pose: Pose, plan: TrackPlan, track: TimelineTrack) -> Pose:
    """The take moved over the floor so that it starts, or ends, where the track asks for."""
    skeleton = plan.pieces[0].clip.skeleton
    for goal, frame in ((track.start, 0), (track.goal, -1)):
        if goal is not None:
            position, heading = floor_root(skeleton, pose.at(frame))
            to = np.array([goal.position[0], 0.0, goal.position[1]]) if goal.position else position
            facing = heading if goal.heading_deg is None else np.radians(goal.heading_deg)
            pose = between_roots(position, heading, to, np.asarray(facing)).pose(pose)
    return pose


def _tied(timeline: Timeline, plans: list[TrackPlan], fps: float) -> list[TrackPlan]:
    """Tracks shifted in time so that what markers tie together happens together."""
    for marker in timeline.markers:
        (a, b), (i, j), (at_a, at_b) = marker.tracks, marker.clips, marker.at_s
        for track, clip in ((a, i), (b, j)):
            if not (0 <= track < len(plans) and 0 <= clip < len(plans[track].starts_s)):
                raise ParameterError(
                    f"a marker names clip {clip} of track {track}, which there is not; both count from 0"
                )
        late = plans[a].starts_s[i] + at_a - plans[b].starts_s[j] - at_b
        plans[b] = plans[b].shifted(round(late * fps) / fps)
    return plans
