"""Broken copies of a valid file, for every reader's fuzz test: only success or ReadError may come of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from footfall.core.errors import FootfallError

NASTY = (
    b"nan", b"inf", b"-1", b"0", b"1e400", b"99999999999999999999", b"2147483648", b"1,5", b"1.2.3", b"\x00", b"_",
    b"\xef\xbb\xbf", b"{", b"}", b"\r", b"\n\n", b"\t", b"..", b"\"", b"\xfc", b"--", b"1_0", b"",
)  # fmt: skip


def mutations(data: bytes, n: int, seed: int = 0) -> Iterator[bytes]:
    """n broken copies: bytes changed, bits flipped, cut, spliced, blocks doubled or dropped, nasty words put in."""
    rng = np.random.default_rng(seed)
    kinds = (_flip_bits, _set_bytes, _cut, _drop_block, _double_block, _splice, _insert_nasty, _replace_word)
    for i in range(n):
        broken = data
        for _ in range(int(rng.integers(1, 4))):
            broken = kinds[int(rng.integers(len(kinds)))](broken, rng) if broken else broken
        yield broken if i % 50 else data[: int(rng.integers(0, len(data) + 1))]


def survives(
    read: Callable[[Path], object], data: bytes, path: Path, allowed: type[Exception] = FootfallError,
    max_seconds: float = 10.0,
) -> bool:  # fmt: skip
    """Write, read, and let only the allowed error pass; True when it was read. A hang counts as a failure."""
    path.write_bytes(data)
    start = time.process_time()
    try:
        read(path)
    except allowed as error:
        text = str(error)
        assert text.strip(), "an error must say something"
        assert "\n" not in text, f"an error must be one line, got {text!r}"
        return False
    finally:
        used = time.process_time() - start
        assert used < max_seconds, f"reading took {used:.1f} s of processor time"
    return True


def _at(data: bytes, rng: np.random.Generator) -> int:
    # half of the damage goes to the head of the file, where headers and hierarchies are
    span = len(data) if rng.random() < 0.5 else min(len(data), 2000)
    return int(rng.integers(span))


def _flip_bits(data: bytes, rng: np.random.Generator) -> bytes:
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 6))):
        out[_at(data, rng)] ^= 1 << int(rng.integers(8))
    return bytes(out)


def _set_bytes(data: bytes, rng: np.random.Generator) -> bytes:
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 6))):
        out[_at(data, rng)] = int(rng.integers(256))
    return bytes(out)


def _cut(data: bytes, rng: np.random.Generator) -> bytes:
    return data[: _at(data, rng)]


def _block(data: bytes, rng: np.random.Generator) -> tuple[int, int]:
    start = _at(data, rng)
    return start, min(len(data), start + int(rng.integers(1, 200)))


def _drop_block(data: bytes, rng: np.random.Generator) -> bytes:
    a, b = _block(data, rng)
    return data[:a] + data[b:]


def _double_block(data: bytes, rng: np.random.Generator) -> bytes:
    a, b = _block(data, rng)
    return data[:b] + data[a:]


def _splice(data: bytes, rng: np.random.Generator) -> bytes:
    (a, b), at = _block(data, rng), _at(data, rng)
    return data[:at] + data[a:b] + data[at:]


def _insert_nasty(data: bytes, rng: np.random.Generator) -> bytes:
    at = _at(data, rng)
    return data[:at] + NASTY[int(rng.integers(len(NASTY)))] + data[at:]


def _replace_word(data: bytes, rng: np.random.Generator) -> bytes:
    words = data.split(b" ")
    words[int(rng.integers(len(words)))] = NASTY[int(rng.integers(len(NASTY)))]
    return b" ".join(words)
