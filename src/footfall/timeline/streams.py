"""Streams: a clip's poses and feet at the moments a clock asks for, a little beyond its ends too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.transitions.foot_paths import FootPaths


def played(paths: FootPaths, clip_s: np.ndarray, lead: int) -> FootPaths:
    """Paths (N,) at clip times (N,), one an output frame; `lead` of them lie before the join. Their poses are still the
    clip's own frames: few of them are asked for, by `poses`."""
    i, j, u = _between(paths, clip_s)
    if not u.any():
        ankle, foot, ball, root, heading = (
            a[i] for a in (paths.ankle, paths.foot, paths.ball, paths.root, paths.heading)
        )
    else:
        ankle, ball, root, heading = (_line(a, i, j, u) for a in (paths.ankle, paths.ball, paths.root, paths.heading))
        foot = rotation.slerp(paths.foot[i], paths.foot[j], u[:, None])
    down = paths.down[np.where(u < 0.5, i, j)]
    frames = len(clip_s) - lead
    return replace(
        paths, lead=lead, frames=frames, ankle=ankle, foot=foot, ball=ball, down=down, root=root, heading=heading
    )


def poses(paths: FootPaths, clip_s: np.ndarray) -> Pose:
    """A clip's poses (N,) at clip times (N,); paths: the clip's own."""
    i, j, u = _between(paths, clip_s)
    if not u.any():
        return paths.pose.at(i)
    pos = None if paths.pose.pos is None else _line(paths.pose.pos, i, j, u)
    turns = rotation.slerp(paths.pose.rot[i], paths.pose.rot[j], u[:, None])
    return Pose(_line(paths.pose.root_pos, i, j, u), turns, pos)


def _between(paths: FootPaths, clip_s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Frames before and after each time, and how far between them it is."""
    x = np.clip(paths.lead + clip_s * paths.fps, 0.0, len(paths.down) - 1.0)
    whole = np.round(x)
    x = np.where(np.abs(x - whole) < 1e-6, whole, x)  # frames of the clip stay what they are
    i = x.astype(int)
    return i, np.minimum(i + 1, len(paths.down) - 1), x - i


def _line(values: np.ndarray, i: np.ndarray, j: np.ndarray, u: np.ndarray) -> np.ndarray:
    a, b = values[i], values[j]
    return a + u.reshape(-1, *[1] * (values.ndim - 1)) * (b - a)
