"""Clocks: monotone, at rate 1 where a clip is left or entered, and exact at the ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footfall as ff
from footfall.timeline.arranged_clip import ArrangedClip
from footfall.timeline.asap import as_soon_as_possible
from footfall.timeline.clocks import RUN_IN_S, clocks, warp
from footfall.timeline.conditions import LONGEST, SHORTEST
from footfall.timeline.planner import PlannedJoin, PlanOptions
from footfall.timeline.windows import LEAST_S, BlendWindow, waits, window

STAND = ff.motion("stand")


@given(scale=st.floats(SHORTEST, LONGEST), own=st.floats(0.05, 3.0), first=st.booleans())
def test_a_warp_is_monotone_meets_its_ends_and_keeps_the_rate_where_asked(scale, own, first):
    length = scale * own
    rates = (1.0, own / length) if first else (own / length, 1.0)
    t = np.linspace(2.0, 2.0 + length, 2001)
    x = warp(t, (2.0, 2.0 + length), (7.0, 7.0 + own), rates)
    assert x[0] == pytest.approx(7.0)
    assert x[-1] == pytest.approx(7.0 + own)
    assert (np.diff(x) > 0).all()
    slope = np.gradient(x, t)
    assert slope[0 if first else -1] == pytest.approx(1.0, abs=5e-3)


@pytest.mark.parametrize(("a", "b"), [("walk", "walk-back"), ("jump", "walk"), ("stand", "kick"), ("run", "walk")])
def test_clocks_of_real_joins_run_forward_and_end_at_rate_one(a, b):
    previous = ArrangedClip(ff.motion(a), 1.0, a)
    following = ArrangedClip(ff.motion(b), 0.0, b)
    found = as_soon_as_possible(previous, following, 1.0)
    following, join = following.at(found.start_s), found.join
    over = window(previous, following, join, 1.0, 1.0, PlanOptions())
    assert over.end_s - over.begin_s >= 0.5 - 1e-9
    t = np.arange(over.begin_s - 0.1, max(over.end_s, join.end_s) + 0.5, 1e-3)
    times = clocks(previous, following, join, over, t, PlanOptions())
    for clock in (times.previous, times.following):
        rate = np.diff(clock) / 1e-3
        assert (rate >= -1e-9).all()
        assert np.abs(np.diff(rate)).max() < 0.05  # no clock jumps from one rate to another
    after = t >= max(over.end_s, join.end_s) + 0.5 * RUN_IN_S
    np.testing.assert_allclose(times.following[after], t[after] - following.start_s, atol=1e-9)
    before = t <= min(over.begin_s, join.begin_s)
    np.testing.assert_allclose(times.previous[before], t[before] - previous.start_s, atol=1e-9)
    assert (times.weight[t <= over.begin_s] == 0.0).all()
    assert (times.weight[t >= over.end_s] == 1.0).all()


@given(
    begin=st.floats(0.0, 3.0),
    leave=st.floats(0.05, 1.0),
    wait=st.floats(0.0, 1.0),
    change=st.floats(0.0, 6.0),
    free=st.floats(0.0, 3.0),
)
def test_a_window_takes_long_enough_and_begins_no_earlier_than_it_may(begin, leave, wait, change, free):
    previous, following = ArrangedClip(STAND, 0.0), ArrangedClip(STAND, begin + leave + wait)
    free = min(free, begin)
    join = PlannedJoin(
        "connection", begin, begin + leave, begin + leave, begin + leave + wait, begin + leave + wait, ("RS", "DS"), ""
    )
    over = window(previous, following, join, free, change, PlanOptions())
    assert over.begin_s >= free - 1e-9
    assert over.begin_s <= join.begin_s + 1e-9
    assert over.end_s - over.begin_s >= min(LEAST_S, 0.4) - 1e-9
    if waits(join):
        assert over.end_s >= join.reach_s - 1e-9


def test_the_paper_warps_uniformly_and_weighs_linearly():
    previous, following = ArrangedClip(ff.motion("walk"), 0.0), ArrangedClip(ff.motion("walk-back"), 0.0)
    found = as_soon_as_possible(previous, following, 0.0)
    join = found.join
    assert join.kind == "transition"
    t = np.linspace(join.begin_s, join.end_s, 50)
    over = BlendWindow(join.begin_s, join.end_s)
    times = clocks(previous, following.at(found.start_s), join, over, t, PlanOptions(paper=True))
    for line in times:
        np.testing.assert_allclose(np.diff(line, 2), 0.0, atol=1e-9)
