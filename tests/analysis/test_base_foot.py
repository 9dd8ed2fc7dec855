"""Base foot: single support by name, double support by the centre of mass."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import humanoid, random_clip, still_clip
from hypothesis import given
from hypothesis import strategies as st

from footfall.analysis.base_foot import base_feet, base_foot_at, centre_of_mass, joint_paths
from footfall.analysis.phases import Phase, find_phases
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.kinematics.floor_align import FloorTransform
from footfall.motions.library import motion


def leaning(angle: float) -> Clip:
    """Standing, the trunk bent to its left (positive) or right."""
    clip = still_clip()
    rot = np.array(clip.pose.rot)
    rot[:, clip.skeleton.index("Spine")] = rotation.axis_angle(rotation.AXES["Z"], -angle)
    return clip.with_pose(Pose(clip.pose.root_pos, rot))


def test_one_foot_down_is_the_base():
    clip = still_clip()
    phases = [Phase("RS", 0.0, 0.3), Phase("LS", 0.3, 0.6), Phase("NS", 0.6, clip.duration)]
    assert base_feet(clip, phases) == ["right", "left", None]
    assert [base_foot_at(clip, t, phases) for t in (0.0, 0.29, 0.3, 0.7, clip.duration)] == [
        "right", "right", "left", None, None,
    ]  # fmt: skip


@pytest.mark.parametrize(("angle", "foot"), [(0.3, "left"), (-0.3, "right"), (1.2, "left")])
def test_on_both_the_nearer_to_the_mass(angle, foot):
    clip = leaning(angle)
    assert base_feet(clip) == [foot]
    assert base_foot_at(clip, 0.5) == foot


def test_the_mass_moves_from_foot_to_foot():
    left, right = leaning(0.3), leaning(-0.3)
    clip = left.with_pose(
        Pose(*(np.concatenate([a[:30], b[:31]]) for a, b in zip(left.pose[:2], right.pose[:2], strict=True)))
    )
    phases = [Phase("DS", 0.0, 0.45), Phase("DS", 0.55, 1.0)]
    assert base_feet(clip, phases) == ["left", "right"]


def test_a_walk_rests_on_each_foot_in_turn():
    clip = motion("walk", cycles=2)
    phases = find_phases(clip)
    feet = base_feet(clip, phases)
    assert len(feet) == len(phases)
    assert {foot for foot, phase in zip(feet, phases, strict=True) if phase.label == "DS"} <= {"left", "right"}
    mirrored = base_feet(clip.mirror())
    assert mirrored == [{"left": "right", "right": "left"}[f] for f in feet if f]


def test_mass_lies_where_anatomy_has_it():
    centre = centre_of_mass(still_clip())[0]
    height = humanoid().height
    assert centre[0] == pytest.approx(0.0, abs=1e-9)
    assert abs(centre[2]) < 0.02
    assert 0.53 < centre[1] / height < 0.65  # arms out; 0.55 to 0.57 with arms down


@given(st.floats(-3.0, 3.0), st.floats(-5.0, 5.0))
def test_mass_moves_with_the_body(turn, x):
    clip = random_clip(np.random.default_rng(1), 4)
    move = FloorTransform(np.array(turn), np.array([x, 0.0, 1.0]))
    moved = clip.with_pose(move.pose(clip.pose))
    assert centre_of_mass(moved) == pytest.approx(move.points(centre_of_mass(clip)), abs=1e-9)


def test_some_joints_are_as_all_of_them():
    joints, frames = [0, 9, 3, 17, 21], np.array([0, 4, 2])
    few = joint_paths(random_clip(np.random.default_rng(2), 6), joints, frames)
    clip = random_clip(np.random.default_rng(2), 6)
    assert few == pytest.approx(clip.positions[np.ix_(frames, joints)], abs=1e-12)
    assert joint_paths(clip, joints) == pytest.approx(clip.positions[:, joints])  # by way of the cache now
