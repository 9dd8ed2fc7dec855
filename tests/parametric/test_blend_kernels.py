"""Blending kernels against their readable twins."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.kinematics.floor_align import FloorTransform
from footfall.parametric import posture
from footfall.parametric.blend_kernels import blend_poses, place, travel_to
from footfall.parametric.builtin_sets import parametric_set
from footfall_lab.oracles.blend_older import blend_eigenvector, blend_incremental


@pytest.fixture(scope="module")
def walk():
    return parametric_set("walk")


@pytest.fixture
def asked(walk, rng):
    """Canonical times (T,) and weights (T, N), some outside the examples."""
    t = np.sort(rng.uniform(-0.1, 1.1, 40))
    t[5:7] = 0.0, 1.0
    weights = rng.dirichlet(np.ones(len(walk)), 40) * 1.4 - 0.4 / len(walk)
    return t, weights


def test_poses(walk, asked):
    t, weights = asked
    rot, root = np.empty((40, len(walk.skeleton), 4)), np.empty((40, 3))
    blend_poses(t, weights, walk.mean, walk.vectors, walk.root, rot, root)
    wanted = walk.local_pose(t, weights)
    assert rot == pytest.approx(wanted.rot, abs=1e-12)
    assert root == pytest.approx(wanted.root_pos, abs=1e-12)
    blend_poses(t, weights[:1], walk.mean, walk.vectors, walk.root, rot, root)
    assert rot == pytest.approx(walk.local_pose(t, weights[0]).rot, abs=1e-12)


def test_travel(walk, asked):
    out = np.empty(3)
    for t, w in zip(*asked, strict=True):
        travel_to(t, w, walk.travel, out)
        assert out == pytest.approx(walk.travelled(t, w), abs=1e-12)


def test_placing(rng):
    rot, root = rotation.normalize(rng.normal(size=(5, 4))), rng.normal(size=3)
    wanted = FloorTransform(np.array(0.7), np.array([1.0, 0.0, -2.0])).pose(Pose(root, rot))
    rot, root = rot.copy(), root.copy()
    place(rot, root, 1.0, -2.0, 0.7)
    assert rot == pytest.approx(wanted.rot, abs=1e-12)
    assert root == pytest.approx(wanted.root_pos, abs=1e-12)


def test_older_schemes(walk, asked):
    t, weights = asked
    t = np.round(np.clip(t, 0.0, 1.0) * walk.cells) / walk.cells  # on the grid: between, they interpolate otherwise
    weights = np.abs(weights) / np.abs(weights).sum(axis=1, keepdims=True)
    rot = np.stack([walk.example_rotations(g / walk.cells) for g in range(walk.cells + 1)])
    rot = rotation.continuous_signs(rot)
    first, out = rotation.average(walk.example_rotations(t[0]), axis=-3), np.empty((40, len(walk.skeleton), 4))
    blend_incremental(t, weights, rot, first, out)
    before = None
    for k in range(40):
        before = posture.incremental(before, walk.example_rotations(t[k]), weights[k])
        assert rotation.angle_between(out[k], before).max() < 1e-7
    blend_eigenvector(t, weights, rot, out)
    for k in range(40):
        wanted = posture.eigenvector(walk.example_rotations(t[k]), weights[k])
        assert rotation.angle_between(out[k], wanted).max() < 1e-7
