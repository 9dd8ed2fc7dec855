"""Depth and slide on a ground, on clips whose depth and slide are known."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.kinematics import ground as made
from footfall.quality.ground_contact import ground_contact


@pytest.fixture(scope="module")
def walk() -> ff.Clip:
    return ff.motion("walk", speed=1.2, cycles=2)


def test_a_floor_raised_is_met_as_much_deeper(walk):
    level, raised = (ground_contact(walk, made.level(h)) for h in (0.0, 0.02))
    for part in ("heel_cm", "ball_cm"):
        assert getattr(raised, part) - getattr(level, part) == pytest.approx(2.0, abs=0.1)
    assert level.heel_cm < 0.3


def test_what_slides_over_the_ground_is_told(walk):
    drift = np.array([0.1, 0.0, 0.0]) * walk.times[:, None]
    moved = walk.with_pose(walk.pose._replace(root_pos=walk.pose.root_pos + drift))
    slide = ground_contact(moved, made.level(), contacts=walk.contacts).slide
    assert slide.mean_cm_s == pytest.approx(10.0, abs=1.0)


def test_where_there_is_no_ground_feet_stand_off_it(walk):
    island = made.plates(np.zeros((2, 2)), 0.5, (-0.5, -0.5))
    assert ground_contact(walk, made.level()).off_ground == 0
    assert ground_contact(walk, island).off_ground > 0


def test_depth_at_an_edge_is_told_apart(walk):
    steps = made.stairs(0.10, 0.4, count=1, start_m=1.0).ahead_of(np.zeros(3), 0.0)
    contact = ground_contact(walk, steps)  # it walks through the step
    assert contact.edge_cm > 5.0
    assert contact.deepest_cm > 5.0
