"""What every weight method promises, run over the whole family."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.core.errors import FootfallError, ParameterError, UnknownName
from footfall.weights.examples import WeightsWarning
from footfall.weights.store import from_arrays, to_arrays
from footfall.weights.weights import fit, methods

VARIANTS = [
    ("barycentric", {}),
    ("rbf", {}),
    ("rbf", {"kernel": "r"}),
    ("rbf", {"kernel": "thin-plate"}),
    ("knn", {"pseudo_examples": 500}),
    ("knn", {"pseudo_examples": 0, "k": 3}),
    ("inverse-blending", {}),
    ("inverse-blending", {"solver": "nelder-mead", "k": 4}),
    ("smooth-inverse", {"cells": 4, "lowest": -0.15}),
    ("smooth-inverse", {"cells": 4, "lowest": -0.15, "preset": "smooth", "project": True}),
]
every = pytest.mark.parametrize(("method", "options"), VARIANTS, ids=lambda v: v if isinstance(v, str) else str(v))
BEND = np.array([[0.3, -0.5, 0.2], [0.1, 0.4, -0.3], [-0.4, 0.2, 0.3]])


def bent(x: np.ndarray) -> np.ndarray:
    """A smooth map that no weighted sum follows."""
    return x + 0.2 * np.sin(x @ BEND[: x.shape[-1], : x.shape[-1]] * 2.0)


def motion(count: int, d: int = 2, seed: int = 0):
    """Parameters (N, d) of examples with hidden states, and the measure of their blends."""
    hidden = np.random.default_rng(seed).uniform(-1.0, 1.0, (count, d))
    return bent(hidden), lambda w: bent(w @ hidden)


def test_the_family_is_complete():
    found = methods()
    assert set(found) == {"barycentric", "rbf", "knn", "inverse-blending", "smooth-inverse"}
    assert all(len(m.summary) > 20 for m in found.values())
    assert {name for name, _ in VARIANTS} == set(found)


@every
def test_weights_sum_to_one_and_are_finite_everywhere(method, options):
    p, measure = motion(9)
    fitted = fit(method, p, measure, **options)
    rng = np.random.default_rng(1)
    near, far = rng.uniform(-1.5, 1.5, (40, 2)), rng.normal(size=(8, 2)) * 1e6
    for queries in (near, far, p, p.mean(axis=0, keepdims=True)):
        w = fitted.weights(queries)
        assert w.shape == (len(queries), 9)
        assert np.isfinite(w).all()
        scale = np.maximum(1.0, np.abs(w).sum(axis=1))
        assert (np.abs(w.sum(axis=1) - 1.0) <= 1e-6 * scale).all()


@every
def test_an_example_is_given_back_where_that_is_promised(method, options):
    p, measure = motion(9)
    fitted = fit(method, p, measure, **options)
    w = fitted.weights(p)
    if fitted.EXACT:
        np.testing.assert_allclose(w, np.eye(9), atol=1e-6)
    else:  # told, not promised
        assert 0.0 < fitted.example_deviation < 1.0


@every
def test_continuous_where_that_is_promised(method, options):
    p, measure = motion(9)
    fitted = fit(method, p, measure, **options)
    if not fitted.CONTINUOUS:
        pytest.skip("not promised")
    rng = np.random.default_rng(2)
    start, end = rng.uniform(-1.4, 1.4, (2, 6, 1, 2))

    def largest_step(n: int) -> float:
        line = start + np.linspace(0.0, 1.0, n)[:, None] * (end - start)
        return max(float(np.abs(np.diff(fitted.weights(one), axis=0)).max()) for one in line)

    assert largest_step(4001) < 0.2 * largest_step(201) + 1e-5  # a jump would stay as it is


@every
def test_a_batch_is_its_single_queries_and_the_same_again(method, options):
    p, measure = motion(8)
    fitted, again = fit(method, p, measure, **options), fit(method, p, measure, **options)
    queries = np.random.default_rng(3).uniform(-1.2, 1.2, (7, 2))
    batch = fitted.weights(queries)
    np.testing.assert_allclose(batch, [fitted.weights(q) for q in queries], atol=1e-9)
    np.testing.assert_array_equal(batch, again.weights(queries))
    assert fitted.weights(queries[:0]).shape == (0, 8)


@every
def test_one_example_is_always_it(method, options):
    fitted = fit(method, np.array([[0.3, 2.0]]), **options)
    np.testing.assert_allclose(fitted.weights(np.array([[0.3, 2.0], [9.0, -9.0]])), 1.0)
    assert fitted.weights(np.array([5.0, 5.0])).shape == (1,)


@every
@pytest.mark.filterwarnings("ignore::footfall.weights.examples.WeightsWarning")
def test_examples_on_a_line_or_all_but_equal(method, options):
    line = np.linspace(0.0, 1.0, 5)[:, None] * np.array([1.0, 2.0])
    close = np.vstack([line, line[2] + [1e-5, 0.0]])
    for p in (line, close, np.column_stack([np.arange(4.0), np.full(4, 7.0)])):
        fitted = fit(method, p, **options)
        w = fitted.weights(np.vstack([p, p + 0.3, [[100.0, -100.0]]]))
        assert np.isfinite(w).all()
        assert (np.abs(w.sum(axis=1) - 1.0) <= 1e-6 * np.maximum(1.0, np.abs(w).sum(axis=1))).all()
    if method != "smooth-inverse":
        np.testing.assert_allclose(fit(method, line, **options).weights(line), np.eye(5), atol=1e-6)


@every
def test_duplicates_share_with_a_warning(method, options):
    p, _ = motion(7)
    with pytest.warns(WeightsWarning, match=r"merged.*0, 7"):
        fitted = fit(method, np.vstack([p, p[:1]]), **options)
    w = fitted.weights(np.vstack([p, [[0.1, 0.2]]]))
    assert w.shape == (8, 8)
    np.testing.assert_allclose(w[:, 0], w[:, 7], atol=1e-12)
    np.testing.assert_allclose(w.sum(axis=1), 1.0, atol=1e-6)


@every
def test_what_is_no_number_is_refused_in_a_sentence(method, options):
    with pytest.raises(ParameterError, match=r"example parameters must be finite numbers, found nan at \[1, 0\]"):
        fit(method, np.array([[0.0, 1.0], [np.nan, 0.0]]), **options)
    fitted = fit(method, motion(6)[0], **options)
    for bad in ([np.nan, 0.0], [np.inf, 0.0]):
        with pytest.raises(ParameterError, match="wanted parameters must be finite"):
            fitted.weights(np.array(bad))
    with pytest.raises(ParameterError, match=r"must be \(2,\) or \(queries, 2\)"):
        fitted.weights(np.zeros((3, 5)))
    for empty in (np.zeros((0, 2)), np.zeros((2, 0)), np.zeros((2, 2, 2))):
        with pytest.raises(ParameterError, match="at least one of each"):
            fit(method, empty, **options)
    with pytest.raises(UnknownName, match="option"):
        fit(method, motion(6)[0], kk=3)


@every
def test_saved_and_pickled_it_answers_the_same(method, options):
    p, _ = motion(8)
    fitted = fit(method, p, **options)
    arrays = to_arrays(fitted)
    assert all(isinstance(a, np.ndarray) and a.dtype != object for a in arrays.values())
    queries = np.random.default_rng(4).uniform(-1.0, 1.0, (5, 2))
    np.testing.assert_array_equal(from_arrays(arrays).weights(queries), fitted.weights(queries))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).weights(queries), fitted.weights(queries))
    with pytest.raises(FootfallError):
        from_arrays({k: a for k, a in arrays.items() if k != "method"})


@every
@settings(max_examples=15)
@given(
    seed=st.integers(0, 10_000), count=st.integers(1, 7), d=st.integers(1, 3), scale=st.sampled_from([1e-6, 1.0, 1e6])
)
@pytest.mark.filterwarnings("ignore::footfall.weights.examples.WeightsWarning")
def test_any_few_examples_in_any_units(method, options, seed, count, d, scale):
    if method == "smooth-inverse":
        options = {**options, "cells": 2}
    rng = np.random.default_rng(seed)
    p = rng.integers(-2, 3, (count, d)) * scale  # many duplicates and lines
    fitted = fit(method, p, **options)
    w = fitted.weights(np.vstack([p, rng.normal(size=(3, d)) * 3 * scale]))
    assert np.isfinite(w).all()
    np.testing.assert_allclose(w.sum(axis=1), 1.0, atol=1e-5 * max(1.0, float(np.abs(w).max())))


def test_unknown_methods_offer_the_known():
    with pytest.raises(UnknownName, match="barycentric"):
        fit("barycentrik", np.zeros((2, 1)))
