"""Standing on other legs: feet give way by tipping about the ball, the pelvis for the rest, knees stay in front."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import body
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

import footfall as ff
from footfall.core import rotation
from footfall.feet.leg_solve import leg_joints
from footfall.feet.limits import STAND_FOOT_MOVES
from footfall.feet.stand import (
    FeetAsked,
    given_way,
    leg_extents,
    leg_lengths,
    legs_ahead,
    rise_to_stretch,
    stand_on,
    tip_angle,
)
from footfall.kinematics.fk import world_transforms
from footfall.retarget.character import character

ADULT = character("adult")


def feet_of(clip: ff.Clip) -> tuple[FeetAsked, np.ndarray, np.ndarray]:
    """FeetAsked, hips (T, 2, 3) and directions of knees as the clip has them."""
    joints = leg_joints(clip.skeleton)
    places, turns = world_transforms(clip.skeleton, clip.pose)
    ahead = legs_ahead(ADULT, turns[:, joints[:, 0]])
    return FeetAsked(places[:, joints[:, 2]], turns[:, joints[:, 2]]), places[:, joints[:, 0]], ahead


@given(st.floats(0.02, 0.2), st.floats(0.02, 0.15), st.floats(0.7, 1.0), st.floats(-0.2, 0.2), st.floats(0.0, 0.02))
def test_the_tip_brings_the_ankle_to_the_wanted_distance(back, up, high, ahead, nearer):
    ankle, hip, axis = np.array([0.0, up, -back]), np.array([0.05, high, ahead]), rotation.AXES["X"]
    wanted = float(np.linalg.norm(hip - ankle)) - nearer

    def gap(angle: float) -> float:
        turned = rotation.rotate(rotation.axis_angle(axis, angle), ankle)
        return float(np.linalg.norm(hip - turned)) - wanted

    angle = float(tip_angle(hip, ankle, axis, np.array(wanted)))
    if gap(angle) < 1e-9:
        assert angle == pytest.approx(brentq(gap, -1e-9, angle + 1e-6) if nearer > 1e-6 else 0.0, abs=1e-5)
    else:  # as near as it comes: a little more or less is further
        assert gap(angle) <= min(gap(angle - 1e-3), gap(angle + 1e-3)) + 1e-12


def test_feet_within_reach_do_not_move():
    feet, hips, _ = feet_of(ff.motion("walk"))
    limit = np.linalg.norm(hips - feet.ankle, axis=-1) + 1e-6
    assert given_way(ADULT, feet, hips, limit) is feet


def test_a_foot_gives_way_about_its_ball_and_only_so_far():
    feet, hips, _ = feet_of(ff.motion("stand"))
    balls = [foot.ball for foot in ADULT.feet]
    before = feet.ankle + rotation.rotate(feet.turn, np.stack(balls))
    limit = np.linalg.norm(hips - feet.ankle, axis=-1) - 0.01
    out = given_way(ADULT, feet, hips, limit)
    after = out.ankle + rotation.rotate(out.turn, np.stack(balls))
    moved = np.linalg.norm(out.ankle - feet.ankle, axis=-1)
    assert np.abs(after - before).max() < 2e-3  # the ball stays, within the turn that feet have at rest
    assert 1e-4 < moved.max() <= STAND_FOOT_MOVES * ADULT.leg_length + 1e-9
    assert (np.linalg.norm(hips - out.ankle, axis=-1) < np.linalg.norm(hips - feet.ankle, axis=-1)).all()


def test_feet_asked_for_too_far_down_are_reached_by_the_pelvis():
    clip = ff.motion("stand")
    feet, _, ahead = feet_of(clip)
    lower = feet._replace(ankle=feet.ankle - [0.0, 0.1, 0.0])
    pose = stand_on(ADULT, clip.fps, clip.pose, lower, ahead, leg_extents(clip.skeleton, clip.positions))
    out = clip.with_pose(pose)
    ankles = out.positions[:, leg_joints(clip.skeleton)[:, 2]]
    assert np.abs(ankles - lower.ankle).max() < 0.015
    assert np.ptp(pose.root_pos[:, 1] - clip.pose.root_pos[:, 1]) < 0.005


def test_knees_that_bend_backwards_are_put_in_front():
    clip = ff.motion("stand")
    feet, _, ahead = feet_of(clip)
    rot = np.array(clip.pose.rot)
    for side in ("left", "right"):
        hip, knee = (getattr(clip.skeleton.roles, f"{side}_{part}") for part in ("hip", "knee"))
        rot[:, hip] = rotation.multiply(rot[:, hip], rotation.axis_angle(rotation.AXES["X"], 0.3))
        rot[:, knee] = rotation.axis_angle(rotation.AXES["X"], -0.6)
    from footfall_lab.retarget_kept import knee_bend

    bad = clip.with_pose(clip.pose._replace(rot=rot))
    assert (knee_bend(bad) < -0.2).all()
    extent = leg_extents(clip.skeleton, bad.positions)
    pose = stand_on(ADULT, clip.fps, bad.pose, feet._replace(ankle=feet.ankle + [0.0, 0.05, 0.0]), ahead, extent)
    assert (knee_bend(clip.with_pose(pose)) > 0.0).all()


def test_the_rise_on_the_way_back_undoes_the_rise_there():
    clip, other = ff.motion("walk"), character(body()[0])
    feet, _, _ = feet_of(clip)
    extent = leg_extents(clip.skeleton, clip.positions)
    weight = np.ones_like(extent)
    down = clip.pose._replace(root_pos=clip.pose.root_pos - [0.0, 0.02, 0.0])
    assert rise_to_stretch(clip.skeleton, clip.pose, feet.ankle, extent, weight) == pytest.approx(0.0, abs=1e-9)
    assert rise_to_stretch(clip.skeleton, down, feet.ankle, extent, weight) == pytest.approx(0.02, abs=1e-4)
    assert leg_lengths(other.skeleton) == pytest.approx([0.84, 0.84])
