"""Quick edges: at once is sooner; who passes through standing, or has done an action, does not wait."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from footfall.live.controller import Controller
from footfall.live.playable_graph import playable_graph
from footfall.live.quick_edges import MOST_PACE, quick_edges
from footfall.parametric import play

DT = 1.0 / 60.0


def walking(of, frames: int, kind: str = "walk", speed: float = 1.2) -> Controller:
    hero = Controller(of, kind)
    hero.ask(speed=speed)
    for _ in range(frames):
        hero.step(DT)
    return hero


def seconds_to(hero: Controller, speed: float, urgent: bool) -> float:
    """Until it walks at nine tenths of a speed."""
    for k in range(240):
        hero.step(DT, **({"type": "walk", "speed": speed, "urgent": urgent} if k == 0 else {}))
        if hero.velocity[0] >= 0.9 * speed:
            return (k + 1) * DT
    raise AssertionError("never")


def test_an_edge_is_gone_sooner_with_the_same_poses(small):
    edges = list(small.edges["stand", "walk"])
    found = quick_edges(edges)
    assert all(found)
    for edge, quick in zip(edges, found, strict=True):
        old, new = edge.motion, quick.motion
        assert (new.key_times[:, -1] < old.key_times[:, -1]).all()
        assert (np.diff(old.key_times, axis=1) <= (MOST_PACE + 1e-6) * np.diff(new.key_times, axis=1)).all()
        np.testing.assert_allclose(new.travel[-1], old.travel[-1], atol=1e-9)
        for part, spans in new.contacts.items():  # contacts stay on their poses
            assert spans.shape == old.contacts[part].shape
            assert (np.diff(spans, axis=-1) > 0.0).all()
        ends = [
            play.play(m, np.eye(len(m))[0], np.array([0.0, play.duration(m, np.eye(len(m))[0])])) for m in (old, new)
        ]
        np.testing.assert_allclose(ends[0].pose.rot, ends[1].pose.rot, atol=1e-6)


def test_a_run_that_is_hurried_into_a_walk_slows_down_all_the_way(small):
    """Its last steps, which walk already, are not hurried: the body would run again."""
    edges = [edge for edge in small.edges["run", "walk"] if edge.motion is not None]
    slower = 0
    for edge, quick in zip(edges, quick_edges(edges), strict=True):
        for k, weights in enumerate(np.eye(len(edge.motion)) if quick is not None else ()):
            plain, hurried = (carried_speeds(m, weights) for m in (edge.motion, quick.motion))
            end = float(plain[-1])
            slower += 1
            assert hurried[-1] == pytest.approx(end, rel=0.05)
            last = np.flatnonzero(plain > 1.1 * end)[-1]
            later = hurried[min(int(last * len(hurried) / len(plain)) + 12, len(hurried) - 1) :]
            assert later.max() < 1.25 * end, (k, later.max(), end)
    assert slower or not any(quick_edges(edges)), "no example was hurried"


def carried_speeds(motion, weights) -> np.ndarray:
    """(T,) m/s of the carrier, at 60 frames a second, over 0.2 s around each."""
    times = np.arange(0.0, play.duration(motion, weights), DT)
    at = play.play(motion, weights, times).pose.root_pos[:, [0, 2]]
    return np.convolve(np.linalg.norm(np.diff(at, axis=0), axis=1) / DT, np.full(12, 1 / 12), mode="valid")


def test_plain_requests_take_no_quick_edge(small):
    of = playable_graph(small)
    plain = {e for ways in of.ways.values() for e in ways}
    assert of.quick
    assert not plain & set(of.quick.values())
    hero = walking(small, 40, "stand", 0.0)
    hero.step(DT, type="walk", speed=1.2)
    assert int(hero._live.rows.edge[0]) in plain


@pytest.mark.parametrize("speed", [0.7, 1.2])
def test_a_start_asked_for_at_once_comes_sooner_than_a_plain_one(small, speed):
    plain = seconds_to(walking(small, 40, "stand", 0.0), speed, False)
    at_once = seconds_to(walking(small, 40, "stand", 0.0), speed, True)
    assert at_once < 0.8 * plain
    assert at_once < 1.5 * speed / 4.0 + 0.3  # half as long again as 4 m/s² take, and a step's beginning


def test_a_blend_that_is_turned_round_too_late_throws_nobody(small):
    """On a key time what was left plays on at the rate of its next stretch: a body that was thrown went eight times as
    fast."""
    late = 0
    for frames, first, second, third in product(range(60, 100, 6), (3, 6), (2, 5), (4, 10, 16, 22)):
        hero, speeds = walking(small, frames), []
        for wanted, waited in (("stand", first), ("walk", second), ("stand", third), ("walk", 50)):
            hero.request(wanted)
            for _ in range(waited):
                was = hero.state
                hero.step(DT)
                late += was.phase == "leaving" and hero.state.phase == "node" and hero.state.inertia
                speeds.append(np.hypot(*hero.velocity[:2]))
        assert max(speeds) < 1.7
    assert late, "no blend was turned round too late"


def test_who_passes_through_standing_does_not_come_to_rest_first(small):
    hero = walking(small, 60)
    hero.request("stand")
    while hero.state.phase != "entering":
        hero.step(DT)
    hero.request("walk")
    states = []
    for _ in range(150):
        hero.step(DT)
        states.append(hero.state)
    assert not any(s.node == "stand" and not s.edge for s in states)
    assert states[-1].node == "walk"
    assert [c.way for c in hero.past_changes][-1] == "recorded"


def test_a_gait_begins_where_an_action_ends(small):
    action = next(iter(small.actions))
    hero = walking(small, 20, "stand", 0.0)
    hero.act(action)
    hero.step(DT)
    hero.step(DT, type="walk", speed=1.2)
    states = []
    for _ in range(400):
        hero.step(DT)
        states.append(hero.state)
    assert not any(s.node == "stand" and not s.edge for s in states)
    assert states[-1].node == "walk"
