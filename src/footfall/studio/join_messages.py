"""Messages of the Joins tab: two clips joined by every method, the map of moments, and which clips blend."""

from __future__ import annotations

from footfall.studio.message_parts import Grade, Method, Part, Shown, SkeletonView

# --- to the server ----------------------------------------------------------------------------------------------------


class CompareJoins(Shown, frozen=True, tag="compare_joins"):
    """Two clips joined by methods, at a moment; without one each method chooses its own."""

    first: str  # keys of library items
    second: str
    serial: int  # comes back with the answers
    methods: tuple[str, ...] = ()  # empty: all
    leave_s: float | None = None  # second of the first at which it is left
    enter_s: float | None = None  # second of the second at which it has taken over
    length_s: float | None = None  # of the transition


class MapJoins(Shown, frozen=True, tag="map_joins"):
    """How alike two clips are for every leaving and entry time."""

    first: str
    second: str
    serial: int
    length_s: float = 0.4


class UseJoin(Shown, frozen=True, tag="use_join"):
    """The join as a clip of the library, put at the end of a track."""

    first: str
    second: str
    method: str
    leave_s: float | None = None
    enter_s: float | None = None
    length_s: float | None = None
    track: int | None = None  # None: a new one


class MapLibrary(Shown, frozen=True, tag="map_library"):
    """Which of these clips blend with each other, and why others do not."""

    keys: tuple[str, ...]
    serial: int


class CureClip(Shown, frozen=True, tag="cure_clip"):
    """A copy of a clip in which a fault beside another is gone, as a new clip of the library."""

    key: str
    other: str  # the clip it shall blend with; its own key where the fault is its own
    kind: str  # of the fault, as lint calls it


# --- to the page ------------------------------------------------------------------------------------------------------


class JoinedPair(Shown, frozen=True, tag="joined_pair"):
    """The two clips as they are joined; JoinMade follows for each method, in their order."""

    serial: int
    skeleton: SkeletonView  # both are on it
    seconds: tuple[float, float]  # that they last
    methods: tuple[Method, ...]


class JoinFigure(Part, frozen=True):
    """A figure of the judge beside its limit."""

    name: str
    value: float
    limit: float
    ok: bool


class JoinCurves(Part, frozen=True):
    """What happens around a join, from start_s (seconds after the first clip is left) on."""

    start_s: float
    fps: float
    skate_cm_s: tuple[float, ...]  # of the toe that slides more
    push_m_s2: tuple[float, ...]  # of the centre of mass over the floor
    excess_m_s2: tuple[float, ...]  # of the joint that accelerates most beyond its sources


class JoinMade(Shown, frozen=True, tag="join_made"):
    """A join by one method; its poses around the seam come as a binary frame of this serial and number before it."""

    serial: int
    number: int
    method: str
    problem: str | None = None  # why there is none
    join_s: float = 0.0  # second of the result at which the first clip is left
    end_s: float = 0.0  # and at which the second has taken over
    leave_s: float = 0.0  # second of the first clip; beyond its end where it is led on
    enter_s: float = 0.0
    grade: Grade = "unknown"
    seen: tuple[str, ...] = ()  # what a viewer would say, the gravest first
    reason: str = ""
    figures: tuple[JoinFigure, ...] = ()
    curves: JoinCurves | None = None


class JoinSpot(Part, frozen=True):
    """A moment at which the clips are more alike than around it."""

    leave_s: float
    enter_s: float
    unlike_cm: float
    grade: Grade = "unknown"  # of the join made there
    seen: str = ""


class JoinMap(Shown, frozen=True, tag="join_map"):
    """How unlike the clips are, over leaving times (rows) and entry times (columns); the coarse one comes first."""

    serial: int
    length_s: float
    leave_s: tuple[float, float]  # of the first and the last row
    enter_s: tuple[float, float]
    rows: int
    columns: int
    unlike_cm: tuple[float, float]  # of a cell of 0 and of 255
    cells: bytes  # one byte each, row by row
    is_fine: bool
    spots: tuple[JoinSpot, ...]  # first those that lose little of either clip, then anywhere; the most alike first


class JoinSpots(Shown, frozen=True, tag="join_spots"):
    """The spots again, with what the judge says of those that were made so far."""

    serial: int
    spots: tuple[JoinSpot, ...]


class ClipFix(Part, frozen=True):
    """A cure that is done by a click: CureClip."""

    label: str
    key: str
    other: str


class ClipFault(Part, frozen=True):
    """What keeps two clips from blending, or is wrong with one of them."""

    a: str  # keys
    b: str | None
    kind: str
    why: str
    cure: str
    fixes: tuple[ClipFix, ...] = ()


class LibraryMap(Shown, frozen=True, tag="library_map"):
    """The answer to MapLibrary; share grows to 1 while clips are analysed, and then all is told."""

    serial: int
    share: float
    keys: tuple[str, ...] = ()  # of clips that could be compared, those that blend beside each other
    faults: tuple[ClipFault, ...] = ()
    left_out: tuple[str, ...] = ()  # sentences about clips that could not be
