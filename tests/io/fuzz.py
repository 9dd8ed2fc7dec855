"""Broken copies of a valid file, for every reader's fuzz test: only success or ReadError may come of them."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

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


# --- JSON by its values -----------------------------------------------------------------------------------------------

NASTY_VALUES: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 3, 255, 2**31 - 1, 2**63, 10**400, -0.5, 1e-320, 1e300, float("nan"), float("inf"),
    "", "\0", "\x1b[2J", "\ud800", "../../etc/passwd", "x" * 300, "a/" * 2000, [], [0], [[[]]], [1e38] * 16, {},
    {"a": {}}, "walk", "builtin",
)  # fmt: skip


def json_mutations(data: bytes, n: int, seed: int = 0) -> Iterator[bytes]:
    """n copies of a JSON file with some values replaced, taken out, doubled or renamed; none where it is no JSON."""
    try:
        json.loads(data)
    except ValueError:
        return
    rng = np.random.default_rng(seed)
    for _ in range(n):
        document = json.loads(data)
        for _ in range(int(rng.integers(1, 4))):
            places = list(_places(document))
            if places:
                _change(*places[int(rng.integers(len(places)))], rng)
        yield json.dumps(document).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """(owner, key or number) of every value inside a JSON value."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def _change(owner: Any, key: Any, rng: np.random.Generator) -> None:
    way = int(rng.integers(6))
    if way == 0:
        del owner[key]
    elif way == 1 and isinstance(owner, list):
        owner.insert(key, owner[key])
    elif way == 2 and isinstance(owner, dict):
        owner[f"{key}x"] = owner.pop(key)
    elif way == 3 and isinstance(owner[key], str):
        owner[key] = owner[key][: int(rng.integers(len(owner[key]) + 1))] + str(NASTY_VALUES[int(rng.integers(16, 23))])
    else:
        owner[key] = deepcopy(NASTY_VALUES[int(rng.integers(len(NASTY_VALUES)))])


# --- containers by what is in them: their own sums stay right, so that damage gets past them --------------------------


def npz_mutations(data: bytes, n: int, seed: int = 0) -> Iterator[bytes]:
    """n copies of a zip with one member broken, dropped or renamed; none where it is no zip."""
    if not data.startswith(b"PK"):
        return
    rng = np.random.default_rng(seed)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    for _ in range(n):
        chosen = str(rng.choice(list(members)))
        changed = dict(members)
        content = changed.pop(chosen)
        way = int(rng.integers(8))
        if way == 0:
            changed[chosen.replace(".", "x.", 1)] = content
        elif way < 7:
            changed[chosen] = next(_member_mutations(content, rng))
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, part in changed.items():
                archive.writestr(name, part)
        yield buffer.getvalue()


def _member_mutations(content: bytes, rng: np.random.Generator) -> Iterator[bytes]:
    """Of an npy: its JSON, where it holds one as bytes, its numbers, or anything."""
    seed = int(rng.integers(1 << 30))
    start = 10 + int.from_bytes(content[8:10], "little")
    head, body = content[:start], content[start:]
    if body[:1] == b"{" and rng.random() < 0.8:
        told = next(json_mutations(body, 2, seed), body)
        text = head.decode("latin-1").replace(f"({len(body)},)", f"({len(told)},)")
        yield text.encode("latin-1") + told
    if rng.random() < 0.7 and len(body) >= 8:
        numbers = bytearray(body)
        for _ in range(int(rng.integers(1, 4))):
            at = 8 * int(rng.integers(len(body) // 8))
            value = (np.nan, np.inf, 0.0, -1.0, 1e300, 1e9, 1e-320)[int(rng.integers(7))]
            numbers[at : at + 8] = np.float64(value).tobytes()
        yield head + bytes(numbers)
    yield from mutations(content, 2, seed)


def glb_mutations(data: bytes, n: int, seed: int = 0) -> Iterator[bytes]:
    """n copies of a GLB with its JSON or its numbers broken; none where it is none."""
    if not data.startswith(b"glTF"):
        return
    size = int.from_bytes(data[12:16], "little")
    text, rest = data[20 : 20 + size], data[20 + size + 8 :]
    for told in json_mutations(text, n, seed):
        padded = told + b" " * (-len(told) % 4)
        chunks = (
            len(padded).to_bytes(4, "little") + b"JSON" + padded + len(rest).to_bytes(4, "little") + b"BIN\0" + rest
        )
        yield b"glTF" + (2).to_bytes(4, "little") + (12 + len(chunks)).to_bytes(4, "little") + chunks


def glb_number_mutations(data: bytes, n: int, seed: int = 0) -> Iterator[bytes]:
    """n copies of a GLB with a few numbers of its arrays broken, its JSON whole; none where it is none."""
    if not data.startswith(b"glTF"):
        return
    rng, start = np.random.default_rng(seed), 20 + int.from_bytes(data[12:16], "little") + 8
    for _ in range(n):
        out = bytearray(data)
        for _ in range(int(rng.integers(1, 4))):
            at = start + int(rng.integers((len(data) - start) // 4)) * 4
            if rng.random() < 0.5:
                out[at + int(rng.integers(4))] ^= 1 << int(rng.integers(8))
            else:
                value = (np.nan, np.inf, -1.0, 0.0, 1e30, 2.0)[int(rng.integers(6))]
                out[at : at + 4] = np.float32(value).tobytes()
        yield bytes(out)
