"""At once: urgent requests keep soles out of the floor and knees from bending backward; turns and leaps out of a run;
a request in the middle of an edge is taken up there."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.core.clip import Clip
from footfall.core.kernels import kernel
from footfall.core.pose import Pose
from footfall.graph.build.open_graph import graph
from footfall.live.controller import Controller
from footfall.live.inertia import KNEE_LEAST_RAD, KNEE_ROUND_RAD, bend_leg, slack_between, straightened
from footfall.quality.joins import VISIBLE, accelerations, measured_joints
from footfall_lab.studies.live_urgent import usual_of

DT = 1.0 / 60.0


@pytest.fixture(scope="module")
def builtin():
    return graph("builtin")


@kernel
def left_of_bend(bend, slack):
    """Parts are called by kernels only."""
    return straightened(bend, slack)


@kernel
def made_another(bend, other):
    return straightened(bend, slack_between(bend, other))


@kernel
def bent_otherwise(offsets, leg, q, hinge, bend, new):
    bend_leg(offsets, leg, q, hinge, bend, new)


def going(of, kind: str, speed: float, frames: int) -> Controller:
    hero = Controller(of, kind)
    hero.ask(speed=speed)
    for _ in range(frames):
        hero.step(DT)
    return hero


def watched(hero: Controller, seconds: float) -> tuple[Clip, float, np.ndarray]:
    """What a character does; how deep its soles get (metres), and its velocity (T, 2) forward and left."""
    poses, deep, velocity = [], [], []
    for _ in range(round(seconds / DT)):
        poses.append(hero.step(DT))
        deep.append(-float(hero.soles[1].min()))
        velocity.append(hero.velocity[:2])
    pose = Pose(np.stack([p.root_pos for p in poses]), np.stack([p.rot for p in poses]))
    return Clip(hero.skeleton, 1.0 / DT, pose), max(deep), np.array(velocity)


def knee_bends(clip: Clip) -> np.ndarray:
    """(T, 2) degrees that knees are bent, below 0 where backward; the built-in body's are hinges about x."""
    roles = clip.skeleton.roles
    turns = clip.pose.rot[:, [roles.left_knee, roles.right_knee]]
    return np.degrees(2.0 * np.arctan2(turns[..., 1], np.abs(turns[..., 0])) * np.sign(turns[..., 0]))


@given(st.floats(0.0, 2.5), st.floats(-6.0, 0.0))
def test_an_offset_that_straightens_bends_no_knee_backward_and_has_no_kink(bend, slack):
    left = left_of_bend(bend, slack)
    assert min(bend - KNEE_LEAST_RAD, 0.0) <= left <= bend + 1e-9
    assert left > 0.0 or bend < KNEE_LEAST_RAD
    step = 1e-3
    steps = [left_of_bend(max(bend, 2.0 * KNEE_LEAST_RAD) + k * step, slack) for k in range(3)]
    assert np.all(np.diff(steps) >= 0.0)
    assert np.all(np.diff(steps) <= step * (1.0 + 1e-6))  # it moves no faster than what plays
    assert abs(np.diff(steps, n=2)[0]) < 8.0 * step**2 / KNEE_ROUND_RAD  # a kink has about 1e-3


@given(st.floats(KNEE_LEAST_RAD, 2.5), st.floats(KNEE_LEAST_RAD, 2.5))
def test_the_offset_between_two_bends_leads_from_one_to_the_other(bend, other):
    assert made_another(bend, other) == pytest.approx(other, abs=1e-9)


@pytest.mark.parametrize("change", [-0.6, -0.2, 0.5])
def test_a_knee_that_is_bent_otherwise_leaves_its_foot_where_it_points_and_where_the_leg_does(builtin, change):
    hero = going(builtin, "run", 3.0, 71)
    body, roles = hero._live.playable.tables.body, hero.skeleton.roles
    pose, leg = hero.step(DT), body.legs[0]
    q = np.ascontiguousarray(pose.rot.T.astype(np.float32))
    bend = float(np.radians(knee_bends(Clip(hero.skeleton, 60.0, Pose(pose.root_pos[None], pose.rot[None])))[0, 0]))
    bent_otherwise(body.offsets, leg, q, np.array([1.0, 0.0, 0.0], np.float32), bend, bend + change)
    rot = np.stack([pose.rot, q.T.astype(float)])
    clip = Clip(hero.skeleton, 60.0, Pose(np.tile(pose.root_pos, (2, 1)), rot))
    assert np.radians(np.diff(knee_bends(clip)[:, 0])) == pytest.approx(change, abs=1e-4)
    lines = clip.positions[:, roles.left_ankle] - clip.positions[:, roles.left_hip]
    lines /= np.linalg.norm(lines, axis=-1, keepdims=True)
    np.testing.assert_allclose(lines[1], lines[0], atol=1e-4)
    feet = clip.positions[:, leg[2] + 1] - clip.positions[:, roles.left_ankle]  # its toes, as seen from the ankle
    np.testing.assert_allclose(feet[1], feet[0], atol=1e-4)


@pytest.mark.parametrize("wanted", ["walk", "get-up", "back"])
def test_a_run_that_is_left_at_once_throws_no_joint(builtin, wanted):
    """Legs are nearly straight as they push off, and so are those of what they go over into a little later."""
    usual = usual_of(builtin)
    for speed, frames in product((3.9, 5.2), range(60, 84, 2)):
        hero = going(builtin, "run", speed, frames)
        poses = [hero.step(DT) for _ in range(3)]
        if wanted in builtin.actions:
            hero.act(wanted, urgent=True)
        else:
            hero.request(wanted, urgent=True)
        poses += [hero.step(DT) for _ in range(60)]
        pose = Pose(np.stack([p.root_pos for p in poses]), np.stack([p.rot for p in poses]))
        clip = Clip(hero.skeleton, 1.0 / DT, pose)
        excess = (accelerations(clip) - usual)[:, measured_joints(clip)]
        assert excess.max() <= VISIBLE, (speed, frames)


@pytest.mark.parametrize("wanted", ["stand", "walk", "run", "strafe", "back", "kick", "jump", "turn", "get-up"])
def test_what_is_wanted_at_once_sinks_no_sole_and_bends_no_knee_backward(builtin, wanted):
    for (kind, speed), frames in product((("run", 5.2), ("run", 2.6), ("walk", 1.5), ("back", -1.0)), (60, 71, 83)):
        if kind == wanted:
            continue
        hero = going(builtin, kind, speed, frames)
        if wanted in builtin.actions:
            hero.act(wanted, urgent=True)
        else:
            hero.request(wanted, urgent=True)
        clip, deep, _ = watched(hero, 1.2)
        assert deep < 0.0075, (kind, frames)
        assert knee_bends(clip).min() > -3.0, (kind, frames)


@pytest.mark.parametrize("urgent", [False, True])
@pytest.mark.parametrize("angle", [90.0, 175.0, -130.0])
@pytest.mark.parametrize(("kind", "speed"), [("stand", 0.0), ("walk", 1.3), ("run", 2.4), ("run", 4.2)])
def test_a_turn_is_done_whole_and_to_the_side_asked_for(builtin, kind, speed, angle, urgent):
    hero = going(builtin, kind, speed, 80)
    before = hero.heading
    hero.act("turn", urgent=urgent, angle=angle)
    watched(hero, 4.5)
    assert np.degrees(hero.heading - before) == pytest.approx(angle, abs=7.0)
    assert hero.node == kind or hero.state.edge.endswith(kind)


def test_a_run_turns_on_its_feet_without_a_stop_and_within_what_a_body_can_be_pushed(builtin):
    hero = going(builtin, "run", 3.4, 80)
    hero.act("turn", angle=180.0)
    clip, deep, velocity = watched(hero, 3.2)
    way = next(change.way for change in hero.changes if change.after == "turn")
    assert way == "in stride"
    assert deep < 0.0075
    over = clip.positions[:, hero.skeleton.roles.pelvis][:, [0, 2]]
    speed = np.gradient(over, DT, axis=0)
    change = np.linalg.norm(speed[24:] - speed[:-24], axis=1) / 0.4
    assert change.max() < 7.0  # m/s², over 0.4 s
    assert velocity[-1, 0] == pytest.approx(3.4, abs=0.2)


def test_a_jump_out_of_a_run_leaps_and_runs_on(builtin):
    for frames in (70, 78, 86):
        hero = going(builtin, "run", 3.4, frames)
        hero.act("jump", height=0.3)
        highest = speed = 0.0
        slowest = np.inf
        for _ in range(150):
            hero.step(DT)
            highest = max(highest, float(hero.soles[1].min()))
            speed, slowest = hero.velocity[0], min(slowest, hero.velocity[0])
        ways = {change.after: change.way for change in hero.changes}
        assert ways["jump"] == "in stride"
        assert highest > 0.12  # metres that both soles are over the floor
        assert slowest > 0.9 * 3.4
        assert speed == pytest.approx(3.4, abs=0.1)


def test_actions_out_of_a_gait_are_no_actions_of_their_own(builtin):
    assert builtin.forms == {("run", "turn"): "run-turn", ("run", "jump"): "run-jump"}
    assert not set(builtin.forms.values()) & {*builtin.actions, *builtin.types}


def test_a_walk_asked_for_in_the_middle_of_a_stop_comes_without_standing(builtin):
    hero = going(builtin, "run", 3.0, 80)
    hero.request("stand")
    while hero.state.phase != "edge" or hero.velocity[0] > 2.2:
        hero.step(DT)
    hero.ask(speed=1.4)
    hero.request("walk")
    _, deep, velocity = watched(hero, 1.8)
    assert velocity[:, 0].min() > 0.9
    assert velocity[-1, 0] == pytest.approx(1.4, abs=0.14)
    assert hero.node == "walk"
    assert deep < 0.0075


def test_a_run_that_is_to_go_backward_at_once_brakes_first(builtin):
    hero = going(builtin, "run", 4.0, 80)
    hero.step(DT, type="back", speed=-0.8, urgent=True)
    _, _, velocity = watched(hero, 4.0)
    change = np.linalg.norm(velocity[24:] - velocity[:-24], axis=1) / 0.4
    assert change.max() < 6.5  # m/s², over 0.4 s
    assert velocity[-1, 0] == pytest.approx(-0.8, abs=0.1)


@pytest.mark.parametrize(
    ("kind", "speed", "wanted"), [("walk", 1.4, "turn"), ("run", 4.8, "stand"), ("run", 3.0, "walk")]
)
def test_the_frame_of_a_press_goes_on_with_the_speed_of_every_joint(builtin, kind, speed, wanted):
    """A motion whose key times lie close together, or that has only just begun, has a velocity too."""
    for frames in range(60, 90, 7):
        hero = going(builtin, kind, speed, frames)
        before = [hero.step(DT) and hero.joint_positions for _ in range(20)]
        usual = np.linalg.norm(np.diff(before, n=2, axis=0), axis=-1).max() / DT**2
        if wanted in builtin.actions:
            hero.act(wanted, urgent=True)
        else:
            hero.request(wanted, urgent=True)
        hero.step(DT)
        there = np.linalg.norm(hero.joint_positions - 2.0 * before[-1] + before[-2], axis=-1).max() / DT**2
        assert there < max(usual, 100.0) + 60.0, frames  # m/s²; it was up to 350


@pytest.mark.parametrize(("kind", "speed"), [("walk", 1.3), ("run", 3.4)])
def test_a_body_stops_at_once_and_does_not_hang_back(builtin, kind, speed):
    hero = going(builtin, kind, speed, 75)
    hero.request("stand", urgent=True)
    clip, _, _ = watched(hero, 2.5)
    ahead = clip.positions[:, hero.skeleton.roles.pelvis, 2]
    stopped = round((1.5 * speed / 4.0 + 0.3) / DT)  # within 1.5 times what 4 m/s² need, and 0.3 s
    assert abs(ahead[-1] - ahead[stopped]) < 0.05
    assert ahead.max() - ahead[-1] < 0.03


@pytest.mark.parametrize(("wanted", "asked"), [("strafe", {"side": 0.8}), ("back", {"speed": -0.9})])
def test_a_run_that_is_to_go_elsewhere_at_once_brakes_and_goes_there_without_standing(builtin, wanted, asked):
    hero = going(builtin, "run", 3.4, 75)
    hero.step(DT, type=wanted, urgent=True, **asked)
    _, deep, velocity = watched(hero, 2.2)
    met = [asked.get("speed", 0.0), asked.get("side", 0.0)]
    needs = np.hypot(3.4 - met[0], met[1]) / 4.0
    assert velocity[round((1.5 * needs + 0.3) / DT)] == pytest.approx(met, abs=0.15)
    assert "stand" not in {change.after for change in hero.changes}
    assert deep < 0.0075


@pytest.mark.parametrize("wanted", ["kick", "punch", "wave", "jump"])
def test_an_action_asked_for_at_once_of_a_body_that_stands_shows_all_that_it_shows(builtin, wanted):
    def reach(urgent: bool) -> float:
        """How far the joint that moves farthest does, seen from the pelvis."""
        hero = going(builtin, "stand", 0.0, 60)
        hero.act(wanted, urgent=urgent)
        places = watched(hero, 3.5)[0].positions
        return float(np.ptp(places - places[:, :1], axis=0).max())

    assert reach(urgent=True) > 0.93 * reach(urgent=False)


def test_arm_movements_are_entered_before_arms_move(builtin):
    playable = Controller(builtin)._live.playable
    assert playable.arm_movements
    for k, movement in playable.arm_movements.items():
        assert playable.passages.among(k)[1] <= max(movement.start, 0.0)


@pytest.mark.parametrize("first", ["back", "stand", "walk"])
def test_who_changes_their_mind_within_a_frame_is_not_thrown(builtin, first):
    """What dies away from the first request has a velocity, though no time has gone since."""
    for frames in (32, 36, 41, 47):
        hero = Controller(builtin)
        poses = [hero.step(DT, type="run", speed=3.2) for _ in range(frames)]
        hero.request(first)
        hero.request("run")
        poses += [hero.step(DT) for _ in range(30)]
        rot, root = np.stack([p.rot for p in poses]), np.stack([p.root_pos for p in poses])
        at = Clip(builtin.skeleton, 60.0, Pose(root, rot)).positions[frames - 4 :]
        assert np.linalg.norm(np.diff(at, n=2, axis=0), axis=-1).max() / DT**2 < 180.0  # a run itself has 140
