"""Cycles: every stride of a known walk, steady or not; loops told from what only looks like one."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from helpers import still_clip, walking_clip

from footfall.analysis.cycles import find_cycles, find_loop
from footfall.analysis.key_times import KeyTime
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.io.load import load
from footfall.kinematics.floor_align import FloorTransform
from footfall.motions.library import motion


def warped(clip: Clip, times: np.ndarray) -> Clip:
    """The clip's poses at other times, frame by frame: faster, slower or backwards."""
    return replace(clip, pose=clip.sample(times), is_loop=False)


@pytest.mark.parametrize(("name", "speed", "turn"), [("walk", 0.8, 0.0), ("walk", 1.4, 30.0), ("run", 3.5, -20.0)])
def test_every_stride_is_found(name, speed, turn):
    clip = motion(name, speed=speed, turn=turn, cycles=4)
    stride = clip.duration / 4
    cycles = find_cycles(clip)
    assert len(cycles) == 6  # strikes inside: 3 left ones (the first lies on the seam) and 4 right ones, or vice versa
    for a, b in pairwise(cycles):
        assert {a.start_foot, b.start_foot} == {"left", "right"}
        assert a.start_s < b.start_s
    for cycle in cycles:
        assert cycle.end_s - cycle.start_s == pytest.approx(stride, abs=0.02)
        assert cycle.travel == pytest.approx(cycles[0].travel, rel=0.01)
        assert np.degrees(cycle.turn) == pytest.approx(turn, abs=2.0)
        assert cycle.closing_error_deg < 5.0  # strikes are found to a few milliseconds: joints turn that far in them
        assert cycle.is_steady
        assert cycle.steps == 2
    assert [c.start_foot for c in find_cycles(clip, foot="right")] == ["right"] * 3


def test_a_loop_of_one_stride_is_a_cycle():
    clip = motion("walk", speed=1.3, turn=10.0)
    (cycle,) = find_cycles(clip)
    assert (cycle.start_s, cycle.end_s) == (0.0, clip.duration)
    assert (cycle.speed, np.degrees(cycle.turn)) == pytest.approx((1.3, 10.0), rel=0.02)
    assert cycle.closing_error_deg < 1e-6


def test_changing_speed_is_not_steady():
    clip = motion("walk", speed=1.3, cycles=4)
    times = clip.duration * np.expm1(1.8 * np.linspace(0.0, 1.0, clip.frames)) / np.expm1(1.8)
    cycles = find_cycles(warped(clip, times), steady=False)
    assert len(cycles) >= 3
    assert not any(c.is_steady for c in cycles)
    assert find_cycles(warped(clip, times)) == []
    speeds = [c.speed for c in cycles]
    assert speeds == sorted(speeds)


def test_cycles_do_not_depend_on_where_the_take_lies():
    clip = motion("walk", speed=1.3, turn=20.0, cycles=3)
    moved = clip.with_pose(FloorTransform(np.array(2.1), np.array([4.0, 0.0, -7.0])).pose(clip.pose))
    for a, b in zip(find_cycles(clip), find_cycles(moved), strict=True):
        assert (b.start_s, b.speed, b.side, b.turn) == pytest.approx((a.start_s, a.speed, a.side, a.turn), abs=1e-6)


def test_a_mirror_image_starts_on_the_other_foot():
    clip = motion("walk", speed=1.3, turn=20.0, cycles=3)
    for a, b in zip(find_cycles(clip), find_cycles(clip.mirror()), strict=True):
        assert {a.start_foot, b.start_foot} == {"left", "right"}
        assert (b.speed, b.turn) == pytest.approx((a.speed, -a.turn), abs=0.01)


def test_feet_that_land_together_do_not_stride():
    clip = still_clip(frames=241, fps=120.0)
    hops = [KeyTime(t + off, foot, "strike") for t in (0.3, 0.9, 1.5) for foot, off in (("left", 0.0), ("right", 0.02))]
    assert find_cycles(clip, hops, steady=False) == []
    assert find_cycles(clip, hops[:2], steady=False) == []
    assert find_cycles(motion("jump"), steady=False) == []


def test_standing_has_no_cycles():
    assert find_cycles(still_clip()) == []
    assert find_cycles(still_clip(frames=2)) == []


@pytest.mark.parametrize("name", ["walk", "run"])
def test_a_loop_is_known_without_its_mark(name):
    clip = replace(motion(name, turn=25.0), is_loop=False)
    assert find_loop(clip).is_loop
    assert find_loop(clip).pose_error_deg < 1e-6
    assert not find_loop(clip.trim(0.0, 0.8 * clip.duration)).is_loop


def test_coming_back_is_not_going_on():
    there = motion("walk")
    times = np.concatenate([np.arange(60), np.arange(60)[::-1][1:]]) / 120.0
    loop = find_loop(warped(there, times))
    assert loop.pose_error_deg < 1e-6
    assert not loop.is_loop


def test_low_frame_rates_and_noise_still_loop(rng):
    clip = motion("run", speed=4.0)
    coarse = replace(clip.resample(30.0), is_loop=False)
    assert find_loop(replace(walking_clip(cycles=2.0), is_loop=False)).is_loop
    assert find_loop(coarse).is_loop
    noisy = clip.with_pose(Pose(clip.pose.root_pos + rng.normal(scale=0.001, size=(clip.frames, 3)), clip.pose.rot))
    assert find_loop(replace(noisy, is_loop=False)).is_loop


def test_a_still_body_loops_and_three_frames_do_not():
    assert find_loop(still_clip()).is_loop
    assert not find_loop(still_clip(frames=3)).is_loop


def test_captured_loops(mocap):
    for name, loops in {"walk-back_normal": True, "run_normal": True, "walk_normal": False}.items():
        assert find_loop(load(mocap / "bandai_namco" / f"dataset-1_{name}_001.bvh")).is_loop == loops


def test_captured_walks_hold_loopable_cycles(mocap):
    takes = [load(path) for path in sorted((mocap / "cmu_bvh" / "walk_straight").glob("*.bvh"))]
    cycles = [cycle for take in takes for cycle in find_cycles(take)]
    assert len(cycles) >= 30
    assert sum(c.closing_error_deg < 12.0 for c in cycles) >= 15
