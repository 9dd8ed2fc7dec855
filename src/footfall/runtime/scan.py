"""Compiled reading of motion rows: text to numbers to quaternions in one pass over the bytes, on all cores.

The readable twin is footfall.io.bvh_motion.scan_plain; tests hold the two against each other. Importing this module
imports numba: callers do so only when the text is large enough to pay for it.
"""

from __future__ import annotations

import os
from itertools import pairwise
from threading import Thread

import numpy as np
from numba import njit

LARGEST = 1e9  # as footfall.io.text.LARGEST
CHUNK = 1 << 19  # bytes a thread should at least get: below that, starting it costs more than it saves
POWERS = 10.0 ** np.arange(23)  # 10^0 … 10^22 are exact, so one division rounds once


def scan_poses(
    data: bytes, start: int, end: int, width: int, moves: np.ndarray, turns: np.ndarray, axes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows of `width` numbers from text[start:end]: (T, P) position values, (T, J, 4) rotations, where it stopped.

    moves (P,) columns of positions; turns (J, 3) columns of degrees in the order they apply (`width` for none);
    axes (J, 3) their axes. It stops at the start of the first line that is not a clean row, or at the end.
    """
    if len(data) == end or data[end] not in b"\r\n":
        data = data[:end] + b"\n"  # a line end behind the text spares the scanner an end test at every byte
    text = np.frombuffer(data, np.uint8)
    edges = _chunk_edges(data, start, end)
    spans = list(pairwise(edges))
    lines = [int(_count_lines(text, a, b)) for a, b in spans]
    lines[-1] += 1  # the last line may have no end of its own
    first = np.concatenate([[0], np.cumsum(lines)])
    values, rot = np.empty((first[-1], len(moves))), np.empty((first[-1], len(turns), 4))
    parity = np.where((axes[:, 1] - axes[:, 0]) % 3 == 1, 1.0, -1.0)  # +1 for XYZ, YZX, ZXY
    found: list[tuple[int, int]] = [(0, 0)] * len(spans)

    def work(i: int) -> None:
        rows = slice(first[i], first[i + 1])
        found[i] = _scan(text, *spans[i], width, moves, turns, axes, parity, values[rows], rot[rows])

    threads = [Thread(target=work, args=(i,)) for i in range(1, len(spans))]
    for thread in threads:
        thread.start()
    work(0)
    for thread in threads:
        thread.join()
    return _joined(values, rot, [(int(first[i]), *found[i], spans[i][1]) for i in range(len(spans))])


def _chunk_edges(data: bytes, start: int, end: int) -> list[int]:
    """Offsets that cut the text at line ends into a piece for every core."""
    pieces = max(1, min(os.cpu_count() or 1, 8, (end - start) // CHUNK))
    edges = [start]
    for i in range(1, pieces):
        at = start + (end - start) * i // pieces
        after = data.find(b"\n", at, end) + 1 or data.find(b"\r", at, end) + 1
        if after > edges[-1]:
            edges.append(after)
    return [*edges, end]


def _joined(
    values: np.ndarray, rot: np.ndarray, pieces: list[tuple[int, int, int, int]]
) -> tuple[np.ndarray, np.ndarray, int]:
    """Pieces (first row, rows, stop, end) closed up where blank lines left gaps, with signs matched at the seams."""
    total, stop = 0, pieces[0][2]
    for first, rows, stop, end in pieces:
        rows, stop = int(rows), int(stop)
        if first > total:
            values[total : total + rows] = values[first : first + rows]
            rot[total : total + rows] = rot[first : first + rows]
        if rows and total:
            flip = (rot[total] * rot[total - 1]).sum(axis=-1) < 0
            if flip.any():
                rot[total : total + rows] *= np.where(flip, -1.0, 1.0)[:, None]
        total += rows
        if stop < end:
            break
    return values[:total], rot[:total], stop


@njit(nogil=True, cache=True)
def _count_lines(text, start, end):  # type: ignore[no-untyped-def]
    """Line ends (LF, CRLF or CR) in a span."""
    count, at, end, one = 0, np.uintp(start), np.uintp(end), np.uintp(1)
    while at < end:
        stop = min(at + np.uintp(240), end)
        few = np.uint8(0)  # counted in bytes, 64 at a time in a vector register
        for i in range(at, stop):
            few = np.uint8(few + ((text[i] == 10) | ((text[i] == 13) & (text[i + one] != 10))))
        count += few
        at = stop
    return count


@njit(nogil=True, cache=True, error_model="numpy")
def _scan(text, start, end, width, moves, turns, axes, parity, values, rot):  # type: ignore[no-untyped-def]
    """Rows found and where it stopped."""
    row = np.zeros(width)
    cosine, sine = np.ones(width + 1), np.zeros(width + 1)  # the last entry stands for "no turn"
    at, rows = np.uintp(start), np.uintp(0)
    while at < np.uintp(end):
        line = at
        found, at = _row(text, at, row)
        if found == 0:
            continue
        if found != width:
            return rows, line
        for p in range(len(moves)):
            values[rows, p] = row[moves[p]]
        _half_turns(row, cosine, sine)
        _quaternions(cosine, sine, turns, axes, parity, rot, rows)
        rows += np.uintp(1)
    return rows, np.uintp(end)


@njit(nogil=True, cache=True, error_model="numpy")
def _row(text, at, row):  # type: ignore[no-untyped-def]
    """The numbers of one line: how many (-1 if something there is none, or too much), and where the next begins.

    Indices are unsigned (signed ones cost a test for wrap-around each), and the number is read in this loop, not by
    a function (passing it the array costs more than reading the number).
    """
    one, ten, zero = np.uintp(1), np.uint64(10), np.uint64(48)
    n = np.uintp(0)
    while True:
        c = text[at]
        while c == 32 or c == 9:
            at += one
            c = text[at]
        if c == 10 or c == 13:
            return np.intp(n), at + one
        if n == len(row):
            return -1, at
        negative = c == 45
        if negative or c == 43:
            at += one
        begin, mantissa, decimals = at, np.uint64(0), np.uintp(0)
        digit = np.uint64(text[at]) - zero  # anything but a digit wraps to a huge value
        while digit < ten:
            mantissa = mantissa * ten + digit
            at += one
            digit = np.uint64(text[at]) - zero
        digits = at - begin
        if text[at] == 46:
            at += one
            point = at
            digit = np.uint64(text[at]) - zero
            while digit < ten:
                mantissa = mantissa * ten + digit
                at += one
                digit = np.uint64(text[at]) - zero
            decimals = at - point
            digits += decimals
        c = text[at]
        if digits > 18 or c == 101 or c == 69:  # 18 digits fit 64 bits; e and E begin an exponent
            at, value = _long_number(text, begin)
            c = text[at]
        else:
            value = np.float64(np.int64(mantissa)) / POWERS[decimals]
        if digits == 0 or not value < LARGEST or not (c == 32 or c == 10 or c == 13 or c == 9):
            return -1, at
        row[n] = -value if negative else value
        n += one


@njit(nogil=True, cache=True, error_model="numpy")
def _long_number(text, at):  # type: ignore[no-untyped-def]
    """A number with an exponent or many digits: 18 significant digits are kept, the rest only counted."""
    one, ten, zero = np.uintp(1), np.uint64(10), np.uint64(48)
    mantissa, power, kept, after_point = np.uint64(0), np.int64(0), 0, False
    while True:
        digit = np.uint64(text[at]) - zero
        if digit < ten:
            if kept < 18:
                mantissa = mantissa * ten + digit
                kept += mantissa > 0
                power -= after_point
            else:
                power += not after_point
        elif text[at] == 46 and not after_point:
            after_point = True
        else:
            break
        at += one
    if text[at] == 101 or text[at] == 69:
        at += one
        down = text[at] == 45
        if down or text[at] == 43:
            at += one
        first, exponent = at, np.int64(0)
        digit = np.uint64(text[at]) - zero
        while digit < ten:
            exponent = min(exponent * 10 + np.int64(digit), np.int64(100_000_000_000_000))
            at += one
            digit = np.uint64(text[at]) - zero
        if at == first:
            return at, np.inf
        power += -exponent if down else exponent
    value = np.float64(np.int64(mantissa))
    if mantissa == 0:
        return at, 0.0
    if -22 <= power <= 0:
        return at, value / POWERS[np.uintp(-power)]
    if power > 40:
        return at, np.inf
    return at, (0.0 if power < -350 else value * 10.0 ** np.float64(power))


@njit(nogil=True, cache=True, fastmath={"contract", "nsz"})
def _half_turns(degrees, cosine, sine):  # type: ignore[no-untyped-def]
    """Cosine and sine of half of each angle.

    The quarter turns are taken off in degrees, where that is exact; the rest, at most 45 degrees, goes through the
    Taylor series to the 16th power, whose first missing term is below 1e-17. The loop has no branch: it vectorises.
    """
    for i in range(len(degrees)):
        half = 0.5 * degrees[i]
        quarters = np.floor(half * (1.0 / 90.0) + 0.5)
        x = (half - 90.0 * quarters) * (np.pi / 180.0)
        y = x * x
        s = x * (1 + y * (-1/6 + y * (1/120 + y * (-1/5040 + y * (1/362880 + y * (-1/39916800 + y * (
            1/6227020800 + y * (-1/1307674368000))))))))  # fmt: skip
        c = 1 + y * (-1/2 + y * (1/24 + y * (-1/720 + y * (1/40320 + y * (-1/3628800 + y * (1/479001600 + y * (
            -1/87178291200 + y * (1/20922789888000))))))))  # fmt: skip
        quarter = quarters - 4.0 * np.floor(0.25 * quarters)  # 0, 1, 2 or 3
        swap = quarter == 1.0 or quarter == 3.0
        a, b = (s if swap else c), (c if swap else s)
        cosine[i] = -a if quarter == 1.0 or quarter == 2.0 else a
        sine[i] = -b if quarter >= 2.0 else b


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "nsz"})
def _quaternions(cosine, sine, turns, axes, parity, rot, at):  # type: ignore[no-untyped-def]
    """Row `at` of rot (T, J, 4): three turns in a row multiplied out, in the sign nearest the row before."""
    for j in range(len(turns)):
        ca, sa = cosine[turns[j, 0]], sine[turns[j, 0]]
        cb, sb = cosine[turns[j, 1]], sine[turns[j, 1]]
        cc, sc = cosine[turns[j, 2]], sine[turns[j, 2]]
        e = parity[j]
        rot[at, j, 0] = ca * cb * cc - e * sa * sb * sc
        rot[at, j, 1 + axes[j, 0]] = sa * cb * cc + e * ca * sb * sc
        rot[at, j, 1 + axes[j, 1]] = ca * sb * cc - e * sa * cb * sc
        rot[at, j, 1 + axes[j, 2]] = ca * cb * sc + e * sa * sb * cc
        if at > 0:
            dot = 0.0
            for k in range(4):
                dot += rot[at, j, k] * rot[at - np.uintp(1), j, k]
            if dot < 0:
                for k in range(4):
                    rot[at, j, k] = -rot[at, j, k]
