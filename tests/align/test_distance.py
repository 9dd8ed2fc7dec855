"""Frame distances against a minimiser that tries turns and shifts, and their invariances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import footfall as ff
from footfall.align.distance import Clouds, CloudWindow, clouds, distances, frame_count, positions_at
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.kinematics.floor_align import FloorTransform


@pytest.fixture(scope="module")
def walk() -> Clip:
    return ff.motion("walk", speed=1.2, turn=20).resample(30)


@pytest.fixture(scope="module")
def kick() -> Clip:
    return ff.motion("kick").resample(30)


def brute(a: np.ndarray, b: np.ndarray, w: np.ndarray) -> float:
    """Least Σ w |p - T p'|² over turns and shifts, by a general minimiser from several starts."""

    def cost(x: np.ndarray) -> float:
        moved = FloorTransform(np.asarray(x[0]), np.array([x[1], 0.0, x[2]])).points(b)
        return float((w * ((a - moved) ** 2).sum(axis=-1)).sum())

    starts = [np.array([t, *(w @ (a - b))[[0, 2]]]) for t in (-2.0, 0.0, 2.0, np.pi)]
    return min(minimize(cost, s, method="BFGS", options={"gtol": 1e-9}).fun for s in starts)


def floor_transforms(a: Clouds, b: Clouds, rows: np.ndarray, columns: np.ndarray) -> FloorTransform:
    """For cells (K,): what carries b's frame onto a's with the least distance."""
    p = a.floor.shape[1] // 2
    x, z = a.floor[rows, :p], a.floor[rows, p:]
    u, v = b.floor[columns, :p], b.floor[columns, p:]
    turn = np.arctan2((x * v - z * u).sum(axis=-1), (x * u + z * v).sum(axis=-1)).astype(float)
    c, s = np.cos(turn), np.sin(turn)
    mean, other = a.mean[rows], b.mean[columns]
    shift = np.zeros((*turn.shape, 3))
    shift[..., 0] = mean[..., 0] - other[..., 0] * c - other[..., 1] * s
    shift[..., 2] = mean[..., 1] + other[..., 0] * s - other[..., 1] * c
    return FloorTransform(turn, shift)


@settings(max_examples=15)
@given(st.integers(0, 30), st.integers(0, 40))
def test_distance_is_the_least_over_turns_and_shifts(i: int, j: int) -> None:
    a, b = ff.motion("walk", speed=1.2, turn=20).resample(30), ff.motion("kick").resample(30)
    i, j = min(i, frame_count(a) - 1), min(j, b.frames - 1)
    window = CloudWindow()
    joints = np.arange(len(a.skeleton))
    w = np.outer(window.weights, np.full(len(joints), 1 / len(joints))).ravel()
    points = [positions_at(c, f / c.fps + window.offsets_s, joints).reshape(-1, 3) for c, f in ((a, i), (b, j))]
    weights = np.ones(len(joints))
    ca, cb = clouds(a, window, weights), clouds(b, window, weights)
    found = distances(ca, cb)[i, j]
    assert found == pytest.approx(brute(points[0], points[1], w), abs=1e-7)
    best = floor_transforms(ca, cb, np.array([i]), np.array([j]))
    moved = FloorTransform(best.turn[0], best.shift[0]).points(points[1])
    assert (w * ((points[0] - moved) ** 2).sum(axis=-1)).sum() == pytest.approx(found, abs=1e-9)


def test_moving_either_motion_changes_nothing(walk: Clip, kick: Clip) -> None:
    moved = kick.with_pose(FloorTransform(np.asarray(2.1), np.array([300.0, 0.0, -500.0])).pose(kick.pose))
    for dtype, slack in ((np.float64, 1e-9), (np.float32, 2e-6)):
        a, b, c = (clouds(x, dtype=dtype) for x in (walk, kick, moved))
        assert np.abs(distances(a, b) - distances(a, c)).max() < slack


def test_identity_symmetry_and_clamp(walk: Clip, kick: Clip) -> None:
    a, b = clouds(walk), clouds(kick)
    assert np.diagonal(distances(a, a)).max() < 1e-12
    np.testing.assert_allclose(distances(a, b), distances(b, a).T, atol=1e-12)
    assert (distances(clouds(walk, dtype=np.float32), clouds(walk, dtype=np.float32)) >= 0.0).all()


def test_frame_rates_compare(walk: Clip) -> None:
    twice = walk.resample(60)
    d = distances(clouds(walk), clouds(twice))
    assert (np.abs(d.argmin(axis=1) - 2 * np.arange(len(d))) <= 1).all()
    assert np.sqrt(d.min(axis=1)).max() < 0.01


def test_loop_windows_go_round(walk: Clip) -> None:
    a, lap = clouds(walk), walk.with_pose(walk.sample(np.arange(2 * walk.frames) / walk.fps), is_loop=False)
    long = clouds(lap)
    middle = frame_count(walk)  # the loop's first frame, with frames on either side
    assert distances(a, long)[0, middle] < 1e-9


def test_one_frame_clip_and_bad_weights(walk: Clip) -> None:
    still = walk.with_pose(walk.pose.at(slice(0, 1)), is_loop=False)
    assert distances(clouds(still), clouds(walk)).shape == (1, frame_count(walk))
    with pytest.raises(ParameterError, match="joint weights"):
        clouds(walk, joint_weights=np.zeros(len(walk.skeleton)))
    with pytest.raises(ParameterError, match="at least one sample"):
        clouds(walk, CloudWindow(0, 0.1))
    with pytest.raises(ParameterError, match="no frames"):
        clouds(walk.with_pose(walk.pose.at(slice(0, 0))))
