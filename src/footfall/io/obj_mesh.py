"""Wavefront OBJ, as far as a ground needs it: vertices and faces, in metres and Y up."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from footfall.core.errors import ReadError


def read_obj(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) and triangles (F, 3); faces of more corners become fans."""
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1):
        words = line.split("#")[0].split()
        if not words or words[0] not in ("v", "f"):
            continue
        try:
            if words[0] == "v":
                x, y, z = (float(word) for word in words[1:4])
                vertices.append([x, y, z])
            else:
                corners = [_index(word, len(vertices)) for word in words[1:]]
                triangles += [(corners[0], corners[n], corners[n + 1]) for n in range(1, len(corners) - 1)]
        except ValueError:
            raise ReadError(path, str(number), "a vertex 'v x y z' or a face 'f 1 2 3'", line.strip()) from None
    if not triangles:
        raise ReadError(path, "", "faces to stand on", "none")
    return np.array(vertices, float), np.array(triangles, np.int64)


def _index(word: str, count: int) -> int:
    """A corner's vertex from 0 on; OBJ counts from 1, or back from the last with a minus."""
    index = int(word.split("/")[0])
    index = index - 1 if index > 0 else count + index
    if not 0 <= index < count:
        raise ValueError(word)
    return index
