"""Coverage: requests are held to the nearest thing the examples can do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from footfall.graph.coverage import coverage_of

POINTS = np.array([(0.5, 0.0), (2.0, 0.0), (0.7, 90.0), (0.7, -90.0), (1.2, 90.0), (1.2, -90.0), (1.0, 20.0)])
numbers = st.floats(-1e6, 1e6)


def inside(p: np.ndarray, points: np.ndarray) -> bool:
    count = len(points)
    found = linprog(
        np.zeros(count), A_eq=np.vstack([points.T, np.ones(count)]), b_eq=np.append(p, 1.0), bounds=[(0, None)] * count
    )
    return bool(found.success)


@given(st.floats(-1.0, 4.0), st.floats(-200.0, 200.0))
def test_the_nearest_is_covered_and_what_is_covered_stays(speed, turn):
    coverage = coverage_of(POINTS)
    held, clamped = coverage.nearest([speed, turn])
    scale = np.ptp(POINTS, axis=0)
    middle = POINTS.mean(axis=0)
    assert inside((middle + (np.array(held) - middle) * (1.0 - 1e-7)) / scale, POINTS / scale)
    if not clamped:
        assert held == [speed, turn]
    else:
        away = np.linalg.norm((np.array(held) - [speed, turn]) / scale)
        start = np.full(len(POINTS), 1.0 / len(POINTS))
        best = minimize(
            lambda w: (((w @ POINTS - [speed, turn]) / scale) ** 2).sum(), start, bounds=[(0, 1)] * len(POINTS),
            constraints={"type": "eq", "fun": lambda w: w.sum() - 1.0}, method="SLSQP",
        )  # fmt: skip
        assert away <= np.sqrt(best.fun) + 1e-3


@given(st.lists(numbers, min_size=3, max_size=3))
def test_three_parameters_and_one(p):
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)], float)
    held, clamped = coverage_of(points).nearest(p)
    assert (np.isfinite(held).all() and clamped == (not inside(np.array(p), points))) or min(abs(np.array(p))) < 1e-3
    one, _ = coverage_of(np.array([[1.0], [3.0]])).nearest(p[:1])
    assert one == pytest.approx([min(max(p[0], 1.0), 3.0)], abs=1e-5)  # what differs by less is not told as clamped


def test_no_parameters_and_examples_on_a_line():
    assert coverage_of(np.zeros((1, 0))).nearest([]) == ([], False)
    held, clamped = coverage_of(np.array([(1.0, 0.0), (2.0, 0.0)])).nearest([5.0, 30.0])
    assert held == [2.0, 0.0]
    assert clamped
