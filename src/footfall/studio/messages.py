"""Messages between the studio's page and its server, as typed structs; the page's types are generated from them.

Text frames of the socket are JSON, one of `ToServer` or `ToPage`, told apart by `type`. Poses travel as binary frames
(`frames.py`). Times are seconds, angles degrees where a person reads them.
"""

from __future__ import annotations

from typing import Literal

from footfall.studio.blend_messages import BlendAnswer as BlendAnswer
from footfall.studio.blend_messages import BlendAsk as BlendAsk
from footfall.studio.blend_messages import BlendClose as BlendClose
from footfall.studio.blend_messages import BlendExample as BlendExample
from footfall.studio.blend_messages import BlendKeep as BlendKeep
from footfall.studio.blend_messages import BlendKept as BlendKept
from footfall.studio.blend_messages import BlendMake as BlendMake
from footfall.studio.blend_messages import BlendMap as BlendMap
from footfall.studio.blend_messages import BlendMapping as BlendMapping
from footfall.studio.blend_messages import BlendMaps as BlendMaps
from footfall.studio.blend_messages import BlendOpen as BlendOpen
from footfall.studio.blend_messages import BlendSpaceOpened as BlendSpaceOpened
from footfall.studio.blend_messages import BlendSpaces as BlendSpaces
from footfall.studio.blend_messages import FlowLines as FlowLines
from footfall.studio.edit_messages import AddClip as AddClip
from footfall.studio.edit_messages import AddTrack as AddTrack
from footfall.studio.edit_messages import Change as Change
from footfall.studio.edit_messages import ChangeClip as ChangeClip
from footfall.studio.edit_messages import ChangeTrack as ChangeTrack
from footfall.studio.edit_messages import Document as Document
from footfall.studio.edit_messages import DocumentTrack as DocumentTrack
from footfall.studio.edit_messages import DuplicateClip as DuplicateClip
from footfall.studio.edit_messages import FillGap as FillGap
from footfall.studio.edit_messages import MoveClip as MoveClip
from footfall.studio.edit_messages import PlacedClip as PlacedClip
from footfall.studio.edit_messages import PlaceTrack as PlaceTrack
from footfall.studio.edit_messages import RemoveClips as RemoveClips
from footfall.studio.edit_messages import RemoveTrack as RemoveTrack
from footfall.studio.edit_messages import SetMarkers as SetMarkers
from footfall.studio.edit_messages import SplitClip as SplitClip
from footfall.studio.edit_messages import TimeMarker as TimeMarker
from footfall.studio.edit_messages import TrimClip as TrimClip
from footfall.studio.join_messages import CompareJoins as CompareJoins
from footfall.studio.join_messages import CureClip as CureClip
from footfall.studio.join_messages import JoinedPair as JoinedPair
from footfall.studio.join_messages import JoinMade as JoinMade
from footfall.studio.join_messages import JoinMap as JoinMap
from footfall.studio.join_messages import JoinSpots as JoinSpots
from footfall.studio.join_messages import LibraryMap as LibraryMap
from footfall.studio.join_messages import MapJoins as MapJoins
from footfall.studio.join_messages import MapLibrary as MapLibrary
from footfall.studio.join_messages import UseJoin as UseJoin
from footfall.studio.live_messages import FoundRow as FoundRow
from footfall.studio.live_messages import GroundList as GroundList
from footfall.studio.live_messages import LiveAct as LiveAct
from footfall.studio.live_messages import LiveCrowd as LiveCrowd
from footfall.studio.live_messages import LiveFound as LiveFound
from footfall.studio.live_messages import LiveGraph as LiveGraph
from footfall.studio.live_messages import LiveGraphs as LiveGraphs
from footfall.studio.live_messages import LiveGroundShape as LiveGroundShape
from footfall.studio.live_messages import LiveLook as LiveLook
from footfall.studio.live_messages import LiveMake as LiveMake
from footfall.studio.live_messages import LiveNode as LiveNode
from footfall.studio.live_messages import LiveRecord as LiveRecord
from footfall.studio.live_messages import LiveSeen as LiveSeen
from footfall.studio.live_messages import LiveShove as LiveShove
from footfall.studio.live_messages import LiveStart as LiveStart
from footfall.studio.live_messages import LiveState as LiveState
from footfall.studio.live_messages import LiveSteer as LiveSteer
from footfall.studio.live_messages import LiveStop as LiveStop
from footfall.studio.message_parts import Grade as Grade
from footfall.studio.message_parts import GroundItem as GroundItem
from footfall.studio.message_parts import GroundView as GroundView
from footfall.studio.message_parts import Method as Method
from footfall.studio.message_parts import Part as Part
from footfall.studio.message_parts import Phase as Phase
from footfall.studio.message_parts import Shown as Shown
from footfall.studio.message_parts import SkeletonView as SkeletonView
from footfall.studio.scene_messages import DrawWalk as DrawWalk
from footfall.studio.scene_messages import ForgetSpace as ForgetSpace
from footfall.studio.scene_messages import KeepSpace as KeepSpace
from footfall.studio.scene_messages import MeetTracks as MeetTracks
from footfall.studio.scene_messages import OwnSpace as OwnSpace
from footfall.studio.scene_messages import SetGround as SetGround
from footfall.studio.scene_messages import TakeGround as TakeGround

# --- what came out of it --------------------------------------------------------------------------------------------


class PhaseSpan(Part, frozen=True):
    """A stretch with the same feet on the floor; seconds from the clip's beginning on the timeline."""

    start_s: float
    end_s: float
    phase: Phase


class ClipView(Part, frozen=True):
    """Where a clip lies on the timeline, as planned."""

    id: int
    name: str
    start_s: float
    end_s: float
    composed: bool  # laid over the clips beneath it, not in their row
    phases: tuple[PhaseSpan, ...]
    source_s: float  # how long the whole recording lasts at this speed and repeat: how far it can be untrimmed


class Refused(Part, frozen=True):
    """A way of joining that was not possible."""

    method: str
    reason: str


class Cure(Part, frozen=True):
    """What can be done about a join that is not believed."""

    label: str  # on its button
    why: str
    change: Change


class JoinView(Part, frozen=True):
    """How two neighbours are joined, and how well."""

    before: int  # ids of the clips
    after: int
    kind: str  # transition, connection, adaptation, composition, wait, fallback, or a method by hand
    start_s: float
    end_s: float
    reason: str
    phases: tuple[str, str] | None
    refused: tuple[Refused, ...]
    skate_ratio: float | None  # times the sources'; None while dragging
    excess_m_s2: float | None
    grade: Grade
    seen: str = ""  # what a viewer would say first; empty unless the grade is poor
    cures: tuple[Cure, ...] = ()


class TrackView(Part, frozen=True):
    """A track that was joined; problem says in a sentence why it was not."""

    id: int
    start_s: float
    end_s: float
    clips: tuple[ClipView, ...]
    joins: tuple[JoinView, ...]
    problem: str | None = None


class LibraryItem(Part, frozen=True):
    """A clip that can be dragged onto the timeline; its poses come from /clips/{key}/poses."""

    key: str
    name: str
    group: str  # built-in, the folder's name, uploads
    kind: str  # walk, run, stand, kick, …
    seconds: float
    fps: float
    speed_m_s: float
    is_loop: bool
    phases: tuple[PhaseSpan, ...]
    problem: str | None = None  # why it cannot be used
    tags: tuple[str, ...] = ()  # what the analysis found in it: walk, kick, jump, …
    favourite: bool = False
    warnings: tuple[str, ...] = ()  # what its reader noticed, as a file that ends early
    file: str = ""  # of several clips in one file: its name
    removable: bool = False  # it was uploaded or recorded here
    on_the_spot: bool = False  # a walk or run without travel; the timeline gives it back what its feet tell


# --- to the server ----------------------------------------------------------------------------------------------------


class Hello(Shown, frozen=True, tag="hello"):
    """The first message of a socket."""

    token: str = ""


class Edit(Shown, frozen=True, tag="edit"):
    """Do it for good; it can be undone."""

    change: Change
    label: str = ""  # shown in "undo …"; made from the change if empty


class Drag(Shown, frozen=True, tag="drag"):
    """What the change would give, while the pointer still moves: only the newest is answered."""

    change: Change
    serial: int
    playhead_s: float


class DragEnd(Shown, frozen=True, tag="drag_end"):
    """The pointer was let go without a change: back to what was."""


class Undo(Shown, frozen=True, tag="undo"):
    """Take the last change back."""


class Redo(Shown, frozen=True, tag="redo"):
    """Do again what was taken back."""


class New(Shown, frozen=True, tag="new"):
    """An empty project, or the demo."""

    demo: bool = False


class Open(Shown, frozen=True, tag="open"):
    """Open a project file of the folder."""

    path: str


class Save(Shown, frozen=True, tag="save"):
    """Write the project; path None: where it was."""

    path: str | None = None


class Recover(Shown, frozen=True, tag="recover"):
    """Take up, or throw away, what was not saved when the studio ended last."""

    keep: bool


class Export(Shown, frozen=True, tag="export"):
    """Write the take to a file to download."""

    format: Literal["glb", "bvh", "npz", "mp4"]
    track: int | None = None  # None: all, in a zip where they are several
    fps: float | None = None  # None: the take's
    range_s: tuple[float, float] | None = None  # of the timeline; None: all of it, from its first second
    in_place: bool = False
    bare: bool = False  # the skeleton alone
    name: str = ""  # of the file; empty: the project's
    large: bool = False  # a film of 1280 x 720 in place of 960 x 540


class Cancel(Shown, frozen=True, tag="cancel"):
    """Stop a job."""

    job: int


class ReportJoin(Shown, frozen=True, tag="report_join"):
    """One file with all about a join, to send or to try again."""

    before: int
    after: int


class Mark(Shown, frozen=True, tag="mark"):
    """Note something of a library clip; what is None stays, name "" is the library's own again."""

    key: str
    name: str | None = None
    favourite: bool | None = None


class Remove(Shown, frozen=True, tag="remove"):
    """Take a clip that was uploaded or recorded out of the library, with its file."""

    key: str


class Like(Shown, frozen=True, tag="like"):
    """Which clips are like this one at that second?"""

    key: str
    time_s: float


ToServer = (
    Hello | Edit | Drag | DragEnd | Undo | Redo | New | Open | Save | Recover | Export | Cancel
    | ReportJoin | Mark | Remove | Like | LiveStart | LiveSteer | LiveAct | LiveRecord | LiveStop
    | DrawWalk | CompareJoins | MapJoins | UseJoin | MapLibrary | CureClip
    | LiveMake | LiveLook | LiveShove | LiveCrowd | LiveSeen
    | BlendOpen | BlendAsk | BlendMaps | BlendMake | BlendKeep | BlendClose
)  # fmt: skip


# --- to the page ------------------------------------------------------------------------------------------------------


class Welcome(Shown, frozen=True, tag="welcome"):
    """The answer to Hello; Project and Take follow."""

    version: str
    folder: str | None
    library: tuple[LibraryItem, ...]
    characters: tuple[str, ...]
    methods: tuple[Method, ...]
    graphs: tuple[str, ...]
    files: tuple[str, ...]  # project files of the folder
    recoverable: str | None = None  # when something unsaved was found: a sentence that says so


class Project(Shown, frozen=True, tag="project"):
    """What is arranged, after every change, to every page."""

    revision: int
    document: Document
    path: str | None
    saved: bool
    undo: str | None  # what would be undone, None: nothing
    redo: str | None


class Take(Shown, frozen=True, tag="take"):
    """What came out of a revision; poses of every track follow as binary frames of this revision."""

    revision: int
    duration_s: float
    tracks: tuple[TrackView, ...]
    skeletons: tuple[SkeletonView | None, ...]  # one a track; None: as before
    took_ms: float


class Preview(Shown, frozen=True, tag="preview"):
    """The answer to a Drag; the poses under the playhead come as binary frames of this serial just before it."""

    serial: int
    duration_s: float
    tracks: tuple[TrackView, ...]
    snaps_s: tuple[float, ...]  # starts at which the dragged clip joins better
    took_ms: float


class Added(Shown, frozen=True, tag="added"):
    """A library item that was uploaded, recorded or found."""

    item: LibraryItem


class CharacterItem(Part, frozen=True):
    """A body of the shelf."""

    key: str
    name: str
    height_m: float  # 0: a built-in one
    problem: str | None = None
    removable: bool = False


class Characters(Shown, frozen=True, tag="characters"):
    """All bodies a track can have."""

    items: tuple[CharacterItem, ...]


class AlikeClip(Part, frozen=True):
    """A clip with the moment that is like another's."""

    key: str
    time_s: float
    distance_cm: float  # between the bodies' points, on average


class Alike(Shown, frozen=True, tag="alike"):
    """The answer to Like, the likest first."""

    key: str
    found: tuple[AlikeClip, ...]


class Removed(Shown, frozen=True, tag="removed"):
    """Library items that are no more."""

    keys: tuple[str, ...]


class ProjectFile(Part, frozen=True):
    """A project of the folder."""

    path: str
    changed_s: float  # since 1970
    clips: tuple[str, ...]  # keys of its first ones, for a picture
    count: int  # of all its clips


class Projects(Shown, frozen=True, tag="projects"):
    """All projects of the folder, the newest first."""

    files: tuple[ProjectFile, ...]


class Job(Shown, frozen=True, tag="job"):
    """How far something that takes its time has come."""

    id: int
    label: str
    share: float  # 0 to 1
    state: Literal["running", "done", "cancelled", "failed"]
    url: str | None = None  # of the result
    problem: str | None = None


class Problem(Shown, frozen=True, tag="problem"):
    """One sentence, with the cure."""

    where: str  # library, timeline, stage, live, project
    text: str
    serial: int | None = None  # of the Drag it answers


class Preparing(Shown, frozen=True, tag="preparing"):
    """What a first start is busy with, once; shown as a thin bar until its share is 1."""

    text: str
    share: float


ToPage = (
    Welcome | Project | Take | TakeGround | Preview | Added | Removed | Alike | Projects | Characters | Job
    | Problem | Preparing
    | LiveGraph | LiveState | LiveGraphs | LiveGroundShape | GroundList | LiveFound
    | JoinedPair | JoinMade | JoinMap | JoinSpots | LibraryMap
    | BlendSpaces | BlendSpaceOpened | BlendAnswer | BlendMap | BlendMapping | BlendKept
)  # fmt: skip
