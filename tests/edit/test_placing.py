"""In place, floor and smooth."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import BOB, SURGE, TOE_HEIGHT, random_clip, still_clip, walking_clip
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import butter, sosfiltfilt

from footfall.analysis.foot_points import BALL_UP
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, SkeletonError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.edit.floor import ON_FLOOR_M
from footfall.edit.sample import cycle
from footfall.edit.smooth import low_pass


@given(st.floats(0.0, 1.4), st.floats(-3, 3))
def test_in_place_takes_travel_and_keeps_bob_surge_and_heading(speed, heading):
    clip = walking_clip(speed=speed, cycles=4, heading=heading)
    stays = clip.in_place()
    root = stays.pose.root_pos
    assert np.ptp(root[:, [0, 2]], axis=0).max() < 4 * SURGE
    along = root @ [np.sin(heading), 0, np.cos(heading)]
    assert np.ptp(along) == pytest.approx(2 * SURGE, rel=0.35)
    assert np.array_equal(root[:, 1], clip.pose.root_pos[:, 1])
    assert np.ptp(root[:, 1]) == pytest.approx(2 * BOB, rel=0.01)
    assert np.array_equal(stays.pose.rot, clip.pose.rot)


def test_a_steady_line_is_removed_exactly():
    clip = still_clip(frames=100)
    line = np.linspace(0, 1, 100)[:, None] * [3.0, 0.0, -2.0]
    moving = clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos + line))
    assert np.abs(moving.in_place().pose.root_pos - clip.pose.root_pos).max() < 1e-8


def test_a_loop_in_place_goes_nowhere():
    stays = walking_clip(cycles=1).loop().in_place()
    assert stays.is_loop
    assert np.abs(cycle(stays).shift).max() < 1e-9


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_short_clips_stay_put(rng, frames):
    clip = random_clip(rng, frames)
    stays = clip.in_place()
    assert np.allclose(stays.pose.root_pos[0], clip.pose.root_pos[0])
    assert np.abs(np.diff(stays.pose.root_pos[[0, -1]][:, [0, 2]], axis=0)).max() < 0.05


@given(st.floats(-5, 5))
def test_floor_puts_the_soles_at_zero(height):
    clip = walking_clip()
    lifted = clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos + [0, height, 0]))
    on_floor = lifted.floor()
    over_sole = BALL_UP * clip.skeleton.leg_length  # toe joints are not what touches the floor
    wanted = clip.pose.root_pos[:, 1] - TOE_HEIGHT + over_sole
    near = ON_FLOOR_M if on_floor is lifted else 1e-6  # what stands near enough is left as it is
    assert on_floor.pose.root_pos[:, 1] == pytest.approx(wanted, abs=near)
    assert np.array_equal(on_floor.pose.root_pos[:, [0, 2]], clip.pose.root_pos[:, [0, 2]])


def test_floor_needs_feet():
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.zeros((2, 3)))
    clip = Clip(skeleton, 30, Pose(np.zeros((3, 3)), np.tile(rotation.IDENTITY, (3, 2, 1))))
    with pytest.raises(SkeletonError, match="with_roles"):
        clip.floor()


def test_smoothing_is_a_butterworth_run_both_ways(rng):
    x = np.cumsum(rng.normal(size=(2000, 2)), axis=0)
    oracle = sosfiltfilt(butter(3, 6.0, fs=120.0, output="sos"), x, axis=0)
    ours = low_pass(x, 120.0, 6.0, order=3)
    inner = slice(200, -200)
    # the two differ a little where the bilinear transform bends frequencies
    assert np.abs(ours - oracle)[inner].max() < 0.05 * np.abs(x - oracle)[inner].max()


def test_smoothing_removes_jitter_without_lag_and_keeps_the_ends(rng):
    clean = walking_clip(cycles=3)
    shake = rotation.exp(rng.normal(scale=0.02, size=(clean.frames, 22, 3)))
    shaky = clean.with_pose(clean.pose._replace(rot=rotation.multiply(shake, clean.pose.rot)))
    smooth = shaky.smooth(8.0)
    before = rotation.angle_between(shaky.pose.rot, clean.pose.rot)
    after = rotation.angle_between(smooth.pose.rot, clean.pose.rot)
    assert np.median(after) < 0.6 * np.median(before)
    assert np.allclose(smooth.pose.rot[[0, -1]], rotation.continuous_signs(shaky.pose.rot)[[0, -1]], atol=1e-12)
    assert np.abs(np.linalg.norm(smooth.pose.rot, axis=-1) - 1).max() < 1e-12


@given(st.integers(1, 12), st.floats(0.5, 14))
def test_smoothing_any_length_is_finite_and_keeps_what_is_constant(frames, cutoff):
    clip = still_clip(frames=frames, fps=30)
    assert np.allclose(clip.smooth(cutoff).positions, clip.positions, atol=1e-9)
    assert np.isfinite(random_clip(np.random.default_rng(0), frames).smooth(cutoff).positions).all()


def test_a_smoothed_loop_is_still_a_loop():
    clip = walking_clip(cycles=1).loop()
    smooth = clip.smooth(3.0)
    assert smooth.is_loop
    last = cycle(smooth).pose(smooth.pose.at(0))
    assert np.allclose(last.root_pos, smooth.pose.root_pos[-1], atol=1e-9)
    around = smooth.sample(np.arange(-3, 4) / smooth.fps).root_pos
    inside = np.abs(np.diff(smooth.pose.root_pos, n=2, axis=0)).max()
    assert np.abs(np.diff(around, n=2, axis=0)).max() < 1.5 * inside


def test_a_cutoff_above_what_the_rate_holds_changes_nothing(rng):
    clip = random_clip(rng, 20)
    assert clip.smooth(20.0) is clip
    with pytest.raises(ParameterError, match="Hz"):
        clip.smooth(0.0)
