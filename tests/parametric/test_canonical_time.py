"""Canonical time: piecewise linear and back, always forward, the paper's weights never negative."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from footfall.core.errors import FootfallError
from footfall.parametric import canonical_time as gt

gaps = st.lists(st.floats(0.01, 2.0), min_size=1, max_size=6)


def key_times(steps):
    return np.concatenate([[0.0], np.cumsum(steps)])


@given(gaps, st.floats(0.0, 1.0))
def test_there_and_back(steps, u):
    keys = key_times(steps)
    time = u * keys[-1]
    t = gt.to_canonical(time, keys)
    assert 0.0 <= t <= 1.0
    assert gt.to_actual(t, keys) == pytest.approx(time, abs=1e-9)


def test_key_times_are_evenly_spread_and_slopes_are_rates():
    keys = np.array([0.2, 0.3, 0.9, 1.0])
    assert gt.to_canonical(keys, keys) == pytest.approx([0, 1 / 3, 2 / 3, 1])
    step = (gt.to_canonical(0.61, keys) - gt.to_canonical(0.6, keys)) / 0.01
    assert gt.rates(keys[None])[0, 1] == pytest.approx(step)
    many = np.stack([keys, keys * 2.0])
    assert gt.to_actual(0.5, many) == pytest.approx([0.6, 1.2])


@given(arrays(float, (5,), elements=st.floats(-50.0, 50.0)), arrays(float, (5, 3), elements=st.floats(0.01, 1.0)))
def test_log_rates_are_positive_for_any_weights(weights, durations):
    rates = 1.0 / durations
    blended = gt.blended_rates(weights, rates)
    assert (blended >= 0.5 * rates.min(axis=0) * (1 - 1e-12)).all()
    assert (blended <= 2.0 * rates.max(axis=0) * (1 + 1e-12)).all()
    for k in range(5):
        assert gt.blended_rates(np.eye(5)[k], rates) == pytest.approx(rates[k])


def test_older_schemes_can_run_backwards():
    rates = np.array([[1.0], [2.0]])
    assert gt.blended_rates(np.array([3.0, -2.0]), rates, "linear") < 0.0
    assert gt.blended_rates(np.array([-2.0, 3.0]), rates, "slope") < 0.0
    with pytest.raises(FootfallError, match="log-rate"):
        gt.blended_rates(np.ones(2), rates, "log-rat")


@given(
    arrays(float, (7, 2), elements=st.floats(-10.0, 10.0), unique=True),
    arrays(float, (4, 2), elements=st.floats(-30, 30)),
)
def test_gamma_sums_to_one_and_is_never_negative(examples, p):
    for queries in (p, examples):
        gamma = gt.gamma_weights(queries, examples)
        assert gamma.min() >= -1e-12
        assert gamma.sum(axis=-1) == pytest.approx(1.0)


def test_gamma_is_exact_at_examples_and_the_mean_far_from_them():
    examples = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [5.0, 5.0]])
    assert gt.gamma_weights(examples, examples) == pytest.approx(np.eye(4))
    assert gt.gamma_weights(np.array([[-3.0, -3.0]]), examples) == pytest.approx(np.full((1, 4), 0.25))


def test_gamma_of_the_ten_dimensional_cross_polytope():
    """At its centre all 20 kernels overlap and sum to more than 1: without care γ turns negative."""
    examples = np.concatenate([np.eye(10), -np.eye(10)])
    gamma = gt.gamma_weights(np.zeros((1, 10)), examples)
    assert gamma == pytest.approx(np.full((1, 20), 0.05))
    x = 2.0 * 1.0 / np.sqrt(2.0)  # of the B-spline: distance 1 of nearest distance sqrt 2
    assert 20 * (2.0 - x) ** 3 / 6.0 / (2.0 / 3.0) > 1.0  # the case is the one meant
    near = gt.gamma_weights(0.05 * np.random.default_rng(0).normal(size=(500, 10)), examples)
    assert near.min() >= 0.0
    assert near.sum(axis=1) == pytest.approx(1.0)


def test_one_example_is_all_there_is():
    assert gt.gamma_weights(np.array([[3.0]]), np.array([[1.0]])) == pytest.approx(1.0)


# --- stepping ---------------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(0.05, 20.0), min_size=1, max_size=5), st.floats(0.0, 0.999), st.floats(0.0, 3.0))
def test_a_step_integrates_each_side_of_a_key_time(rates, start, dt):
    """Against the exact inverse: seconds to a canonical time are a piecewise linear function."""
    rates = np.array(rates)
    keys = gt.blended_key_times(rates)
    steps = gt.advance(start, dt, rates, is_loop=True)
    rounds = sum(b.start < a.end for a, b in pairwise(steps))
    wanted = gt.to_actual(start, keys) + dt
    assert gt.to_actual(steps[-1].end, keys) + rounds * keys[-1] == pytest.approx(wanted, abs=1e-7)
    assert all(s.end >= s.start for s in steps)


def test_a_step_across_a_key_time_by_hand():
    steps = gt.advance(0.4, 0.2, np.array([1.0, 4.0]), is_loop=False)
    assert steps == [(0.4, 0.5), (0.5, pytest.approx(0.9))]
    assert gt.advance(0.9, 5.0, np.array([1.0, 4.0]), is_loop=False) == [(0.9, 1.0)]
    assert gt.advance(1.0, 5.0, np.array([1.0, 4.0]), is_loop=False) == [(1.0, 1.0)]
    assert gt.advance(1.0, 0.1, np.array([1.0, 4.0]), is_loop=True) == [(0.0, pytest.approx(0.1))]


def test_steps_of_any_size_get_to_the_same_time(rng):
    rates = np.array([3.0, 0.7, 2.0])
    cuts = np.sort(rng.uniform(0.0, 4.0, 200))
    t, rounds = 0.0, 0
    for dt in np.diff(np.concatenate([[0.0], cuts, [4.0]])):
        for step in gt.advance(t, dt, rates, is_loop=True):
            rounds += step.start < t
            t = step.end
    keys = gt.blended_key_times(rates)
    assert rounds * keys[-1] + gt.to_actual(t, keys) == pytest.approx(4.0, abs=1e-9)
