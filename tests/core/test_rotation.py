"""Rotation maths against its laws and against scipy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from join_oracles import twist as twist_of
from scipy.spatial.transform import Rotation

from footfall.core import rotation

SPECIAL = [
    [1, 0, 0, 0], [-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, -1],
    [np.nextafter(1, 0), 1e-9, 0, 0], [1e-12, 1, 0, 0], [1, 1e-300, 0, 0], [0.5, 0.5, 0.5, 0.5],
]  # fmt: skip
ORDERS = ["".join(p) for p in itertools.permutations("XYZ")]
BATCHES = [(), (1,), (5,), (3, 1, 2)]


@st.composite
def quaternions(draw):
    if draw(st.integers(0, 3)) == 0:
        q = np.array(draw(st.sampled_from(SPECIAL)), float)
    else:
        q = draw(arrays(float, 4, elements=st.floats(-1, 1)))
        assume(np.linalg.norm(q) > 1e-3)
    return q / np.linalg.norm(q)


vectors = arrays(float, 3, elements=st.floats(-10, 10, allow_subnormal=False))
shares = st.floats(0, 1)


def same(a, b, tolerance=1e-9):
    return bool((rotation.angle_between(a, b) < tolerance).all())


def scipy_of(q):
    return Rotation.from_quat(np.roll(q, -1, axis=-1))


@given(quaternions(), quaternions(), vectors)
def test_products_and_turned_vectors_agree_with_scipy(a, b, v):
    assert same(rotation.multiply(a, b), np.roll((scipy_of(a) * scipy_of(b)).as_quat(), 1))
    assert np.allclose(rotation.rotate(a, v), scipy_of(a).apply(v), atol=1e-9)
    assert np.allclose(
        rotation.rotate(rotation.multiply(a, b), v), rotation.rotate(a, rotation.rotate(b, v)), atol=1e-9
    )


@given(quaternions())
@example(np.array([1, 1e-300, 0, 0]))
@example(np.array([0, 0, 1.0, 0]))
def test_exp_undoes_log_and_log_is_at_most_pi(q):
    v = rotation.log(q)
    assert np.linalg.norm(v) <= np.pi + 1e-12
    assert same(rotation.exp(v), q, 2e-8 if abs(q[0]) < 1e-7 else 1e-9)
    assert abs(np.linalg.norm(rotation.exp(v)) - 1) < 1e-12


@given(vectors)
def test_log_undoes_exp_below_pi(v):
    assume(np.linalg.norm(v) < np.pi - 1e-6)
    assert np.allclose(rotation.log(rotation.exp(v)), v, atol=1e-9)


@given(quaternions(), quaternions(), shares)
@example(rotation.IDENTITY, -rotation.IDENTITY, 0.5)
@example(np.array([1.0, 0, 0, 0]), np.array([0, 1.0, 0, 0]), 0.3)
def test_slerp_laws(a, b, t):
    q = rotation.slerp(a, b, t)
    assert np.isfinite(q).all()
    assert abs(np.linalg.norm(q) - 1) < 1e-9
    whole = rotation.angle_between(a, b)
    assert abs(rotation.angle_between(a, q) - t * whole) < 1e-6
    assert same(rotation.slerp(a, b, 0.0), a, 1e-12)
    assert same(rotation.slerp(a, b, 1.0), b, 1e-12)
    assert same(rotation.slerp(-a, b, t), q, 1e-6) or whole > np.pi - 1e-6  # at a half turn either way is shortest
    assert same(rotation.slerp(b, a, 1 - t), q, 1e-6) or whole > np.pi - 1e-6


@given(st.lists(quaternions(), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_average_ignores_order_and_signs(qs, random):
    q = np.array(qs)
    spread = rotation.angle_between(q[0], q).max()
    assume(spread < 1.5)  # opposite rotations have no single mean
    mean = rotation.average(q)
    order = random.sample(range(len(q)), len(q))
    signs = np.array([random.choice([-1.0, 1.0]) for _ in q])[:, None]
    assert same(rotation.average((q * signs)[order]), mean, 1e-6)
    assert rotation.angle_between(mean, q).max() <= spread + 1e-6


@given(quaternions(), st.integers(1, 5))
def test_average_of_equals_is_that_rotation(q, n):
    assert same(rotation.average(np.tile(q, (n, 1))), q, 1e-7)


@given(st.lists(quaternions(), min_size=1, max_size=5), st.data())
def test_average_with_all_weight_on_one_is_it_bit_for_bit(qs, data):
    i = data.draw(st.integers(0, len(qs) - 1))
    weights = np.zeros(len(qs))
    weights[i] = 1.0
    assert (rotation.average(np.array(qs), weights) == qs[i]).all()


@pytest.mark.parametrize("order", [*ORDERS, "X", "ZY", "YX"])
def test_from_euler_agrees_with_scipy(order, rng):
    angles = rng.uniform(-np.pi, np.pi, (200, len(order)))
    ours = rotation.from_euler(angles, order)
    assert same(ours, np.roll(Rotation.from_euler(order, angles).as_quat(), 1, axis=-1))


@pytest.mark.parametrize("order", ORDERS)
@given(q=quaternions())
def test_to_euler_gives_the_rotation_back_even_at_gimbal_lock(order, q):
    assert same(rotation.from_euler(rotation.to_euler(q, order), order), q, 1e-7)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("middle", [np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-8])
def test_to_euler_at_exact_gimbal_lock(order, middle):
    q = rotation.from_euler(np.array([0.7, middle, -0.4]), order)
    assert same(rotation.from_euler(rotation.to_euler(q, order), order), q, 1e-7)


@given(quaternions())
def test_matrices_agree_with_scipy_both_ways(q):
    assert np.allclose(rotation.to_matrix(q), scipy_of(q).as_matrix(), atol=1e-12)
    assert same(rotation.from_matrix(rotation.to_matrix(q)), q, 1e-7)


@given(vectors, vectors)
@example(np.array([0, 1.0, 0]), np.array([0, -1.0, 0]))
@example(np.array([1.0, 0, 0]), np.array([-1.0, 0, 0]))
def test_between_carries_one_direction_to_the_other(a, b):
    assume(np.linalg.norm(a) > 1e-3)
    assume(np.linalg.norm(b) > 1e-3)
    turned = rotation.rotate(rotation.between(a, b), a / np.linalg.norm(a))
    assert np.allclose(turned, b / np.linalg.norm(b), atol=1e-6)


@given(quaternions())
def test_swing_and_twist_make_the_whole(q):
    axis = rotation.AXES["Y"]
    twist = twist_of(q, axis)
    swing = rotation.multiply(q, rotation.conjugate(twist))
    assert same(rotation.multiply(swing, twist), q, 1e-7)
    assert abs(rotation.log(twist)[0]) < 1e-9
    assert abs(swing[2]) < 1e-7 or abs(twist[0]) < 1e-7


@given(st.integers(0, 40), st.randoms(use_true_random=False))
def test_continuous_signs_never_flip_and_keep_every_rotation(frames, random):
    angles = np.cumsum([random.uniform(-0.5, 0.5) for _ in range(frames)])
    q = rotation.axis_angle(np.array([0, 0, 1.0]), angles).reshape(frames, 1, 4)
    flipped = q * np.array([random.choice([-1.0, 1.0]) for _ in range(frames)]).reshape(frames, 1, 1)
    out = rotation.continuous_signs(flipped)
    assert ((out[1:] * out[:-1]).sum(-1) > 0).all()
    assert (np.abs(out) == np.abs(flipped)).all()


@pytest.mark.parametrize("batch", BATCHES)
def test_every_function_takes_any_batch_shape(batch, rng):
    q = rotation.normalize(rng.normal(size=(*batch, 7, 4)))
    v = rng.normal(size=(*batch, 7, 3))
    assert rotation.rotate(q, v).shape == v.shape
    assert rotation.exp(rotation.log(q)).shape == q.shape
    assert rotation.slerp(q, q[..., ::-1, :], 0.3).shape == q.shape
    assert rotation.average(q).shape == (*batch, 4)
    assert rotation.to_euler(q, "ZXY").shape == v.shape
    assert np.allclose(rotation.slerp(q, q, 0.4), q)


def test_yaw_is_positive_to_the_left():
    """Facing +Z, the character's left is +X."""
    assert np.allclose(rotation.rotate(rotation.yaw(np.pi / 2), np.array([0, 0, 1.0])), [1, 0, 0])
