"""Inertialization: the offset's curve, its ends, its guard against overshoot."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.interpolate import BPoly

import footfall as ff
from footfall.core.errors import ParameterError
from footfall.edit.coast import state_of
from footfall.joins.departure import from_state, leaving
from footfall.joins.methods.inertialize import FADE, STIFF, quintic, spring, transition
from footfall.joins.transition import TransitionRequest

LENGTH_S, MOST = 0.5, 150.0
FINE = np.linspace(0.0, LENGTH_S, 2001)
vector = st.lists(st.floats(-2.0, 2.0), min_size=3, max_size=3).map(np.array)


@pytest.mark.parametrize("decay", [quintic, spring])
@given(x0=vector, v0=vector)
def test_starts_with_offset_and_rate_and_ends_with_nothing(decay, x0, v0):
    left = decay(x0, v0, LENGTH_S, FINE, MOST)
    assert np.allclose(left[0], x0, atol=1e-12)
    step = FINE[1]
    rate = (-3.0 * left[0] + 4.0 * left[1] - left[2]) / (2.0 * step)
    assert np.allclose(rate, v0, atol=0.02)
    assert np.abs(left[-1]).max() < 1e-9
    assert np.abs(left[-1] - left[-2]).max() / step < 0.02


@given(x=st.floats(0.05, 2.0), v=st.floats(-1.0, 0.0))
def test_is_the_quintic_with_these_ends(x, v):
    """Slow offsets take the whole length: scipy's Hermite polynomial with the same six conditions."""
    left = quintic(np.array([x]), np.array([v]), LENGTH_S, FINE, MOST)[:, 0]
    end = min(LENGTH_S, 5.0 * x / max(-v, 1e-6))
    a = max(0.0, (-8.0 * v * end - 20.0 * x) / end**2)
    known = BPoly.from_derivatives([0.0, end], [[x, v, a], [0.0, 0.0, 0.0]])
    inside = end >= FINE
    assert np.allclose(left[inside], known(FINE[inside]), atol=1e-9)
    assert np.allclose(left[~inside], 0.0, atol=1e-12)


@given(x=st.floats(0.2, 2.0), v=st.floats(-8.0, 0.0))
def test_an_offset_that_closes_does_not_overshoot(x, v):
    left = quintic(np.array([x, 0.0]), np.array([v, 0.0]), LENGTH_S, FINE, 1e4)
    assert left[:, 0].min() > -1e-9
    assert left[:, 0].max() <= x + 1e-9


@given(v=st.floats(0.0, 15.0))
def test_a_rate_across_the_offset_makes_a_small_excursion(v):
    left = quintic(np.array([0.5, 0.0]), np.array([0.0, v]), LENGTH_S, FINE, MOST)
    assert left[:, 1].min() > -1e-9
    assert left[:, 1].max() <= 0.2 * v * LENGTH_S + 1e-12


@given(x=st.floats(0.0, 0.5), v=st.floats(-6.0, 6.0))
def test_nothing_is_thrown_harder_than_its_ends_ask_for(x, v):
    left = quintic(np.array([x]), np.array([v]), LENGTH_S, FINE, MOST)[:, 0]
    thrown = np.abs(np.diff(left, n=2)).max() / FINE[1] ** 2
    assert thrown <= max(MOST, 10.0 * x / LENGTH_S**2 + 12.0 * abs(v) / LENGTH_S) + 1e-3


def test_the_spring_is_the_solution_of_its_equation():
    rate = STIFF / LENGTH_S
    known = solve_ivp(
        lambda _, y: [y[1], -2.0 * rate * y[1] - rate**2 * y[0]], (0.0, LENGTH_S), [0.8, -3.0],
        t_eval=FINE, rtol=1e-10, atol=1e-12,
    ).y[0]  # fmt: skip
    left = spring(np.array([0.8]), np.array([-3.0]), LENGTH_S, FINE, MOST)[:, 0]
    free = (1.0 - FADE) * LENGTH_S >= FINE
    assert np.allclose(left[free], known[free], atol=1e-8)


def test_only_the_state_at_the_departure_counts():
    walk, kick = ff.motion("walk"), ff.motion("kick")
    by_clip = transition(leaving(walk, 0.4), kick, TransitionRequest(length_s=0.3))
    by_state = transition(
        from_state(walk.skeleton, state_of(walk, 0.4), walk.fps), kick, TransitionRequest(length_s=0.3)
    )
    assert np.allclose(by_clip.pose.rot, by_state.pose.rot, atol=1e-9)


def test_kind_is_checked():
    walk = ff.motion("walk")
    with pytest.raises(ParameterError, match="quintic or spring"):
        transition(leaving(walk), walk, TransitionRequest(options={"kind": "rubber"}))
