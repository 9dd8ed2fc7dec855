"""Streams: a clip's poses and feet at the moments a clock asks for, a little beyond its ends too."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.feet.foot_paths import FootPaths
from footfall.joins.join_compiled import rows


def played(paths: FootPaths, clip_s: np.ndarray, lead: int) -> FootPaths:
    """Paths (N,) at clip times (N,), one an output frame; `lead` of them lie before the join. Their poses are still the
    clip's own frames: few of them are asked for, by `poses`."""
    from footfall.joins.join_poses import sample_paths

    count, places = len(clip_s), _places(paths)
    out, foot, down = np.empty((count, places.shape[1])), np.empty((count, 2, 4)), np.empty((count, 2), bool)
    sample_paths(rows(clip_s), paths.lead, paths.fps, places, rows(paths.foot), paths.down, out, foot, down)
    ankle, ball = out[:, :6].reshape(-1, 2, 3), out[:, 6:12].reshape(-1, 2, 3)
    root, heading = out[:, 12:15], out[:, 15]
    return FootPaths(
        paths.skeleton,
        paths.fps,
        lead,
        count - lead,
        paths.pose,
        ankle,
        foot,
        ball,
        paths.ball_at,
        down,
        root,
        heading,
    )


_side_by_side: WeakKeyDictionary[FootPaths, np.ndarray] = WeakKeyDictionary()


def _places(paths: FootPaths) -> np.ndarray:
    """(T, 16) ankles, balls, root and heading side by side, once for all joins of a clip."""
    if paths not in _side_by_side:
        parts = (paths.ankle, paths.ball, paths.root, paths.heading)
        _side_by_side[paths] = rows(np.concatenate([a.reshape(len(a), -1) for a in parts], axis=1))
    return _side_by_side[paths]


def played_plainly(paths: FootPaths, clip_s: np.ndarray, lead: int) -> FootPaths:
    """The readable twin of the kernel that `played` calls."""
    i, j, u = _between(paths, clip_s)
    ankle, ball, root, heading = (_line(a, i, j, u) for a in (paths.ankle, paths.ball, paths.root, paths.heading))
    foot = rotation.slerp(paths.foot[i], paths.foot[j], u[:, None])
    down = paths.down[np.where(u < 0.5, i, j)]
    frames = len(clip_s) - lead
    return replace(
        paths, lead=lead, frames=frames, ankle=ankle, foot=foot, ball=ball, down=down, root=root, heading=heading
    )


def poses(paths: FootPaths, clip_s: np.ndarray) -> Pose:
    """A clip's poses (N,) at clip times (N,); paths: the clip's own."""
    if paths.pose.pos is not None:
        return poses_plainly(paths, clip_s)
    from footfall.joins.join_poses import sample_poses

    root_pos, rot = np.empty((len(clip_s), 3)), np.empty((len(clip_s), *paths.pose.rot.shape[1:]))
    given = rows(clip_s), paths.lead, paths.fps, rows(paths.pose.root_pos), rows(paths.pose.rot)
    sample_poses(*given, root_pos, rot)
    return Pose(root_pos, rot)


def poses_plainly(paths: FootPaths, clip_s: np.ndarray) -> Pose:
    """The readable twin of the kernel that `poses` calls; also for bodies whose bones slide."""
    i, j, u = _between(paths, clip_s)
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
