"""Messages about the project: its document, and every edit of it.

A document holds the same as a timeline file, with ids that stay the same while the project is open."""

from __future__ import annotations

from footfall.studio.message_parts import Part
from footfall.studio.scene_messages import ForgetSpace, KeepSpace, MeetTracks, OwnSpace, SetGround


class PlacedClip(Part, frozen=True):
    """A clip on a track."""

    id: int
    clip: str  # key of a library item
    start_s: float | None = None  # None: as soon as possible after the one before
    trim_s: tuple[float, float] | None = None
    speed: float = 1.0
    mirror: bool = False
    repeat: int = 1
    method: str | None = None  # of the join into this clip; None: the planner's
    animation: str | None = None


class DocumentTrack(Part, frozen=True):
    """A character's clips."""

    id: int
    name: str = ""
    character: str | None = None  # a body of Welcome.characters; None: the first clip's
    clips: tuple[PlacedClip, ...] = ()
    place: tuple[float, float, float] | None = None  # x, z in metres, heading in degrees to the left: where it begins


class TimeMarker(Part, frozen=True):
    """A moment somebody wants to find again."""

    at_s: float
    name: str = ""


class Document(Part, frozen=True):
    """Everything arranged; a track may be empty here, and is left out of the file."""

    tracks: tuple[DocumentTrack, ...] = ()
    markers: tuple[TimeMarker, ...] = ()  # in the order of time
    ground: str = ""  # as `footfall.ground` reads it, or a file; empty: the level floor
    spaces: tuple[OwnSpace, ...] = ()


# --- changes ----------------------------------------------------------------------------------------------------------


class AddClip(Part, frozen=True, tag_field="do", tag="add_clip"):
    """Put a library item on a track; track None makes a new one."""

    clip: str
    track: int | None = None
    start_s: float | None = None
    trim_s: tuple[float, float] | None = None  # the part of it that is used
    after: int | None = None  # a clip of that track it follows; None: where its start falls, or at the end


class MoveClip(Part, frozen=True, tag_field="do", tag="move_clip"):
    """Put a clip at another time, or on another track; start None: as soon as possible."""

    id: int
    start_s: float | None = None
    track: int | None = None
    along: tuple[int, ...] = ()  # other clips that are moved by as many seconds, each on its own track


class TrimClip(Part, frozen=True, tag_field="do", tag="trim_clip"):
    """Use a part of a clip only; moving the left edge moves its start too."""

    id: int
    trim_s: tuple[float, float] | None
    start_s: float | None = None
    along: tuple[int, ...] = ()  # clips after it that are moved by as much as it ends later


class ChangeClip(Part, frozen=True, tag_field="do", tag="change_clip"):
    """Change how a clip is played or joined; what is None stays. method "" gives the planner its choice back."""

    id: int
    speed: float | None = None
    mirror: bool | None = None
    repeat: int | None = None
    method: str | None = None
    clip: str | None = None  # another library item in its place


class DuplicateClip(Part, frozen=True, tag_field="do", tag="duplicate_clip"):
    """The same again, after it, or where it is put."""

    id: int
    start_s: float | None = None
    track: int | None = None


class RemoveClips(Part, frozen=True, tag_field="do", tag="remove_clips"):
    """Take clips off the timeline."""

    ids: tuple[int, ...]
    ripple: bool = False  # those after them move up into the gap


class SplitClip(Part, frozen=True, tag_field="do", tag="split_clip"):
    """Two clips out of one at a second of the timeline; as long as neither is changed they are played through."""

    id: int
    at_s: float


class SetMarkers(Part, frozen=True, tag_field="do", tag="set_markers"):
    """All markers there are from now on."""

    markers: tuple[TimeMarker, ...]


class FillGap(Part, frozen=True, tag_field="do", tag="fill_gap"):
    """Put standing before a clip, which then follows by itself."""

    id: int


class AddTrack(Part, frozen=True, tag_field="do", tag="add_track"):
    """Another character."""

    name: str = ""
    character: str | None = None


class ChangeTrack(Part, frozen=True, tag_field="do", tag="change_track"):
    """Another name or body; what is None stays, character "" is the first clip's own."""

    id: int
    name: str | None = None
    character: str | None = None


class PlaceTrack(Part, frozen=True, tag_field="do", tag="place_track"):
    """Where on the floor a character begins: x, z in metres, heading in degrees; None: where its first clip does."""

    id: int
    place: tuple[float, float, float] | None = None


class RemoveTrack(Part, frozen=True, tag_field="do", tag="remove_track"):
    """Take a character away."""

    id: int


Change = (
    AddClip | MoveClip | TrimClip | ChangeClip | DuplicateClip | RemoveClips | SplitClip | FillGap | AddTrack
    | ChangeTrack | RemoveTrack | SetMarkers | PlaceTrack | SetGround | MeetTracks | KeepSpace | ForgetSpace
)  # fmt: skip
