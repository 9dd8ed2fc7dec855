"""GLB files put together: arrays collected behind a binary chunk, as bufferViews and accessors, and the whole as bytes.

Khronos glTF 2.0 specification, sections 3.6 (buffers and accessors) and 4.4 (GLB).
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import WriteError

FLOAT, U32, U16, U8 = 5126, 5125, 5123, 5121


class GlbBuilder:
    """A glTF document and its binary chunk, both of which only grow: what a file already has stays where it is."""

    def __init__(self, document: dict[str, Any] | None = None, chunk: bytes | memoryview = b"") -> None:
        document = {} if document is None else document
        self.data = bytearray(chunk)
        self.views: list[dict[str, Any]] = list(document.get("bufferViews", ()))
        self.accessors: list[dict[str, Any]] = list(document.get("accessors", ()))
        self.buffers: list[dict[str, Any]] = list(document.get("buffers", ()))

    def add(self, array: np.ndarray, component: int, kind: str, target: int | None = None, bounds: bool = False) -> int:
        """An accessor over a (count, width) or (count,) array; its index."""
        array = np.ascontiguousarray(array)
        self.data.extend(b"\0" * (-len(self.data) % 4))
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes}
        if target is not None:
            view["target"] = target
        self.data.extend(array.tobytes())
        self.views.append(view)
        accessor: dict[str, Any] = {
            "bufferView": len(self.views) - 1,
            "componentType": component,
            "count": len(array),
            "type": kind,
        }
        if bounds:
            flat = array.reshape(len(array), -1)
            accessor["min"], accessor["max"] = flat.min(axis=0).tolist(), flat.max(axis=0).tolist()
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def glb(self, document: dict[str, Any]) -> bytes:
        """The whole file: header, JSON chunk padded with spaces, BIN chunk padded with zeros."""
        self.data.extend(b"\0" * (-len(self.data) % 4))
        if self.data:
            first = {**(self.buffers[0] if self.buffers else {}), "byteLength": len(self.data)}
            arrays = {"buffers": [first, *self.buffers[1:]], "bufferViews": self.views, "accessors": self.accessors}
            document = {**document, **{key: array for key, array in arrays.items() if array}}
        encoded = _json_bytes(document)
        encoded += b" " * (-len(encoded) % 4)
        chunks = struct.pack("<I4s", len(encoded), b"JSON") + encoded
        if self.data:
            chunks += struct.pack("<I4s", len(self.data), b"BIN\0") + bytes(self.data)
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def _json_bytes(document: dict[str, Any]) -> bytes:
    text = json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair in a name: as the escape it came as
        return json.dumps(document, allow_nan=False, separators=(",", ":")).encode("ascii")


def key_times(clip: Clip) -> np.ndarray:
    """Times of the clip's frames as glTF stores them, which must still rise."""
    times = float32(clip.times)
    if (np.diff(times) <= 0).any():
        raise WriteError(
            f"{clip.name or 'clip'}: {clip.frames} frames at {clip.fps:g} fps are too fine for glTF's times"
        )
    return times


def float32(array: np.ndarray) -> np.ndarray:
    return np.asarray(array, dtype="<f4")
