"""A lattice of cubic B-splines over a padded unit box: smooth fields of many channels that are fast to look up.

m cells an axis over [-pad, 1 + pad], n = m + 3 coefficients an axis, 4^d of them at work at any point. The B-splines
sum to 1, so what holds for every coefficient (a sum of 1) holds for every value. The kernels are in weights/lookup.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from footfall.weights.lookup import lookup_1, lookup_2, lookup_3, padded, spline_basis, supports

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class Lattice:
    """Coefficients of C channels over a box of d dimensions."""

    cells: int
    pad: float
    coefficients: np.ndarray  # (n, …, n, C)
    table: np.ndarray  # the same for live characters: float32, channels padded

    def positions(self, u: np.ndarray) -> np.ndarray:
        """Points (Q, d) of the unit box in cells, held to the padded box."""
        return cell_positions(u, self.cells, self.pad)

    def values(self, u: np.ndarray) -> np.ndarray:
        """(Q, C) channels at points (Q, d)."""
        look = (lookup_1, lookup_2, lookup_3)[u.shape[1] - 1]
        found: np.ndarray = look(np.ascontiguousarray(self.positions(u)), self.coefficients)
        return found


def lattice_of(coefficients: np.ndarray, cells: int, pad: float, dimensions: int) -> Lattice:
    """From coefficients (n^d, C)."""
    shaped = np.ascontiguousarray(coefficients.reshape(*[cells + 3] * dimensions, coefficients.shape[-1]))
    return Lattice(cells, pad, shaped, padded(shaped))


def cell_positions(u: np.ndarray, cells: int, pad: float) -> np.ndarray:
    """Where points u (..., d) lie in cells: 0 … cells over the padded box."""
    return np.clip((u + pad) * (cells / (1.0 + 2.0 * pad)), 0.0, cells)


def basis_rows(u: np.ndarray, cells: int, pad: float) -> csr_array:
    """(Q, n^d) sparse: the share of every coefficient at points u (Q, d)."""
    from scipy.sparse import csr_array

    index, share = supports(np.ascontiguousarray(cell_positions(u, cells, pad)), cells)
    starts = np.arange(len(u) + 1) * index.shape[1]
    return csr_array((share.ravel(), index.ravel(), starts), shape=(len(u), (cells + 3) ** u.shape[1]))


def bending_energy(cells: int, pad: float, dimensions: int) -> np.ndarray:
    """(n^d, n^d) R with C'RC the integral of all squared second derivatives over the padded box."""
    grams = [_gram(cells, (1.0 + 2.0 * pad) / cells, order) for order in range(3)]
    total = np.zeros(((cells + 3) ** dimensions,) * 2)
    for i in range(dimensions):
        total += reduce(np.kron, [grams[2 if k == i else 0] for k in range(dimensions)])
        for j in range(i + 1, dimensions):
            total += 2.0 * reduce(np.kron, [grams[1 if k in (i, j) else 0] for k in range(dimensions)])
    return total


def _gram(cells: int, h: float, order: int) -> np.ndarray:
    """(n, n) integrals of products of the B-splines' derivatives of an order; exact by 4-point quadrature."""
    x, w = np.polynomial.legendre.leggauss(4)
    f = 0.5 * (x + 1.0)
    g = 1.0 - f
    values = np.empty((len(f), 4))
    for at, row in zip(f, values, strict=True):
        spline_basis(at, 1, row)
    rows = [
        values,
        np.stack([-3 * g**2, 9 * f**2 - 12 * f, -9 * g**2 + 12 * g, 3 * f**2], axis=-1) / 6.0 / h,
        np.stack([6 * g, 18 * f - 12, 18 * g - 12, 6 * f], axis=-1) / 6.0 / h**2,
    ][order]
    local = (rows * (0.5 * h * w)[:, None]).T @ rows
    total = np.zeros((cells + 3, cells + 3))
    for i in range(cells):
        total[i : i + 4, i : i + 4] += local
    return total
