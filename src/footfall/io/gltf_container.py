"""glTF container: GLB chunks or JSON text, buffers and their URIs; every number checked before it is believed.

Khronos glTF 2.0 specification, sections 3.6 (buffers), 4 (GLB) and 2.8 (URIs). Nothing here allocates from a declared
length, follows a path out of the file's folder, or opens a connection.
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

from footfall.io.raw import Reading
from footfall.io.text import LARGEST, parse_json

MAX_JSON_BYTES = 512 << 20
MAX_BUFFER_BYTES = 2 << 30

# extensions that touch only how surfaces look or are packed; anything else that is required could change the motion
HARMLESS = ("KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "MSFT_texture_", "EXT_lights_")
HARMLESS_EXACT = ("KHR_mesh_quantization", "KHR_draco_mesh_compression", "KHR_node_visibility")


@dataclass
class GltfDocument:
    """A parsed glTF file: its JSON object, the GLB's binary chunk, and the buffers loaded so far."""

    reading: Reading
    json: dict[str, Any]
    chunk: memoryview | None = None  # the BIN chunk of a GLB
    size: int = 0  # bytes at hand: the file and every buffer loaded; what declared numbers are compared with
    loaded: dict[int, memoryview] = field(default_factory=dict)
    arrays: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  # top-level arrays already checked

    def fail(self, place: str, expected: str, found: object = "", cure: str = "") -> NoReturn:
        raise self.reading.fail(place, expected, _short(found), cure)

    def items(self, key: str) -> list[dict[str, Any]]:
        """A top-level array of objects ("nodes", "skins", …); empty when absent."""
        if key not in self.arrays:
            self.arrays[key] = self.objects(self.json, key, "")
        return self.arrays[key]

    def objects(self, owner: dict[str, Any], key: str, place: str) -> list[dict[str, Any]]:
        value = owner.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.fail(f"{place}/{key}", "an array of objects", value)
        return value

    def item(self, key: str, index: int) -> dict[str, Any]:
        return self.items(key)[index]

    def whole(self, owner: dict[str, Any], key: str, place: str, default: int | None = None, low: int = 0) -> int:
        """A whole number of at least `low`; default None means it must be there."""
        value = owner.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < low:
            self.fail(f"{place}/{key}", f"a whole number of at least {low}", _missing(value))
        return value

    def index(self, owner: dict[str, Any], key: str, of: str, place: str) -> int | None:
        """An index into a top-level array, or None when the key is absent."""
        if key not in owner:
            return None
        return self.check_index(owner[key], of, f"{place}/{key}")

    def must_index(self, owner: dict[str, Any], key: str, of: str, place: str) -> int:
        if key not in owner:
            self.fail(f"{place}/{key}", f"an index into /{of}", "nothing")
        return self.check_index(owner[key], of, f"{place}/{key}")

    def check_index(self, value: object, of: str, place: str) -> int:
        count = len(self.items(of))
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < count:
            self.fail(place, f"an index into /{of} (0 to {count - 1})", value)
        return value

    def indices(self, owner: dict[str, Any], key: str, of: str, place: str) -> list[int]:
        value = owner.get(key, [])
        if not isinstance(value, list):
            self.fail(f"{place}/{key}", f"an array of indices into /{of}", value)
        return [self.check_index(v, of, f"{place}/{key}/{i}") for i, v in enumerate(value)]

    def numbers(self, owner: dict[str, Any], key: str, place: str, default: list[float]) -> list[float]:
        """As many finite numbers as the default has."""
        value = owner.get(key, default)
        if not isinstance(value, list) or len(value) != len(default) or not all(map(_is_number, value)):
            self.fail(f"{place}/{key}", f"{len(default)} finite numbers under {LARGEST:.0e} in size", value)
        return [float(v) for v in value]

    def text(self, owner: dict[str, Any], key: str, place: str, default: str = "") -> str:
        value = owner.get(key, default)
        if not isinstance(value, str):
            self.fail(f"{place}/{key}", "a text", value)
        # half of a surrogate pair can be written as a JSON escape, but not printed or saved
        return value.encode("utf-8", "replace").decode("utf-8")

    def child(self, owner: dict[str, Any], key: str, place: str) -> dict[str, Any] | None:
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

    def _buffer_data(self, index: int, entry: dict[str, Any], place: str) -> memoryview:
        if "uri" not in entry:
            if index != 0 or self.chunk is None:
                self.fail(f"{place}/uri", "a uri, or the binary chunk of a .glb", "neither")
            return self.chunk
        uri = self.text(entry, "uri", place)
        data = self._data_uri(uri, place) if uri[:5].lower() == "data:" else _sibling(self, uri, f"{place}/uri")
        self.size += len(data)
        if self.size > MAX_BUFFER_BYTES:
            self.fail(place, f"buffers of at most {MAX_BUFFER_BYTES >> 30} GB together", f"{self.size} bytes")
        return memoryview(data)

    def _data_uri(self, uri: str, place: str) -> bytes:
        head, comma, payload = uri.partition(",")
        if not comma or not head.lower().endswith(";base64"):
            self.fail(f"{place}/uri", "a data URI in base64", head)
        try:
            return base64.b64decode(unquote(payload, errors="strict"), validate=True)
        except (binascii.Error, ValueError) as error:
            self.fail(f"{place}/uri", "valid base64", str(error))


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


def _parse_json(reading: Reading, text: bytes) -> dict[str, Any]:
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
            document.fail(
                f"/extensionsRequired/{i}",
                "no extension that footfall does not know",
                name,
                "export the file again without it",
            )


def _sibling(document: GltfDocument, uri: str, place: str) -> bytes:
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


def _missing(value: object) -> object:
    return "nothing" if value is None else value


def _short(value: object) -> str:
    """At most one line of whatever was found, printable."""
    text = value if isinstance(value, str) else repr(value)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= 80 else text[:77] + "…"
