"""Joins between bodies that stand: nobody hurries, feet stay as high as they stand, and who must, waits."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.joins.bridge import MOVES_M_S, WAIT_S, bridges
from footfall.joins.search import SearchRequest, search
from footfall.kinematics.floor_align import FloorTransform
from footfall.quality.body_signals import body_signals

FPS = 60.0


def stand(turned: float = 0.0, seconds: float = 3.0) -> Clip:
    clip = ff.motion("stand", seconds=seconds).resample(FPS)
    pose = FloorTransform(np.asarray(turned), np.zeros(3)).pose(clip.pose)
    return clip.with_pose(pose, is_loop=False)


def lower_over_time(clip: Clip, by_m: float) -> Clip:
    """The same on a floor that is lower by so much, as captures have it."""
    return clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos - [0.0, by_m, 0.0]))


def test_a_body_that_stands_may_wait_before_it_acts() -> None:
    punch = ff.motion("punch").resample(FPS)
    tiers = list(bridges(stand(), punch))
    waiting = [led for pairs in tiers for pair in pairs for led in pair if led is not None and "waits" in led.words]
    assert {led.words for led in waiting} == {"waits", "waits before it begins"}
    for led in waiting:
        assert led.clip.duration == pytest.approx(led.own.duration + WAIT_S, abs=1.5 / FPS)
        own = led.clip.trim(led.shift_s, led.shift_s + led.own.duration)
        assert np.abs(own.positions - led.own.positions).max() < 1e-9  # all of the clip itself is there
        jump = np.linalg.norm(np.diff(led.clip.positions, axis=0), axis=-1).max() * FPS
        usual = np.linalg.norm(np.diff(led.own.positions, axis=0), axis=-1).max() * FPS
        assert jump <= usual + 1e-6


def test_who_walks_does_not_wait() -> None:
    walk = ff.motion("walk", cycles=3).resample(FPS)
    walk = walk.with_pose(walk.pose, is_loop=False)
    words = [led.words for pairs in bridges(walk, walk) for pair in pairs for led in pair if led is not None]
    assert words
    assert not any("waits" in w for w in words)
    assert MOVES_M_S < 1.0


@pytest.mark.parametrize("by_m", [-0.04, 0.04])
def test_a_foot_that_is_held_stays_as_high_as_it_stands(by_m: float) -> None:
    """The second capture's floor is higher or lower by 4 cm: no foot goes there while it stands."""
    a, b = stand(), lower_over_time(ff.motion("walk", cycles=3).resample(FPS), by_m)
    b = b.with_pose(b.pose, is_loop=False)
    best = search(a, b, SearchRequest(at_s=2.0, led=False))[0].section
    assert best.plan is not None
    held = [foot for foot in (0, 1) if best.plan.feet[foot].held]
    assert held
    signals = body_signals(best.assembled.clip)
    first = round(best.assembled.join_s * FPS)
    for foot in held:
        until = first + best.plan.feet[foot].lift
        ball = signals.soles[first:until, foot, 1, 1]
        assert np.ptp(ball) < 0.02


def test_turned_stands_are_joined_calmly_and_believed() -> None:
    a, b = stand(), stand(0.5)
    joined = ff.join(a, b)
    assert joined.report is not None
    assert joined.report.judgement["grade"] != "red"
    knees = [joined.skeleton.roles.left_knee, joined.skeleton.roles.right_knee]
    rot = joined.pose.rot[:, knees]
    speed = rotation.angle_between(rot[:-1], rot[1:]).max() * FPS
    assert speed < 5.0  # rad/s; a brisk step takes 8 to 10
