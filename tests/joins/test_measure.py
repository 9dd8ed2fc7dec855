"""The measure of a join: what it says of motion nobody touched, and against the measures it is made of."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.joins.measure import measure, stretch
from footfall.quality.knee import knee_ratio
from footfall.quality.skate import skate_ratio

JOIN_S = 1.0


@pytest.fixture(scope="module")
def walk() -> Clip:
    clip = ff.motion("walk", speed=1.3, cycles=3)
    return clip.with_pose(clip.pose, is_loop=False)


def test_a_motion_nobody_touched_exceeds_nothing(walk: Clip) -> None:
    found = measure(walk, JOIN_S, [(walk, 0.0), (walk, 0.0)])
    assert found.excess_m_s2 == 0.0
    assert found.knee_ratio <= 1.0
    assert found.stretch <= found.stretch_allowed
    assert found.cost < 1.0


def test_figures_are_those_of_the_quality_measures(walk: Clip) -> None:
    other = ff.motion("kick")
    found = measure(walk, JOIN_S, [(walk, 0.0), (other, 0.3)])
    assert found.skate_ratio == pytest.approx(skate_ratio(walk, JOIN_S, [walk, other]))
    assert found.knee_ratio == pytest.approx(knee_ratio(walk, JOIN_S, [walk, other]))


def test_a_slide_is_seen_and_costs(walk: Clip) -> None:
    root = np.array(walk.pose.root_pos)
    root[walk.times > JOIN_S, 0] += 0.5 * (walk.times[walk.times > JOIN_S] - JOIN_S)  # half a metre a second sideways
    slid = walk.with_pose(walk.pose._replace(root_pos=root))
    sources = [(walk, 0.0), (walk, 0.0)]
    before, after = measure(walk, JOIN_S, sources), measure(slid, JOIN_S, sources)
    assert after.skate_ratio > before.skate_ratio + 5.0
    assert after.cost > before.cost + 5.0


def test_a_sunk_body_is_seen(walk: Clip) -> None:
    root = np.array(walk.pose.root_pos)
    inside = (walk.times > JOIN_S) & (walk.times < JOIN_S + 0.4)
    root[inside, 1] -= 0.05
    sunk = walk.with_pose(walk.pose._replace(root_pos=root))
    assert measure(sunk, JOIN_S, [(walk, 0.0)] * 2).sunk_cm == pytest.approx(5.0, abs=1.0)


def test_a_straight_leg_has_stretch_one(walk: Clip) -> None:
    roles = walk.skeleton.roles
    rot = np.array(walk.pose.rot)
    rest = walk.skeleton.rest
    for joint in (roles.left_knee, roles.right_knee):
        assert joint is not None
        rot[:, joint] = rest[joint]
    straight = stretch(walk.with_pose(walk.pose._replace(rot=rot)))
    offsets = walk.skeleton.offsets
    knee, ankle = roles.left_knee, roles.left_ankle
    assert knee is not None
    assert ankle is not None
    bent = rotation.rotate(rest[knee], offsets[ankle]) + offsets[knee]
    length = np.linalg.norm(offsets[knee]) + np.linalg.norm(offsets[ankle])
    assert straight[:, 0] == pytest.approx(np.linalg.norm(bent) / length)
