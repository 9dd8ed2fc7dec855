"""Runs in a process of its own: reads an FBX file with ufbx and writes a GLB of joints, takes and skinned meshes.

usage: python -m footfall.io.fbx_child IN.fbx OUT.glb     prints one line on stdout where it cannot, and ends with 3

ufbx crashes on some bad files, and its Python objects crash while they are taken down; so nothing of it is loaded into
the process that asks, nothing here is ever freed, and the process ends at once when its work is done.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.io.gltf_builder import FLOAT, U16, U32, GlbBuilder, float32
from footfall.io.usd_extract import limit

CPU_S = 10  # seconds of processor time
MEMORY = 900 << 20  # bytes: what the process may have, so that with the asking one it stays under 1 GB
MOST_POSES = 3_000_000  # frames times nodes of all takes
MOST_NODES = 20_000
AXES = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)  # as ufbx numbers them
BONE = 5  # ufbx's number of an element that is a bone
INFLUENCES = 4
CANNOT = 3  # exit status: one sentence was printed


HELD: list[Any] = []  # every object of ufbx's that was asked for


def held(thing: Any) -> Any:
    """The same, never to be freed: taking down an element of a scene is what crashes."""
    HELD.append(thing)
    return thing


class CannotUse(Exception):
    """A file that cannot be used; one sentence."""


class _Source(NamedTuple):
    """A scene and its nodes."""

    scene: Any
    nodes: list[Any]
    number: dict[int, int]  # ufbx's number of a node -> ours


def main() -> None:
    gc.disable()
    limit(MEMORY, CPU_S)
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    status = 0
    try:
        target.write_bytes(_glb(_opened(source)))
    except CannotUse as error:
        print(str(error))
        status = CANNOT
    except MemoryError:
        print("it needs more than 1 GB of memory")
        status = CANNOT
    sys.stdout.flush()
    os._exit(status)


def _opened(path: Path) -> _Source:
    import ufbx

    try:
        scene = held(ufbx.load_file(str(path), ignore_embedded=True, node_depth_limit=500))
    except ufbx.UfbxError as error:
        raise CannotUse(f"ufbx says: {str(error).splitlines()[0] if str(error) else type(error).__name__}") from None
    listed = held(scene.nodes)
    if not 1 < len(listed) <= MOST_NODES:
        raise CannotUse(f"it has {len(listed) - 1} nodes")
    nodes = [held(listed[i]) for i in range(len(listed))]
    return _Source(scene, nodes, {int(node.typed_id): i for i, node in enumerate(nodes)})


def _glb(source: _Source) -> bytes:
    builder = GlbBuilder()
    entries = [_node(node) for node in source.nodes]
    roots = []
    for i, node in enumerate(source.nodes):
        parent = held(node.parent)
        if parent is None:
            roots.append(i)
        else:
            entries[source.number[int(parent.typed_id)]].setdefault("children", []).append(i)
    world = {"name": "file", "children": roots, **_space(held(source.scene.settings))}
    entries.append(world)
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "footfall"},
        "scenes": [{"nodes": [len(entries) - 1]}],
        "nodes": entries,
    }
    _add_meshes(source, builder, document)
    animations = _animations(source, builder)
    if animations:
        document["animations"] = animations
    return builder.glb(document)


def _space(settings: Any) -> dict[str, Any]:
    """What turns the file's axes into X to the left, Y up and Z ahead, and its unit into metres."""
    axes = held(settings.axes)
    numbers = [int(axes.right), int(axes.up), int(axes.front)]
    unit = float(settings.unit_meters)
    turn = np.eye(3)
    if all(0 <= n < len(AXES) for n in numbers):
        turn = AXES[numbers]  # rows: the file's axis that becomes X, Y, Z
        if abs(np.linalg.det(turn)) < 0.5:
            turn = np.eye(3)
        elif np.linalg.det(turn) < 0:
            turn[2] = -turn[2]
    matrix = np.eye(4)
    matrix[:3, :3] = turn * (unit if np.isfinite(unit) and unit > 0 else 0.01)
    return {"matrix": matrix.T.reshape(-1).tolist()}


def _node(node: Any) -> dict[str, Any]:
    translation, turn, scale = _parts(node.local_transform)
    return {
        "name": str(node.name),
        "translation": _finite(translation).tolist(),
        "rotation": _unit(turn[None])[0].tolist(),
        "scale": _finite(scale, 1.0).tolist(),
    }


def _parts(transform: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    t, q, s = transform.translation, transform.rotation, transform.scale
    return np.array([t.x, t.y, t.z]), np.array([q.x, q.y, q.z, q.w]), np.array([s.x, s.y, s.z])


def _finite(values: np.ndarray, otherwise: float = 0.0) -> np.ndarray:
    return np.nan_to_num(values, nan=otherwise, posinf=otherwise, neginf=otherwise)


def _unit(turns: np.ndarray) -> np.ndarray:
    """Rotations xyzw (T, 4) of length 1; none where there is none."""
    turns = np.nan_to_num(turns, posinf=0.0, neginf=0.0)
    length = np.linalg.norm(turns, axis=-1, keepdims=True)
    return np.where(length > 1e-9, turns / np.maximum(length, 1e-9), [0.0, 0.0, 0.0, 1.0])


# --- takes -----------------------------------------------------------------------------------------------------------
def _animations(source: _Source, builder: GlbBuilder) -> list[dict[str, Any]]:
    stacks, out, spare = held(source.scene.anim_stacks), [], MOST_POSES
    rate = float(held(source.scene.settings).frames_per_second)
    rate = rate if np.isfinite(rate) and 1.0 <= rate <= 1000.0 else 30.0
    for i in range(len(stacks)):
        stack = held(stacks[i])
        begin, end = float(stack.time_begin), float(stack.time_end)
        if not (np.isfinite(begin) and np.isfinite(end) and end >= begin) or not _moves(stack):
            continue
        count = (end - begin) * rate + 1.0
        spare -= int(min(count, MOST_POSES) * len(source.nodes))
        if spare < 0:
            raise CannotUse(f"its takes have more than {MOST_POSES} poses of nodes")
        times = np.arange(round(count)) / rate
        out.append(_animation(source, builder, stack, begin, times))
    return out


def _moves(stack: Any) -> bool:
    layers = held(stack.layers)
    return any(len(held(held(layers[i]).anim_values)) for i in range(len(layers)))


def _animation(source: _Source, builder: GlbBuilder, stack: Any, begin: float, times: np.ndarray) -> dict[str, Any]:
    """A take, evaluated at the file's frame rate: curves of every kind, pivots, pre- and post-rotations included."""
    import ufbx

    anim = held(stack.anim)
    key = builder.add(float32(times), FLOAT, "SCALAR", bounds=True)
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for i, node in enumerate(source.nodes):
        rows = [_parts(ufbx.evaluate_transform(anim, node, begin + t)) for t in times.tolist()]
        move, turn, scale = (np.array([row[k] for row in rows]) for k in range(3))
        for path, values, default in (
            ("translation", _finite(move), _parts(node.local_transform)[0]),
            ("rotation", _unit(turn), None),
            ("scale", _finite(scale, 1.0), _parts(node.local_transform)[2]),
        ):
            if default is not None and np.abs(values - default).max() <= 1e-9 * max(1.0, np.abs(default).max()):
                continue
            samplers.append({"input": key, "output": builder.add(float32(values), FLOAT, f"VEC{values.shape[1]}")})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": i, "path": path}})
    return {"name": str(stack.name) or "take", "samplers": samplers, "channels": channels}


# --- joints and meshes -----------------------------------------------------------------------------------------------
def _add_meshes(source: _Source, builder: GlbBuilder, document: dict[str, Any]) -> None:
    """Skinned meshes, and the joints: what skins name and every bone; the largest skin lists them all."""
    bones = [i for i, node in enumerate(source.nodes) if int(node.attrib_type) == BONE]
    skins: list[tuple[list[int], list[np.ndarray]]] = []
    meshes: list[dict[str, Any]] = []
    for i, node in enumerate(source.nodes):
        mesh = held(node.mesh)
        deformers: Any = held(mesh.skin_deformers) if mesh is not None else ()
        if mesh is None or not len(deformers):
            continue
        made = _skinned(source, builder, mesh, held(deformers[0]))
        if made is not None:
            skins.append((made[1], made[2]))
            meshes.append({"name": str(node.name), "primitives": [made[0]]})
            document["nodes"][i] |= {"mesh": len(meshes) - 1, "skin": len(skins) - 1}
    if meshes:
        document["meshes"] = meshes
        largest = max(range(len(skins)), key=lambda s: len(skins[s][0]))
        _complete(document["nodes"], bones, *skins[largest])
        document["skins"] = [
            {
                "joints": joints,
                "inverseBindMatrices": builder.add(float32(np.swapaxes(inverse, 1, 2).reshape(-1, 16)), FLOAT, "MAT4"),
            }
            for joints, inverse in ((joints, np.array(inverse)) for joints, inverse in skins)
        ]
    elif bones:
        document["skins"] = [{"joints": bones}]


def _complete(entries: list[dict[str, Any]], bones: list[int], joints: list[int], inverse: list[np.ndarray]) -> None:
    """Bones that a skin does not name, added to it where its other joints, at bind, and their own offsets put them."""
    parent = {child: i for i, entry in enumerate(entries) for child in entry.get("children", ())}
    bound = dict(zip(joints, inverse, strict=True))
    for bone in bones:  # parents come first
        above = parent.get(bone)
        if bone not in bound and above in bound:
            bound[bone] = np.linalg.pinv(_matrix(entries[bone])) @ bound[above]
            joints.append(bone)
            inverse.append(bound[bone])


def _matrix(entry: dict[str, Any]) -> np.ndarray:
    x, y, z, w = entry["rotation"]
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn * entry["scale"], entry["translation"]
    return matrix


def _skinned(
    source: _Source, builder: GlbBuilder, mesh: Any, deformer: Any
) -> tuple[dict[str, Any], list[int], list[np.ndarray]] | None:
    """A primitive, the nodes of its joints and their inverse bind matrices; None for a mesh that nothing holds."""
    vertices, triangles = np.array(held(mesh.vertices), float).reshape(-1, 3), _triangles(mesh)
    clusters = held(deformer.clusters)
    joints: list[int] = []
    inverse: list[np.ndarray] = []
    rows: list[np.ndarray] = []
    for k in range(len(clusters)):
        cluster = held(clusters[k])
        bone, listed = held(cluster.bone_node), held(cluster.weights)
        if bone is None or not len(listed):
            continue
        at, weight = np.array(held(cluster.vertices), np.int64), np.array(listed, float)
        good = (at < len(vertices)) & np.isfinite(weight) & (weight > 0)
        rows.append(np.stack([at[good], np.full(good.sum(), len(joints)), weight[good]], axis=-1))
        joints.append(source.number[int(bone.typed_id)])
        inverse.append(_affine(cluster.geometry_to_bone))
    if not joints or not len(vertices) or not len(triangles) or len(set(joints)) != len(joints):
        return None
    numbers, weights = _strongest(np.concatenate(rows), len(vertices))
    attributes = {
        "POSITION": builder.add(float32(_finite(vertices)), FLOAT, "VEC3", bounds=True),
        "JOINTS_0": builder.add(numbers.astype(np.uint16), U16, "VEC4"),
        "WEIGHTS_0": builder.add(float32(weights), FLOAT, "VEC4"),
    }
    indices = builder.add(triangles.reshape(-1).astype(np.uint32), U32, "SCALAR")
    return {"attributes": attributes, "indices": indices}, joints, inverse


def _affine(matrix: Any) -> np.ndarray:
    out = np.eye(4)
    for k, column in enumerate((matrix.c0, matrix.c1, matrix.c2, matrix.c3)):
        out[:3, k] = column.x, column.y, column.z
    return _finite(out)


def _triangles(mesh: Any) -> np.ndarray:
    """(F, 3) vertices; faces of more corners as fans."""
    corners = np.array(held(mesh.vertex_indices), np.int64)
    faces, out = held(mesh.faces), []
    for i in range(len(faces)):
        face = held(faces[i])
        first, count = int(face.index_begin), int(face.num_indices)
        out += [(first, first + k, first + k + 1) for k in range(1, count - 1) if first + count <= len(corners)]
    return corners[np.array(out, np.int64).reshape(-1, 3)] if out else np.zeros((0, 3), np.int64)


def _strongest(rows: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(V, 4) joints and weights of each vertex, from rows of vertex, joint and weight."""
    order = np.lexsort((-rows[:, 2], rows[:, 0]))
    rows = rows[order]
    vertex = rows[:, 0].astype(np.int64)
    first = np.searchsorted(vertex, np.arange(count))
    rank = np.arange(len(rows)) - first[vertex]
    kept = rank < INFLUENCES
    numbers, weights = np.zeros((count, INFLUENCES)), np.zeros((count, INFLUENCES))
    numbers[vertex[kept], rank[kept]], weights[vertex[kept], rank[kept]] = rows[kept, 1], rows[kept, 2]
    total = weights.sum(axis=1, keepdims=True)
    weights = np.where(total > 0, weights / np.maximum(total, 1e-9), [1.0, 0.0, 0.0, 0.0])
    return numbers, weights


if __name__ == "__main__":
    main()
