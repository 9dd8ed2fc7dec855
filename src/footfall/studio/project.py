"""Project: what is arranged, with undo and redo, and its way to and from a timeline.

The page edits a `Document`. What else a timeline file can hold (layers, markers, goals, frame rate, options) is kept
beside it by the numbers of tracks and clips, and written back.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from footfall.core.errors import ParameterError
from footfall.studio import messages as m
from footfall.studio.edits import Context, name_of
from footfall.studio.floor_edits import apply
from footfall.timeline.file import to_plain
from footfall.timeline.model import (
    BlendSpaceNote,
    FloorGoal,
    Layer,
    Marker,
    Note,
    Timeline,
    TimelineClip,
    TimelineTrack,
)

MOST_UNDO_BYTES = 32_000_000  # of documents that can be gone back to
LEAVING = "leaving the project before"  # the first step of a project that took the place of unsaved work
STUDIO_FPS = 60.0  # of a new project: as often as a screen is drawn
Entry = Callable[[str], str]  # of a library key: what a timeline names it by
KeyOf = Callable[[str, str | None], str]  # the other way round, for a file and which of its animations


@dataclass(frozen=True)
class Tie:
    """A marker, by the numbers of what it ties together."""

    tracks: tuple[int, int]
    clips: tuple[int, int]
    at_s: tuple[float, float]


@dataclass(frozen=True)
class TimelineRest:
    """The rest of a timeline file: what it holds beyond a document; by track number where it belongs to one."""

    layers: Mapping[int, tuple[Layer, ...]] = field(default_factory=dict)
    starts: Mapping[int, FloorGoal] = field(default_factory=dict)
    goals: Mapping[int, FloorGoal] = field(default_factory=dict)
    ties: tuple[Tie, ...] = ()
    fps: float | None = STUDIO_FPS
    options: Mapping[str, float | bool] = field(default_factory=dict)


@dataclass(frozen=True)
class HistoryStep:
    """A document that can be gone back, or forward, to, and what going there takes back."""

    label: str
    document: m.Document


class OpenProject:
    """The document, its history, and where it is saved."""

    def __init__(self, document: m.Document | None = None, kept: TimelineRest | None = None) -> None:
        self.document = document or m.Document()
        self.kept = kept or TimelineRest()
        self.revision = 1
        self.next_id = 1 + max(_ids(self.document), default=0)
        self.undone: deque[HistoryStep] = deque()  # to redo, next one last
        self.done: deque[HistoryStep] = deque()  # to undo, next one last
        self.saved_document = self.document
        self.path: str | None = None  # in the folder
        self.mark: str | None = None  # of that file's bytes, as it was last read or written
        self.before: OpenProject | None = None  # what was left for this one without being saved
        self.aside: Path | None = None  # where that is kept on disk meanwhile
        self.base: Any = None  # the timeline it was opened from, plain: what `kept` can be made of again

    # --- changes ---------------------------------------------------------------------------------------------------
    def edit(self, change: m.Change, context: Context, label: str = "") -> None:
        """Do a change for good; a FootfallError leaves everything as it was."""
        changed = apply(self.document, change, context)
        label = name_of(label[:200])[:80] or str(change.__struct_config__.tag).replace("_", " ")
        self.next_id = max(self.next_id, context.next_id)
        if changed == self.document:
            return
        self.done.append(HistoryStep(label, self.document))
        self.undone.clear()
        self._forget_oldest()
        self._go_to(changed)

    def undo(self) -> None:
        """Take the last change back."""
        self._step("undo", self.done, self.undone)

    def redo(self) -> None:
        """Do the change again that was taken back last."""
        self._step("redo", self.undone, self.done)

    def _step(self, what: str, here: deque[HistoryStep], there: deque[HistoryStep]) -> None:
        if not here:
            raise ParameterError(f"there is nothing to {what}")
        step = here.pop()
        there.append(HistoryStep(step.label, self.document))
        self._go_to(step.document)

    def _go_to(self, document: m.Document) -> None:
        self.document = document
        self.revision += 1

    def _forget_oldest(self) -> None:
        size = sum(_bytes(step.document) for step in self.done)
        while size > MOST_UNDO_BYTES and len(self.done) > 1:
            size -= _bytes(self.done.popleft().document)

    # --- what it is ------------------------------------------------------------------------------------------------
    @property
    def is_saved(self) -> bool:
        """Whether the file holds what is shown; a new project that nobody touched has nothing to lose."""
        return self.document == self.saved_document

    def message(self) -> m.Project:
        """As the page is told."""
        undo = self.done[-1].label if self.done else LEAVING if self.before is not None else None
        redo = self.undone[-1].label if self.undone else None
        return m.Project(self.revision, self.document, self.path, self.is_saved, undo, redo)

    def as_it_is(self) -> OpenProject:
        """A copy for another thread, which no later change reaches."""
        twin = copy(self)
        twin.done, twin.undone = deque(self.done), deque(self.undone)
        return twin

    def documents(self) -> list[m.Document]:
        """All it can show: now, saved, undone and redone."""
        return [self.document, self.saved_document, *(step.document for step in (*self.done, *self.undone))]

    def timeline(self, entry: Entry) -> Timeline:
        """The timeline of the document, empty tracks left out."""
        return to_timeline(self.document, self.kept, entry)[0]


def to_timeline(document: m.Document, kept: TimelineRest, entry: Entry) -> tuple[Timeline, tuple[int, ...]]:
    """The timeline of a document, and the number of each of its tracks."""
    used = [track for track in document.tracks if track.clips]
    tracks = tuple(track_of(track, kept, entry) for track in used)
    at = {track.id: i for i, track in enumerate(used)}
    clip_at = {clip.id: (i, k) for i, track in enumerate(used) for k, clip in enumerate(track.clips)}
    markers = []
    for tie in kept.ties:
        if all(clip_at.get(c, (None,))[0] == at.get(t, -1) for t, c in zip(tie.tracks, tie.clips, strict=True)):
            a, b = tie.tracks
            i, k = (clip_at[c][1] for c in tie.clips)
            markers.append(Marker((at[a], at[b]), (i, k), tie.at_s))
    notes = tuple(Note(marker.at_s, marker.name) for marker in document.markers)
    spaces = tuple(BlendSpaceNote(one.name, tuple(map(entry, one.clips))) for one in document.spaces)
    ground = document.ground or None
    timeline = Timeline(tracks, tuple(markers), kept.fps, dict(kept.options), notes, ground, spaces)
    return timeline, tuple(track.id for track in used)


def track_of(track: m.DocumentTrack, kept: TimelineRest, entry: Entry) -> TimelineTrack:
    """A track that has clips."""
    clips = tuple(
        TimelineClip(
            entry(c.clip), "asap" if c.start_s is None else c.start_s, c.trim_s, c.speed, c.mirror, c.repeat, c.method,
            c.animation,
        )
        for c in track.clips
    )  # fmt: skip
    start = kept.starts.get(track.id)
    if track.place is not None:
        start = FloorGoal(track.place[:2], track.place[2])
    return TimelineTrack(
        clips, track.character, kept.layers.get(track.id, ()), start, kept.goals.get(track.id), track.name
    )


def from_timeline(timeline: Timeline, key_of: KeyOf) -> tuple[m.Document, TimelineRest]:
    """The document of a timeline, numbered from 1, and what it holds beyond it."""
    tracks: list[m.DocumentTrack] = []
    number = 0
    for track in timeline.tracks:
        number += 1
        own, clips = number, []
        for c in track.clips:
            number += 1
            start = None if isinstance(c.start_s, str) else float(c.start_s)
            key = key_of(str(c.clip), c.animation)
            clips.append(m.PlacedClip(number, key, start, c.trim_s, c.speed, c.mirror, c.repeat, c.method, c.animation))
        tracks.append(m.DocumentTrack(own, track.name, track.character, tuple(clips), _place(track.start)))
    pairs = list(zip(tracks, timeline.tracks, strict=True))
    kept = TimelineRest(
        {here.id: track.layers for here, track in pairs if track.layers},
        {here.id: track.start for here, track in pairs if track.start and not here.place},
        {here.id: track.goal for here, track in pairs if track.goal},
        tuple(_tie(marker, tracks) for marker in timeline.markers),
        timeline.fps,
        dict(timeline.options),
    )
    notes = sorted((m.TimeMarker(float(note.at_s), note.name) for note in timeline.notes), key=lambda one: one.at_s)
    spaces = tuple(m.OwnSpace(one.name, tuple(key_of(clip, None) for clip in one.clips)) for one in timeline.spaces)
    return m.Document(tuple(tracks), tuple(notes), timeline.ground or "", spaces), kept


def _place(start: FloorGoal | None) -> tuple[float, float, float] | None:
    """Where a track begins, if both place and heading are said; what says one of them is kept as it is."""
    if start is None or start.position is None or start.heading_deg is None:
        return None
    return (*start.position, start.heading_deg)


def _tie(marker: Marker, tracks: list[m.DocumentTrack]) -> Tie:
    for t, c in zip(marker.tracks, marker.clips, strict=True):
        if not (0 <= t < len(tracks) and 0 <= c < len(tracks[t].clips)):
            raise ParameterError(f"a marker names clip {c} of track {t}, which there is not; both count from 0")
    (a, b), (i, k) = marker.tracks, marker.clips
    return Tie((tracks[a].id, tracks[b].id), (tracks[a].clips[i].id, tracks[b].clips[k].id), marker.at_s)


def _ids(document: m.Document) -> list[int]:
    return [n for track in document.tracks for n in (track.id, *(clip.id for clip in track.clips))]


def _bytes(document: m.Document) -> int:
    """About what a document costs beside its neighbours in the history, with which it shares most of its clips."""
    return 400 + sum(80 + 8 * len(track.clips) for track in document.tracks)


# --- the demo -----------------------------------------------------------------------------------------------------


def demo() -> Timeline:
    """What the first start shows: a walk, a kick, a running kick, and a wave while walking."""
    hero = (
        TimelineClip("walk", repeat=2),
        TimelineClip("kick"),
        TimelineClip("running-kick"),
        TimelineClip("start"),
        TimelineClip("walk", repeat=5),
        TimelineClip("wave", start_s=13.6),  # inside the long walk: it is laid over it
        TimelineClip("stop"),
    )
    return Timeline((TimelineTrack(hero, name="Hero"),), fps=STUDIO_FPS)


def opened(timeline: Timeline, key_of: KeyOf) -> OpenProject:
    """A project of a timeline."""
    document, kept = from_timeline(timeline, key_of)
    project = OpenProject(document, kept)
    project.base = to_plain(timeline)
    return project


def empty() -> OpenProject:
    """A project with a character who has nothing to do yet."""
    return OpenProject(m.Document((m.DocumentTrack(1, "Hero"),)))
