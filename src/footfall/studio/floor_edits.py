"""Changes of what is around the clips: the ground, two characters who meet, blend spaces; all others are in `edits`."""

from __future__ import annotations

import math
from pathlib import Path

from msgspec.structs import replace

from footfall.core.errors import ParameterError
from footfall.io.open_ground import ground as ground_of
from footfall.studio import edits
from footfall.studio import messages as m
from footfall.studio.edits import DIGITS, Context, Root, finite, name_of
from footfall.studio.grounds import FILES

MOST_SPACES, MOST_EXAMPLES = 20, 60  # own blend spaces, and clips of one
NEAREST_M, FARTHEST_M = 0.3, 20.0  # between two who meet


def apply(document: m.Document, change: m.Change, context: Context) -> m.Document:
    """The document after any change; a FootfallError says what is wrong with it."""
    if isinstance(change, m.SetGround):
        return _set_ground(change, document, context)
    if isinstance(change, m.MeetTracks):
        return _meet(change, document, context)
    if isinstance(change, m.KeepSpace):
        return _keep_space(change, document, context)
    if isinstance(change, m.ForgetSpace):
        return replace(document, spaces=tuple(one for one in document.spaces if one.name != change.name))
    return edits.apply(document, change, context)


def _set_ground(change: m.SetGround, document: m.Document, context: Context) -> m.Document:
    """One by name is laid where the first character begins, once and for all, so that others walk on the same."""
    name = change.ground
    context.check_ground(name)
    if name and "~" not in name and Path(name).suffix.lower() not in FILES and ground_of(name).is_ahead:
        first = next((track for track in document.tracks if track.clips), None)
        place = context.begins(first.id) if first else None
        name += "~" + ",".join(f"{value:g}" for value in (place or (0.0, 0.0, 0.0)))
    return replace(document, ground=name)


def _meet(change: m.MeetTracks, document: m.Document, context: Context) -> m.Document:
    at_s, apart = finite("second", change.at_s), finite("distance", change.apart_m)
    if change.first == change.second:
        raise ParameterError("two different characters are needed to meet; choose another one")
    if not NEAREST_M <= apart <= FARTHEST_M:
        raise ParameterError(f"two who meet stand {NEAREST_M:g} to {FARTHEST_M:g} m apart, not {apart:g}")
    late, roots = {}, {}
    for track in (change.first, change.second):
        own = edits.track_of(document, track)
        starts = [context.starts_s[clip.id] for clip in own.clips if clip.id in context.starts_s]
        ends = [context.ends_s[clip.id] for clip in own.clips if clip.id in context.ends_s]
        if not starts or not ends:
            raise ParameterError(f"{own.name or 'a track'} is not made yet; put a clip on it and wait until it is")
        late[track] = at_s - max(ends) if max(ends) < at_s else min(at_s - min(starts), 0.0)
        if min(starts) + late[track] < 0.0:
            raise ParameterError(f"{own.name or 'a track'} cannot be there that early; choose a later marker")
        found = context.root_at(track, at_s - late[track])
        begun = context.root_at(track, min(starts))
        if found is None or begun is None:
            raise ParameterError("a character is not made yet; wait until it is")
        roots[track] = begun, found
    x, z, heading = roots[change.first][1]
    turn = math.radians(heading)
    goal = x + apart * math.sin(turn), z + apart * math.cos(turn), heading + 180.0
    placed = _carried(roots[change.second][0], roots[change.second][1], goal)
    document = edits.apply(document, m.PlaceTrack(change.second, placed), context)
    for track, by_s in late.items():
        document = _shifted(document, track, by_s, context)
    return document


def _carried(begun: Root, there: Root, goal: Root) -> Root:
    """Where a track begins after the move that carries one of its roots onto a goal."""
    turn = goal[2] - there[2]
    by = math.radians(turn)
    x, z = begun[0] - there[0], begun[1] - there[1]
    across, along = x * math.cos(by) + z * math.sin(by), z * math.cos(by) - x * math.sin(by)
    return goal[0] + across, goal[1] + along, begun[2] + turn


def _shifted(document: m.Document, track: int, by_s: float, context: Context) -> m.Document:
    """A track moved in time: its first clip, and those that start at seconds of their own."""
    if abs(by_s) < 1e-6:
        return document
    own = edits.track_of(document, track)
    starts = edits.starts_of(own, context.starts_s)
    first = min(range(len(starts)), key=starts.__getitem__)
    clips = tuple(
        replace(clip, start_s=round(max(start_s + by_s, 0.0), DIGITS))
        if n == first or clip.start_s is not None
        else clip
        for n, (clip, start_s) in enumerate(zip(own.clips, starts, strict=True))
    )
    tracks = tuple(replace(own, clips=clips) if one.id == track else one for one in document.tracks)
    return replace(document, tracks=tracks)


def _keep_space(change: m.KeepSpace, document: m.Document, context: Context) -> m.Document:
    name = name_of(change.space.name[:80])
    if not name:
        raise ParameterError("give the blend space a name, such as my walks")
    if not 2 <= len(change.space.clips) <= MOST_EXAMPLES:
        raise ParameterError(f"a blend space is made of 2 to {MOST_EXAMPLES} clips, not of {len(change.space.clips)}")
    for key in change.space.clips:
        edits.check_clip(key, context)
    others = tuple(one for one in document.spaces if one.name != name)
    if len(others) >= MOST_SPACES:
        raise ParameterError(f"there are {MOST_SPACES} own spaces already; forget one of them first")
    return replace(document, spaces=(*others, m.OwnSpace(name, tuple(change.space.clips))))
