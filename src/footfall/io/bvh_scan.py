"""Reading motion rows on all cores: text in memory, or a file that is read and scanned piece by piece.

Importing this module imports numba: footfall.io.bvh_motion does so only for files large enough to pay for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Lock, local
from typing import NamedTuple

import numpy as np

from footfall.io import bvh_scan_kernels as kernels
from footfall.io.bvh_rows import RowLayout, Rows, Text
from footfall.io.bvh_scan_kernels import MARGIN, ROWS, BlockPlan

CHUNK = 1 << 19  # bytes to scan at a time: they and their rows stay in the second-level cache
SPARE = 64  # blank lines that a file of known length may have


class TextPiece(NamedTuple):
    """Some lines of a text."""

    text: np.ndarray  # of bytes
    start: int  # offset of its first byte there
    end: int  # offset of the line end that closes it
    offset: int  # what to add for offsets in the whole text
    row: int  # number of its first line
    lines: int


NextPiece = Callable[[], TextPiece | None]


class PieceRows(NamedTuple):
    """What a piece held, in the order of rows."""

    row: int
    rows: int
    stop: int  # offset in the whole text of its first line that is not a clean row, or its end
    end: int
    least: float  # product of a joint's quaternions in consecutive rows


def scan_poses(data: Text, start: int, end: int, layout: RowLayout) -> Rows:
    """The rows of data[start:end], which is not copied if a line end and a margin follow the text."""
    if len(data) < end + MARGIN or data[end] not in b"\r\n":
        data = bytes(data[:end]) + b"\n" * MARGIN
    text = np.frombuffer(data, np.uint8)
    text.flags.writeable = False  # one type, whatever the data is, so that kernels are compiled once
    pieces, row = [], 0
    for a, b in _spans(text, start, end):
        lines = int(kernels.count_lines(text, a, b))
        pieces.append(TextPiece(text, a, b, 0, row, lines))
        row += lines
    values, rot = np.empty((row, len(layout.moves))), np.empty((row, len(layout.turns), 4))
    waiting, lock = iter(pieces), Lock()

    def take() -> TextPiece | None:
        with lock:
            return next(waiting, None)

    return _joined(values, rot, _work(take, len(pieces), _block_plan(layout), values, rot))


def scan_file(file: int, start: int, end: int, rows: int, layout: RowLayout) -> Rows | None:
    """The same for a file (its descriptor) that must hold `rows` clean rows from start to end; None if it does not.

    Each thread reads a piece into a small buffer of its own and scans it there. That spares the memory for the whole
    text, whose pages cost more to get than the bytes to read, and a core that others use takes fewer pieces.
    """
    values, rot = np.empty((rows + SPARE, len(layout.moves))), np.empty((rows + SPARE, len(layout.turns), 4))
    at, row, own, lock = start, 0, local(), Lock()

    def take() -> TextPiece | None:
        nonlocal at, row
        if not hasattr(own, "buffer"):
            own.buffer = np.empty(CHUNK + MARGIN, np.uint8)
            own.text = own.buffer.view()
            own.text.flags.writeable = False
        with lock:  # while one thread reads, the others scan
            if at >= end:
                return None
            size = os.preadv(file, [memoryview(own.buffer)[: min(CHUNK, end - at)]], at)
            own.buffer[size] = ord("\n")
            last = size if at + size == end else int(kernels.last_line_end(own.text, size))
            if size == 0 or last < 0:
                return None
            lines = int(kernels.count_lines(own.text, 0, last))
            if row + lines > len(rot):
                return None
            piece = TextPiece(own.text, 0, last, at, row, lines)
            at, row = at + last + 1, row + lines
            return piece

    found = _work(take, (end - start) // CHUNK, _block_plan(layout), values, rot)
    if at < end or any(piece.stop < piece.end for piece in found) or sum(piece.rows for piece in found) != rows:
        return None
    return _joined(values, rot, found)


def _work(take: NextPiece, pieces: int, plan: BlockPlan, values: np.ndarray, rot: np.ndarray) -> list[PieceRows]:
    """Scan pieces into their rows of values and rot, on all cores, until there are no more or one is not clean."""
    found: list[PieceRows] = []
    clean = True

    def work() -> None:
        nonlocal clean
        room = kernels.block_room(len(plan.place), rot.shape[1], values.shape[1])
        try:
            while clean and (piece := take()) is not None:
                at = slice(piece.row, piece.row + piece.lines)
                rows, stop, least = kernels.scan(piece.text, piece.start, piece.end, plan, room, values[at], rot[at])
                found.append(PieceRows(piece.row, rows, piece.offset + int(stop), piece.offset + piece.end, least))
                clean = clean and stop == piece.end
        except BaseException:
            clean = False
            raise

    workers = max(1, min(os.cpu_count() or 1, 8, pieces))
    with ThreadPoolExecutor(workers) as pool:
        for job in [pool.submit(work) for _ in range(workers)]:
            job.result()
    return sorted(found)


def _spans(text: np.ndarray, start: int, end: int) -> list[tuple[int, int]]:
    """The text cut into pieces: offsets of the first byte and of the line end that closes it."""
    cuts = [start]
    for at in range(start + CHUNK, end - CHUNK // 2, CHUNK):
        after = int(kernels.next_line(text, at, end))
        if cuts[-1] < after < end:
            cuts.append(after)
    return [(a, b - 1) for a, b in pairwise([*cuts, end + 1])]


def _joined(values: np.ndarray, rot: np.ndarray, pieces: list[PieceRows]) -> Rows:
    """Pieces closed up where blank lines left gaps, with signs matched at the seams."""
    total, stop, least = 0, pieces[0].stop, 1.0
    for row, rows, stop, end, product in pieces:
        if row > total:
            values[total : total + rows] = values[row : row + rows]
            rot[total : total + rows] = rot[row : row + rows]
        if rows and total:
            products = np.einsum("jk,jk->j", rot[total], rot[total - 1])
            if products.min() < 0:
                rot[total : total + rows] *= np.where(products < 0, -1.0, 1.0)[:, None]
            least = min(least, float(np.abs(products).min()))
        least = min(least, product)
        total += rows
        if stop < end:
            break
    return Rows(values[:total], rot[:total], stop, least)


def _block_plan(layout: RowLayout) -> BlockPlan:
    """Where a block keeps its columns.

    Turns are kept by axis, (ROWS, J, 3), and moves behind them, (ROWS, P). With a, b, c the turned axes in order and
    e = +1 if they are a cyclic permutation of x, y, z and -1 if not, the product of the three turns is
    (ca cb cc - e sa sb sc, sa cb cc + e ca sb sc, ca sb cc - e sa cb sc, ca cb sc + e sa sb cc): by axis, only signs
    depend on the order.
    """
    width, moves, turns, axes = layout
    joints = len(turns)
    place, stride = np.zeros(width, np.int64), np.full(width, 3 * joints)
    place[moves], stride[moves] = 3 * joints * ROWS + np.arange(len(moves)), len(moves)
    joint, turn = np.nonzero(turns < width)
    place[turns[joint, turn]] = 3 * joint + axes[joint, turn]
    e = np.where((axes[:, 1] - axes[:, 0]) % 3 == 1, 1.0, -1.0)
    signs = np.stack([-e, e, e, e], axis=-1)
    signs[np.arange(joints), 1 + axes[:, 1]] *= -1.0
    return BlockPlan(place, stride, np.tile(signs.ravel(), ROWS))
