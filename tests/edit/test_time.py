"""Trim, resample and speed: what they keep, exactly."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import random_clip, walking_clip
from hypothesis import assume, given
from hypothesis import strategies as st

from footfall.core import rotation
from footfall.core.clip import Event
from footfall.core.errors import ParameterError
from footfall.edit.sample import cycle
from footfall.edit.upsample import upsample
from footfall.motions.library import motion
from footfall.quality.joins import accelerations

RATES = st.sampled_from([12.0, 24.0, 29.97, 30.0, 50.0, 60.0, 120.0, 1 / 0.0083333])


@given(st.data(), RATES, st.integers(1, 40))
def test_trim_on_frames_keeps_frames(data, fps, frames):
    clip = random_clip(np.random.default_rng(0), frames, fps)
    first = data.draw(st.integers(0, frames - 1))
    last = data.draw(st.integers(first, frames - 1))
    part = clip.trim(first / fps, last / fps)
    assert np.array_equal(part.pose.rot, clip.pose.rot[first : last + 1])
    assert np.array_equal(part.pose.root_pos, clip.pose.root_pos[first : last + 1])


@given(st.floats(0, 1.2), st.floats(0, 1.2))
def test_trim_anywhere_samples_the_clip(a, b):
    start, end = sorted((a, b))
    clip = random_clip(np.random.default_rng(0), 40)
    part = clip.trim(start, end)
    assert end - start - 1.001 / clip.fps <= part.duration <= end - start + 1e-5
    expected = clip.sample(start + part.times)
    # a time within 1e-4 of a frame means that frame, so the pose may be that much of a step away
    assert rotation.angle_between(part.pose.rot, expected.rot).max() < 1e-4
    assert np.allclose(part.pose.root_pos, expected.root_pos, atol=1e-4)


def test_trim_moves_and_cuts_events(rng):
    clip = random_clip(rng, 61, fps=30)  # 2 s
    events = (Event("early", 0.0, 0.2), Event("across", 0.4, 1.0), Event("point", 1.2, 1.2), Event("late", 1.6, 2.0))
    part = clip.with_pose(clip.pose, events=events).trim(0.5, 1.5)
    assert [e.name for e in part.events] == ["across", "point"]
    assert part.events[0] == pytest.approx(("across", 0.0, 0.5))
    assert part.events[1][1:] == pytest.approx((0.7, 0.7))


@pytest.mark.parametrize("span", [(-0.5, 1), (0, 2.5), (1, 0.5), (float("nan"), 1), (0, float("inf"))])
def test_trim_refuses_times_outside(rng, span):
    with pytest.raises(ParameterError, match="from 0 to 2 s"):
        random_clip(rng, 61).trim(*span)


def test_only_the_whole_of_a_loop_stays_a_loop():
    clip = walking_clip(cycles=1).loop()
    assert clip.trim(0, clip.duration).is_loop
    assert not clip.trim(0, 0.5).is_loop


@given(RATES, RATES, st.integers(1, 80))
def test_resample_keeps_length_and_travel(old, new, frames):
    clip = random_clip(np.random.default_rng(2), frames, old)
    other = clip.resample(new)
    assert other.fps == new
    assert abs(other.duration - clip.duration) <= 0.5 / new + 1e-9
    assert np.array_equal(other.pose.root_pos[0], clip.pose.root_pos[0])
    assume(other.frames > 1)
    assert np.allclose(other.pose.root_pos[-1], clip.pose.root_pos[-1], atol=1e-12)
    assert rotation.angle_between(other.pose.rot[-1], clip.pose.rot[-1]).max() < 1e-9


@given(st.sampled_from([24.0, 30.0, 29.97]), st.integers(2, 6), st.integers(1, 50))
def test_up_and_down_again_returns_the_keys(fps, times, frames):
    clip = random_clip(np.random.default_rng(3), frames, fps)
    back = clip.resample(fps * times).resample(fps)
    assert back.frames == clip.frames
    assert rotation.angle_between(back.pose.rot, clip.pose.rot).max() < 1e-6
    assert np.allclose(back.pose.root_pos, clip.pose.root_pos, atol=1e-6)


def test_resample_keeps_loops_and_scales_nothing_else():
    clip = walking_clip(cycles=1).loop()
    other = clip.resample(45)
    assert other.is_loop
    assert np.allclose(cycle(other).shift, cycle(clip).shift, atol=1e-9)
    assert clip.resample(clip.fps) is clip


@given(st.floats(0.25, 4))
def test_speed_scales_time_and_nothing_else(factor):
    clip = walking_clip(cycles=2)
    clip = clip.with_pose(clip.pose, events=(Event("half", clip.duration / 2, clip.duration / 2),))
    faster = clip.speed(factor)
    assert faster.fps == clip.fps
    assert abs(faster.duration - clip.duration / factor) <= 0.5 / clip.fps + 1e-9
    assert np.allclose(faster.pose.root_pos[-1], clip.pose.root_pos[-1])
    assert faster.events[0].start_s == pytest.approx(faster.duration / 2)
    middle = faster.sample(faster.duration / 2).root_pos
    assert np.allclose(middle, clip.sample(clip.duration / 2).root_pos, atol=0.01)


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan"), float("inf")])
def test_bad_rates_and_factors_are_refused(rng, bad):
    clip = random_clip(rng, 5)
    with pytest.raises(ParameterError):
        clip.resample(bad)
    with pytest.raises(ParameterError):
        clip.speed(bad)


def test_a_rate_that_would_not_fit_in_memory_is_refused(rng):
    with pytest.raises(ParameterError, match="frames"):
        random_clip(rng, 50).resample(1e6)


@pytest.mark.parametrize("fps", [24.0, 30.0, 50.0])
def test_upsampled_motion_keeps_its_frames_and_accelerates_as_the_motion_does(fps):
    fine = motion("kick").resample(240.0)
    coarse = fine.resample(fps)
    raised, lined = upsample(coarse, 60.0), coarse.resample(60.0)
    every = np.flatnonzero(np.abs(raised.times * fps % 1.0) < 1e-9)
    same = np.round(raised.times[every] * fps).astype(int)
    assert np.abs((raised.pose.rot[every] * coarse.pose.rot[same]).sum(axis=-1)).min() > 1.0 - 1e-12
    own, smooth, kinked = (accelerations(c)[5:-5].max() for c in (fine.resample(60.0), raised, lined))
    assert smooth < 1.25 * own
    assert fps != 30.0 or kinked > 1.4 * own


def test_upsampling_is_no_way_to_have_fewer_frames():
    with pytest.raises(ParameterError, match="fewer"):
        upsample(walking_clip(), 5.0)
