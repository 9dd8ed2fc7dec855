"""K nearest neighbours among examples and thousands of measured random blends of them.

Feng et al. 2012, section 3, after Kovar & Gleicher 2004: w = 1/d_i - 1/d_k over the k nearest, normalised. Pseudo-
examples are random weights over near examples, placed where a measurement of the motion so blended puts them; the
answer is the weighted sum of their weight vectors. Never negative, exact at the examples; where neighbours at equal
distance change, weights are continuous (the k-th counts nothing), but they have kinks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from footfall.weights.examples import Examples, Measure
from footfall.weights.weights import FittedWeights, checked_count

HIT = 1e-12  # of the range: nearer than this is a hit
CHUNK = 20_000  # queries at once
CANDIDATES = 5  # drawn for each pseudo-example kept


@dataclass(frozen=True)
class KnnOptions:
    """How many neighbours and pseudo-examples; the seed of the latter."""

    k: int = 8
    pseudo_examples: int = 4000
    seed: int = 0

    def __post_init__(self) -> None:
        checked_count("k", self.k)
        checked_count("pseudo_examples", self.pseudo_examples, 0)
        checked_count("seed", self.seed, 0)


OPTIONS = KnnOptions


@dataclass(frozen=True, eq=False)
class NearestNeighbours(FittedWeights):
    """Places and weight vectors of all neighbours."""

    name: ClassVar[str] = "knn"
    k: int
    places: np.ndarray  # (S, d) in units of the range, the examples first
    vectors: np.ndarray  # (S, M)

    def distinct_weights(self, p: np.ndarray) -> np.ndarray:
        x = self.examples.units(p)
        k = min(self.k, len(self.places))
        return np.vstack([self._some(x[i : i + CHUNK], k) for i in range(0, len(x), CHUNK)] or [self.vectors[:0]])

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import KDTree

        return KDTree(self.places)

    def _some(self, x: np.ndarray, k: int) -> np.ndarray:
        distance, index = self._tree.query(x, k=k)
        distance, index = distance.reshape(len(x), k), index.reshape(len(x), k)
        return np.einsum("qk,qkm->qm", neighbour_weights(distance), self.vectors[index])


def neighbour_weights(distance: np.ndarray) -> np.ndarray:
    """(Q, k) 1/d_i - 1/d_k normalised, for ascending distances (Q, k): hits share; all alike share.

    Everything is multiplied by the least distance, so that nothing overflows and nothing is 0/0.
    """
    hit = distance <= HIT
    first = np.where(hit[:, :1], 1.0, distance[:, :1])
    w = first / np.where(hit, 1.0, distance) - first / np.where(hit[:, -1:], 1.0, distance[:, -1:])
    w = np.where(hit[:, :1], hit, np.maximum(w, 0.0))
    total = w.sum(axis=1, keepdims=True)
    alike = total <= 1e-12
    return np.where(alike, 1.0 / distance.shape[1], w / np.where(alike, 1.0, total))


def fit(examples: Examples, measure: Measure | None, options: KnnOptions) -> NearestNeighbours:
    """Draw the pseudo-examples and measure them."""
    places, vectors = examples.units(examples.parameters), np.eye(len(examples.parameters))
    if options.pseudo_examples and len(places) > 1:
        drawn = _random_weights(places, options)
        found = examples.units(examples.measured(measure, drawn))
        kept = _evenly(found, options.pseudo_examples)
        places, vectors = np.vstack([places, found[kept]]), np.vstack([vectors, drawn[kept]])
    return NearestNeighbours(examples, "", options.k, places, vectors)


def _random_weights(places: np.ndarray, options: KnnOptions) -> np.ndarray:
    """(S, M) weights over 2 … k of the examples nearest to a random one, itself among them."""
    rng = np.random.default_rng(options.seed)
    count, k = CANDIDATES * options.pseudo_examples, min(max(options.k, 2), len(places))
    near = np.linalg.norm(places[:, None] - places, axis=-1).argsort(axis=1, kind="stable")[:, :k]  # (M, k)
    of = near[rng.integers(len(places), size=count)]
    size = rng.integers(2, k + 1, size=count)
    order = np.argsort(rng.random((count, k)), axis=1)
    share = rng.exponential(size=(count, k)) * (order < size[:, None])
    out = np.zeros((count, len(places)))
    np.put_along_axis(out, of, share / share.sum(axis=1, keepdims=True), axis=1)
    return out


def _evenly(found: np.ndarray, count: int) -> np.ndarray:
    """Indices of `count` of the points found (S, d), taken cell by cell from a grid, so that none crowd together.

    Random blends pile up in the middle of what can be reached; requests come from everywhere.
    """
    spread = np.maximum(np.ptp(found, axis=0), 1e-12)
    cells = np.floor((found - found.min(axis=0)) / spread * round((4.0 * count) ** (1.0 / found.shape[1]))).astype(int)
    _, cell = np.unique(cells, axis=0, return_inverse=True)
    order = np.argsort(cell.ravel(), kind="stable")
    starts = np.flatnonzero(np.diff(cell.ravel()[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    rank = np.empty(len(order), int)
    rank[order] = np.arange(len(order)) - np.repeat(starts, sizes)  # how many of its cell came before
    return np.sort(np.argsort(rank, kind="stable")[:count])
