"""The MOTION part of a BVH file: its two header lines, its rows, and what may be wrong with them.

Two engines read rows and stop at the first line that is not a clean row: numpy, in footfall.io.bvh_rows (nothing to
import or compile), and the compiled scanner of footfall.io.bvh_scan. The size of the file decides between them. What
the line is (a cut row, text, a bad number) is judged here, once, so both engines complain alike.
"""

from __future__ import annotations

import re
from decimal import Decimal, DecimalException, localcontext
from typing import NamedTuple

import numpy as np

from footfall.core.clip import LEAST_FPS, MOST_FPS, Inferred
from footfall.core.kernels import is_compiled
from footfall.io.bvh_rows import RowLayout, Rows, Text, scan_plain
from footfall.io.raw import Reading
from footfall.io.text import LARGEST, NUMBER, cure_for, integer, number, shown

COMMON_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 75.0, 90.0, 100.0, 120.0, 240.0,
                24000 / 1001, 30000 / 1001, 60000 / 1001)  # fmt: skip
MAX_POSES = 100_000_000  # frames x joints; a pose of one joint takes 32 bytes
PIECE = 1 << 20  # bytes whose lines are counted at a time: a copy of all would double the memory
WRAP_BYTES = 64 << 20  # the second try, for wrapped rows, splits all of the text: not for the largest files

LINE_END = re.compile(rb"[\r\n]")
HEADER_LINE = re.compile(r"(frames|frame\s*time)\s*(?::\s*)?((?:[^\s:]\S*)?)", re.IGNORECASE)
# The start of a number, as a cut leaves it.
HALF_NUMBER = re.compile(r"[+-]?\.?|[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][+-]?")

# Size from which the compiled scanner reads a file. Measured: numpy 0.2 us a number of 9 bytes, compiled 0.008 us on 2
# cores; importing numba 0.4 s and loading the cached kernels 0.6 s. A single file pays from 5 million numbers on; the
# line is drawn lower because whoever has files this large reads them more than once, and the wait is a second at most.
# The choice looks at nothing but the file: the engines differ in the last bit of a rotation, and results must not
# depend on what was loaded before.
COMPILED_FROM = 4 << 20  # bytes of a file


class MotionHeader(NamedTuple):
    """The lines between MOTION and the first row."""

    frames: int
    frames_line: int
    fps: float
    inferred: Inferred
    start: int  # offset of the first row


# --- header ---------------------------------------------------------------------------------------------------------
def read_header(reading: Reading, data: Text, at: int, end: int) -> MotionHeader:
    """`Frames:` and `Frame Time:` after MOTION, in either order."""
    line = line_at(data, at)
    found: dict[str, tuple[int, str]] = {}
    while len(found) < 2:
        while at < end and data[at] in b" \t\r\n":
            line += data[at] == 10 or (data[at] == 13 and data[at + 1 : at + 2] != b"\n")
            at += 1
        text = line_text(data, at)
        match = HEADER_LINE.fullmatch(text.strip())
        kind = "frames" if match and match[1].lower() == "frames" else "frame"  # time, with or without a space
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
    return MotionHeader(frames, frames_line, fps, inferred, start)


def _frame_rate(reading: Reading, line: int, text: str) -> tuple[float, Inferred]:
    given = reading.options.fps
    if given is not None:
        return given, Inferred(given, "given by the caller", 1.0)
    seconds = number(reading, line, text, "Frame Time in seconds")
    if not 1.0 / MOST_FPS <= seconds <= 1.0 / LEAST_FPS:
        found = f"Frame Time above 0 seconds, up to {1.0 / LEAST_FPS:g}"
        raise reading.fail(line, found, shown(text), "or give the frame rate: fps=…")
    fps = _inverse(text)
    nearest = min(COMMON_RATES, key=lambda rate: abs(rate - fps))
    off = abs(nearest / fps - 1.0)
    digits = len(re.sub(r"[eE].*|[^0-9]", "", text).lstrip("0"))
    # 15 digits and more are meant as they are, unless float32 rounding alone explains the difference
    if off <= (2e-7 if digits >= 15 else 1e-3):
        how = f"Frame Time {shown(text)[1:-1]} s is {fps:.7g} fps, the nearest common rate"
        return nearest, Inferred(nearest, how, 1.0 if off < 1e-6 else 0.95)
    return fps, Inferred(fps, f"Frame Time {shown(text)[1:-1]} s", 1.0)


def _inverse(text: str) -> float:
    """1 / text, rounded once: what a writer with enough digits put in comes out bit for bit."""
    try:
        with localcontext() as context:
            context.prec = 34
            return float(1 / Decimal(text))
    except (DecimalException, ValueError):
        return 1.0 / float(text)


# --- rows -----------------------------------------------------------------------------------------------------------
def read_rows(reading: Reading, data: Text, end: int, header: MotionHeader, layout: RowLayout) -> Rows:
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


def is_large(reading: Reading) -> bool:
    """Whether the compiled scanner reads the file, also after a second look at what is wrong with it."""
    return is_compiled() and reading.path.stat().st_size >= COMPILED_FROM


def stream_rows(file: int, end: int, header: MotionHeader, layout: RowLayout) -> Rows | None:
    """The rows of an open file, none of it in memory yet; None unless it holds as many clean ones as it declares."""
    most = (end - header.start + 1) // (2 * layout.width)
    if not 0 < header.frames <= most or header.frames * len(layout.turns) > MAX_POSES:
        return None
    from footfall.io import bvh_scan as scan

    return scan.scan_file(file, header.start, end, header.frames, layout)


def _scan(reading: Reading, data: Text, start: int, end: int, layout: RowLayout) -> Rows:
    # a value takes at least two bytes of text, so the bytes at hand bound every array, whatever the file declares
    most = (end - start + 1) // (2 * layout.width)
    if most * len(layout.turns) > MAX_POSES and _lines(data, start, end) * len(layout.turns) > MAX_POSES:
        raise reading.fail("", f"at most {MAX_POSES} joint poses", "more rows than that allows")
    if is_large(reading):
        from footfall.io import bvh_scan as scan

        return scan.scan_poses(data, start, end, layout)
    return scan_plain(data, start, end, layout)


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


def _unwrapped(reading: Reading, data: Text, stop: int, end: int, header: MotionHeader, width: int) -> bytes | None:
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
