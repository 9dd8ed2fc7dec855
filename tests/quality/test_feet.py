"""Skate, slide and penetration against feet whose motion is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers import ANKLE_HEIGHT, DUTY, TOE_HEIGHT, footprints, humanoid, still_clip, walking_clip
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.analysis.contacts import Contacts
from footfall.analysis.floor import Floor, find_floor
from footfall.core.clip import Clip
from footfall.quality.penetration import penetration
from footfall.quality.skate import skate, skate_ratio, skate_window
from footfall.quality.slide import slide


def sliding(speed: float, frames: int = 120, fps: float = 60.0, scale: float = 1.0) -> Clip:
    """A standing body pushed over the floor at a constant speed."""
    clip = still_clip(frames=frames, fps=fps, skeleton=humanoid(scale))
    push = clip.times[:, None] * speed * np.array([0.6, 0.0, 0.8])
    return clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos + push))


def true_contacts(clip: Clip) -> Contacts:
    feet = footprints(clip)
    return Contacts(clip.fps, feet.left, feet.left, feet.right, feet.right, find_floor(clip))


@settings(max_examples=40)
@given(st.floats(0.0, 3.0), st.sampled_from([30.0, 60.0, 120.0]), st.floats(0.5, 2.0))
def test_a_foot_on_the_floor_skates_at_its_speed_on_the_standard_body(speed, fps, scale):
    assert skate(sliding(speed, fps=fps, scale=scale)) == pytest.approx(100 * speed / scale, abs=1e-6)


def test_planted_feet_do_not_skate_and_lifted_ones_do_not_count():
    planted, sliding_at_10 = skate(walking_clip(cycles=3)), skate(walking_clip(cycles=3, slide=0.1))
    assert planted < 3.0  # what is left is the swing's first and last centimetres
    # the slide adds its 10 cm/s for the share of the time that a foot stands
    assert sliding_at_10 - planted == pytest.approx(10 * DUTY, rel=0.1)


def test_skate_falls_with_height_as_defined():
    """One foot's toe moves at 1 m/s at a fixed height over its 5 % quantile."""
    clip = sliding(1.0, frames=200)
    root = clip.pose.root_pos.copy()
    root[20:, 1] += 0.0125  # half of 2.5 cm: weight 2 - sqrt(2); the first 10 % of frames hold the quantile down
    lifted = clip.with_pose(clip.pose._replace(root_pos=root))
    inside = skate_window(lifted, 1.5)
    assert inside == pytest.approx(100 * (2 - np.sqrt(2)), rel=1e-6)


def test_window_sees_only_what_is_near_the_join():
    clip = still_clip(frames=240)
    root = clip.pose.root_pos.copy()
    root[:, 2] += np.where(clip.times < 1.0, 0.0, 0.5 * np.minimum(clip.times - 1.0, 0.5))
    clip = clip.with_pose(clip.pose._replace(root_pos=root))
    assert skate_window(clip, 1.0) == pytest.approx(50 * 0.5 / 1.1, rel=0.02)  # 0.5 s of 1.1 at 50 cm/s
    assert skate_window(clip, 2.5) == pytest.approx(0.0, abs=1e-9)
    assert skate_ratio(clip, 1.0, [still_clip()]) == pytest.approx(skate_window(clip, 1.0))  # never under 1 cm/s


@settings(max_examples=40)
@given(st.floats(0.0, 0.3), st.sampled_from([30.0, 60.0, 120.0]))
def test_slide_is_the_foot_speed_while_down(speed, fps):
    clip = walking_clip(speed=1.0, cycles=3, fps=fps, slide=speed)
    found = slide(clip, true_contacts(clip))
    assert found.mean_cm_s == pytest.approx(100 * speed, abs=1e-6)
    assert found.p95_cm_s == pytest.approx(100 * speed, abs=1e-6)
    assert found.contacts == 7  # a third step is under way at the end, and the right foot starts in its stance
    assert found.drift_cm <= 100 * speed * DUTY * 1.1 + 1e-6


def test_drift_of_one_support():
    clip = sliding(0.05, frames=121)  # 2 s at 5 cm/s, the whole clip one contact of each foot
    found = slide(clip)
    assert found.drift_cm == pytest.approx(10.0)
    assert found.mean_cm_s == pytest.approx(5.0)
    assert found.contacts == 2


def test_slide_found_by_itself_tells_planted_from_sliding():
    planted, slid = slide(walking_clip(cycles=3)), slide(walking_clip(cycles=3, slide=0.15))
    assert planted.p95_cm_s < 5.0
    assert slid.mean_cm_s == pytest.approx(15.0, rel=0.15)


def test_of_heel_and_toe_the_one_at_rest_carries_the_foot():
    clip = walking_clip(cycles=2)
    contacts = true_contacts(clip)
    spun = clip.positions[:, clip.skeleton.index("LeftToeBase")]
    assert np.isfinite(spun).all()
    never = np.zeros(clip.frames, bool)
    nothing = replace(contacts, left_heel=never, left_toe=never, right_heel=never, right_toe=never)
    assert slide(clip, nothing) == (0.0, 0.0, 0.0, 0)


@settings(max_examples=40)
@given(st.floats(0.0, 0.3))
def test_penetration_of_known_depth(depth):
    clip = still_clip(frames=100)
    root = clip.pose.root_pos.copy()
    root[40:44, 1] -= depth
    sunk = penetration(clip.with_pose(clip.pose._replace(root_pos=root)))
    assert sunk.deepest_cm == pytest.approx(100 * depth, abs=1e-9)
    assert sunk.mean_cm == pytest.approx(4 * depth, abs=1e-9)


def test_penetration_under_a_given_floor():
    clip = still_clip(frames=10)
    floor = Floor(0.0, 0.0, (ANKLE_HEIGHT + 0.02, ANKLE_HEIGHT), (TOE_HEIGHT, TOE_HEIGHT), "given", 1.0)
    assert penetration(clip, floor) == pytest.approx((2.0, 0.5))  # one point of four is 2 cm under


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_clips_too_short_to_move_have_no_faults(frames):
    clip = still_clip(frames=frames)
    assert skate(clip) == 0.0
    assert slide(clip)[:3] == (0.0, 0.0, 0.0)
    assert penetration(clip) == (0.0, 0.0)
