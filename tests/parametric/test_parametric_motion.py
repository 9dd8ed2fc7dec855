"""Parametric motions: examples come back exactly, loops have no seam, edges of four and nodes of one work."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.core import rotation
from footfall.core.errors import FootfallError
from footfall.edit.loop import travel_on_first_joint
from footfall.kinematics.floor_align import FloorTransform
from footfall.motions.gait_change import SteadyGait, gait_change
from footfall.motions.library import motion
from footfall.parametric import play
from footfall.parametric.builtin_sets import packed_set, parametric_set, set_clips
from footfall.parametric.canonical_time import blended_key_times, to_actual
from footfall.parametric.measure import blended_parameters, measured
from footfall.parametric.parametric_motion import build, pack_examples, with_weights
from footfall.parametric.structure import take_example


@pytest.fixture(scope="module")
def walk():
    motion = packed_set("walk")  # of the clips themselves, not as it comes with the package
    return with_weights(motion, "rbf", blended_parameters(motion))


def test_every_example_is_reproduced_at_its_own_parameters(walk):
    """Joint rotations, root and timing against the clips themselves, read at the same moments."""
    grid = np.linspace(0.0, 1.0, walk.cells + 1)
    weights = walk.weights(walk.parameters)
    assert weights == pytest.approx(np.eye(len(walk)), abs=1e-9)
    for clip, w, own in zip(set_clips("walk"), weights, walk.key_times, strict=True):
        key_times = blended_key_times(walk.blended_rates(w))
        assert np.abs(key_times - own).max() < 1e-6
        times = to_actual(grid, key_times)
        found, wanted = play.play(walk, w, times).pose, clip.sample(times)
        # the blend starts at the origin: carried to where the clip starts
        there = _start(clip, walk, w)
        placed = there.pose(found)
        assert rotation.angle_between(placed.rot, wanted.rot).max() < 1e-6
        assert np.abs(placed.root_pos - wanted.root_pos).max() < 1e-6


def _start(clip, motion, w):
    found, first = play.play(motion, w, np.zeros(1)).pose, clip.pose.at([0])
    turn = rotation.multiply(first.rot[0, 0], rotation.conjugate(found.rot[0, 0]))
    angle = 2.0 * np.arctan2(turn[2], turn[0])
    moved = rotation.rotate(rotation.yaw(angle), found.root_pos[0])
    return FloorTransform(np.array(angle), (first.root_pos[0] - moved) * [1.0, 0.0, 1.0])


def test_a_loop_has_no_seam(walk):
    w = walk.weights(np.array([1.1, 30.0]))[0]
    end, start = walk.local_pose(1.0, w), walk.local_pose(0.0, w)
    assert rotation.angle_between(end.rot, start.rot).max() < 1e-12
    assert end.root_pos == pytest.approx(start.root_pos, abs=1e-12)
    length = play.duration(walk, w)
    path = play.play(walk, w, length * np.array([2.0 - 1e-9, 2.0 + 1e-9])).pose
    assert path.root_pos[0] == pytest.approx(path.root_pos[1], abs=1e-6)


def test_parameters_are_as_the_library_made_them(walk):
    known = np.array([[c.parameters["speed"], c.parameters["turn"]] for c in set_clips("walk")])
    assert np.abs(walk.parameters - known)[:, 0].max() < 0.01
    assert np.abs(walk.parameters - known)[:, 1].max() < 0.01


def test_an_edge_of_four_examples_in_four_parameters():
    stand = SteadyGait("stand", 0.0, 0.0)
    corners = [(v, w) for v in (0.8, 1.6) for w in (-0.5, 0.5)]
    clips = [gait_change(stand, SteadyGait("walk", v, w)) for v, w in corners]
    takes = [take_example(travel_on_first_joint(clip)) for clip in clips]
    shared = next(k for k, marks in enumerate(zip(*(t.marks for t in takes), strict=False)) if len(set(marks)) > 1)
    takes = [replace(t, marks=t.marks[:shared], key_times=t.key_times[:shared]) for t in takes]
    edge = pack_examples(takes, "take")
    table = [[c.parameters[k] for k in ("speed_before", "turn_before", "speed_after", "turn_after")] for c in clips]
    edge = with_weights(replace(edge, parameter_names=("v0", "w0", "v1", "w1"), parameters=np.array(table)))
    assert edge.marks[0] == "start"
    assert edge.weights(edge.parameters) == pytest.approx(np.eye(4), abs=1e-9)
    between = edge.weights(np.array([0.0, 0.0, 1.2, 0.0]))[0]
    assert between.sum() == pytest.approx(1.0)
    times = np.linspace(0.0, play.duration(edge, between), 200)
    path = play.play(edge, between, times).pose.root_pos
    assert 0.5 < path[-1, 2] < 4.0  # it starts, and walks ahead
    assert abs(path[-1, 0]) < 0.15  # half of a left and half of a right turn
    for clip, w in zip(clips, np.eye(4), strict=True):
        times = edge.key_times[np.argmax(w)]
        blended, wanted = play.play(edge, w, times).pose, clip.sample(times)
        there = _start(clip, edge, w).pose(blended)
        assert rotation.angle_between(there.rot, wanted.rot).max() < 1e-6
        assert np.abs(there.root_pos - wanted.root_pos).max() < 1e-5


def test_a_node_of_one_example():
    stand = parametric_set("stand")
    assert len(stand) == 1
    assert stand.weights(np.zeros((3, 0))) == pytest.approx(np.ones((3, 1)))
    clip = motion("stand")
    assert play.duration(stand, np.ones(1)) == pytest.approx(clip.duration)
    blended = play.play(stand, np.ones(1), clip.times[:50]).pose
    assert rotation.angle_between(blended.rot[:, 1:], clip.pose.rot[:50, 1:]).max() < 5e-6  # packed in steps of 1e-6


def test_weights_are_needed_and_parameters_too():
    bare = parametric_set("walk")
    with pytest.raises(FootfallError, match="with_weights"):
        bare.weights(np.array([[1.0, 0.0]]))
    with pytest.raises(FootfallError, match="parameters"):
        with_weights(replace(bare, parameter_names=(), parameters=np.zeros((13, 0))))
    with pytest.raises(FootfallError, match="at least one clip"):
        build([], "locomotion")


def test_travel_of_turning_walks_blends_under_the_feet(walk):
    """Two walks of unlike turn: the carrier runs where the feet stand, not where the pelvis leans to."""
    assert np.abs(walk.pelvis[:, 1]).max() > 0.02  # leaning in: pelvis beside the carrier
    left = walk.parameters[:, 1] > 60.0
    right = walk.parameters[:, 1] < -60.0
    assert (walk.pelvis[left, 1] > 0).all()
    assert (walk.pelvis[right, 1] < 0).all()


def test_contacts_come_along(walk):
    w = walk.weights(np.array([1.3, 0.0]))[0]
    spans = play.contact_spans(walk, w, 10.0)
    length = play.duration(walk, w)
    assert set(spans) == {"left_heel", "left_toe", "right_heel", "right_toe"}
    keys = blended_key_times(walk.blended_rates(w))
    assert spans["left_heel"][0][0] == pytest.approx(0.0)
    assert spans["left_heel"][1][0] == pytest.approx(length)
    assert spans["left_toe"][0][1] == pytest.approx(keys[3])  # left off
    assert spans["right_heel"][0][0] == pytest.approx(keys[2])  # right strike
    stand = play.contact_spans(parametric_set("stand"), np.ones(1), 20.0)
    assert stand["left_heel"] == [(0.0, 20.0)]


def test_gamma_time_needs_parameters(walk):
    paper = replace(walk, time="gamma")
    p = np.array([1.0, 10.0])
    w = paper.weights(p)[0]
    assert (paper.blended_rates(w, p) > 0).all()
    with pytest.raises(FootfallError, match="parameters"):
        paper.blended_rates(w)
    again = measured(replace(paper, fitted=None), ("speed", "turn"))
    assert again.parameters == pytest.approx(walk.parameters)
