"""Sitting down, standing up, getting up, picking up, strafing, walking in a crouch: each does what it says."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.motions import sets
from footfall.motions.library import motion
from footfall.motions.rig import center_of_mass
from footfall_lab.truth import known_spans


def joint(clip: Clip, name: str) -> np.ndarray:
    return clip.positions[:, clip.skeleton.names.index(name)]


def seat_of(clip: Clip) -> tuple[float, float]:
    return next((e.start_s, e.end_s) for e in clip.events if e.name == "seat")


@pytest.mark.parametrize("height", [0.32, 0.45, 0.62])
def test_a_body_sits_as_high_as_its_seat_and_stays_there(height):
    down, up = motion("sit-down", height=height), motion("stand-up", height=height)
    for clip, end in ((down, -1), (up, 0)):
        on = (clip.times >= seat_of(clip)[0] - 1e-9) & (clip.times <= seat_of(clip)[1] + 1e-9)
        pelvis = joint(clip, "Hips")[on]
        assert np.ptp(pelvis, axis=0).max() < 0.001
        assert pelvis[0, 1] == pytest.approx(height + 0.09, abs=0.002)
        assert on[end]
        assert joint(clip, "LeftLeg")[end, 1] == pytest.approx(pelvis[0, 1], abs=0.22)  # thighs about level
    np.testing.assert_allclose(joint(down, "Hips")[-1], joint(up, "Hips")[0], atol=1e-6)
    np.testing.assert_allclose(joint(down, "Head")[-1], joint(up, "Head")[0], atol=0.02)


@pytest.mark.parametrize("name", ["stand-up", "get-up"])
def test_a_body_that_has_risen_stands_at_ease(name):
    clip, stand = motion(name), motion("stand")
    assert joint(clip, "Hips")[-1, 1] == pytest.approx(joint(stand, "Hips")[0, 1], abs=0.02)
    assert np.abs(np.diff(clip.positions, axis=0))[[0, -1]].max() < 0.002
    middle = 0.5 * (joint(clip, "LeftFoot") + joint(clip, "RightFoot"))[-1]
    assert np.linalg.norm((center_of_mass(clip.pose)[-1] - middle)[[0, 2]]) < 0.08


def test_getting_up_begins_on_the_floor_and_never_sinks_into_it():
    clip = motion("get-up")
    assert joint(clip, "Hips")[0, 1] < 0.12
    assert clip.positions[..., 1].min() > 0.0
    knee = joint(clip, "LeftLeg")[0, 1]
    assert knee > 0.3
    assert [len(known_spans(clip, side)) for side in ("left", "right")] == [1, 1]


def test_picking_up_is_at_its_point_and_ends_standing_with_the_hand_before_the_body():
    clip = motion("pick-up", x=-0.1, y=0.2, z=0.45)
    apex = round(next(e.start_s for e in clip.events if e.name == "apex") * clip.fps)
    np.testing.assert_allclose(joint(clip, "RightHand")[apex], [-0.1, 0.2, 0.45], atol=0.002)
    end = joint(clip, "RightHand")[-1] - joint(clip, "Hips")[-1]
    assert end[2] > 0.2
    assert abs(end[1]) < 0.3
    assert joint(clip, "Hips")[-1, 1] > 0.9
    assert clip.parameters == {"x": -0.1, "y": 0.2, "z": 0.45}


@pytest.mark.parametrize("side", [-1.6, -0.4, 0.4, 1.6])
def test_a_strafe_goes_sideways_facing_ahead(side):
    clip = motion("strafe", side=side)
    way = joint(clip, "Hips")[-1] - joint(clip, "Hips")[0]
    assert way[0] / clip.duration == pytest.approx(side, abs=0.01)
    assert abs(way[2]) < 1e-6
    assert np.abs(np.degrees(clip.root_motion.heading)).max() < 20.0
    assert clip.is_loop


@pytest.mark.parametrize("depth", [0.05, 0.2, 0.35])
def test_a_crouch_walk_is_as_much_lower_as_asked(depth):
    low, walk = motion("crouch-walk", speed=0.8, depth=depth), motion("walk", speed=0.8)
    assert joint(walk, "Hips")[:, 1].mean() - joint(low, "Hips")[:, 1].mean() == pytest.approx(depth, abs=0.05)
    way = np.linalg.norm((joint(low, "Hips")[-1] - joint(low, "Hips")[0])[[0, 2]])
    assert way / low.duration == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("sit-down", {"height": 1.2}, "height must be"),
        ("stand-up", {"height": 0.1}, "height must be"),
        ("pick-up", {"y": 1.6}, "y must be"),
        ("strafe", {"side": 0.0}, "side must be"),
        ("crouch-walk", {"depth": 0.6}, "depth must be"),
        ("turn-in-place", {"pairs": 99}, "pairs of steps"),
    ],
)
def test_what_they_cannot_do_is_said(name, parameters, words):
    with pytest.raises(ParameterError, match=words):
        motion(name, **parameters)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "keys"), [("turn", {"angle"}), ("strafe", {"side"}), ("sit-down", {"height"}),
                                            ("stand-up", {"height"}), ("crouch-walk", {"speed", "turn"}),
                                            ("pick-up", {"x", "y", "z"})])  # fmt: skip
def test_sets_of_everyday_motions_know_their_parameters_and_have_one_structure(name, keys):
    from footfall.parametric.structure import align

    clips = sets.examples(name)
    assert len({c.name for c in clips}) == len(clips) >= 5
    assert all(keys <= set(c.parameters) for c in clips)
    assert len({e.marks for e in align(clips, apex=name == "pick-up")}) == 1
