"""Apex: time, place and limb of known reaches, punches and kicks."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import still_clip
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.analysis.apex import find_apex
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError
from footfall.core.pose import Pose
from footfall.kinematics.floor_align import FloorTransform
from footfall.motions.library import motion

ACTIONS = [
    ("reach", (-0.3, 1.3, 0.45), "wrist"),
    ("reach", (0.0, 1.8, 0.3), "wrist"),
    ("reach", (-0.6, 1.4, 0.15), "wrist"),
    ("punch", (0.0, 1.4, 0.65), "wrist"),
    ("kick", (0.0, 1.1, 0.8), "ankle"),
    ("kick", (-0.1, 0.7, 0.8), "ankle"),
]


def raised(joint: str, angle: float, frames: int = 121, peak: float = 0.5) -> Clip:
    """Standing for half a second, then one limb swung forward by an angle and back, highest at that share of it."""
    clip = still_clip(frames=frames + 60, fps=120.0)
    u = np.clip((np.arange(frames + 60) - 60) / (frames - 1), 0.0, 1.0)
    share = np.where(u < peak, u / peak, (1.0 - u) / (1.0 - peak))
    rot = np.array(clip.pose.rot)
    rot[:, clip.skeleton.index(joint)] = rotation.axis_angle(rotation.AXES["X"], -angle * share)
    return clip.with_pose(Pose(clip.pose.root_pos, rot))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(("name", "target", "part"), ACTIONS)
def test_built_in_actions(name, target, part, side):
    x, y, z = target
    clip = motion(name, x=x, y=y, z=z, side=side)
    apex = find_apex(clip, facing=0.0)  # they face +Z, though fighters stand with their hips turned
    when = next(e for e in clip.events if e.name == "apex").start_s
    assert apex.effector == f"{side}_{part}"
    assert apex.t_s == pytest.approx(when, abs=0.03)
    assert apex.position == pytest.approx(target, abs=0.01)


@pytest.mark.parametrize(("joint", "effector"), [("LeftUpLeg", "left_ankle"), ("RightUpLeg", "right_ankle")])
@pytest.mark.parametrize("peak", [0.3, 0.7])
def test_a_raised_leg(joint, effector, peak):
    clip = raised(joint, 1.0, peak=peak)
    apex = find_apex(clip)
    assert apex.effector == effector
    assert apex.t_s == pytest.approx(0.5 + peak, abs=0.01)
    leg = clip.skeleton.leg_length
    assert apex.position[2] == pytest.approx(leg * np.sin(1.0), abs=0.01)
    assert apex.excursion == pytest.approx(2 * leg * np.sin(0.5), abs=0.01)


@settings(max_examples=25)
@given(st.floats(-3.0, 3.0), st.floats(-5.0, 5.0), st.floats(-0.3, 0.3))
def test_it_is_told_in_the_characters_own_frame(turn, x, height):
    clip = raised("RightUpLeg", 1.0)
    pose = FloorTransform(np.array(turn), np.array([x, 0.0, 2.0])).pose(clip.pose)
    moved = clip.with_pose(pose._replace(root_pos=pose.root_pos + [0.0, height, 0.0]))
    a, b = find_apex(clip), find_apex(moved)
    assert (b.t_s, b.effector) == (a.t_s, a.effector)
    assert b.position == pytest.approx(a.position, abs=1e-9)


def test_a_mirror_image_acts_with_the_other_hand():
    clip = motion("reach", x=-0.4, y=1.2, z=0.4)
    a, b = find_apex(clip), find_apex(clip.mirror())
    assert (a.effector, b.effector) == ("right_wrist", "left_wrist")
    assert b.position == pytest.approx(a.position * [-1, 1, 1], abs=1e-4)


def test_held_at_the_furthest_the_middle_counts():
    clip = raised("LeftUpLeg", 1.0)
    held = clip.with_pose(clip.pose.at(np.concatenate([np.arange(121), np.full(60, 120), np.arange(121, 181)])))
    assert find_apex(held).t_s == pytest.approx(150 / 120, abs=0.01)


def test_nothing_to_tell():
    assert find_apex(still_clip(frames=1)).excursion == 0.0
    with pytest.raises(ParameterError, match="no frames"):
        find_apex(still_clip(frames=0))


def test_a_body_without_limbs_is_refused():
    from footfall.core.skeleton import Skeleton

    pole = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]))
    pose = Pose(np.zeros((5, 3)), np.tile(rotation.IDENTITY, (5, 2, 1)))
    with pytest.raises(FootfallError):
        find_apex(Clip(pole, 30.0, pose))


@pytest.mark.parametrize("limb", ["wrist", "ankle"])
def test_only_limbs_that_are_named_are_looked_at(limb):
    assert find_apex(motion("kick"), limbs=(limb,)).effector.endswith(limb)
