"""Plain blend: poses and travel of a parametric motion in numpy, and the older posture schemes it is compared with.

Stateless: about the mean of the examples at each moment, as footfall does (`parametric.blend_kernels`). Incremental,
the scheme of Park et al. 2004: about the blended rotation of the frame before. Eigenvector, the older one: about the
weighted mean of the examples at every frame.
"""

from __future__ import annotations

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.parametric.parametric_motion import ParametricMotion


def local_pose(motion: ParametricMotion, t: np.ndarray | float, weights: np.ndarray) -> Pose:
    """Poses (...) on their carrier at canonical times t (...), weights (..., N) or (N,)."""
    g, f = _cell(motion, t)
    mean = rotation.normalize(_between(motion.mean[g], motion.mean[g + 1], f))
    rot = rotation.multiply(mean, rotation.exp(_blended(motion.vectors, g, f, weights)))
    pos = None if motion.offsets is None else _blended(motion.offsets, g, f, weights)
    return Pose(_blended(motion.root, g, f, weights), rot, pos)


def travelled(motion: ParametricMotion, t: np.ndarray | float, weights: np.ndarray) -> np.ndarray:
    """(..., 3) forward, left and turn of the carrier from canonical time 0 to t (...)."""
    return _blended(motion.travel, *_cell(motion, t), weights)


def _cell(motion: ParametricMotion, t: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    x = np.clip(np.asarray(t, float), 0.0, 1.0) * motion.cells
    g = np.minimum(x.astype(int), motion.cells - 1)
    return g, x - g


def _blended(table: np.ndarray, g: np.ndarray, f: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return _between(_weighted(weights, table, g), _weighted(weights, table, g + 1), f)


def _between(a: np.ndarray, b: np.ndarray, f: np.ndarray) -> np.ndarray:
    f = f.reshape(*f.shape, *(1,) * (a.ndim - f.ndim))
    return a + f * (b - a)


def _weighted(w: np.ndarray, values: np.ndarray, g: np.ndarray) -> np.ndarray:
    """(..., …) Σ w_n values[g, n] for weights (N,) or (..., N), values (G + 1, N, …) and grid points g (...)."""
    flat = values.reshape(len(values), values.shape[1], -1)
    found = (np.asarray(w, float)[..., None, :] @ flat[g])[..., 0, :]
    return np.asarray(found.reshape(*g.shape, *values.shape[2:]))


# --- schemes ---------------------------------------------------------------------------------------------------------


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
