"""Skeletons refuse to be wrong, and nothing can change one."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.core import rotation
from footfall.core.errors import SkeletonError, UnknownName
from footfall.core.skeleton import Skeleton


def chain(n: int = 4) -> Skeleton:
    return Skeleton(tuple(f"j{i}" for i in range(n)), np.arange(-1, n - 1), np.tile([0, 0.1, 0], (n, 1)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parents": [-1, 0, 3, 2]}, "parent first"),
        ({"parents": [-1, -1, 0, 0]}, "only root"),
        ({"parents": [0, 0, 1, 2]}, "only root"),
        ({"names": ("a", "b", "a", "c")}, "differ"),
        ({"names": ("a",)}, "do not fit"),
        ({"offsets": np.full((4, 3), np.nan)}, "finite"),
        ({"offsets": np.zeros((4, 2))}, "do not fit"),
        ({"names": (), "parents": [], "offsets": np.zeros((0, 3))}, "1 to"),
    ],
)
def test_broken_skeletons_are_refused_with_a_reason(changes, message):
    good = {"names": ("a", "b", "c", "d"), "parents": [-1, 0, 1, 2], "offsets": np.zeros((4, 3))}
    with pytest.raises(SkeletonError, match=message):
        Skeleton(**{**good, **changes})


def test_arrays_are_read_only_copies():
    offsets = np.zeros((2, 3))
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), offsets)
    offsets[:] = 7
    assert (skeleton.offsets == 0).all()
    with pytest.raises(ValueError, match="read-only"):
        skeleton.offsets[0, 0] = 1


def test_unknown_joints_are_answered_with_near_names():
    with pytest.raises(UnknownName, match="j1"):
        chain().index("j11")


def test_rest_pose_follows_rest_rotations():
    quarter = rotation.axis_angle(np.array([0, 0, 1.0]), np.pi / 2)
    skeleton = Skeleton(
        ("a", "b", "c"), np.array([-1, 0, 1]), np.array([[0, 1.0, 0], [1, 0, 0], [1, 0, 0]]),
        rest=np.array([quarter, rotation.conjugate(quarter), rotation.IDENTITY]),
        end_parents=np.array([2]), end_offsets=np.array([[0, 0, 0.5]]),
    )  # fmt: skip
    assert np.allclose(skeleton.rest_positions, [[0, 1, 0], [0, 2, 0], [1, 2, 0]])
    assert np.allclose(skeleton.end_rest_positions, [[1, 2, 0.5]])


def test_turned_and_scaled_rest_pose():
    turn = rotation.axis_angle(np.array([1.0, 0, 0]), -np.pi / 2)  # z up to y up
    moved = chain().transformed(turn, 100.0)
    assert np.allclose(moved.rest_positions, rotation.rotate(turn, chain().rest_positions) * 100)


def test_legs_that_cannot_be_found_are_said_so():
    with pytest.raises(SkeletonError, match="with_roles"):
        _ = chain().leg_length
