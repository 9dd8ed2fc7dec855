"""The MOTION part of a BVH file: its two header lines, its rows, and what may be wrong with them.

Two engines read rows and stop at the first line that is not a clean row: numpy (nothing to import or compile) and the
compiled scanner of footfall.io.bvh_scan. What that line is (a cut row, text, a bad number) is judged here, once, so
both engines complain alike.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from decimal import Decimal, DecimalException, localcontext
from io import BytesIO
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Inferred
from footfall.io.bvh_hierarchy import Joint
from footfall.io.raw import Reading
from footfall.io.text import LARGEST, NUMBER, cure_for, integer, number, shown

COMMON_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 75.0, 90.0, 100.0, 120.0, 240.0,
                24000 / 1001, 30000 / 1001, 60000 / 1001)  # fmt: skip
MAX_POSES = 100_000_000  # frames x joints; a pose of one joint takes 32 bytes
PIECE = 1 << 20  # bytes whose lines are counted at a time: a copy of all would double the memory
WRAP_BYTES = 64 << 20  # the second try, for wrapped rows, splits all of the text: not for the largest files

Text = bytes | memoryview
LINE_END = re.compile(rb"[\r\n]")
HALF_NUMBER = re.compile(r"[+-]?\.?|[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?")  # the start of one, as a cut leaves it

# Text from which the compiled scanner is used. Measured: numpy 0.2 us a number of 9 bytes, compiled 0.008 us on two
# cores; importing numba 0.4 s and loading the cached kernels 0.6 s. A single file pays from 5 million numbers on; the
# line is drawn lower because whoever has files this large reads them more than once, and the wait is a second at most.
# The choice looks at nothing but the file: the engines differ in the last bit, and results must not depend on history.
COMPILED_FROM = 4 << 20  # bytes


class Header(NamedTuple):
    frames: int
    frames_line: int
    fps: float
    inferred: Inferred
    start: int  # offset of the first row


class Layout(NamedTuple):
    """Which columns of a row move and turn the joints."""

    width: int
    moves: np.ndarray  # (P,) columns of the position channels
    turns: np.ndarray  # (J, 3) columns of the rotations in the order they apply, padded with `width`
    axes: np.ndarray  # (J, 3) their axes, always a permutation of 0 1 2 (a padded turn is by 0)


class Rows(NamedTuple):
    moves: np.ndarray  # (T, P) values of the position channels
    rot: np.ndarray  # (T, J, 4)
    stop: int  # offset of the first line that is not a clean row; the end if all are
    least: float | None = None  # product of a joint's rotations in consecutive rows, where it is known


def layout_of(joints: Sequence[Joint], width: int) -> Layout:
    moves = [c.column for j in joints for c in j.channels or () if not c.turns]
    turns, axes = [], []
    for joint in joints:
        used = [c for c in joint.channels or () if c.turns]
        order = [c.axis for c in used]
        turns.append([c.column for c in used] + [width] * (3 - len(used)))
        axes.append(order + [a for a in range(3) if a not in order])
    return Layout(width, np.array(moves, np.int64), np.array(turns, np.int64), np.array(axes, np.int64))


# --- header ---------------------------------------------------------------------------------------------------------
def read_header(reading: Reading, data: Text, at: int, end: int) -> Header:
    """`Frames:` and `Frame Time:` after MOTION, in either order."""
    line = line_at(data, at)
    found: dict[str, tuple[int, str]] = {}
    while len(found) < 2:
        while at < end and data[at] in b" \t\r\n":
            line += data[at] == 10 or (data[at] == 13 and data[at + 1 : at + 2] != b"\n")
            at += 1
        text = line_text(data, at)
        match = re.match(r"(frames|frame\s*time)\s*:?\s*(\S*)\s*$", text, re.IGNORECASE)
        kind = match[1].lower()[:6].strip() if match else ""  # "frames" or "frame"
        if match is None or kind in found:
            missing = "'Frames: <number>'" if "frames" not in found else "'Frame Time: <seconds>'"
            raise reading.fail(line, missing, shown(text.strip()) if at < end else "the end of the file")
        found[kind] = line, match[2]
        at += len(text.encode("latin-1"))
    frames_line, count = found["frames"]
    frames = integer(reading, frames_line, count, "a whole number of Frames")
    if frames < 0:
        raise reading.fail(frames_line, "Frames of 0 or more", str(frames))
    fps, inferred = _frame_rate(reading, *found["frame"])
    start = min(end, at + 2 if data[at : at + 2] == b"\r\n" else at + 1)
    return Header(frames, frames_line, fps, inferred, start)


def _frame_rate(reading: Reading, line: int, text: str) -> tuple[float, Inferred]:
    given = reading.options.fps
    if given is not None:
        return given, Inferred(given, "given by the caller", 1.0)
    seconds = number(reading, line, text, "Frame Time in seconds")
    if not 1e-6 <= seconds <= 1e6:
        raise reading.fail(line, "Frame Time above 0 seconds", shown(text), "or give the frame rate: fps=…")
    fps = _inverse(text)
    nearest = min(COMMON_RATES, key=lambda rate: abs(rate - fps))
    off = abs(nearest / fps - 1.0)
    digits = len(re.sub(r"[eE].*|[^0-9]", "", text).lstrip("0"))
    # 15 digits and more are meant as they are, unless float32 rounding alone explains the difference
    if off <= (2e-7 if digits >= 15 else 1e-3):
        how = f"Frame Time {text} s is {fps:.7g} fps, the nearest common rate"
        return nearest, Inferred(nearest, how, 1.0 if off < 1e-6 else 0.95)
    return fps, Inferred(fps, f"Frame Time {text} s", 1.0)


def _inverse(text: str) -> float:
    """1 / text, rounded once: what a writer with enough digits put in comes out bit for bit."""
    try:
        with localcontext() as context:
            context.prec = 34
            return float(1 / Decimal(text))
    except (DecimalException, ValueError):
        return 1.0 / float(text)


# --- rows -----------------------------------------------------------------------------------------------------------
def read_rows(reading: Reading, data: Text, end: int, header: Header, layout: Layout) -> Rows:
    """Every clean row; what is not one is judged, survived with a warning or refused."""
    rows = _scan(reading, data, header.start, end, layout)
    explained = False
    if rows.stop < end:
        wrapped = _unwrapped(reading, data, rows.stop, end, header, layout.width)
        if wrapped is not None:
            reading.warn(line_at(data, rows.stop), f"rows of {layout.width} values are broken over lines; joined")
            rows = _scan(reading, wrapped, 0, len(wrapped), layout)
        else:
            explained = _judge(reading, data, rows, end, header.frames, layout.width)
    count = len(rows.rot)
    if count == 0:
        reading.warn(header.frames_line, "no frames: the file holds only a skeleton")
    elif count != header.frames and not (explained and count + 1 == header.frames):
        reading.warn(header.frames_line, f"Frames: {header.frames}, but {count} rows follow; kept {count}")
    return rows


def stream_rows(file: int, end: int, header: Header, layout: Layout) -> Rows | None:
    """The rows of an open file, none of it in memory yet; None unless it holds as many clean ones as it declares."""
    most = (end - header.start + 1) // (2 * layout.width)
    if not 0 < header.frames <= most or header.frames * len(layout.turns) > MAX_POSES:
        return None
    from footfall.io import bvh_scan as scan

    found = scan.scan_file(file, header.start, end, header.frames, *layout)
    return None if found is None else Rows(*found)


def _scan(reading: Reading, data: Text, start: int, end: int, layout: Layout) -> Rows:
    # a value takes at least two bytes of text, so the bytes at hand bound every array, whatever the file declares
    most = (end - start + 1) // (2 * layout.width)
    if most * len(layout.turns) > MAX_POSES and _lines(data, start, end) * len(layout.turns) > MAX_POSES:
        raise reading.fail("", f"at most {MAX_POSES} joint poses", "more rows than that allows")
    if end - start >= COMPILED_FROM:
        from footfall.io import bvh_scan as scan

        return Rows(*scan.scan_poses(data, start, end, *layout))
    return scan_plain(data, start, end, layout)


def scan_plain(data: Text, start: int, end: int, layout: Layout) -> Rows:
    """The same as footfall.io.bvh_scan.scan_poses, in numpy: its oracle, and the engine for ordinary files."""
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


# --- what is not a row ----------------------------------------------------------------------------------------------
def _judge(reading: Reading, data: Text, rows: Rows, end: int, declared: int, width: int) -> bool:
    """Survive the first unclean line with a warning, or raise; True when it was a row cut short."""
    line, text = line_at(data, rows.stop), line_text(data, rows.stop)
    words = re.findall(r"[^ \t]+", text)
    bad = next((i for i, word in enumerate(words) if not NUMBER.fullmatch(word)), len(words))
    last = not bytes(data[rows.stop + len(text) : end]).strip()
    half_word = bad == len(words) - 1 <= width - 1 and HALF_NUMBER.fullmatch(words[bad]) is not None
    if last and len(rows.rot) and (half_word or bad == len(words) < width):
        reading.warn(line, f"the last row is cut after {bad} of {width} values; dropped")
        return True
    if len(rows.rot) >= declared:
        reading.warn(line, f"text after the last row ignored: {shown(' '.join(words))}")
        return False
    raise _bad_row(reading, data, rows.stop, width)


def _bad_row(reading: Reading, data: Text, stop: int, width: int) -> Exception:
    line = line_at(data, stop)
    words = re.findall(r"[^ \t]+", line_text(data, stop))
    for i, word in enumerate(words, 1):
        if not NUMBER.fullmatch(word):
            return reading.fail(line, f"a number as value {i} of the row", shown(word), cure_for(word))
        if not abs(float(word)) < LARGEST:
            return reading.fail(line, f"a number below {LARGEST:g} as value {i} of the row", shown(word))
    return reading.fail(line, f"{width} values in the row", str(len(words)))


def _unwrapped(reading: Reading, data: Text, stop: int, end: int, header: Header, width: int) -> bytes | None:
    """Rows broken over several lines put back together, or None where that would be a guess.

    The numbers must come to the declared count, and the breaks must be regular: every row starts on a new line, or
    every line but the last holds equally many numbers. A row with one value too many never slides into the next.
    """
    if end - header.start > WRAP_BYTES or len(line_text(data, stop).split()) == width:
        return None
    lines = bytes(data[header.start : end]).splitlines(keepends=True)
    words = [re.findall(rb"[^ \t\r\n]+", line) for line in lines]
    counts = np.array([len(w) for w in words if w])
    if counts.sum() != header.frames * width:
        return None
    rows_start_lines = np.isin(np.arange(1, header.frames + 1) * width, np.cumsum(counts)).all()
    # as many lines as frames are rows that went wrong, not rows that were broken
    equal_lines = len(counts) != header.frames and (counts[:-1] == counts[0]).all() and counts[-1] <= counts[0]
    if not (rows_start_lines or equal_lines):
        return None
    at = header.start
    for line, numbers in zip(lines, words, strict=True):
        if not all(NUMBER.fullmatch(w.decode("latin-1")) and abs(float(w)) < LARGEST for w in numbers):
            raise _bad_row(reading, data, at, width)
        at += len(line)
    flat = [word for numbers in words for word in numbers]
    return b"".join(b" ".join(flat[i : i + width]) + b"\n" for i in range(0, len(flat), width))


# --- places ---------------------------------------------------------------------------------------------------------
def line_at(data: Text, offset: int) -> int:
    """Line number (from 1) of a byte offset; LF, CRLF and CR each end one line."""
    return _lines(data, 0, offset) + 1


def _lines(data: Text, start: int, end: int) -> int:
    count = 0
    for at in range(start, end, PIECE):
        piece = bytes(data[at : min(at + PIECE, end)])
        split = piece.endswith(b"\r") and at + PIECE < end and data[at + PIECE] == 10  # a CRLF across the pieces
        count += piece.count(b"\n") + piece.count(b"\r") - piece.count(b"\r\n") - split
    return count


def line_text(data: Text, offset: int) -> str:
    """From an offset to the end of its line, one character a byte."""
    found = LINE_END.search(data, offset)
    return bytes(data[offset : found.start() if found else len(data)]).decode("latin-1")
