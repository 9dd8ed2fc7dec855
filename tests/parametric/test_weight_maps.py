"""Maps of blend spaces and the flow of changing weights, against hand-made cases and what the spaces themselves say."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.parametric.motion_flow import flow, sudden_steps, sudden_weights
from footfall.parametric.weight_maps import curvature, plane_points, shown_range, weight_map

FPS = 30.0


def test_curvature_is_the_mean_difference_to_eight_neighbours():
    w = np.zeros((1, 5, 5, 2))
    w[0, 2, 2] = (3.0, 4.0)
    found = curvature(w)[0]
    assert found[1, 1] == pytest.approx(5.0)  # 8 differences of length 5, over 8
    assert found[0, 0] == pytest.approx(5.0 / 8.0)
    plane = np.add.outer(np.arange(5.0), 2.0 * np.arange(5.0))[None, ..., None]
    np.testing.assert_allclose(curvature(plane), 0.0, atol=1e-12)


def test_even_steps_are_not_sudden_and_a_leap_is():
    t = np.arange(60) / FPS
    positions = np.zeros((60, 1, 3))
    positions[:, 0, 2] = t
    np.testing.assert_allclose(sudden_steps(positions, FPS), 1.0)
    positions[30:, 0, 2] += 1.0
    assert sudden_steps(positions, FPS)[29, 0] > 5.0


def test_a_map_says_what_the_space_says_point_by_point():
    space = ff.blend_space("walk", method="barycentric")
    points = plane_points(space, (1, 0), np.zeros(2), 7)
    found = weight_map(space, points)
    row, column = 4, 2
    speed, turn = points[row, column]
    assert found.weights[row, column] == pytest.approx(list(space.weights(speed=speed, turn=turn).values()))
    got = space.achieved(speed=speed, turn=turn)
    size = {name: high - low for name, (low, high) in space.ranges.items()}
    off = np.hypot((got["speed"] - speed) / size["speed"], (got["turn"] - turn) / size["turn"])
    assert found.error[row, column] == pytest.approx(off)
    low, high = shown_range(space)
    np.testing.assert_allclose(points[0, 0], low)
    np.testing.assert_allclose(points[-1, -1], high)
    assert not found.inside[0, 0]
    assert found.inside[3, 3]


def test_an_exact_space_has_an_empty_error_map_and_one_parameter_has_one_row():
    walk = ff.blend_space("walk")
    assert weight_map(walk, plane_points(walk, (1, 0), np.zeros(2), 6)).mean_error < 1e-4
    strafe = ff.blend_space("strafe")
    line = weight_map(strafe, plane_points(strafe, (0,), np.zeros(1), 9))
    assert line.error.shape == line.kappa.shape == line.inside.shape == (1, 9)


def test_work_on_a_map_can_be_stopped():
    class Enough(Exception):
        pass

    def stop(share: float) -> None:
        if share > 0.3:
            raise Enough

    space = ff.blend_space("walk", method="barycentric")
    with pytest.raises(Enough):
        weight_map(space, plane_points(space, (1, 0), np.zeros(2), 20), stop)


def test_a_pose_that_is_held_flows_only_where_weights_change():
    motion = ff.blend_space("walk").motion
    weights = np.zeros((30, len(motion)))
    weights[:15, 0] = weights[15:, 1] = 1.0
    steps = np.linalg.norm(np.diff(flow(motion, weights, FPS, held=0.4).positions, axis=0), axis=-1).max(axis=1)
    assert steps[14] > 0.01
    assert np.delete(steps, 14).max() < 1e-9


def test_weights_that_jump_are_sudden_and_a_swinging_foot_is_not():
    space = ff.blend_space("walk")
    path = np.column_stack([np.linspace(0.8, 1.6, 60), np.zeros(60)])
    smooth = space.answers(path).weights
    jumping = smooth.copy()
    jumping[30:] = smooth[-1]
    found = [
        sudden_weights(space.motion, w, flow(space.motion, w, FPS).times, FPS).max(axis=1) for w in (smooth, jumping)
    ]
    assert found[0].max() < 2.0
    assert found[1].argmax() == 29
    assert found[1][29] > 4.0
