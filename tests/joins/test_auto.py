"""auto: what it chooses is no worse than a plain blend, and good by the measure that all joins are judged by."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import footfall as ff
from footfall.core.clip import Clip
from footfall.feet.foot_paths import foot_paths
from footfall.joins.candidates import candidates, features
from footfall.joins.departure import leaving
from footfall.joins.join import join
from footfall.joins.search import SearchRequest, search
from footfall.joins.transition import TransitionRequest, method
from footfall_lab.studies.joins import judged

FPS = 60.0
PAIRS = [("walk", "stand"), ("stand", "punch"), ("kick", "jump")]


@cache
def clip(name: str, **parameters: float) -> Clip:
    return ff.motion(name, **parameters).resample(FPS)


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_better_than_a_plain_blend_and_good_by_the_measure(pair: tuple[str, str]) -> None:
    a, b = (clip(name) for name in pair)
    ours = judged(join(a, b), a, b)
    plain = judged(join(a, b, "crossfade", at_s=max(0.0, a.duration - 0.4), foot_lock=False, shape="linear"), a, b)
    assert ours.cost < plain.cost
    assert ours.skate_ratio < 2.0
    assert ours.excess_m_s2 < 40.0
    assert ours.stretch <= ours.stretch_allowed
    assert ours.sunk_cm <= ours.sunk_allowed_cm


def test_ways_are_in_order_and_the_first_is_whole() -> None:
    a, b = clip("kick"), clip("stand")
    ways = search(a, b)
    assert len(ways) > 4
    costs = [way.cost for way in ways]
    assert costs[0] == min(costs)
    whole = ways[0].section.assembled.clip
    assert (whole.pose.root_pos[:10] == a.pose.root_pos[:10]).all()


def test_the_method_gives_the_blend_of_the_best_way() -> None:
    departure = leaving(clip("kick"), 1.0)
    made = method("auto").transition(departure, clip("stand"), TransitionRequest())
    ways = search(departure, clip("stand"), SearchRequest(led=False))
    assert (made.pose.rot == ways[0].section.made.pose.rot).all()


def test_candidates_find_the_moment_a_clip_was_cut_at() -> None:
    walk = ff.motion("walk", cycles=4).resample(FPS)
    long = walk.with_pose(walk.pose, is_loop=False)
    first, second = long.trim(0.0, 2.4), long.trim(1.2, 4.0)
    old, new = foot_paths(first, FPS), foot_paths(second, FPS)
    length = 18
    found = candidates(old, new, (old.index(1.3), old.index(2.0)), (new.index(0.4), new.index(1.4)), (length,), 1)[0]
    left_s, entered_s = (found.leave - old.lead) / FPS, (found.enter - new.lead) / FPS
    period = walk.duration / 4.0
    phase = (left_s + length / FPS - (entered_s + 1.2)) / period
    assert abs(phase - round(phase)) < 0.06
    assert found.unlike_m < 0.05


def test_features_do_not_depend_on_where_a_motion_is() -> None:
    from footfall.kinematics.floor_align import FloorTransform

    walk = clip("walk")
    moved = walk.with_pose(FloorTransform(np.array(1.0), np.array([3.0, 0.0, -2.0])).pose(walk.pose))
    here, there = (features(foot_paths(c, FPS)) for c in (walk, moved))
    assert np.abs(here - there).max() < 1e-6


@pytest.mark.slow
def test_captured_takes_join_well(mocap: Path) -> None:
    from footfall_lab.studies.joins import taken

    takes = taken(mocap)
    pairs = [(0, 1), (1, 10), (3, 4), (5, 8), (10, 11), (9, 0)]
    found = [judged(join(takes[a], takes[b]), takes[a], takes[b]) for a, b in pairs]
    assert np.median([q.skate_ratio for q in found]) <= 1.0
    assert max(q.skate_ratio for q in found) <= 3.5
    assert max(q.excess_m_s2 for q in found) <= 120.0
    assert all(q.stretch <= q.stretch_allowed + 1e-6 for q in found)
