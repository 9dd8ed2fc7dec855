"""Departures: states of clips, their future, and what happens past a clip's end and for a bare state."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.edit.coast import COAST_S, MOST_RAD_S, State, coast, most_spin, state_of
from footfall.joins.departure import from_state, leaving

STICK = Skeleton(("root", "tip"), np.array([-1, 0]), np.array([[0.0, 1.0, 0.0], [0.0, 0.3, 0.0]]))


def spinning(rate: tuple[float, float, float], speed: tuple[float, float, float], fps: float = 50.0) -> Clip:
    """A stick whose tip turns steadily about an axis while the root travels."""
    t = np.arange(51) / fps
    rot = np.tile(rotation.IDENTITY, (51, 2, 1))
    rot[:, 1] = rotation.exp(t[:, None] * np.array(rate))
    return Clip(STICK, fps, Pose(t[:, None] * np.array(speed), rot), name="stick")


@given(
    rate=st.tuples(*[st.floats(-6.0, 6.0)] * 3),
    speed=st.tuples(*[st.floats(-3.0, 3.0)] * 3),
    at_s=st.floats(0.0, 1.0),
)
def test_state_of_steady_motion_is_its_velocity(rate, speed, at_s):
    state = state_of(spinning(rate, speed), at_s)
    assert np.allclose(state.velocity, speed, atol=1e-6)
    assert np.allclose(state.spin[1], rate, atol=1e-6)
    turned = Rotation.from_rotvec(at_s * np.array(rate))
    ours = Rotation.from_quat(state.pose.rot[1], scalar_first=True)
    assert (turned.inv() * ours).magnitude() < 1e-3  # lines between frames, not the arc itself


def test_states_come_in_batches():
    clip = spinning((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    many = state_of(clip, np.array([0.1, 0.5]))
    one = state_of(clip, 0.5)
    assert np.array_equal(many.spin[1], one.spin)
    assert np.array_equal(many.pose.rot[1], one.pose.rot)


def test_ahead_is_the_clips_own_future_and_then_runs_out():
    clip = spinning((0.0, 2.0, 0.0), (1.0, 0.0, 0.0))
    departure = leaving(clip, 0.9)
    ahead = departure.ahead(np.array([0.05, 0.1, 0.3, 5.0]))
    assert np.allclose(ahead.root_pos[0], clip.sample(0.95).root_pos)
    assert np.allclose(ahead.root_pos[2, 0], 1.0 + COAST_S * (1.0 - np.exp(-0.2 / COAST_S)))
    assert ahead.root_pos[3, 0] == pytest.approx(1.0 + COAST_S, abs=1e-6)
    assert rotation.angle_between(ahead.rot[3, 1], clip.pose.rot[-1, 1]) == pytest.approx(2.0 * COAST_S, abs=1e-6)


def test_a_loop_goes_on_for_ever():
    walk = ff.motion("walk")
    departure = leaving(walk, walk.duration)
    assert departure.ahead(np.array([10.0])).root_pos[0, 2] > 10.0
    assert leaving(walk, 5.0).at_s == 5.0


def test_coasting_starts_with_the_state_and_its_velocity():
    state = state_of(spinning((1.0, -2.0, 0.5), (1.0, 0.4, 0.0)), 0.5)
    early = coast(state, np.array([0.0, 1e-5]))
    assert np.allclose(early.root_pos[0], state.pose.root_pos)
    rates = rotation.log(rotation.multiply(rotation.conjugate(early.rot[0]), early.rot[1])) / 1e-5
    assert np.allclose(rates, state.spin, atol=1e-3)
    assert early.root_pos[1, 1] == state.pose.root_pos[1]  # nobody flies on


def test_no_joint_turns_faster_than_a_body_can():
    spins = most_spin(np.array([[300.0, 400.0, 0.0], [3.0, 4.0, 0.0]]))
    state = state_of(spinning((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)), 0.5)
    thrown = from_state(STICK, state._replace(spin=1000.0 * state.spin))
    assert np.linalg.norm(thrown.state.spin, axis=-1).max() == pytest.approx(MOST_RAD_S)
    assert np.allclose(spins, [[0.6 * MOST_RAD_S, 0.8 * MOST_RAD_S, 0.0], [3.0, 4.0, 0.0]])


def test_what_cannot_be_left_is_said():
    clip = spinning((1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for at_s in (-0.1, 1.5, float("nan")):
        with pytest.raises(ParameterError, match="from 0 to 1 s"):
            leaving(clip, at_s)
    state = state_of(clip, 0.5)
    with pytest.raises(ParameterError, match=r"rotations \(2, 4\)"):
        from_state(STICK, state._replace(pose=state.pose.at(None)))
    with pytest.raises(ParameterError, match="not finite"):
        from_state(STICK, State(state.pose, np.array([np.nan, 0.0, 0.0]), state.spin))
