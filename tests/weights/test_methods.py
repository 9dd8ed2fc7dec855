"""Each weight method against independent oracles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BSpline, RBFInterpolator
from scipy.optimize import nnls
from scipy.spatial import Delaunay

from footfall.core.errors import ParameterError
from footfall.weights.examples import Polar, WeightsWarning, examples_of
from footfall.weights.hull import hull_of
from footfall.weights.methods.inverse_blending import Constraint
from footfall.weights.methods.knn import neighbour_weights
from footfall.weights.methods.rbf import cubic_bspline
from footfall.weights.polish import polished
from footfall.weights.store import from_arrays, to_arrays
from footfall.weights.weights import fit


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_barycentric_inside_is_delaunay_and_outside_the_nearest_point(d, rng):
    p, queries = rng.random((12, d)), rng.uniform(-0.7, 1.7, (200, d))
    fitted = fit("barycentric", p)
    units, at = fitted.examples.units(p), fitted.examples.units(queries)
    w = fitted.weights(queries)
    assert (w >= 0).all()
    assert (np.count_nonzero(w > 1e-12, axis=1) <= d + 1).all()
    heavy = 1e4  # the row that makes weights sum to 1
    for row, point in zip(w, at, strict=True):
        nearest, _ = nnls(np.vstack([units.T, np.full(12, heavy)]), np.append(point, heavy))
        distance = np.linalg.norm(units.T @ (nearest / nearest.sum()) - point)
        assert np.linalg.norm(row @ units - point) <= distance + 1e-6
    if d > 1:
        inside = Delaunay(units).find_simplex(at) >= 0
        np.testing.assert_allclose(w[inside] @ units, at[inside], atol=1e-9)
        np.testing.assert_array_equal(hull_of(units).inside(at), inside)


def test_cubic_bspline_is_the_textbook_one():
    x = np.linspace(0.0, 3.0, 301)
    oracle = np.nan_to_num(BSpline.basis_element(np.arange(-2.0, 3.0), extrapolate=False)(x))
    np.testing.assert_allclose(cubic_bspline(x), oracle, atol=1e-12)


def test_rbf_kernels_interpolate_like_scipy_once_the_plane_is_taken_off(rng):
    p, queries = rng.random((15, 3)), rng.random((50, 3))
    fitted = fit("rbf", p, kernel="r")
    x, at = ((v - p.mean(axis=0)) / np.ptp(p, axis=0) for v in (p, queries))
    plane = np.linalg.lstsq(np.column_stack([np.ones(15), x]), np.eye(15), rcond=None)[0]
    left = np.eye(15) - np.column_stack([np.ones(15), x]) @ plane
    bumps = RBFInterpolator(x, left, kernel="linear", degree=-1)(at)
    np.testing.assert_allclose(fitted.weights(queries), np.column_stack([np.ones(50), at]) @ plane + bumps, atol=1e-9)


@pytest.mark.parametrize(("count", "d"), [(4, 4), (3, 4), (2, 3), (1, 2)])
def test_rbf_sums_to_one_at_any_rank(count, d, rng):
    fitted = fit("rbf", rng.random((count, d)))
    np.testing.assert_allclose(fitted.weights(rng.normal(size=(20, d)) * 5).sum(axis=1), 1.0, atol=1e-10)


def test_neighbour_weights_never_divide_zero_by_zero():
    cases = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [2.0, 2.0, 2.0], [1.0, 2.0, 4.0], [1e-300, 1.0, 2.0]])
    w = neighbour_weights(cases)
    np.testing.assert_allclose(w[:3], [[0.5, 0.5, 0.0], [1 / 3] * 3, [1 / 3] * 3])
    np.testing.assert_allclose(w[3], [0.75, 0.25, 0.0])
    np.testing.assert_allclose(w[4], [1.0, 0.0, 0.0])
    np.testing.assert_allclose(neighbour_weights(np.array([[3.0]])), [[1.0]])


def test_pseudo_examples_bring_knn_nearer_to_what_is_measured(rng):
    hidden = rng.uniform(-1, 1, (12, 2))

    def measure(w: np.ndarray) -> np.ndarray:
        x = w @ hidden
        return np.column_stack([x[:, 0] + 0.5 * x[:, 1] ** 2, x[:, 1] - 0.4 * x[:, 0] ** 2])

    p = measure(np.eye(12))
    asked = measure(rng.dirichlet(np.ones(12), 200))
    errors = [
        np.linalg.norm(measure(fit("knn", p, measure, pseudo_examples=n).weights(asked)) - asked, axis=1).mean()
        for n in (0, 4000)
    ]
    assert errors[1] < 0.3 * errors[0]


def test_inverse_blending_finds_what_can_be_reached_and_keeps_to_the_simplex(rng):
    hidden = rng.uniform(-1, 1, (8, 2))

    def measure(w: np.ndarray) -> np.ndarray:
        return np.sin(w @ hidden)

    p = measure(np.eye(8))
    asked = measure(rng.dirichlet(np.ones(8), 20))
    for options in ({}, {"solver": "nelder-mead", "evaluations": 3000, "tolerance": 1e-6}):
        w = fit("inverse-blending", p, measure, **options).weights(asked)
        assert (w >= 0).all()
        assert np.linalg.norm(measure(w) - asked, axis=1).mean() < 5e-3
    few = fit("inverse-blending", p, measure, iterations=1, evaluations=1).weights(asked)
    assert np.linalg.norm(measure(few) - asked, axis=1).mean() > 2e-2  # the limit is a limit


def test_constraints_with_priority_win(rng):
    p = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])  # the two parameters cannot differ
    want = np.array([0.5, 1.5])
    first = (Constraint((0,), 100.0), Constraint((1,), 1.0))
    second = (Constraint((0,), 1.0), Constraint((1,), 1.0, scale=100.0))
    options = {"tolerance": 1e-6, "iterations": 100}
    for constraints, value in ((first, 0.51), (second, 1.49)):
        w = fit("inverse-blending", p, constraints=constraints, **options).weights(want)
        np.testing.assert_allclose(w @ p, value, atol=0.01)
    with pytest.raises(ParameterError, match="names parameter 2"):
        fit("inverse-blending", p, constraints=(Constraint((2,)),))


def curl(x: np.ndarray) -> np.ndarray:
    return np.column_stack([x[:, 0] + 0.3 * np.sin(2 * x[:, 1]), x[:, 1] + 0.3 * np.cos(1.5 * x[:, 0])])


@pytest.fixture(scope="module")
def curled():
    hidden = np.random.default_rng(5).uniform(-1, 1, (16, 2))
    return curl(hidden), lambda w: curl(w @ hidden)


def test_smooth_inverse_measures_up_and_says_how_well(curled):
    p, measure = curled
    fitted = fit("smooth-inverse", p, measure, cells=8)
    assert fitted.name == "smooth-inverse"
    q = np.random.default_rng(6).uniform(p.min(axis=0), p.max(axis=0), (400, 2))
    q = q[fitted.reach(q).inside]
    errors = {
        name: np.linalg.norm(measure(fit(name, p, measure).weights(q)) - q, axis=1).mean()
        for name in ("rbf", "barycentric")
    }
    ours = np.linalg.norm(measure(fitted.weights(q)) - q, axis=1)
    assert ours.mean() < 0.05 * min(errors.values())
    assert ours.mean() < 3 * fitted.validation.mean_error * np.ptp(p, axis=0).max() + 1e-9
    smooth = fit("smooth-inverse", p, measure, preset="smooth", cells=8)
    assert smooth.validation.example_deviation > fitted.validation.example_deviation


def test_smooth_inverse_tells_what_lies_beyond(curled):
    p, measure = curled
    fitted = fit("smooth-inverse", p, measure, cells=6)
    middle, far = p.mean(axis=0), p.max(axis=0) + 3 * np.ptp(p, axis=0)
    reach = fitted.reach(np.array([middle, far]))
    assert reach.inside.tolist() == [True, False]
    assert reach.residual[0] < 0.01
    assert reach.residual[1] > 1.0
    safe = fit("smooth-inverse", p, measure, cells=6, project=True)
    corner = safe.hull.weights(safe.examples.units(far[None])) @ p  # the nearest point of the hull
    np.testing.assert_allclose(safe.weights(far), fitted.weights(corner[0]), atol=1e-9)


def test_polish_makes_any_weights_measure_up_and_moves_good_ones_little(curled):
    p, measure = curled
    q = p.mean(axis=0) + np.random.default_rng(7).uniform(-0.3, 0.3, (100, 2))
    for method, options, moves in (("smooth-inverse", {"cells": 8}, 0.01), ("rbf", {}, 0.6)):
        fitted = fit(method, p, measure, **options)
        examples, before = fitted.examples, fitted.weights(q)
        after = polished(before, examples.units(q), lambda w: examples.units(measure(w)), rounds=4)  # noqa: B023
        assert np.linalg.norm((measure(after) - q) / examples.range, axis=1).max() <= 1e-6
        assert np.linalg.norm(after - before, axis=1).max() < moves
        np.testing.assert_allclose(after.sum(axis=1), 1.0, atol=1e-9)
    beyond = p.max(axis=0)[None] + 0.1 * np.ptp(p, axis=0)
    start = fitted.weights(p.mean(axis=0)[None])
    found = polished(start, examples.units(beyond), lambda w: examples.units(measure(w)), rounds=12)
    assert np.linalg.norm(measure(found) - beyond) < 0.5 * np.linalg.norm(measure(start) - beyond)
    assert found.min() >= -1.5 - 1e-9


ANGLED = np.array([[0.0, 0.0, 0.1], [0.0, 0.0, 0.4], [0.5, 60.0, 0.1], [0.6, -60.0, 0.3], [1.0, 0.0, 0.2],
                   [0.3, 0.0, 0.3], [0.8, 25.0, 0.35], [0.7, -30.0, 0.05]])  # fmt: skip


@pytest.mark.parametrize("method", ["barycentric", "rbf", "knn", "inverse-blending", "smooth-inverse"])
def test_no_answer_depends_on_units(method, rng):
    """Degrees or radians, metres or millimetres, a distance with a direction or plain numbers: the same weights."""
    options = {"cells": 4, "lowest": -0.15} if method == "smooth-inverse" else {}
    hidden = rng.uniform(-1.0, 1.0, (12, 3))
    scale = np.array([1000.0, np.pi / 180.0, 3.6])

    def curled_3d(w: np.ndarray) -> np.ndarray:
        x = w @ hidden
        return np.column_stack([x[:, 0] + 0.3 * x[:, 1] ** 2, 50.0 * (x[:, 1] - 0.2 * x[:, 2] ** 2), 0.1 * x[:, 2]])

    asked = rng.uniform(-0.6, 0.6, (25, 3)) * [1.0, 50.0, 0.1]
    for p, measure, q, polars in (
        (curled_3d(np.eye(12)), curled_3d, asked, (None, None)),
        (ANGLED, None, ANGLED[rng.integers(8, size=25)] * 0.9, (Polar(0, 1, 360.0), Polar(0, 1, 2.0 * np.pi))),
    ):
        scaled = None if measure is None else lambda w, f=measure: f(w) * scale
        ours = fit(method, p, measure, polar=polars[0], **options).weights(q)
        other = fit(method, p * scale, scaled, polar=polars[1], **options).weights(q * scale)
        np.testing.assert_allclose(ours, other, atol=1e-6)


def test_at_distance_0_every_direction_is_the_same(rng):
    polar = Polar(0, 1, 360.0)
    for method in ("barycentric", "rbf", "knn"):
        fitted = fit(method, ANGLED, polar=polar)
        w = fitted.weights(np.array([[0.0, a, 0.25] for a in (-60.0, 0.0, 44.0)]))
        np.testing.assert_allclose(w, w[:1].repeat(3, axis=0), atol=1e-9)
        near = fitted.weights(np.array([[1e-4, a, 0.25] for a in (-60.0, 44.0)]))
        np.testing.assert_allclose(near[0], near[1], atol=5e-3)
    q = rng.uniform([0.0, -170.0, 0.0], [2.0, 170.0, 1.0], (50, 3))
    np.testing.assert_allclose(polar.parameters(polar.places(q)), q, atol=1e-9)
    examples = examples_of(ANGLED, polar)
    np.testing.assert_allclose(examples.from_units(examples.units(q)), q, atol=1e-9)
    stored = to_arrays(fitted)
    assert from_arrays(stored).examples.polar == polar
    np.testing.assert_array_equal(from_arrays(stored).weights(q), fitted.weights(q))


def test_weights_stored_in_the_callers_units_are_still_read():
    fitted = fit("inverse-blending", ANGLED)
    stored = to_arrays(fitted)
    older = {k: v for k, v in stored.items() if k != "measured"} | {"version": np.array(1), "measured": ANGLED}
    q = np.array([[0.4, 10.0, 0.2]])
    np.testing.assert_allclose(from_arrays(older).weights(q), fitted.weights(q), atol=1e-9)


def test_smooth_inverse_steps_aside_and_says_so():
    rng = np.random.default_rng(8)
    p = rng.random((6, 2))
    with pytest.warns(WeightsWarning, match="replaced by rbf with kernel r .*exceed the limits"):
        fitted = fit("smooth-inverse", p, lambda w: np.cos(40 * (w @ p)), cells=4)
    assert fitted.name == "rbf"
    assert "exceed the limits" in fitted.note
    with pytest.warns(WeightsWarning, match="more than 3"):
        assert fit("smooth-inverse", rng.random((9, 4))).name == "rbf"


def test_a_measure_that_is_wrong_is_named(rng):
    p = rng.random((6, 2))
    with pytest.raises(ParameterError, match=r"measure must give parameters of shape"):
        fit("knn", p, lambda w: w)
    with pytest.raises(ParameterError, match="not a finite number"):
        fit("inverse-blending", p, lambda w: np.full((len(w), 2), np.nan))
