"""Keyframes: contact events and the reversals of limbs, well apart, about eight a cycle."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helpers import random_clip, still_clip
from hypothesis import given
from hypothesis import strategies as st

from footfall.analysis.key_times import KeyTime, find_key_times
from footfall.analysis.keyframes import APART_S, Keyframe, find_keyframes, joint_angles
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.io.load import load
from footfall.motions.library import motion


def swinging(joint: str, angles: np.ndarray, fps: float = 120.0) -> Clip:
    """Standing still but for one joint, which turns about X by angles (T,)."""
    clip = still_clip(frames=len(angles), fps=fps)
    rot = np.array(clip.pose.rot)
    rot[:, clip.skeleton.index(joint)] = rotation.axis_angle(rotation.AXES["X"], angles)
    return clip.with_pose(Pose(clip.pose.root_pos, rot))


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("hz", [0.5, 1.3])
def test_a_swinging_arm_turns_at_its_ends(fps, hz):
    t = np.arange(round(4 * fps) + 1) / fps
    keys = find_keyframes(swinging("LeftArm", 0.6 * np.sin(2 * np.pi * hz * t), fps), [])
    ends = (np.arange(100) + 0.5) / (2 * hz)
    assert [k.t_s for k in keys] == pytest.approx(ends[ends < 4.0 - 1e-9], abs=0.01)
    assert {k.why for k in keys} == {"left shoulder"}


def test_small_reversals_are_wobble():
    t = np.arange(481) / 120
    angle = 0.6 * np.sin(2 * np.pi * 0.5 * t) + 0.02 * np.sin(2 * np.pi * 5 * t)
    assert len(find_keyframes(swinging("RightUpLeg", angle), [])) == 4
    assert find_keyframes(swinging("RightUpLeg", 0.02 * np.sin(9 * t)), []) == [Keyframe(0.0, "start")]


def test_events_come_first():
    t = np.arange(241) / 120
    clip = swinging("LeftArm", 0.6 * np.sin(2 * np.pi * 0.5 * t))  # turns at 0.5 and 1.5 s
    events = [KeyTime(0.45, "left", "strike"), KeyTime(0.52, "right", "off"), KeyTime(1.0, "left", "off")]
    keys = find_keyframes(clip, events)
    assert [k.why for k in keys] == ["left strike", "left off", "left shoulder"]
    assert keys[2].t_s == pytest.approx(1.5, abs=0.01)


@pytest.mark.parametrize(("name", "speed"), [("walk", 1.0), ("walk", 1.4), ("walk", 1.9), ("run", 2.5), ("run", 4.0)])
def test_about_eight_a_cycle(name, speed):
    keys = find_keyframes(motion(name, speed=speed, cycles=3))
    assert (6 if name == "walk" else 4) <= len(keys) / 3 <= 10  # in 0.7 s there is no room for eight


def test_captured_walks_have_about_eight_too(mocap):
    for take, cycle_s in (("02_01", 1.13), ("06_01", 1.23), ("35_01", 1.1)):
        clip = load(mocap / "cmu_bvh" / "walk_straight" / f"{take}.bvh")
        assert 6 <= len(find_keyframes(clip)) * cycle_s / clip.duration <= 10


@pytest.mark.parametrize("cycles", [1, 3])
def test_on_a_loop_they_keep_their_distance_round_the_seam(cycles):
    clip = motion("walk", speed=1.2, cycles=cycles)
    times = [k.t_s for k in find_keyframes(clip)]
    assert times == sorted(times)
    assert all(0.0 <= t < clip.duration for t in times)
    for a, b in pairwise([*times, times[0] + clip.duration]):
        assert b - a >= APART_S - 1e-9
    for event in find_key_times(clip):
        apart = np.abs(np.array(times) - event.t_s)
        assert np.minimum(apart, clip.duration - apart).min() < APART_S


@given(st.integers(0, 1000), st.integers(0, 12))
def test_any_motion_has_keys_inside_it(seed, frames):
    clip = random_clip(np.random.default_rng(seed), frames)
    keys = find_keyframes(clip, [])
    assert bool(keys) == bool(frames)
    assert all(0.0 <= k.t_s <= clip.duration for k in keys)
    assert all(b.t_s - a.t_s >= APART_S for a, b in pairwise(keys))


def test_joint_angles_are_angles_about_the_main_axis():
    angles = np.linspace(-0.9, 0.9, 181)
    clip = swinging("LeftForeArm", angles)
    found = joint_angles(clip, [clip.skeleton.index("LeftForeArm")], np.arange(181))[:, 0]
    assert found - found[90] == pytest.approx(angles, abs=1e-9)
