"""History on disk: a project with all it can undo, small because documents of a history share nearly everything."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

import msgspec

from footfall.core.errors import ReadError
from footfall.studio import messages as m
from footfall.studio.project import HistoryStep, KeyOf, OpenProject, from_timeline
from footfall.timeline.file import TimelineMistake, timeline_of

VERSION = 1
MOST_STEPS = 1000  # of each direction, the newest


Around = tuple[str, tuple[m.OwnSpace, ...]]  # a document's ground and blend spaces


class PackedTrack(msgspec.Struct, frozen=True):
    """A track whose clips are numbers in the table of clips."""

    id: int
    name: str
    character: str | None
    clips: list[int]
    place: tuple[float, float, float] | None = None


class PackedStep(msgspec.Struct, frozen=True):
    """A step whose document is a list of numbers in the table of tracks."""

    label: str
    tracks: list[int]
    markers: tuple[m.TimeMarker, ...] = ()
    ground: str = ""
    spaces: tuple[m.OwnSpace, ...] = ()


class Packed(msgspec.Struct, frozen=True):
    """All of a project."""

    version: int
    when_s: float
    path: str | None
    base: Any  # the timeline it was opened from, plain; layers, markers and goals come from there
    next_id: int
    clips: list[m.PlacedClip]
    tracks: list[PackedTrack]
    document: list[int]
    saved: list[int]
    done: list[PackedStep]
    undone: list[PackedStep]
    mark: str | None = None  # of the file it was opened from
    markers: tuple[m.TimeMarker, ...] = ()
    saved_markers: tuple[m.TimeMarker, ...] = ()
    around: tuple[Around, Around] = ("", ()), ("", ())  # of the document, and of the saved one


class _Tables:
    """Clips and tracks, each once."""

    def __init__(self) -> None:
        self.clips: dict[m.PlacedClip, int] = {}
        self.tracks: dict[m.DocumentTrack, int] = {}

    def document(self, document: m.Document) -> list[int]:
        return [self._track(track) for track in document.tracks]

    def steps(self, steps: Iterable[HistoryStep]) -> list[PackedStep]:
        every = [(step.label, step.document) for step in steps]
        return [PackedStep(label, self.document(of), of.markers, of.ground, of.spaces) for label, of in every]

    def _track(self, track: m.DocumentTrack) -> int:
        if track not in self.tracks:
            for clip in track.clips:
                self.clips.setdefault(clip, len(self.clips))
            self.tracks[track] = len(self.tracks)
        return self.tracks[track]


def _around(document: m.Document) -> Around:
    return document.ground, document.spaces


def pack(project: OpenProject, when_s: float) -> bytes:
    """A project with its history."""
    tables = _Tables()
    document, saved = tables.document(project.document), tables.document(project.saved_document)
    done = tables.steps(list(project.done)[-MOST_STEPS:])
    undone = tables.steps(list(project.undone)[-MOST_STEPS:])
    tracks = [
        PackedTrack(t.id, t.name, t.character, [tables.clips[c] for c in t.clips], t.place) for t in tables.tracks
    ]
    packed = Packed(
        VERSION, when_s, project.path, project.base, project.next_id, list(tables.clips), tracks, document, saved,
        done, undone, project.mark, project.document.markers, project.saved_document.markers,
        (_around(project.document), _around(project.saved_document)),
    )  # fmt: skip
    return msgspec.json.encode(packed)


def unpack(data: bytes, key_of: KeyOf, file: str = "autosave") -> OpenProject:
    """The project again, as it was."""
    try:
        packed = msgspec.json.decode(data, type=Packed)
        if packed.version != VERSION:
            raise ReadError(file, "version", f"{VERSION}", str(packed.version))
        tracks = [
            m.DocumentTrack(t.id, t.name, t.character, tuple(packed.clips[i] for i in t.clips), t.place)
            for t in packed.tracks
        ]

        def document(numbers: list[int], markers: tuple[m.TimeMarker, ...], around: Around) -> m.Document:
            return m.Document(tuple(tracks[i] for i in numbers), markers, *around)

        def steps(packed_steps: list[PackedStep]) -> deque[HistoryStep]:
            made = ((s.label, document(s.tracks, s.markers, (s.ground, s.spaces))) for s in packed_steps)
            return deque(HistoryStep(label, of) for label, of in made)

        kept = None if packed.base is None else from_timeline(timeline_of(packed.base), key_of)[1]
        project = OpenProject(document(packed.document, packed.markers, packed.around[0]), kept)
        project.base, project.path, project.mark = packed.base, packed.path, packed.mark
        project.next_id = max(project.next_id, packed.next_id)
        project.saved_document = document(packed.saved, packed.saved_markers, packed.around[1])
        project.done = steps(packed.done)
        project.undone = steps(packed.undone)
        return project
    except RecursionError:
        raise ReadError(file, "", "unsaved work as the studio writes it", "very deep nesting") from None
    except (msgspec.DecodeError, TimelineMistake, ValueError, LookupError, TypeError, OverflowError) as error:
        raise ReadError(file, "", "unsaved work as the studio writes it", str(error)[:200]) from None
