"""Posture schemes: one-hot weights give the example, schemes agree, no jumps near half turns."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.core import rotation
from footfall.parametric import posture
from footfall_lab.oracles import plain_blend


def near(rng, shape, size=0.5):
    return rotation.exp(rng.normal(size=(*shape, 3)) * size)


def test_one_hot_weights_give_the_example(rng):
    rot = near(rng, (6, 4, 3))
    mean = posture.mean_orientations(rot)
    vectors = posture.log_vectors(rot, mean)
    for n in range(4):
        w = np.eye(4)[n]
        assert rotation.angle_between(plain_blend.stateless(mean, vectors, w), rot[:, n]).max() < 1e-12
        assert rotation.angle_between(plain_blend.eigenvector(rot[0], w), rot[0, n]).max() < 1e-12
        assert rotation.angle_between(plain_blend.incremental(mean[0], rot[0], w), rot[0, n]).max() < 1e-12


def test_two_rotations_about_one_axis_blend_as_angles():
    angles = np.array([0.2, 1.0])
    rot = rotation.axis_angle(rotation.AXES["X"], angles)[:, None]  # (2, 1, 4)
    for weights in ([0.25, 0.75], [1.5, -0.5]):
        expected = rotation.axis_angle(rotation.AXES["X"], float(np.dot(weights, angles)))
        for blended in (
            plain_blend.about(rotation.IDENTITY[None], rot, np.array(weights)),
            plain_blend.eigenvector(rot, np.array(weights)),
            plain_blend.incremental(None, rot, np.array(weights)),
        ):
            assert rotation.angle_between(blended[0], expected) < 1e-12


def test_signs_of_quaternions_do_not_matter(rng):
    rot = near(rng, (5, 3, 2))
    flipped = rot * np.where(rng.random((5, 3, 2, 1)) < 0.5, -1.0, 1.0)
    w = np.array([0.7, 0.5, -0.2])
    a = plain_blend.stateless((m := posture.mean_orientations(rot)), posture.log_vectors(rot, m), w)
    b = plain_blend.stateless((m := posture.mean_orientations(flipped)), posture.log_vectors(flipped, m), w)
    assert rotation.angle_between(a, b).max() < 1e-10


def test_vectors_do_not_jump_where_an_example_passes_a_half_turn():
    turn = np.linspace(0.8 * np.pi, 1.4 * np.pi, 40)
    rot = np.stack([rotation.axis_angle(rotation.UP, turn), np.tile(rotation.IDENTITY, (40, 1))], axis=1)[:, :, None]
    mean = np.tile(rotation.IDENTITY, (40, 1, 1))
    vectors = posture.log_vectors(rot, mean)
    assert np.abs(np.diff(vectors, axis=0)).max() < 0.1
    assert vectors[-1, 0, 0] == pytest.approx([0.0, 1.4 * np.pi, 0.0])
