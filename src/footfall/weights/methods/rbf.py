"""Radial basis functions: a linear fit of the weights plus smooth bumps that make them exact at the examples.

Rose, Cohen & Bodenheimer 1998 as in Park, Shin, Kim & Shin 2004, eq. 2–5:
w_i(p) = sum_l a_il A_l(p) + sum_j r_ij R_j(p), first the a by least squares, then the r from what is left. Kernels:
"bspline" R_j = B(|p - p_j| / alpha_j), B the cubic cardinal B-spline and alpha_j the distance to the nearest other
example (Rose's); "r" the distance itself; "thin-plate" r^2 log r. Parameters are centred on their mean and divided by
their range, and the least-squares solution is the one of least norm: then weights sum to 1 at any rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from footfall.core.errors import UnknownName
from footfall.weights.examples import Examples, Measure
from footfall.weights.lookup import bsplines, rbf_lookup, rbf_table
from footfall.weights.weights import FittedWeights

KERNELS = ("bspline", "r", "thin-plate")


@dataclass(frozen=True)
class RbfOptions:
    """Which kernel."""

    kernel: str = "bspline"

    def __post_init__(self) -> None:
        if self.kernel not in KERNELS:
            raise UnknownName("kernel", self.kernel, KERNELS)


OPTIONS = RbfOptions


@dataclass(frozen=True, eq=False)
class RadialBasis(FittedWeights):
    """The fitted coefficients."""

    name: ClassVar[str] = "rbf"
    kernel: str
    mean: np.ndarray  # (d,) of the examples' places
    centres: np.ndarray  # (M, d) normalised
    reach: np.ndarray  # (M,) alpha of every centre; 1 where the kernel has none
    coefficients: np.ndarray  # (1 + d + M, M): constant, linear part, bumps

    def distinct_weights(self, p: np.ndarray) -> np.ndarray:
        x = (self.examples.places(p) - self.mean) / self.examples.range
        if self.kernel == "bspline":
            found: np.ndarray = rbf_lookup(np.ascontiguousarray(x), *self._table)[:, : len(self.centres)]
            return found
        return np.hstack([_linear(x), _bumps(self.kernel, x, self.centres, self.reach)]) @ self.coefficients

    @cached_property
    def _table(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return rbf_table(self.centres, self.reach, self.coefficients, float)


def fit(examples: Examples, measure: Measure | None, options: RbfOptions) -> RadialBasis:
    """Solve for the coefficients; a measure is not needed."""
    places = examples.places(examples.parameters)
    mean = places.mean(axis=0)
    x = (places - mean) / examples.range
    identity = np.eye(len(x))
    reach = _nearest(x) if options.kernel == "bspline" else np.ones(len(x))
    plane = np.linalg.lstsq(_linear(x), identity, rcond=1e-10)[0]
    left = identity - _linear(x) @ plane
    bumps = np.linalg.lstsq(_bumps(options.kernel, x, x, reach), left, rcond=1e-13)[0]
    bumps -= bumps.mean(axis=1, keepdims=True)  # what is left sums to 0 over the examples: so do its coefficients
    return RadialBasis(examples, "", options.kernel, mean, x, reach, np.vstack([plane, bumps]))


def _linear(x: np.ndarray) -> np.ndarray:
    """(Q, 1 + d): 1 and the parameters themselves."""
    return np.hstack([np.ones((len(x), 1)), x])


def _bumps(kernel: str, x: np.ndarray, centres: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """(Q, M) radial functions of every centre at x (Q, d)."""
    distance = np.linalg.norm(x[:, None] - centres, axis=-1) / reach
    if kernel == "bspline":
        return cubic_bspline(distance)
    if kernel == "r":
        return distance
    return distance**2 * np.log(np.maximum(distance, 1e-300))


def cubic_bspline(x: np.ndarray) -> np.ndarray:
    """B(x) for x >= 0: 2/3 at 0, 1/6 at 1, 0 from 2 on."""
    return np.asarray(bsplines(np.ascontiguousarray(x, float).ravel()).reshape(np.shape(x)))


def _nearest(x: np.ndarray) -> np.ndarray:
    """(M,) distance from each of x (M, d) to its nearest other; 1 where there is none."""
    if len(x) == 1:
        return np.ones(1)
    distance = np.linalg.norm(x[:, None] - x, axis=-1)
    np.fill_diagonal(distance, np.inf)
    return distance.min(axis=1)
