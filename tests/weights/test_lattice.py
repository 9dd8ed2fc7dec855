"""The spline lattice against scipy's B-splines and quadrature, in both precisions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BSpline, NdBSpline

from footfall.weights.lattice import basis_rows, bending_energy, lattice_of
from footfall.weights.lookup import lookup_1, lookup_2, lookup_3, rbf_lookup, rbf_table


def knots(cells: int, pad: float) -> np.ndarray:
    h = (1 + 2 * pad) / cells
    return -pad + h * np.arange(-3, cells + 4)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_values_are_scipys(d, rng):
    cells, pad = 5, 0.05
    c = rng.normal(size=((cells + 3) ** d, 2))
    lattice = lattice_of(c, cells, pad, d)
    u = rng.uniform(-pad, 1 + pad, (60, d))
    oracle = NdBSpline((knots(cells, pad),) * d, lattice.coefficients, k=3)(u)
    np.testing.assert_allclose(lattice.values(u), oracle, atol=1e-12)
    np.testing.assert_allclose(basis_rows(u, cells, pad) @ c, oracle, atol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("channels", [3, 8, 20])
def test_tables_of_live_characters_agree_inside_and_beyond(d, channels, rng):
    lattice = lattice_of(rng.normal(size=(7**d, channels)), 4, 0.05, d)
    u = np.vstack([rng.uniform(-0.3, 1.3, (700, d)), np.full((1, d), -0.05), np.full((1, d), 1.05)])
    look = (lookup_1, lookup_2, lookup_3)[d - 1]
    found = look(lattice.positions(u).astype(np.float32), lattice.table)[:, :channels]
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, lattice.values(u), atol=1e-5)


def test_bending_energy_is_the_integral(rng):
    cells, pad = 4, 0.05
    c = rng.normal(size=(cells + 3,) * 2)
    h = (1 + 2 * pad) / cells
    x, w = np.polynomial.legendre.leggauss(5)
    at = np.concatenate([-pad + h * (i + 0.5 * (x + 1)) for i in range(cells)])
    weight = np.tile(0.5 * h * w, cells)
    basis = [np.column_stack([BSpline(knots(cells, pad), e, 3)(at, nu=n) for e in np.eye(cells + 3)]) for n in range(3)]
    total = sum(
        times * np.einsum("i,j,ij->", weight, weight, (basis[a] @ c @ basis[b].T) ** 2)
        for a, b, times in ((2, 0, 1), (1, 1, 2), (0, 2, 1))
    )
    energy = c.ravel() @ bending_energy(cells, pad, 2) @ c.ravel()
    assert energy == pytest.approx(total)


def test_rbf_is_the_formula_in_both_precisions(rng):
    from footfall.weights.weights import fit

    for count in (2, 8, 21):
        for d in (1, 3, 5):
            fitted = fit("rbf", rng.random((count, d)))
            q = rng.uniform(-0.5, 1.5, (2500, d))
            x = (q - fitted.mean) / fitted.examples.range
            far = np.linalg.norm(x[:, None] - fitted.centres, axis=-1) / fitted.reach
            bumps = (np.maximum(2.0 - far, 0.0) ** 3 - 4.0 * np.maximum(1.0 - far, 0.0) ** 3) / 6.0
            plain = np.hstack([np.ones((len(x), 1)), x, bumps]) @ fitted.coefficients
            np.testing.assert_allclose(fitted.weights(q), plain, atol=1e-12)
            table = rbf_table(fitted.centres, fitted.reach, fitted.coefficients)
            np.testing.assert_allclose(rbf_lookup(x.astype(np.float32), *table)[:, :count], plain, atol=2e-5)
