"""Postures: joint rotations of examples as rotation vectors about their mean, so that weights may be negative.

Park, Shin, Kim & Shin 2004, eq. 11-15, with another reference than the paper's: not the blended rotation of the frame
before, but the mean of the examples at each moment, worked out beforehand. A blend then depends on nothing before it.
`parametric.blend_kernels` blends the vectors.
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
        vectors[g] = rotation.nearer_way(vectors[g], vectors[g - 1])
    return vectors
