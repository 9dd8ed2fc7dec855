"""Streams: a clip's poses and feet at the moments a clock asks for, a little beyond its ends too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from footfall.core.kernels import kernel, read_only
from footfall.core.once import once
from footfall.core.pose import Pose
from footfall.core.rotation_kernels import put, quaternion, slerp
from footfall.feet.foot_paths import FootPaths
from footfall.kinematics.pose_blend import line_of, of_line

ON_FRAME = 1e-6  # frames: a moment this near to a frame of the clip is that frame, bit for bit


def played(paths: FootPaths, clip_s: np.ndarray, lead: int) -> FootPaths:
    """Paths (N,) at clip times (N,), one an output frame; `lead` of them lie before the join. Their poses are still the
    clip's own frames: few of them are asked for, by `poses`."""
    line, foot, near = _sampled(paths, clip_s, _side_by_side(paths), paths.foot)
    ankle, ball = line[:, :6].reshape(-1, 2, 3), line[:, 6:12].reshape(-1, 2, 3)
    return replace(
        paths,
        lead=lead,
        frames=len(clip_s) - lead,
        ankle=ankle,
        foot=foot,
        ball=ball,
        down=paths.down[near],
        root=line[:, 12:15],
        heading=line[:, 15],
    )


def poses(paths: FootPaths, clip_s: np.ndarray) -> Pose:
    """A clip's poses (N,) at clip times (N,); paths: the clip's own."""
    line, rot, _ = _sampled(paths, clip_s, _pose_line(paths), paths.pose.rot)
    return of_line(line, rot)


def _sampled(
    paths: FootPaths, clip_s: np.ndarray, line: np.ndarray, turns: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """line (T, C) and turns (T, K, 4) at clip times (N,), and the nearest frames (N,)."""
    count = len(clip_s)
    out = np.empty((count, line.shape[1])), np.empty((count, *turns.shape[1:])), np.empty(count, np.int64)
    sample(read_only(clip_s), paths.lead, float(paths.fps), line, read_only(turns), *out)
    return out


@once
def _side_by_side(paths: FootPaths) -> np.ndarray:
    """(T, 16) ankles, balls, root and heading side by side."""
    parts = (paths.ankle, paths.ball, paths.root, paths.heading)
    return read_only(np.concatenate([a.reshape(len(a), -1) for a in parts], axis=1))


@once
def _pose_line(paths: FootPaths) -> np.ndarray:
    return line_of(paths.pose)


@kernel
def sample(clip_s: Any, lead: int, fps: float, line: Any, turns: Any, out: Any, turns_out: Any, near: Any) -> None:
    """line (T, C) and rotations turns (T, K, 4) at clip times (N,), into out and turns_out; near (N,) takes the nearest
    frames. The clip begins at frame lead."""
    last = len(line) - 1
    for n in range(len(clip_s)):
        x = min(max(lead + clip_s[n] * fps, 0.0), float(last))
        whole = np.rint(x)
        x = whole if abs(x - whole) < ON_FRAME else x
        i = int(x)
        j, u = min(i + 1, last), x - i
        near[n] = i if u < 0.5 else j
        for c in range(line.shape[1]):
            out[n, c] = line[i, c] + u * (line[j, c] - line[i, c])
        for k in range(turns.shape[1]):
            put(turns_out[n, k], slerp(quaternion(turns[i, k]), quaternion(turns[j, k]), u))
