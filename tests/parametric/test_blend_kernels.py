"""Blending kernels against the plain blend in numpy, also of bodies whose bones slide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.core import rotation
from footfall.parametric.builtin_sets import parametric_set
from footfall_lab.oracles import plain_blend
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


@pytest.mark.parametrize("slides", [False, True])
def test_poses(walk, asked, rng, slides):
    t, weights = asked
    if slides:
        shape = (*walk.vectors.shape[:3], 3)
        walk = replace(walk, offsets=rng.normal(size=shape))
    for w in (weights, weights[0]):
        found, wanted = walk.local_pose(t, w), plain_blend.local_pose(walk, t, w)
        assert found.rot == pytest.approx(wanted.rot, abs=1e-12)
        assert found.root_pos == pytest.approx(wanted.root_pos, abs=1e-12)
        assert (found.pos is not None) == slides
        if slides:
            assert found.pos == pytest.approx(wanted.pos, abs=1e-12)
    one = walk.local_pose(float(t[3]), weights[3])
    assert one.rot == pytest.approx(walk.local_pose(t, weights).rot[3], abs=1e-15)


def test_travel(walk, asked):
    t, weights = asked
    assert walk.travelled(t, weights) == pytest.approx(plain_blend.travelled(walk, t, weights), abs=1e-12)
    for at, w in zip(t[:3], weights, strict=False):
        assert walk.travelled(at, w) == pytest.approx(plain_blend.travelled(walk, at, w), abs=1e-12)


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
        before = plain_blend.incremental(before, walk.example_rotations(t[k]), weights[k])
        assert rotation.angle_between(out[k], before).max() < 1e-7
    blend_eigenvector(t, weights, rot, out)
    for k in range(40):
        wanted = plain_blend.eigenvector(walk.example_rotations(t[k]), weights[k])
        assert rotation.angle_between(out[k], wanted).max() < 1e-7
