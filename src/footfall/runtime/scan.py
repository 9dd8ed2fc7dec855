"""Compiled reading of motion rows: text to numbers to quaternions, a few rows at a time, on all cores.

The readable twin is footfall.io.bvh_motion.scan_plain; tests hold the two against each other. Importing this module
imports numba: callers do so only when the text is large enough to pay for it.

Rows go in blocks of ROWS through four stages, whose arrays stay in the first-level cache:
1. `_words` finds where words begin and end, 64 bytes at a time, without a branch for each word;
2. `_gather` takes the first 16 bytes of each word and lays the block out column by column;
3. `_decimals` makes numbers of them, four or eight at a time in vector registers; the few words it is not made for
   (exponents, more than 7 decimals) go one by one through `_number`;
4. `_half_turns` and `_quaternions` make rotations of columns of degrees, also in vector registers.
Measured on one core, for numbers of 9 characters, in ns a number: 1.2, 1.0, 2.6 and 3.0. Reading digit by digit took
15 in place of the first three, most of it for branches on signs and lengths that no processor can foresee.
"""

from __future__ import annotations

import os
from itertools import pairwise
from threading import Thread
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from footfall.runtime.jit import kernel

LARGEST = 1e9  # as footfall.io.text.LARGEST
CHUNK = 1 << 19  # bytes a thread should at least get: below that, starting it costs more than it saves
MARGIN = 80  # bytes behind the text that must be there to be read, whatever they are
ROWS = 8  # of a block: they fill a vector register or two, and 96 columns of them the first-level cache
POWERS = 10.0 ** np.arange(23)  # 10^0 … 10^22 are exact, so one division rounds once
U = np.uint64


def scan_poses(
    data: bytes | memoryview,
    start: int,
    end: int,
    width: int,
    moves: np.ndarray,
    turns: np.ndarray,
    axes: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows of `width` numbers from data[start:end]: (T, P) position values, (T, J, 4) rotations, where it stopped.

    moves (P,) columns of positions; turns (J, 3) columns of degrees in the order they apply (`width` for none);
    axes (J, 3) their axes. It stops at the start of the first line that is not a clean row, or at the end. The data
    is not copied if a line end and a margin follow the text.
    """
    if len(data) < end + MARGIN or data[end] not in b"\r\n":
        data = bytes(data[:end]) + b"\n" * MARGIN
    text = np.frombuffer(data, np.uint8)
    text.flags.writeable = False  # of whatever the view is: one type, so that kernels are compiled once
    spans = _spans(text, start, end)
    lines = [int(_count_lines(text, *span)) for span in spans]
    first = np.concatenate([[0], np.cumsum(lines)])
    values, rot = np.empty((first[-1], len(moves))), np.empty((first[-1], len(turns), 4))
    place, stride, signs = _arrangement(width, moves, turns, axes)
    found: list[tuple[int, int]] = [(0, 0)] * len(spans)

    def work(i: int) -> None:
        rows = slice(first[i], first[i + 1])
        found[i] = _scan(text, *spans[i], place, stride, signs, values[rows], rot[rows])

    threads = [Thread(target=work, args=(i,)) for i in range(1, len(spans))]
    for thread in threads:
        thread.start()
    work(0)
    for thread in threads:
        thread.join()
    return _joined(values, rot, [(int(first[i]), *found[i], spans[i][1]) for i in range(len(spans))])


def _arrangement(
    width: int, moves: np.ndarray, turns: np.ndarray, axes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where a block keeps its columns, (width,) places of the first row and steps to the next, and signs (4, ROWS J).

    Turns are kept by axis, (3, ROWS, J), and moves behind them, (ROWS, P). With a, b, c the turned axes in order and
    e = +1 if they are a cyclic permutation of x, y, z and -1 if not, the product of the three turns is
    (ca cb cc - e sa sb sc, sa cb cc + e ca sb sc, ca sb cc - e sa cb sc, ca cb sc + e sa sb cc): by axis, only signs
    depend on the order.
    """
    joints = len(turns)
    place, stride = np.zeros(width, np.int64), np.full(width, joints)
    stride[moves] = len(moves)
    place[moves] = 3 * ROWS * joints + np.arange(len(moves))
    joint, turn = np.nonzero(turns < width)
    place[turns[joint, turn]] = ROWS * joints * axes[joint, turn] + joint
    e = np.where((axes[:, 1] - axes[:, 0]) % 3 == 1, 1.0, -1.0)
    signs = np.stack([-e, e, e, e])
    signs[1 + axes[:, 1], np.arange(joints)] *= -1.0
    return place, stride, np.tile(signs, ROWS)


def _spans(text: np.ndarray, start: int, end: int) -> list[tuple[int, int]]:
    """The text cut into a piece for every core: offsets of its first byte and of the line end that closes it."""
    pieces = max(1, min(os.cpu_count() or 1, 8, (end - start) // CHUNK))
    cuts = [start]
    for i in range(1, pieces):
        after = int(_next_line(text, start + (end - start) * i // pieces, end))
        if cuts[-1] < after < end:
            cuts.append(after)
    return [(a, b - 1) for a, b in pairwise([*cuts, end + 1])]


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


# --- bits and bytes that numba has no function for ----------------------------------------------------------------------
def _seen_as(kind: ir.Type, context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """What lies at text[at], at any address, loaded as another type."""
    array = context.make_array(signature.args[0])(context, builder, args[0])
    loaded = builder.load(builder.bitcast(builder.gep(array.data, [args[1]]), kind.as_pointer()))
    loaded.align = 1
    return loaded


@intrinsic
def _eight(typing: Any, text: Any, at: Any) -> Any:
    """The eight bytes from text[at] as one number, the first lowest."""
    return types.uint64(text, at), lambda *where: _seen_as(ir.IntType(64), *where)


def _finder(*wanted: int) -> Any:
    """A function of (text, at): 64 bits that tell which of the 64 bytes from text[at] are one of those wanted."""
    many = ir.VectorType(ir.IntType(8), 64)

    @intrinsic
    def find(typing: Any, text: Any, at: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            found = _seen_as(many, context, builder, signature, args)
            hit = ir.Constant(ir.VectorType(ir.IntType(1), 64), [0] * 64)
            for byte in wanted:
                hit = builder.or_(hit, builder.icmp_unsigned("==", found, ir.Constant(many, [byte] * 64)))
            return builder.bitcast(hit, ir.IntType(64))

        return types.uint64(text, at), generate

    return find


_blanks, _line_ends, _feeds = _finder(9, 10, 13, 32), _finder(10, 13), _finder(10)


@intrinsic
def _low_zeros(typing: Any, bits: Any) -> Any:
    """Zero bits below the lowest one bit; 64 for 0."""
    return types.uint64(types.uint64), lambda c, builder, s, args: builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))


@intrinsic
def _ones(typing: Any, bits: Any) -> Any:
    """How many bits are one."""
    return types.uint64(types.uint64), lambda c, builder, s, args: builder.ctpop(args[0])


# --- lines and words ------------------------------------------------------------------------------------------------------
@kernel
def _next_line(text, at, end):  # type: ignore[no-untyped-def]
    """Where the line after the one at an offset begins; LF, CRLF and CR each end one."""
    while at < end and text[at] != 10 and text[at] != 13:
        at += 1
    return at + 2 if text[at] == 13 and text[at + 1] == 10 else at + 1


@kernel
def _count_lines(text, start, end):  # type: ignore[no-untyped-def]
    """Lines from an offset to the line end that stands at another."""
    count, at, end = U(1), U(start), U(end)
    while at < end:
        inside = ~U(0) if at + U(64) <= end else ~(~U(0) << (end - at))
        # every LF, and every CR that no LF follows
        count += _ones((_feeds(text, at) | (_line_ends(text, at) & ~_feeds(text, at + U(1)))) & inside)
        at += U(64)
    return count


@kernel
def _scan(text, start, end, place, stride, signs, values, rot):  # type: ignore[no-untyped-def]
    """Rows found and where it stopped. Column c of row r of a block becomes element place[c] + r * stride[c]."""
    width, turns, moves = len(place), ROWS * rot.shape[1], ROWS * values.shape[1]
    edges = np.empty(2 * ROWS * width + 64, np.uint32)
    head, tail = np.full(3 * turns + moves, U(48)), np.zeros(3 * turns + moves, np.uint64)  # 48 is "0":
    size = np.full(3 * turns + moves, np.uint32(8))  # axes that no column turns about
    number, sine = np.zeros(3 * turns + moves), np.zeros(3 * turns)
    q = np.zeros((4, turns + rot.shape[1]))  # a row more, in front: the last one of the block before
    at, rows = U(start), 0
    while at < U(end):
        base = at
        got, at, clean = _words(text, base, U(end), width, edges)
        _gather(text, base, edges, got, place, stride, head, tail, size)
        if not _decimals(head, tail, size, number):
            good = _others(text, base, edges, got, place, stride, number)
            if good < got:
                got, at, clean = good, base + U(edges[2 * good * width]), False
        for r in range(got):
            for p in range(values.shape[1]):
                values[rows + r, p] = number[3 * turns + r * values.shape[1] + p]
        _half_turns(number[: 3 * turns], sine)
        _quaternions(number, sine, signs, q)
        _continue_signs(q, rot.shape[1])
        _put_rows(q, got, rot, rows)
        rows += got
        if not clean:
            while at > U(start) and text[at - U(1)] != 10 and text[at - U(1)] != 13:
                at -= U(1)
            return rows, at
    return rows, U(end)


@kernel
def _words(text, at, end, width, edges):  # type: ignore[no-untyped-def]
    """Offsets from `at` where words begin and end, of ROWS rows: rows, where it stopped, False if in an unclean line.

    A one in `turn` marks a byte that is blank after one that is not, or the other way: begin and end by turns. Sixteen
    are written down whether there are so many or not, because the end of a loop of varying length is mispredicted
    (3 ns a word); 64 bytes that hold more than eight words are rare.
    """
    base, n, row, rows, before = at, U(0), U(0), 0, U(1)
    while at <= end:
        blank, line = _blanks(text, at), _line_ends(text, at)
        if at + U(64) > end + U(1):
            beyond = ~U(0) << (end + U(1) - at)
            blank |= beyond
            line &= ~beyond
        turn = blank ^ ((blank << U(1)) | before)
        before = blank >> U(63)
        left, count = turn, _ones(turn)
        for k in range(16):
            edges[n + U(k)] = at - base + _low_zeros(left)
            left &= left - U(1)
        for k in range(16, count):
            edges[n + U(k)] = at - base + _low_zeros(left)
            left &= left - U(1)
        while line:
            place = _low_zeros(line)
            here = n + _ones(turn & ((U(2) << place) - U(1)))  # a line end ends a word: an even number
            if here != row:
                if here - row != U(2 * width):
                    return rows, base + U(edges[row]), False
                rows, row = rows + 1, here
                if rows == ROWS:
                    return rows, at + place + U(1), True
            line &= line - U(1)
        n += count
        if n > row + U(2 * width):  # too many words, whatever follows: `edges` holds no more
            return rows, base + U(edges[row]), False
        at += U(64)
    return rows, end, True


@kernel
def _gather(text, base, edges, rows, place, stride, head, tail, size):  # type: ignore[no-untyped-def]
    """The first 16 bytes of every word and its length in bits, each where the number will be."""
    k = U(0)
    for r in range(rows):
        for c in range(len(place)):
            to, at = U(place[c] + r * stride[c]), base + U(edges[k])
            head[to] = _eight(text, at)
            tail[to] = _eight(text, at + U(8))
            size[to] = U(8) * U(edges[k + U(1)] - edges[k])
            k += U(2)


# --- numbers --------------------------------------------------------------------------------------------------------------
@kernel
def _decimals(head, tail, size, number):  # type: ignore[no-untyped-def]
    """Numbers of words with up to 7 characters before the point and 7 behind; NaN, and False, where there are others.

    The loop has no branch: it vectorises. Characters before and behind the point are shifted to the high end of eight
    bytes each (the last digit highest), so that what follows falls off and zeros fill up in front. The digits make
    an integer below 10^14, which is exact, and so is the power of ten it is divided by: one rounding, as in float().
    """
    zeros, sixes, tops = U(0x3030303030303030), U(0x7676767676767676), U(0x8080808080808080)
    all_odd = U(0)
    for k in range(len(number)):
        word, bits = head[k], U(size[k])
        negative = (word & U(0xFF)) == U(45)
        dots = word ^ U(0x2E2E2E2E2E2E2E2E)
        dots = (dots - U(0x0101010101010101)) & ~dots & tops  # the lowest one is the top bit of the first dot's byte
        whole = min(_low_zeros(dots) & U(0x78), bits)  # bits before the point
        part = max(bits, whole + U(8)) - whole - U(8)  # and behind
        to_top = (U(56) - whole) & U(63)
        behind = ((word >> U(8)) >> (whole & U(63))) | (tail[k] << to_top)
        word = (word & ~U(0xFF)) | U(48) if negative else word  # the sign becomes a leading zero
        a = ((word ^ zeros) << U(8)) << to_top
        b = ((behind ^ zeros) << U(8)) << ((U(56) - part) & U(63))
        # top bits of bytes that are not 0 to 9, and of the differences if too many characters or no digit
        odd = a | (a + sixes) | b | (b + sixes) | (U(56) - whole) | (U(56) - part)
        odd = (odd | (whole + part - (U(9) if negative else U(1)))) & tops
        power = POWERS[(part >> U(3)) & U(7)]
        value = (np.float64(_integer(a)) * power + np.float64(_integer(b))) / power
        value = -value if negative else value
        number[k] = np.nan if odd != U(0) else value
        all_odd |= odd
    return all_odd == U(0)


@kernel
def _integer(digits):  # type: ignore[no-untyped-def]
    """Eight bytes of 0 to 9, the first lowest, as one number: neighbours join to pairs, fours, eights."""
    pairs = ((digits << U(3)) + (digits << U(1)) + (digits >> U(8))) & U(0x00FF00FF00FF00FF)
    fours = pairs * U(100) + (pairs >> U(16))
    return np.int32((fours & U(0xFFFF)) * U(10_000) + ((fours >> U(32)) & U(0xFFFF)))


@kernel
def _others(text, base, edges, rows, place, stride, number):  # type: ignore[no-untyped-def]
    """Fill in the numbers that are still NaN; the first row with a word that is none, or `rows`."""
    for r in range(rows):
        for c in range(len(place)):
            i, k = U(place[c] + r * stride[c]), U(2 * (r * len(place) + c))
            if np.isnan(number[i]):
                end, number[i] = _number(text, base + U(edges[k]))
                if end != base + U(edges[k + U(1)]) or not abs(number[i]) < LARGEST:
                    return r
    return rows


@kernel
def _number(text, at):  # type: ignore[no-untyped-def]
    """Any decimal number: where it ends and its value (NaN for none); digits after the 18th are only counted."""
    one, ten, zero = U(1), U(10), U(48)
    mantissa, power, kept, digits, after_point = U(0), np.int64(0), 0, 0, False
    negative = text[at] == 45
    if negative or text[at] == 43:
        at += one
    while True:
        digit = U(text[at]) - zero  # anything but a digit wraps to a huge value
        if digit < ten:
            digits += 1
            if kept < 18:
                mantissa = mantissa * ten + digit
                kept += mantissa > U(0)
                power -= after_point
            else:
                power += not after_point
        elif text[at] == 46 and not after_point:
            after_point = True
        else:
            break
        at += one
    if digits == 0:
        return at, np.nan
    if text[at] == 101 or text[at] == 69:  # e, E
        at += one
        down = text[at] == 45
        if down or text[at] == 43:
            at += one
        first, exponent = at, np.int64(0)
        digit = U(text[at]) - zero
        while digit < ten:
            exponent = min(exponent * 10 + np.int64(digit), np.int64(100_000_000_000_000))
            at += one
            digit = U(text[at]) - zero
        if at == first:
            return at, np.nan
        power += -exponent if down else exponent
    value = np.float64(np.int64(mantissa))
    if -22 <= power <= 0:
        value /= POWERS[U(-power)]
    elif mantissa > U(0):
        value = np.inf if power > 40 else 0.0 if power < -350 else value * 10.0 ** np.float64(power)
    return at, -value if negative else value


# --- rotations ------------------------------------------------------------------------------------------------------------
@kernel
def _half_turns(degrees, sine):  # type: ignore[no-untyped-def]
    """Cosine, in place, and sine of half of each angle.

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
        degrees[i] = -a if quarter == 1.0 or quarter == 2.0 else a
        sine[i] = -b if quarter >= 2.0 else b


@kernel
def _quaternions(cosine, sine, signs, q):  # type: ignore[no-untyped-def]
    """Three turns multiplied out, for the block's rows: q (4, (1 + ROWS) J), of which the first row is left alone."""
    n = len(sine) // 3
    before = q.shape[1] - n
    for i in range(n):
        cx, cy, cz = cosine[i], cosine[n + i], cosine[2 * n + i]
        sx, sy, sz = sine[i], sine[n + i], sine[2 * n + i]
        q[0, before + i] = cx * (cy * cz) + signs[0, i] * (sx * (sy * sz))
        q[1, before + i] = sx * (cy * cz) + signs[1, i] * (cx * (sy * sz))
        q[2, before + i] = cx * (sy * cz) + signs[2, i] * (sx * (cy * sz))
        q[3, before + i] = cx * (cy * sz) + signs[3, i] * (sx * (sy * cz))


@kernel
def _continue_signs(q, joints):  # type: ignore[no-untyped-def]
    """Each row in the sign nearer to the row before; most blocks need no change."""
    away = False
    for i in range(q.shape[1] - joints):
        away |= _dot(q, i, i + joints) < 0.0
    if away:
        for i in range(q.shape[1] - joints):
            if _dot(q, i, i + joints) < 0.0:
                for k in range(4):
                    q[k, i + joints] = -q[k, i + joints]


@kernel
def _dot(q, i, j):  # type: ignore[no-untyped-def]
    return q[0, i] * q[0, j] + q[1, i] * q[1, j] + q[2, i] * q[2, j] + q[3, i] * q[3, j]


@kernel
def _put_rows(q, rows, rot, start):  # type: ignore[no-untyped-def]
    """The block's rows to rot (T, J, 4), and the last to where the next block looks for the row before."""
    joints = rot.shape[1]
    flat = rot[start : start + rows].reshape(rows * joints, 4)
    for i in range(rows * joints):
        for k in range(4):
            flat[i, k] = q[k, i + joints]
    for k in range(4):
        for j in range(joints):
            q[k, j] = q[k, rows * joints + j]
