"""glTF accessors: typed, strided, sparse or normalised arrays out of buffers, bounds checked before any allocation.

Khronos glTF 2.0 specification, sections 3.6.2 (accessors) and 3.11 (normalised integers).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.io.gltf_container import GltfDocument
from footfall.io.text import LARGEST

COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
SPARE_BYTES = 64 << 20
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Accessors:
    """Reads the accessors of one document, each at most once."""

    def __init__(self, document: GltfDocument) -> None:
        self.document = document
        self.decoded = 0  # bytes handed out: many accessors may name the same bytes of the file
        self._floats: dict[int, np.ndarray] = {}

    def floats(self, index: int, kinds: tuple[str, ...], place: str) -> np.ndarray:
        """(count, width) float64, finite; normalised integers become -1 to 1 or 0 to 1. Read-only."""
        self._check_kind(index, kinds, place)
        if index not in self._floats:
            raw = self._values(index)
            values = raw.astype(float)
            if self.document.item("accessors", index).get("normalized") is True and raw.dtype.kind in "iu":
                limit = float(np.iinfo(raw.dtype).max)
                values = np.maximum(values / limit, -1.0)  # specification 3.11, also for the most negative value
            bad = ~(np.abs(values) < LARGEST).all(axis=1)
            if bad.any():
                row = int(bad.argmax())
                self.document.fail(f"/accessors/{index}[{row}]", "finite numbers under 1e9 in size", str(values[row]))
            values.flags.writeable = False
            self._floats[index] = values
        return self._floats[index]

    def integers(self, index: int, kinds: tuple[str, ...], place: str) -> np.ndarray:
        """(count, width) int64 of an accessor of unsigned integers."""
        self._check_kind(index, kinds, place)
        values = self._values(index)
        if values.dtype.kind != "u":
            self.document.fail(f"/accessors/{index}/componentType", f"unsigned integers for {place}", str(values.dtype))
        return values.astype(np.int64)

    def _check_kind(self, index: int, kinds: tuple[str, ...], place: str) -> None:
        kind = self.document.item("accessors", index).get("type")
        if kind not in kinds:
            self.document.fail(f"/accessors/{index}/type", f"{' or '.join(kinds)} for {place}", kind)

    def _values(self, index: int) -> np.ndarray:
        """(count, width) in the stored type; a copy, so nothing aliases the file."""
        document, place = self.document, f"/accessors/{index}"
        accessor = document.item("accessors", index)
        dtype, width = self._layout(accessor, place)
        count = document.whole(accessor, "count", place, low=1)
        self.decoded += count * width * 8
        view = document.index(accessor, "bufferView", "bufferViews", place)
        sparse = document.child(accessor, "sparse", place)
        if view is None:
            # zeros cost no bytes in the file, so their number is held against the size of the file instead
            if count * width * dtype.itemsize > max(document.size, 4096):
                document.fail(f"{place}/count", "no more zeros than the file has bytes", count)
            values = np.zeros((count, width), dtype)
        else:
            offset = document.whole(accessor, "byteOffset", place, default=0)
            window = self._strided(view, offset, dtype, width, count, place)
            if self.decoded > SPARE_BYTES + 32 * document.size:
                document.fail(place, "accessors that share a few bytes at most", "far more data than bytes")
            values = np.array(window)
        if sparse is not None:
            self._apply_sparse(values, sparse, f"{place}/sparse")
        return values

    def _layout(self, accessor: dict[str, Any], place: str) -> tuple[np.dtype, int]:
        component, kind = accessor.get("componentType"), accessor.get("type")
        if not isinstance(component, int) or component not in COMPONENTS:
            self.document.fail(f"{place}/componentType", f"one of {', '.join(map(str, COMPONENTS))}", component)
        if not isinstance(kind, str) or kind not in WIDTHS:
            self.document.fail(f"{place}/type", f"one of {', '.join(WIDTHS)}", kind)
        return np.dtype(COMPONENTS[component]), WIDTHS[kind]

    def _strided(self, view: int, offset: int, dtype: np.dtype, width: int, count: int, place: str) -> np.ndarray:
        """A read-only window (count, width) onto a bufferView; every byte of it is known to be there."""
        document, at = self.document, f"/bufferViews/{view}"
        entry = document.item("bufferViews", view)
        data = document.buffer(document.must_index(entry, "buffer", "buffers", at))
        start = document.whole(entry, "byteOffset", at, default=0)
        length = document.whole(entry, "byteLength", at, low=1)
        if start + length > len(data):
            document.fail(f"{at}/byteLength", f"at most the {max(len(data) - start, 0)} bytes left", length)
        size = dtype.itemsize * width
        stride = document.whole(entry, "byteStride", at, default=size)
        if stride < size:
            document.fail(f"{at}/byteStride", f"at least the {size} bytes of an element", stride)
        needed = offset + stride * (count - 1) + size
        if needed > length:
            document.fail(f"{place}/count", f"{length} bytes of {at} to hold it", f"{count} elements, {needed} bytes")
        flat = np.frombuffer(data, np.uint8, count=length, offset=start)
        rows = np.lib.stride_tricks.as_strided(flat[offset:], shape=(count, size), strides=(stride, 1), writeable=False)
        return np.ascontiguousarray(rows).view(dtype)  # elements need not be aligned to their type

    def _apply_sparse(self, values: np.ndarray, sparse: dict[str, Any], place: str) -> None:
        """Overwrite the listed elements (specification 3.6.2.3); indices must rise and stay inside."""
        document = self.document
        count = document.whole(sparse, "count", place, low=1)
        where = document.child(sparse, "indices", place) or {}
        what = document.child(sparse, "values", place) or {}
        component = document.whole(where, "componentType", f"{place}/indices")
        if component not in (5121, 5123, 5125):
            document.fail(f"{place}/indices/componentType", "5121, 5123 or 5125", component)
        dtype = np.dtype(COMPONENTS[component])
        rows = self._part(where, dtype, 1, count, f"{place}/indices")[:, 0].astype(np.int64)
        if (np.diff(rows) <= 0).any() or rows[-1] >= len(values):
            document.fail(f"{place}/indices", f"rising indices below {len(values)}", str(rows[:8].tolist()))
        values[rows] = self._part(what, values.dtype, values.shape[1], count, f"{place}/values")

    def _part(self, entry: dict[str, Any], dtype: np.dtype, width: int, count: int, place: str) -> np.ndarray:
        view = self.document.must_index(entry, "bufferView", "bufferViews", place)
        offset = self.document.whole(entry, "byteOffset", place, default=0)
        return self._strided(view, offset, dtype, width, count, place)
