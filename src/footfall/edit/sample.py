"""Sampling: the pose of a clip at any time or array of times, exact at its frames."""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.once import once
from footfall.core.pose import Pose
from footfall.kinematics.floor_align import FloorTransform, between_roots
from footfall.kinematics.root import floor_root

ON_FRAME = 1e-7  # frames: closer than this to a frame is that frame, so i / fps * fps cannot miss it by rounding


def sample(clip: Clip, t_s: np.ndarray | float) -> Pose:
    """Poses at times t_s (...), in seconds: frames as they are, slerp and straight root lines between them.

    Outside the clip the end poses hold; a loop goes round instead, carried on by its floor transform each time.
    """
    need_frames(clip)
    t_s = np.asarray(t_s, float)
    if not np.isfinite(t_s).all():
        raise ParameterError("a time to sample at is not a finite number of seconds")
    x = t_s * clip.fps
    whole = np.round(x)
    x = np.where(np.abs(x - whole) <= ON_FRAME * np.maximum(1.0, np.abs(x) * 1e-6), whole, x)
    last = clip.frames - 1
    if not clip.is_loop or last == 0:
        return _between_frames(clip.pose, np.clip(x, 0.0, last))
    laps = np.where(x == last, 0.0, np.floor(x / last))  # the last frame itself is a frame, not a new lap
    pose = _between_frames(clip.pose, np.clip(x - laps * last, 0.0, last))
    if not laps.any():
        return pose
    carried = cycle(clip).power(laps).pose(pose)
    first = laps == 0  # untouched bit for bit
    return Pose(
        np.where(first[..., None], pose.root_pos, carried.root_pos),
        np.where(first[..., None, None], pose.rot, carried.rot),
        pose.pos,
    )


@once
def cycle(clip: Clip) -> FloorTransform:
    """Turn about the vertical and shift on the floor from the first frame to the last."""
    need_frames(clip)
    position, heading = floor_root(clip.skeleton, clip.pose.at([0, -1]))
    return between_roots(position[0], heading[0], position[1], heading[1])


def need_frames(clip: Clip, at_least: int = 1, what: str = "sampled") -> None:
    """Refuse a clip that is too short for an operation, saying so."""
    if clip.frames >= at_least:
        return
    name = clip.name or "this clip"
    if clip.frames == 0:
        raise ParameterError(f"{name} holds only a skeleton, no frames, so it cannot be {what}")
    raise ParameterError(f"{name} has {clip.frames} frame(s); to be {what} it needs at least {at_least}")


def _between_frames(pose: Pose, x: np.ndarray) -> Pose:
    """Poses at frame numbers x (...), whole or not, all within the clip."""
    i = np.minimum(x.astype(int), len(pose.root_pos) - 1)
    u = x - i
    if not u.any():
        return pose.at(i)
    a, b = pose.at(i), pose.at(np.minimum(i + 1, len(pose.root_pos) - 1))
    rot = rotation.slerp(a.rot, b.rot, np.broadcast_to(u[..., None], a.rot.shape[:-1]))
    pos = None if a.pos is None or b.pos is None else _line(a.pos, b.pos, u[..., None, None])
    return Pose(_line(a.root_pos, b.root_pos, u[..., None]), rot, pos)


def _line(a: np.ndarray, b: np.ndarray, u: np.ndarray) -> np.ndarray:
    return np.where(u == 0.0, a, a + u * (b - a))
