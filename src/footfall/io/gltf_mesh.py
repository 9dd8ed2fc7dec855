"""glTF meshes: every skinned or rigidly attached primitive of the character, merged into one Skin in metres."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from footfall.core.clip import Skin
from footfall.io.gltf_container import GltfDocument, JsonObject
from footfall.io.gltf_look import read_look
from footfall.io.gltf_nodes import Nodes
from footfall.io.gltf_skin import Bind, Joints, skin_matrices
from footfall.kinematics.fk import inverse_matrices

INFLUENCES = 4
SPARE_VERTICES = 100_000
Surface = tuple[np.ndarray, np.ndarray]  # vertices (V, 3), triangles (F, 3)


class MeshPart(NamedTuple):
    """One primitive, already in the rest pose's world."""

    vertices: np.ndarray  # (V, 3)
    triangles: np.ndarray  # (F, 3)
    joints: np.ndarray  # (V, 4)
    weights: np.ndarray  # (V, 4)
    uv: np.ndarray = np.zeros((0, 2))  # (V, 2), or none
    material: int = -1


def read_skin(document: GltfDocument, nodes: Nodes, joints: Joints, bind: Bind) -> Skin | None:
    """All that is drawn with the skeleton, or None when nothing is."""
    parts: list[MeshPart] = []
    color = None
    index = joints.index_of()
    carrier = _nearest_joint(nodes, index)
    # one mesh may be placed by many nodes: what is drawn is held against the size of the file
    spare = SPARE_VERTICES + document.size // 4
    for n, entry in enumerate(document.items("nodes")):
        place = f"/nodes/{n}"
        mesh = document.index(entry, "mesh", "meshes", place)
        skin = document.index(entry, "skin", "skins", place)
        if mesh is None or (skin is not None and skin not in joints.skins) or (skin is None and n not in carrier):
            continue
        for p, primitive in enumerate(document.objects(document.item("meshes", mesh), "primitives", place)):
            at = f"/meshes/{mesh}/primitives/{p}"
            surface = surface_of(document, primitive, at)
            if surface is None:
                continue
            spare -= len(surface[0])
            if spare < 0:
                document.fail(place, "a mesh of sensible size", "one mesh repeated very often")
            if skin is not None:
                part = _skinned(document, primitive, at, skin, surface, joints, bind)
            else:
                part = _rigid(n, carrier[n], joints, bind, nodes.world, surface)
            if part is not None:
                parts.append(part._replace(**_dress(document, primitive, at)))
                color = color or _color(document, primitive, at)
    if not parts:
        return None
    merged = _merge(parts, bind, color or (0.7, 0.7, 0.72))
    return replace(merged, look=read_look(document, parts))


def _nearest_joint(nodes: Nodes, index: dict[int, int]) -> dict[int, int]:
    """For each node at or below a joint, that joint."""
    carrier: dict[int, int] = {}
    for node in nodes.order:
        if node in index:
            carrier[node] = index[node]
        elif int(nodes.parents[node]) in carrier:
            carrier[node] = carrier[int(nodes.parents[node])]
    return carrier


def surface_of(document: GltfDocument, primitive: JsonObject, place: str) -> Surface | None:
    """Vertices (V, 3) and triangles (F, 3) of a primitive; None for points, lines and compressed ones."""
    mode = document.whole(primitive, "mode", place, default=4)
    extensions = document.child(primitive, "extensions", place) or {}
    if "KHR_draco_mesh_compression" in extensions:
        document.reading.warn(place, "a Draco-compressed mesh was left out")
        return None
    attributes = document.child(primitive, "attributes", place) or {}
    source = document.index(attributes, "POSITION", "accessors", f"{place}/attributes")
    if mode not in (4, 5, 6) or source is None:
        return None
    vertices = document.floats(source, ("VEC3",), "positions")
    listed = document.index(primitive, "indices", "accessors", place)
    corners = np.arange(len(vertices))
    if listed is not None:
        corners = document.integers(listed, ("SCALAR",), "indices")[:, 0]
    if len(corners) and corners.max() >= len(vertices):
        document.fail(f"{place}/indices", f"indices below {len(vertices)}", int(corners.max()))
    triangles = _triangles(corners, mode)
    return (vertices, triangles) if len(triangles) else None


def _triangles(corners: np.ndarray, mode: int) -> np.ndarray:
    """Corner triples of a triangle list (4), strip (5) or fan (6); specification 3.7.2.1."""
    if mode == 4:
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    if len(corners) < 3:
        return np.zeros((0, 3), np.int64)
    if mode == 6:
        return np.stack([corners[1:-1], corners[2:], np.full(len(corners) - 2, corners[0])], axis=1)
    strip = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
    strip[1::2] = strip[1::2][:, [0, 2, 1]]  # every other triangle of a strip turns the other way
    return strip


def _skinned(
    document: GltfDocument, primitive: JsonObject, place: str, skin: int, surface: Surface, joints: Joints, bind: Bind
) -> MeshPart | None:
    """A primitive moved from mesh space to the rest pose by its own skin (specification 3.7.3.1)."""
    vertices, triangles = surface
    influences = _influences(document, primitive, place, len(vertices))
    if influences is None:
        return None
    local, weights = influences
    nodes = document.indices(document.item("skins", skin), "joints", "nodes", f"/skins/{skin}")
    if local.max() >= len(nodes):
        document.fail(f"{place}/attributes/JOINTS_0", f"joint numbers below {len(nodes)}", int(local.max()))
    inverse = skin_matrices(document, skin)
    if inverse is None:
        inverse = np.tile(np.eye(4), (len(nodes), 1, 1))
    index = joints.index_of()
    of_skin = np.array([index[n] for n in nodes])
    rest_from_mesh = bind.matrices[of_skin] @ inverse  # (K, 4, 4)
    placed = np.zeros((len(vertices), 3))
    for k in range(INFLUENCES):  # one influence at a time: a (V, 4, 4, 4) array would be 64 times the mesh
        m = rest_from_mesh[local[:, k]]
        placed += weights[:, k, None] * ((m[:, :3, :3] @ vertices[..., None])[..., 0] + m[:, :3, 3])
    return MeshPart(placed, triangles, of_skin[local], weights)


def _influences(
    document: GltfDocument, primitive: JsonObject, place: str, count: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """The four strongest (joint number, weight) of each vertex, weights summing to 1."""
    attributes = document.child(primitive, "attributes", place) or {}
    at = f"{place}/attributes"
    numbers, weights = [], []
    for which in range(4):
        joints = document.index(attributes, f"JOINTS_{which}", "accessors", at)
        shares = document.index(attributes, f"WEIGHTS_{which}", "accessors", at)
        if joints is None or shares is None:
            break
        numbers.append(document.integers(joints, ("VEC4",), "joint numbers"))
        weights.append(document.floats(shares, ("VEC4",), "joint weights"))
        if len(numbers[-1]) != count or len(weights[-1]) != count:
            document.fail(f"{at}/JOINTS_{which}", f"{count} entries, as many as positions", len(numbers[-1]))
    if not numbers:
        document.reading.warn(place, "a skinned mesh without joints and weights was left out")
        return None
    number, weight = np.concatenate(numbers, axis=1), np.maximum(np.concatenate(weights, axis=1), 0.0)
    if number.shape[1] > INFLUENCES:
        strongest = np.argsort(-weight, axis=1, kind="stable")[:, :INFLUENCES]
        number = np.take_along_axis(number, strongest, axis=1)
        weight = np.take_along_axis(weight, strongest, axis=1)
    total = weight.sum(axis=1, keepdims=True)
    if (total < 1e-6).any():
        document.reading.warn(at, "vertices without any weight follow their first joint")
        weight = np.where(total < 1e-6, [1.0, 0.0, 0.0, 0.0], weight)
        total = weight.sum(axis=1, keepdims=True)
    return number, weight / total


def _rigid(node: int, joint: int, joints: Joints, bind: Bind, default: np.ndarray, surface: Surface) -> MeshPart:
    """A primitive that hangs from a joint as a whole."""
    vertices, triangles = surface
    m = bind.matrices[joint] @ np.linalg.pinv(default[joints.nodes[joint]]) @ default[node]
    weights = np.tile([1.0, 0.0, 0.0, 0.0], (len(vertices), 1))
    followed = np.full((len(vertices), INFLUENCES), joint)
    return MeshPart(vertices @ m[:3, :3].T + m[:3, 3], triangles, followed, weights)


def _dress(document: GltfDocument, primitive: JsonObject, place: str) -> dict[str, Any]:
    """Places in the picture and the material of a primitive, as fields of its part."""
    attributes = document.child(primitive, "attributes", place) or {}
    source = document.index(attributes, "TEXCOORD_0", "accessors", f"{place}/attributes")
    material = document.index(primitive, "material", "materials", place)
    uv = np.zeros((0, 2)) if source is None else document.floats(source, ("VEC2",), "texture coordinates")
    return {"uv": uv, "material": -1 if material is None else material}


def _color(document: GltfDocument, primitive: JsonObject, place: str) -> tuple[float, float, float] | None:
    material = document.index(primitive, "material", "materials", place)
    if material is None:
        return None
    at = f"/materials/{material}"
    look = document.child(document.item("materials", material), "pbrMetallicRoughness", at) or {}
    if "baseColorFactor" not in look:
        return None
    r, g, b, _ = document.numbers(look, "baseColorFactor", at, [1.0, 1.0, 1.0, 1.0])
    return r, g, b


def _merge(parts: list[MeshPart], bind: Bind, color: tuple[float, float, float]) -> Skin:
    starts = np.cumsum([0] + [len(p.vertices) for p in parts[:-1]])
    return Skin(
        np.concatenate([p.vertices for p in parts]),
        np.concatenate([p.triangles + s for p, s in zip(parts, starts, strict=True)]).astype(np.int32),
        np.concatenate([p.joints for p in parts]).astype(np.int32),
        np.concatenate([p.weights for p in parts]),
        inverse_matrices(bind.positions, bind.rotations),
        color,
    )
