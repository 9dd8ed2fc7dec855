"""Dead blending: how far velocities carry a pose, and that nothing but the state is used."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

import footfall as ff
from footfall.core import rotation
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.edit.coast import State, state_of
from footfall.joins.departure import from_state, leaving
from footfall.joins.methods.dead_blend import FARTHEST, dying, extrapolate, reach, transition
from footfall.joins.transition import TransitionRequest

TIMES = np.linspace(0.01, 2.0, 60)


@given(v=st.floats(-30.0, 30.0), rate=st.floats(0.0, 50.0), t=st.floats(1e-3, 2.0))
def test_dying_is_the_integral_of_a_dying_velocity(v, rate, t):
    known = quad(lambda s: v * np.exp(-rate * s), 0.0, t)[0]
    assert dying(np.array([v]), np.array([rate]), np.array([t]))[0, 0] == pytest.approx(known, abs=1e-7)


@given(v=st.floats(-40.0, 40.0), wanted=st.floats(-3.0, 3.0), halflife=st.floats(0.02, 1.0))
def test_momentum_has_a_limit_and_never_turns_back(v, wanted, halflife):
    gone = reach(np.array([v]), np.array([wanted]), TIMES, halflife)[:, 0]
    assert np.abs(gone).max() <= FARTHEST + 1e-9
    assert (np.diff(np.abs(gone)) >= -1e-12).all()
    assert (gone * v >= 0.0).all()


@given(v=st.floats(0.5, 3.0), wanted=st.floats(0.1, 1.0))
def test_what_leads_to_the_target_goes_further_than_what_leads_away(v, wanted):
    towards, away = (reach(np.array([v]), np.array([w]), TIMES, 0.08)[-1, 0] for w in (wanted, -wanted))
    assert towards > away


def test_starts_with_the_state_and_its_velocities():
    walk, kick = ff.motion("walk", turn=30.0), ff.motion("kick")
    departure = leaving(walk, 0.6)
    step = 1e-5
    first = extrapolate(departure, kick.pose.at(0), np.array([step]), 0.08)
    state = departure.state
    spin = rotation.log(rotation.multiply(rotation.conjugate(state.pose.rot), first.rot[0])) / step
    assert np.allclose(spin, state.spin, atol=5e-3)
    assert np.allclose((first.root_pos[0] - state.pose.root_pos) / step, state.velocity, atol=1e-3)


def test_only_the_state_at_the_departure_counts():
    walk, kick = ff.motion("walk"), ff.motion("kick")
    by_clip = transition(leaving(walk, 0.4), kick, TransitionRequest(length_s=0.3))
    by_state = transition(
        from_state(walk.skeleton, state_of(walk, 0.4), walk.fps), kick, TransitionRequest(length_s=0.3)
    )
    assert np.allclose(by_clip.pose.rot, by_state.pose.rot, atol=1e-9)


def test_a_body_at_rest_in_the_targets_pose_stays():
    stand = ff.motion("stand")
    still = stand.with_pose(Pose(np.tile(stand.pose.root_pos[0], (30, 1)), np.tile(stand.pose.rot[0], (30, 1, 1))))
    state = State(still.pose.at(0), np.zeros(3), np.zeros((len(stand.skeleton), 3)))
    made = transition(from_state(stand.skeleton, state), still, TransitionRequest(length_s=0.4))
    assert np.allclose(made.pose.root_pos, still.pose.root_pos[0], atol=1e-9)
    assert rotation.angle_between(made.pose.rot, still.pose.rot[0]).max() < 1e-7


def test_halflife_is_checked():
    walk = ff.motion("walk")
    for value in (0.0, float("inf"), "soon"):
        with pytest.raises(ParameterError, match="halflife_s"):
            transition(leaving(walk), walk, TransitionRequest(options={"halflife_s": value}))
