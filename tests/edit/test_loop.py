"""Looping: no seam afterwards, nothing changed that was already right."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import humanoid, random_clip, walking_clip

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.edit.loop import first_joint_under_body, travel_on_first_joint
from footfall.edit.sample import cycle


def seam(clip: Clip) -> tuple[float, float]:
    """Largest jump of a joint across the seam, and largest jump of its velocity beyond the steps beside it."""
    back = cycle(clip).inverse().pose(clip.pose.at(slice(-3, None)))
    tail = Clip(clip.skeleton, clip.fps, back).positions
    head = clip.positions[:3]
    jump = np.linalg.norm(head[0] - tail[-1], axis=-1).max()
    kink = (head[1] - head[0]) - (tail[-1] - tail[-2])
    beside = 0.5 * ((head[2] - 2 * head[1] + head[0]) + (tail[-1] - 2 * tail[-2] + tail[-3]))
    return float(jump), float(np.linalg.norm(kink - beside, axis=-1).max() * clip.fps)


@pytest.mark.parametrize("cycles", [1.2, 1.37, 2.5, 2.8])
def test_a_cut_walk_loops_without_a_seam(cycles):
    clip = walking_clip(cycles=cycles)
    jump, kink = seam(clip)
    assert jump > 0.02
    assert kink > 0.1
    looped = clip.loop()
    assert looped.is_loop
    assert looped.frames == clip.frames
    new_jump, new_kink = seam(looped)
    assert new_jump < 1e-9
    assert new_kink < 0.15 * kink + 0.05


def test_a_perfect_loop_is_left_alone():
    clip = walking_clip(cycles=1, heading=0.4)
    looped = clip.loop()
    assert np.abs(looped.positions - clip.positions).max() < 1e-9
    assert rotation.angle_between(looped.pose.rot, clip.pose.rot).max() < 1e-9


def test_the_middle_is_not_touched():
    clip = walking_clip(cycles=2.4)
    looped = clip.loop()
    middle = (clip.times > 0.5 + 1e-9) & (clip.times < clip.duration - 0.5 - 1e-9)
    assert middle.sum() > 60
    assert np.abs(looped.positions - clip.positions)[middle].max() < 1e-12
    assert np.abs(looped.positions - clip.positions)[~middle].max() > 0.01


def test_any_motion_closes(rng):
    looped = random_clip(rng, 40).loop()
    assert seam(looped)[0] < 1e-9
    assert np.abs(np.linalg.norm(looped.pose.rot, axis=-1) - 1).max() < 1e-12
    last = cycle(looped).pose(looped.pose.at(0))
    assert np.allclose(looped.pose.root_pos[-1], last.root_pos, atol=1e-12)


def test_looping_again_changes_nothing():
    once = walking_clip(cycles=1.3).loop()
    assert once.loop() is once


def test_too_short_to_loop(rng):
    with pytest.raises(ParameterError, match="at least 4"):
        random_clip(rng, 3).loop()


def wrapped(clip: Clip) -> Clip:
    """The same motion under a joint that stays at the origin, as some captures have it."""
    body = clip.skeleton
    skeleton = Skeleton(
        ("World", *body.names),
        np.concatenate([[-1], body.parents + 1]),
        np.concatenate([np.zeros((1, 3)), body.offsets]),
        end_parents=body.end_parents + 1,
        end_offsets=body.end_offsets,
        role_overrides=body.role_overrides,
    )
    frames = clip.frames
    pos = np.tile(skeleton.offsets, (frames, 1, 1))
    pos[:, 1] = clip.pose.root_pos
    rot = np.concatenate([np.tile(rotation.IDENTITY, (frames, 1, 1)), clip.pose.rot], axis=1)
    return Clip(skeleton, clip.fps, Pose(np.zeros((frames, 3)), rot, pos), name="wrapped")


def test_travel_below_a_fixed_root_is_kept():
    clip = wrapped(walking_clip(cycles=1.3, heading=0.5))
    moved = travel_on_first_joint(clip)
    assert np.allclose(moved.positions[:, 1:], clip.positions[:, 1:], atol=1e-12)
    looped = clip.loop()
    assert np.linalg.norm(cycle(looped).shift) == pytest.approx(1.3 * 1.1 * 1.3, rel=0.02)
    assert seam(looped)[0] < 1e-9
    again = looped.sample(looped.duration + 0.3)
    expected = cycle(looped).pose(looped.sample(0.3))
    assert np.allclose(again.root_pos, expected.root_pos)


def test_stretching_bones_close_too(rng):
    clip = random_clip(rng, 40)
    pos = humanoid().offsets + 0.01 * np.cumsum(rng.normal(size=(40, 22, 3)), axis=0)
    looped = clip.with_pose(clip.pose._replace(pos=pos)).loop()
    assert np.abs(looped.pose.pos[-1] - looped.pose.pos[0]).max() < 1e-12


def test_the_first_joint_comes_under_the_body_and_nothing_else_moves():
    plain = walking_clip(cycles=1.3, heading=0.5)
    clip = wrapped(plain)
    moved = first_joint_under_body(clip)
    assert np.allclose(moved.positions[:, 1:], clip.positions[:, 1:], atol=1e-9)
    pelvis = clip.skeleton.roles.pelvis
    assert pelvis != 0
    assert np.allclose(moved.positions[:, 0, [0, 2]], moved.positions[:, pelvis][:, [0, 2]], atol=1e-9)
    assert first_joint_under_body(plain) is plain
