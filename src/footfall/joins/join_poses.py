"""Compiled sampling and blending of two clips in a join.

The readable twins, used as oracles, are `timeline.streams` and `kinematics.pose_blend`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import kernel, part
from footfall.core.rotation_kernels import (
    conjugate,
    multiply,
    put,
    quaternion,
    rotate,
    settle_signs,
    share,
    slerp,
    unit,
)


@part
def copy(source: Any, to: Any) -> None:
    """Rotations (J, 4)."""
    for j in range(len(source)):
        for c in range(4):
            to[j, c] = source[j, c]


@part
def cell(clip_s: float, lead: int, fps: float, count: int) -> Any:
    """The frame before a clip time and how far beyond it that is; frames of the clip stay what they are."""
    x = min(max(lead + clip_s * fps, 0.0), count - 1.0)
    whole = np.rint(x)
    x = whole if abs(x - whole) < 1e-6 else x
    i = int(x)
    return i, min(i + 1, count - 1), x - i


@kernel
def sample_paths(
    clip_s: Any, lead: int, fps: float, places: Any, feet: Any, down: Any, out: Any, feet_out: Any, down_out: Any
) -> None:
    """Feet at clip times (N,): places (T, C) in a line, rotations feet (T, 2, 4), which are down (T, 2)."""
    for n in range(len(clip_s)):
        i, j, u = cell(clip_s[n], lead, fps, len(places))
        for c in range(places.shape[1]):
            out[n, c] = places[i, c] + u * (places[j, c] - places[i, c])
        near = i if u < 0.5 else j
        for side in range(2):
            put(feet_out[n, side], slerp(quaternion(feet[i, side]), quaternion(feet[j, side]), u))
            down_out[n, side] = down[near, side]


@kernel
def sample_poses(clip_s: Any, lead: int, fps: float, root: Any, rot: Any, root_out: Any, rot_out: Any) -> None:
    """Poses at clip times (N,) of root (T, 3), rot (T, J, 4)."""
    for n in range(len(clip_s)):
        i, j, u = cell(clip_s[n], lead, fps, len(root))
        for c in range(3):
            root_out[n, c] = root[i, c] + u * (root[j, c] - root[i, c])
        if u == 0.0:
            copy(rot[i], rot_out[n])
            continue
        for k in range(rot.shape[1]):
            put(rot_out[n, k], slerp(quaternion(rot[i, k]), quaternion(rot[j, k]), u))


@kernel
def blend(root_a: Any, rot_a: Any, root_b: Any, rot_b: Any, weight: Any, root: Any, rot: Any) -> None:
    """kinematics.pose_blend of poses (K,) and (K,) by weight (K,) into root (K, 3), rot (K, J, 4)."""
    count, joints = rot_a.shape[:2]
    way, tilt = np.empty((count, 4)), np.empty((count, 4))
    for k in range(count):
        for c in range(3):
            mixed = root_a[k, c] + weight[k] * (root_b[k, c] - root_a[k, c])
            root[k, c] = root_b[k, c] if weight[k] == 1.0 else mixed
        whole = multiply(quaternion(rot_b[k, 0]), conjugate(quaternion(rot_a[k, 0])))
        n = np.sqrt(whole[0] * whole[0] + whole[2] * whole[2])
        upright = (1.0, 0.0, 0.0, 0.0) if n < 1e-12 else (whole[0] / n, 0.0, whole[2] / n, 0.0)
        put(way[k], upright)
        put(tilt[k], multiply(whole, conjugate(upright)))
    settle_signs(way)
    settle_signs(tilt)
    for k in range(count):
        turned = multiply(share(quaternion(way[k]), weight[k]), quaternion(rot_a[k, 0]))
        put(rot[k, 0], unit(multiply(share(quaternion(tilt[k]), weight[k]), turned)))
    for j in range(1, joints):
        for k in range(count):
            put(way[k], multiply(conjugate(quaternion(rot_a[k, j])), quaternion(rot_b[k, j])))
        settle_signs(way)
        for k in range(count):
            put(rot[k, j], unit(multiply(quaternion(rot_a[k, j]), share(quaternion(way[k]), weight[k]))))
    for k in range(count):
        if weight[k] == 0.0:
            copy(rot_a[k], rot[k])
        elif weight[k] == 1.0:
            copy(rot_b[k], rot[k])


@kernel
def continue_signs(rot: Any) -> None:
    """rotation.continuous_signs of poses (K, J, 4) over time, in place."""
    for k in range(1, len(rot)):
        for j in range(rot.shape[1]):
            a, b = rot[k - 1, j], rot[k, j]
            if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0:
                put(b, (-b[0], -b[1], -b[2], -b[3]))


@kernel
def place_poses(cosine: float, sine: float, shift: Any, root: Any, rot: Any, root_out: Any, rot_out: Any) -> None:
    """Poses (K,) turned about the vertical, by an angle whose half has this cosine and sine, and shifted;
    FloorTransform.pose is the twin."""
    turn = (cosine, 0.0, sine, 0.0)
    for k in range(len(root)):
        at = rotate(turn, (root[k, 0], root[k, 1], root[k, 2]))
        for c in range(3):
            root_out[k, c] = at[c] + shift[c]
        copy(rot[k], rot_out[k])
        put(rot_out[k, 0], multiply(turn, quaternion(rot[k, 0])))


@kernel
def place_strips(bounds: Any, floors: Any, root: Any, rot: Any) -> None:
    """Poses (T,) in place: strip s, from frame bounds[s] to bounds[s + 1], turned and shifted by floors (S, 5), cosine
    and sine of half the turn and the shift; signs go on from strip to strip. assembly.together_plainly is the twin."""
    for s in range(len(floors)):
        first, end = bounds[s], bounds[s + 1]
        turn = (floors[s, 0], 0.0, floors[s, 1], 0.0)
        for k in range(first, end):
            at = rotate(turn, (root[k, 0], root[k, 1], root[k, 2]))
            for c in range(3):
                root[k, c] = at[c] + floors[s, 2 + c]
            put(rot[k, 0], multiply(turn, quaternion(rot[k, 0])))
        if first == 0 or end == first:
            continue
        for j in range(rot.shape[1]):
            a, b = rot[first - 1, j], rot[first, j]
            if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0:
                for k in range(first, end):
                    for c in range(4):
                        rot[k, j, c] = -rot[k, j, c]
