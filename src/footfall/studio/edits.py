"""Edits: how each change transforms a document, or the sentence that says why it cannot be done.

Every function takes a document and gives another; nothing is changed in place, so undo is keeping the one before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import singledispatch

from msgspec.structs import replace

from footfall.core.errors import FootfallError, ParameterError, UnknownName
from footfall.studio import messages as m
from footfall.studio.cures import IDLE
from footfall.timeline.conditions import METHODS

FARTHEST_M = 1000.0  # from the middle of the floor
LATEST_S = 3600.0  # a clip starts within the first hour
SPEEDS = (0.1, 10.0)
MOST_REPEATS, MOST_CLIPS, MOST_TRACKS, MOST_LETTERS = 100, 1000, 24, 80
SHORTEST_TRIM_S = 0.05
MOST_MARKERS = 200
SLACK_S = 0.001  # planned times are rounded; what is used beyond a recording's end is nothing
IDLE_S = 3.0  # about what coming to rest and standing adds: clips held at a second move along. By eye
DIGITS = 6  # of times: finer than any frame, and a file stays readable


Root = tuple[float, float, float]  # x, z in metres, heading in degrees


@dataclass
class Context:
    """What an edit may ask: which clips there are, the number of the next new thing, when clips start and end."""

    is_clip: Callable[[str], bool]
    next_id: int
    starts_s: Mapping[int, float] = field(default_factory=dict)
    ends_s: Mapping[int, float] = field(default_factory=dict)
    characters: tuple[str, ...] = ()
    animation: Callable[[str], str | None] = lambda key: None
    root_at: Callable[[int, float], Root | None] = lambda track, at_s: None  # of the take, at a second
    begins: Callable[[int], Root | None] = lambda track: None  # where a track begins, and the way it goes
    check_ground: Callable[[str], object] = lambda name: None  # fails where there is no such ground

    def fresh(self) -> int:
        """A number nothing had before."""
        self.next_id += 1
        return self.next_id - 1


def apply(document: m.Document, change: m.Change, context: Context) -> m.Document:
    """The document after a change; a FootfallError says what is wrong with the change."""
    return within_limits(_apply(change, document, context))


def within_limits(document: m.Document) -> m.Document:
    """The same document; one that nobody could wait for is refused."""
    if len(document.tracks) > MOST_TRACKS:
        raise ParameterError(f"a project has at most {MOST_TRACKS} tracks")
    if sum(len(track.clips) for track in document.tracks) > MOST_CLIPS:
        raise ParameterError(f"a project has at most {MOST_CLIPS} clips on its timeline")
    return document


@singledispatch
def _apply(change: object, document: m.Document, context: Context) -> m.Document:
    raise ParameterError(f"there is no change {type(change).__name__}")


@_apply.register
def _add_clip(change: m.AddClip, document: m.Document, context: Context) -> m.Document:
    check_clip(change.clip, context)
    start = None if change.start_s is None else start_of(change.start_s)
    if change.track is None:
        track = m.DocumentTrack(context.fresh(), _track_name(document))
        document = replace(document, tracks=(*document.tracks, track))
    else:
        track = track_of(document, change.track)
    trim = None if change.trim_s is None else trim_of(*change.trim_s)
    clip = m.PlacedClip(context.fresh(), change.clip, start, trim, animation=context.animation(change.clip))
    at = next((i + 1 for i, other in enumerate(track.clips) if other.id == change.after), None)
    if at is None or start is not None:
        return _put(document, track.id, clip, context)
    return _withtrack_of(document, replace(track, clips=(*track.clips[:at], clip, *track.clips[at:])))


@_apply.register
def _move_clip(change: m.MoveClip, document: m.Document, context: Context) -> m.Document:
    at, clip = find_clip(document, change.id)
    to = at.id if change.track is None else track_of(document, change.track).id
    start = None if change.start_s is None else start_of(change.start_s)
    if start is None and to == at.id:  # where it is in the row, but no longer at a time of its own
        return _with_clip(document, replace(clip, start_s=None))
    was = context.starts_s.get(clip.id, clip.start_s)
    document = _put(_without(document, {change.id}), to, replace(clip, start_s=start), context)
    if start is None or was is None:
        return document
    for other in change.along:
        document = _shifted(document, other, start - was, context)
    return document


@_apply.register
def _trim_clip(change: m.TrimClip, document: m.Document, context: Context) -> m.Document:
    at, clip = find_clip(document, change.id)
    trim = None if change.trim_s is None else trim_of(*change.trim_s)
    trimmed = replace(clip, trim_s=trim)
    if change.start_s is not None:
        return _put(_without(document, {clip.id}), at.id, replace(trimmed, start_s=start_of(change.start_s)), context)
    document = _with_clip(document, trimmed)
    longer_s = 0.0 if trim is None else (trim[1] - trim[0]) / clip.speed - _lasts_s(clip, context)
    for other in change.along:
        document = _shifted(document, other, longer_s, context)
    return document


@_apply.register
def _change_clip(change: m.ChangeClip, document: m.Document, context: Context) -> m.Document:
    _, clip = find_clip(document, change.id)
    if change.speed is not None:
        speed = finite("speed", change.speed)
        if not SPEEDS[0] <= speed <= SPEEDS[1]:
            raise ParameterError(f"speed must be {SPEEDS[0]:g} to {SPEEDS[1]:g}, got {speed:g}")
        clip = replace(clip, speed=round(speed, DIGITS))
    if change.mirror is not None:
        clip = replace(clip, mirror=bool(change.mirror))
    if change.repeat is not None:
        if not 1 <= change.repeat <= MOST_REPEATS:
            raise ParameterError(f"repeat must be 1 to {MOST_REPEATS}, got {change.repeat}")
        clip = replace(clip, repeat=int(change.repeat))
    if change.clip is not None:
        check_clip(change.clip, context)
        whole = replace(clip, trim_s=None, repeat=1)  # of another recording
        clip = replace(whole, clip=change.clip, animation=context.animation(change.clip))
    if change.method is not None:
        if change.method and change.method not in METHODS:
            raise UnknownName("way of joining", change.method, METHODS)
        clip = replace(clip, method=change.method or None)
    return _with_clip(document, clip)


@_apply.register
def _duplicate_clip(change: m.DuplicateClip, document: m.Document, context: Context) -> m.Document:
    track, clip = find_clip(document, change.id)
    if change.start_s is not None:
        to = track.id if change.track is None else track_of(document, change.track).id
        return _put(document, to, replace(clip, id=context.fresh(), start_s=start_of(change.start_s)), context)
    at = track.clips.index(clip) + 1
    twin = replace(clip, id=context.fresh(), start_s=None)
    return _withtrack_of(document, replace(track, clips=(*track.clips[:at], twin, *track.clips[at:])))


@_apply.register
def _remove_clips(change: m.RemoveClips, document: m.Document, context: Context) -> m.Document:
    if not change.ids:
        raise ParameterError("no clip is selected; click one first")
    for clip in change.ids:
        find_clip(document, clip)
    if change.ripple:
        document = _moved_up(document, set(change.ids), context)
    return _without(document, set(change.ids))


@_apply.register
def _split_clip(change: m.SplitClip, document: m.Document, context: Context) -> m.Document:
    track, clip = find_clip(document, change.id)
    start_s, lasts_s = context.starts_s.get(clip.id), _lasts_s(clip, context)
    if start_s is None or lasts_s <= 0.0:
        raise ParameterError("this clip is not made yet; wait until it is")
    inside_s = finite("second", change.at_s) - start_s
    least_s = SHORTEST_TRIM_S / clip.speed
    if not least_s <= inside_s <= lasts_s - least_s:
        raise ParameterError("the playhead is not inside this clip; put it where the clip shall be split")
    from_s = clip.trim_s[0] if clip.trim_s else 0.0
    cut_s = from_s + inside_s * clip.speed
    end_s = clip.trim_s[1] if clip.trim_s else from_s + lasts_s * clip.speed + SLACK_S
    first = replace(clip, trim_s=trim_of(from_s, cut_s))
    rest = replace(clip, id=context.fresh(), trim_s=trim_of(cut_s, end_s), start_s=None, method=None)
    at = track.clips.index(clip)
    return _withtrack_of(document, replace(track, clips=(*track.clips[:at], first, rest, *track.clips[at + 1 :])))


@_apply.register
def _set_markers(change: m.SetMarkers, document: m.Document, context: Context) -> m.Document:
    if len(change.markers) > MOST_MARKERS:
        raise ParameterError(f"a project has at most {MOST_MARKERS} markers")
    markers = [m.TimeMarker(start_of(marker.at_s), name_of(marker.name)) for marker in change.markers]
    return replace(document, markers=tuple(sorted(markers, key=lambda marker: marker.at_s)))


@_apply.register
def _fill_gap(change: m.FillGap, document: m.Document, context: Context) -> m.Document:
    track, clip = find_clip(document, change.id)
    at = track.clips.index(clip)
    if at == 0:
        raise ParameterError("nothing comes before the first clip of a track; choose a later one")
    check_clip(IDLE, context)
    idle = m.PlacedClip(context.fresh(), IDLE)
    follows = replace(clip, start_s=None, method=None)
    later = (c if c.start_s is None else replace(c, start_s=c.start_s + IDLE_S) for c in track.clips[at + 1 :])
    return _withtrack_of(document, replace(track, clips=(*track.clips[:at], idle, follows, *later)))


@_apply.register
def _add_track(change: m.AddTrack, document: m.Document, context: Context) -> m.Document:
    name = name_of(change.name) or _track_name(document)
    track = m.DocumentTrack(context.fresh(), name, _character(change.character, context))
    return replace(document, tracks=(*document.tracks, track))


@_apply.register
def _change_track(change: m.ChangeTrack, document: m.Document, context: Context) -> m.Document:
    track = track_of(document, change.id)
    if change.name is not None:
        track = replace(track, name=name_of(change.name))
    if change.character is not None:
        track = replace(track, character=_character(change.character, context))
    return _withtrack_of(document, track)


@_apply.register
def _place_track(change: m.PlaceTrack, document: m.Document, context: Context) -> m.Document:
    track, place = track_of(document, change.id), change.place
    if place is not None:
        x, z = (finite("place", value) for value in place[:2])
        if max(abs(x), abs(z)) > FARTHEST_M:
            raise ParameterError(f"a character begins within {FARTHEST_M:g} m, not at {x:g}, {z:g}")
        heading = math.remainder(finite("heading", place[2]), 360.0)
        place = round(x, DIGITS), round(z, DIGITS), round(heading, DIGITS)
    return _withtrack_of(document, replace(track, place=place))


@_apply.register
def _remove_track(change: m.RemoveTrack, document: m.Document, context: Context) -> m.Document:
    gone = track_of(document, change.id)
    return replace(document, tracks=tuple(track for track in document.tracks if track.id != gone.id))


# --- parts --------------------------------------------------------------------------------------------------------


def find_clip(document: m.Document, clip: int) -> tuple[m.DocumentTrack, m.PlacedClip]:
    """A clip by its number, and its track."""
    for track in document.tracks:
        for placed in track.clips:
            if placed.id == clip:
                return track, placed
    raise ParameterError(f"there is no clip {clip} on the timeline any more")


def trim_of(first_s: float, last_s: float) -> tuple[float, float]:
    """The part of a recording that is used."""
    first, last = max(0.0, finite("trim", first_s)), finite("trim", last_s)
    if last - first < SHORTEST_TRIM_S:
        raise ParameterError(f"a clip cannot be trimmed to less than {SHORTEST_TRIM_S:g} s; remove it instead")
    trim = (round(first, DIGITS), round(min(last, LATEST_S), DIGITS))
    if trim[0] >= trim[1]:
        raise ParameterError(f"a trim lies within the first {LATEST_S:g} s of a recording")
    return trim


def start_of(seconds: float) -> float:
    """A start on the timeline: not before 0, within the first hour."""
    seconds = finite("start", seconds)
    if seconds > LATEST_S:
        raise ParameterError(f"a clip starts within the first {LATEST_S:g} s, not at {seconds:g}")
    return round(max(0.0, seconds), DIGITS)


def finite(name: str, value: float) -> float:
    """The value as a float; refused where it is not finite, or absurdly large."""
    if not math.isfinite(value) or abs(value) > 1e9:
        raise ParameterError(f"{name} must be a number of usual size, got {value}")
    return float(value)


def name_of(text: str) -> str:
    """A name without control characters, not too long."""
    name = "".join(letter for letter in text if letter.isprintable()).strip()
    if len(name) > MOST_LETTERS:
        raise ParameterError(f"a name has at most {MOST_LETTERS} letters, this one {len(name)}")
    return name


def track_of(document: m.Document, track: int) -> m.DocumentTrack:
    """A track by its number."""
    for each in document.tracks:
        if each.id == track:
            return each
    raise ParameterError(f"there is no track {track} any more")


def _track_name(document: m.Document) -> str:
    """Hero, Rival, then numbers; a name that is not taken."""
    taken = {track.name for track in document.tracks}
    names = ("Hero", "Rival", *(f"Character {n}" for n in range(3, MOST_TRACKS + 3)))
    return next((name for name in names if name not in taken), "")


def _character(name: str | None, context: Context) -> str | None:
    if name and name not in context.characters:
        raise UnknownName("character", name, context.characters)
    return name or None


def _withtrack_of(document: m.Document, track: m.DocumentTrack) -> m.Document:
    return replace(document, tracks=tuple(track if each.id == track.id else each for each in document.tracks))


def _with_clip(document: m.Document, clip: m.PlacedClip) -> m.Document:
    track, _ = find_clip(document, clip.id)
    clips = tuple(clip if each.id == clip.id else each for each in track.clips)
    return _withtrack_of(document, replace(track, clips=clips))


def _without(document: m.Document, ids: set[int]) -> m.Document:
    tracks = (replace(t, clips=tuple(c for c in t.clips if c.id not in ids)) for t in document.tracks)
    return replace(document, tracks=tuple(tracks))


def _put(document: m.Document, track: int, clip: m.PlacedClip, context: Context) -> m.Document:
    """A clip among those of a track, where its start falls; without one, at the end."""
    to = track_of(document, track)
    at = len(to.clips)
    if clip.start_s is not None:
        starts = starts_of(to, context.starts_s)
        at = next((i for i, start in enumerate(starts) if start > clip.start_s), at)
    return _withtrack_of(document, replace(to, clips=(*to.clips[:at], clip, *to.clips[at:])))


def _shifted(document: m.Document, clip: int, by_s: float, context: Context) -> m.Document:
    """A clip moved along with another; one that follows as soon as possible does so anyway."""
    track, placed = find_clip(document, clip)
    if placed.start_s is None:
        return document
    moved = replace(placed, start_s=start_of(placed.start_s + by_s))
    return _put(_without(document, {clip}), track.id, moved, context)


def _moved_up(document: m.Document, ids: set[int], context: Context) -> m.Document:
    """Clips that start at seconds of their own, moved up by what is taken away before them on their track."""
    tracks = []
    for track in document.tracks:
        gone_s, clips = 0.0, []
        for clip, start_s in zip(track.clips, starts_of(track, context.starts_s), strict=True):
            if clip.id in ids:
                later = [s for s in starts_of(track, context.starts_s) if s > start_s]
                gone_s += min(_lasts_s(clip, context), later[0] - start_s) if later else 0.0
            moved = clip.start_s is not None and clip.id not in ids and gone_s > 0.0
            clips.append(replace(clip, start_s=start_of((clip.start_s or 0.0) - gone_s)) if moved else clip)
        tracks.append(replace(track, clips=tuple(clips)))
    return replace(document, tracks=tuple(tracks))


def _lasts_s(clip: m.PlacedClip, context: Context) -> float:
    """How long a clip lasts on the timeline, as planned; 0 where that is not known."""
    return context.ends_s.get(clip.id, 0.0) - context.starts_s.get(clip.id, 0.0)


def starts_of(track: m.DocumentTrack, planned: Mapping[int, float]) -> list[float]:
    """When each clip of a track starts: its own time, the planned one, or that of the clip before it."""
    starts: list[float] = []
    for clip in track.clips:
        before = starts[-1] if starts else 0.0
        starts.append(clip.start_s if clip.start_s is not None else planned.get(clip.id, before))
    return starts


def check_clip(key: str, context: Context) -> None:
    """Refuse a clip that the library does not have."""
    if not context.is_clip(key):
        shown = key if len(key) <= MOST_LETTERS else key[:MOST_LETTERS] + "…"
        raise ParameterError(f"the library has no clip {shown!r}; choose one of those listed")


def sentence(error: BaseException) -> str:
    """An error as one line for a person."""
    if isinstance(error, FootfallError):
        return " ".join(str(error).split())
    if isinstance(error, MemoryError):
        return "there is not enough memory for this; use shorter clips or fewer repeats"
    return f"this went wrong unexpectedly ({type(error).__name__}); it was written to the log"
