"""Travel put back under walks and runs on the spot; everything else is left alone."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import still_clip
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.analysis.foot_points import foot_points
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.edit.travel import with_travel
from footfall.motions.library import motion
from footfall.quality.skate import skate


@settings(max_examples=15)
@given(st.sampled_from([("walk", 0.6, 2.0), ("run", 2.0, 5.0)]), st.floats(0, 1), st.integers(2, 4))
def test_a_gait_put_in_place_gets_its_path_back(gait: tuple[str, float, float], share: float, cycles: int) -> None:
    name, slow, fast = gait
    speed = slow + share * (fast - slow)
    clip = motion(name, speed=speed, cycles=cycles)
    back = with_travel(clip.in_place())
    gone, wanted = (c.pose.root_pos[-1] - c.pose.root_pos[0] for c in (back, clip))
    assert np.linalg.norm((gone - wanted)[[0, 2]]) < 0.04 * np.linalg.norm(wanted)
    assert np.array_equal(back.pose.rot, clip.pose.rot)
    assert np.array_equal(back.pose.root_pos[:, 1], clip.pose.root_pos[:, 1])


def test_feet_that_slid_stand_again() -> None:
    clip = motion("walk", speed=1.4, cycles=3)
    here = clip.in_place()
    assert skate(here) > 20.0
    assert skate(with_travel(here)) < 5.0


def test_once_is_enough() -> None:
    back = with_travel(motion("walk", cycles=3).in_place())
    assert foot_points(back).belt is None
    assert with_travel(back) is back


@pytest.mark.parametrize("name", ["stand", "walk", "kick", "turn-in-place"])
def test_what_needs_no_travel_is_left_alone(name: str) -> None:
    clip = motion(name)
    assert with_travel(clip) is clip


def test_a_body_without_feet_is_left_alone() -> None:
    bone = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    clip = Clip(bone, 30.0, Pose(np.zeros((40, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (40, 2, 1))))
    assert with_travel(clip) is clip
    short = still_clip(frames=2)
    assert with_travel(short) is short
