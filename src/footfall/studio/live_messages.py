"""Messages of the Live tab: a character that is steered, what it stands on, and the folder made playable."""

from __future__ import annotations

from typing import Literal

from footfall.studio.message_parts import GroundItem, GroundView, Part, Shown, SkeletonView

# --- to the server ----------------------------------------------------------------------------------------------------


class LiveStart(Shown, frozen=True, tag="live_start"):
    """A character to steer."""

    graph: str = "builtin"
    character: str = ""  # key of a CharacterItem; empty: the graph's own body
    ground: str = ""  # key of a GroundItem


class LiveSteer(Shown, frozen=True, tag="live_steer"):
    """What is asked of it; with a target it chases that point on the floor."""

    motion: str | None = None  # a type of LiveGraph.types
    speed: float | None = None
    turn: float | None = None
    side: float | None = None
    target: tuple[float, float] | None = None  # x, z in metres
    sent_ms: float = 0.0  # page clock, comes back with the first frame that knows of it


class LiveAct(Shown, frozen=True, tag="live_act"):
    """Do an action once."""

    name: str


class LiveSeen(Shown, frozen=True, tag="live_seen"):
    """The newest poses the page has shown: one that falls behind is sent no more until it has caught up."""

    tick: int  # of the character's frames
    crowd: int = 0  # of the crowd's


class LiveRecord(Shown, frozen=True, tag="live_record"):
    """Start or stop recording; a recording becomes a library item."""

    on: bool


class LiveStop(Shown, frozen=True, tag="live_stop"):
    """No character any more."""


class LiveMake(Shown, frozen=True, tag="live_make"):
    """Make the studio's folder playable: build the graph of its recordings; LiveFound and LiveGraphs answer."""

    used: tuple[int, ...] | None = None  # rows of LiveFound that are used; None: as footfall finds it, anew


class LiveLook(Shown, frozen=True, tag="live_look"):
    """What the folder's graph was built of; LiveFound answers."""


class LiveShove(Shown, frozen=True, tag="live_shove"):
    """Push the character."""

    x: float  # m/s, in the world
    z: float


class LiveCrowd(Shown, frozen=True, tag="live_crowd"):
    """So many more characters that wander about; poses come as frames of many bodies."""

    count: int


# --- to the page ------------------------------------------------------------------------------------------------------


class LiveNode(Part, frozen=True):
    """A motion of the graph."""

    name: str
    is_action: bool
    parameters: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    examples: tuple[tuple[float, ...], ...]  # parameters of each


class LiveGraph(Shown, frozen=True, tag="live_graph"):
    """The answer to LiveStart; poses follow as binary frames at 60 a second."""

    name: str
    nodes: tuple[LiveNode, ...]
    edges: tuple[tuple[str, str], ...]
    types: tuple[str, ...]
    actions: tuple[str, ...]
    skeleton: SkeletonView
    character: str = ""
    ground: str = ""


class LiveGroundShape(Shown, frozen=True, tag="live_ground"):
    """What the character walks on, around it: after LiveGraph, and again when it has gone far; None: the floor."""

    shape: GroundView | None


class GroundList(Shown, frozen=True, tag="grounds"):
    """The grounds there are."""

    items: tuple[GroundItem, ...]


class LiveState(Shown, frozen=True, tag="live_state"):
    """Where the live character is, ten times a second."""

    time_s: float
    node: str
    edge: str
    generic_time: float
    weights: tuple[float, ...]
    asked: dict[str, float]
    achieved: dict[str, float]
    latency_s: float
    waiting: str
    clamped: bool
    slide_cm_s: float
    depth_mm: float
    recording_s: float | None
    blocked: bool = False  # a wall, a hole or the end of its ground keeps it from its next step


class LiveGraphs(Shown, frozen=True, tag="live_graphs"):
    """The graphs there are now."""

    names: tuple[str, ...]


class FoundRow(Part, frozen=True):
    """A stretch of a recording that a graph can use: a cycle of a gait, or an action."""

    id: int
    kind: Literal["cycle", "action"]
    label: str
    file: str
    start_s: float
    end_s: float
    use: bool
    why: str  # it is not used
    speed_m_s: float
    turn_deg_s: float
    figures: tuple[tuple[int, ...], ...]  # poses from the side: of each bone x, y of both ends in centimetres


class LiveFound(Shown, frozen=True, tag="live_found"):
    """What was found in the folder, as a sheet to tick."""

    graph: str
    rows: tuple[FoundRow, ...]
    told: tuple[str, ...]  # sentences
    left_out: tuple[tuple[str, str], ...]  # files and why
