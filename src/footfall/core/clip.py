"""Clip: a skeleton, a frame rate and poses; immutable, with the verbs people expect on it.

The verbs (trim, mirror, positions, …) are the library's front door. Each one imports the layer that does the work
when it is called, so this file alone may reach upwards; docs/architecture.md says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import rotation
from .errors import ParameterError
from .pose import Pose
from .report import Report
from .skeleton import NOT_UNIT, Skeleton, readonly

if TYPE_CHECKING:
    from footfall.analysis.contacts import Contacts
    from footfall.kinematics.root import RootMotion
    from footfall.kinematics.training_views import TrainingViews
    from footfall.studio.notebook import NotebookView


class Inferred(NamedTuple):
    """Something a reader concluded: its value, what from, and how sure (0 to 1)."""

    value: Any
    how: str
    confidence: float


class Event(NamedTuple):
    """A named moment or span of a clip, in seconds."""

    name: str
    start_s: float
    end_s: float


@dataclass(frozen=True, eq=False)
class SkinLook:
    """What a mesh looks like: base colours, and the pictures they are taken from."""

    uv: np.ndarray  # (V, 2) places in the picture, from its top left corner
    material: np.ndarray  # (F,) int32 of each triangle
    colors: np.ndarray  # (M, 3) linear, times the picture's
    pictures: tuple[bytes, ...]  # (M,) as the file has them, PNG or JPEG; empty where a material has none


@dataclass(frozen=True)
class Skin:
    """A mesh bound to the skeleton, kept for display only."""

    vertices: np.ndarray  # (V, 3) metres, in the rest pose's world
    triangles: np.ndarray  # (F, 3) int32
    joints: np.ndarray  # (V, 4) int, joints each vertex follows
    weights: np.ndarray  # (V, 4) sums to 1
    inverse_bind: np.ndarray  # (J, 4, 4) world to joint, at the bind pose
    color: tuple[float, float, float] = (0.7, 0.7, 0.72)
    look: SkinLook | None = None  # of a character's own file

    def transformed(self, turn: np.ndarray, scale: float) -> Skin:
        """The same mesh where the world was turned and scaled about the origin: used once, at the edge, by readers."""
        inverse = self.inverse_bind.copy()
        inverse[:, :3, :3] = inverse[:, :3, :3] @ rotation.to_matrix(turn).T
        inverse[:, :3, 3] *= scale
        return replace(self, vertices=rotation.rotate(turn, self.vertices) * scale, inverse_bind=inverse)


@dataclass(frozen=True)
class Source:
    """Where a clip came from and what reading it took, so that writing it back gives what was read."""

    path: str = ""
    format: str = ""
    animation: str = ""
    unit_m: float = 1.0  # metres per unit of the file
    world_from_file: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)  # turn applied on reading
    inferred: Mapping[str, Inferred] = field(default_factory=dict)


LEAST_FPS, MOST_FPS = 1e-3, 1e6  # no camera and no simulation is slower or faster
FARTHEST_M = 1e7  # metres from the origin, and from a joint's parent: the way from a pole to the equator
ROUNDING = 1e-9  # a rotation this near to length 1 is one
PIECE = 1 << 20  # rotations that are checked at a time


def frame_rate(fps: float, what: str = "fps") -> float:
    """A frame rate that a clip can have."""
    try:
        value = float(fps)
    except (TypeError, ValueError, OverflowError):
        value = float("nan")
    if not LEAST_FPS <= value <= MOST_FPS:
        raise ParameterError(f"{what} must be a number from {LEAST_FPS:g} to {MOST_FPS:g}, got {fps!r}")
    return value


def checked_turns(rot: np.ndarray) -> np.ndarray:
    """Rotations (T, J, 4) of length 1, read-only: what rounding has changed is brought back, the rest is refused."""
    worst = 0.0
    step = max(1, PIECE // max(rot.shape[1], 1))
    for start in range(0, len(rot), step):  # in pieces: the squares of all would take a quarter of the clip's memory
        piece = rot[start : start + step]
        squares = np.einsum("...k,...k->...", piece, piece)
        off = np.abs(squares - 1.0)
        most = float(off.max(initial=0.0))
        if not most <= 2.0 * NOT_UNIT:  # also where a number is none
            frame, joint = (int(i) for i in np.argwhere(~(off <= 2.0 * NOT_UNIT))[0])
            raise ParameterError(
                f"rotations must be quaternions of length 1; that of joint {joint} in frame {start + frame} has length "
                f"{np.sqrt(squares[frame, joint]):g} (footfall.core.rotation.normalize makes it 1)"
            )
        worst = max(worst, most)
    if worst <= 2.0 * ROUNDING:
        return rot
    return readonly(rot / np.sqrt(np.einsum("...k,...k->...", rot, rot))[..., None])


def _is_sane(numbers: np.ndarray) -> bool:
    """Whether all are finite and below FARTHEST_M; two passes without a copy, since clips are made all the time."""
    return not numbers.size or bool(numbers.min() > -FARTHEST_M and numbers.max() < FARTHEST_M)


@dataclass(frozen=True, eq=False)
class Clip:
    """A piece of motion. Frame i is at i / fps seconds; the clip lasts (frames - 1) / fps.

    A loop carries its first pose again as its last frame, moved on by one cycle.
    """

    skeleton: Skeleton
    fps: float
    pose: Pose  # batch shape (T,)
    name: str = ""
    is_loop: bool = False
    events: tuple[Event, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)  # known numbers: speed, turn, a target, a style
    source: Source = field(default_factory=Source)
    warnings: tuple[str, ...] = ()  # what was wrong in the file
    repairs: tuple[str, ...] = ()  # what cleaning changed
    skin: Skin | None = None
    report: Report | None = None  # how it was made, where footfall made it out of other clips

    def __post_init__(self) -> None:
        frames, joints = len(self.pose.root_pos), len(self.skeleton)
        root_pos, rot = readonly_view(self.pose.root_pos), readonly_view(self.pose.rot)
        pos = None if self.pose.pos is None else readonly_view(self.pose.pos)
        if root_pos.shape != (frames, 3) or rot.shape != (frames, joints, 4):
            raise ParameterError(
                f"a clip of {joints} joints needs root_pos (T, 3) and rot (T, {joints}, 4), got {root_pos.shape} and "
                f"{rot.shape}"
            )
        if pos is not None and pos.shape != (frames, joints, 3):
            raise ParameterError(f"pos must be ({frames}, {joints}, 3), got {pos.shape}")
        object.__setattr__(self, "fps", frame_rate(self.fps))
        object.__setattr__(self, "pose", Pose(root_pos, checked_turns(rot), pos))
        for what, numbers in (("root_pos", root_pos), ("pos", pos)):
            if numbers is not None and not _is_sane(numbers):
                raise ParameterError(f"{what} must be finite numbers of metres below {FARTHEST_M:g}")

    # --- what it is -------------------------------------------------------------------------------------------
    @property
    def frames(self) -> int:
        return len(self.pose.root_pos)

    def __len__(self) -> int:
        return self.frames

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return max(self.frames - 1, 0) / self.fps

    @property
    def times(self) -> np.ndarray:  # (T,) seconds
        return np.arange(self.frames) / self.fps

    def __repr__(self) -> str:
        loop = ", loop" if self.is_loop else ""
        length = f"{self.frames} frames at {self.fps:g} fps = {self.duration:.2f} s"
        return f"Clip({self.name!r}, {length}{loop}, {self.skeleton!r})"

    @cached_property
    def positions(self) -> np.ndarray:
        """(T, J, 3) world positions of every joint, metres."""
        from footfall.kinematics.fk import world_positions

        return readonly(world_positions(self.skeleton, self.pose))

    @cached_property
    def root_motion(self) -> RootMotion:
        """Where the body is and faces on the floor: position (T, 2) and heading (T,), with their speeds."""
        from footfall.kinematics.root import root_motion

        return root_motion(self)

    @cached_property
    def contacts(self) -> Contacts:
        """When each heel and toe rests on the floor."""
        from footfall.analysis.contacts import find_contacts

        return find_contacts(self)

    # --- sampling ---------------------------------------------------------------------------------------------
    def sample(self, t_s: np.ndarray | float) -> Pose:
        """Pose at any time or array of times (seconds): clamped at the ends; a loop wraps and travels on."""
        from footfall.edit.sample import sample

        return sample(self, t_s)

    # --- looking ----------------------------------------------------------------------------------------------
    def show(self, height: int = 420, theme: str = "system") -> NotebookView:
        """The clip as a moving figure, at the end of a notebook's cell; theme is system, light or dark."""
        from footfall.studio.notebook import NotebookView

        return NotebookView(self, height, theme)

    def numpy(self, dtype: Any = None) -> TrainingViews[np.ndarray]:
        """Arrays for training, by name: views of the clip's own, 6-D rotations, features relative to the root."""
        from footfall.kinematics.training_views import training_views

        return training_views(self, dtype)

    # --- editing: each returns a new clip ---------------------------------------------------------------------
    def with_pose(self, pose: Pose, **changes: Any) -> Clip:
        """The same clip with other poses (and other fields, by name); its report is dropped."""
        return replace(self, pose=pose, **{"report": None, **changes})

    def trim(self, start_s: float = 0.0, end_s: float | None = None) -> Clip:
        """The part between two times, in seconds (to the end by default); its first frame becomes time 0."""
        from footfall.edit.trim import trim

        return trim(self, start_s, self.duration if end_s is None else end_s)

    def resample(self, fps: float) -> Clip:
        """The same motion at another frame rate; the duration stays within half a new frame."""
        from footfall.edit.resample import resample

        return resample(self, fps)

    def loop(self) -> Clip:
        """The clip with its end eased onto its start, so that it repeats without a seam."""
        from footfall.edit.loop import loop

        return loop(self)

    def mirror(self) -> Clip:
        """Left and right exchanged."""
        from footfall.edit.mirror import mirror

        return mirror(self)

    def in_place(self) -> Clip:
        """Without travel: the body walks on the spot, facing as it does."""
        from footfall.edit.in_place import in_place

        return in_place(self)

    def with_travel(self) -> Clip:
        """A walk or run on the spot with the travel that its feet imply; any other clip as it is."""
        from footfall.edit.travel import with_travel

        return with_travel(self)

    def smooth(self, cutoff_hz: float = 6.0) -> Clip:
        """Without jitter: low-pass in rotation space, no lag, ends kept."""
        from footfall.edit.smooth import smooth

        return smooth(self, cutoff_hz)

    def floor(self) -> Clip:
        """Moved up or down so that its feet stand at height 0."""
        from footfall.edit.floor import floor

        return floor(self)

    def on_ground(self, ground: Any) -> Clip:
        """The clip on slopes, stairs or rough floor: "stairs:15x35", or anything `footfall.ground` takes."""
        from footfall.feet.on_ground import on_ground
        from footfall.io.open_ground import ground as ground_of

        return on_ground(self, ground_of(ground))

    def speed(self, factor: float) -> Clip:
        """Played faster (> 1) or slower, at the same frame rate."""
        from footfall.edit.speed import speed

        return speed(self, factor)


def readonly_view(array: np.ndarray) -> np.ndarray:
    """A read-only float64 view, copied only when the caller could still write to the data."""
    array = np.asarray(array, float)
    if not array.flags.writeable:
        return array
    return readonly(array)


def fix_signs(pose: Pose) -> Pose:
    """The same poses with quaternion signs that never flip from frame to frame."""
    return pose._replace(rot=rotation.continuous_signs(pose.rot))
