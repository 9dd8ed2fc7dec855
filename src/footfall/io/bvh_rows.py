"""Rows of a BVH file and how ordinary files are read: numbers by numpy, which needs nothing imported or compiled.

footfall.io.bvh_scan does the same for large files, on all cores.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from io import BytesIO
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.io.bvh_hierarchy import Joint
from footfall.io.text import LARGEST

Text = bytes | memoryview


class RowLayout(NamedTuple):
    """Which columns of a row move and turn the joints."""

    width: int
    moves: np.ndarray  # (P,) columns of the position channels
    turns: np.ndarray  # (J, 3) columns of the rotations in the order they apply, padded with `width`
    axes: np.ndarray  # (J, 3) their axes, always a permutation of 0 1 2 (a padded turn is by 0)


class Rows(NamedTuple):
    """Clean rows, as poses."""

    moves: np.ndarray  # (T, P) values of the position channels
    rot: np.ndarray  # (T, J, 4)
    stop: int  # offset of the first line that is not a clean row; the end if all are
    least: float | None = None  # product of a joint's quaternions in consecutive rows, where it is known


def layout_of(joints: Sequence[Joint], width: int) -> RowLayout:
    """The columns of these joints' channels in rows of `width` values."""
    moves = [c.column for j in joints for c in j.channels or () if not c.turns]
    turns, axes = [], []
    for joint in joints:
        used = [c for c in joint.channels or () if c.turns]
        order = [c.axis for c in used]
        turns.append([c.column for c in used] + [width] * (3 - len(used)))
        axes.append(order + [a for a in range(3) if a not in order])
    return RowLayout(width, np.array(moves, np.int64), np.array(turns, np.int64), np.array(axes, np.int64))


def scan_plain(data: Text, start: int, end: int, layout: RowLayout) -> Rows:
    """Rows of numbers from data[start:end], up to the first line that is not a clean row."""
    values, stop = _values(data, start, end, layout.width)
    rot = np.empty((len(values), len(layout.turns), 4))
    used = (layout.turns < layout.width).sum(axis=1)
    orders: dict[str, list[int]] = {}
    for j, axes in enumerate(layout.axes):
        orders.setdefault("".join("XYZ"[a] for a in axes[: used[j]]), []).append(j)
    for order, joints in orders.items():
        columns = layout.turns[joints, : len(order)]
        turn = np.radians(np.fmod(values[:, columns], 720.0))  # two turns: then the quaternion's sign is kept too
        rot[:, joints] = rotation.from_euler(turn, order)
    return Rows(values[:, layout.moves], rotation.continuous_signs(rot), stop)


def _values(data: Text, start: int, end: int, width: int) -> tuple[np.ndarray, int]:
    """Values (T, width) of the clean rows from start, and the offset of the first line that is not one."""
    body = bytes(data[start:end])
    odd = re.search(rb"[^0-9+\-.eE \t\r\n]", body)
    if odd:  # with only these characters left, float() takes exactly the numbers of text.NUMBER
        body = body[: max(body.rfind(b"\n", 0, odd.start()), body.rfind(b"\r", 0, odd.start())) + 1]
    if body.strip():
        try:
            lines = BytesIO(body.replace(b"\r", b"\n") if b"\r" in body else body)
            table = np.loadtxt(lines, comments=None, ndmin=2)
            if table.shape[1] == width and (np.abs(table) < LARGEST).all():
                return table, start + len(body) if odd else end
        except ValueError:
            pass
    kept = array("d")
    at = 0
    for line in body.splitlines(keepends=True):
        words = line.split()
        try:
            row = [float(word) for word in words]
        except ValueError:
            break
        if row and (len(row) != width or not all(abs(x) < LARGEST for x in row)):
            break
        kept.extend(row)
        at += len(line)
    else:
        at = len(body) if odd else end - start
    return np.array(kept).reshape(-1, width), start + at
