"""Two-bone IK: laws that must hold for any limb and any target."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from footfall.core import rotation
from footfall.kinematics.two_bone_ik import TwoBone
from footfall.kinematics.two_bone_ik import two_bone_ik as solve

points = arrays(float, 3, elements=st.floats(-2, 2, allow_subnormal=False))
HIP = np.zeros(3)
SOFT_FROM, MAX_EXTENSION = 0.97, 0.995


def two_bone_ik(start, mid, end, target) -> TwoBone:
    return solve(start, mid, end, target, SOFT_FROM, MAX_EXTENSION)


def leg(bend: float = 0.3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A 0.43 + 0.43 m leg hanging from the origin, knee forward by an angle."""
    knee = HIP + 0.43 * np.array([0, -np.cos(bend), np.sin(bend)])
    return HIP, knee, knee + 0.43 * np.array([0, -np.cos(bend), -np.sin(bend)])


def length(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b))


@given(points, points, points, points)
@example(HIP, HIP, HIP, HIP)
@example(HIP, np.array([0, -0.5, 0]), np.array([0, -1.0, 0]), HIP)
@example(HIP, np.array([0, -0.5, 0]), np.array([0, -1.0, 0]), np.array([0, -1.0 - 1e-9, 0]))
@example(HIP, np.array([0, -0.5, 0]), np.array([0, 0.0, 0]), np.array([0, 1.0, 0]))
@example(np.array([1.52415111, 0, 0]), HIP, HIP, np.ones(3))  # a shin of no length
def test_always_finite_with_bone_lengths_kept(start, mid, end, target):
    s = two_bone_ik(start, mid, end, target)
    assert all(np.isfinite(x).all() for x in s)
    assert abs(length(start, s.mid) - length(start, mid)) < 1e-9
    assert abs(length(s.mid, s.end) - length(mid, end)) < 1e-9


@given(points, st.floats(0.2, SOFT_FROM - 1e-6), st.floats(0.05, 1.5))
def test_reaches_what_is_within_soft_reach(direction, share, bend):
    if np.linalg.norm(direction) < 1e-3:
        return
    target = direction / np.linalg.norm(direction) * share * 0.86
    assert length(two_bone_ik(*leg(bend), target).end, target) < 1e-6


@given(points, st.floats(1.0, 5.0))
def test_out_of_reach_points_at_the_target_at_the_limit(direction, share):
    if np.linalg.norm(direction) < 1e-3:
        return
    aim = direction / np.linalg.norm(direction)
    end = two_bone_ik(*leg(), aim * share * 0.86).end
    assert np.allclose(np.cross(end, aim), 0, atol=1e-9)
    assert SOFT_FROM * 0.86 < end @ aim <= MAX_EXTENSION * 0.86 + 1e-12


@given(points, points, points)
def test_asking_for_the_present_position_changes_nothing(start, mid, end):
    s = two_bone_ik(start, mid, end, end)
    assert (s.mid == mid).all()
    assert (s.end == end).all()


@given(st.floats(0.05, 1.4), st.floats(-1.0, 1.0), st.floats(0.4, 0.95))
def test_swivel_is_kept(bend, swivel, share):
    """The knee stays in the plane it was in, turned with the limb, whatever the target distance."""
    about = rotation.axis_angle(np.array([0, 1.0, 0]), swivel)
    start, mid, end = (rotation.rotate(about, p) for p in leg(bend))
    s = two_bone_ik(start, mid, end, end / np.linalg.norm(end) * share * 0.86)
    plane = rotation.rotate(about, np.array([1.0, 0, 0]))
    assert abs(s.mid @ plane) < 1e-9


@given(st.floats(0.3, 1.1), st.floats(-0.4, 0.4))
def test_a_millimetre_of_target_moves_the_knee_less_than_five_centimetres(distance, side):
    targets = np.array([[side, -distance, 0.0], [side, -distance - 0.001, 0.0]])
    knees = two_bone_ik(*leg(0.1), targets).mid
    assert length(*knees) < 0.05


def test_a_straight_limb_bends_forward():
    straight = (HIP, np.array([0, -0.43, 0]), np.array([0, -0.86, 0]))
    assert two_bone_ik(*straight, np.array([0, -0.7, 0])).mid[2] > 0.1


def test_batch_equals_one_by_one(rng):
    limbs, targets = rng.normal(size=(3, 50, 3)), rng.normal(size=(50, 3))
    batch = two_bone_ik(*limbs, targets)
    for i in range(50):
        one = two_bone_ik(*limbs[:, i], targets[i])
        assert all(np.allclose(a[i], b, atol=1e-12) for a, b in zip(batch, one, strict=True))
