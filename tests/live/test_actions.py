"""Actions of a character that goes: entered and left in stride, or laid over, and said where a stop is needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.analysis.additional import find_additional
from footfall.core import rotation
from footfall.core.skeleton import Skeleton
from footfall.graph.edges import Edge
from footfall.graph.graph import Graph, Node
from footfall.live.controller import Controller
from footfall.live.drive import drive
from footfall.live.passages import action_span
from footfall.motions.library import motion
from footfall.parametric.builtin_sets import parametric_set
from footfall.parametric.mirrored import mirrored
from footfall.parametric.on_body import on_body
from footfall.parametric.parametric_motion import build, with_weights
from footfall.retarget.character import character as character_of
from footfall_lab.studies.live_actions import LATE_S, apex_of, own_apex

DT = 1.0 / 60.0


@pytest.fixture(scope="module")
def acting(small):
    """The small graph with a kick and a jump."""
    nodes = dict(small.nodes)
    edges = dict(small.edges)
    for name in ("kick", "jump"):
        nodes[name] = Node(with_weights(parametric_set(name), "rbf"))
        edges["stand", name], edges[name, "stand"] = (Edge("stand", name),), (Edge(name, "stand"),)
    return Graph("acting", nodes, edges)


def walking(graph, frames: int, speed: float = 1.3, kind: str = "walk") -> Controller:
    hero = Controller(graph, kind)
    hero.ask(speed=speed)
    for _ in range(frames):
        hero.step(DT)
    return hero


def shown(hero: Controller, seconds: float):
    """The clip of what a character does, and the nodes it is in."""
    from footfall.core.clip import Clip
    from footfall.core.pose import Pose

    poses, nodes = [], []
    for _ in range(round(seconds / DT)):
        poses.append(hero.step(DT))
        nodes.append(hero.node)
    pose = Pose(np.stack([p.root_pos for p in poses]), np.stack([p.rot for p in poses]))
    return Clip(hero.skeleton, 1.0 / DT, pose), nodes


@pytest.mark.parametrize("action", ["kick", "jump"])
def test_an_action_is_entered_and_left_in_stride(acting, action):
    for frames in range(60, 120, 9):
        hero = walking(acting, frames)
        hero.act(action)
        clip, nodes = shown(hero, 3.0)
        assert set(nodes) == {"walk", action}, frames
        assert nodes[-1] == "walk"
        assert [c.way for c in hero.changes] == ["in stride", "in stride"]
        assert apex_of(clip, action) <= own_apex(acting, action) + LATE_S
        steps = np.linalg.norm(np.diff(clip.positions, axis=0), axis=-1)
        assert steps.max() < 0.2  # of a kick alone it is 0.16


@pytest.mark.parametrize("dt", [1 / 60, 1 / 50, 0.0213, 0.031])
def test_a_motion_that_ends_while_the_body_goes_on_stops_no_foot(small, dt):
    """A take that is cut in the middle of a run: of the step in which it ends, nothing is lost."""
    run = replace(motion("run", speed=3.0, cycles=3), is_loop=False)
    nodes = {"stand": small.nodes["stand"], "dash": Node(build([run], "take", "dash", "ends"))}
    pairs = [("stand", "dash"), ("dash", "stand")]
    hero = Controller(Graph("dashing", nodes, {pair: (Edge(*pair),) for pair in pairs}))
    hero.act("dash")
    at, seen = [], []
    for _ in range(round(3.0 / dt)):
        at.append(hero.step(dt).root_pos)
        seen.append(hero.node)
    assert seen[-1] == "stand"
    push = np.linalg.norm(np.diff(at, n=2, axis=0)[:, [0, 2]], axis=1) / dt**2
    assert push.max() < 30.0  # a frame that is half lost has 90 m/s²


def test_what_an_action_shows_is_shown(acting):
    own = acting.nodes["kick"].motion
    high = 0.95 * float(acting.nodes["kick"].coverage.nearest(own.parameters.mean(axis=0).tolist())[0][1])
    for frames in range(60, 120, 13):
        hero = walking(acting, frames)
        hero.act("kick")
        clip, _ = shown(hero, 1.6)
        ankles = [clip.skeleton.roles.left_ankle, clip.skeleton.roles.right_ankle]
        assert clip.positions[:, ankles, 1].max() >= high


def test_a_target_is_kicked_at_with_whichever_foot_comes_first(acting):
    feet = set()
    for frames in range(60, 126, 6):
        hero = walking(acting, frames, 1.0)
        hero.act("kick", y=0.7)
        clip, _ = shown(hero, 1.2)
        roles = clip.skeleton.roles
        high = clip.positions[:, [roles.left_ankle, roles.right_ankle], 1].max(axis=0)
        assert high.max() == pytest.approx(0.7, abs=0.06)
        feet.add(int(high.argmax()))
    assert feet == {0, 1}


def test_where_a_stop_is_needed_it_is_said(acting):
    hero = walking(acting, 90, 4.5, "run")
    hero.act("jump")
    _, nodes = shown(hero, 4.5)
    assert "stand" in nodes
    assert next(c.way for c in hero.changes if c.after == "jump") == "after a stop"


def test_a_leap_is_not_taken_back(acting):
    hero = walking(acting, 30, 0.0, "stand")
    start = hero.position[2]
    hero.act("jump", distance=1.0)
    clip, nodes = shown(hero, 3.0)
    assert nodes[-1] == "stand"
    gone = clip.pose.root_pos[-1, 2] - start
    assert gone == pytest.approx(1.0, abs=0.15)
    assert hero.position[2] == pytest.approx(clip.pose.root_pos[-1, 2], abs=0.15)
    assert (np.diff(clip.pose.root_pos[90:, 2]) > -0.01).all()


def test_a_wave_is_laid_over_the_gait_and_feet_go_on(acting):
    plain, waving = walking(acting, 60), walking(acting, 60)
    waving.act("wave")
    (a, _), (b, nodes) = shown(plain, 7.0), shown(waving, 7.0)
    assert set(nodes) == {"walk"}
    assert [c.way for c in waving.changes] == ["laid over"]
    roles = a.skeleton.roles
    arms = [roles.left_shoulder, roles.right_shoulder, roles.left_elbow, roles.right_elbow]
    others = [j for j, name in enumerate(a.skeleton.names) if "Arm" not in name and "Hand" not in name
              and "Shoulder" not in name]  # fmt: skip
    assert np.array_equal(a.pose.root_pos, b.pose.root_pos)
    assert np.array_equal(a.pose.rot[:, others], b.pose.rot[:, others])
    assert np.abs(a.pose.rot[:, arms] - b.pose.rot[:, arms]).max() > 0.2
    assert np.array_equal(a.pose.rot[-1], b.pose.rot[-1])  # it is over
    assert np.linalg.norm(np.diff(b.positions, axis=0), axis=-1).max() < 0.16


def test_an_arm_movement_without_rest_at_its_ends_is_laid_over_whole(acting):
    short = motion("wave").trim(0.15, 0.8)
    node = Node(build([short], "take", "wave", "ends"))
    graph = Graph("short", {**acting.nodes, "wave": node}, acting.edges)
    plain, hero = walking(graph, 60), walking(graph, 60)
    hero.act("wave")
    (clip, nodes), (walk, _) = shown(hero, 2.5), shown(plain, 2.5)
    assert set(nodes) == {"walk"}
    differs = np.flatnonzero((clip.pose.rot != walk.pose.rot).any(axis=(1, 2)))
    (told,) = hero.changes
    assert differs[-1] - differs[0] == pytest.approx((told.arrived_s - told.begun_s) * clip.fps, abs=3)
    roles = clip.skeleton.roles
    arm = [roles.right_shoulder, roles.right_elbow]
    seen = find_additional(short)
    moving = short.pose.rot[round(seen.start_s * short.fps) : round(seen.end_s * short.fps), arm]
    apart = rotation.angle_between(clip.pose.rot[:, None, arm], moving).max(axis=-1)
    assert np.degrees(apart.min(axis=0)).max() < 4.0  # frames of one fall between those of the other


def test_a_wave_goes_on_through_a_change_and_the_next_waits(acting):
    hero = walking(acting, 60)
    hero.act("wave")
    hero.act("wave")
    hero.request("run")
    _, nodes = shown(hero, 12.0)
    assert set(nodes) == {"walk", "run"}
    waves = [c for c in hero.changes if c.after == "wave"]
    assert [c.way for c in waves] == ["laid over", "laid over"]
    assert waves[1].begun_s >= waves[0].arrived_s - 0.1
    assert hero.actions_waiting == 0


def test_many_in_stride_are_as_one(acting):
    from footfall.live.controller import Controllers

    many = Controllers(acting, [(0.0, 0.0, 0.0)] * 3, type="walk")
    one = walking(acting, 0)
    for k in range(200):
        if k == 70:
            many.act(1, "kick")
            one.act("kick")
        poses, pose = many.step(DT, speed=1.3), one.step(DT, speed=1.3)
        assert np.array_equal(poses.rot[1], pose.rot)
    assert [c.way for c in many.changes(1)] == [c.way for c in one.changes]
    assert not many.changes(0)


@pytest.mark.parametrize("name", ["kick", "jump"])
def test_mirrored_twice_is_the_same(name):
    motion = parametric_set(name)
    once = mirrored(motion)
    twice = mirrored(once)
    assert twice.marks == motion.marks
    assert once.marks != motion.marks or name == "jump"
    np.testing.assert_allclose(twice.parameters, motion.parameters, atol=1e-12)
    t, weights = np.linspace(0.0, 1.0, 9), np.eye(len(motion))[3]
    a, b = motion.local_pose(t, weights), twice.local_pose(t, weights)
    np.testing.assert_allclose(a.root_pos, b.root_pos, atol=1e-9)
    assert (np.abs((a.rot * b.rot).sum(axis=-1)) > 1.0 - 1e-9).all()
    np.testing.assert_allclose(once.root[..., 0], -motion.root[..., 0], atol=1e-12)
    assert replace(once, fitted=None).contacts.keys() == motion.contacts.keys()


def lying(pose, turn):
    """A standing pose turned over and laid on the floor."""
    from footfall.core import rotation

    rot = pose.rot.copy()
    rot[0] = rotation.multiply(np.array(turn), rot[0])
    return pose._replace(root_pos=np.array([2.0, 0.12, 1.0]), rot=rot)


def test_who_lies_gets_up_and_goes_on_with_what_is_asked(acting):
    from footfall.core.errors import ParameterError
    from footfall.motions.library import motion
    from footfall.parametric.parametric_motion import build

    nodes = {name: acting.nodes[name] for name in ("stand", "walk")}
    nodes["get-up"] = Node(build([motion("get-up")], "take", "get-up", "ends"))
    edges = {pair: acting.edges[pair] for pair in (("stand", "walk"), ("walk", "stand"))}
    edges["stand", "get-up"], edges["get-up", "stand"] = (Edge("stand", "get-up"),), (Edge("get-up", "stand"),)
    hero = Controller(Graph("rises", nodes, edges))
    standing, half = hero.step(DT), np.sqrt(0.5)
    with pytest.raises(ParameterError, match="get up"):
        hero.take(lying(standing, (half, half, 0.0, 0.0)))  # on its front
    hero.take(lying(standing, (half, -half, 0.0, 0.0)))
    hero.request("walk")
    clip, seen = shown(hero, 6.0)
    assert list(dict.fromkeys(seen)) == ["get-up", "stand", "walk"]
    first = clip.positions[0]
    assert first[clip.skeleton.roles.head, 1] < 0.4
    assert np.linalg.norm(first[0] - [2.0, 0.12, 1.0]) < 0.05
    assert (np.linalg.norm(np.diff(clip.positions, axis=0), axis=-1) / DT).max() < 6.0  # m/s: nothing snaps
    assert clip.positions[..., 1].min() > -0.02


def test_a_character_whose_root_lies_on_the_floor_does_actions_from_their_start(acting):
    """As rigs of game engines have it; it was taken for one that lies, and of its kick only the end was done."""
    kick, own = acting.nodes["kick"].motion, acting.skeleton
    up = own.rest_world[0][0]
    rooted = Skeleton(
        ("root", *own.names),
        np.concatenate([[-1], own.parents + 1]),
        np.concatenate([np.zeros((1, 3)), [up], own.offsets[1:]]),
        np.concatenate([rotation.IDENTITY[None], own.rest]),
        own.end_parents + 1,
        own.end_offsets,
    )
    there, here = action_span(on_body(kick, character_of(rooted))), action_span(kick)
    assert there.enter_by == pytest.approx(here.enter_by, abs=0.02)
    assert there.leave_from == pytest.approx(here.leave_from, abs=0.05)


@pytest.mark.parametrize("leaves_s", [0.3, None])
def test_an_action_that_is_left_before_its_apex_is_told_of(acting, leaves_s):
    def steer(hero: Controller, t: float) -> None:
        if t == 0.0:
            hero.act("kick")
        if leaves_s is not None and abs(t - leaves_s) < 0.5 * DT:
            hero.request("walk", urgent=True)

    driven = drive(acting, steer, 4.0)
    assert [name for _, name in driven.cut_short] == ([] if leaves_s is None else ["kick"])
    assert driven.dips.max() < 0.04
