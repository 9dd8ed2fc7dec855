"""What blending smooths away comes back: as much quick movement of trunk and arms as both clips have."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import humanoid
from hypothesis import given
from hypothesis import strategies as st

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.joins.detail import with_detail
from footfall.kinematics.pose_blend import blend
from footfall.quality.body_signals import quick_turns
from footfall.quality.liveliness import DETAIL_HZ, detail_joints

FPS, SECONDS = 60.0, 6.0


def trembling(seed: int, size: float) -> Clip:
    """A body that stands while every joint trembles at some 6 to 12 Hz, in its own time."""
    rng, skeleton = np.random.default_rng(seed), humanoid()
    t = np.arange(round(FPS * SECONDS)) / FPS
    shape = (len(skeleton), 3)
    waves = np.sin(2 * np.pi * rng.uniform(6, 12, shape) * t[:, None, None] + rng.uniform(0, 6.3, shape))
    rot = rotation.multiply(np.tile(skeleton.rest, (len(t), 1, 1)), rotation.exp(size * waves))
    return Clip(skeleton, FPS, Pose(np.tile(skeleton.offsets[0], (len(t), 1)), rot), name=str(seed))


def energy(clip: Clip, pose: Pose) -> float:
    """Of the middle of poses, trunk and arms."""
    return float(quick_turns(clip.with_pose(pose), DETAIL_HZ, detail_joints(clip))[60:-60].mean())


@given(st.integers(0, 50), st.floats(0.2, 0.8), st.floats(0.005, 0.03), st.floats(0.005, 0.03))
def test_energies_add_up_by_their_weights(seed: int, share: float, one: float, other: float) -> None:
    a, b = trembling(seed, one), trembling(seed + 100, other)
    weight = np.full(a.frames, share)
    plain = blend(a.skeleton, a.pose, b.pose, weight)
    kept = with_detail(plain, ((a, a.times, 1.0 - weight), (b, b.times, weight)))
    wanted = (1.0 - share) * energy(a, a.pose) + share * energy(b, b.pose)
    assert energy(a, kept) == pytest.approx(wanted, rel=0.15)
    assert energy(a, plain) < 0.95 * wanted
    legs = np.setdiff1d(np.arange(len(a.skeleton)), detail_joints(a))
    np.testing.assert_array_equal(kept.rot[:, legs], plain.rot[:, legs])


def test_a_clip_alone_stays_as_it_is() -> None:
    a, b = trembling(1, 0.02), trembling(2, 0.02)
    alone = with_detail(a.pose, ((a, a.times, np.ones(a.frames)), (b, b.times, np.zeros(a.frames))))
    np.testing.assert_allclose(alone.rot, a.pose.rot, rtol=0, atol=1e-12)


def test_past_its_end_a_clip_trembles_on() -> None:
    a = trembling(3, 0.02)
    still = Pose(np.tile(a.pose.root_pos[-1], (90, 1)), np.tile(a.pose.rot[-1], (90, 1, 1)))
    on = with_detail(still, ((a, SECONDS + np.arange(1, 91) / FPS, np.ones(90)),))
    assert quick_turns(a.with_pose(on), DETAIL_HZ, detail_joints(a))[20:-20].mean() > 0.5 * energy(a, a.pose)


def test_a_join_is_as_lively_as_its_clips(mocap) -> None:
    """The one that was too smooth: a kick into boxing."""
    a = ff.load(mocap / "cmu_bvh/kick/74_03.bvh").resample(60.0)
    b = ff.load(mocap / "cmu_bvh/punch/02_05.bvh").resample(60.0).trim(1.0, 11.0)
    figures = ff.join(a, b).report.judgement["seams"][0]["figures"]
    assert figures["detail"]["ok"]


def test_a_loop_goes_round() -> None:
    walk = ff.motion("walk")
    times = np.linspace(0.0, 0.9 * walk.duration, 40)
    rounds = [with_detail(walk.sample(t), ((walk, t, np.full(40, 0.25)),)).rot for t in (times, times + walk.duration)]
    np.testing.assert_allclose(*rounds, rtol=0, atol=1e-9)
