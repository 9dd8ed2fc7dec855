"""Requests: what is asked is what the finished clip does, by its joints alone, and what is not is said."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.core.errors import FootfallError
from footfall.parametric.blend_space import BlendWarning, blend_space
from footfall.parametric.builtin_sets import SETS
from footfall.parametric.effort import effort, strayed
from footfall.parametric.measure import blended_parameters
from footfall.parametric.request import misses, nearest, worst

TARGETS = ("reach", "punch", "kick", "pick-up")
GAITS = ("walk", "run", "park-run", "locomotion", "crouch-walk", "strafe")


def inside(space, count, seed=0):
    """(Q, d) random requests inside the hull: random shares of the examples' own parameters, jumps as places."""
    p = space.motion.parameters
    if space.motion.kind == "jump":
        angle = np.radians(p[:, 1])
        p = np.column_stack([p[:, 0] * np.cos(angle), p[:, 0] * np.sin(angle), p[:, 2]])
    drawn = np.random.default_rng(seed).dirichlet(np.full(len(p), 0.3), count) @ p
    if space.motion.kind == "jump":
        drawn[:, :2] = np.column_stack([np.hypot(*drawn[:, :2].T), np.degrees(np.arctan2(drawn[:, 1], drawn[:, 0]))])
    return drawn


def named(space, p):
    return dict(zip(space.motion.parameter_names, p.tolist(), strict=True))


@pytest.mark.parametrize("name", TARGETS)
def test_hands_and_feet_are_where_they_were_asked_at_the_apex(name):
    space = ff.blend_space(name)
    joint = "RightFoot" if name == "kick" else "RightHand"
    for p in inside(space, 15):
        clip = space(**named(space, p))
        (apex,) = [e.start_s for e in clip.events if e.name == "apex"]
        at = clip.positions[round(apex * clip.fps), clip.skeleton.names.index(joint)]
        assert np.linalg.norm(at - p) < 0.01
        assert [clip.parameters[n] for n in "xyz"] == pytest.approx(at, abs=0.003)
        assert not clip.warnings


@pytest.mark.parametrize("name", GAITS)
def test_gaits_go_as_fast_and_turn_as_much_as_asked(name):
    space = ff.blend_space(name)
    for p in inside(space, 8):
        asked = named(space, p)
        clip = space(**asked)
        place, facing = clip.root_motion.position @ [1j, 0.0, 1.0], np.unwrap(clip.root_motion.heading)
        turned = float(facing[-1] - facing[0])
        steady = (facing - turned * clip.times / clip.duration)[:-1].mean() + turned * clip.times / clip.duration
        next_round = place[-1] + (place - place[0]) * np.exp(1j * turned)  # where every moment is a round later
        arcs = (next_round - place) * np.exp(-1j * (steady + 0.5 * turned)) / np.sinc(0.5 * turned / np.pi)
        velocity = arcs[:-1].mean() / clip.duration
        assert velocity.real == pytest.approx(asked.get("speed", velocity.real), rel=0.01)
        assert velocity.imag == pytest.approx(asked.get("side", velocity.imag), abs=0.02)
        assert np.degrees(turned) / clip.duration == pytest.approx(asked.get("turn", 0.0), abs=1.0)
        for parameter, does in (("speed", velocity.real), ("side", velocity.imag)):
            assert clip.parameters.get(parameter, does) == pytest.approx(does, rel=0.002, abs=0.01)


@pytest.mark.parametrize("angle", [60.0, 100.0, 165.0])
def test_turns_end_as_far_round_as_asked(angle):
    clip = ff.blend_space("turn")(angle=angle)
    facing = np.degrees(np.unwrap(clip.root_motion.heading))
    assert facing[-1] - facing[0] == pytest.approx(angle, abs=1.0)
    assert not clip.warnings


@pytest.mark.parametrize(("name", "seated"), [("sit-down", -1), ("stand-up", 0)])
def test_seats_are_as_high_as_asked(name, seated):
    """How high the pelvis is over a seat is the examples' own: the same in all of them."""
    pelvis = ff.motion(name, height=0.45).positions[seated, 0, 1] - 0.45
    for height in (0.33, 0.5, 0.6):
        assert ff.blend_space(name)(height=height).positions[seated, 0, 1] == pytest.approx(height + pelvis, abs=0.005)


def test_jumps_land_where_asked_also_next_to_where_they_start():
    space = ff.blend_space("jump")
    for p in [*inside(space, 10), np.array([0.02, 40.0, 0.2]), np.array([0.0, -30.0, 0.25])]:
        clip = space(**named(space, p))
        root, angle = clip.positions[:, 0], np.radians(p[1])
        assert (root[-1] - root[0])[[0, 2]] == pytest.approx(p[0] * np.array([np.sin(angle), np.cos(angle)]), abs=0.01)
        assert not clip.warnings
    assert clip.parameters["direction"] == 0.0  # on the spot there is none


@pytest.mark.parametrize(("name", "most"), [("reach", 40.0), ("punch", 20.0), ("kick", 20.0), ("walk", 5.0)])
def test_no_body_is_broken_for_it(name, most):
    """Joints stay near the range of the examples; by the length of the weights alone reaches lean back by 57°."""
    space = ff.blend_space(name)
    found = np.degrees(strayed(space.motion, space.answers(inside(space, 200)).weights))
    assert found.max() < most
    assert np.quantile(found, 0.9) < 0.7 * most


def test_effort_is_what_moves(rng):
    motion = ff.blend_space("kick").motion
    still, change = np.full(len(motion), 1.0 / len(motion)), rng.normal(size=len(motion)) * 0.01
    change -= change.mean()
    times = np.linspace(0.0, 1.0, 13)
    before, after = (motion.local_pose(times, w) for w in (still, still + change))
    turned = 2.0 * np.arccos(np.clip(np.abs((before.rot * after.rot).sum(axis=-1)), 0.0, 1.0))
    moved = (turned**2).sum() + ((after.root_pos - before.root_pos) ** 2).sum()
    unit = change @ effort(motion) @ change - 0.1 * change @ change
    other = rng.permutation(change)
    again = motion.local_pose(times, still + other)
    turned = 2.0 * np.arccos(np.clip(np.abs((before.rot * again.rot).sum(axis=-1)), 0.0, 1.0))
    moved_again = (turned**2).sum() + ((again.root_pos - before.root_pos) ** 2).sum()
    assert (other @ effort(motion) @ other - 0.1 * other @ other) / unit == pytest.approx(moved_again / moved, rel=0.05)


def test_strayed_is_nothing_for_an_example_and_much_for_a_caricature():
    motion = ff.blend_space("reach").motion
    assert strayed(motion, np.eye(len(motion))).max() < 1e-9
    caricature = np.zeros((1, len(motion)))
    caricature[0, :2] = 3.0, -2.0
    assert strayed(motion, caricature)[0] > np.radians(5.0)


# --- beyond the examples ---------------------------------------------------------------------------------------------


def test_beyond_the_examples_is_met_or_held_and_told_either_way():
    space = ff.blend_space("walk")
    fast = space(seconds=1.0, speed=2.6, turn=0.0)
    assert fast.parameters["speed"] == pytest.approx(2.6, rel=0.002)
    assert fast.warnings == ("speed 2.6, turn 0: outside the examples, extrapolated",)
    with pytest.warns(
        BlendWarning, match=r"asked for speed 2.6, turn 0, outside.*made speed 2, turn 0, speed 0.6 m/s off"
    ):
        held = space(seconds=1.0, beyond="clamp", speed=2.6, turn=0.0)
    assert held.parameters["speed"] == pytest.approx(2.0, rel=0.002)
    (line,) = held.warnings
    assert "nearest that can be met is speed 2" in line
    with pytest.raises(FootfallError, match="clamp, extrapolate"):
        space(beyond="wish", speed=1.0)


def test_further_than_two_ranges_from_the_examples_is_refused():
    space = ff.blend_space("walk")
    low, high = space.ranges["speed"]
    with pytest.warns(BlendWarning, match="held to their edge"):
        space(seconds=0.2, beyond="clamp", speed=high + 1.99 * (high - low), turn=0.0)
    for speed in (high + 2.01 * (high - low), low - 2.01 * (high - low)):
        with pytest.raises(FootfallError, match="too far from the examples"):
            space(seconds=0.2, speed=speed, turn=0.0)


def test_nobody_is_bent_double_for_a_request_that_is_far_out():
    space = ff.blend_space("reach")
    with pytest.warns(BlendWarning, match="cm off; the nearest that can be met is"):
        clip = space(x=0.35, y=0.3, z=-0.5)
    far = space.answers(np.array([0.35, 0.3, -0.5]))
    assert np.degrees(strayed(space.motion, far.weights))[0] < 40.0
    near = space.nearest(x=0.35, y=0.3, z=-0.5)
    met = space(**near)
    assert np.linalg.norm([met.parameters[n] - near[n] for n in "xyz"]) < 0.02
    asked = np.array([0.35, 0.3, -0.5])
    assert np.linalg.norm(asked - list(near.values())) <= np.linalg.norm(asked - list(clip.parameters.values())) + 0.02


def test_continuous_where_the_examples_end():
    space = ff.blend_space("locomotion")
    line = np.linspace([1.0, 0.0, 0.0], [1.0, 0.0, 1.2], 400)
    found = space.answers(line)
    assert found.inside[0]
    assert not found.inside[-1]
    steps = np.linalg.norm(np.diff(found.weights, axis=0), axis=1)
    assert steps.max() < 12 * np.median(steps) + 1e-3


def test_many_requests_at_once_are_answered_as_one_by_one():
    space = ff.blend_space("kick")
    points = np.vstack([inside(space, 5), space.motion.parameters.max(axis=0) + 0.05])
    together = space.answers(points)
    assert together.inside.tolist() == [True] * 5 + [False]
    for k, p in enumerate(points):
        alone = space.answers(p)
        np.testing.assert_allclose(together.weights[k], alone.weights[0], atol=1e-6)
        np.testing.assert_allclose(together.achieved[k], alone.achieved[0], atol=1e-6)


# --- what is told ----------------------------------------------------------------------------------------------------


def test_a_miss_counts_as_a_person_sees_it():
    jump, walk, reach = (ff.blend_space(n).motion for n in ("jump", "walk", "reach"))
    assert worst(reach, np.zeros(3), np.array([0.03, 0.0, 0.04])).words == "5 cm off"
    assert worst(reach, np.zeros(3), np.array([0.0, 0.019, 0.0])).share == pytest.approx(0.95)
    spot = misses(jump, np.array([0.0, 0.0, 0.2]), np.array([0.01, 90.0, 0.2]))  # a direction of no distance
    assert max(m.share for m in spot) == pytest.approx(0.5)
    fast = {m.words: m.share for m in misses(walk, np.array([2.0, 0.0]), np.array([2.08, 1.0]))}
    assert fast == {"speed 0.08 m/s off": pytest.approx(2.0), "turn 1 °/s off": pytest.approx(0.5)}


def test_a_method_that_misses_says_so_and_what_would_be_met():
    space = blend_space("reach", method="rbf")
    assert not space.exact
    with pytest.warns(BlendWarning, match="asked for x -0.1, y 1.2, z 0.3; made"):
        clip = space(x=-0.1, y=1.2, z=0.3)
    assert clip.report.segments[0].asked == {"x": -0.1, "y": 1.2, "z": 0.3}
    assert clip.report.segments[0].achieved == clip.parameters
    q = nearest(space.motion, np.array([-0.1, 1.2, 0.3]), "extrapolate", polish=False)
    got = blended_parameters(space.motion)(space.motion.weights(q))[0]
    assert worst(space.motion, q, got).share < 1.0


def test_what_is_measured_is_solved_for_and_what_a_person_gave_is_not():
    for name, recipe in SETS.items():
        if recipe.by:
            assert ff.blend_space(name).motion.fitted.name == ("smooth-inverse" if recipe.is_measured else "rbf")


def test_one_example_and_given_numbers_need_no_measuring():
    assert ff.blend_space("stand")().warnings == ()
    clips = [ff.motion("walk", speed=1.0), ff.motion("walk", speed=1.6)]
    space = blend_space(clips, by=("mood",), values={"mood": [0.0, 1.0]})
    clip = space(mood=0.25)
    assert clip.parameters["mood"] == pytest.approx(0.25)
    assert clip.warnings == ()
