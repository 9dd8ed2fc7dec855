"""Writing BVH: the zero pose is the rest pose, angles run on without jumps, and the same clip reads back."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.load import LEAST_UNIT_M, MOST_UNIT_M
from footfall.io.save import atomic_write
from footfall.io.text import LARGEST, unique_names

ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
POSITION_STEP_M = 1e-7  # last digit of a written position, metres
ANGLE_DECIMALS = 6  # degrees; over a chain of 30 joints and 2 m this moves a hand by less than 1e-6 m
STILL_M = 1e-7  # a joint whose local position stays within this needs no position channels


def write_bvh(clip: Clip, path: Path, order: str = "ZXY", unit_m: float | None = None) -> None:
    """Write a clip, Y up; the unit is the one it was read in, centimetres for clips that had none."""
    if order.upper() not in ORDERS:
        raise ParameterError(f"order must be one of {' '.join(ORDERS)}, got {order!r}")
    unit_m = _unit(clip) if unit_m is None else unit_m
    if not LEAST_UNIT_M <= unit_m <= MOST_UNIT_M:
        raise ParameterError(
            f"unit_m must be a number of metres from {LEAST_UNIT_M:g} to {MOST_UNIT_M:g}, got {unit_m}"
        )
    skeleton, pose = zero_at_rest(clip.skeleton, clip.pose)
    skeleton, moving = _settle_offsets(skeleton, pose)
    decimals = max(2, math.ceil(math.log10(unit_m / POSITION_STEP_M)))
    hierarchy, visited = _hierarchy(skeleton, moving, order.upper(), unit_m, decimals + 2)
    table = _table(pose, moving, visited, order.upper(), unit_m, decimals)
    farthest = max(np.abs(table).max(initial=0.0), np.abs(skeleton.offsets).max() / unit_m)
    if not farthest < LARGEST:
        raise ParameterError(
            f"{path.name}: numbers up to {farthest:.3g} could not be read back; give a larger unit_m than {unit_m:g}; "
            "nothing was written"
        )
    place, angle = f"%.{decimals}f", f"%.{ANGLE_DECIMALS}f"
    row = " ".join(" ".join([place] * 3 * bool(moving[j]) + [angle] * 3) for j in visited) + "\n"
    motion = ["MOTION", f"Frames: {clip.frames}", f"Frame Time: {frame_time(clip.fps)}"]

    def put(temporary: Path) -> None:
        with temporary.open("w", encoding="utf-8", newline="\n", errors="replace") as file:
            file.write("\n".join([*hierarchy, *motion]) + "\n")
            for start in range(0, len(table), 1000):
                file.writelines(row % tuple(values) for values in table[start : start + 1000].tolist())

    atomic_write(path, put)


def zero_at_rest(skeleton: Skeleton, pose: Pose) -> tuple[Skeleton, Pose]:
    """The same body and motion with frames chosen so that zero rotations give the rest pose.

    With R the world rotations of the rest pose: q' = R_parent q R^-1, offset' = R_parent offset; no joint moves.
    """
    if np.allclose(skeleton.rest, rotation.IDENTITY, rtol=0, atol=1e-12):
        return skeleton, pose
    turn = skeleton.rest_world[1]  # (J, 4)
    parent = turn[skeleton.parents]
    parent[0] = rotation.IDENTITY
    rot = rotation.multiply(rotation.multiply(parent, pose.rot), rotation.conjugate(turn))
    pos = None if pose.pos is None else rotation.rotate(parent, pose.pos)
    ends = rotation.rotate(turn[skeleton.end_parents], skeleton.end_offsets)
    settled = replace(skeleton, offsets=rotation.rotate(parent, skeleton.offsets), rest=None, end_offsets=ends)  # type: ignore[arg-type]
    return settled, Pose(pose.root_pos, rot, pos)


def continuous_euler(q: np.ndarray, order: str) -> np.ndarray:
    """Angles (T, J, 3) in radians of q (T, J, 4), each nearest to the frame before.

    A rotation has two sets of angles, (a, b, c) and (a + pi, pi - b, c + pi), each with whole turns. Which set
    follows the last frame's with less change does not depend on which one that frame took, so all choices come from
    one cumulative sum.
    """
    angles = rotation.to_euler(q, order)
    if len(q) < 2:
        return angles
    angles = _through_gimbal_lock(angles, order)
    step = np.diff(angles, axis=0)
    other = np.stack(
        [step[..., 0] + np.pi, np.pi - angles[1:, :, 1] - angles[:-1, :, 1], step[..., 2] + np.pi], axis=-1
    )
    switch = (_wrapped(other) ** 2).sum(axis=-1) < (_wrapped(step) ** 2).sum(axis=-1)
    second = np.zeros(q.shape[:2], bool)
    second[1:] = np.cumsum(switch, axis=0) % 2 == 1
    flipped = np.stack([angles[..., 0] + np.pi, np.pi - angles[..., 1], angles[..., 2] + np.pi], axis=-1)
    return np.unwrap(np.where(second[..., None], flipped, angles), axis=0)


def _through_gimbal_lock(angles: np.ndarray, order: str) -> np.ndarray:
    """Where only a + c or a - c is defined, keep c as it was in the frame before."""
    locked = np.abs(np.abs(angles[..., 1]) - 0.5 * np.pi) < 1e-9
    if not locked.any():
        return angles
    frame = np.where(locked, 0, np.arange(len(angles))[:, None])
    last_free = np.maximum.accumulate(frame, axis=0)  # frame 0 itself where none was free yet
    c = np.take_along_axis(angles[..., 2], last_free, axis=0)
    i, j = "XYZ".index(order[0]), "XYZ".index(order[1])
    sense = np.where((j - i) % 3 == 1, 1.0, -1.0) * np.sign(angles[..., 1])
    a = np.where(locked, angles[..., 0] - sense * c, angles[..., 0])
    return np.stack([a, angles[..., 1], np.where(locked, c, angles[..., 2])], axis=-1)


def _wrapped(angle: np.ndarray) -> np.ndarray:
    return angle - 2.0 * np.pi * np.round(angle / (2.0 * np.pi))


def frame_time(fps: float) -> str:
    """Seconds a frame with so many digits that a reader finds the same fps bit for bit."""
    with localcontext() as context:
        context.prec = 34
        return f"{1 / Decimal(fps):.24f}"


def _unit(clip: Clip) -> float:
    source = clip.source
    return source.unit_m if source.format == "bvh" or source.unit_m != 1.0 else 0.01


def _settle_offsets(skeleton: Skeleton, pose: Pose) -> tuple[Skeleton, np.ndarray]:
    """Local positions that never change become offsets; also which joints (J,) do need position channels."""
    moving = np.zeros(len(skeleton), bool)
    moving[0] = True
    if pose.pos is None or not len(pose.pos):
        return skeleton, moving
    moving |= (np.ptp(pose.pos, axis=0) > STILL_M).any(axis=-1)
    offsets = np.where(moving[:, None], skeleton.offsets, pose.pos[0])
    return replace(skeleton, offsets=offsets), moving


def _table(pose: Pose, moving: np.ndarray, visited: list[int], order: str, unit_m: float, decimals: int) -> np.ndarray:
    """The file's rows (T, width), rounded to what is written (so that no -0.000 appears)."""
    degrees = np.degrees(continuous_euler(pose.rot, order))
    parts = []
    for j in visited:
        if moving[j]:
            place = pose.root_pos if j == 0 or pose.pos is None else pose.pos[:, j]
            parts.append(np.round(place / unit_m, decimals))
        parts.append(np.round(degrees[:, j], ANGLE_DECIMALS))
    return np.concatenate(parts, axis=-1) + 0.0


def _hierarchy(
    skeleton: Skeleton, moving: np.ndarray, order: str, unit_m: float, decimals: int
) -> tuple[list[str], list[int]]:
    """Lines of the HIERARCHY part, and the joints in the order it visits them (columns follow that order)."""
    turns = " ".join(f"{axis}rotation" for axis in order)
    children: list[list[int]] = [[] for _ in skeleton.names]
    for j, parent in enumerate(skeleton.parents[1:], 1):
        children[parent].append(j)
    ends: list[list[np.ndarray]] = [[] for _ in skeleton.names]
    for j, offset in zip(skeleton.end_parents, skeleton.end_offsets, strict=True):
        ends[j].append(offset)
    names = file_names(skeleton.names)
    lines, visited = ["HIERARCHY"], []
    stack: list[tuple[int, int, bool]] = [(0, 0, False)]  # joint, depth, already open
    while stack:
        j, depth, is_open = stack.pop()
        tab = "\t" * min(depth, 40)  # a chain of thousands would otherwise be mostly tabs
        if is_open:
            lines.append(tab + "}")
            continue
        visited.append(j)
        places = "6 Xposition Yposition Zposition" if moving[j] else "3"
        lines += [f"{tab}{'JOINT' if depth else 'ROOT'} {names[j]}", tab + "{"]
        lines.append(f"{tab}\tOFFSET {_vector(skeleton.offsets[j] / unit_m, decimals)}")
        lines.append(f"{tab}\tCHANNELS {places} {turns}")
        if not ends[j] and not children[j]:
            ends[j].append(np.zeros(3))  # the grammar, and stricter readers, want one at every leaf
        for end in ends[j]:
            lines += [f"{tab}\tEnd Site", f"{tab}\t{{", f"{tab}\t\tOFFSET {_vector(end / unit_m, decimals)}"]
            lines.append(f"{tab}\t}}")
        stack.append((j, depth, True))
        stack += [(child, depth + 1, False) for child in reversed(children[j])]
    return lines, visited


def _vector(v: np.ndarray, decimals: int) -> str:
    return " ".join(f"{x:.{decimals}f}" for x in np.round(v, decimals) + 0.0)


def file_names(names: tuple[str, ...]) -> list[str]:
    """Names that come back as they are: spaces stay, what would break a line or a brace does not, none twice."""
    plain = ("".join(c if c.isprintable() else "_" for c in n).strip() for n in names)
    return unique_names([" ".join(n.replace("{", "(").replace("}", ")").split()) or "joint" for n in plain])
