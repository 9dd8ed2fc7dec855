"""Foot lock in a window: only what reaches into it is held, nothing before it moves, nothing far after it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.analysis.foot_points import foot_points
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.roles import SIDES
from footfall.feet.foot_lock import foot_lock, known_contacts, plan_locks
from footfall.quality.joins import CLEAN, excess_acceleration

AFTER_S = 0.3 + 3 * 0.08 + 3 * 0.04 + 0.05  # fade, pelvis and its smoothing


@pytest.fixture(scope="module")
def source() -> Clip:
    walk = ff.motion("walk", speed=1.3)
    laps = 4
    events = tuple(
        e._replace(start_s=e.start_s + k * walk.duration, end_s=e.end_s + k * walk.duration)
        for k in range(laps)
        for e in walk.events
    )
    pose = walk.sample(np.arange(laps * (walk.frames - 1) + 1) / walk.fps)
    return walk.with_pose(pose, is_loop=False, events=events)


@pytest.fixture(scope="module")
def clip(source: Clip) -> Clip:
    """A walk whose root drifts sideways for half a second from 1.2 s on: what a careless join does."""
    t = source.times
    u = np.clip((t - 1.2) / 0.5, 0.0, 1.0)
    shift = 0.06 * (u**3 * (10 - 15 * u + 6 * u**2))[:, None] * [1.0, 0.0, 0.5]
    return source.with_pose(source.pose._replace(root_pos=source.pose.root_pos + shift))


def same(a: Clip, b: Clip, where: np.ndarray) -> bool:
    return bool(
        (a.pose.root_pos[where] == b.pose.root_pos[where]).all() and (a.pose.rot[where] == b.pose.rot[where]).all()
    )


@given(start=st.floats(-0.5, 4.0), length=st.floats(0.0, 1.5))
@settings(max_examples=20)
def test_nothing_before_the_window_nor_far_after_changes(clip, source, start, length):
    contacts = known_contacts(source)
    locked = foot_lock(clip, contacts, only_s=(start, start + length))
    reaching = [b for spans in contacts.values() for a, b in spans if a <= start + length and b > start]
    end = max(reaching, default=-1.0) + AFTER_S
    assert same(locked, clip, (clip.times <= start) | (clip.times > end))
    assert np.isfinite(locked.pose.rot).all()


def test_a_foot_that_stands_as_the_window_begins_stays_there(clip, source):
    contacts = known_contacts(source)
    begin = 1.2
    locked = foot_lock(clip, contacts, only_s=(begin, 1.7))
    assert not same(locked, clip, clip.times > begin)
    frame = round(begin * clip.fps)
    plan = plan_locks(clip, contacts, only_s=(begin, 1.7))
    pinned = [lock for lock in plan.locks if lock.start_s == pytest.approx(begin)]
    assert pinned
    for lock in pinned:
        foot, part = SIDES.index(lock.foot), ("heel", "toe").index(lock.part)
        place = foot_points(clip).sole[frame, foot, part]
        assert np.abs(place - lock.place).max() < 1e-12
        span = slice(frame, round(lock.end_s * clip.fps) + 1)
        drift = foot_points(locked).sole[span, foot, part] - place
        assert np.abs(drift).max() < 2e-3  # points of the sole are found anew in the result
    assert excess_acceleration(locked, 1.3, [(clip, 0.0)]).value < CLEAN


def test_a_window_over_everything_locks_as_much_as_none(clip, source):
    contacts = known_contacts(source)
    whole, windowed = plan_locks(clip, contacts), plan_locks(clip, contacts, only_s=(-1.0, 99.0))
    assert whole.locks == windowed.locks
    assert same(foot_lock(clip, contacts), foot_lock(clip, contacts, only_s=(-1.0, 99.0)), clip.times >= 0)


def test_windows_that_hold_nothing_change_nothing(clip, source):
    contacts = known_contacts(source)
    assert foot_lock(clip, contacts, only_s=(50.0, 60.0)) is clip
    assert foot_lock(clip, contacts, only_s=(-9.0, -8.0)) is clip
    assert foot_lock(clip, {}, only_s=(0.0, 3.0)) is clip


def test_a_windowed_loop_is_no_loop(source):
    walk = ff.motion("walk", speed=1.3)
    shifted = walk.pose._replace(root_pos=walk.pose.root_pos + 0.01 * np.sin(7 * walk.times)[:, None])
    clip = walk.with_pose(shifted)
    assert not foot_lock(clip, known_contacts(walk), only_s=(0.2, 0.6)).is_loop


def test_bad_windows_are_told(clip):
    with pytest.raises(ParameterError, match="the earlier first"):
        foot_lock(clip, {}, only_s=(2.0, 1.0))
    with pytest.raises(ParameterError, match="the earlier first"):
        foot_lock(clip, {}, only_s=(float("nan"), 1.0))
