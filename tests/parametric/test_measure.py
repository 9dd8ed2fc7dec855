"""Measured parameters of blends: against the blended motion itself, and fast."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.analysis.summary import analyze
from footfall.core.errors import FootfallError
from footfall.kinematics.fk import world_positions
from footfall.motions.library import motion
from footfall.parametric.blend_space import BlendSpace, blend_space
from footfall.parametric.builtin_sets import parametric_set
from footfall.parametric.measure import blended_parameters, measured
from footfall.parametric.parametric_motion import build, with_weights

REACHES = [(-0.3, 0.6, 0.4), (0.1, 1.2, 0.5), (-0.5, 1.5, 0.2), (-0.2, 1.0, 0.6)]


@pytest.fixture(scope="module")
def reach():
    clips = [motion("reach", x=x, y=y, z=z, seed=k) for k, (x, y, z) in enumerate(REACHES)]
    return measured(build(clips, "target", "reach"))


def test_reaches_are_measured_where_they_were_aimed(reach):
    assert reach.effector == "right_wrist"
    assert reach.parameters == pytest.approx(np.array(REACHES), abs=0.002)


def test_a_blended_reach_is_measured_on_the_blend(reach, rng):
    weights = rng.dirichlet(np.ones(4), 20)
    weights[0] = [1.4, -0.3, 0.2, -0.3]
    found = blended_parameters(reach)(weights)
    apex = reach.marks.index("apex") / (len(reach.marks) - 1)
    wrist = reach.skeleton.roles.right_wrist
    for w, p in zip(weights, found, strict=True):
        assert world_positions(reach.skeleton, reach.local_pose(apex, w))[wrist] == pytest.approx(p, abs=1e-9)


@pytest.mark.parametrize(("name", "p"), [("walk", (1.1, 40.0)), ("run", (3.1, -30.0))])
def test_a_blended_gait_is_measured_as_analysis_does(name, p):
    motion = parametric_set(name)
    space = BlendSpace(with_weights(motion, "rbf", blended_parameters(motion)))
    clip = space(seconds=6.0, lock=False, speed=p[0], turn=p[1])
    found = analyze(clip)
    assert found.forward == pytest.approx(clip.parameters["speed"], abs=0.02)
    assert np.degrees(found.turn) == pytest.approx(clip.parameters["turn"], abs=1.5)
    assert clip.parameters["speed"] == pytest.approx(p[0], abs=0.1)


def test_a_jump_is_measured_on_its_root():
    rows = [(0.0, 0.0, 0.1), (0.6, 0.0, 0.2), (0.5, 40.0, 0.15)]
    clips = [motion("jump", distance=d, direction=a, height=h) for d, a, h in rows]
    jump = measured(build(clips, "jump", "jump"))
    assert jump.parameter_names == ("distance", "direction", "height")
    assert jump.parameters[:, 0] == pytest.approx([0.0, 0.6, 0.5], abs=0.02)
    assert jump.parameters[:, 1] == pytest.approx([0.0, 0.0, 40.0], abs=2.0)
    assert np.diff(jump.parameters[[0, 2, 1], 2]).min() > 0.0
    half = blended_parameters(jump)(np.array([[0.5, 0.5, 0.0]]))[0]
    assert half[0] == pytest.approx(0.3, abs=0.01)


def test_given_numbers_are_blended_as_numbers():
    clips = [motion("walk", speed=v) for v in (0.8, 1.2, 1.6)]
    space = blend_space(clips, by=("speed", "mood"), values={"mood": [0.0, 1.0, 0.5]})
    assert space.motion.given == ("mood",)
    found = blended_parameters(space.motion)(np.array([[0.5, 0.5, 0.0]]))[0]
    assert found[1] == pytest.approx(0.5)
    assert 0.9 < found[0] < 1.1


def test_ten_thousand_at_once_and_wrong_shapes(reach, rng):
    measure = blended_parameters(reach)
    weights = rng.dirichlet(np.ones(4), 10_000)
    found = measure(weights)
    assert found.shape == (10_000, 3)
    assert found[7777] == pytest.approx(measure(weights[7777])[0])
    with pytest.raises(FootfallError, match="4 examples"):
        measure(np.ones((1, 3)))
    with pytest.raises(FootfallError, match="each needs one"):
        measured(reach, None, {"style": [1.0]})
    with pytest.raises(FootfallError, match="parameter of a target"):
        measured(reach, ("speed",))
