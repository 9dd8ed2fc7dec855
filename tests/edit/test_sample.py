"""Laws of sampling: exact at frames, defined everywhere, loops carried on."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import random_clip, walking_clip
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.edit.sample import cycle

RATES = st.sampled_from([24.0, 29.97, 30.0, 60.0, 119.88, 120.0, 1 / 0.0083333])


@given(st.integers(1, 60), RATES, st.integers(0, 2**32 - 1))
def test_frames_come_back_bit_for_bit(frames, fps, seed):
    clip = random_clip(np.random.default_rng(seed), frames, fps)
    for times in (clip.times, np.arange(frames) * (1.0 / fps)):
        pose = clip.sample(times)
        assert np.array_equal(pose.root_pos, clip.pose.root_pos)
        assert np.array_equal(pose.rot, clip.pose.rot)


def test_between_frames_agrees_with_scipy(rng):
    clip = random_clip(rng, 12)
    times = rng.uniform(0, clip.duration, 50)
    pose = clip.sample(times)
    for j in (0, 5, 16):
        oracle = Slerp(clip.times, Rotation.from_quat(clip.pose.rot[:, j], scalar_first=True))(times)
        ours = Rotation.from_quat(pose.rot[:, j], scalar_first=True)
        assert (oracle.inv() * ours).magnitude().max() < 1e-9
    for axis in range(3):
        assert np.allclose(pose.root_pos[:, axis], np.interp(times, clip.times, clip.pose.root_pos[:, axis]))


@given(st.floats(-1e6, 1e6), st.booleans(), st.integers(1, 9))
def test_defined_for_every_time(t, is_loop, frames):
    clip = random_clip(np.random.default_rng(1), frames)
    pose = clip.with_pose(clip.pose, is_loop=is_loop).sample(t)
    assert pose.batch == ()
    assert np.isfinite(pose.root_pos).all()
    assert np.abs(np.linalg.norm(pose.rot, axis=-1) - 1).max() < 1e-9


def test_clamped_outside(rng):
    clip = random_clip(rng, 5)
    assert np.array_equal(clip.sample(-1.0).rot, clip.pose.rot[0])
    assert np.array_equal(clip.sample(99.0).root_pos, clip.pose.root_pos[-1])


def test_one_frame_is_constant(rng):
    clip = random_clip(rng, 1)
    pose = clip.with_pose(clip.pose, is_loop=True).sample(np.linspace(-3, 3, 7))
    assert np.array_equal(pose.rot, np.repeat(clip.pose.rot, 7, axis=0))


@given(st.floats(-20, 20), st.integers(-5, 5), st.floats(-3.1, 3.1))
def test_a_loop_goes_on_by_its_cycle(t, laps, heading):
    clip = walking_clip(cycles=1, heading=heading).loop()
    later, carried = clip.sample(t + laps * clip.duration), cycle(clip).power(laps).pose(clip.sample(t))
    assert np.allclose(later.root_pos, carried.root_pos, atol=1e-7)
    assert np.abs(np.abs((later.rot * carried.rot).sum(-1)) - 1).max() < 1e-9
    assert cycle(clip).shift @ [np.sin(heading), 0, np.cos(heading)] == pytest.approx(1.3 * 1.1)


def test_a_turning_loop_walks_in_a_circle(rng):
    clip = random_clip(rng, 30).loop()
    once = cycle(clip)
    roots = np.array([clip.sample(k * clip.duration).root_pos for k in range(12)])
    centre = _fixed_point(once.turn, once.shift)
    radii = np.linalg.norm((roots - centre)[:, [0, 2]], axis=1)
    assert np.ptp(radii) < 1e-9
    assert radii[0] > 0.01


def _fixed_point(turn, shift):
    rotation = Rotation.from_rotvec([0, turn, 0]).as_matrix()
    a = (np.eye(3) - rotation)[np.ix_([0, 2], [0, 2])]
    x, z = np.linalg.solve(a, shift[[0, 2]])
    return np.array([x, 0, z])


def test_batches_of_any_shape(rng):
    clip = random_clip(rng, 8)
    times = rng.uniform(0, clip.duration, (2, 3))
    pose = clip.sample(times)
    assert pose.rot.shape == (2, 3, len(clip.skeleton), 4)
    assert np.allclose(pose.rot[1, 2], clip.sample(times[1, 2]).rot, atol=1e-15)


def test_stretching_bones_are_sampled_too(rng):
    clip = random_clip(rng, 4)
    pos = rng.normal(size=(4, len(clip.skeleton), 3))
    clip = clip.with_pose(clip.pose._replace(pos=pos))
    assert np.allclose(clip.sample(0.5 / clip.fps).pos, 0.5 * (pos[0] + pos[1]))


def test_refusals_name_the_reason(rng):
    clip = random_clip(rng, 3)
    joints = len(clip.skeleton)
    empty = Clip(clip.skeleton, 30, Pose(np.zeros((0, 3)), np.zeros((0, joints, 4))), name="bones")
    with pytest.raises(ParameterError, match="bones holds only a skeleton"):
        empty.sample(0.0)
    with pytest.raises(ParameterError, match="finite"):
        clip.sample(np.nan)
