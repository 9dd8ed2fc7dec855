"""Joint places: forward kinematics of a few hundred poses, compiled; what searches ask for over and over."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import kernel, read_only
from footfall.core.once import once
from footfall.core.pose import Pose
from footfall.core.rotation_kernels import add_scaled, multiply, put, quaternion, rotate
from footfall.core.skeleton import Skeleton


def joint_places(skeleton: Skeleton, pose: Pose, joints: np.ndarray) -> np.ndarray:
    """(K, W, 3) world places of some joints (W,) of poses (K,)."""
    wanted, out = np.asarray(joints, np.int64), np.empty((len(pose.root_pos), len(joints), 3))
    offsets = skeleton.offsets[None] if pose.pos is None else pose.pos
    find_places(read_only(pose.root_pos), read_only(pose.rot), _parents(skeleton), read_only(offsets), wanted, out)
    return out


@once
def _parents(skeleton: Skeleton) -> np.ndarray:
    return np.array(skeleton.parents, np.int64)


@kernel
def find_places(root: Any, rot: Any, parents: Any, offsets: Any, wanted: Any, out: Any) -> None:
    """out (K, W, 3) world places of wanted joints (W,); offsets (1 or K, J, 3), for all poses or for each."""
    turns, places = np.empty((len(parents), 4)), np.empty((len(parents), 3))
    for n in range(len(root)):
        local = offsets[min(n, len(offsets) - 1)]
        for j in range(len(parents)):
            above, turn, place = parents[j], quaternion(rot[n, j]), (root[n, 0], root[n, 1], root[n, 2])
            if above >= 0:
                over, at = quaternion(turns[above]), (places[above, 0], places[above, 1], places[above, 2])
                place = add_scaled(at, rotate(over, (local[j, 0], local[j, 1], local[j, 2])), 1.0)
                turn = multiply(over, turn)
            put(turns[j], turn)
            places[j, 0], places[j, 1], places[j, 2] = place
        for w in range(len(wanted)):
            for c in range(3):
                out[n, w, c] = places[wanted[w], c]
