"""A live character: never a number that is none, never time running back, requests served by the rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.core import rotation
from footfall.core.errors import FootfallError, ParameterError, UnknownName
from footfall.live.controller import Controller, Controllers
from footfall.live.crowd import Crowd
from footfall.live.drive import Command, by_commands, drive
from footfall.live.rows import TOLD, WAKE
from footfall_lab.studies import live_urgent, park2004_graph

DT = 1.0 / 60.0
anything = st.floats(-1e9, 1e9)


def stepped(hero: Controller, seconds: float, **wanted) -> list:
    return [hero.step(DT, **wanted) for _ in range(round(seconds * 60.0))]


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.sampled_from(["stand", "walk", "run", "wave"]), anything, anything, anything,
                  st.sampled_from([0.0, 1e-6, DT, 0.11, 2.5]), st.booleans()),
        min_size=1, max_size=25,
    )
)  # fmt: skip
def test_no_request_breaks_a_pose_or_turns_time_back(small, rows):
    hero = Controller(small)
    last = 0.0
    for kind, speed, turn, side, dt, urgent in rows:
        pose = hero.step(dt, type=kind, speed=speed, turn=turn, side=side, urgent=urgent)
        assert np.isfinite(pose.root_pos).all()
        assert np.isfinite(pose.rot).all()
        assert np.abs(np.linalg.norm(pose.rot, axis=-1) - 1.0).max() < 1e-4
        assert hero.time_s >= last
        last = hero.time_s
        state = hero.state
        assert 0.0 <= state.share <= 1.0
        assert 0.0 <= state.canonical_time <= 1.0
        assert abs(state.weights.sum() - 1.0) < 1e-5


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), "fast", None.__class__])
def test_what_is_no_number_is_refused_and_changes_nothing(small, bad):
    hero = Controller(small)
    stepped(hero, 0.2, type="walk", speed=1.0)
    before = dict(hero.state.asked)
    with pytest.raises(ParameterError, match="speed"):
        hero.step(DT, speed=bad)
    assert hero.state.asked == before
    stepped(hero, 0.1)


def test_wrong_words_and_steps(small):
    hero = Controller(small)
    with pytest.raises(UnknownName, match="walk"):
        hero.step(DT, type="wlk")
    with pytest.raises(UnknownName, match="wave"):
        hero.act("walk")
    for dt in (-1.0, float("nan"), 1e6):
        with pytest.raises(ParameterError, match="a step lasts"):
            hero.step(dt)


def test_speed_and_turn_are_met_where_they_are_covered_and_limited_where_not(small):
    hero = Controller(small, "walk")
    stepped(hero, 3.0, speed=1.2, turn=20.0)
    start, heading = hero.position, hero.heading
    stepped(hero, 4.0)
    gone = np.linalg.norm(hero.position - start)
    turned = np.degrees(hero.heading - heading)
    assert turned == pytest.approx(80.0, rel=0.15)
    chord = 1.2 * 4.0 * np.sin(np.radians(40.0)) / np.radians(40.0)
    assert gone == pytest.approx(chord, rel=0.08)
    assert not hero.state.clamped
    stepped(hero, 0.1, speed=9.0, turn=400.0)
    state = hero.state
    assert state.clamped
    assert state.aimed["speed"] <= 1.9
    assert state.aimed["turn"] <= 80.0


def test_frame_rate_does_not_matter(small):
    ends = []
    for fps in (30, 60, 120):
        hero = Controller(small)
        for _ in range(4 * fps):
            hero.step(1.0 / fps, type="walk", speed=1.3, turn=10.0)
        ends.append(hero.position)
    assert np.linalg.norm(np.ptp(np.array(ends), axis=0)) < 0.05


def test_a_request_inside_b_begins_at_once_and_an_urgent_one_too(small):
    for kind, urgent in (("walk", False), ("run", False), ("run", True)):
        hero = Controller(small)
        stepped(hero, 1.0)
        still = hero.step(DT)
        hero.step(DT, type=kind, speed=2.5, urgent=urgent)
        assert hero.state.latency_s == 0.0
        assert hero.state.edge or hero.state.node == kind
        moved = [hero.step(DT) for _ in range(12)][-1]
        assert np.abs(moved.rot - still.rot).max() > 0.01


def test_a_request_waits_where_the_blend_would_be_too_short(small):
    waits = []
    for frames in range(70):
        hero = Controller(small, "walk")
        for _ in range(frames):
            hero.step(DT, speed=1.2)
        for _ in range(60):
            hero.step(DT, type="stand")
            if hero.state.edge:
                break
        waits.append(hero.state.latency_s)
    assert min(waits) == 0.0
    assert 0.0 < max(waits) < 0.45


def test_back_inside_b_turns_round_and_later_requests_wait(small):
    hero = Controller(small, "walk")
    stepped(hero, 1.0, speed=1.2)
    while not hero.state.edge:
        hero.step(DT, type="run")
    hero.step(DT, type="walk")
    stepped(hero, 0.6)
    assert hero.state.node == "walk"
    assert not hero.changes
    while hero.state.phase != "entering":
        hero.step(DT, type="run")
    hero.step(DT, type="walk")
    hero.step(DT, type="stand")
    assert hero.state.waiting == "stand"
    stepped(hero, 3.0)
    assert [c.after for c in hero.changes] == ["run", "stand"]  # the newest request counted


def test_an_action_is_done_once_and_then_the_type_asked_for_goes_on(small):
    hero = Controller(small)
    stepped(hero, 1.0)
    hero.act("wave")
    hero.act("wave")
    seen = []
    for _ in range(60 * 14):
        hero.step(DT, type="walk", speed=1.2)
        if not seen or seen[-1] != hero.state.node:
            seen.append(hero.state.node)
    assert seen == ["wave", "stand", "walk"]
    assert [c.after for c in hero.changes].count("wave") == 2
    ways = [(c.before, c.after, c.way) for c in hero.changes]
    assert ("stand", "wave", "made") in ways
    assert ("stand", "walk", "recorded") in ways


def test_many_are_as_one(small):
    roots = [(0.0, 0.0, 0.0), (3.0, 1.0, 1.0), (-2.0, 5.0, -2.0)]
    types, speeds = ["walk", "run", "stand"], [1.2, 3.0, 0.0]
    many = Controllers(small, roots)
    alone = [Controller(small, x=x, z=z, heading=h) for x, z, h in roots]
    for k in range(150):
        turn = 20.0 * np.sin(k / 20.0)
        poses = many.step(DT, types if k < 100 else "stand", speeds, turn)
        for n, hero in enumerate(alone):
            pose = hero.step(DT, type=types[n] if k < 100 else "stand", speed=speeds[n], turn=turn)
            assert np.abs(pose.root_pos - poses.root_pos[n]).max() < 1e-5
            assert np.abs(pose.rot - poses.rot[n]).max() < 1e-5
    assert [s.node for s in many.states()] == [hero.state.node for hero in alone]
    with pytest.raises(ParameterError, match="3"):
        many.step(DT, speed=[1.0])


def test_a_root_given_from_outside_is_kept(small):
    hero = Controller(small, "walk")
    for k in range(60):
        pose = hero.step(DT, speed=1.0, root=(k / 60.0, 2.0, np.pi / 2.0))
    assert np.hypot(pose.root_pos[0] - 59.0 / 60.0, pose.root_pos[2] - 2.0) < 0.15
    hero.place(10.0, 0.0, 0.0)
    assert np.hypot(*(hero.step(DT).root_pos[[0, 2]] - [10.0, 0.0])) < 0.2


def test_a_short_random_walk_keeps_the_limits(small):
    usual = np.full(len(small.skeleton), 60.0)
    usual[[j for j, n in enumerate(small.skeleton.names) if "Foot" in n or "Toe" in n or "Leg" in n]] = 200.0
    walk = park2004_graph.random_walk(small, 3, 20.0, usual)
    assert walk.finite
    assert walk.backwards == 0
    assert walk.wrong_clamps == 0
    assert walk.excess.max() < 200.0
    assert walk.slide_cm_s < 1.5


def test_a_stream_goes_on_for_long_and_stays_what_a_fresh_one_is(small):
    assert park2004_graph.long_stream(small, 120.0, 1.0 / 30.0) < 1e-3


def test_commands_hold_until_the_next(small):
    commands = [Command(0.0, "walk", 1.2, 0.0), Command(1.5, "stand", 0.0, 0.0)]
    driven = drive(small, by_commands(commands), 4.0)
    kinds = [segment.kind for segment in driven.clip.report.segments]
    assert kinds == ["transition", "clip", "transition", "clip"] or kinds[1:] == ["clip", "transition", "clip"]
    assert driven.states[-1].node == "stand"
    assert driven.clip.frames == 241


@pytest.mark.slow
def test_the_built_in_graph_walks_at_random_within_its_limits():
    from footfall.graph.build.open_graph import graph

    found = graph("builtin")
    usual = park2004_graph.usual_accelerations(60.0)
    walks = [park2004_graph.random_walk(found, seed, 20.0, usual) for seed in range(3)]
    rows = park2004_graph.walk_rows(walks)
    assert [row.what for row in rows if row.ok is False and "deepest" not in row.what] == []
    one, two = Controller(found, "walk"), Controller(found, "walk")
    for k in range(240):  # what the kernels do alone is what the brain does
        a, b = (h.step(DT, speed=1.2 + 0.4 * np.sin(k / 15), turn=30 * np.sin(k / 22)) for h in (one, two))
        _ = two.state
        assert np.abs(a.rot - b.rot).max() < 1e-3
        assert np.abs(a.root_pos - b.root_pos).max() < 1e-3


@pytest.mark.parametrize("before", ["stand", "walk", "run"])
@pytest.mark.parametrize("after", ["stand", "walk", "run", "wave"])
def test_urgent_requests_while_cruising_begin_from_what_is_shown(small, before, after):
    speeds = {"stand": 0.0, "walk": 1.2, "run": 3.0, "wave": 0.0}
    hero = Controller(small, before)
    for _ in range(75):
        hero.step(1 / 60, type=before, speed=speeds[before], turn=0.0)
    shown, steps = hero.joint_positions, []
    for frame in range(30):
        if frame == 0 and after == "wave":
            hero.act("wave", urgent=True)
        wanted = {"type": after, "speed": speeds[after], "urgent": True} if frame == 0 and after != "wave" else {}
        hero.step(1 / 60, **wanted)
        steps.append(np.linalg.norm(hero.joint_positions - shown, axis=-1).max())
        shown = hero.joint_positions
    assert max(steps) < 0.17  # metres a frame: a running foot's own speed, no joint elsewhere at once


@pytest.mark.parametrize("seed", range(4))
def test_steps_of_any_length_keep_a_character_whole(small, seed):
    """Nothing, next to nothing, and whole seconds, between changes of mind: finite, of length 1, time never lost."""
    rng = np.random.default_rng(seed)
    hero = Controller(small)
    gone = 0.0
    for _ in range(60):
        dt = float(rng.choice([0.0, 1e-320, 1e-300, 1e-12, 1e-6, 1 / 60, 1 / 30, 0.3, 2.0]))
        if rng.random() < 0.15:
            hero.act("wave", urgent=bool(rng.random() < 0.5))
        wish = {"type": str(rng.choice(small.types)), "speed": rng.uniform(0, 2), "urgent": bool(rng.random() < 0.4)}
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            pose = hero.step(dt, **(wish if rng.random() < 0.3 else {}))
        gone += dt
        assert np.isfinite(pose.root_pos).all()
        np.testing.assert_allclose(np.linalg.norm(pose.rot, axis=-1), 1.0, rtol=0, atol=1e-12)
        assert hero.time_s == pytest.approx(gone, abs=2e-5)


def test_urgent_requests_at_random_moments_jump_nowhere(small):
    """All pairs of types and actions, half of them pressed within an edge."""
    found, raised = live_urgent.presses(small, 24, 7, live_urgent.usual_of(small))
    assert raised == []
    assert any(press.was_changing for press in found)
    for press in found:
        assert press.step_m <= press.allowed_m
        assert press.deep_cm <= live_urgent.DEEP_CM
        assert press.first_frame
        assert press.excess <= live_urgent.EXCESS


def test_an_urgent_stop_takes_steps_and_tells_how_long(small):
    hero = Controller(small, "run")
    stepped(hero, 1.5, speed=3.5)
    hero.step(DT, type="stand", urgent=True)
    told = hero.changes[-1]
    assert (told.after, told.way) == ("stand", "urgent")
    assert hero.velocity[0] > 1.5  # not stopped dead
    while hero.is_changing:
        hero.step(DT)
    assert hero.changes[-1].arrived_s == pytest.approx(told.arrived_s, abs=0.15)
    assert hero.node == "stand"


def test_a_change_is_told_before_it_is_made(small):
    hero = Controller(small, "walk")
    stepped(hero, 1.0, speed=1.2)
    while not hero.is_changing:
        hero.step(DT, type="run", speed=3.0)
    told = hero.changes[-1]
    assert not hero.past_changes
    while hero.is_changing:
        hero.step(DT)
    assert hero.past_changes[-1].arrived_s == pytest.approx(told.arrived_s, abs=0.15)


def test_the_number_of_threads_changes_no_byte(small):
    rng = np.random.default_rng(2)
    roots = rng.uniform(-20.0, 20.0, (300, 3))
    crowds = [Controllers(small, roots, type="walk", threads=threads) for threads in (1, 2)]
    kinds = np.array([small.types[k] for k in rng.integers(0, 3, 300)])
    for _ in range(40):
        speed, turn = rng.uniform(0.5, 4.0, 300), rng.uniform(-60.0, 60.0, 300)
        kinds[rng.random(300) < 0.1] = rng.choice(small.types)
        one, two = (crowd.step(DT, type=kinds, speed=speed, turn=turn) for crowd in crowds)
        assert one.rot.tobytes() == two.rot.tobytes()
        assert one.root_pos.tobytes() == two.root_pos.tobytes()
    assert crowds[0].row_bytes <= 2048


def test_poses_of_a_crowd_are_the_callers(small):
    many = Controllers(small, [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)], type="walk")
    first = many.step(DT, speed=1.2)
    kept = first.rot.copy()
    many.step(DT)
    assert np.array_equal(first.rot, kept)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), "fast", [1.0, float("nan")], [1.0]])
def test_wrong_commands_of_a_crowd_are_one_sentence_and_change_nothing(small, bad):
    many = Controllers(small, [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)], type="walk")
    many.step(DT, speed=1.2)
    with pytest.raises(ParameterError, match="speed"):
        many.step(DT, speed=bad)
    assert np.isfinite(many.step(DT).rot).all()
    with pytest.raises(ParameterError, match="types are numbered"):
        many.step(DT, type=np.array([0, 99]))


@pytest.mark.parametrize("kind", ["walk", "run"])
def test_shoved_characters_go_on_within_a_second(small, kind):
    rng = np.random.default_rng(3)
    for _ in range(6):
        hero = Controller(small, kind)
        stepped(hero, rng.uniform(0.8, 1.6), speed=1.2 if kind == "walk" else 3.0)
        before = hero.joint_positions
        forward, left = rng.uniform(-1.0, 1.0, 2)
        hero.shove(forward, left)
        steps = []
        for _ in range(60):
            hero.step(DT)
            steps.append(np.linalg.norm(hero.joint_positions - before, axis=-1).max() / DT)
            before = hero.joint_positions
        assert max(steps) < 14.0  # m/s: a running foot's own speed and the shove
        assert not hero.state.inertia
    with pytest.raises(ParameterError, match="a shove"):
        hero.shove(100.0)


@pytest.mark.parametrize(("forward", "left"), [(1.5, 0.0), (9.0, 0.0), (0.0, 6.0), (-2.0, 0.0)])
def test_nobody_is_shoved_faster_than_legs_could_follow(small, forward, left):
    hero = Controller(small, "run")
    stepped(hero, 1.5, speed=4.0)
    fastest, before = hero.graph.nodes["run"].coverage.high[0], np.array(hero.velocity[:2])
    hero.shove(forward, left)
    hero.step(DT)
    after, asked = np.array(hero.velocity[:2]), before + (forward, left)
    most = max(fastest, np.hypot(forward, left))  # one that stood would be as fast
    assert np.linalg.norm(after) == pytest.approx(min(np.linalg.norm(asked), most), abs=0.3)
    assert np.dot(after, asked) > 0.99 * np.linalg.norm(after) * np.linalg.norm(asked)  # in the direction it was pushed


def test_a_pose_of_somebody_else_is_taken_up_where_it_is(small):
    hero, other = Controller(small, "walk"), Controller(small, "run", x=5.0, z=2.0, heading=1.0)
    stepped(hero, 1.0, speed=1.2)
    stepped(other, 1.3, speed=3.0)
    pose = other.step(DT)
    was = other.joint_positions
    forward, left, _ = other.velocity
    heading = other.heading
    velocity = (np.sin(heading) * forward + np.cos(heading) * left, 0.0, np.cos(heading) * forward)
    hero.take(pose, velocity)
    hero.step(DT)
    assert np.linalg.norm(hero.joint_positions - was, axis=-1).max() < 0.25  # metres: a running body's frame
    stepped(hero, 3.0)
    assert hero.node == "walk"
    assert np.linalg.norm(hero.position - other.position) < 6.0


def test_an_arm_that_is_far_off_takes_the_longer_and_is_not_thrown(small):
    took, fastest = [], []
    for far in (1.2, 2.8):
        hero = Controller(small)
        pose = hero.step(DT)
        rot, shoulder = pose.rot.copy(), hero.skeleton.roles.left_shoulder
        rot[shoulder] = rotation.multiply(rot[shoulder], rotation.exp(np.array([0.0, 0.0, far])))
        hero.take(pose._replace(rot=rot))
        hero.step(DT)
        speeds = []
        while hero.state.inertia:
            before = hero.joint_positions
            hero.step(DT)
            speeds.append(np.linalg.norm(hero.joint_positions - before, axis=-1).max() / DT)
        took.append(len(speeds))
        fastest.append(max(speeds))
    assert took[1] > 1.4 * took[0]
    assert max(fastest) < 5.0  # m/s of a hand


def test_what_no_motion_is_near_to_is_said(small):
    hero = Controller(small)
    pose = hero.step(DT)
    lying = pose.rot.copy()
    lying[0] = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
    with pytest.raises(ParameterError, match="get up"):
        hero.take(pose._replace(rot=lying))
    with pytest.raises(ParameterError, match="finite"):
        hero.take(pose._replace(root_pos=np.full(3, np.nan)))
    with pytest.raises(ParameterError, match="joints"):
        hero.take(pose._replace(rot=pose.rot[:3]))


def test_goals_of_a_layer_that_comes_in_are_told_once_and_what_else_is_flagged_stays(small):
    hero = Controller(small)
    rows, decider = hero._live.rows, hero._live.decider
    rows.event[0] = TOLD | WAKE
    decider._hear(0)
    assert rows.event[0] == WAKE


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda hero: hero.step(DT, sped=2.0), "did you mean speed"),
        (lambda hero: hero.ask(trun=2.0), "did you mean turn"),
        (lambda hero: hero.act(None), "no type of motion 'None'"),
        (lambda hero: hero.take("lying"), "a Pose, such as hero.step returns, got str"),
        (lambda hero: Controllers(hero.graph, np.zeros((3, 2))), r"\(N, 3\) numbers, got \(3, 2\)"),
        (lambda hero: Controllers(hero.graph, []), "characters begin at x, z and a heading"),
        (lambda hero: Crowd(hero.graph, 2.5), "a whole number of characters, got 2.5"),
    ],
)
def test_wrong_arguments_get_a_sentence(small, call, says):
    with pytest.raises(FootfallError, match=says):
        call(Controller(small))
