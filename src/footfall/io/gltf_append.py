"""Motion added to a character's own glTF file: meshes, materials, textures and other animations stay as they are.

The new animation moves the file's nodes in the space of their parents (Khronos glTF 2.0 specification, sections 3.5
and 3.11). Arrays of the JSON only grow at their ends, and the old binary chunk is the beginning of the new one.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ReadError, WriteError
from footfall.core.rig_file import RigFile
from footfall.io.gltf_builder import FLOAT, GlbBuilder, float32, key_times
from footfall.io.gltf_container import GltfDocument, JsonObject, open_document, sibling
from footfall.io.gltf_extras import describe
from footfall.io.gltf_nodes import Nodes, read_nodes
from footfall.io.raw import Reading, ReadOptions
from footfall.kinematics.fk import with_ancestors, world_transforms

STILL = 1e-6  # of the body's extent, and radians: what moves less has one key. Under float32's rounding of a body
SHEARED = 1e-3  # of a matrix: what translation, rotation and scale cannot say of it is told from here on. By eye
MIME = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".ktx2": "image/ktx2"}


class Returned(NamedTuple):
    """A character's file with motion added."""

    data: bytes
    names: list[str]  # of the new animations
    told: list[str]  # what else had to change, one sentence each


def with_animations(clips: Sequence[Clip], replaces: bool = False) -> Returned:
    """The file the clips' body came from, with one more animation for each of them.

    replaces: an animation of the same name is replaced; else the new one gets a number.
    """
    rig = _common_rig(clips)
    document = _opened(rig)
    nodes = read_nodes(document)
    told: list[str] = []
    out, chunk = _in_one_file(document, told)
    builder = GlbBuilder(out, chunk)
    rig_nodes = _RigNodes(nodes, rig, _animated(document))
    animations = list(out.get("animations", ()))
    names, moved = [], set()
    for clip in clips:
        if not clip.frames:
            continue
        at, name = _slot(animations, clip.name or "clip", replaces)
        made = _animation(clip, builder, rig_nodes)
        moved |= {channel["target"]["node"] for channel in made["channels"]}
        made = {"name": name, **made, "extras": {"footfall": describe(clip)}}
        animations[at : at + 1] = [made]
        names.append(name)
    if animations:
        out["animations"] = animations
    out["nodes"] = _without_matrices(out["nodes"], nodes, moved, told)
    return Returned(builder.glb(out), names, told)


def animation_names(rig: RigFile) -> list[str]:
    """Names of the animations that a character's file has already."""
    return [str(entry.get("name", "")) for entry in _opened(rig).items("animations")]


def _common_rig(clips: Sequence[Clip]) -> RigFile:
    rigs = {clip.skeleton.rig for clip in clips}
    if len(rigs) != 1 or None in rigs:
        raise WriteError("clips of different bodies cannot share one file; put them on one first, with ff.retarget")
    rig = rigs.pop()
    assert rig is not None
    return rig


def _opened(rig: RigFile) -> GltfDocument:
    """The character's file, which must still be the one that was read."""
    path = Path(rig.path)
    cure = "put it back, or write a plain file (bare=True, --bare)"
    try:
        document = open_document(Reading(path, ReadOptions()))
    except (OSError, ReadError) as error:
        raise WriteError(f"{path.name}: the character's file cannot be read any more; {cure}") from error
    entries = document.items("nodes")
    for node, name in zip(rig.nodes, rig.names, strict=True):
        if node >= len(entries) or (node >= 0 and entries[node].get("name", "") != name):
            raise WriteError(f"{path.name}: the character's file has changed since it was read; {cure}")
    return document


def _slot(animations: list[JsonObject], name: str, replaces: bool) -> tuple[int, str]:
    """Where an animation goes, and what it is called there."""
    taken = [entry.get("name") for entry in animations]
    if replaces and name in taken:
        return taken.index(name), name
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return len(animations), free


# --- everything in one file --------------------------------------------------------------------------------------
def _in_one_file(document: GltfDocument, told: list[str]) -> tuple[JsonObject, bytes | memoryview]:
    """The JSON and the binary chunk, with what lay in files beside it taken in."""
    out, chunk = dict(document.json), document.chunk
    buffers = [dict(entry) for entry in document.items("buffers")]
    for i, entry in enumerate(buffers):
        if i == 0 and (chunk is None or "uri" in entry):
            chunk = document.buffer(0)  # a GLB's chunk is its first buffer
            entry.pop("uri")
        elif _is_beside(entry.get("uri")):
            entry["uri"] = _data_uri(bytes(document.buffer(i)), "application/octet-stream")
    if buffers:
        out["buffers"] = buffers
    images = [dict(entry) for entry in document.items("images")]
    for i, entry in enumerate(images):
        if not _is_beside(entry.get("uri")):
            continue
        uri = str(entry["uri"])
        mime = MIME.get(Path(uri).suffix.lower())
        try:
            if mime is None:
                raise ReadError(document.reading.path, f"/images/{i}/uri", f"one of {' '.join(MIME)}", uri)
            entry["uri"] = _data_uri(sibling(document, uri, f"/images/{i}/uri"), mime)
        except ReadError as error:
            told.append(f"a picture stays outside the new file: {error}")
    if images:
        out["images"] = images
    return out, b"" if chunk is None else chunk


def _is_beside(uri: object) -> bool:
    return isinstance(uri, str) and uri[:5].lower() != "data:"


def _data_uri(data: bytes, mime: str) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"


# --- channels ------------------------------------------------------------------------------------------------------
class _RigNodes:
    """The nodes that a body's joints are, with what lies above them."""

    def __init__(self, nodes: Nodes, rig: RigFile, animated: set[tuple[int, str]]) -> None:
        self.nodes, self.rig = nodes, rig
        joints = [n for n in rig.nodes if n >= 0]
        above = with_ancestors(nodes.parents, joints) - set(joints)
        # what other animations move and this one does not would keep their last pose, or blend with it
        self.held = sorted((n, path) for n, path in animated if n in above or (n in joints and path == "scale"))
        self.animated = animated
        self.scale = (rotation.to_matrix(nodes.rotation) * nodes.linear).sum(axis=-2)  # (N, 3) of the linear parts
        places = nodes.world[joints, :3, 3]
        self.extent = float(max(np.ptp(places, axis=0).max(initial=0.0), 1e-9))

    def default(self, node: int, path: str) -> np.ndarray:
        of = {"translation": self.nodes.translation, "rotation": self.nodes.rotation, "scale": self.scale}
        return of[path][node]


def _animated(document: GltfDocument) -> set[tuple[int, str]]:
    """(node, path) of everything the file's own animations move; what cannot be understood of them is left alone."""
    found = set()
    for entry in document.items("animations"):
        for channel in entry.get("channels", ()):
            target = channel.get("target", {})
            if type(target.get("node")) is int and target.get("path") in ("translation", "rotation", "scale"):
                found.add((target["node"], target["path"]))
    return found


def _animation(clip: Clip, builder: GlbBuilder, rig: _RigNodes) -> JsonObject:
    """Samplers and channels of a clip: all joints turn; those move that are not where the file has them."""
    keys = builder.add(key_times(clip), FLOAT, "SCALAR", bounds=True)
    start = builder.add(float32(np.zeros(1)), FLOAT, "SCALAR", bounds=True)
    samplers: list[JsonObject] = []
    channels: list[JsonObject] = []

    def channel(node: int, path: str, values: np.ndarray, still: float) -> None:
        moves = np.ptp(values, axis=0).max() > still
        values = values if moves else values[:1]
        if path == "rotation":
            values = rotation.normalize(values)[:, [1, 2, 3, 0]]
        output = builder.add(float32(values), FLOAT, f"VEC{values.shape[1]}")
        samplers.append({"input": keys if moves else start, "output": output})
        channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})

    still = STILL * rig.extent
    for node, move, turn in _local_over_time(clip, rig):
        default = rig.default(node, "translation")
        if np.abs(move - default).max() > still or (node, "translation") in rig.animated:
            channel(node, "translation", move, still)
        channel(node, "rotation", rotation.continuous_signs(turn[:, None])[:, 0], STILL)
    for node, path in rig.held:
        channel(node, path, rig.default(node, path)[None], 0.0)
    return {"samplers": samplers, "channels": channels}


def _local_over_time(clip: Clip, rig: _RigNodes) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """(node, translation (T, 3), rotation (T, 4)) of every joint, in the space of the node above it.

    Positions go through the full transforms above, scales included, as a viewer makes them; rotations through the
    chain of rotations, as the reader has them.
    """
    file_from_world = rotation.conjugate(np.array(rig.rig.world_from_file))
    places, turns = world_transforms(clip.skeleton, clip.pose)
    places = rotation.rotate(file_from_world, places) / rig.rig.unit_m
    turns = rotation.multiply(file_from_world, turns)
    nodes, out = rig.nodes, []
    world: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}  # node -> position, rotation, linear part
    joint = {node: j for j, node in enumerate(rig.rig.nodes)}
    for node in nodes.order:  # the file's own tree: footfall may have hung a joint elsewhere
        if node not in joint:
            continue
        j, parent = joint[node], int(nodes.parents[node])
        if parent in world:
            origin, above, linear = world[parent]
        elif parent >= 0:
            origin, above = nodes.world[None, parent, :3, 3], nodes.world_rotation[None, parent]
            linear = nodes.world[None, parent, :3, :3]
        else:
            origin, above, linear = np.zeros((1, 3)), rotation.IDENTITY[None], np.eye(3)[None]
        turn = rotation.normalize(rotation.multiply(rotation.conjugate(above), turns[:, j]))
        move = (np.linalg.pinv(linear) @ (places[:, j] - origin)[..., None])[..., 0]
        world[node] = places[:, j], turns[:, j], linear @ (rotation.to_matrix(turn) * rig.scale[node])
        out.append((node, move, turn))
    return out


def _without_matrices(entries: list[JsonObject], nodes: Nodes, moved: set[int], told: list[str]) -> list[JsonObject]:
    """Nodes that are moved have no matrix (specification 3.11): it becomes translation, rotation and scale."""
    out = list(entries)
    for node in sorted(moved):
        if "matrix" not in entries[node]:
            continue
        turn, scale = nodes.rotation[node], (rotation.to_matrix(nodes.rotation[node]) * nodes.linear[node]).sum(axis=0)
        left = np.abs(rotation.to_matrix(turn) * scale - nodes.linear[node]).max()
        about = "" if left <= SHEARED * np.abs(nodes.linear[node]).max() else ", without its shear"
        w, x, y, z = turn.tolist()
        parts = {"translation": nodes.translation[node].tolist(), "rotation": [x, y, z, w], "scale": scale.tolist()}
        out[node] = {**{key: value for key, value in entries[node].items() if key != "matrix"}, **parts}
        told.append(
            f"node {nodes.names[node]!r} had a matrix; it moves now, so it has translation, rotation, scale{about}"
        )
    return out
