"""Clocks: monotone, at rate 1 where a clip is left or entered, and exact at the ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footfall as ff
from footfall.timeline.asap import as_soon_as_possible
from footfall.timeline.clocks import RUN_IN_S, clocks, warp
from footfall.timeline.conditions import LONGEST, SHORTEST
from footfall.timeline.piece import Piece
from footfall.timeline.planner import PlanOptions


@given(scale=st.floats(SHORTEST, LONGEST), own=st.floats(0.05, 3.0), first=st.booleans())
def test_a_warp_is_monotone_meets_its_ends_and_keeps_the_rate_where_asked(scale, own, first):
    length = scale * own
    rates = (1.0, None) if first else (None, 1.0)
    t = np.linspace(2.0, 2.0 + length, 2001)
    x = warp(t, (2.0, 2.0 + length), (7.0, 7.0 + own), rates)
    assert x[0] == pytest.approx(7.0)
    assert x[-1] == pytest.approx(7.0 + own)
    assert (np.diff(x) > 0).all()
    slope = np.gradient(x, t)
    assert slope[0 if first else -1] == pytest.approx(1.0, abs=5e-3)


@pytest.mark.parametrize(("a", "b"), [("walk", "walk-back"), ("jump", "walk"), ("stand", "kick"), ("run", "walk")])
def test_clocks_of_real_joins_run_forward_and_end_at_rate_one(a, b):
    previous = Piece(ff.motion(a), 1.0, a)
    following = Piece(ff.motion(b), 0.0, b)
    found = as_soon_as_possible(previous, following, 1.0)
    following, join = following.at(found.start_s), found.join
    t = np.arange(join.begin_s - 0.1, join.end_s + 0.5, 1e-3)
    times = clocks(previous, following, join, t, PlanOptions())
    for clock in (times.previous, times.following):
        assert (np.diff(clock) >= -1e-12).all()
    after = t >= join.end_s + 0.5 * RUN_IN_S
    np.testing.assert_allclose(times.following[after], t[after] - following.start_s, atol=1e-9)
    before = t <= join.begin_s
    np.testing.assert_allclose(times.previous[before], t[before] - previous.start_s, atol=1e-9)
    assert (times.weight[before] == 0.0).all()
    assert (times.weight[t >= join.end_s] == 1.0).all()
    assert np.abs(np.gradient(times.weight, t)).max() < 40.0


def test_the_paper_warps_uniformly_and_weighs_linearly():
    previous, following = Piece(ff.motion("walk"), 0.0), Piece(ff.motion("walk-back"), 0.0)
    found = as_soon_as_possible(previous, following, 0.0)
    join = found.join
    assert join.kind == "transition"
    t = np.linspace(join.begin_s, join.end_s, 50)
    times = clocks(previous, following.at(found.start_s), join, t, PlanOptions(paper=True))
    for line in times:
        np.testing.assert_allclose(np.diff(line, 2), 0.0, atol=1e-9)
