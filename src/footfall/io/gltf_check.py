"""Faults of a glTF file that footfall reads in spite of them, as warnings: other programs may refuse such a file.

Khronos glTF 2.0 specification, section 5 (properties) and 3.6 to 3.7 (what numbers have to be). What reading cannot use
it refuses by itself; `tests/io/test_gltf_verdicts.py` compares both with Khronos's validator.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from footfall.core.errors import ReadError
from footfall.io.gltf_container import GltfDocument, JsonObject

MOST_TOLD = 5  # of one file
NOT_UNIT_3 = 0.00674  # by which a normal's length may differ from 1, as Khronos's validator has it
WEIGHT_OFF = 2e-7  # by which the sum of weights may, for each weight that is not 0; published there too
Fault = tuple[str, str]  # place, what is wrong


class Kind(NamedTuple):
    """What a property has to be."""

    told: str
    fits: Callable[[Any], bool]


def _is_real(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def real(low: float = -float("inf"), high: float = float("inf")) -> Kind:
    limits = f" from {low:g} to {high:g}" if high < float("inf") else f" of at least {low:g}" if low > -1e300 else ""
    return Kind(f"a finite number{limits}", lambda v: _is_real(v) and low <= v <= high)


def whole(low: int = 0, of: tuple[int, ...] = ()) -> Kind:
    told = f"one of {', '.join(map(str, of))}" if of else f"a whole number of at least {low}"
    return Kind(told, lambda v: _is_whole(v) and v >= low and (not of or v in of))


def word(*of: str) -> Kind:
    return Kind(f"one of {', '.join(of)}" if of else "a text", lambda v: isinstance(v, str) and (not of or v in of))


def row(of: Kind, count: int = 0, once: bool = False) -> Kind:
    """A list that is not empty; of so many, where a count is given; once: nothing in it twice."""

    def fits(v: Any) -> bool:
        if not isinstance(v, list) or not v or (count and len(v) != count) or not all(map(of.fits, v)):
            return False
        return not once or len(set(v)) == len(v)

    return Kind(f"a list of {count or 'one or more'}, each {of.told}{', none twice' * once}", fits)


FLAG = Kind("true or false", lambda v: isinstance(v, bool))
THING = Kind("an object", lambda v: isinstance(v, dict))
INDEX, TEXT, SHARE, ANY = whole(), word(), real(0.0, 1.0), real()
NODES, THINGS, WORDS = row(INDEX, once=True), row(THING), row(TEXT, once=True)
Table = Mapping[str, Kind]  # an exclamation mark behind a name: it must be there

COMMON: Table = {"name": TEXT, "extensions": THING}
TEXTURE: Table = {"index!": INDEX, "texCoord": INDEX, "scale": ANY, "strength": SHARE}
SURFACE: Table = {
    "baseColorFactor": row(SHARE, 4), "metallicFactor": SHARE, "roughnessFactor": SHARE, "baseColorTexture": THING,
    "metallicRoughnessTexture": THING,
}  # fmt: skip
TOP: dict[str, Table] = {
    "scenes": {"nodes": NODES},
    "nodes": {
        "children": NODES, "mesh": INDEX, "skin": INDEX, "camera": INDEX, "weights": row(ANY), "matrix": row(ANY, 16),
        "translation": row(ANY, 3), "rotation": row(real(-1.0, 1.0), 4), "scale": row(ANY, 3),
    },
    "skins": {"joints!": NODES, "inverseBindMatrices": INDEX, "skeleton": INDEX},
    "meshes": {"primitives!": THINGS, "weights": row(ANY)},
    "animations": {"channels!": THINGS, "samplers!": THINGS},
    "accessors": {
        "bufferView": INDEX, "byteOffset": INDEX, "componentType!": whole(of=(5120, 5121, 5122, 5123, 5125, 5126)),
        "normalized": FLAG, "count!": whole(1), "min": row(ANY), "max": row(ANY), "sparse": THING,
        "type!": word("SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"),
    },
    "bufferViews": {
        "buffer!": INDEX, "byteOffset": INDEX, "byteLength!": whole(1), "target": whole(of=(34962, 34963)),
        "byteStride": Kind("a multiple of 4 from 4 to 252", lambda v: _is_whole(v) and 4 <= v <= 252 and v % 4 == 0),
    },
    "buffers": {"byteLength!": whole(1), "uri": TEXT},
    "materials": {
        "pbrMetallicRoughness": THING, "normalTexture": THING, "occlusionTexture": THING, "emissiveTexture": THING,
        "emissiveFactor": row(SHARE, 3), "alphaMode": word("OPAQUE", "MASK", "BLEND"), "alphaCutoff": real(0.0),
        "doubleSided": FLAG,
    },
    "textures": {"sampler": INDEX, "source": INDEX},
    "images": {"uri": TEXT, "bufferView": INDEX, "mimeType": TEXT},
    "samplers": {},
    "cameras": {"type!": word("perspective", "orthographic")},
}  # fmt: skip
ASSET: Table = {"version!": TEXT, "generator": TEXT, "copyright": TEXT, "minVersion": TEXT}
PRIMITIVE: Table = {"attributes!": THING, "indices": INDEX, "material": INDEX, "mode": whole(of=tuple(range(7))),
                    "targets": THINGS}  # fmt: skip
CHANNEL: Table = {"sampler!": INDEX, "target!": THING}
TARGET: Table = {"node": INDEX, "path!": TEXT}
SAMPLER: Table = {"input!": INDEX, "output!": INDEX, "interpolation": word("LINEAR", "STEP", "CUBICSPLINE")}
POINTS_TO = {
    "nodes": {"mesh": "meshes", "skin": "skins", "camera": "cameras", "children": "nodes"},
    "scenes": {"nodes": "nodes"},
    "skins": {"joints": "nodes", "inverseBindMatrices": "accessors", "skeleton": "nodes"},
    "accessors": {"bufferView": "bufferViews"}, "bufferViews": {"buffer": "buffers"},
    "textures": {"sampler": "samplers", "source": "images"}, "images": {"bufferView": "bufferViews"},
}  # fmt: skip


def tell_faults(document: GltfDocument) -> None:
    """Warn of the first few faults, and of how many more there are."""
    document.decoded = 0  # as much again may be unpacked as reading was allowed
    found = list(itertools.chain(_of_properties(document), _of_numbers(document)))
    for place, told in found[:MOST_TOLD]:
        document.reading.warn(place, told)
    if len(found) > MOST_TOLD:
        document.reading.warn("", f"{len(found) - MOST_TOLD} more faults against the glTF specification")


# --- properties -------------------------------------------------------------------------------------------------------
def _of_properties(document: GltfDocument) -> Iterator[Fault]:
    json = document.json
    yield from _against(json, {"asset!": THING, "scene": INDEX, "extensionsUsed": WORDS, "extensionsRequired": WORDS,
                               "extensions": THING, **dict.fromkeys(TOP, THINGS)}, "")  # fmt: skip
    if isinstance(json.get("asset"), dict):
        yield from _against(json["asset"], ASSET, "/asset")
    yield from _points(json, {"scene": "scenes"}, "", json)
    for key, table in TOP.items():
        for i, entry in enumerate(_things(json, key)):
            place = f"/{key}/{i}"
            yield from _against(entry, {**COMMON, **table}, place)
            yield from _points(entry, POINTS_TO.get(key, {}), place, json)
            yield from _inside(key, entry, place, json)
    used = json.get("extensionsUsed", [])
    for name in _list(json, "extensionsRequired"):
        if not isinstance(used, list) or name not in used:
            yield "/extensionsRequired", f"{name!r:.60} is required, and not among those used"


def _inside(key: str, entry: JsonObject, place: str, json: JsonObject) -> Iterator[Fault]:
    """What lies deeper in an entry of a top-level list."""
    if key == "meshes":
        yield from _primitives(entry, place, json)
    elif key == "animations":
        yield from _tracks(entry, place, json)
    elif key == "materials":
        surface = entry.get("pbrMetallicRoughness")
        yield from _against(surface, SURFACE, f"{place}/pbrMetallicRoughness")
        yield from _pictures(entry, TOP["materials"], place, json)
        yield from _pictures(surface, SURFACE, f"{place}/pbrMetallicRoughness", json)


def _primitives(mesh: JsonObject, place: str, json: JsonObject) -> Iterator[Fault]:
    for p, primitive in enumerate(_things(mesh, "primitives")):
        at, attributes = f"{place}/primitives/{p}", primitive.get("attributes")
        yield from _against(primitive, PRIMITIVE, at)
        yield from _points(primitive, {"indices": "accessors", "material": "materials"}, at, json)
        names = attributes if isinstance(attributes, dict) else ()
        yield from _points(attributes, dict.fromkeys(names, "accessors"), f"{at}/attributes", json)


def _tracks(animation: JsonObject, place: str, json: JsonObject) -> Iterator[Fault]:
    for c, channel in enumerate(_things(animation, "channels")):
        at = f"{place}/channels/{c}"
        yield from _against(channel, CHANNEL, at)
        yield from _points(channel, {"sampler": "samplers"}, at, animation)
        yield from _against(channel.get("target"), TARGET, f"{at}/target")
    for s, sampler in enumerate(_things(animation, "samplers")):
        at = f"{place}/samplers/{s}"
        yield from _against(sampler, SAMPLER, at)
        yield from _points(sampler, {"input": "accessors", "output": "accessors"}, at, json)


def _pictures(owner: Any, table: Table, place: str, json: JsonObject) -> Iterator[Fault]:
    for name in (name for name in table if name.endswith("Texture")):
        picture = owner.get(name) if isinstance(owner, dict) else None
        yield from _against(picture, TEXTURE, f"{place}/{name}")
        yield from _points(picture, {"index": "textures"}, f"{place}/{name}", json)


def _against(entry: Any, table: Table, place: str) -> Iterator[Fault]:
    if not isinstance(entry, dict):
        return
    for name, kind in table.items():
        key = name.rstrip("!")
        if key not in entry:
            if key != name:
                yield f"{place}/{key}", f"missing; the specification asks for {kind.told}"
        elif not kind.fits(entry[key]):
            yield f"{place}/{key}", f"not {kind.told}, as the specification has it"


def _points(entry: Any, to: Mapping[str, str], place: str, json: JsonObject) -> Iterator[Fault]:
    """Indices that lead to nothing."""
    if not isinstance(entry, dict):
        return
    for key, of in to.items():
        if key not in entry:
            continue
        given, count = entry[key], len(_list(json, of))
        for value in given if isinstance(given, list) else [given]:
            if not _is_whole(value) or not 0 <= value < count:
                yield f"{place}/{key}", f"no index into the {count} of {of}"


def _list(owner: JsonObject, key: str) -> list[Any]:
    value = owner.get(key)
    return value if isinstance(value, list) else []


def _things(owner: JsonObject, key: str) -> list[JsonObject]:
    return [item for item in _list(owner, key) if isinstance(item, dict)]


# --- numbers ----------------------------------------------------------------------------------------------------------
def _of_numbers(document: GltfDocument) -> Iterator[Fault]:
    """What is wrong in the arrays; one that cannot be read at all is a fault too."""
    for index in range(len(document.items("accessors"))):
        yield from _guarded(_bounds, document, index)
    for m, mesh in enumerate(_things(document.json, "meshes")):
        for p, primitive in enumerate(_things(mesh, "primitives")):
            yield from _guarded(_vertices, document, primitive.get("attributes", {}), f"/meshes/{m}/primitives/{p}")
    for s, skin in enumerate(_things(document.json, "skins")):
        if "inverseBindMatrices" in skin:
            yield from _guarded(_matrices, document, skin["inverseBindMatrices"], f"/skins/{s}/inverseBindMatrices")


def _guarded(check: Callable[..., Iterator[Fault]], document: GltfDocument, *given: Any) -> Iterator[Fault]:
    try:
        yield from check(document, *given)
    except ReadError as error:
        yield error.place, f"expected {error.expected}"


def _bounds(document: GltfDocument, index: int) -> Iterator[Fault]:
    """Numbers that are none, and a least and a greatest that are not."""
    accessor, place = document.item("accessors", index), f"/accessors/{index}"
    if accessor.get("type") in ("MAT2", "MAT3"):  # which nothing here has a use for
        return
    values = document.values(index)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        yield place, "holds numbers that are none"
        return
    for key, actual in (("min", values.min(axis=0)), ("max", values.max(axis=0))):
        told = accessor.get(key)
        if not isinstance(told, list):
            continue
        if len(told) != len(actual):
            yield f"{place}/{key}", f"{len(told)} numbers, where an element has {len(actual)}"
        elif all(map(_is_real, told)) and not np.array_equal(np.array(told, float).astype(values.dtype), actual):
            yield f"{place}/{key}", f"not the {'least' if key == 'min' else 'greatest'} that is there"


def _vertices(document: GltfDocument, attributes: Any, place: str) -> Iterator[Fault]:
    """Normals of another length than 1, weights that are negative or do not add up, joints named twice."""
    if not isinstance(attributes, dict):
        return
    counts = set()
    for name, index in attributes.items():
        counts.add(document.item("accessors", document.check_index(index, "accessors", place)).get("count"))
        if name == "NORMAL":
            length = np.linalg.norm(document.floats(index, ("VEC3",), "normals"), axis=1)
            if (np.abs(length - 1.0) > NOT_UNIT_3).any():
                yield f"{place}/attributes/NORMAL", "normals of another length than 1"
        if name.startswith("WEIGHTS_"):
            yield from _weights(document, attributes, name, f"{place}/attributes")
    if len(counts) > 1:
        yield f"{place}/attributes", "lists of different lengths"


def _weights(document: GltfDocument, attributes: JsonObject, name: str, place: str) -> Iterator[Fault]:
    """A vertex's weights, and the joints they are for."""
    weights = document.floats(attributes[name], ("VEC4",), "weights")
    if (weights < 0.0).any():
        yield f"{place}/{name}", "negative weights"
    if "WEIGHTS_1" not in attributes:  # with more than four, all of them add up together
        off = np.abs(weights.sum(axis=1) - 1.0) > WEIGHT_OFF * np.maximum((weights != 0.0).sum(axis=1), 1)
        if off.any():
            yield f"{place}/{name}", "weights of a vertex that do not add up to 1"
    joints = attributes.get(name.replace("WEIGHTS", "JOINTS"))
    if joints is None:
        yield f"{place}/{name}", "weights without joints"
        return
    used = np.where(weights != 0.0, document.integers(joints, ("VEC4",), "joints"), -1 - np.arange(4))
    if (np.diff(np.sort(used, axis=1), axis=1) == 0).any():
        yield f"{place}/{name.replace('WEIGHTS', 'JOINTS')}", "one joint twice for a vertex"


def _matrices(document: GltfDocument, index: Any, place: str) -> Iterator[Fault]:
    """Bind matrices are transforms: their last row is 0 0 0 1."""
    found = document.floats(document.check_index(index, "accessors", place), ("MAT4",), "bind matrices")
    if (found.reshape(-1, 4, 4)[:, :, 3] != [0.0, 0.0, 0.0, 1.0]).any():
        yield place, "matrices whose last row is not 0 0 0 1"
