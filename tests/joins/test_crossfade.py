"""Crossfade: the weighted mean of two motions, shape by shape, and the blend it and others are made of."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import humanoid
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

import footfall as ff
from footfall.core import rotation
from footfall.core.errors import ParameterError, UnknownName
from footfall.core.pose import Pose
from footfall.joins.assemble import assemble
from footfall.joins.departure import leaving
from footfall.joins.methods.crossfade import transition
from footfall.joins.transition import TransitionRequest
from footfall.kinematics.pose_blend import blend, turns
from footfall.quality.joins import excess_acceleration

BODY = humanoid()


def poses(seed: int, frames: int = 6) -> Pose:
    """A smooth random stream of the body."""
    rng = np.random.default_rng(seed)
    start, rate = rng.normal(size=(2, len(BODY), 3))
    t = np.linspace(0.0, 0.3, frames)
    rot = rotation.multiply(rotation.exp(start), rotation.exp(t[:, None, None] * rate))
    return Pose(rng.normal(size=3) + t[:, None] * rng.normal(size=3), rot)


@given(seed=st.integers(0, 10_000), w=st.floats(0.0, 1.0))
def test_joints_are_slerped_and_the_root_lies_between(seed, w):
    a, b = poses(seed, 1), poses(seed + 1, 1)
    out = blend(BODY, a, b, np.array([w]))
    assert np.allclose(out.root_pos, a.root_pos + w * (b.root_pos - a.root_pos))
    for j in (1, 5, 9):
        ends = Rotation.from_quat(np.stack([a.rot[0, j], b.rot[0, j]]), scalar_first=True)
        ours = Rotation.from_quat(out.rot[0, j], scalar_first=True)
        assert (Slerp([0.0, 1.0], ends)(w).inv() * ours).magnitude() < 1e-6


@given(seed=st.integers(0, 10_000))
def test_whole_weights_give_the_very_numbers(seed):
    a, b = poses(seed), poses(seed + 1)
    for w, source in ((0.0, a), (1.0, b)):
        out = blend(BODY, a, b, np.full(6, w))
        assert np.array_equal(out.rot, source.rot)
        assert np.array_equal(out.root_pos, source.root_pos)


def test_a_body_turns_round_on_its_feet():
    a = poses(3, 1)
    tilted = rotation.multiply(rotation.yaw(0.3), rotation.exp(np.array([0.15, 0.0, 0.1])))
    a.rot[0, 0] = tilted
    b = a._replace(rot=np.array(a.rot))
    b.rot[0, 0] = rotation.multiply(rotation.yaw(3.0), tilted)
    half = blend(BODY, a, b, np.array([0.5]))
    up = [rotation.rotate(rotation.conjugate(p.rot[0, 0]), rotation.UP) for p in (a, half, b)]
    assert np.allclose(up[0], up[1], atol=1e-9)
    assert np.allclose(half.rot[0, 0], rotation.multiply(rotation.yaw(1.5), tilted))


def test_streams_that_pass_half_a_turn_do_not_flip():
    angle = np.linspace(2.5, 4.0, 40)  # passes pi
    found = turns(rotation.axis_angle(np.array([0.0, 0.0, 1.0]), angle))
    assert np.abs(np.diff(found[:, 2])).max() < 0.05
    assert np.allclose(np.abs(found[:, :2]), 0.0)
    assert np.allclose(found[:, 2], angle) or np.allclose(found[:, 2], angle - 2.0 * np.pi)


def test_mixed_joint_positions_use_the_skeletons_offsets():
    a, b = poses(1), poses(2)
    b = b._replace(pos=np.broadcast_to(1.5 * BODY.offsets, (6, len(BODY), 3)))
    out = blend(BODY, a, b, np.linspace(0.0, 1.0, 6))
    assert np.allclose(out.pos[0], BODY.offsets)
    assert np.allclose(out.pos[-1], 1.5 * BODY.offsets)


@pytest.mark.parametrize("pair", [("walk", "run"), ("walk", "stand"), ("stand", "wave")])
def test_easing_hides_the_seam_that_a_linear_blend_shows(pair):
    a, b = (ff.motion(name) for name in pair)
    departure = leaving(a, 0.5)
    excess = {}
    for shape in ("ease", "linear"):
        made = transition(departure, b, TransitionRequest(length_s=0.4, enter_s=0.6, options={"shape": shape}))
        out = assemble(departure, b, made)
        sources = [(a, out.join_s - 0.5), (b, out.end_s - made.enter_s)]
        excess[shape] = excess_acceleration(out.clip, out.join_s, sources).value
    assert excess["ease"] < 40.0
    assert excess["linear"] > 2.0 * excess["ease"] + 40.0


def test_a_blend_of_a_loop_with_itself_in_step_changes_nothing():
    walk = ff.motion("walk", turn=20.0)
    made = transition(leaving(walk, 0.5), walk, TransitionRequest(length_s=0.4, enter_s=0.9))
    alone = walk.sample(0.5 + np.arange(1, 49) / walk.fps)
    assert np.linalg.norm(made.pose.root_pos - alone.root_pos, axis=-1).max() < 1e-3
    assert rotation.angle_between(made.pose.rot, alone.rot).max() < 2e-3


def test_shape_and_options_are_checked():
    walk = ff.motion("walk")
    with pytest.raises(ParameterError, match="ease or linear"):
        transition(leaving(walk), walk, TransitionRequest(options={"shape": "square"}))
    with pytest.raises(UnknownName, match="shape"):
        transition(leaving(walk), walk, TransitionRequest(options={"shap": "ease"}))


def test_a_transition_of_one_frame_is_the_targets_pose():
    walk, kick = ff.motion("walk"), ff.motion("kick")
    made = transition(leaving(walk, 0.5), kick, TransitionRequest(length_s=1e-4, enter_s=0.2))
    assert made.pose.rot.shape[0] == 1
    assert np.allclose(made.pose.rot[0, 1:], kick.sample(0.2).rot[1:])
