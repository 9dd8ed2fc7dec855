"""Trajectory retargeting: the root on the path, feet planted, leaning into bends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footfall as ff
from footfall.core import rotation
from footfall.core.errors import ParameterError
from footfall.core.roles import SIDES
from footfall.kinematics.fk import world_transforms
from footfall.quality.skate import skate
from footfall.retarget.trajectory import along_path, arc_path, spline_path

WALK = ff.motion("walk")


@given(st.floats(0.5, 50.0), st.floats(0.1, 20.0), st.floats(-3.0, 3.0), st.booleans())
def test_arcs_are_circles_of_their_length(radius, length, heading, left):
    radius = radius if left else -radius
    path = arc_path(radius, length, (1.0, 2.0), heading)
    side = rotation.rotate(rotation.yaw(heading), np.array([1.0, 0.0, 0.0]))
    center = np.array([1.0, 0.0, 2.0]) + radius * side
    assert np.linalg.norm(path.points - center, axis=-1) == pytest.approx(abs(radius), rel=1e-9)
    steps = np.linalg.norm(np.diff(path.points, axis=0), axis=-1)
    assert steps.sum() == pytest.approx(length, rel=1e-3)
    assert path.heading[-1] - path.heading[0] == pytest.approx(length / radius)


def test_splines_pass_their_points_and_go_on_straight():
    points = np.array([[0.0, 0.0], [0.5, 1.0], [0.0, 2.0], [0.0, 2.0], [-0.5, 3.0]])
    path = spline_path(points)
    for x, z in points:
        assert np.linalg.norm(path.points - [x, 0.0, z], axis=-1).min() < 0.01
    beyond, heading = path.at(path.length[-1] + np.array([0.0, 1.0, 2.0]))
    assert np.diff(beyond, axis=0) == pytest.approx(
        np.tile([np.sin(heading[0]), 0.0, np.cos(heading[0])], (2, 1)), abs=1e-9
    )


@pytest.mark.parametrize(
    "points",
    [[[0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [[0.0, np.nan], [1.0, 0.0]], [0.0, 1.0], [[0.0, 0.0], [1e9, 0.0]]],
)
def test_bad_paths_are_refused(points):
    with pytest.raises(ParameterError):
        spline_path(np.array(points))


def test_bad_arcs_are_refused():
    for radius, length in ((0.0, 1.0), (1.0, 0.0), (1.0, np.nan), (np.nan, 1.0), (1.0, 1e9)):
        with pytest.raises(ParameterError):
            arc_path(radius, length)


def test_its_own_straight_path_changes_nothing():
    root = WALK.root_motion.position
    start, way = root[0] * [0.0, 0.0, 1.0], 3.0
    same = along_path(WALK, np.array([[0.0, start[2]], [0.0, start[2] + way]]))
    moved = same.positions - WALK.positions
    assert np.abs(moved - moved.mean(axis=(0, 1))).max() < 5e-3


@pytest.mark.parametrize("radius", [2.0, -2.0, 4.0])
@pytest.mark.parametrize("name", ["walk", "walk-back", "walk-side"])
def test_the_body_turns_by_the_signed_angle_and_keeps_its_side_to_the_path(name, radius):
    clip = ff.motion(name)
    out = along_path(clip, arc_path(radius, 10.0), lean=False)
    travelled = np.linalg.norm(clip.root_motion.position[-1] - clip.root_motion.position[0])
    turned = [c.root_motion.heading[-1] - c.root_motion.heading[0] for c in (clip, out)]
    assert turned[1] - turned[0] == pytest.approx(travelled / radius, abs=0.03)


def test_the_root_sways_about_the_new_path_as_about_the_old():
    path = arc_path(2.5, 6.0)
    out = along_path(WALK, path, lean=False)
    off = np.linalg.norm(out.root_motion.position[:, None] - path.points, axis=-1).min(axis=1)
    assert off.max() < 0.04


@pytest.mark.parametrize("name", ["walk", "run"])
def test_feet_do_not_slide_or_turn_while_they_stand(name):
    clip = ff.motion(name)
    out = along_path(clip, arc_path(3.0, 10.0))
    for side in SIDES:
        joint = getattr(clip.skeleton.roles, f"{side}_ankle")
        for start, end in clip.contacts.spans(side):
            frames = slice(int(np.ceil(start * clip.fps)), int(end * clip.fps) + 1)
            (was, was_turned), (now, now_turned) = (
                (x[frames, joint] for x in world_transforms(c.skeleton, c.pose)) for c in (clip, out)
            )
            if len(was) < 2:
                continue
            assert np.abs(np.linalg.norm(now - now[0], axis=-1) - np.linalg.norm(was - was[0], axis=-1)).max() < 5e-3
            angle = [rotation.angle_between(turns, turns[:1]) for turns in (was_turned, now_turned)]
            assert np.abs(angle[0] - angle[1]).max() < 1e-6


def test_bends_are_leaned_into_by_weight_and_speed():
    out, upright = (along_path(WALK, arc_path(2.0, 6.0), lean=lean) for lean in (True, False))
    left = rotation.rotate(rotation.yaw(upright.root_motion.heading), np.array([1.0, 0.0, 0.0]))
    head = WALK.skeleton.roles.head
    moved = ((out.positions - upright.positions)[:, head] * left).sum(axis=-1)
    speed = WALK.parameters["speed"]
    expected = 1.55 * np.sin(np.arctan(speed**2 / 2.0 / 9.81))
    assert np.median(moved) == pytest.approx(expected, rel=0.2)


@pytest.mark.parametrize("name", ["walk_straight/07_01", "walk_turn/16_11", "transition/104_14"])
def test_captures_on_a_winding_path(mocap, name):
    clip = ff.load(mocap / "cmu_bvh" / f"{name}.bvh")
    out = along_path(clip, np.array([[0.0, 0.0], [0.3, 1.5], [-0.3, 3.0], [0.2, 4.5], [0.0, 6.0]]))
    assert np.isfinite(out.positions).all()
    assert skate(out) < 1.1 * max(skate(clip), 1.0)


@pytest.mark.parametrize("name", ["stand", "wave", "turn-in-place", "jump"])
def test_motions_on_the_spot_stay_finite(name):
    out = along_path(ff.motion(name), arc_path(1.0, 3.0))
    assert np.isfinite(out.positions).all()


def test_a_skeleton_alone_cannot_walk():
    with pytest.raises(ParameterError, match="no frames"):
        along_path(WALK.with_pose(WALK.pose.at(slice(0, 0))), arc_path(1.0, 1.0))
