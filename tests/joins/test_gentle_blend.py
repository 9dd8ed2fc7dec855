"""Gentle blends: hands change over no faster than people's where there is time, and nothing but arms is changed."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.core import rotation
from footfall.joins.gentle_blend import arms_in_time
from footfall.joins.search import search
from footfall.quality.body_signals import body_signals
from footfall.quality.momentum import hand_speed


def arms_up(clip):
    """The clip with both arms held overhead."""
    rot = np.array(clip.pose.rot)
    for shoulder in (clip.skeleton.roles.left_shoulder, clip.skeleton.roles.right_shoulder):
        rot[:, shoulder] = rotation.multiply(rotation.axis_angle(np.array([1.0, 0.0, 0.0]), -2.6), rot[:, shoulder])
    return clip.with_pose(clip.pose._replace(rot=rot), name="arms-up")


@pytest.fixture(scope="module")
def pair():
    return ff.motion("walk", cycles=3).resample(60), arms_up(ff.motion("walk", cycles=3).resample(60))


def test_arms_are_raised_as_fast_as_people_do(pair) -> None:
    take = ff.join(*pair)
    assert take.report.judgement["believable"]
    assert hand_speed(body_signals(take)).max() < 3.6


def test_only_arms_change_and_the_rest_of_the_target_is_its_own(pair) -> None:
    section = search(*pair)[0].section
    departure, target, made = section.departure, section.target, section.made
    clip, first = section.assembled.clip, round(section.assembled.join_s * 60) + 1
    quick = clip.with_pose(clip.pose._replace(rot=np.array(clip.pose.rot)))
    roles = clip.skeleton.roles
    for last in (first + 40, first + 90):
        slow = arms_in_time(quick, first, last, departure, target, made)
        changed = np.abs(slow.pose.rot - clip.pose.rot).max(axis=-1) > 1e-9
        arms = {j for j in range(len(clip.skeleton)) if changed[:, j].any()}
        legs = {roles.left_hip, roles.left_knee, roles.left_ankle, roles.right_hip, roles.right_knee, roles.right_ankle}
        assert not arms & {roles.pelvis, *roles.spine, *legs}
        assert not changed[last + 1 :].any()
        assert not changed[:first].any()


def test_hands_that_hang_alike_are_left_alone() -> None:
    stand = ff.motion("stand").resample(60)
    section = search(stand, stand)[0].section
    clip, first = section.assembled.clip, round(section.assembled.join_s * 60) + 1
    assert arms_in_time(clip, first, first + 60, section.departure, section.target, section.made) is clip
