"""glTF scenes without a character: every mesh of a file where its node puts it, as one set of triangles."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from footfall.io.gltf_container import open_document
from footfall.io.gltf_mesh import SPARE_VERTICES, surface_of
from footfall.io.gltf_nodes import read_nodes
from footfall.io.raw import Reading, ReadOptions


def read_scene_mesh(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) in the world and triangles (F, 3)."""
    document = open_document(Reading(path, ReadOptions()))
    with np.errstate(all="ignore"):
        nodes = read_nodes(document)
    vertices: list[np.ndarray] = []
    triangles: list[np.ndarray] = []
    count, spare = 0, SPARE_VERTICES + document.size // 4
    for n, entry in enumerate(document.items("nodes")):
        mesh = document.index(entry, "mesh", "meshes", f"/nodes/{n}")
        if mesh is None:
            continue
        for p, primitive in enumerate(document.objects(document.item("meshes", mesh), "primitives", f"/nodes/{n}")):
            surface = surface_of(document, primitive, f"/meshes/{mesh}/primitives/{p}")
            if surface is None:
                continue
            vertices.append(surface[0] @ nodes.world[n, :3, :3].T + nodes.world[n, :3, 3])
            triangles.append(surface[1] + count)
            count += len(surface[0])
            if count > spare:
                document.fail(f"/nodes/{n}", "a mesh of sensible size", "one mesh repeated very often")
    if not triangles:
        document.fail("/nodes", "a mesh to stand on", "none")
    return np.concatenate(vertices), np.concatenate(triangles)
