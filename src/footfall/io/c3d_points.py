"""Points of a C3D file: what every capture system and biomechanics tool writes (c3d.org, "The C3D File Format", 2021).

Own reader of the published layout: a header of 512 bytes, a tree of parameters, frames of points and analog samples;
whole or floating numbers, in the byte order of Intel, DEC or MIPS machines. Every count is compared with the bytes that
are there. Analog channels and force plates are skipped.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core.clip import LEAST_FPS, MOST_FPS
from footfall.io.raw import Reading
from footfall.io.text import LARGEST

BLOCK = 512  # bytes
MAGIC = 0x50
INTEL, DEC, MIPS = 84, 85, 86  # processor types
MAX_PARAMETERS = 4096  # groups and parameters together; files have some hundred
MAX_POINTS = 4096  # a file has some hundred at most; the count is one of 16 bits
UNITS_M = {"mm": 0.001, "cm": 0.01, "dm": 0.1, "m": 1.0, "in": 0.0254, "inch": 0.0254, "inches": 0.0254, "ft": 0.3048}
UNLABELLED = ("*", "UNLABEL", "C_")  # how trackers call points they do not know


class C3dPoints(NamedTuple):
    """Points over time, in the file's units and axes; nan where a point was not seen."""

    names: tuple[str, ...]
    positions: np.ndarray  # (T, M, 3)
    fps: float
    unit_m: float | None  # metres per unit, where the file says so
    up: str | None  # the axis shown upwards, where the file says so


class _Numbers(NamedTuple):
    """How the file's machine wrote numbers."""

    order: str  # "<" or ">"
    dec: bool

    def floats(self, data: bytes) -> np.ndarray:
        if not self.dec:
            return np.frombuffer(data, f"{self.order}f4")
        words = np.frombuffer(data, "<u2").reshape(-1, 2)[:, ::-1].astype("<u2")  # the high half comes first
        with np.errstate(invalid="ignore", over="ignore"):
            return np.ascontiguousarray(words).view("<f4").ravel() / np.float32(4.0)  # and its exponent is 2 higher

    def words(self, data: bytes) -> np.ndarray:
        return np.frombuffer(data, f"{self.order}i2")

    def unsigned(self, data: bytes, at: int) -> int:
        return int(np.frombuffer(data[at : at + 2], f"{self.order}u2")[0])


def read_points(reading: Reading) -> C3dPoints:
    """Every labelled point of the file."""
    data = reading.path.read_bytes()
    if len(data) < BLOCK or data[1] != MAGIC or not data[0]:
        raise reading.fail("", "a C3D file", "something else")
    start = (data[0] - 1) * BLOCK
    if start + 4 > len(data) or data[start + 3] not in (INTEL, DEC, MIPS):
        raise reading.fail("", "parameters by an Intel, DEC or MIPS machine", "others, or none")
    machine = data[start + 3]
    numbers = _Numbers(">" if machine == MIPS else "<", machine == DEC)
    parameters = _parameters(reading, data, start + 4, numbers)
    point = parameters.get("POINT", {})
    positions = _positions(reading, data, numbers, point)
    rate = reading.options.fps or _number(point.get("RATE")) or float(numbers.floats(data[20:24])[0])
    if not LEAST_FPS <= rate <= MOST_FPS:
        raise reading.fail("POINT:RATE", "frames a second", f"{rate:g}", "give the rate: fps=120")
    names = _labels(point, positions.shape[1])
    kept = [i for i, name in enumerate(names) if name and not name.upper().startswith(UNLABELLED)]
    unit = UNITS_M.get(str((_texts(point.get("UNITS")) or [""])[0]).strip().lower())
    screen = (_texts(point.get("Y_SCREEN")) or [""])[0].strip().lower().lstrip("+")
    up = screen if screen in ("x", "y", "z", "-x", "-y", "-z") else None
    return C3dPoints(tuple(names[i] for i in kept), positions[:, kept], float(rate), unit, up)


def _positions(reading: Reading, data: bytes, numbers: _Numbers, point: dict[str, Any]) -> np.ndarray:
    """(T, M, 3) numbers of all points, nan where unseen."""
    points, analog = numbers.unsigned(data, 2), numbers.unsigned(data, 4)
    first, last = numbers.unsigned(data, 6), numbers.unsigned(data, 8)
    begin = (numbers.unsigned(data, 16) - 1) * BLOCK
    scale = float(numbers.floats(data[12:16])[0])
    if not 1 <= points <= MAX_POINTS:
        raise reading.fail("header", f"1 to {MAX_POINTS} points", f"{points}")
    if not (np.isfinite(scale) and 0.0 < abs(scale) < LARGEST):
        raise reading.fail("header", "a scale", f"{scale:g}")
    if begin < BLOCK:
        raise reading.fail("header", "data after the header", f"data at byte {begin}")
    width = 4 if scale < 0.0 else 2
    frame = (4 * points + analog) * width
    there = max(0, len(data) - begin) // frame
    declared = last - first + 1
    if (frames := _number(point.get("FRAMES"))) is not None and last == 0xFFFF:
        declared = max(declared, int(frames))  # the header's 16 bits are not enough
    declared = there if last == 0xFFFF and declared >= 0xFFFF else declared
    if declared < 1 or there < 1:
        raise reading.fail("header", "at least one frame", f"frames {first} to {last} in {len(data)} bytes")
    if there < declared:
        reading.warn("data", f"{declared} frames declared, {there} there; the file was cut off")
    count = min(there, declared)
    body = data[begin : begin + count * frame]
    if scale < 0.0:
        table = numbers.floats(body).reshape(count, -1)[:, : 4 * points].reshape(count, points, 4)
        with np.errstate(invalid="ignore"):  # a nan may signal; what is none is found below
            places, unseen = table[..., :3].astype(float), ~(table[..., 3] >= 0.0)
    else:
        words = numbers.words(body).reshape(count, -1)[:, : 4 * points].reshape(count, points, 4)
        places, unseen = words[..., :3] * scale, words[..., 3] < 0
    bad = ~(np.abs(places) < LARGEST).all(axis=-1) & ~unseen
    if bad.any():
        at, which = (int(i) for i in np.argwhere(bad)[0])
        raise reading.fail(f"frame {at}, point {which}", f"finite numbers below {LARGEST:g}", f"{places[at, which]}")
    places[unseen] = np.nan
    return places


def _parameters(reading: Reading, data: bytes, at: int, numbers: _Numbers) -> dict[str, dict[str, Any]]:
    """Group -> parameter -> value: an array of numbers, or a list of texts."""
    groups: dict[int, str] = {}
    found: list[tuple[int, str, Any]] = []
    for _ in range(MAX_PARAMETERS):
        if at + 2 > len(data) or data[at] == 0:
            break
        length, number = abs(int(np.int8(data[at] - 256 if data[at] > 127 else data[at]))), data[at + 1]
        name = data[at + 2 : at + 2 + length].decode("latin-1").upper()
        where = at + 2 + length
        if where + 3 > len(data):
            raise reading.fail("parameters", "a whole list", "one that was cut off")
        step = numbers.unsigned(data, where)
        if number > 127:
            groups[256 - number] = name
        else:
            found.append((number, name, _value(data, where + 2, numbers)))
        if not step:
            break
        at = where + step
    table: dict[str, dict[str, Any]] = {}
    for number, name, value in found:
        table.setdefault(groups.get(number, ""), {})[name] = value
    return table


def _value(data: bytes, at: int, numbers: _Numbers) -> Any:
    """A parameter's value, or None where its size does not fit the bytes."""
    kind, count = data[at], data[at + 1] if at + 1 < len(data) else 0
    sizes = list(data[at + 2 : at + 2 + count])
    width = {255: 1, 1: 1, 2: 2, 4: 4}.get(kind)
    if width is None or len(sizes) != count or count > 7:
        return None
    total = int(np.prod(sizes, dtype=object)) if sizes else 1
    body = data[at + 2 + count : at + 2 + count + total * width]
    if len(body) != total * width:
        return None
    if kind == 255:
        length = sizes[0] if sizes else 1
        return [body[i : i + length].decode("latin-1").rstrip(" \0") for i in range(0, total, length)] if length else []
    if kind == 4:
        return numbers.floats(body).astype(float)
    return numbers.words(body) if kind == 2 else np.frombuffer(body, "u1")


def _number(value: Any) -> float | None:
    """The first number of a parameter, where it has one that is positive."""
    if not isinstance(value, np.ndarray) or not value.size:
        return None
    first = float(value[0]) if value.dtype.kind != "i" else float(int(value[0]) & 0xFFFF)
    return first if np.isfinite(first) and first > 0.0 else None


def _texts(value: Any) -> list[str]:
    return value if isinstance(value, list) else []


def _labels(point: dict[str, Any], count: int) -> list[str]:
    """A name for every point, "" where it has none; more than 255 are spread over LABELS, LABELS2, …"""
    names: list[str] = []
    for key in ("LABELS", *(f"LABELS{i}" for i in range(2, 20))):
        names += _texts(point.get(key))
    names = [name.strip() for name in names[:count]]
    return names + [""] * (count - len(names))
