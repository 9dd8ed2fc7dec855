"""Posture blending: joint rotations of examples to one rotation, by weights that may be negative.

Rotations are blended as rotation vectors about a reference (Park, Shin, Kim & Shin 2004, eq. 11-15). Three schemes
differ in the reference. Stateless, the default: the mean of the examples at each moment, worked out beforehand, with
the examples stored as vectors about it. Incremental, the paper's: the blended rotation of the previous frame.
Eigenvector, the older one: the weighted mean of the examples at every frame.
"""

from __future__ import annotations

import numpy as np

from footfall.core import rotation


def mean_orientations(rot: np.ndarray) -> np.ndarray:
    """(G, J, 4) mean over examples of rotations (G, N, J, 4), with signs that do not flip along the grid."""
    return rotation.continuous_signs(rotation.average(rot, axis=1))


def log_vectors(rot: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """(G, N, J, 3) rotations (G, N, J, 4) as vectors about a mean (G, J, 4), without jumps along the grid.

    A rotation near a half turn from the mean has two vectors of nearly opposite directions; the one nearer to its
    neighbour on the grid is taken, so that straight lines between grid points stay what the example does.
    """
    vectors = rotation.log(rotation.multiply(rotation.conjugate(mean[:, None]), rot))
    if (np.linalg.norm(vectors, axis=-1) < 0.5 * np.pi).all():
        return vectors
    for g in range(1, len(vectors)):
        angle = np.linalg.norm(vectors[g], axis=-1, keepdims=True)
        other = vectors[g] * (1.0 - 2.0 * np.pi / np.maximum(angle, 1e-12))
        nearer = np.linalg.norm(other - vectors[g - 1], axis=-1) < np.linalg.norm(vectors[g] - vectors[g - 1], axis=-1)
        vectors[g] = np.where(nearer[..., None], other, vectors[g])
    return vectors


def stateless(mean: np.ndarray, vectors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(..., J, 4) from the mean (..., J, 4) and vectors about it (..., N, J, 3), weights (..., N)."""
    return rotation.multiply(mean, rotation.exp(np.einsum("...n,...njk->...jk", weights, vectors)))


def about(reference: np.ndarray, rot: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(..., J, 4) rotations (..., N, J, 4) blended about a reference (..., J, 4) known only now."""
    reference = reference[..., None, :, :]
    vectors = rotation.log(rotation.multiply(rotation.conjugate(reference), rot))
    return stateless(reference[..., 0, :, :], vectors, weights)


def incremental(previous: np.ndarray | None, rot: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(J, 4) blended about the previous frame's result (J, 4), or about the mean on the first frame."""
    return about(rotation.average(rot, axis=-3) if previous is None else previous, rot, weights)


def eigenvector(rot: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(J, 4) blended about the mean of the examples (N, J, 4) weighted by what is positive of the weights (N,)."""
    positive = np.maximum(weights, 0.0)
    return about(rotation.average(np.moveaxis(rot, 0, 1), positive), rot, weights)
