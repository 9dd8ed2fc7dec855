"""glTF document: GLB chunks or JSON text, buffers, their URIs and their arrays; every number checked before it is used.

Khronos glTF 2.0 specification, sections 3.6 (buffers and accessors), 3.11 (normalised integers), 4 (GLB) and 2.8
(URIs). Nothing here allocates from a declared length, follows a path out of the file's folder, or opens a connection.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote

import numpy as np

from footfall.io.raw import Reading
from footfall.io.text import LARGEST, parse_json

JsonObject = dict[str, Any]

MAX_JSON_BYTES = 512 << 20
MAX_BUFFER_BYTES = 2 << 30
SPARE_BYTES = 64 << 20
COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}

# extensions that touch only how surfaces look or are packed; anything else that is required could change the motion
HARMLESS = ("KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "MSFT_texture_", "EXT_lights_")
HARMLESS_EXACT = ("KHR_mesh_quantization", "KHR_draco_mesh_compression", "KHR_node_visibility")


@dataclass
class GltfDocument:
    """A parsed glTF file: its JSON object, the GLB's binary chunk, and the buffers and arrays loaded so far."""

    reading: Reading
    json: JsonObject
    chunk: memoryview | None = None  # the BIN chunk of a GLB
    size: int = 0  # bytes at hand: the file and every buffer loaded; what declared numbers are compared with
    loaded: dict[int, memoryview] = field(default_factory=dict)
    arrays: dict[str, list[JsonObject]] = field(default_factory=dict)  # top-level arrays already checked
    floats_of: dict[int, np.ndarray] = field(default_factory=dict)  # accessors already read
    decoded: int = 0  # bytes handed out: many accessors may name the same bytes of the file

    def fail(self, place: str, expected: str, found: object = "", cure: str = "") -> NoReturn:
        raise self.reading.fail(place, expected, _short(found), cure)

    def items(self, key: str) -> list[JsonObject]:
        """A top-level array of objects ("nodes", "skins", …); empty when absent."""
        if key not in self.arrays:
            self.arrays[key] = self.objects(self.json, key, "")
        return self.arrays[key]

    def objects(self, owner: JsonObject, key: str, place: str) -> list[JsonObject]:
        value = owner.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.fail(f"{place}/{key}", "an array of objects", value)
        return value

    def item(self, key: str, index: int) -> JsonObject:
        return self.items(key)[index]

    def whole(self, owner: JsonObject, key: str, place: str, default: int | None = None, low: int = 0) -> int:
        """A whole number of at least `low`; default None means it must be there."""
        value = owner.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < low:
            self.fail(f"{place}/{key}", f"a whole number of at least {low}", "nothing" if value is None else value)
        return value

    def index(self, owner: JsonObject, key: str, of: str, place: str) -> int | None:
        """An index into a top-level array, or None when the key is absent."""
        if key not in owner:
            return None
        return self.check_index(owner[key], of, f"{place}/{key}")

    def must_index(self, owner: JsonObject, key: str, of: str, place: str) -> int:
        if key not in owner:
            self.fail(f"{place}/{key}", f"an index into /{of}", "nothing")
        return self.check_index(owner[key], of, f"{place}/{key}")

    def check_index(self, value: object, of: str, place: str) -> int:
        count = len(self.items(of))
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < count:
            self.fail(place, f"an index into /{of} (0 to {count - 1})", value)
        return value

    def indices(self, owner: JsonObject, key: str, of: str, place: str) -> list[int]:
        value = owner.get(key, [])
        if not isinstance(value, list):
            self.fail(f"{place}/{key}", f"an array of indices into /{of}", value)
        return [self.check_index(v, of, f"{place}/{key}/{i}") for i, v in enumerate(value)]

    def numbers(self, owner: JsonObject, key: str, place: str, default: list[float]) -> list[float]:
        """As many finite numbers as the default has."""
        value = owner.get(key, default)
        if not isinstance(value, list) or len(value) != len(default) or not all(map(_is_number, value)):
            self.fail(f"{place}/{key}", f"{len(default)} finite numbers under {LARGEST:.0e} in size", value)
        return [float(v) for v in value]

    def text(self, owner: JsonObject, key: str, place: str, default: str = "") -> str:
        value = owner.get(key, default)
        if not isinstance(value, str):
            self.fail(f"{place}/{key}", "a text", value)
        # half of a surrogate pair can be written as a JSON escape, but not printed or saved
        return value.encode("utf-8", "replace").decode("utf-8")

    def child(self, owner: JsonObject, key: str, place: str) -> JsonObject | None:
        """A nested object, or None when absent."""
        value = owner.get(key)
        if value is not None and not isinstance(value, dict):
            self.fail(f"{place}/{key}", "an object", value)
        return value

    def buffer(self, index: int) -> memoryview:
        """The bytes of a buffer, cut to its declared length, which must be there in full."""
        if index not in self.loaded:
            place, entry = f"/buffers/{index}", self.item("buffers", index)
            length = self.whole(entry, "byteLength", place, low=1)
            data = self._buffer_data(index, entry, place)
            if len(data) < length:
                self.fail(f"{place}/byteLength", f"at most the {len(data)} bytes that are there", length)
            self.loaded[index] = data[:length]
        return self.loaded[index]

    def _buffer_data(self, index: int, entry: JsonObject, place: str) -> memoryview:
        if "uri" not in entry:
            if index != 0 or self.chunk is None:
                self.fail(f"{place}/uri", "a uri, or the binary chunk of a .glb", "neither")
            return self.chunk
        uri = self.text(entry, "uri", place)
        data = self.data_uri(uri, place) if uri[:5].lower() == "data:" else sibling(self, uri, f"{place}/uri")
        self.size += len(data)
        if self.size > MAX_BUFFER_BYTES:
            self.fail(place, f"buffers of at most {MAX_BUFFER_BYTES >> 30} GB together", f"{self.size} bytes")
        return memoryview(data)

    def view_bytes(self, index: int) -> bytes:
        """The bytes of a bufferView, all of which must be there."""
        place, entry = f"/bufferViews/{index}", self.item("bufferViews", index)
        data = self.buffer(self.must_index(entry, "buffer", "buffers", place))
        start = self.whole(entry, "byteOffset", place, default=0)
        length = self.whole(entry, "byteLength", place, low=1)
        if start + length > len(data):
            self.fail(f"{place}/byteLength", f"at most the {max(len(data) - start, 0)} bytes left", length)
        return bytes(data[start : start + length])

    def data_uri(self, uri: str, place: str) -> bytes:
        head, comma, payload = uri.partition(",")
        if not comma or not head.lower().endswith(";base64"):
            self.fail(f"{place}/uri", "a data URI in base64", head)
        try:
            return base64.b64decode(unquote(payload, errors="strict"), validate=True)
        except (binascii.Error, ValueError) as error:
            self.fail(f"{place}/uri", "valid base64", str(error))

    # --- accessors: typed, strided, sparse or normalised arrays out of buffers -----------------------------------
    def floats(self, index: int, kinds: tuple[str, ...], place: str) -> np.ndarray:
        """(count, width) float64, finite; normalised integers become -1 to 1 or 0 to 1. Read-only."""
        self._check_kind(index, kinds, place)
        if index not in self.floats_of:
            raw = self.values(index)
            values = raw.astype(float)
            if self.item("accessors", index).get("normalized") is True and raw.dtype.kind in "iu":
                limit = float(np.iinfo(raw.dtype).max)
                values = np.maximum(values / limit, -1.0)  # specification 3.11, also for the most negative value
            bad = ~(np.abs(values) < LARGEST).all(axis=1)
            if bad.any():
                row = int(bad.argmax())
                self.fail(f"/accessors/{index}[{row}]", "finite numbers under 1e9 in size", str(values[row]))
            values.flags.writeable = False
            self.floats_of[index] = values
        return self.floats_of[index]

    def integers(self, index: int, kinds: tuple[str, ...], place: str) -> np.ndarray:
        """(count, width) int64 of an accessor of unsigned integers."""
        self._check_kind(index, kinds, place)
        values = self.values(index)
        if values.dtype.kind != "u":
            self.fail(f"/accessors/{index}/componentType", f"unsigned integers for {place}", str(values.dtype))
        return values.astype(np.int64)

    def _check_kind(self, index: int, kinds: tuple[str, ...], place: str) -> None:
        kind = self.item("accessors", index).get("type")
        if kind not in kinds:
            self.fail(f"/accessors/{index}/type", f"{' or '.join(kinds)} for {place}", kind)

    def values(self, index: int) -> np.ndarray:
        """(count, width) in the stored type; a copy, so nothing aliases the file."""
        place = f"/accessors/{index}"
        accessor = self.item("accessors", index)
        dtype, width = self._layout(accessor, place)
        count = self.whole(accessor, "count", place, low=1)
        self.decoded += count * width * 8
        sparse = self.child(accessor, "sparse", place)
        if "bufferView" not in accessor:
            # zeros cost no bytes in the file, so their number is held against the size of the file instead
            if count * width * dtype.itemsize > max(self.size, 4096):
                self.fail(f"{place}/count", "no more zeros than the file has bytes", count)
            values = np.zeros((count, width), dtype)
        else:
            window = self._strided(accessor, dtype, width, count, place)
            if self.decoded > SPARE_BYTES + 32 * self.size:
                self.fail(place, "accessors that share a few bytes at most", "far more data than bytes")
            values = np.array(window)
        if sparse is not None:
            self._apply_sparse(values, sparse, f"{place}/sparse")
        return values

    def _layout(self, accessor: JsonObject, place: str) -> tuple[np.dtype, int]:
        component, kind = accessor.get("componentType"), accessor.get("type")
        if not isinstance(component, int) or component not in COMPONENTS:
            self.fail(f"{place}/componentType", f"one of {', '.join(map(str, COMPONENTS))}", component)
        if not isinstance(kind, str) or kind not in WIDTHS:
            self.fail(f"{place}/type", f"one of {', '.join(WIDTHS)}", kind)
        return np.dtype(COMPONENTS[component]), WIDTHS[kind]

    def _strided(self, owner: JsonObject, dtype: np.dtype, width: int, count: int, place: str) -> np.ndarray:
        """A read-only window (count, width) onto the owner's bufferView; every byte of it is known to be there."""
        view = self.must_index(owner, "bufferView", "bufferViews", place)
        offset = self.whole(owner, "byteOffset", place, default=0)
        at, entry = f"/bufferViews/{view}", self.item("bufferViews", view)
        data = self.buffer(self.must_index(entry, "buffer", "buffers", at))
        start = self.whole(entry, "byteOffset", at, default=0)
        length = self.whole(entry, "byteLength", at, low=1)
        if start + length > len(data):
            self.fail(f"{at}/byteLength", f"at most the {max(len(data) - start, 0)} bytes left", length)
        size = dtype.itemsize * width
        stride = self.whole(entry, "byteStride", at, default=size)
        if stride < size:
            self.fail(f"{at}/byteStride", f"at least the {size} bytes of an element", stride)
        needed = offset + stride * (count - 1) + size
        if needed > length:
            self.fail(f"{place}/count", f"{length} bytes of {at} to hold it", f"{count} elements, {needed} bytes")
        flat = np.frombuffer(data, np.uint8, count=length, offset=start)
        rows = np.lib.stride_tricks.as_strided(flat[offset:], shape=(count, size), strides=(stride, 1), writeable=False)
        return np.ascontiguousarray(rows).view(dtype)  # elements need not be aligned to their type

    def _apply_sparse(self, values: np.ndarray, sparse: JsonObject, place: str) -> None:
        """Overwrite the listed elements (specification 3.6.2.3); indices must rise and stay inside."""
        count = self.whole(sparse, "count", place, low=1)
        where = self.child(sparse, "indices", place) or {}
        what = self.child(sparse, "values", place) or {}
        component = self.whole(where, "componentType", f"{place}/indices")
        if component not in (5121, 5123, 5125):
            self.fail(f"{place}/indices/componentType", "5121, 5123 or 5125", component)
        dtype = np.dtype(COMPONENTS[component])
        rows = self._strided(where, dtype, 1, count, f"{place}/indices")[:, 0].astype(np.int64)
        if (np.diff(rows) <= 0).any() or rows[-1] >= len(values):
            self.fail(f"{place}/indices", f"rising indices below {len(values)}", str(rows[:8].tolist()))
        values[rows] = self._strided(what, values.dtype, values.shape[1], count, f"{place}/values")


def open_document(reading: Reading) -> GltfDocument:
    """Read a .glb or .gltf as far as its JSON; buffers follow when they are asked for."""
    data = reading.path.read_bytes()
    is_glb = reading.path.suffix.lower() == ".glb" or data[:4] == b"glTF"
    text, chunk = _glb_chunks(reading, data) if is_glb else (memoryview(data), None)
    if len(text) > MAX_JSON_BYTES:
        raise reading.fail("", f"JSON of at most {MAX_JSON_BYTES >> 20} MB", f"{len(text) >> 20} MB")
    document = GltfDocument(reading, _parse_json(reading, bytes(text)), chunk, size=len(data))
    asset = document.child(document.json, "asset", "") or {}
    version = document.text(asset, "version", "/asset", "none")
    if not version.startswith("2."):
        document.fail("/asset/version", "glTF 2.x", version, "convert glTF 1 files with a tool that reads them")
    _check_extensions(document)
    return document


def _glb_chunks(reading: Reading, data: bytes) -> tuple[memoryview, memoryview | None]:
    """JSON and BIN chunk of a GLB (specification 4.4)."""
    if len(data) < 20:
        raise reading.fail("byte 0", "a GLB header and a JSON chunk (20 bytes)", f"{len(data)} bytes")
    magic, version, total = struct.unpack_from("<4sII", data)
    if magic != b"glTF":
        raise reading.fail("byte 0", "the magic bytes 'glTF'", repr(magic))
    if version != 2:
        raise reading.fail("byte 4", "GLB version 2", str(version))
    if total > len(data):
        raise reading.fail("byte 8", f"{total} bytes as the header says", f"{len(data)}", "the file is cut off")
    if total < len(data):
        reading.warn("byte 8", f"{len(data) - total} bytes after the end that the header gives were ignored")
    chunks, offset = [], 12
    while offset + 8 <= total:
        length, kind = struct.unpack_from("<I4s", data, offset)
        if length > total - offset - 8:
            left = total - offset - 8
            raise reading.fail(f"byte {offset}", f"a chunk of at most the {left} bytes left", f"{length}")
        chunks.append((kind, memoryview(data)[offset + 8 : offset + 8 + length]))
        offset += 8 + length
    if not chunks or chunks[0][0] != b"JSON":
        raise reading.fail("byte 12", "the JSON chunk first", repr(chunks[0][0]) if chunks else "no chunk")
    binary = chunks[1][1] if len(chunks) > 1 and chunks[1][0] == b"BIN\0" else None
    return chunks[0][1], binary


def _parse_json(reading: Reading, text: bytes) -> JsonObject:
    try:
        value = parse_json(reading, text.decode("utf-8-sig").rstrip("\0"))
    except UnicodeDecodeError as error:
        raise reading.fail(f"byte {error.start}", "UTF-8 text", "other bytes") from None
    if not isinstance(value, dict):
        raise reading.fail("", "a JSON object", type(value).__name__)
    return value


def _check_extensions(document: GltfDocument) -> None:
    required = document.json.get("extensionsRequired", [])
    if not isinstance(required, list):
        document.fail("/extensionsRequired", "an array of names", required)
    for i, name in enumerate(required):
        if not isinstance(name, str) or not (name.startswith(HARMLESS) or name in HARMLESS_EXACT):
            expected, cure = "no extension that footfall does not know", "export the file again without it"
            document.fail(f"/extensionsRequired/{i}", expected, name, cure)


def sibling(document: GltfDocument, uri: str, place: str) -> bytes:
    """A file named by a relative URI, in the document's folder or below it; anything else is refused unopened."""
    name = unquote(uri)
    parts = name.split("/")
    unsafe = not name or any(c in name for c in "\\:\0?#") or any(p in ("", ".", "..") for p in parts)
    if unsafe or any(ord(c) < 32 for c in name):
        document.fail(place, "a file in the same folder, by a plain relative path", uri)
    folder = document.reading.path.resolve().parent
    try:
        path = Path(folder, *parts).resolve()
        if not path.is_relative_to(folder):
            document.fail(place, "a file in the same folder", f"{uri}, a link that leads elsewhere")
        if not path.is_file():
            document.fail(place, f"the file {name} beside this one", "nothing there")
        if path.stat().st_size > MAX_BUFFER_BYTES:
            document.fail(place, f"at most {MAX_BUFFER_BYTES >> 30} GB", f"{path.stat().st_size} bytes")
        return path.read_bytes()
    except (OSError, ValueError, RuntimeError) as error:  # unreadable, too long a name, a loop of links
        document.fail(place, f"the file {_short(name)} beside this one", str(error))


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < LARGEST and math.isfinite(value)


def _short(value: object) -> str:
    """At most one line of whatever was found, printable."""
    text = value if isinstance(value, str) else repr(value)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= 80 else text[:77] + "…"
