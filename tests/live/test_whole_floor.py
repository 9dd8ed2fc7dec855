"""The whole floor: side steps, walking backward and turning on the spot, entered and left by the feet that stand."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.graph.edges import Edge
from footfall.graph.graph import Graph, Node
from footfall.live.controller import Controller
from footfall.live.drive import drive
from footfall.motions.library import motion
from footfall.parametric.measure import measured
from footfall.parametric.parametric_motion import build, with_weights
from footfall.parametric.turning_carrier import with_turning_carrier
from footfall.quality.slide import slide

DT = 1.0 / 60.0


@pytest.fixture(scope="module")
def floor():
    side = measured(
        build([motion("strafe", side=v) for v in (-1.0, -0.4, 0.4, 1.0)], "locomotion", "strafe"), ("side",)
    )
    back = [motion("walk-back", speed=v, turn=w) for v, w in ((0.5, 0.0), (1.2, 0.0), (0.8, 40.0), (0.8, -40.0))]
    turns = [motion("turn-in-place", angle=a, pairs=2, seed=k) for k, a in enumerate((45.0, 110.0, 180.0))]
    turn = measured(build(turns, "take", "turn"), ("angle",), {"angle": [45.0, 110.0, 180.0]})
    nodes = {
        "stand": build([motion("stand")], "stand", "stand", "ends"),
        "strafe": with_weights(side, "rbf"),
        "back": with_weights(measured(build(back, "locomotion", "back"), ("speed", "turn")), "rbf"),
        "turn": with_weights(with_turning_carrier(turn), "rbf"),
    }
    edges = {}
    for name in ("strafe", "back", "turn"):
        edges["stand", name], edges[name, "stand"] = (Edge("stand", name),), (Edge(name, "stand"),)
    return Graph("floor", {name: Node(m) for name, m in nodes.items()}, edges)


def driven(graph, orders, seconds):
    """What a character does that is told at some times; and how deep its soles get, metres."""
    waiting, deep = list(orders), []

    def steer(hero: Controller, t: float) -> None:
        while waiting and waiting[0][0] <= t:
            _, kind, asked = waiting.pop(0)
            hero.ask(**asked)
            hero.request(kind)
        if t > 0.1:
            deep.append(-float(hero.soles[1].min()))

    return drive(graph, steer, seconds), max(deep)


@pytest.mark.parametrize(
    ("kind", "asked", "goes"),
    [("strafe", {"side": 0.7}, (0.0, 0.7)), ("strafe", {"side": -0.7}, (0.0, -0.7)),
     ("back", {"speed": -0.9}, (-0.9, 0.0))],
)  # fmt: skip
def test_it_goes_where_it_is_told_and_stands_again(floor, kind, asked, goes):
    found, deep = driven(floor, [(0.3, kind, asked), (3.0, "stand", {})], 5.0)
    states = found.states
    middle = [s for s in states if 2.0 < s.time_s < 2.9]
    assert all(s.node == kind and not s.clamped for s in middle)
    assert np.mean([s.achieved["speed"] for s in middle]) == pytest.approx(goes[0], abs=0.06)
    assert np.mean([s.achieved["side"] for s in middle]) == pytest.approx(goes[1], abs=0.06)
    assert states[-1].node == "stand"
    assert abs(found.roots[-1, 2]) < 0.05
    assert deep < 0.015
    assert slide(found.clip).mean_cm_s < 2.0
    ankles = [found.clip.skeleton.roles.left_ankle, found.clip.skeleton.roles.right_ankle]
    apart = np.linalg.norm(np.diff(found.clip.positions[-1, ankles], axis=0))
    assert apart < 0.45  # metres: it does not stand in the middle of a stride


def test_beyond_what_is_covered_is_told(floor):
    found, _ = driven(floor, [(0.2, "strafe", {"side": 3.0})], 3.0)
    last = found.states[-1]
    assert last.clamped
    assert last.aimed["side"] == pytest.approx(1.0, abs=0.01)
    assert last.achieved["side"] == pytest.approx(1.0, abs=0.06)


@pytest.mark.parametrize("angle", [60.0, 140.0, -60.0, -170.0])
def test_it_turns_on_the_spot_to_either_side(floor, angle):
    hero = Controller(floor)
    for _ in range(20):
        hero.step(DT)
    start = hero.joint_positions[0]
    hero.act("turn", angle=angle)
    for _ in range(round(4.0 / DT)):
        hero.step(DT)
    assert hero.node == "stand"
    assert np.degrees(hero.heading) == pytest.approx(angle, abs=3.0)
    assert np.linalg.norm((hero.joint_positions[0] - start)[[0, 2]]) < 0.35


def test_the_head_turns_first(floor):
    hero = Controller(floor)
    hero.act("turn", angle=120.0)
    roles, yaws = hero.skeleton.roles, []
    for _ in range(60):
        hero.step(DT)
        w, x, y, z = hero.joint_rotations[[roles.pelvis, roles.head]].T
        yaws.append(np.arctan2(2.0 * (x * z + w * y), 1.0 - 2.0 * (x * x + y * y)))
    pelvis, head = np.unwrap(np.array(yaws), axis=0).T
    begun = [int(np.argmax(np.abs(turned - turned[0]) > 0.15)) for turned in (pelvis, head)]
    assert 0 < begun[1] < begun[0]
