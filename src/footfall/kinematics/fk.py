"""Forward kinematics: local rotations to world positions and rotations, for any batch shape.

One pass over the joints in parent-first order; each step is one vectorised product over the whole batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton


def world_transforms_of(skeleton: Skeleton, pose: Pose, joints: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """World positions (..., N, 3) and rotations (..., N, 4) of some joints: only they and what carries them are walked."""
    positions, rotations = {}, {}
    for j in _with_ancestors(skeleton, joints):
        parent, local = int(skeleton.parents[j]), pose.rot[..., j, :]
        if parent < 0:
            positions[j], rotations[j] = pose.root_pos, local
            continue
        offset = skeleton.offsets[j] if pose.pos is None else pose.pos[..., j, :]
        positions[j] = positions[parent] + rotation.rotate(rotations[parent], offset)
        rotations[j] = rotation.multiply(rotations[parent], local)
    return np.stack([positions[j] for j in joints], axis=-2), np.stack([rotations[j] for j in joints], axis=-2)


def _with_ancestors(skeleton: Skeleton, joints: Sequence[int]) -> list[int]:
    """These joints and all above them, parent first."""
    needed: set[int] = set()
    for joint in joints:
        j = int(joint)
        while j >= 0 and j not in needed:
            needed.add(j)
            j = int(skeleton.parents[j])
    return sorted(needed)


def world_transforms(skeleton: Skeleton, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
    """World positions (..., J, 3) and rotations (..., J, 4) of every joint."""
    batch = pose.batch
    # joint axis first: each joint's slice is then contiguous, which halves the time of the loop below
    positions = np.empty((len(skeleton), *batch, 3))
    rotations = np.empty((len(skeleton), *batch, 4))
    for j, parent in enumerate(skeleton.parents):
        local = pose.rot[..., j, :]
        if parent < 0:
            positions[j], rotations[j] = pose.root_pos, local
            continue
        offset = skeleton.offsets[j] if pose.pos is None else pose.pos[..., j, :]
        positions[j] = positions[parent] + rotation.rotate(rotations[parent], offset)
        rotations[j] = rotation.multiply(rotations[parent], local)
    return np.moveaxis(positions, 0, -2), np.moveaxis(rotations, 0, -2)


def world_positions(skeleton: Skeleton, pose: Pose) -> np.ndarray:
    """World positions (..., J, 3) of every joint."""
    return world_transforms(skeleton, pose)[0]


def end_positions(skeleton: Skeleton, positions: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """World positions (..., E, 3) of the end sites, from the joints' world transforms."""
    of = skeleton.end_parents
    return positions[..., of, :] + rotation.rotate(rotations[..., of, :], skeleton.end_offsets)


def local_rotations(skeleton: Skeleton, world: np.ndarray) -> np.ndarray:
    """The inverse: world rotations (..., J, 4) back to local ones."""
    local = world.copy()
    child = np.arange(1, len(skeleton))
    parents = skeleton.parents[1:]
    local[..., child, :] = rotation.multiply(rotation.conjugate(world[..., parents, :]), world[..., child, :])
    return local
