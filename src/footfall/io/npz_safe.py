"""Untrusted npz archives and npy arrays: what they declare is compared with the bytes present before it is read.

An npz is a zip of npy members. numpy trusts both: it inflates a bomb, allocates what a header claims, and unpickles
when told to. Here the zip directory, each member's sizes and each npy header are checked first, and an array is made
only when its shape times its item size is exactly the data that follows. Nothing is ever unpickled.
"""

from __future__ import annotations

import math
import re
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from footfall.core.clip import LEAST_FPS, MOST_FPS
from footfall.core.errors import ReadError
from footfall.io.raw import Reading
from footfall.io.text import LARGEST

MAX_DIRECTORY = 1 << 20  # bytes of zip directory: some 10 000 members
MAX_INFLATED = 1 << 30  # bytes, all members together
MAX_RATIO = 200  # inflated over compressed
FREE_RATIO = 8 << 20  # members up to this size may compress as well as they like: a still pose does
LAST_LETTER = 0x10FFFF  # of Unicode: Python makes text of greater numbers, and breaks on it
MAX_HEADER = 10_000  # characters of an npy header

_DESCR = re.compile(r"'descr'\s*:\s*'([^']{1,20})'")
_ORDER = re.compile(r"'fortran_order'\s*:\s*(True|False)")
_SHAPE = re.compile(r"'shape'\s*:\s*\(([0-9L,\s]*)\)")
_SIZE = re.compile(r"([0-9]{1,18})L?")  # Python 2 wrote long numbers with an L
_KINDS = {"f": "float", "i": "integer", "u": "unsigned integer", "b": "true/false", "U": "text", "S": "bytes"}
# what broken archives raise; RuntimeError: encrypted members, and NotImplementedError
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, struct.error)


class NpyHeader(NamedTuple):
    """What one member says it holds."""

    dtype: np.dtype
    shape: tuple[int, ...]
    fortran: bool
    start: int  # bytes before the data


class Npz:
    """An open archive whose zip directory has been checked; arrays are read one by one, each checked first."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        _check_directory(reading)
        try:
            self._zip = zipfile.ZipFile(reading.path)
        except PermissionError:
            raise
        except _BROKEN as error:
            raise reading.fail("", "an npz archive", f"a broken zip: {error}") from error
        self._members = {
            i.filename.removesuffix(".npy"): i for i in self._zip.infolist() if i.filename.endswith(".npy")
        }
        try:
            self._check_members()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> Npz:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def __contains__(self, key: str) -> bool:
        return key in self._members

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._members)

    def first_of(self, *keys: str) -> str | None:
        """The first of these names that the archive has."""
        return next((k for k in keys if k in self), None)

    def array(self, key: str, kinds: str = "fiu") -> np.ndarray:
        """One array, of an allowed dtype kind; numbers are finite and of sane size."""
        return _checked_numbers(self.reading, _shown(key), self._read(key, kinds))

    def numbers(self, key: str) -> np.ndarray:
        """One array of numbers as float64."""
        return self.array(key).astype(float)

    def text(self, key: str) -> list[str]:
        """One array of text, flattened."""
        with self.reading.guard(key, "text"):
            return [x.decode("latin-1") if isinstance(x, bytes) else str(x) for x in self._read(key, "US").ravel()]

    def frame_rate(self, keys: tuple[str, ...]) -> float:
        """Frames a second: the caller's word, or a single positive number under one of the keys."""
        if self.reading.options.fps is not None:
            return float(self.reading.options.fps)
        key = self.first_of(*keys)
        if key is None:
            raise self.reading.fail("", f"a frame rate ({', '.join(keys)})", "none", "give it: fps=120")
        value = self.numbers(key).ravel()
        if value.size != 1 or not LEAST_FPS <= value[0] <= MOST_FPS:
            raise self.reading.fail(key, "one positive number", f"{value[:3]}", "give the rate: fps=120")
        return float(value[0])

    def header(self, key: str, kinds: str = "fiu") -> NpyHeader:
        """What a member says it holds, of an allowed dtype kind, checked against the bytes it has."""
        with self._open(key) as file:
            header = self._header(key, file)
        _check_kind(self.reading, _shown(key), header, kinds)
        return header

    def is_text(self, key: str) -> bool:
        with self._open(key) as file:
            return self._header(key, file).dtype.kind in "US"

    def warn_of_pickles(self) -> None:
        """Note fields that hold pickled objects; no other field is in danger, but whoever made the file should know."""
        for key in self.keys:
            with self._open(key) as file:
                if self._header(key, file).dtype.kind == "O":
                    self.reading.warn(_shown(key), "pickled objects, which are never loaded; left out")

    def _check_members(self) -> None:
        if not self._members:
            raise self.reading.fail("", "an npz archive", "a zip without any .npy member")
        total = 0
        for key, info in self._members.items():
            if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise self.reading.fail(_shown(key), "a stored or deflated member", "an encrypted or exotic one")
            total += info.file_size
            if info.file_size > max(FREE_RATIO, MAX_RATIO * info.compress_size):
                found = f"{info.file_size} bytes packed into {info.compress_size}"
                raise self.reading.fail(_shown(key), f"a member packed less than {MAX_RATIO}:1", found)
        if total > MAX_INFLATED:
            raise self.reading.fail("", f"at most {MAX_INFLATED >> 20} MB of arrays", f"{total >> 20} MB")

    def _open(self, key: str) -> IO[bytes]:
        if key not in self._members:
            raise self.reading.fail("", f"an array {key!r}", f"only {shown_keys(self.keys)}")
        try:
            return self._zip.open(self._members[key])
        except _BROKEN as error:
            raise self.reading.fail(_shown(key), "a whole zip member", f"{error}") from error

    def _header(self, key: str, file: IO[bytes]) -> NpyHeader:
        return _read_header(self.reading, _shown(key), file, self._members[key].file_size)

    def _read(self, key: str, kinds: str) -> np.ndarray:
        with self._open(key) as file:
            header = self._header(key, file)
            _check_kind(self.reading, _shown(key), header, kinds)
            return _read_body(self.reading, _shown(key), file, header)


def load_npy(reading: Reading) -> np.ndarray:
    """The array of a lone .npy file: finite numbers of sane size."""
    with reading.path.open("rb") as file:
        header = _read_header(reading, "", file, reading.path.stat().st_size)
        _check_kind(reading, "", header, "fiu")
        return _checked_numbers(reading, "", _read_body(reading, "", file, header))


def npy_shape(reading: Reading) -> tuple[int, ...]:
    """The shape a lone .npy file says it has; () where it cannot be read. For telling layouts apart, cheaply."""
    try:
        with reading.path.open("rb") as file:
            return _read_header(reading, "", file, reading.path.stat().st_size).shape
    except (ReadError, OSError):
        return ()


def keys_of(reading: Reading) -> frozenset[str]:
    """Names of the arrays in an archive; none when it cannot be opened. For telling layouts apart, cheaply."""
    try:
        with Npz(reading) as archive:
            return frozenset(archive.keys)
    except (ReadError, OSError):
        return frozenset()


def shown_keys(keys: tuple[str, ...], limit: int = 12) -> str:
    """Names of arrays as an error message may show them."""
    more = f" and {len(keys) - limit} more" if len(keys) > limit else ""
    return ", ".join(_shown(k) for k in keys[:limit]) + more


def _read_header(reading: Reading, place: str, file: IO[bytes], size: int) -> NpyHeader:
    """What an npy of `size` bytes says it holds, checked against them."""
    try:
        head = file.read(8)
        width = {1: 2, 2: 4, 3: 4}.get(head[6], 0) if len(head) == 8 and head[:6] == b"\x93NUMPY" else 0
        length = int.from_bytes(file.read(width), "little") if width else 0
        text = file.read(min(length, MAX_HEADER + 1)).decode("latin-1")
    except _BROKEN as error:
        raise reading.fail(place, "a whole npy array", f"{error}") from error
    if not width or len(text) != length:
        raise reading.fail(place, "an npy array", "something else")
    header = _parse_header(text, 8 + width + length)
    if header is None:
        raise reading.fail(place, "an array of one plain type", f"the header {text.strip()[:80]!r}")
    data = size - header.start
    if header.dtype.kind != "O" and math.prod(header.shape) * header.dtype.itemsize != data:
        found = f"shape {header.shape} of {header.dtype.str} with {data} bytes of data"
        raise reading.fail(place, "as much data as the header declares", found)
    return header


def _check_kind(reading: Reading, place: str, header: NpyHeader, kinds: str) -> None:
    kind = header.dtype.kind
    if kind not in kinds:
        wanted = "numbers" if kinds == "fiu" else " or ".join(_KINDS[k] for k in kinds)
        found = "pickled objects, which are never loaded" if kind == "O" else f"dtype {header.dtype.str}"
        cure = "save its arrays with numpy.savez, where you trust it" if kind == "O" else ""
        raise reading.fail(place, f"an array of {wanted}", found, cure)


def _read_body(reading: Reading, place: str, file: IO[bytes], header: NpyHeader) -> np.ndarray:
    size = math.prod(header.shape) * header.dtype.itemsize
    try:
        data = file.read(size + 1)  # reading past the end makes zipfile check the sum
    except _BROKEN as error:
        raise reading.fail(place, "a whole zip member", f"{error}") from error
    if len(data) != size:
        raise reading.fail(place, f"{size} bytes of data", f"{len(data)}")
    with reading.guard(place, "an array"):
        flat = np.frombuffer(data, header.dtype) if size else np.zeros(math.prod(header.shape), header.dtype)
        if header.dtype.kind == "U" and size:
            letters = np.frombuffer(data, header.dtype.byteorder.replace("=", "") + "u4")
            if (letters > LAST_LETTER).any() or ((letters >= 0xD800) & (letters < 0xE000)).any():
                raise reading.fail(place, "text", "characters that do not exist")
        return flat.reshape(header.shape, order="F" if header.fortran else "C")


def _checked_numbers(reading: Reading, place: str, array: np.ndarray) -> np.ndarray:
    """The array, unless one of its numbers is none, or of no sane size."""
    if array.dtype.kind in "fiu":
        with np.errstate(invalid="ignore"):  # half-precision and single nan may signal
            bad = ~(np.abs(array.astype(float, copy=False)) < LARGEST)  # also true for nan
        if bad.any():
            at = tuple(int(i) for i in np.argwhere(bad)[0])
            raise reading.fail(
                f"{place}{list(at)}" if at else place, f"finite numbers below {LARGEST:g}", f"{array[at]}"
            )
    return array


def _shown(key: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in key[:40])


def _parse_header(text: str, start: int) -> NpyHeader | None:
    """The three facts of an npy header; None when they are not there or describe records, not one type."""
    descr, order, shape = _DESCR.search(text), _ORDER.search(text), _SHAPE.search(text)
    if not (descr and order and shape):
        return None
    sizes = [_SIZE.fullmatch(part.strip()) for part in shape[1].split(",") if part.strip()]
    try:
        dtype = np.dtype(descr[1])
    except (TypeError, ValueError, SyntaxError):
        return None
    if len(sizes) > 8 or not all(sizes) or (dtype.itemsize == 0 and dtype.kind != "U"):
        return None
    return NpyHeader(dtype, tuple(int(s[1]) for s in sizes if s), order[1] == "True", start)


def _check_directory(reading: Reading) -> None:
    """Refuse what is no zip, or has a directory of absurd size, before zipfile makes an object for each entry."""
    head, tail = _ends(reading.path)
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) < end + 22:
        cut = "a zip that was cut off" if head == b"PK" else "no zip"
        raise reading.fail("", "an npz archive (a zip of arrays)", cut, "copy or download it again")
    (size,) = struct.unpack_from("<I", tail, end + 12)
    if size > MAX_DIRECTORY or tail[max(end - 20, 0) :].startswith(b"PK\x06\x07"):
        raise reading.fail("", "an npz archive with a handful of arrays", f"a zip directory of {size} bytes")


def _ends(path: Path) -> tuple[bytes, bytes]:
    with path.open("rb") as file:
        head, length = file.read(2), file.seek(0, 2)
        file.seek(max(0, length - (1 << 16) - 22))  # the longest comment a zip may end with
        return head, file.read()
