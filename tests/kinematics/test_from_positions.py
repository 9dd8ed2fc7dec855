"""Bodies fitted to joint positions: exact where bones are rigid, near where they are not, never twisted needlessly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.io.smpl_body import smpl_body
from footfall.kinematics.fk import world_positions
from footfall.kinematics.from_positions import body_of_positions


def random_pose(seed: int, frames: int = 3, most: float = 0.9) -> Pose:
    """Poses of the SMPL body whose joints are turned by up to `most` radians, the root by anything."""
    rng = np.random.default_rng(seed)
    vectors = rng.uniform(-most, most, (frames, 22, 3)) / np.sqrt(3.0)
    vectors[:, 0] = rng.uniform(-3.0, 3.0, (frames, 3))
    return Pose(rng.normal(size=(frames, 3)), rotation.exp(vectors))


@given(seed=st.integers(0, 2**32 - 1))
def test_rigid_bones_are_met_exactly(seed: int) -> None:
    body = smpl_body(66)[0]
    positions = world_positions(body, random_pose(seed))
    fitted = body_of_positions(body, positions, hinged=True)
    np.testing.assert_allclose(fitted.skeleton.offsets[1:], body.offsets[1:], atol=1e-6)
    np.testing.assert_allclose(world_positions(fitted.skeleton, fitted.pose), positions, atol=1e-6)
    assert fitted.distance.max() < 1e-6


@given(seed=st.integers(0, 2**32 - 1), size=st.floats(0.2, 5.0))
def test_lengths_are_the_medians(seed: int, size: float) -> None:
    """A body of other proportions: every bone takes the length that it has in the data, end sites follow."""
    body = smpl_body(66)[0]
    rng = np.random.default_rng(seed)
    other = body.transformed(rotation.IDENTITY, size)
    positions = world_positions(other, random_pose(seed)) + rng.normal(size=3)
    fitted = body_of_positions(body, positions, hinged=True)
    lengths = np.linalg.norm(fitted.skeleton.offsets[1:], axis=-1)
    np.testing.assert_allclose(lengths, size * np.linalg.norm(body.offsets[1:], axis=-1), rtol=1e-6)
    np.testing.assert_allclose(fitted.skeleton.end_offsets, size * body.end_offsets, rtol=1e-6)


@pytest.mark.parametrize("hinged", [True, False])
def test_noise_stays_noise(hinged: bool) -> None:
    """Places 1 cm off in every axis: joints lie nearer to them than those do to the truth, and no farther from it."""
    body = smpl_body(66)[0]
    rng = np.random.default_rng(1)
    vectors = np.repeat(rng.uniform(-0.5, 0.5, (1, 22, 3)), 200, axis=0)
    true = world_positions(body, Pose(np.zeros((200, 3)), rotation.exp(vectors)))
    given_places = true + rng.normal(0.0, 0.01, true.shape)
    fitted = body_of_positions(body, given_places, hinged)
    off = np.median(np.linalg.norm(given_places - true, axis=-1))
    assert np.median(fitted.distance) < 0.8 * off
    assert np.median(np.linalg.norm(world_positions(fitted.skeleton, fitted.pose) - true, axis=-1)) < off


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(
    ("upper", "lower", "axis"), [("hip", "knee", (1.0, 0, 0)), ("shoulder", "elbow", (0, -1.0, 0))]
)
def test_a_bent_limb_turns_about_its_hinge(side: str, upper: str, lower: str, axis: tuple[float, float, float]) -> None:
    """Upper limbs turned about their own bone, knees and elbows bent by 60 degrees: the turn is seen from the bend."""
    body = smpl_body(66)[0]
    a, b = body.index(f"{side}_{upper}"), body.index(f"{side}_{lower}")
    bone = rotation.unit(body.offsets[b])
    mirrored = -1.0 if side == "right" and lower == "elbow" else 1.0
    rot = np.tile(rotation.IDENTITY, (9, 22, 1))
    twist = np.radians(np.linspace(-60.0, 60.0, 9))
    rot[:, a] = rotation.axis_angle(bone, twist)
    rot[:, b] = rotation.axis_angle(np.array(axis) * mirrored, np.radians(60.0))
    fitted = body_of_positions(body, world_positions(body, Pose(np.zeros((9, 3)), rot)), hinged=True)
    assert (
        np.degrees(rotation.angle_between(fitted.pose.rot[:, a], rot[:, a])).max() < 8.0
    )  # rest limbs are not straight


def test_children_on_one_line_leave_the_rest_as_it_was() -> None:
    """A pelvis of which only two opposite hips are known does not spin about them."""
    from footfall.core.skeleton import Skeleton

    body = Skeleton(("pelvis", "a", "b"), np.array([-1, 0, 0]), np.array([[0, 0, 0], [1.0, 0, 0], [-1.0, 0, 0]]))
    turns = rotation.yaw(np.linspace(0.0, 1.0, 20))
    positions = world_positions(
        body, Pose(np.zeros((20, 3)), np.stack([turns, *[np.tile(rotation.IDENTITY, (20, 1))] * 2], 1))
    )
    fitted = body_of_positions(body, positions, hinged=False)
    np.testing.assert_allclose(rotation.angle_between(fitted.pose.rot[:, 0], turns), 0.0, atol=1e-3)
