"""Mirroring: the reflection of the motion on the same body, twice is nothing."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import humanoid, random_clip, walking_clip
from hypothesis import given
from hypothesis import strategies as st

from footfall.core import rotation
from footfall.core.clip import Clip, Event
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.edit.mirror import other_side, partners


def reflected(clip: Clip) -> np.ndarray:
    return clip.positions[:, partners(clip.skeleton)] * np.array([-1.0, 1.0, 1.0])


@given(st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_positions_are_the_reflection_and_twice_is_nothing(frames, seed):
    clip = random_clip(np.random.default_rng(seed), frames)
    once = clip.mirror()
    assert np.abs(once.positions - reflected(clip)).max() < 1e-9
    twice = once.mirror()
    assert rotation.angle_between(twice.pose.rot, clip.pose.rot).max() < 1e-7
    assert np.abs(twice.positions - clip.positions).max() < 1e-9


def with_other_axes(clip: Clip, rng: np.random.Generator) -> Clip:
    """The same motion with every joint's own axes turned by an arbitrary amount: rest pose kept as it was."""
    body = clip.skeleton
    axes = rotation.normalize(rng.normal(size=(len(body), 4)))  # new axes seen from the old
    parent_axes = np.concatenate([[rotation.IDENTITY], axes[body.parents[1:]]])
    to_parent = rotation.conjugate(parent_axes)
    skeleton = Skeleton(
        body.names,
        body.parents,
        rotation.rotate(to_parent, body.offsets),
        rest=rotation.multiply(rotation.multiply(to_parent, body.rest), axes),
        end_parents=body.end_parents,
        end_offsets=rotation.rotate(rotation.conjugate(axes[body.end_parents]), body.end_offsets),
        role_overrides=body.role_overrides,
    )
    rot = rotation.multiply(rotation.multiply(to_parent, clip.pose.rot), axes)
    return Clip(skeleton, clip.fps, Pose(clip.pose.root_pos, rot))


def test_joint_axes_do_not_matter(rng):
    plain = random_clip(rng, 10)
    clip = with_other_axes(plain, rng)
    assert np.allclose(clip.positions, plain.positions)
    once = clip.mirror()
    assert np.allclose(once.positions, plain.mirror().positions, atol=1e-9)
    assert np.allclose(once.mirror().positions, plain.positions, atol=1e-9)


def test_a_zero_pose_that_is_no_pose_at_all(rng):
    """Every left bone along +X, every right limb along -X, no rest rotations: as one studio exports its captures."""
    plain = walking_clip(cycles=1)
    posed = with_other_axes(plain, rng)
    body = plain.skeleton
    along = np.where([n.startswith("Right") for n in body.names], -1.0, 1.0)[:, None] * [1.0, 0.0, 0.0]
    axes = np.tile(rotation.IDENTITY, (len(body), 1))
    for j in range(len(body)):
        children = np.flatnonzero(body.parents == j)
        if body.names[j].startswith(("Left", "Right")) and len(children) == 1:
            axes[j] = rotation.between(along[j], body.offsets[children[0]])
            if body.names[j].startswith("Right"):  # the left's axes reflected, then all three reversed
                left = body.index(body.names[j].replace("Right", "Left"))
                axes[j] = axes[left] * np.array([1.0, 1.0, -1.0, -1.0])
                axes[j] = rotation.multiply(axes[j], rotation.axis_angle(rotation.AXES["X"], np.pi))
    to_parent = rotation.conjugate(np.concatenate([[rotation.IDENTITY], axes[body.parents[1:]]]))
    skeleton = Skeleton(
        body.names, body.parents, rotation.rotate(to_parent, body.offsets), role_overrides=body.role_overrides
    )
    rot = rotation.multiply(rotation.multiply(to_parent, plain.pose.rot), axes)
    clip = Clip(skeleton, plain.fps, Pose(plain.pose.root_pos, rot))
    assert np.allclose(clip.positions, posed.positions)
    once = clip.mirror()
    assert np.abs(once.positions - reflected(clip)).max() < 1e-9
    assert np.abs(once.mirror().positions - clip.positions).max() < 1e-9


def test_stretch_goes_to_the_other_side(rng):
    clip = random_clip(rng, 6)
    pos = np.tile(clip.skeleton.offsets, (6, 1, 1)) + 0.02 * rng.normal(size=(6, 22, 3))
    clip = clip.with_pose(clip.pose._replace(pos=pos))
    once = clip.mirror()
    assert np.abs(once.positions - reflected(clip)).max() < 1e-9
    assert np.abs(once.mirror().pose.pos - pos).max() < 1e-12


def test_unequal_legs_keep_their_lengths(rng):
    body = humanoid()
    offsets = body.offsets.copy()
    offsets[body.index("LeftLeg")] *= 1.1
    skeleton = Skeleton(body.names, body.parents, offsets, role_overrides=body.role_overrides)
    clip = Clip(skeleton, 30, random_clip(rng, 5).pose)
    once = clip.mirror()
    left, knee = body.index("LeftUpLeg"), body.index("LeftLeg")
    thigh = np.linalg.norm(once.positions[:, knee] - once.positions[:, left], axis=-1)
    assert np.allclose(thigh, 1.1 * 0.42)
    assert np.abs(once.positions - reflected(clip)).max() < 0.1
    assert np.abs(once.mirror().positions - clip.positions).max() < 1e-9


def test_what_one_hand_holds_stays_in_it(rng):
    body = humanoid()
    hand = body.index("RightHand")
    skeleton = Skeleton(
        (*body.names, "Sword"),
        np.append(body.parents, hand),
        np.vstack([body.offsets, [0.0, 0.1, 0.3]]),
        role_overrides=body.role_overrides,
    )
    rot = np.concatenate([random_clip(rng, 4).pose.rot, np.tile(rotation.IDENTITY, (4, 1, 1))], axis=1)
    clip = Clip(skeleton, 30, Pose(random_clip(rng, 4).pose.root_pos, rot))
    once = clip.mirror()
    grip = np.linalg.norm(once.positions[:, -1] - once.positions[:, hand], axis=-1)
    assert np.allclose(grip, np.hypot(0.1, 0.3))
    assert np.allclose(once.mirror().positions, clip.positions)


def test_events_change_sides(rng):
    events = (Event("left_strike", 0, 0), Event("RightKick", 0, 0), Event("run", 0, 0), Event("L_foot", 0, 0))
    clip = random_clip(rng, 3)
    names = [e.name for e in clip.with_pose(clip.pose, events=events).mirror().events]
    assert names == ["right_strike", "LeftKick", "run", "R_foot"]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("LeftFoot", "RightFoot"),
        ("foot_l", "foot_r"),
        ("L_Foot", "R_Foot"),
        ("foot.L", "foot.R"),
        ("mixamorig:LeftLeg", "mixamorig:RightLeg"),
        ("LHipJoint", "RHipJoint"),
        ("ltibia", "rtibia"),
        ("Bip01 R Thigh", "Bip01 L Thigh"),
        ("RIGHT_HAND", "LEFT_HAND"),
        ("Spine", "Spine"),
    ],
)
def test_names_of_the_other_side(name, other):
    assert other_side(name) == other


@pytest.mark.parametrize(
    ("take", "median_cm", "worst_cm"),
    [
        ("bandai_namco/dataset-1_walk_normal_001.bvh", 0.1, 1.0),
        ("bandai_namco/dataset-2_wave-right-hand_normal_001.bvh", 0.1, 1.0),
        ("cmu_bvh/walk_straight/02_01.bvh", 2.0, 5.0),
    ],
)
def test_captures_mirror_within_their_own_asymmetry(mocap, take, median_cm, worst_cm):
    from footfall.io.load import load

    clip = load(mocap / take)
    once = clip.mirror()
    error = 100 * np.linalg.norm(once.positions - reflected(clip), axis=-1)
    assert np.median(error) < median_cm
    assert error.max() < worst_cm
    assert np.abs(once.mirror().positions - clip.positions).max() < 1e-9
