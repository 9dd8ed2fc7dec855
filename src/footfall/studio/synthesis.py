"""Synthesis: one worker thread that turns documents into poses; a drag comes first, and only the newest counts.

A track that cannot be made says why and does not keep the others from being made. What a change did not touch is not
made again. Poses come first; the judge looks at the joins afterwards, one at a time, so that a drag that begins
meanwhile does not wait.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError
from footfall.quality.judge import Judgement
from footfall.studio import frames
from footfall.studio import messages as m
from footfall.studio.edits import sentence
from footfall.studio.figures import skeleton_view
from footfall.studio.free_memory import FreeMemory
from footfall.studio.join_report import JoinReport, told_of
from footfall.studio.parts import parted
from footfall.studio.project import Entry, TimelineRest, to_timeline
from footfall.studio.snapping import Snapping
from footfall.studio.views import Ids, Recording, Seams, broken_track, piece_ids, track_view
from footfall.studio.worker import Worker
from footfall.timeline.arrangement import Arrangement
from footfall.timeline.judged import judging_track, seams_of
from footfall.timeline.model import Timeline, TimelineClip
from footfall.timeline.recent import Recent
from footfall.timeline.track_plan import TrackPlan

LOG = logging.getLogger("footfall.studio")
LONGEST_S = 3600.0  # of a take
KEPT_TRACKS = 8  # made tracks that are remembered, beside two for each track there is
QUIET_S = 0.03  # without a drag, before something is done that nobody waits for


@dataclass(frozen=True)
class Arranged:
    """A document to be made, with what belongs to it."""

    document: m.Document
    kept: TimelineRest
    entry: Entry


@dataclass(frozen=True)
class TakeDone:
    """A take; frames and clips are of the tracks that could be made, by number."""

    revision: int
    message: m.Take
    frames: dict[int, bytes]
    clips: dict[int, Clip]
    measured: bool
    grounded: bool = True  # whether its feet stand on the project's ground
    made: dict[int, MadeTrack] = field(default_factory=dict)  # by track, where all was made anew

    @property
    def starts_s(self) -> dict[int, float]:
        """When each clip starts, as planned."""
        return {clip.id: clip.start_s for track in self.message.tracks for clip in track.clips}

    @property
    def ends_s(self) -> dict[int, float]:
        """When each clip ends, as planned."""
        return {clip.id: clip.end_s for track in self.message.tracks for clip in track.clips}


@dataclass(frozen=True)
class PreviewDone:
    """What a drag would give, for the page that drags."""

    client: object
    message: m.Preview | m.Problem
    frames: dict[int, bytes]


@dataclass(frozen=True)
class _TakeAsked:
    arranged: Arranged
    revision: int


@dataclass(frozen=True)
class _DragAsked:
    arranged: Arranged
    serial: int
    playhead_s: float
    clip: int | None  # that is dragged
    since: float


def _check_span(clips: Sequence[TimelineClip]) -> None:
    """Refuse a track whose clips were put too far apart: standing to fill hours takes minutes to make."""
    starts = [0.0 if clip.start_s == "asap" else float(clip.start_s) for clip in clips[:1]]
    starts += [float(clip.start_s) for clip in clips[1:] if clip.start_s != "asap"]
    lasts = max(starts, default=0.0) - min(starts, default=0.0)
    if lasts > LONGEST_S:
        raise ParameterError(f"the track would last {lasts:.0f} s; at most {LONGEST_S:.0f} s can be made")


class MadeTrack:
    """A track as it came out: plan, clip, and what the page gets of it."""

    def __init__(
        self, track: m.DocumentTrack, arranged: Arrangement, sources: tuple[Recording, ...], kept: TimelineRest
    ) -> None:
        self.track, self.arranged, self.sources = track, arranged, sources
        self.parted = parted(track, to_timeline(m.Document((track,)), kept, str)[0].tracks[0].clips)
        self.kept = kept  # held: it is remembered by its id, which no other has for as long
        self.plan: TrackPlan = arranged.plan()[0]
        lasts = self.plan.pieces[-1].end_s - self.plan.pieces[0].start_s
        if lasts > LONGEST_S:
            raise ParameterError(f"the track would last {lasts:.0f} s; at most {LONGEST_S:.0f} s can be made")
        self.view = self._view()
        self.is_measured = not self.plan.joins

    @property
    def ids(self) -> Ids:
        """Which clip each piece of the plan is; of one that was split, its first part."""
        return piece_ids(self.parted.played, self.plan, self.sources)

    def _view(self, seams: Seams | None = None) -> m.TrackView:
        return self.parted.shown(track_view(self.parted.played, self.plan, self.sources, seams))

    @cached_property
    def clip(self) -> Clip:
        """The take of this track."""
        return self.arranged.render(0, measured=False)

    @cached_property
    def rows(self) -> np.ndarray:
        """(T, J, 7) world poses."""
        return frames.world_rows(self.clip.skeleton, self.clip.pose)

    @property
    def start_s(self) -> float:
        return self.plan.pieces[0].start_s

    def frame(self, kind: int, serial: int) -> bytes:
        """All poses."""
        return frames.encode(kind, serial, self.track.id, self.rows, self.clip.fps, self.start_s)

    def frame_at(self, kind: int, serial: int, t_s: float) -> bytes:
        """The pose nearest to a second of the timeline."""
        clip = self.clip
        at = min(max(round((t_s - self.start_s) * clip.fps), 0), clip.frames - 1)
        row = frames.world_rows(clip.skeleton, clip.pose.at(slice(at, at + 1)))
        return frames.encode(kind, serial, self.track.id, row, clip.fps, self.start_s + at / clip.fps)

    @cached_property
    def _judging(self) -> Iterator[Judgement | None]:
        return judging_track(self.clip, self.arranged.synthesized()[0], self.arranged.timeline.tracks[0])

    def report(self, join: m.JoinView) -> JoinReport:
        """The two clips of a join as they were joined."""
        ids = self.ids
        wanted = self.parted.first_of(join.before), self.parted.first_of(join.after)
        pieces = [piece for piece in self.plan.pieces if not piece.filler]
        pairs = [(a, b) for a, b in pairwise(pieces) if (ids[id(a)], ids[id(b)]) == wanted]
        if not pairs:
            raise ParameterError("these two clips are not joined any more")
        first, second = pairs[0]
        told = told_of(first.clip, second.clip, second.start_s - first.start_s, join)
        return JoinReport(first.clip, second.clip, told)

    def judge_some(self) -> bool:
        """Let the judge look at one more join; False when it has seen all."""
        try:
            found = next(self._judging)
        except StopIteration:  # it has nothing to go by
            found, self.is_measured = None, True
        if found is not None:
            seams = seams_of(found, self.plan, self.arranged.timeline.tracks[0])
            self.view = self._view(seams)
            self.is_measured = True
        if self.is_measured:
            del self._judging
        return not self.is_measured


Tracks = list[MadeTrack | m.TrackView]  # made, or shown with what keeps them from being made


class Synthesis:
    """The worker. `tell` is called on its thread with a TakeDone or a PreviewDone."""

    def __init__(self, tell: Callable[[TakeDone | PreviewDone], None]) -> None:
        self._tell = tell
        self._worker = Worker("synthesis", self._run)
        self._there_is_work = self._worker.there_is_work
        self._drags: OrderedDict[object, _DragAsked] = OrderedDict()
        self._take: _TakeAsked | None = None
        self._grading: tuple[_TakeAsked, Tracks] | None = None
        self._learning: tuple[MadeTrack, int] | None = None  # a clip that was dragged a moment ago
        self._base = Arrangement(Timeline(()))
        self._snapping = Snapping()
        self._made: Recent[Hashable, MadeTrack] = Recent(KEPT_TRACKS)
        self._views: dict[int, m.TrackView] = {}  # of tracks, the last that came out
        self._free = FreeMemory()

    def start(self) -> None:
        """Begin to work."""
        self._worker.start()

    def stop(self) -> None:
        """End; what is being made is of no use any more."""
        self._worker.stop()

    def take(self, arranged: Arranged, revision: int) -> None:
        """Ask for a take; one that was asked for before and not begun is not made."""
        with self._there_is_work:
            self._take, self._grading = _TakeAsked(arranged, revision), None
            self._drags.clear()  # they were of what was arranged before
            self._there_is_work.notify()

    def drag(self, client: object, arranged: Arranged, drag: m.Drag, clip: int | None) -> None:
        """Ask for a preview; one of the same client that was not begun is dropped."""
        asked = _DragAsked(arranged, drag.serial, drag.playhead_s, clip, time.perf_counter())
        with self._there_is_work:
            self._drags[client] = asked
            self._there_is_work.notify()

    def drop(self, client: object) -> None:
        """Forget what a client asked for."""
        with self._there_is_work:
            self._drags.pop(client, None)

    # --- on the worker's thread ---------------------------------------------------------------------------------------
    def _run(self) -> None:
        while True:
            with self._there_is_work:
                while not (self._worker.is_over or self._drags or self._take or self._grading or self._learning):
                    self._there_is_work.wait()
                if self._learning and not (self._drags or self._take):
                    self._there_is_work.wait(QUIET_S)  # a drag that goes on must not find us busy
                if self._worker.is_over:
                    return
                drag = self._drags.popitem(last=False) if self._drags and self._take is None else None
                take, self._take = (None, self._take) if drag else (self._take, None)
            try:
                if drag:
                    self._preview(*drag)
                elif take:
                    self._make_take(take)
                elif self._learning:
                    self._learn_some(*self._learning)
                else:
                    self._grade_some()
            except Exception as error:  # the worker outlives whatever happens
                LOG.exception("synthesis failed")
                self._grading = self._learning = None
                self._failed(drag, take, sentence(error))

    def _failed(self, drag: tuple[object, _DragAsked] | None, take: _TakeAsked | None, said: str) -> None:
        """Nobody waits for what failed as a whole."""
        if drag is not None:
            self._tell(PreviewDone(drag[0], m.Problem("timeline", said, drag[1].serial), {}))
        elif take is not None:
            views = [broken_track(track, said) for track in take.arranged.document.tracks]
            message = _take(take, [*views], tuple(None for _ in views), time.perf_counter())
            self._tell(TakeDone(take.revision, message, {}, {}, measured=True))

    def _make_take(self, asked: _TakeAsked) -> None:
        began = time.perf_counter()
        self._learning = None
        tracks = self._tracks(asked.arranged)
        done: dict[int, bytes] = {}
        clips: dict[int, Clip] = {}
        for i, track in enumerate(tracks):
            if isinstance(track, MadeTrack):
                try:
                    done[track.track.id], clips[track.track.id] = track.frame(frames.TAKE, asked.revision), track.clip
                except Exception as error:
                    tracks[i] = self._broken(track.track, error)
        self._views = {view.id: view for view in map(_view, tracks)}
        skeletons = tuple(_skeleton(track) for track in tracks)
        made = {track.track.id: track for track in tracks if isinstance(track, MadeTrack)}
        message = _take(asked, tracks, skeletons, began)
        self._tell(TakeDone(asked.revision, message, done, clips, _measured(tracks), made=made))
        self._free.hand_back()  # before the judge looks: poses are on their way
        with self._there_is_work:
            if self._take is None and not _measured(tracks):
                self._grading = asked, tracks

    def _grade_some(self) -> None:
        """Judge one join; when it was the last, tell."""
        grading = self._grading
        if grading is None:
            return
        asked, tracks = grading
        began = time.perf_counter()
        track = next((t for t in tracks if isinstance(t, MadeTrack) and not t.is_measured), None)
        if track is not None and track.judge_some():
            return
        if not _measured(tracks):
            return
        with self._there_is_work:
            if self._grading is not grading:
                return
            self._grading = None
        self._views = {view.id: view for view in map(_view, tracks)}
        message = _take(asked, tracks, tuple(None for _ in tracks), began)
        self._tell(TakeDone(asked.revision, message, {}, {}, measured=True))
        self._free.hand_back()  # a take as it will stay: nobody waits for more

    def _preview(self, client: object, asked: _DragAsked) -> None:
        tracks = self._tracks(asked.arranged)
        poses: dict[int, bytes] = {}
        snaps: tuple[float, ...] = ()
        dragged: MadeTrack | None = None
        for i, track in enumerate(tracks):
            if isinstance(track, MadeTrack):
                try:
                    poses[track.track.id] = track.frame_at(frames.PREVIEW, asked.serial, asked.playhead_s)
                    if asked.clip is not None and any(c.id == asked.clip for c in track.track.clips):
                        snaps, dragged = self._snaps(track, asked.clip), track
                except Exception as error:
                    tracks[i] = self._broken(track.track, error)
        views = tuple(_view(track) for track in tracks)
        took = 1e3 * (time.perf_counter() - asked.since)
        message = m.Preview(asked.serial, _duration(views), views, snaps, round(took, 2))
        self._tell(PreviewDone(client, message, poses))
        self._learning = None if dragged is None or asked.clip is None else (dragged, asked.clip)

    def _learn_some(self, track: MadeTrack, clip: int) -> None:
        """Ask the planner a little about where the dragged clip would join better."""
        if not self._snapping.learn(track.ids, track.plan, clip, track.arranged.options):
            self._learning = None

    def _snaps(self, track: MadeTrack, clip: int) -> tuple[float, ...]:
        return self._snapping.times(track.ids, track.plan, clip, track.arranged.options)

    def _tracks(self, arranged: Arranged) -> Tracks:
        """Every track made, or shown with its problem."""
        fps = self._fps(arranged)
        shifts = self._shifts(arranged, fps)
        found: Tracks = []
        for track in arranged.document.tracks:
            if not track.clips:
                found.append(broken_track(track, None))
                continue
            try:
                found.append(self._track(track, arranged, fps, shifts.get(track.id, 0.0)))
            except Exception as error:
                found.append(self._broken(track, error))
        return found

    def _track(self, track: m.DocumentTrack, arranged: Arranged, fps: float, late_s: float) -> MadeTrack:
        """A track as it was made before, or made now."""
        self._made.most = KEPT_TRACKS + 2 * len(arranged.document.tracks)
        key = (track, id(arranged.kept), fps, late_s)
        return self._made.get(key, lambda: self._make(track, arranged, fps, late_s))

    def _make(self, track: m.DocumentTrack, arranged: Arranged, fps: float, late_s: float) -> MadeTrack:
        alone = self._alone(track, arranged, fps)
        sources = self._sources(alone)
        if late_s:
            alone = self._base.with_timeline(_later(alone, late_s))
        return MadeTrack(track, alone, sources, arranged.kept)

    def _alone(self, track: m.DocumentTrack, arranged: Arranged, fps: float | None) -> Arrangement:
        """An arrangement of this track only."""
        timeline, _ = to_timeline(m.Document((track,)), arranged.kept, arranged.entry)
        return self._base.with_timeline(Timeline(timeline.tracks, (), fps or timeline.fps, timeline.options))

    def _sources(self, alone: Arrangement) -> tuple[Recording, ...]:
        """The recordings of a track; one that would last too long is refused before anything is made of it."""
        sources = []
        for entry in alone.timeline.tracks[0].clips:
            whole = alone._workshop.clip(entry.clip, entry.animation)
            sources.append(Recording(whole.name, whole.duration * entry.repeat / entry.speed))
            lasts = whole.duration * entry.repeat  # before it is trimmed and sped, it is in memory as a whole
            if max(lasts, sources[-1].seconds if entry.trim_s is None else lasts) > LONGEST_S:
                raise ParameterError(
                    f"{whole.name} would last {sources[-1].seconds:.0f} s; at most {LONGEST_S:.0f} s can be made"
                )
        _check_span(alone.timeline.tracks[0].clips)
        return tuple(sources)

    def _fps(self, arranged: Arranged) -> float:
        """The frame rate of the whole take: the project's, else the highest of the clips that can be read."""
        if arranged.kept.fps is not None:
            return arranged.kept.fps
        rates = []
        for track in arranged.document.tracks:
            for clip in track.clips:
                try:
                    one = m.DocumentTrack(track.id, clips=(clip,))
                    rates.append(self._alone(one, arranged, None).fps)
                except FootfallError:
                    continue
        return max(rates, default=60.0)

    def _shifts(self, arranged: Arranged, fps: float) -> dict[int, float]:
        """How much later each track starts because a marker ties it to another."""
        if not arranged.kept.ties:
            return {}
        good = m.Document(tuple(t for t in arranged.document.tracks if t.clips and self._plans(t, arranged, fps)))
        try:
            timeline, ids = to_timeline(good, arranged.kept, arranged.entry)
            whole = self._base.with_timeline(Timeline(timeline.tracks, timeline.markers, fps, timeline.options))
            plain = self._base.with_timeline(Timeline(timeline.tracks, (), fps, timeline.options))
            pairs = zip(ids, whole.plan(), plain.plan(), strict=True)
            return {track: a.pieces[0].start_s - b.pieces[0].start_s for track, a, b in pairs}
        except FootfallError:
            return {}

    def _plans(self, track: m.DocumentTrack, arranged: Arranged, fps: float) -> bool:
        """Whether a track can be planned; if not, it says so itself."""
        try:
            alone = self._alone(track, arranged, fps)
            self._sources(alone)
            return bool(alone.plan())
        except Exception:
            return False

    def _broken(self, track: m.DocumentTrack, error: Exception) -> m.TrackView:
        if not isinstance(error, FootfallError | MemoryError):
            LOG.error("track %r", track.name, exc_info=error)
        return broken_track(track, sentence(error), self._views.get(track.id))


def _later(alone: Arrangement, late_s: float) -> Timeline:
    """A timeline of one track that starts later than it would, every clip at a time of its own."""
    starts = alone.plan()[0].shifted(late_s).starts_s
    track = alone.timeline.tracks[0]
    clips = tuple(replace(clip, start_s=start) for clip, start in zip(track.clips, starts, strict=True))
    return replace(alone.timeline, tracks=(replace(track, clips=clips),))


def _view(track: MadeTrack | m.TrackView) -> m.TrackView:
    return track.view if isinstance(track, MadeTrack) else track


def _measured(tracks: Tracks) -> bool:
    return all(track.is_measured for track in tracks if isinstance(track, MadeTrack))


def _skeleton(track: MadeTrack | m.TrackView) -> m.SkeletonView | None:
    if not isinstance(track, MadeTrack):
        return None
    who = hashlib.blake2b((track.track.character or "").encode(), digest_size=6).hexdigest()  # another: fetched anew
    skin = f"/skins/{track.track.id}.glb?of={who}" if track.clip.skin is not None else None
    return skeleton_view(track.clip.skeleton, skin)


def _take(asked: _TakeAsked, tracks: Tracks, skeletons: tuple[m.SkeletonView | None, ...], began: float) -> m.Take:
    views = tuple(_view(track) for track in tracks)
    return m.Take(asked.revision, _duration(views), views, skeletons, round(1e3 * (time.perf_counter() - began), 2))


def _duration(views: tuple[m.TrackView, ...]) -> float:
    return max((view.end_s for view in views), default=0.0)
