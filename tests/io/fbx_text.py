"""A binary FBX file told as an ASCII one: what a test needs, since Blender writes only the former."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

HEAD = 27  # bytes before the first record: magic and version
SCALARS = {"Y": "<h", "C": "<b", "I": "<i", "F": "<f", "D": "<d", "L": "<q"}
ARRAYS = {"f": "f", "d": "d", "l": "q", "i": "i", "b": "b"}


def as_text(path: Path) -> str:
    """The whole file as FBX's ASCII form."""
    data = path.read_bytes()
    version = struct.unpack_from("<I", data, 23)[0]
    lines = [f"; FBX {version // 1000}.{version % 1000 // 100}.0 project file", ""]
    at = HEAD
    while at < len(data):
        record, at = _record(data, at, version)
        if record is None:
            break
        _tell(record, 0, lines)
    return "\n".join(lines) + "\n"


def _record(data: bytes, at: int, version: int) -> tuple[tuple[str, list[Any], list[Any]] | None, int]:
    form = "<QQQB" if version >= 7500 else "<IIIB"
    end, count, _, length = struct.unpack_from(form, data, at)
    at += struct.calcsize(form)
    if end == 0:
        return None, at
    name = data[at : at + length].decode()
    at += length
    values = []
    for _ in range(count):
        value, at = _value(data, at)
        values.append(value)
    children = []
    while at < end:
        child, at = _record(data, at, version)
        if child is None:
            break
        children.append(child)
    return (name, values, children), end


def _value(data: bytes, at: int) -> tuple[tuple[str, Any], int]:
    kind = chr(data[at])
    at += 1
    if kind in SCALARS:
        return (kind, struct.unpack_from(SCALARS[kind], data, at)[0]), at + struct.calcsize(SCALARS[kind])
    if kind in ARRAYS:
        count, packed, length = struct.unpack_from("<III", data, at)
        raw = data[at + 12 : at + 12 + length]
        raw = zlib.decompress(raw) if packed else raw
        return (kind, struct.unpack(f"<{count}{ARRAYS[kind]}", raw)), at + 12 + length
    length = struct.unpack_from("<I", data, at)[0]
    return (kind, data[at + 4 : at + 4 + length]), at + 4 + length


def _tell(record: tuple[str, list[Any], list[Any]], depth: int, lines: list[str]) -> None:
    name, values, children = record
    if any(kind == "R" for kind, _ in values):
        return  # bytes have no place in text
    pad = "\t" * depth
    if len(values) == 1 and values[0][0] in ARRAYS:
        numbers = values[0][1]
        lines += [f"{pad}{name}: *{len(numbers)} {{", f"{pad}\ta: {','.join(repr(n) for n in numbers)}", f"{pad}}}"]
        return
    head = f"{pad}{name}: {', '.join(_shown(kind, value) for kind, value in values)}"
    if not children:
        lines.append(head)
        return
    lines.append(f"{head} {{")
    for child in children:
        _tell(child, depth + 1, lines)
    lines.append(f"{pad}}}")


def _shown(kind: str, value: Any) -> str:
    if kind == "C":
        return "T" if value else "F"
    if kind == "S":
        called, _, of = value.partition(b"\x00\x01")
        text = (of + b"::" + called if of or b"\x00\x01" in value else called).decode("utf-8", "replace")
        return '"' + text.replace('"', "&quot;") + '"'
    return repr(value)
