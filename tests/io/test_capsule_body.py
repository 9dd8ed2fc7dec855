"""The body of capsules: closed, outward, of human build, for any skeleton."""

from __future__ import annotations

import numpy as np
import pytest
from gltf_make import clips, posed
from helpers import humanoid, walking_clip
from hypothesis import given

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.capsule_body import capsule_body
from footfall.io.gltf_writer import vertex_normals
from footfall.kinematics.fk import world_transforms
from footfall.motions.library import motion


def test_the_body_is_closed_faces_outward_and_has_a_human_build() -> None:
    clip = walking_clip()
    skin = capsule_body(clip)
    edges = np.concatenate([skin.triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    there = {tuple(e) for e in edges.tolist()}
    assert len(there) == len(edges)  # no edge twice in one direction
    assert there == {(b, a) for a, b in there}  # and each one met by its opposite: closed, consistently wound
    a, b, c = (skin.vertices[skin.triangles[:, k]] for k in range(3))
    assert (np.cross(a, b) * c).sum() / 6 > 0  # positive volume: outward
    assert np.allclose(np.linalg.norm(vertex_normals(skin.vertices, skin.triangles), axis=1), 1)
    names = clip.skeleton.names

    def girth(name: str) -> float:
        """Mean distance of a limb's surface from its bone."""
        j = names.index(name)
        own = skin.joints[:, 0] == j
        bone = clip.skeleton.offsets[names.index(name) + 1]
        bone = bone / np.linalg.norm(bone)
        local = skin.vertices[own] - clip.skeleton.rest_positions[j]
        return float(np.linalg.norm(local - (local @ bone)[:, None] * bone, axis=1).mean())

    assert girth("LeftUpLeg") > girth("LeftLeg") > girth("LeftForeArm") > 0.01
    height = np.ptp(skin.vertices[:, 1])
    assert 0.95 * clip.skeleton.height < height < 1.06 * clip.skeleton.height
    assert -0.04 < posed(clip.with_pose(clip.pose, skin=skin), 0)[:, 1].min() < 0.02  # soles at the floor
    assert np.ptp(skin.vertices[:, 2]) < 0.4  # no deeper than feet are long


@pytest.mark.parametrize("side", ["Left", "Right"])
def test_hands_have_a_thumb_ahead_and_are_flat(side: str) -> None:
    clip = motion("stand")
    skin = capsule_body(clip)
    joint = clip.skeleton.names.index(f"{side}Hand")
    own = skin.vertices[skin.joints[:, 0] == joint] - clip.skeleton.rest_positions[joint]  # in a T-pose
    along, wide, thick = np.ptp(own, axis=0)[[0, 2, 1]]
    assert 0.13 < along < 0.2
    assert thick < wide < along
    assert own[:, 2].max() > 1.4 * -own[:, 2].min()  # the thumb sticks out ahead


@given(clips())
def test_any_skeleton_gets_a_finite_body(clip: Clip) -> None:
    skin = capsule_body(clip)
    assert np.isfinite(skin.vertices).all()
    assert len(skin.triangles) > 0
    assert skin.joints.max() < len(clip.skeleton)


def test_shapes_of_feet_follow_the_motion_and_not_the_rest_pose() -> None:
    """The same body with all bones along +X at rest gets the same flat feet."""
    clip = walking_clip()
    positions, rotations = world_transforms(clip.skeleton, clip.pose)
    straight = humanoid()
    # turn each joint's frame by a fixed rotation: another rest pose, the same motion
    rng = np.random.default_rng(5)
    turn = rotation.exp(rng.normal(size=(len(straight), 3)))
    world = rotation.multiply(rotations, rotation.conjugate(turn))
    parents = straight.parents
    offsets = np.array(
        [rotation.rotate(turn[p], o) if p >= 0 else o for p, o in zip(parents, straight.offsets, strict=True)]
    )
    ends = rotation.rotate(turn[straight.end_parents], straight.end_offsets)
    local = world.copy()
    local[:, 1:] = rotation.multiply(rotation.conjugate(world[:, parents[1:]]), world[:, 1:])
    body = Skeleton(straight.names, parents, offsets, None, straight.end_parents, ends, straight.role_overrides)
    other = Clip(body, clip.fps, Pose(positions[:, 0], local))
    assert np.abs(other.positions - clip.positions).max() < 1e-9
    low = [posed(c.with_pose(c.pose, skin=capsule_body(c)), 30)[:, 1].min() for c in (clip, other)]
    assert low[0] == pytest.approx(low[1], abs=0.02)
