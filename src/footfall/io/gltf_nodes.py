"""glTF nodes: the hierarchy, default transforms, and world transforms over time with every scale honoured.

Khronos glTF 2.0 specification, section 3.5. The walk is iterative; a node met twice is an error, not a loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.io.gltf_container import GltfDocument, JsonObject
from footfall.kinematics.fk import with_ancestors

Moves = Mapping[tuple[int, str], np.ndarray]  # (node, "translation" …) -> (T, 3 or 4), rotations unit wxyz

MAX_NODES = 100_000
NOT_UNIT = 5e-3  # a rotation rounded to two digits is off by so much
NO_TRANSFORM = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]


class Nodes(NamedTuple):
    """Every node of the file; the default local transform of a node is x -> linear @ x + translation."""

    names: list[str]
    parents: np.ndarray  # (N,) int, -1 for a root
    children: list[list[int]]
    order: list[int]  # parent first, depth first
    translation: np.ndarray  # (N, 3)
    rotation: np.ndarray  # (N, 4) unit wxyz
    linear: np.ndarray  # (N, 3, 3) rotation, scale and, from a matrix, shear
    world: np.ndarray  # (N, 4, 4) default transform to the world
    world_rotation: np.ndarray  # (N, 4) of it, the rotations of the chain alone


Transform = tuple[np.ndarray, np.ndarray, np.ndarray]  # position, rotation, linear part; each (1 or T, …)


def read_nodes(document: GltfDocument) -> Nodes:
    entries = document.items("nodes")
    if len(entries) > MAX_NODES:
        document.fail("/nodes", f"at most {MAX_NODES} nodes", len(entries))
    parents, children = np.full(len(entries), -1), []
    for i, entry in enumerate(entries):
        below = document.indices(entry, "children", "nodes", f"/nodes/{i}")
        for child in below:
            if parents[child] >= 0 or child == i:
                document.fail(f"/nodes/{i}/children", "every node to have one parent", f"node {child} twice")
            parents[child] = i
        children.append(below)
    order = _parent_first(parents, children)
    if len(order) != len(entries):
        lost = sorted(set(range(len(entries))) - set(order))
        document.fail(f"/nodes/{lost[0]}/children", "a tree", "a cycle of nodes")
    names = [document.text(entry, "name", f"/nodes/{i}") for i, entry in enumerate(entries)]
    translation, turn, linear = _locals(document, entries)
    world, world_rotation = _default_world(parents, order, translation, turn, linear)
    return Nodes(names, parents, children, order, translation, turn, linear, world, world_rotation)


def _parent_first(parents: np.ndarray, children: list[list[int]]) -> list[int]:
    stack, order = [int(i) for i in np.flatnonzero(parents < 0)[::-1]], []
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(children[node]))
    return order


def _locals(document: GltfDocument, entries: list[JsonObject]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Default translation (N, 3), rotation (N, 4) and linear part (N, 3, 3) of every node."""
    count = len(entries)
    move, turn, scale = np.zeros((count, 3)), np.tile(rotation.IDENTITY, (count, 1)), np.ones((count, 3))
    matrices: dict[int, list[float]] = {}
    for i, entry in enumerate(entries):
        place = f"/nodes/{i}"
        if "matrix" in entry:
            matrices[i] = document.numbers(entry, "matrix", place, NO_TRANSFORM)
            if not entry.keys().isdisjoint(("translation", "rotation", "scale")):
                document.reading.warn(place, "both a matrix and translation, rotation or scale; the matrix counts")
            continue
        if "translation" in entry:
            move[i] = document.numbers(entry, "translation", place, [0.0] * 3)
        if "scale" in entry:
            scale[i] = document.numbers(entry, "scale", place, [1.0] * 3)
        if "rotation" in entry:
            x, y, z, w = document.numbers(entry, "rotation", place, [0.0] * 4)
            turn[i] = w, x, y, z
            if max(abs(w), abs(x), abs(y), abs(z)) < 1e-6:
                document.fail(f"{place}/rotation", "a unit quaternion", "all zeros")
            if abs(w * w + x * x + y * y + z * z - 1.0) > 2.0 * NOT_UNIT:
                document.reading.warn(f"{place}/rotation", "a quaternion of another length than 1 was normalised")
    turn = rotation.normalize(turn)
    linear = rotation.to_matrix(turn) * scale[:, None, :]
    if matrices:
        at = list(matrices)
        full = np.swapaxes(np.reshape(list(matrices.values()), (-1, 4, 4)), 1, 2)  # glTF stores columns
        move[at], linear[at] = full[:, :3, 3], full[:, :3, :3]
        turn[at] = nearest_rotation(linear[at])
    return move, turn, linear


def _default_world(
    parents: np.ndarray, order: list[int], move: np.ndarray, turn: np.ndarray, linear: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """World matrices (N, 4, 4) and rotations (N, 4), one generation of nodes after another."""
    depth = np.zeros(len(parents), int)
    for node in order:
        if parents[node] >= 0:
            depth[node] = depth[parents[node]] + 1
    world, world_turn = np.tile(np.eye(4), (len(parents), 1, 1)), turn.copy()
    world[:, :3, :3], world[:, :3, 3] = linear, move
    by_depth = np.argsort(depth, kind="stable")
    starts = np.searchsorted(depth[by_depth], np.arange(depth.max(initial=0) + 2))
    for first, last in pairwise(starts[1:]):
        nodes = by_depth[first:last]
        world[nodes] = world[parents[nodes]] @ world[nodes]
        world_turn[nodes] = rotation.multiply(world_turn[parents[nodes]], world_turn[nodes])
    return world, world_turn


def nearest_rotation(linear: np.ndarray) -> np.ndarray:
    """Quaternions (..., 4) of the rotations nearest to the matrices (..., 3, 3), mirrors and scales left out."""
    u, _, vt = np.linalg.svd(linear)
    flip = np.ones(u.shape[:-1])
    flip[..., 2] = np.sign(np.linalg.det(u @ vt))
    return rotation.from_matrix((u * flip[..., None, :]) @ vt)


def world_over_time(nodes: Nodes, wanted: Iterable[int], moves: Moves) -> dict[int, Transform]:
    """World transforms of the wanted nodes and of all above them; a node that never moves has one frame.

    Positions come from the full chain, scales included, so they are glTF's own. Rotations come from the chain of
    rotations, which is the same thing under uniform scales and stays defined under any other.
    """
    needed = with_ancestors(nodes.parents, wanted)
    world: dict[int, Transform] = {}
    for node in nodes.order:
        if node in needed:
            local = _local_over_time(nodes, node, moves)
            parent = int(nodes.parents[node])
            world[node] = local if parent < 0 else _compose(world[parent], local)
    return world


def _local_over_time(nodes: Nodes, node: int, moves: Moves) -> Transform:
    move = moves.get((node, "translation"), nodes.translation[None, node])
    turn = moves.get((node, "rotation"))
    scale = moves.get((node, "scale"))
    if turn is None and scale is None:
        return move, nodes.rotation[None, node], nodes.linear[None, node]
    # an animated node has no matrix (specification 3.11), so rotation and scale are all there is to its linear part
    if scale is None:
        scale = (rotation.to_matrix(nodes.rotation[node]) * nodes.linear[node]).sum(axis=0)[None]
    if turn is None:
        turn = nodes.rotation[None, node]
    return move, turn, rotation.to_matrix(turn) * scale[:, None, :]


def _compose(parent: Transform, local: Transform) -> Transform:
    position, turn, linear = parent
    moved = position + (linear @ local[0][..., None])[..., 0]
    return moved, rotation.multiply(turn, local[1]), linear @ local[2]
