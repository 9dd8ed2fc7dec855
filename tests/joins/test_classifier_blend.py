"""Blending in at the entry: C1 at both ends, through the keys, onto the motion itself; and what is said of it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError
from footfall.core.pose import Pose
from footfall.edit.coast import State, state_of
from footfall.joins.classifier.entry_blend import hermite, through_keys
from footfall.joins.classifier.entry_classifier import classify
from footfall.joins.classifier.entry_table import table_of
from footfall.joins.classifier.limbs import DofNumbers
from footfall.joins.departure import from_state, leaving
from footfall.joins.methods import classifier
from footfall.joins.transition import TransitionRequest
from footfall_lab.random_states import random_states

FINE = 2000.0  # frames a second at which slopes are judged


@cache
def clip_of(name: str) -> Clip:
    return ff.motion(name)


def enter(departure, target, **request):
    return classifier.transition(departure, target, TransitionRequest(**request))


def random_departure(seed: int, fps: float = FINE):
    states = random_states(4, seed)
    state = State(states.pose.at(0), states.velocity[0], states.spin[0])
    return from_state(clip_of("walk").skeleton, state, fps)


@pytest.mark.parametrize("target", ["walk", "run", "kick", "jump"])
@pytest.mark.parametrize("seed", range(3))
def test_pose_and_velocity_are_continuous_at_both_ends(target, seed):
    departure, clip = random_departure(seed), clip_of(target)
    made = enter(departure, clip)
    state, arrival = departure.state, state_of(clip, made.enter_s)
    first = rotation.log(rotation.multiply(rotation.conjugate(state.pose.rot), made.pose.rot[0])) * FINE
    last = rotation.log(rotation.multiply(rotation.conjugate(made.pose.rot[-2]), made.pose.rot[-1])) * FINE
    speed = 1.0 + np.abs(state.spin).max()
    np.testing.assert_allclose(first, state.spin, atol=0.08 * speed)  # a frame later: what the curve bends in 0.5 ms
    np.testing.assert_allclose(last, arrival.spin, atol=0.08 * speed)
    np.testing.assert_allclose((made.pose.root_pos[0] - state.pose.root_pos) * FINE, state.velocity, atol=0.2)
    turned = rotation.rotate(rotation.yaw(made.placement.turn), arrival.velocity)
    np.testing.assert_allclose((made.pose.root_pos[-1] - made.pose.root_pos[-2]) * FINE, turned, atol=0.2)


@pytest.mark.parametrize("target", ["walk", "kick"])
def test_the_last_frame_is_the_motions_own(target):
    made = enter(random_departure(8, 60.0), clip_of(target))
    goal = made.placement.pose(clip_of(target).sample(made.enter_s))
    np.testing.assert_array_equal(made.pose.rot[-1], goal.rot)
    np.testing.assert_array_equal(made.pose.root_pos[-1], goal.root_pos)


def test_steps_shrink_with_the_frame():
    """No jump inside: between frames at 2 000 fps no joint turns by more than a fast body does."""
    for seed in range(4):
        made = enter(random_departure(seed), clip_of("walk"))
        turned = rotation.angle_between(made.pose.rot[:-1], made.pose.rot[1:])
        assert turned.max() < 100.0 / FINE


def test_a_state_of_the_motion_goes_on_with_it():
    walk = clip_of("walk")
    for t in (0.1, 0.4, 0.9):
        made = enter(leaving(walk, t), walk)
        frames = len(made.pose.rot)
        ahead = (made.enter_s - t) % walk.duration
        assert min(ahead, walk.duration - ahead) < 0.15
        assert frames / walk.fps <= 0.2
        nearby = walk.sample(np.linspace(t - 0.1, t + 0.2, 61)).rot[:, None, 1:]
        assert rotation.angle_between(made.pose.rot[None, :, 1:], nearby).min(axis=0).max() < 0.2


def test_a_dof_goes_through_the_keys_it_has_still_to_pass():
    walk = clip_of("walk")
    table = table_of(walk)
    dofs = table.value.shape[1]
    enter_s = float(table.key_s[5]) + 0.06
    way = np.full(dofs, 0.0)
    way[0] = enter_s - (table.key_s[2] - 0.06)  # DOF 0 has keys 2, 3, 4 and 5 ahead
    start, end = DofNumbers(np.full(dofs, 2.0), np.zeros(dofs)), DofNumbers(np.zeros(dofs), np.ones(dofs))
    length = 0.5
    times = length * (1.0 - (enter_s - table.key_s[2:6]) / way[0])
    curve = through_keys(table, start, end, way, enter_s, length, times)
    np.testing.assert_allclose(curve[:, 0], table.value[2:6, 0], atol=1e-9)
    straight = hermite(np.array(2.0), np.array(0.0), np.array(0.0), np.array(1.0), length, times)
    np.testing.assert_allclose(curve[:, 1], straight, atol=1e-12)
    h = 1e-6
    slope = (through_keys(table, start, end, way, enter_s, length, times + h)[:, 0] - curve[:, 0]) / h
    np.testing.assert_allclose(slope, table.rate[2:6, 0] * way[0] / length, atol=1e-3)


def test_hermite_against_scipy():
    from scipy.interpolate import CubicHermiteSpline

    t = np.linspace(0.0, 0.7, 9)
    mine = hermite(np.array(1.0), np.array(-2.0), np.array(0.3), np.array(4.0), 0.7, t)
    np.testing.assert_allclose(mine, CubicHermiteSpline([0.0, 0.7], [1.0, 0.3], [-2.0, 4.0])(t), atol=1e-12)


def test_length_comes_from_the_hindmost():
    departure, walk = random_departure(1, 60.0), clip_of("walk")
    parameters = "published"
    made = enter(departure, walk, options={"parameters": parameters})
    entry = classify(departure.state, walk, parameters)
    assert len(made.pose.rot) == round(float(entry.length_s) * 60.0)
    assert made.enter_s == float(entry.front_s)


def lying() -> State:
    """A standing figure laid on its back."""
    state = state_of(clip_of("stand"), 0.5)
    back = rotation.multiply(rotation.axis_angle(rotation.AXES["X"], -0.5 * np.pi), state.pose.rot[0])
    rot = np.array(state.pose.rot)
    rot[0] = back
    return State(Pose(np.array([0.0, 0.1, 0.0]), rot), np.zeros(3), np.zeros_like(state.spin))


def test_where_nothing_is_near_it_says_so_and_does_it_plainly():
    walk = clip_of("walk")
    departure = from_state(walk.skeleton, lying())
    made = enter(departure, walk)
    assert "nothing of the target is near" in made.note
    assert len(made.pose.rot) == round(classifier.PLAIN_S * departure.fps)
    near = enter(leaving(clip_of("stand"), 1.0), walk)
    assert "nothing" not in near.note
    assert "nothing" not in enter(departure, walk, options={"near": 1e9}).note


def test_other_keyframes_change_the_entry():
    walk = clip_of("walk")
    departure = random_departure(5, 60.0)
    two = enter(departure, walk, options={"keyframes": [0.3, 0.7]})
    assert two.enter_s != enter(departure, walk).enter_s
    with pytest.raises(ParameterError, match="keyframes"):
        enter(departure, walk, options={"keyframes": [99.0]})


@pytest.mark.parametrize("options", [{"paramters": 1}, {"near": "x"}, {"near": -1.0}, {"parameters": 3}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(FootfallError):
        enter(random_departure(0, 60.0), clip_of("walk"), options=options)
