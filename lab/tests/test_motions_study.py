"""The study of built-in motions: traits against what is known of a clip, ranges against hand-made ones."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.edit.mirror import mirror
from footfall.kinematics.floor_align import between_roots
from footfall.motions.library import motion
from footfall_lab.action_traits import action_traits, bend_traits, turn_traits
from footfall_lab.studies import motions


def test_traits_are_those_of_the_limb_that_acts_and_of_its_mirror_image():
    punch = motion("punch")
    at = motions.apex_of(punch)
    right = action_traits(punch, at, "arm", "right")
    assert 0.95 < right.extension < 1.0
    assert action_traits(punch, at, "arm", "left").extension < 0.8
    np.testing.assert_allclose(action_traits(mirror(punch), at, "arm", "left"), right, rtol=1e-6)


def test_traits_do_not_depend_on_where_a_body_is_and_faces():
    kick = motion("kick")
    moved = between_roots(np.zeros(3), 0.0, np.array([3.0, 0.0, -2.0]), 1.2)
    turned = kick.with_pose(moved.pose(kick.pose))
    at = motions.apex_of(kick)
    ours, other = (action_traits(c, at, "leg", "right") for c in (kick, turned))
    np.testing.assert_allclose(other, ours, rtol=1e-6)


def test_a_bow_bends_and_a_turn_turns():
    bow = bend_traits(motion("bow", depth=40.0))
    assert 25.0 < bow["lean"] < 45.0
    assert bow["hips down"] < 0.02
    assert bend_traits(motion("sit-down"))["hips down"] == pytest.approx(0.47, abs=0.03)
    assert turn_traits(motion("turn-in-place", angle=45.0))["degrees in a second"] == pytest.approx(45.0, abs=6.0)


def test_ranges_count_from_three_takes_on_and_a_fifth_below():
    def ok(takes: list[float], ours: float) -> bool | None:
        return motions.compare("x", [{"a": t} for t in takes], [{"a": ours}])[0].ok

    assert ok([1.0, 3.0, 2.0], 2.9)
    assert not ok([1.0, 3.0, 2.0], 3.1)
    assert ok([1.0], 1.19)
    assert not ok([1.0], 1.21)
    assert ok([], 1.0) is None
