"""Writing GLB: node hierarchies, skins, meshes and one animation, laid out as the Khronos validator wants it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, Skin
from footfall.core.errors import WriteError
from footfall.io.capsule_body import capsule_body
from footfall.io.gltf_builder import FLOAT, U8, U16, U32, GlbBuilder, float32, key_times
from footfall.io.gltf_extras import describe
from footfall.io.save import SaveWarning, atomic_write
from footfall.io.text import unique_names

FAR_M = 32.0  # beyond this float32 keys lose the 1e-5 m that a round trip keeps
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963


def write_glb(
    clips: Sequence[Clip],
    path: Path,
    sidecar: bool = False,
    mesh: bool = True,
    bare: bool = False,
    replace: bool = False,
) -> None:
    """A GLB at path: the file the clips' body came from with their motion added, or else a plain one.

    bare=True writes the plain one in any case, mesh=False leaves its body out. replace=True puts a clip in the place of
    an animation of the same name. sidecar=True writes what the extras hold to a .json beside it.
    """
    path = Path(path)
    beside = path.with_suffix(".json")
    if sidecar and not _may_replace(beside):
        raise WriteError(
            f"{beside}: is there already and is not a sidecar of footfall; move it, or write with sidecar=False"
        )
    if bare or not mesh or clips[0].skeleton.rig is None:
        atomic_write(path, _plain(clips, mesh))
    else:
        from footfall.io.gltf_append import with_animations

        returned = with_animations(clips, replace)
        atomic_write(path, returned.data)
        for line in returned.told:
            warnings.warn(f"{path.name}: {line}", SaveWarning, stacklevel=4)
    if sidecar:
        told = [describe(clip) for clip in clips]
        noted = {"footfall": told[0] if len(told) == 1 else {"clips": told}}
        text = json.dumps(noted, allow_nan=False, ensure_ascii=False, indent=1)
        atomic_write(beside, text.encode("utf-8", "replace"))


def write_many_glb(clips: Sequence[Clip], path: Path) -> None:
    """Several characters of one skeleton in one scene and one animation; they share a body. All clips begin at 0."""
    builder = GlbBuilder()
    skeleton = clips[0].skeleton
    body = capsule_body(clips[0])
    nodes: list[dict[str, Any]] = []
    animation: dict[str, Any] = {"name": "crowd", "samplers": [], "channels": []}
    inverse = np.swapaxes(body.inverse_bind, 1, 2).reshape(-1, 16)
    bind = builder.add(float32(inverse), FLOAT, "MAT4")
    skins, scene = [], []
    for number, clip in enumerate(clips):
        first = len(nodes)
        origin = _origin(clip)
        for node in _joint_nodes(clip, origin):
            node["name"] = f"{number} {node['name']}"
            if "children" in node:
                node["children"] = [first + child for child in node["children"]]
            nodes.append(node)
        _join_animations(animation, _animation(clip, builder, origin), first)
        top = first
        if origin is not None:
            nodes.append({"name": f"{number} origin", "translation": origin.tolist(), "children": [first]})
            top = len(nodes) - 1
        skins.append({"joints": list(range(first, first + len(skeleton))), "skeleton": first,
                      "inverseBindMatrices": bind})  # fmt: skip
        nodes.append({"name": f"{number} body", "mesh": 0, "skin": number})
        scene += [top, len(nodes) - 1]
    document = {
        "asset": {"version": "2.0", "generator": "footfall"}, "scene": 0, "scenes": [{"nodes": scene}], "nodes": nodes,
        "skins": skins, "meshes": [{"name": "body", "primitives": [_primitive(body, builder)]}],
        "materials": [_material(body)], "animations": [animation],
    }  # fmt: skip
    atomic_write(Path(path), builder.glb(document))


def _join_animations(whole: dict[str, Any], part: dict[str, Any], first: int) -> None:
    """Add the channels of one character, whose nodes begin at `first`, to those of all."""
    before = len(whole["samplers"])
    whole["samplers"] += part["samplers"]
    for channel in part["channels"]:
        target = channel["target"] | {"node": channel["target"]["node"] + first}
        whole["channels"].append({"sampler": channel["sampler"] + before, "target": target})


def _plain(clips: Sequence[Clip], mesh: bool) -> bytes:
    """A file of footfall's own. With a single clip it comes back exactly as it was; several are noted one by one."""
    if any(clip.skeleton.names != clips[0].skeleton.names for clip in clips):
        raise WriteError("clips of different bodies cannot share one file; put them on one first, with ff.retarget")
    builder = GlbBuilder()
    origin = _origin(clips[0]) if len(clips) == 1 else None
    document = _document(clips[0], builder, mesh, origin)
    names = unique_names([clip.name or "clip" for clip in clips])
    animations = [
        {"name": name, **_animation(clip, builder, origin)}
        for name, clip in zip(names, clips, strict=True)
        if clip.frames
    ]
    if animations:
        document["animations"] = animations
    if len(clips) == 1:
        document["extras"] = {"footfall": describe(clips[0])}
    else:
        for animation, clip in zip(animations, [clip for clip in clips if clip.frames], strict=True):
            animation["extras"] = {"footfall": describe(clip)}
    return builder.glb(document)


def _may_replace(path: Path) -> bool:
    """Whether nothing is there, or an earlier sidecar: a timeline or report of the same name must survive."""
    if not path.exists():
        return True
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(found, dict) and isinstance(found.get("footfall"), dict)


def _document(clip: Clip, builder: GlbBuilder, mesh: bool, origin: np.ndarray | None) -> dict[str, Any]:
    """The JSON, with joint j at node j, so that order, names and count come back as they were."""
    nodes = _joint_nodes(clip, origin)
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "footfall"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
    }
    if origin is not None:
        nodes.append({"name": "origin", "translation": origin.tolist(), "children": [0]})
        document["scenes"][0]["nodes"] = [len(nodes) - 1]
    # a mesh that was made for another skeleton cannot be bound to this one
    own = clip.skin is not None and len(clip.skin.inverse_bind) == len(clip.skeleton)
    skin = clip.skin if own and clip.skin is not None else capsule_body(clip)
    bind = {"joints": list(range(len(clip.skeleton))), "skeleton": 0}
    inverse = np.swapaxes(skin.inverse_bind, 1, 2).reshape(-1, 16)  # glTF stores columns
    document["skins"] = [{**bind, "inverseBindMatrices": builder.add(float32(inverse), FLOAT, "MAT4")}]
    if mesh:
        document["meshes"] = [{"name": "body", "primitives": [_primitive(skin, builder)]}]
        document["materials"] = [_material(skin)]
        nodes.append({"name": "body", "mesh": 0, "skin": 0})
        document["scenes"][0]["nodes"].append(len(nodes) - 1)
    return document


def _origin(clip: Clip) -> np.ndarray | None:
    """A point near a motion that happens far from the world's origin; its place is written in full precision."""
    root = clip.pose.root_pos
    if not len(root) or np.abs(root).max() <= FAR_M:
        return None
    return np.round((root.min(axis=0) + root.max(axis=0)) / 2)


def _joint_nodes(clip: Clip, origin: np.ndarray | None) -> list[dict[str, Any]]:
    skeleton = clip.skeleton
    nodes: list[dict[str, Any]] = []
    for j, name in enumerate(skeleton.names):
        w, x, y, z = rotation.normalize(skeleton.rest[j]).tolist()
        offset = skeleton.offsets[j] - (origin if j == 0 and origin is not None else 0.0)
        nodes.append({"name": name, "translation": offset.tolist(), "rotation": [x, y, z, w]})
    for j, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            nodes[parent].setdefault("children", []).append(j)
    return nodes


def _animation(clip: Clip, builder: GlbBuilder, origin: np.ndarray | None) -> dict[str, Any]:
    """Rotation channels for all joints, a translation channel for the root and for joints that stretch."""
    key = builder.add(key_times(clip), FLOAT, "SCALAR", bounds=True)
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []

    def channel(node: int, path: str, values: np.ndarray, kind: str) -> None:
        samplers.append({"input": key, "output": builder.add(float32(values), FLOAT, kind)})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})

    channel(0, "translation", clip.pose.root_pos - (0.0 if origin is None else origin), "VEC3")
    turns = rotation.continuous_signs(clip.pose.rot)
    for j in range(len(clip.skeleton)):
        channel(j, "rotation", rotation.normalize(turns[:, j])[:, [1, 2, 3, 0]], "VEC4")
        if j > 0 and clip.pose.pos is not None:
            channel(j, "translation", clip.pose.pos[:, j], "VEC3")
    return {"samplers": samplers, "channels": channels}


def _primitive(skin: Skin, builder: GlbBuilder) -> dict[str, Any]:
    joints, weights = _influences(skin)
    component, dtype = (U8, np.uint8) if joints.max() < 256 else (U16, np.uint16)
    normals = vertex_normals(skin.vertices, skin.triangles)
    attributes = {
        "POSITION": builder.add(float32(skin.vertices), FLOAT, "VEC3", ARRAY_BUFFER, bounds=True),
        "NORMAL": builder.add(float32(normals), FLOAT, "VEC3", ARRAY_BUFFER),
        "JOINTS_0": builder.add(joints.astype(dtype), component, "VEC4", ARRAY_BUFFER),
        "WEIGHTS_0": builder.add(float32(weights), FLOAT, "VEC4", ARRAY_BUFFER),
    }
    small = len(skin.vertices) < 65535
    corners = skin.triangles.reshape(-1).astype(np.uint16 if small else np.uint32)
    indices = builder.add(corners, U16 if small else U32, "SCALAR", ELEMENT_ARRAY_BUFFER)
    return {"attributes": attributes, "indices": indices, "material": 0}


def _influences(skin: Skin) -> tuple[np.ndarray, np.ndarray]:
    """Joints and weights as glTF wants them: each joint once a vertex, joint 0 where the weight is 0, sum 1."""
    joints, weights = np.array(skin.joints, np.int64), np.array(skin.weights, float)
    for later in range(1, joints.shape[1]):
        for earlier in range(later):
            same = (joints[:, later] == joints[:, earlier]) & (weights[:, later] > 0)
            weights[same, earlier] += weights[same, later]
            weights[same, later] = 0.0
    weights = float32(weights / weights.sum(axis=1, keepdims=True)).astype(float)
    heaviest = weights.argmax(axis=1)
    weights[np.arange(len(weights)), heaviest] += 1.0 - weights.sum(axis=1)
    return np.where(weights > 0, joints, 0), weights


def vertex_normals(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Smooth unit normals (V, 3): the mean of the faces around, by area; up where there is none."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    total = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(total, triangles[:, k], face)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    return np.where(length > 1e-20, total / np.where(length > 1e-20, length, 1.0), rotation.UP)


def _material(skin: Skin) -> dict[str, Any]:
    color = [float(np.clip(c, 0.0, 1.0)) for c in skin.color] + [1.0]
    look = {"baseColorFactor": color, "metallicFactor": 0.0, "roughnessFactor": 0.75}
    return {"name": "body", "pbrMetallicRoughness": look}
