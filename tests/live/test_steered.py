"""Parameters of steered characters ease within their limits, and their weights are those of the lattice."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footfall.live.easing import Easing, ease_parameters
from footfall.live.packed_lattices import PackedLattices, look_up
from footfall.weights.lattice import lattice_of

goals = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=8)


@given(goals, st.floats(0.0, 0.3), st.floats(0.1, 300.0))
def test_parameters_keep_their_limits_and_ease_as_without_the_compiler(given_goals, dt, limit):
    easing = Easing([0.5], [limit])
    p, rate = np.array([0.5]), np.zeros(1)
    for goal in given_goals:
        ease_parameters.py_func(np.array([goal]), p, rate, np.array([limit]), dt)
        before = easing.p[0]
        after = easing.go([goal], dt)[0]
        assert abs(p[0] - after) <= 1e-9 * (1.0 + abs(after))
        assert abs(after - before) <= limit * dt * (1.0 + 1e-9) or abs(easing.rate[0]) <= limit


def test_parameters_arrive_without_passing_their_goal():
    easing = Easing([0.0], [3.0])
    path = [easing.go([1.0], 1.0 / 60.0)[0] for _ in range(150)]
    assert max(path) <= 1.0 + 1e-9
    assert path[-1] == 1.0 or abs(path[-1] - 1.0) < 1e-6
    assert (np.diff(path) >= -1e-12).all()


@given(st.floats(-1.0, 4.0), st.floats(-150.0, 150.0))
def test_weights_are_those_of_the_lattice(speed, turn):
    rng = np.random.default_rng(3)
    cells, pad, count = 6, 0.05, 5
    field = lattice_of(rng.normal(size=((cells + 3) ** 2, count)), cells, pad, 2)
    low, size = np.array([0.5, -90.0]), np.array([1.5, 180.0])
    packed = PackedLattices(
        np.array([0]), np.array([cells + 3]), np.array([field.table.shape[-1]]), field.table.ravel(),
        (low - pad * size)[None], (cells / ((1.0 + 2.0 * pad) * size))[None],
    )  # fmt: skip
    out = np.zeros(field.table.shape[-1], np.float32)
    look_up(packed, 0, np.array([speed, turn]), out, np.empty(4, np.float32), np.empty(4, np.float32))
    expected = field.values((np.array([[speed, turn]]) - low) / size)[0]
    np.testing.assert_allclose(out[:count], expected, atol=2e-5)
