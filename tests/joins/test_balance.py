"""Balance: the nearest point of the soles, and bodies that are moved over feet that stay."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.analysis.support_polygon import nearest_on_soles
from footfall.feet.leg_solve import world_legs
from footfall.joins.balance import balanced
from footfall.quality.body_signals import body_signals
from footfall.quality.momentum import balance


def by_least_squares(point: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """The nearest convex combination, by non-negative least squares."""
    from scipy.optimize import nnls

    heavy = 1e4
    weights, _ = nnls(np.vstack([corners.T, heavy * np.ones(len(corners))]), np.append(point, heavy))
    return weights @ corners / weights.sum()


@pytest.mark.parametrize("seed", range(30))
def test_the_nearest_point_of_the_soles(seed: int) -> None:
    rng = np.random.default_rng(seed)
    soles, point = rng.normal(size=(1, 2, 3, 2)), 1.5 * rng.normal(size=(1, 2))
    down = np.array([[True, bool(rng.integers(2))]])
    corners = soles[0][down[0]].reshape(-1, 2)
    found = nearest_on_soles(point, soles, down)
    assert np.linalg.norm(found - point) == pytest.approx(
        np.linalg.norm(by_least_squares(point[0], corners) - point), abs=1e-6
    )
    assert np.isnan(nearest_on_soles(point, soles, np.zeros((1, 2), bool))).all()


def test_a_body_that_is_pushed_about_is_brought_over_its_feet() -> None:
    walk = ff.motion("walk", cycles=4).resample(60.0)
    walk = walk.with_pose(walk.pose, is_loop=False)
    first, last = 60, 160
    shake = np.zeros((walk.frames, 3))
    t = np.arange(last - first + 1) / 60.0
    shake[first : last + 1, 0] = 0.06 * np.sin(2 * np.pi * 1.5 * t) * np.sin(np.pi * t / t[-1]) ** 2
    from footfall.feet.join_legs import move_body

    pushed = walk.with_pose(move_body(walk.skeleton, walk.pose, shake, 60.0))
    made = balanced(pushed, first, last)
    before, after = (np.nanquantile(balance(body_signals(c))[first:last], 0.95) for c in (pushed, made))
    assert after < 0.6 * before
    feet = [world_legs(c.skeleton, c.pose).ankle for c in (pushed, made)]
    assert np.abs(feet[0] - feet[1]).max() < 0.01
    assert (made.pose.root_pos[:first] == pushed.pose.root_pos[:first]).all()
    assert (made.pose.root_pos[last + 1 :] == pushed.pose.root_pos[last + 1 :]).all()


def test_a_body_in_balance_stays() -> None:
    stand = ff.motion("stand").resample(60.0)
    stand = stand.with_pose(stand.pose, is_loop=False)
    made = balanced(stand, 20, 100)
    assert np.abs(made.pose.root_pos - stand.pose.root_pos).max() < 0.01
