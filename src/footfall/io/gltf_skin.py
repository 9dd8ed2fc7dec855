"""glTF skins: which nodes are the skeleton, in which order, and what its rest pose is.

The rest pose is the bind pose when the inverse bind matrices agree with each other (it is nearly always a T or A
pose); else it is the default pose of the nodes. Khronos glTF 2.0 specification, section 3.7.3.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.skeleton import MAX_JOINTS, Skeleton
from footfall.io.gltf_container import GltfDocument
from footfall.io.gltf_nodes import Nodes, nearest_rotation
from footfall.io.text import unique_names
from footfall.kinematics.fk import local_positions, local_rotations

END_NAME = re.compile(r"(end|nub|tip|leaf|site)([._ -]?[lr])?$", re.IGNORECASE)


class Joints(NamedTuple):
    """The skeleton's nodes, parent first, and the skins that move with them."""

    nodes: list[int]  # node of each joint; -1 for a root made up to join several trees
    parents: list[int]  # joint index of each joint's parent
    skins: list[int]

    def index_of(self) -> dict[int, int]:
        return {node: j for j, node in enumerate(self.nodes)}


class Bind(NamedTuple):
    """The rest pose in the world; matrices include scale, so that they take mesh data with them."""

    matrices: np.ndarray  # (J, 4, 4) joint to world
    positions: np.ndarray  # (J, 3)
    rotations: np.ndarray  # (J, 4)
    from_skin: bool


# --- which nodes ----------------------------------------------------------------------------------------------
def find_joints(document: GltfDocument, nodes: Nodes, animated: Iterable[int]) -> Joints:
    """The joints of the largest skin and of those that hang together with it; else the animated nodes' trees."""
    skins = _skin_joints(document)
    group = _largest_group(document, nodes, skins)
    if group:
        chosen = [joint for s in group for joint in skins[s]]
    else:
        chosen = _subtrees(nodes, set(animated) or set(range(len(nodes.names))))
    if not chosen:
        document.fail("/nodes", "at least one node", "none")
    rank = {node: i for i, node in reversed(list(enumerate(chosen)))}
    members = _connect(nodes, set(chosen))
    if len(members) > MAX_JOINTS:
        document.fail("/nodes", f"at most {MAX_JOINTS} joints", len(members))
    order = _ordered(nodes, members, rank)
    index = {node: j for j, node in enumerate(order)}
    parents = [index.get(int(nodes.parents[n]), -1) for n in order]
    if parents.count(-1) == 1:
        return Joints(order, parents, group)
    return Joints([-1, *order], [-1, *(p + 1 for p in parents)], group)


def _skin_joints(document: GltfDocument) -> list[list[int]]:
    out = []
    for s, skin in enumerate(document.items("skins")):
        joints = document.indices(skin, "joints", "nodes", f"/skins/{s}")
        if not joints or len(set(joints)) != len(joints):
            document.fail(f"/skins/{s}/joints", "at least one node, each once", str(joints[:8]))
        out.append(joints)
    return out


def _largest_group(document: GltfDocument, nodes: Nodes, skins: list[list[int]]) -> list[int]:
    """Skins that share a joint, or of which one hangs from a joint of the other: one character."""
    group = list(range(len(skins)))

    def find(s: int) -> int:
        while group[s] != s:
            group[s] = group[group[s]]
            s = group[s]
        return s

    owner: dict[int, int] = {}
    for s, joints in enumerate(skins):
        for joint in joints:
            group[find(s)] = find(owner.setdefault(joint, s))
    above: dict[int, int] = {}  # the nearest skin at or above each node
    for node in nodes.order:
        parent = int(nodes.parents[node])
        if parent in above:
            above[node] = above[parent]
            if node in owner:
                group[find(owner[node])] = find(above[parent])
        if node in owner:
            above[node] = owner[node]
    members: dict[int, list[int]] = {}
    for s in range(len(skins)):
        members.setdefault(find(s), []).append(s)
    if len(members) > 1:
        document.reading.warn("/skins", f"{len(members)} characters; only the one with the most joints is read")
    sizes = {g: len({j for s in own for j in skins[s]}) for g, own in members.items()}
    best = max(members, key=lambda g: sizes[g], default=None)
    own = members.get(best, []) if best is not None else []
    return sorted(own, key=lambda s: -len(skins[s]))  # the largest first: it sets order and bind pose


def _subtrees(nodes: Nodes, tops: set[int]) -> list[int]:
    """The nodes given and everything below them, parent first."""
    inside: set[int] = set()
    for node in nodes.order:
        if node in tops or int(nodes.parents[node]) in inside:
            inside.add(node)
    return [node for node in nodes.order if node in inside]


def _connect(nodes: Nodes, chosen: set[int]) -> set[int]:
    """The chosen nodes, those between them, and those up to their lowest common ancestor where there is one."""
    below = np.zeros(len(nodes.names), int)  # chosen nodes at or below each node
    for node in reversed(nodes.order):
        below[node] += node in chosen
        if nodes.parents[node] >= 0:
            below[nodes.parents[node]] += below[node]
    common = [node for node in nodes.order if below[node] == len(chosen)]
    members = set(chosen)
    if common:
        members.add(common[-1])  # the deepest: later in a parent-first order
    above: set[int] = set()
    for node in nodes.order:
        if int(nodes.parents[node]) in above or node in members:
            above.add(node)
            if below[node]:
                members.add(node)
    return members


def _ordered(nodes: Nodes, members: set[int], rank: dict[int, int]) -> list[int]:
    """Parent first, otherwise in the order of rank; a node without one comes just before its first descendant."""
    rank = {n: r for n, r in rank.items() if n in members}
    unranked = members - rank.keys()
    for node in reversed(nodes.order):
        parent = int(nodes.parents[node])
        if node in members and parent in unranked:
            rank[parent] = min(rank.get(parent, len(nodes.names)), rank[node])
    ready = [(rank[n], n) for n in members if int(nodes.parents[n]) not in members]
    heapq.heapify(ready)
    order = []
    while ready:
        _, node = heapq.heappop(ready)
        order.append(node)
        for child in nodes.children[node]:
            if child in members:
                heapq.heappush(ready, (rank[child], child))
    return order


# --- the rest pose --------------------------------------------------------------------------------------------
def bind_pose(document: GltfDocument, nodes: Nodes, joints: Joints) -> Bind:
    """The rest pose: bind matrices where the main skin has them and they agree, the default pose elsewhere."""
    default, default_rotation = default_pose(nodes, joints)
    inverse = _inverse_binds(document, joints)
    if inverse is None:
        return Bind(default, default[:, :3, 3].copy(), default_rotation, False)
    placement = _mesh_placement(document, nodes, joints, default, inverse)
    matrices, rotations = default.copy(), default_rotation.copy()
    bound = sorted(inverse)
    matrices[bound] = placement @ np.linalg.inv(np.stack([inverse[j] for j in bound]))
    rotations[bound] = nearest_rotation(matrices[bound, :3, :3])
    for j, parent in enumerate(joints.parents):
        if parent >= 0 and j not in inverse:  # not bound: where its default transform puts it under its parent
            matrices[j] = matrices[parent] @ np.linalg.pinv(default[parent]) @ default[j]
            local = rotation.multiply(rotation.conjugate(default_rotation[parent]), default_rotation[j])
            rotations[j] = rotation.multiply(rotations[parent], local)
    return Bind(matrices, matrices[:, :3, 3].copy(), rotations, True)


def default_pose(nodes: Nodes, joints: Joints) -> tuple[np.ndarray, np.ndarray]:
    """World matrices (J, 4, 4) and rotations (J, 4) of the joints as the file shows them before anything moves."""
    made_up = np.array(joints.nodes) < 0
    matrices, rotations = nodes.world[joints.nodes], nodes.world_rotation[joints.nodes]
    matrices[made_up], rotations[made_up] = np.eye(4), rotation.IDENTITY
    return matrices, rotations


def _inverse_binds(document: GltfDocument, joints: Joints) -> dict[int, np.ndarray] | None:
    """Joint -> inverse bind matrix of the main skin; None when there are none or they contradict each other."""
    if not joints.skins:
        return None
    main = joints.skins[0]
    matrices = skin_matrices(document, main)
    if matrices is None:
        return None
    size = np.linalg.det(matrices[:, :3, :3])
    if not (size > 1e-12).all() or size.max() > 1.2 * size.min():
        return None
    scale = np.cbrt(size)[:, None, None]
    product = np.swapaxes(matrices[:, :3, :3], 1, 2) @ matrices[:, :3, :3] / scale**2
    if np.abs(product - np.eye(3)).max() > 0.05:
        return None
    index = joints.index_of()
    nodes = document.indices(document.item("skins", main), "joints", "nodes", f"/skins/{main}")
    return {index[node]: matrices[k] for k, node in enumerate(nodes)}


def skin_matrices(document: GltfDocument, skin: int) -> np.ndarray | None:
    """(K, 4, 4) inverse bind matrices of a skin, one per joint of it; None when it has none (all identity)."""
    place, entry = f"/skins/{skin}", document.item("skins", skin)
    source = document.index(entry, "inverseBindMatrices", "accessors", place)
    if source is None:
        return None
    values = document.floats(source, ("MAT4",), "inverse bind matrices")
    count = len(document.indices(entry, "joints", "nodes", place))
    if len(values) < count:
        document.fail(f"{place}/inverseBindMatrices", f"{count} matrices", len(values))
    matrices = np.swapaxes(values[:count].reshape(-1, 4, 4), 1, 2).copy()  # glTF stores columns
    matrices[:, 3] = [0.0, 0.0, 0.0, 1.0]
    return matrices


def _mesh_placement(
    document: GltfDocument, nodes: Nodes, joints: Joints, default: np.ndarray, inverse: dict[int, np.ndarray]
) -> np.ndarray:
    """World from mesh at the time of binding (4, 4).

    glTF does not say. The mesh node's own place is right when its exporter kept it there; it is believed unless it
    contradicts where the joints are now: by scale, by more than 60 degrees on average, or by a body length.
    """
    first = min(inverse)
    by_joint = default[first] @ inverse[first]
    meshes = [
        n
        for n, entry in enumerate(document.items("nodes"))
        if document.index(entry, "skin", "skins", f"/nodes/{n}") == joints.skins[0]
    ]
    if not meshes:
        return by_joint
    by_mesh = nodes.world[meshes[0]]
    sizes = [abs(np.linalg.det(m[:3, :3])) for m in (by_mesh, by_joint)]
    if min(sizes) < 1e-12 or not 0.97 < sizes[0] / sizes[1] < 1.03:
        return by_joint
    by_joints = np.stack([default[j, :3, :3] @ inverse[j][:3, :3] for j in inverse])
    mean = rotation.average(nearest_rotation(by_joints))
    turn = rotation.angle_between(nearest_rotation(by_mesh[:3, :3]), mean)
    extent = np.ptp(default[:, :3, 3], axis=0).max()
    bound = by_mesh @ np.linalg.inv(inverse[first])
    far = np.linalg.norm(bound[:3, 3] - default[first, :3, 3])
    return by_mesh if turn < np.radians(60) and far <= extent else by_joint


# --- the skeleton ---------------------------------------------------------------------------------------------
def build_skeleton(document: GltfDocument, nodes: Nodes, joints: Joints, bind: Bind) -> Skeleton:
    """Names, offsets in metres and the rest pose; end sites are unskinned leaf nodes named as ends."""
    default, default_rotation = default_pose(nodes, joints)
    parents = np.array(joints.parents, np.int32)
    offsets = local_positions(parents, default[:, :3, 3], default_rotation)
    bound = local_positions(parents, bind.positions, bind.rotations)
    extent = float(np.ptp(bind.positions, axis=0).max()) if len(bind.positions) else 0.0
    # bind matrices are float32 products: their offsets replace the nodes' own only where they truly differ
    differs = np.linalg.norm(bound - offsets, axis=1) > 1e-3 * extent
    offsets[differs] = bound[differs]
    rest = local_rotations(parents, bind.rotations)
    end_parents, end_offsets = _end_sites(document, nodes, joints, default, default_rotation)
    names = _unique_names(document, nodes, joints)
    return Skeleton(names, parents, offsets, rest, end_parents, end_offsets)


def _end_sites(
    document: GltfDocument, nodes: Nodes, joints: Joints, default: np.ndarray, rotations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    index, entries = joints.index_of(), document.items("nodes")
    ends = [
        (index[int(nodes.parents[n])], n)
        for n in nodes.order
        if n not in index
        and int(nodes.parents[n]) in index
        and not nodes.children[n]
        and not {"mesh", "camera"} & entries[n].keys()
        and END_NAME.search(nodes.names[n])
    ]
    if not ends:
        return np.zeros(0, np.int32), np.zeros((0, 3))
    owners = np.array([j for j, _ in ends], np.int32)
    there = nodes.world[[n for _, n in ends], :3, 3]
    return owners, rotation.rotate(rotation.conjugate(rotations[owners]), there - default[owners, :3, 3])


def _unique_names(document: GltfDocument, nodes: Nodes, joints: Joints) -> tuple[str, ...]:
    given = [(nodes.names[n].strip() or f"node_{n}") if n >= 0 else "root" for n in joints.nodes]
    names = unique_names(given)
    renamed = [name for name, before in zip(names, given, strict=True) if name != before]
    if renamed:
        document.reading.warn("/nodes", f"{len(renamed)} joints share names; renamed: {', '.join(renamed[:5])}")
    return tuple(names)
