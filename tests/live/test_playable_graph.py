"""A graph made ready: what is looked up quickly is what the motions themselves say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.graph.graph import Graph, Node
from footfall.live import packed_weights
from footfall.live.controller import Controller
from footfall.live.packed_weights import PackedWeights, pack_weights
from footfall.live.rows import Room, new_room
from footfall.motions.library import motion
from footfall.parametric.measure import blended_parameters, measured
from footfall.parametric.packing import pack
from footfall.parametric.parametric_motion import build, with_weights
from footfall.weights.lattice import lattice_of


@pytest.fixture(scope="module")
def walk():
    clips = [
        motion("walk", speed=v, turn=w) for v, w in ((0.7, 0.0), (1.8, 0.0), (1.1, 60.0), (1.1, -60.0), (1.2, 0.0))
    ]
    return measured(build(clips, "locomotion", "walk"), ("speed", "turn"))


@pytest.fixture(scope="module", params=["rbf", "smooth-inverse"])
def fitted(request, walk):
    return with_weights(walk, request.param, blended_parameters(walk))


def look_up(motion, p):
    """Weights as kernels look them up."""
    packed, tables = pack_weights([motion], 2), pack([motion])
    room = new_room(tables, 2)
    out = np.zeros(tables.width, np.float32)
    packed_weights.look_up(packed, 0, np.array(p), room, out)
    return out[: len(motion)]


@given(a=st.floats(-0.3, 1.3), b=st.floats(-0.3, 1.3))
def test_weights_are_the_motions_own(fitted, a, b):
    low, high = fitted.parameters.min(axis=0), fitted.parameters.max(axis=0)
    p = low + np.array([a, b]) * (high - low)
    np.testing.assert_allclose(look_up(fitted, p), fitted.weights(p[None])[0], atol=5e-5)


def test_weights_of_other_methods_are_sampled(walk):
    """A lattice of a method without one of its own is near what it samples, where that is smooth."""
    smooth = with_weights(walk, "barycentric")
    assert pack_weights([smooth], 2).kind[0] == packed_weights.LATTICE
    low, high = walk.parameters.min(axis=0), walk.parameters.max(axis=0)
    for share in np.linspace(0.2, 0.8, 7):
        p = low + share * (high - low)
        np.testing.assert_allclose(look_up(smooth, p), smooth.weights(p[None])[0], atol=0.08)


@given(st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_lattices_of_any_number_of_parameters_are_those_of_the_field(d, seed):
    rng = np.random.default_rng(seed)
    cells, pad, count = 5, 0.05, 4
    field = lattice_of(rng.normal(size=((cells + 3) ** d, count)), cells, pad, d)
    low, size = rng.uniform(-2.0, 0.0, d), rng.uniform(0.5, 3.0, d)
    packed = PackedWeights(
        *(np.array([x]) for x in (packed_weights.LATTICE, d, 0, cells + 3, field.table.shape[-1])),
        (low - pad * size)[None].astype(np.float32), (cells / ((1.0 + 2.0 * pad) * size))[None].astype(np.float32),
        field.table.ravel().astype(np.float32),
    )  # fmt: skip
    p = low + rng.uniform(-0.1, 1.1, d) * size
    room = Room(*[np.zeros(64, np.float32)] * 13)._replace(basis=np.zeros((3, 4), np.float32))
    room = room._replace(first=np.zeros(64, np.int64), wish=np.zeros(3))
    out = np.zeros(field.table.shape[-1], np.float32)
    packed_weights.look_up(packed, 0, p, room, out)
    np.testing.assert_allclose(out[:count], field.values(((p - low) / size)[None])[0], atol=1e-4)


def test_memory_is_told(walk):
    graph = Graph("one", {"walk": Node(with_weights(walk, "rbf"))}, {})
    hero = Controller(graph)
    assert hero.nbytes > walk.vectors.nbytes + hero._live.playable.tables.nbytes
    assert hero.skeleton is graph.skeleton
