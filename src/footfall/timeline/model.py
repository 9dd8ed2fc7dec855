"""Timeline: what a person arranged, tracks of clips with times; plain data, the same as in a timeline file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError

Asap = Literal["asap"]
MOST_REPEATS = 1000  # of a loop
LAYER_MODES = ("override", "additive")


@dataclass(frozen=True, eq=False)
class TimelineClip:
    """A clip on a track."""

    clip: str | Clip  # a file, a built-in motion ("walk:speed=1.2"), or a clip
    start_s: float | Asap = "asap"
    trim_s: tuple[float, float] | None = None  # part of the recording that is used
    speed: float = 1.0
    mirror: bool = False
    repeat: int = 1  # rounds of a loop
    method: str | None = None  # of the join into this clip, where the person wants another than the planner's
    animation: str | None = None  # of a file that holds several

    def __post_init__(self) -> None:
        if self.start_s != "asap" and not _number(self.start_s):
            raise ParameterError(f'start_s must be a number of seconds or "asap", got {self.start_s!r}')
        if not (_number(self.speed) and 0.1 <= self.speed <= 10.0):
            raise ParameterError(f"speed must be a number from 0.1 to 10, got {self.speed!r}")
        if self.trim_s is not None and not (len(self.trim_s) == 2 and 0.0 <= self.trim_s[0] < self.trim_s[1]):
            raise ParameterError(f"trim_s must be [from, to] in seconds with 0 <= from < to, got {list(self.trim_s)!r}")
        if not (isinstance(self.repeat, int) and 1 <= self.repeat <= MOST_REPEATS):
            raise ParameterError(f"repeat must be a whole number from 1 to {MOST_REPEATS}, got {self.repeat!r}")


@dataclass(frozen=True, eq=False)
class Layer:
    """A clip laid over the joined motion by hand: some joints, with a weight that may change over time."""

    clip: str | Clip
    start_s: float
    joints: tuple[str, ...] = ()  # joint names, or groups: left arm, right arm, spine, head, legs; empty means all
    mode: str = "override"
    weight: tuple[tuple[float, float], ...] = ()  # (seconds from the layer's start, 0 to 1); empty fades in and out

    def __post_init__(self) -> None:
        if self.mode not in LAYER_MODES:
            raise ParameterError(f"mode must be {' or '.join(LAYER_MODES)}, got {self.mode!r}")
        if any(not (_number(t) and _number(w) and 0.0 <= w <= 1.0) for t, w in self.weight):
            raise ParameterError("weight must be a list of [seconds, weight from 0 to 1]")


@dataclass(frozen=True)
class Marker:
    """Ties a time of one track to a time of another: the second track is shifted so that both happen together."""

    tracks: tuple[int, int]
    clips: tuple[int, int]
    at_s: tuple[float, float] = (0.0, 0.0)  # seconds into each clip


@dataclass(frozen=True)
class FloorGoal:
    """A place on the floor: the whole track is moved so that its first, or last, pose stands there."""

    position: tuple[float, float] | None = None  # x, z in metres
    heading_deg: float | None = None


@dataclass(frozen=True, eq=False)
class TimelineTrack:
    """One character's clips, in order of time."""

    clips: tuple[TimelineClip, ...]
    character: str | None = None  # a file or a name; the first clip's body by default
    layers: tuple[Layer, ...] = ()
    start: FloorGoal | None = None  # where it begins
    goal: FloorGoal | None = None  # where it ends; both cannot hold, the goal comes first
    name: str = ""


@dataclass(frozen=True)
class Note:
    """A moment somebody wants to find again; nothing is made of it."""

    at_s: float
    name: str = ""


@dataclass(frozen=True)
class BlendSpaceNote:
    """A blend space somebody made of clips, to find it again; nothing is made of it here."""

    name: str
    clips: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Timeline:
    """Everything that was arranged."""

    tracks: tuple[TimelineTrack, ...]
    markers: tuple[Marker, ...] = ()
    fps: float | None = None  # the highest of the clips by default
    options: Mapping[str, float | bool] = field(default_factory=dict)  # s_min, s_max, paper, rules
    notes: tuple[Note, ...] = ()
    ground: str | None = None  # as `footfall.ground` takes it; the level floor without it
    spaces: tuple[BlendSpaceNote, ...] = ()

    def __post_init__(self) -> None:
        if self.fps is not None and not (_number(self.fps) and 1.0 <= self.fps <= 1000.0):
            raise ParameterError(f"fps must be a number from 1 to 1000, got {self.fps!r}")


Track, Goal = TimelineTrack, FloorGoal  # their names in 0.1


def in_a_row(clips: Sequence[str | Clip | TimelineClip]) -> Timeline:
    """One track of clips, each as soon as possible after the one before."""
    placed = [clip if isinstance(clip, TimelineClip) else TimelineClip(clip) for clip in clips]
    return Timeline((TimelineTrack(tuple(placed)),))


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9
