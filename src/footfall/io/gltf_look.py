"""glTF materials as far as footfall draws them: the base colour of each, and the picture it comes from.

Khronos glTF 2.0 specification, section 3.9.2. Pictures are kept as the file has them and decoded when they are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from footfall.core.clip import SkinLook
from footfall.core.errors import ReadError
from footfall.io.gltf_container import GltfDocument, sibling

WHITE = [1.0, 1.0, 1.0, 1.0]


class DressedPart(Protocol):
    """What the look of a mesh asks of its parts."""

    @property
    def vertices(self) -> np.ndarray: ...  # (V, 3)
    @property
    def triangles(self) -> np.ndarray: ...  # (F, 3)
    @property
    def uv(self) -> np.ndarray: ...  # (V, 2), or none
    @property
    def material(self) -> int: ...  # -1: none


def read_look(document: GltfDocument, parts: Sequence[DressedPart]) -> SkinLook:
    """The look of parts that are merged in this order."""
    used = sorted({part.material for part in parts})
    found = [_material(document, material) for material in used]
    uv = [part.uv if len(part.uv) == len(part.vertices) else np.zeros((len(part.vertices), 2)) for part in parts]
    of = [np.full(len(part.triangles), used.index(part.material), np.int32) for part in parts]
    colors = np.array([color for color, _ in found])
    return SkinLook(np.concatenate(uv), np.concatenate(of), colors, tuple(picture for _, picture in found))


def _material(document: GltfDocument, material: int) -> tuple[list[float], bytes]:
    if material < 0:
        return [0.7, 0.7, 0.72], b""
    at = f"/materials/{material}"
    look = document.child(document.item("materials", material), "pbrMetallicRoughness", at) or {}
    color = document.numbers(look, "baseColorFactor", at, WHITE)[:3]
    texture = document.child(look, "baseColorTexture", at)
    if texture is None:
        return color, b""
    try:
        which = document.must_index(texture, "index", "textures", f"{at}/baseColorTexture")
        image = document.index(document.item("textures", which), "source", "images", f"/textures/{which}")
        return color, b"" if image is None else _picture(document, image)
    except ReadError as error:  # a body without its picture is still a body
        document.reading.warn(f"{at}/baseColorTexture", f"left out: expected {error.expected}")
        return color, b""


def _picture(document: GltfDocument, image: int) -> bytes:
    place, entry = f"/images/{image}", document.item("images", image)
    view = document.index(entry, "bufferView", "bufferViews", place)
    if view is not None:
        return document.view_bytes(view)
    uri = document.text(entry, "uri", place)
    return document.data_uri(uri, place) if uri[:5].lower() == "data:" else sibling(document, uri, f"{place}/uri")
