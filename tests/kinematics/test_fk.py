"""Forward kinematics against 4x4 matrices multiplied one by one."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import end_positions, local_rotations, world_transforms, world_transforms_of


def random_case(rng, batch, joints=12, stretch=False):
    parents = np.array([-1, *(rng.integers(0, j) for j in range(1, joints))])
    skeleton = Skeleton(
        tuple(f"j{i}" for i in range(joints)), parents, rng.normal(size=(joints, 3)),
        end_parents=np.array([joints - 1]), end_offsets=rng.normal(size=(1, 3)),
    )  # fmt: skip
    rot = rotation.normalize(rng.normal(size=(*batch, joints, 4)))
    pos = rng.normal(size=(*batch, joints, 3)) if stretch else None
    return skeleton, Pose(rng.normal(size=(*batch, 3)), rot, pos)


def by_matrices(skeleton, root, rot, pos):
    """The textbook way, for one pose."""
    world = []
    for j, parent in enumerate(skeleton.parents):
        m = np.eye(4)
        m[:3, :3] = rotation.to_matrix(rot[j])
        m[:3, 3] = root if parent < 0 else skeleton.offsets[j] if pos is None else pos[j]
        world.append(m if parent < 0 else world[parent] @ m)
    return np.array(world)


@pytest.mark.parametrize("batch", [(), (4,), (2, 3)])
@pytest.mark.parametrize("stretch", [False, True])
def test_fk_equals_matrix_products(batch, stretch, rng):
    skeleton, pose = random_case(rng, batch, stretch=stretch)
    positions, rotations = world_transforms(skeleton, pose)
    ends = end_positions(skeleton, positions, rotations)
    for i in np.ndindex(*batch):
        world = by_matrices(skeleton, pose.root_pos[i], pose.rot[i], None if pose.pos is None else pose.pos[i])
        assert np.allclose(positions[i], world[:, :3, 3])
        assert np.allclose(rotation.to_matrix(rotations[i]), world[:, :3, :3])
        assert np.allclose(ends[i], (world[skeleton.end_parents] @ [*skeleton.end_offsets[0], 1])[:, :3])


def test_local_rotations_undo_fk(rng):
    skeleton, pose = random_case(rng, (5,))
    _, world = world_transforms(skeleton, pose)
    assert rotation.angle_between(local_rotations(skeleton.parents, world), pose.rot).max() < 1e-9


@pytest.mark.parametrize("stretch", [False, True])
def test_some_joints_are_where_all_would_have_them(rng, stretch):
    for _ in range(20):
        skeleton, pose = random_case(rng, (5,), stretch=stretch)
        joints = rng.choice(len(skeleton), 4, replace=False)
        positions, rotations = world_transforms(skeleton, pose)
        some_positions, some_rotations = world_transforms_of(skeleton, pose, joints)
        assert np.array_equal(some_positions, positions[:, joints])
        assert np.array_equal(some_rotations, rotations[:, joints])
