"""Assembling: frames, times, events, signs and provenance of a clip made out of two."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Event
from footfall.core.pose import Pose
from footfall.edit.coast import state_of
from footfall.joins.assemble import AssembledJoin, assemble
from footfall.joins.departure import from_state, leaving
from footfall.joins.methods.crossfade import transition
from footfall.joins.transition import TransitionRequest
from footfall_lab.truth import known_spans

WALK, KICK, RUN = ff.motion("walk"), ff.motion("kick"), ff.motion("run")


def joined(at_s: float, length_s: float = 0.4, enter_s: float = 0.5, a=WALK, b=KICK, fps=None) -> AssembledJoin:
    departure = leaving(a, at_s, fps)
    return assemble(departure, b, transition(departure, b, TransitionRequest(length_s=length_s, enter_s=enter_s)))


@settings(max_examples=25)
@given(at=st.integers(0, 130), length=st.integers(1, 120), enter=st.integers(0, KICK.frames - 1))
def test_every_frame_is_where_it_should_be(at, length, enter):
    made = joined(at / 120, length / 120, enter / 120)
    assert made.clip.frames == (at + 1) + length + (KICK.frames - 1 - enter)
    assert made.join_s == pytest.approx(at / 120)
    assert made.end_s == pytest.approx((at + length) / 120)
    assert np.array_equal(np.abs(made.clip.pose.rot[: at + 1]), np.abs(WALK.pose.rot[: at + 1]))
    assert np.array_equal(made.clip.pose.root_pos[: at + 1], WALK.pose.root_pos[: at + 1])
    rest = made.clip.pose.rot[at + length :, 1:]  # joint 0 is turned with the floor
    assert rotation.angle_between(rest, KICK.pose.rot[enter:, 1:]).max() < 1e-7
    assert ((made.clip.pose.rot[1:] * made.clip.pose.rot[:-1]).sum(axis=-1) >= 0.0).all()


@settings(max_examples=25)
@given(at=st.integers(0, 130), length=st.integers(1, 120), enter=st.integers(0, KICK.frames - 1))
def test_provenance_names_clip_time_and_share_of_every_frame(at, length, enter):
    made = joined(at / 120, length / 120, enter / 120)
    known = made.provenance
    assert known.clips == ("walk", "kick")
    assert len(known.clip) == made.clip.frames == len(known.correction_m)
    assert np.allclose(known.weight.sum(axis=1), 1.0)
    assert np.allclose(known.time_s[: at + 1, 0], np.arange(at + 1) / 120)
    assert (known.clip[: at + 1, 1] == -1).all()
    assert (known.clip[at + 1 : at + 1 + length] == [0, 1]).all()
    assert np.allclose(known.time_s[at + 1 + length :, 0], np.arange(enter + 1, KICK.frames) / 120)
    assert known.time_s[at + length, 1] == pytest.approx(enter / 120)
    assert known.weight[at + length, 1] == 1.0


def test_other_frame_rates_and_times_between_frames():
    made = joined(0.7033, 0.31, 0.4111, fps=30.0)
    assert made.clip.fps == 30.0
    at = round(made.join_s * 30.0)
    assert np.allclose(made.clip.pose.root_pos[at], WALK.sample(0.7033).root_pos)
    assert made.end_s - made.join_s == pytest.approx(round(0.31 * 30) / 30)
    assert made.clip.duration - made.end_s <= KICK.duration - 0.4111 + 1e-9


def test_a_loop_is_left_after_rounds_and_entered_for_at_least_one():
    made = joined(2.5 * WALK.duration, 0.4, 0.4, b=RUN)
    assert made.join_s == pytest.approx(2.5 * WALK.duration, abs=1 / 120)
    assert made.clip.root_motion.position[int(made.join_s * 120), 2] > 2.2 * WALK.root_motion.position[-1, 2]
    laps = (made.clip.duration - made.end_s + 0.4) / RUN.duration
    assert laps == pytest.approx(round(laps), abs=0.02)
    assert made.clip.duration - made.end_s >= min(1.0, RUN.duration) - 1 / 120


def test_a_bare_state_begins_with_its_pose():
    state = state_of(WALK, 0.5)
    departure = from_state(WALK.skeleton, state, 60.0)
    made = assemble(departure, KICK, transition(departure, KICK, TransitionRequest(length_s=0.4, enter_s=0.5)))
    assert made.join_s == 0.0
    assert np.array_equal(made.clip.pose.root_pos[0], state.pose.root_pos)
    assert made.provenance.clips == ("departure", "kick")
    assert made.clip.name == "departure_to_kick"


def test_contacts_come_along_where_the_clips_are_as_they_were():
    made = joined(0.7, 0.4, 0.5)
    shift = made.end_s - 0.5
    for foot in ("left", "right"):
        for start, end in known_spans(made.clip, foot):
            assert 0.0 <= start <= end <= made.clip.duration + 1e-9
        left, right = ([t for span in known_spans(c, foot) for t in span] for c in (WALK, KICK))
        ours = np.array([t for span in known_spans(made.clip, foot) for t in span])
        for t in (*(t for t in left if t < 0.69), *(t + shift for t in right if t > 0.51)):
            assert np.abs(ours - t).min() < 1e-6


def test_events_of_loops_come_round_by_round():
    loop = WALK.with_pose(WALK.pose, events=(Event("step", 0.3, 0.5), Event("tick", 0.0, 0.0)))
    made = joined(2.2 * WALK.duration, a=loop)
    steps = [e for e in made.clip.events if e.name == "step"]
    assert len(steps) == 2
    assert steps[1].start_s - steps[0].start_s == pytest.approx(WALK.duration)
    assert len([e for e in made.clip.events if e.name == "tick"]) == 3


def test_joint_positions_of_one_part_only():
    pos = np.broadcast_to(1.1 * KICK.skeleton.offsets, (KICK.frames, len(KICK.skeleton), 3))
    made = joined(0.5, b=KICK.with_pose(KICK.pose._replace(pos=pos)))
    assert made.clip.pose.pos is not None
    assert np.allclose(made.clip.pose.pos[0], WALK.skeleton.offsets)
    assert np.allclose(made.clip.pose.pos[-1], 1.1 * KICK.skeleton.offsets)


def test_one_frame_each():
    one = [c.with_pose(c.pose.at(slice(0, 1)), is_loop=False) for c in (WALK, KICK)]
    departure = leaving(one[0])
    made = assemble(departure, one[1], transition(departure, one[1], TransitionRequest(length_s=0.2)))
    assert made.clip.frames == 1 + 24
    assert isinstance(made.clip.pose, Pose)
