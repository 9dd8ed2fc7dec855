"""Parameters of steered characters ease within their limits, and their weights are those of the lattice."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footfall.live.easing import ease_parameters, kept

goals = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=8)


def eased(goal, p, rate, limit, dt, run=ease_parameters):
    run(np.array([goal]), p, rate, np.array([limit]), kept(dt), dt)


@given(goals, st.floats(0.0, 0.3), st.floats(0.1, 300.0))
def test_parameters_keep_their_limits_and_ease_as_without_the_compiler(given_goals, dt, limit):
    p, rate, q, q_rate = np.array([0.5]), np.zeros(1), np.array([0.5]), np.zeros(1)
    for goal in given_goals:
        before = p[0]
        eased(goal, p, rate, limit, dt)
        eased(goal, q, q_rate, limit, dt, ease_parameters.py_func)
        assert abs(p[0] - q[0]) <= 1e-9 * (1.0 + abs(p[0]))
        assert abs(p[0] - before) <= limit * dt * (1.0 + 1e-9) or abs(rate[0]) <= limit


def test_parameters_arrive_without_passing_their_goal():
    p, rate, path = np.zeros(1), np.zeros(1), []
    for _ in range(150):
        eased(1.0, p, rate, 3.0, 1.0 / 60.0)
        path.append(p[0])
    assert max(path) <= 1.0 + 1e-9
    assert path[-1] == 1.0 or abs(path[-1] - 1.0) < 1e-6
    assert (np.diff(path) >= -1e-12).all()
