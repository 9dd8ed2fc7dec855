"""The figure follows its skeleton: every joint of a person lies inside it, sides are told apart, feet have soles."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import humanoid, random_clip, still_clip, walking_clip

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import end_positions, world_transforms
from footfall.render.figure import BODY, LEFT, RIGHT, build_figure, pose_figure


def chain(offsets, frames=4):
    offsets = np.asarray(offsets, float)
    skeleton = Skeleton(tuple(f"b{i}" for i in range(len(offsets))), np.arange(len(offsets)) - 1, offsets)
    rot = np.tile(rotation.IDENTITY, (frames, len(offsets), 1))
    return Clip(skeleton, 30.0, Pose(np.zeros((frames, 3)), rot), name="rope")


def posed(clip):
    figure = build_figure(clip)
    return figure, pose_figure(figure, clip.skeleton, *world_transforms(clip.skeleton, clip.pose))


def depth(p, ends, radius):
    """How far a point (3,) lies inside the deepest of the cones (N, 2, 3), taken as many balls each."""
    s = np.linspace(0.0, 1.0, 50)[:, None, None]
    centers = (1 - s) * ends[:, 0] + s * ends[:, 1]
    radii = (1 - s[..., 0]) * radius[:, 0] + s[..., 0] * radius[:, 1]
    return (radii - np.linalg.norm(centers - p, axis=-1)).max()


def test_joints_of_a_person_lie_inside_its_figure(rng):
    clip = random_clip(rng, 5)
    figure, ends = posed(clip)
    for t in range(5):
        for j, name in enumerate(clip.skeleton.names):
            if "Shoulder" not in name:  # collar bones start in the air between neck and chest when arms are flung up
                assert depth(clip.positions[t, j], ends[t], figure.radius) > 0, name


def test_size_follows_the_body():
    small, large = (build_figure(still_clip(skeleton=humanoid(scale))) for scale in (0.5, 2.0))
    assert np.allclose(4.0 * small.radius, large.radius)
    assert np.allclose(4.0 * small.offset, large.offset, atol=1e-12)


def test_left_and_right_are_told_apart_and_mirror_each_other():
    figure, ends = posed(still_clip(frames=2))
    left, right, body = (ends[0][figure.part == part].mean(axis=1) for part in (LEFT, RIGHT, BODY))
    assert (left[:, 0] > 0).all()
    assert (right[:, 0] < 0).all()
    assert np.allclose(left * [-1, 1, 1], right, atol=1e-9)
    assert abs(body[:, 0].mean()) < 1e-9


def test_feet_have_soles_on_one_level_that_point_ahead():
    clip = walking_clip()
    figure, ends = posed(clip)
    standing = clip.contacts.left_heel & clip.contacts.left_toe
    heel, ball, tip = (ends[standing][:, row, 1] for row in figure.soles[0])
    assert (tip[:, 2] > ball[:, 2]).all()
    assert (ball[:, 2] > heel[:, 2]).all()
    low = [p[:, 1].mean() - figure.radius[row, 1] for p, row in zip((heel, ball), figure.soles[0][:2], strict=True)]
    assert abs(low[0] - low[1]) < 0.02


def test_the_face_looks_ahead():
    clip = walking_clip(heading=1.0)
    figure, ends = posed(clip)
    head = clip.skeleton.roles.head
    skull = np.flatnonzero((figure.frame[:, 0] == head) & (np.abs(figure.offset).sum((1, 2)) > 0))[-1]
    towards = (ends[:, skull, 1] - ends[:, skull, 0])[:, [0, 2]].mean(axis=0)
    assert towards @ [np.sin(1.0), np.cos(1.0)] > 0.9 * np.linalg.norm(towards)


@pytest.mark.parametrize("offsets", [np.zeros((1, 3)), np.zeros((4, 3)), [[0, 0, 0], [0, 1, 0], [0, 0, 0], [1, 0, 0]]])
def test_a_chain_without_roles_is_drawn_bone_by_bone(offsets):
    clip = chain(offsets)
    figure, ends = posed(clip)
    bones = int((np.linalg.norm(np.asarray(offsets)[1:], axis=-1) > 0).sum())
    assert len(figure.part) == max(bones, 1)
    assert np.isfinite(ends).all()
    assert (figure.radius > 0).all()


def test_every_cone_end_is_where_its_points_say(rng):
    clip = random_clip(rng, 3)
    figure, ends = posed(clip)
    positions, rotations = world_transforms(clip.skeleton, clip.pose)
    points = np.concatenate([positions, end_positions(clip.skeleton, positions, rotations)], axis=-2)
    n, t = 5, 2
    for e in range(2):
        turn = rotation.to_matrix(rotations[t, figure.frame[n, e]])
        expected = figure.mix[n, e] @ points[t] + turn @ figure.offset[n, e]
        assert np.allclose(ends[t, n, e], expected)
    assert np.allclose(figure.mix.sum(axis=-1), 1.0)
