"""Heading, floor root and rigid motion on the floor."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.kinematics.floor_align import FloorTransform, between_roots
from footfall.kinematics.root import floor_root, root_motion

NAMES = ("Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot", "Spine", "Neck", "Head")
BODY = Skeleton(
    NAMES,
    np.array([-1, 0, 1, 2, 0, 4, 5, 0, 7, 8]),
    np.array([
        [0, 0.9, 0], [0.1, 0, 0], [0, -0.43, 0], [0, -0.43, 0], [-0.1, 0, 0], [0, -0.43, 0], [0, -0.43, 0],
        [0, 0.2, 0], [0, 0.3, 0], [0, 0.15, 0],
    ]),
)  # fmt: skip

angles = st.floats(-3, 3)
lengths = st.floats(-5, 5)


def standing(turn: np.ndarray, tilt: np.ndarray | None = None) -> Pose:
    """The body on its feet (or tilted), facing each of the headings."""
    rot = np.tile(rotation.IDENTITY, (*np.shape(turn), len(BODY), 1))
    rot[..., 0, :] = rotation.yaw(turn) if tilt is None else rotation.multiply(rotation.yaw(turn), tilt)
    return Pose(np.tile([0.3, 0.9, -0.2], (*np.shape(turn), 1)), rot)


@given(angles)
def test_heading_is_the_turn_of_an_upright_body(turn):
    position, heading = floor_root(BODY, standing(np.array(turn)))
    assert np.isclose(np.cos(heading - turn), 1)
    assert np.allclose(position, [0.3, 0, -0.2])


@pytest.mark.parametrize("axis", ["X", "Z"])
@pytest.mark.parametrize("degrees", [60, 90, 120, -90])
def test_heading_stays_finite_and_turns_with_a_tilted_body(axis, degrees):
    """Bowing, lying on the back, the front or a side: turning the whole about the vertical turns the heading."""
    tilt = rotation.axis_angle(rotation.AXES[axis], np.radians(degrees))
    _, heading = floor_root(BODY, standing(np.array([0.0, 0.7]), tilt))
    assert np.isfinite(heading).all()
    assert np.isclose(np.cos(heading[1] - heading[0] - 0.7), 1)


def test_heading_is_continuous_through_many_turns():
    clip = Clip(BODY, 60.0, standing(np.linspace(0, 20, 300)))
    motion = root_motion(clip)
    assert np.allclose(motion.heading, np.linspace(0, 20, 300))
    assert np.allclose(motion.turn_rate, 20 / 299 * 60)


@given(angles, lengths, lengths, angles)
def test_root_moves_with_a_rigid_floor_motion(turn, x, z, start):
    move = FloorTransform(np.array(turn), np.array([x, 0, z]))
    pose = standing(np.array([start, start + 0.3]))
    position, heading = floor_root(BODY, pose)
    moved_position, moved_heading = floor_root(BODY, move.pose(pose))
    assert np.allclose(moved_position, move.points(position))
    assert np.allclose(np.cos(moved_heading - heading - turn), 1)


@given(angles, lengths, lengths, angles, lengths, lengths)
def test_floor_transforms_are_a_group(ta, xa, za, tb, xb, zb):
    a = FloorTransform(np.array(ta), np.array([xa, 0, za]))
    b = FloorTransform(np.array(tb), np.array([xb, 0, zb]))
    point = np.array([0.4, 1.1, -0.7])
    assert np.allclose(a.after(b).points(point), a.points(b.points(point)))
    assert np.allclose(a.inverse().points(a.points(point)), point)


@given(angles, lengths, lengths, st.integers(0, 30))
def test_power_is_repetition(turn, x, z, n):
    step = FloorTransform(np.array(turn), np.array([x, 0, z]))
    many = FloorTransform(np.array(0.0), np.zeros(3))
    for _ in range(n):
        many = step.after(many)
    point = np.array([0.4, 1.1, -0.7])
    assert np.allclose(step.power(n).points(point), many.points(point), atol=1e-6)


@given(angles, lengths, lengths, angles, lengths, lengths)
def test_between_roots_lands_on_the_target(h0, x0, z0, h1, x1, z1):
    start, end = np.array([x0, 0, z0]), np.array([x1, 0, z1])
    move = between_roots(start, np.array(h0), end, np.array(h1))
    assert np.allclose(move.points(start), end)
    assert np.isclose(np.cos(h0 + move.turn - h1), 1)


def test_one_pose_and_no_pose_have_a_root_too():
    for n in (0, 1):
        motion = root_motion(Clip(BODY, 30.0, standing(np.zeros(n))))
        assert motion.velocity.shape == (n, 3)
        assert (motion.turn_rate == 0).all()
