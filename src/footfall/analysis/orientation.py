"""Body orientation: the heading by which a clip is aligned with another, from where it goes more than where it looks.

Oshita 2008. A pelvis wags and leads into turns, so its facing at one frame is a poor compass; the direction of travel
is steady, but people also walk sideways and backwards. Of the direction of travel turned by 0, 90, 180 and 270 degrees,
the one closest to the facing of the pelvis is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis.arc import floor_plane
from footfall.core.errors import ParameterError

if TYPE_CHECKING:
    from footfall.core.clip import Clip

FAR = 0.25  # leg lengths the pelvis must travel before the direction is read: by eye


def orientation_at_start(clip: Clip, t_s: float = 0.0) -> float:
    """Heading, radians, of a motion that begins at a time: to the pelvis's first later position far enough away."""
    frame = _frame(clip, t_s)
    path = floor_plane(clip.root_motion.position)
    return _orientation(clip, frame, path[frame:] - path[frame])


def orientation_at_end(clip: Clip, t_s: float | None = None) -> float:
    """Heading, radians, of a motion that ends at a time (the clip's end): from the last earlier position far enough."""
    frame = _frame(clip, clip.duration if t_s is None else t_s)
    path = floor_plane(clip.root_motion.position)
    return _orientation(clip, frame, (path[frame] - path[: frame + 1])[::-1])


def _orientation(clip: Clip, frame: int, travel: np.ndarray) -> float:
    """travel (N,) complex: vectors along the way, nearest in time first."""
    facing = float(clip.root_motion.heading[frame])
    far = np.flatnonzero(np.abs(travel) >= FAR * clip.skeleton.leg_length)
    if not len(far):
        return facing
    off = float(np.angle(travel[far[0]])) - facing
    quarter = 0.5 * np.pi
    return facing + off - quarter * round(off / quarter)  # the quarter turn that leaves the least


def _frame(clip: Clip, t_s: float) -> int:
    if clip.frames == 0:
        raise ParameterError(f"{clip.name or 'this clip'} holds only a skeleton, no frames, so it faces nowhere")
    if not -1e-9 <= t_s <= clip.duration + 1e-9:
        raise ParameterError(f"{clip.name or 'this clip'} lasts {clip.duration:.3f} s; there is no moment {t_s:g} s")
    return round(t_s * clip.fps)
