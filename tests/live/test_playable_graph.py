"""A graph made ready: what is looked up quickly is what the motions themselves say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.graph.graph import Graph, Node
from footfall.live.controller import Controller
from footfall.live.packed_lattices import pack_lattices
from footfall.live.playable_graph import look_up_of
from footfall.live.playback import Playable, Playback
from footfall.motions.library import motion
from footfall.parametric.measure import blended_parameters, measured
from footfall.parametric.parametric_motion import build, with_weights


@pytest.fixture(scope="module")
def walk():
    clips = [
        motion("walk", speed=v, turn=w) for v, w in ((0.7, 0.0), (1.8, 0.0), (1.1, 60.0), (1.1, -60.0), (1.2, 0.0))
    ]
    return measured(build(clips, "locomotion", "walk"), ("speed", "turn"))


@pytest.fixture(scope="module", params=["rbf", "smooth-inverse"])
def fitted(request, walk):
    return with_weights(walk, request.param, blended_parameters(walk))


def look_up(motion):
    return look_up_of(motion, pack_lattices([motion]), 0)


@given(a=st.floats(-0.3, 1.3), b=st.floats(-0.3, 1.3))
def test_weights_are_the_motions_own(fitted, a, b):
    low, high = fitted.parameters.min(axis=0), fitted.parameters.max(axis=0)
    p = low + np.array([a, b]) * (high - low)
    look = look_up(fitted)
    assert look is not None
    np.testing.assert_allclose(look(p.tolist()), fitted.weights(p[None])[0], atol=2e-5)


def test_methods_without_compiled_code_are_asked_as_before(walk):
    plain = with_weights(walk, "knn")
    assert look_up(plain) is None
    playback = Playback(Playable(plain, 0), [1.2, 10.0])
    np.testing.assert_array_equal(playback.weights, plain.weights(np.array([[1.2, 10.0]]))[0])


@given(start=st.floats(0.0, 1.0), end=st.floats(0.0, 1.0), speed=st.floats(0.7, 1.8))
def test_travel_is_the_motions_own(fitted, start, end, speed):
    playback = Playback(Playable(fitted, 0, look_up(fitted)), [speed, 5.0])
    n = playback.of.pieces
    truth = fitted.travelled(end, playback.weights) - fitted.travelled(start, playback.weights)
    np.testing.assert_allclose(playback.travelled(start * n, end * n), truth, atol=1e-12)
    playback.ask([1.0, -20.0])  # what was kept of the way is of other weights now
    truth = fitted.travelled(end, playback.weights) - fitted.travelled(start, playback.weights)
    np.testing.assert_allclose(playback.travelled(start * n, end * n), truth, atol=1e-12)


def test_memory_is_told(walk):
    graph = Graph("one", {"walk": Node(with_weights(walk, "rbf"))}, {})
    hero = Controller(graph)
    assert hero.nbytes > walk.vectors.nbytes + hero._live.playable.tables.nbytes
    assert hero.skeleton is graph.skeleton
