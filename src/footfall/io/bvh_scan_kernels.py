"""Compiled kernels of footfall.io.bvh_scan: text to numbers to quaternions, a few rows at a time.

Rows go in blocks of ROWS through four stages, whose arrays stay in the first-level cache:
1. `_words` finds where words begin and end, 64 bytes at a time, without a branch for each word;
2. `_gather` takes the first 16 bytes of each word to where its number will be;
3. `_decimals` makes numbers of them, four or eight at a time in vector registers; where it leaves some, so does
   `_long_decimals`, and the last (exponents, more than 15 decimals, no numbers) go one by one through `_number`;
4. `half_turns` and `_quaternions` make rotations of degrees, also in vector registers.
Measured on one core at 2.9 GHz, in ns for a number of 9 characters: 1.3, 1.1, 2.2 and 3.1, in all 8 with the memory
for the rows in the cache and 9.4 without. Digit by digit and row by row it took 12.2: signs and lengths of numbers
are branches that no processor can foresee, and the rotations of a single row do not vectorise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from footfall.core.kernels import LOOSE, kernel
from footfall.io.text import LARGEST

MARGIN = 80  # bytes behind the text that must be there to be read, whatever they are
ROWS = 8  # of a block: they fill vector registers, and with 100 columns the first-level cache
POWERS = 10.0 ** np.arange(23)  # 10^0 … 10^22 are exact, so one division rounds once
U = np.uint64
TENS = np.array([10**i for i in range(16)], U)
ZEROS = U(0x3030303030303030)  # eight "0": exclusive or with them makes digits 0 to 9, and anything else more
SIXES = U(0x7676767676767676)  # added to bytes, takes those above 9 to the top bit
TOPS = U(0x8080808080808080)


# --- bits and bytes that numba has no function for -------------------------------------------------------------------
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


class BlockPlan(NamedTuple):
    """Where a block of ROWS rows keeps its columns: column c of row r at place[c] + r * stride[c]."""

    place: np.ndarray  # (width,)
    stride: np.ndarray  # (width,)
    signs: np.ndarray  # (ROWS J 4,) of the second product in each component of a quaternion


class BlockRoom(NamedTuple):
    """The arrays a block is worked out in; `scan` is handed them because making them there compiles a second longer."""

    edges: np.ndarray  # offsets where words begin and end
    head: np.ndarray  # the first, second and third eight bytes of every word
    tail: np.ndarray
    third: np.ndarray
    size: np.ndarray  # bits of every word
    number: np.ndarray  # what the word says, later the cosine of half of it
    sine: np.ndarray


def block_room(width: int, joints: int, moves: int) -> BlockRoom:
    """Room for rows of `width` words that turn and move joints."""
    count = ROWS * (3 * joints + moves)
    head, tail, third = np.zeros((3, count), U)
    head[:], size = ord("0"), np.full(count, 8, np.uint32)  # the word "0", for axes that no column turns about
    edges = np.empty(2 * ROWS * width + 64, np.uint32)
    return BlockRoom(edges, head, tail, third, size, np.zeros(count), np.zeros(3 * joints * ROWS))


# --- lines and words -------------------------------------------------------------------------------------------------
@kernel
def next_line(text, at, end):  # type: ignore[no-untyped-def]
    """Where the line after the one at an offset begins; LF, CRLF and CR each end one."""
    while at < end and text[at] != 10 and text[at] != 13:
        at += 1
    return at + 2 if text[at] == 13 and text[at + 1] == 10 else at + 1


@kernel
def last_line_end(text, end):  # type: ignore[no-untyped-def]
    """Where the last line before an offset ends: its LF, or its CR if there is no LF at all; -1 if it does not."""
    for wanted in (10, 13):
        at = end - 1
        while at >= 0 and text[at] != wanted:
            at -= 1
        if at >= 0:
            return at
    return -1


@kernel
def count_lines(text, start, end):  # type: ignore[no-untyped-def]
    """Lines from an offset to the line end that stands at another."""
    count, at, end = U(1), U(start), U(end)
    while at < end:
        inside = ~U(0) if at + U(64) <= end else ~(~U(0) << (end - at))
        # every LF, and every CR that no LF follows
        count += _ones((_feeds(text, at) | (_line_ends(text, at) & ~_feeds(text, at + U(1)))) & inside)
        at += U(64)
    return count


@kernel
def scan(text, start, end, plan, room, values, rot):  # type: ignore[no-untyped-def]
    """Fill values and rot; rows found, where it stopped, and the least product of quaternions of consecutive rows."""
    number, sine = room.number, room.sine
    width, turns = len(plan.place), ROWS * rot.shape[1]
    flat = rot.reshape(-1)
    at, rows, least = U(start), 0, 1.0
    while at < U(end):
        base = at
        got, at, clean = _words(text, base, U(end), width, room.edges)
        _gather(text, base, got, plan, room)
        if not _decimals(room.head, room.tail, room.size, number):
            good = _others(text, base, got, plan, room)
            if good < got:
                got, at, clean = good, base + U(room.edges[2 * good * width]), False
        for r in range(got):
            for p in range(values.shape[1]):
                values[rows + r, p] = number[3 * turns + r * values.shape[1] + p]
        half_turns(number[: 3 * turns], sine)
        first = rows * 4 * rot.shape[1]
        _quaternions(number, sine, plan.signs, flat[first : first + got * 4 * rot.shape[1]])
        least = min(least, _continue_signs(flat, first, got * rot.shape[1], 4 * rot.shape[1]))
        rows += got
        if not clean:
            while at > U(start) and text[at - U(1)] != 10 and text[at - U(1)] != 13:
                at -= U(1)
            return rows, at, least
    return rows, U(end), least


@kernel
def _words(text, at, end, width, edges):  # type: ignore[no-untyped-def]
    """Offsets from `at` where words begin and end, of ROWS rows: rows, where it stopped, False if in an unclean line.

    A one in `turn` marks a byte that is blank after one that is not, or the other way: begin and end by turns. Sixteen
    are written down whether there are so many or not, because the end of a loop of varying length is mispredicted;
    64 bytes that hold more than eight words are rare.
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
def _gather(text, base, rows, plan, room):  # type: ignore[no-untyped-def]
    """The first 16 bytes of every word and its length in bits, each where the number will be."""
    edges, k = room.edges, U(0)
    for r in range(rows):
        for c in range(len(plan.place)):
            to, at = U(plan.place[c] + r * plan.stride[c]), base + U(edges[k])
            room.head[to] = _eight(text, at)
            room.tail[to] = _eight(text, at + U(8))
            room.size[to] = U(8) * min(U(edges[k + U(1)] - edges[k]), U(100))  # any longer one is no number
            k += U(2)


# --- numbers ---------------------------------------------------------------------------------------------------------
@kernel
def _decimals(head, tail, size, number):  # type: ignore[no-untyped-def]
    """Numbers of words with up to 7 characters before the point and 7 behind; NaN, and False, where there are others.

    The loop has no branch: it vectorises. Shifts move the characters before the point to the high end of eight bytes,
    so that zeros fill up in front, and those behind it to the low end, so that zeros follow: whole number and 10^-8
    parts. Together they are an integer below 10^15, which is exact, and so is 10^8: one rounding, as in float().
    """
    all_odd = U(0)
    for k in range(len(number)):
        word, bits, negative = head[k], U(size[k]), _is_minus(head[k])
        whole = _before_point(word, bits)
        part = max(bits, whole + U(8)) - whole - U(8)  # bits behind the point
        a = _whole(word, negative, whole)
        b = (_behind(word, tail[k], whole) ^ ZEROS) & ~(~U(0) << (part & U(63)))
        # top bits of bytes that are not 0 to 9, and of the differences if too many characters or no digit
        odd = a | (a + SIXES) | b | (b + SIXES) | (U(56) - whole) | (U(56) - part)
        odd = (odd | (whole + part - (U(9) if negative else U(1)))) & TOPS
        value = (np.float64(_integer(a)) * 1e8 + np.float64(_integer(b))) / 1e8
        value = -value if negative else value
        number[k] = np.nan if odd != U(0) else value
        all_odd |= odd
    return all_odd == U(0)


@kernel
def _long_decimals(head, tail, third, size, number):  # type: ignore[no-untyped-def]
    """The same for words with 8 to 15 characters behind the point and 18 digits at most, which fit 64 bits."""
    for k in range(len(number)):
        word, bits, negative = head[k], U(size[k]), _is_minus(head[k])
        whole = _before_point(word, bits)
        part = bits - whole - U(8)
        rest = part - U(64)  # bits behind the eighth decimal
        a = _whole(word, negative, whole)
        b = _behind(word, tail[k], whole) ^ ZEROS
        c = ((_behind(tail[k], third[k], whole) ^ ZEROS) << U(8)) << ((U(56) - rest) & U(63))
        odd = a | (a + SIXES) | b | (b + SIXES) | c | (c + SIXES) | (U(56) - whole) | rest | (U(56) - rest)
        odd = (odd | (U(152 if negative else 144) - whole - part)) & TOPS
        mantissa = U(_integer(a)) * TENS[(part >> U(3)) & U(15)] + U(_integer(b)) * TENS[(rest >> U(3)) & U(7)]
        value = np.float64(np.int64(mantissa + U(_integer(c)))) / POWERS[(part >> U(3)) & U(15)]
        value = -value if negative else value
        number[k] = number[k] if odd != U(0) else value


@kernel(forceinline=True)
def _is_minus(word):  # type: ignore[no-untyped-def]
    return (word & U(0xFF)) == U(45)


@kernel(forceinline=True)
def _before_point(word, bits):  # type: ignore[no-untyped-def]
    """Bits of a word before its first point; more than 56 if there is none in the first 7 bytes."""
    dots = word ^ U(0x2E2E2E2E2E2E2E2E)
    dots = (dots - U(0x0101010101010101)) & ~dots & TOPS  # the lowest one is the top bit of the first zero byte
    return min(_low_zeros(dots) & U(0x78), bits)


@kernel(forceinline=True)
def _whole(word, negative, whole):  # type: ignore[no-untyped-def]
    """Digits before the point at the high end; a minus becomes a leading zero."""
    word = (word & ~U(0xFF)) | U(48) if negative else word
    return ((word ^ ZEROS) << U(8)) << ((U(56) - whole) & U(63))


@kernel(forceinline=True)
def _behind(word, following, whole):  # type: ignore[no-untyped-def]
    """The eight bytes behind byte number whole / 8 of a word and the eight bytes that follow it."""
    return ((word >> U(8)) >> (whole & U(63))) | (following << ((U(56) - whole) & U(63)))


@kernel(forceinline=True)
def _integer(digits):  # type: ignore[no-untyped-def]
    """Eight bytes of 0 to 9, the first lowest, as one number: neighbours join to pairs, fours, eights."""
    pairs = ((digits << U(3)) + (digits << U(1)) + (digits >> U(8))) & U(0x00FF00FF00FF00FF)
    fours = (pairs & U(0x000000FF000000FF)) * U(100) + (pairs >> U(16))
    return np.int32((fours & U(0xFFFF)) * U(10_000) + ((fours >> U(32)) & U(0xFFFF)))


@kernel
def _others(text, base, rows, plan, room):  # type: ignore[no-untyped-def]
    """Fill in the numbers that are still NaN; the first row with a word that is none, or `rows`."""
    edges, number, k = room.edges, room.number, U(0)
    for r in range(rows):
        for c in range(len(plan.place)):
            room.third[U(plan.place[c] + r * plan.stride[c])] = _eight(text, base + U(edges[k]) + U(16))
            k += U(2)
    _long_decimals(room.head, room.tail, room.third, room.size, number)
    k = U(0)
    for r in range(rows):
        for c in range(len(plan.place)):
            i = U(plan.place[c] + r * plan.stride[c])
            if np.isnan(number[i]):
                stop, number[i] = _number(text, base + U(edges[k]))
                if stop != base + U(edges[k + U(1)]) or not abs(number[i]) < LARGEST:
                    return r
            k += U(2)
    return rows


@kernel
def _number(text, at):  # type: ignore[no-untyped-def]
    """Any decimal number: where it ends, and its value (NaN for none); digits after the 18th are only counted."""
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


# --- rotations -------------------------------------------------------------------------------------------------------
@kernel
def half_turns(degrees, sine):  # type: ignore[no-untyped-def]
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
def _quaternions(cosine, sine, signs, rot):  # type: ignore[no-untyped-def]
    """Three turns multiplied out: cosine and sine (n, 3), signs and rot (n, 4), all flat."""
    for i in range(len(rot) // 4):
        k, n = U(3 * i), U(4 * i)
        cx, cy, cz = cosine[k], cosine[k + U(1)], cosine[k + U(2)]
        sx, sy, sz = sine[k], sine[k + U(1)], sine[k + U(2)]
        rot[n] = cx * (cy * cz) + signs[n] * (sx * (sy * sz))
        rot[n + U(1)] = sx * (cy * cz) + signs[n + U(1)] * (cx * (sy * sz))
        rot[n + U(2)] = cx * (sy * cz) + signs[n + U(2)] * (sx * (cy * sz))
        rot[n + U(3)] = cx * (cy * sz) + signs[n + U(3)] * (sx * (sy * cz))


@kernel(fastmath=LOOSE)
def _continue_signs(rot, first, count, row):  # type: ignore[no-untyped-def]
    """`count` quaternions of rot (flat) from index `first`, each in the sign nearer to the one a row before.

    The smallest of their products: the cosine of half of the largest turn from a row to the next.
    """
    if first == 0:
        first, count = row, count - row // 4
    least = 1.0
    for i in range(count):
        least = min(least, _dot(rot, U(first + 4 * i), U(first + 4 * i - row)))
    if least >= 0.0:  # nearly always
        return least
    least = 1.0
    for i in range(count):
        n = U(first + 4 * i)
        dot = _dot(rot, n, n - U(row))
        least = min(least, abs(dot))
        if dot < 0.0:
            for k in range(4):
                rot[n + U(k)] = -rot[n + U(k)]
    return least


@kernel(fastmath=LOOSE)
def _dot(q, i, j):  # type: ignore[no-untyped-def]
    one, two, three = U(1), U(2), U(3)
    return q[i] * q[j] + q[i + one] * q[j + one] + q[i + two] * q[j + two] + q[i + three] * q[j + three]
