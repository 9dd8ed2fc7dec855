"""The convex hull of examples, cut into Delaunay simplices: where a point lies, and the nearest point of the hull.

Examples may lie on a line or plane of a larger space: everything happens in the coordinates of their span. All plain
arrays and whole-batch operations: with tens of examples, trying every simplex at once is faster than walking.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from footfall.core.errors import ParameterError

FLAT = 1e-9  # of the largest extent: thinner than this is flat
INSIDE = 1e-9  # least barycentric coordinate of a point that is inside
MOST_DIMENSIONS = 8  # the number of simplices explodes beyond
CHUNK = 4_000_000  # numbers worked on at once


@dataclass(frozen=True, eq=False)
class Hull:
    """Simplices and faces of M points in d dimensions that span r of them."""

    origin: np.ndarray  # (d,)
    axes: np.ndarray  # (r, d) orthonormal
    points: np.ndarray  # (M, r) in those axes
    simplices: np.ndarray  # (S, r + 1) indices of points
    inverse: np.ndarray  # (S, r, r) barycentric coordinates 1 … r of a point x: inverse @ (x - first corner)
    faces: np.ndarray  # (F, r) corners of faces of every dimension; a smaller face repeats its last corner
    face_sizes: np.ndarray  # (F,) number of corners

    @property
    def rank(self) -> int:
        """Dimensions the points span."""
        return len(self.axes)

    def inside(self, p: np.ndarray) -> np.ndarray:
        """(Q,) whether points (Q, d) lie in the hull."""
        x = (p - self.origin) @ self.axes.T
        off = np.linalg.norm(p - self.origin - x @ self.axes, axis=-1) if self.rank < p.shape[1] else np.zeros(len(p))
        _, _, least = self._locate(x)
        return (least >= -INSIDE) & (off <= FLAT * (1.0 + np.linalg.norm(x, axis=-1)))

    def weights(self, p: np.ndarray) -> np.ndarray:
        """(Q, M) barycentric weights of the nearest points of the hull to points (Q, d)."""
        x = (p - self.origin) @ self.axes.T
        out = np.zeros((len(p), len(self.points)))
        which, coordinates, least = self._locate(x)
        within = np.flatnonzero(least >= -INSIDE)
        held = np.maximum(coordinates[within], 0.0)
        rows = np.repeat(within, self.simplices.shape[1])
        out[rows, self.simplices[which[within]].ravel()] = (held / held.sum(axis=1, keepdims=True)).ravel()
        outside = np.flatnonzero(least < -INSIDE)
        if len(outside):
            out[outside] = self._nearest(x[outside])
        return out

    def nearest(self, p: np.ndarray) -> np.ndarray:
        """(Q, d) the nearest points of the hull to points (Q, d)."""
        return self.weights(p) @ (self.origin + self.points @ self.axes)

    def _locate(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Simplex (Q,) that holds each x (Q, r) best, coordinates (Q, r + 1) in it, and the least of them (Q,)."""
        which = np.zeros(len(x), int)
        coordinates = np.ones((len(x), self.rank + 1))
        if not self.rank:
            return which, coordinates, np.ones(len(x))
        corner = self.points[self.simplices[:, 0]]
        for part in _chunks(len(x), len(self.simplices) * (self.rank + 1)):
            rest = np.einsum("sij,qsj->qsi", self.inverse, x[part, None] - corner)
            all_of = np.concatenate([1.0 - rest.sum(axis=-1, keepdims=True), rest], axis=-1)  # (q, S, r + 1)
            best = all_of.min(axis=-1).argmax(axis=1)
            which[part] = best
            coordinates[part] = all_of[np.arange(len(best)), best]
        return which, coordinates, coordinates.min(axis=1)

    def _nearest(self, x: np.ndarray) -> np.ndarray:
        """(Q, M) weights of the nearest points of the hull's surface to x (Q, r).

        The nearest point lies inside some face (corner, edge, …), where it is the foot of the perpendicular; of all
        faces that hold their own foot the nearest one is it.
        """
        out = np.zeros((len(x), len(self.points)))
        for part in _chunks(len(x), len(self.faces) * (self.rank + 2)):
            near = np.full(len(x[part]), np.inf)
            for size in range(1, self.rank + 1):
                of = self.faces[self.face_sizes == size][:, :size]  # (F, size)
                corner = self.points[of[:, 0]]
                edges = self.points[of[:, 1:]] - corner[:, None]  # (F, size - 1, r)
                foot = np.linalg.pinv(np.swapaxes(edges, 1, 2)) if size > 1 else np.zeros((len(of), 0, self.rank))
                away = x[part, None] - corner  # (q, F, r)
                rest = np.einsum("fij,qfj->qfi", foot, away)
                coordinates = np.concatenate([1.0 - rest.sum(axis=-1, keepdims=True), rest], axis=-1)
                left = away - np.einsum("qfi,fij->qfj", rest, edges)
                distance = np.where(coordinates.min(axis=-1) >= -INSIDE, np.linalg.norm(left, axis=-1), np.inf)
                best = distance.argmin(axis=1)
                rows = np.arange(len(best))
                better = np.flatnonzero(distance[rows, best] < near * (1.0 - 1e-12))
                near[better] = distance[better, best[better]]
                w = np.zeros((len(better), len(self.points)))
                w[np.arange(len(better))[:, None], of[best[better]]] = np.maximum(
                    coordinates[better, best[better]], 0.0
                )
                out[part.start + better] = w / w.sum(axis=1, keepdims=True)
        return out


def hull_of(points: np.ndarray) -> Hull:
    """The hull of distinct points (M, d)."""
    origin = points.mean(axis=0)
    _, size, axes = np.linalg.svd(points - origin, full_matrices=False)
    axes = axes[: int((size > FLAT * max(float(size[0]), 1e-300)).sum())] if len(points) > 1 else axes[:0]
    rank = len(axes)
    if rank > MOST_DIMENSIONS:
        raise ParameterError(f"a hull is cut up in at most {MOST_DIMENSIONS} dimensions, these examples span {rank}; "
                             "use rbf weights")  # fmt: skip
    x = (points - origin) @ axes.T
    simplices, facets = _triangulate(x)
    edges = x[simplices[:, 1:]] - x[simplices[:, :1]]  # (S, r, r)
    inverse = np.linalg.pinv(np.swapaxes(edges, 1, 2)) if rank else np.zeros((len(simplices), 0, 0))
    faces, sizes = _all_faces(facets, rank)
    return Hull(origin, axes, x, simplices, inverse, faces, sizes)


def _triangulate(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Simplices (S, r + 1) and outer facets (F, r) of points (M, r)."""
    rank = x.shape[1]
    if rank == 0:
        return np.zeros((1, 1), int), np.zeros((0, 0), int)
    if rank == 1:
        order = np.argsort(x[:, 0], kind="stable")
        return np.stack([order[:-1], order[1:]], axis=1), order[[0, -1]][:, None]
    from scipy.spatial import Delaunay

    cut = Delaunay(x)
    corners = x[cut.simplices]
    volume = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1]))
    solid = volume > 1e-12 * volume.max()  # slivers of no volume hold no point that a neighbour does not
    return cut.simplices[solid].astype(int), cut.convex_hull.astype(int)


def _all_faces(facets: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Facets and all their corners, edges, … once each: (F, r) and their sizes (F,)."""
    found = {c for facet in facets.tolist() for size in range(1, rank + 1) for c in combinations(sorted(facet), size)}
    ordered = sorted(found, key=lambda c: (len(c), c))
    padded = [[*c, *[c[-1]] * (rank - len(c))] for c in ordered]
    return np.array(padded, int).reshape(len(padded), rank), np.array([len(c) for c in ordered], int)


def _chunks(count: int, each: int) -> list[slice]:
    step = max(1, CHUNK // max(each, 1))
    return [slice(i, min(i + step, count)) for i in range(0, count, step)]
