"""Live characters on a ground: level ground changes no byte, feet stand on what is there, steps nobody takes."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.core.errors import ParameterError
from footfall.graph.edges import Edge
from footfall.graph.graph import Graph, Node
from footfall.io.open_ground import ground
from footfall.kinematics.ground import GroundError, height_field, level, plates
from footfall.live.controller import Controller, Controllers
from footfall.live.crowd import Crowd
from footfall.motions.library import motion
from footfall.parametric.parametric_motion import build

DT = 1.0 / 60.0


def walked(hero: Controller, seconds: float, **wanted):
    """Sole points (T, 2, 3, 3), their heights over the ground, and what each foot stands on."""
    found = [(hero.step(DT, **wanted), *hero.soles) for _ in range(round(60.0 * seconds))]
    return [np.array(x) for x in list(zip(*found, strict=True))[1:]]


def test_level_ground_changes_no_byte(small):
    bare, stood, high = Controller(small), Controller(small, ground="flat"), Controller(small, ground=level(0.7))
    for k in range(240):
        wanted = {"type": "walk" if k < 150 else "stand", "speed": 1.2, "turn": 30.0}
        a, b, c = (hero.step(DT, **wanted) for hero in (bare, stood, high))
        assert a.root_pos.tobytes() == b.root_pos.tobytes()
        assert a.rot.tobytes() == b.rot.tobytes()
        off = np.abs(c.root_pos - a.root_pos - [0.0, 0.7, 0.0])  # a plane that lies higher is a ground
        assert off[1] < 0.02
        assert off.max() < 0.2


@pytest.mark.parametrize("name", ["slope:12", "slope:-15", "waves:15x300", "stairs:15x32", "stairs:-15x32", "rough:6"])
def test_feet_stand_on_the_ground_and_stay_there(small, name):
    hero = Controller(small, ground=name)
    points, heights, hold = walked(hero, 7.0, type="walk", speed=1.1)
    stands = hold >= 0
    lowest = heights[:, :, :].min(axis=2)
    assert lowest[stands].min() > -0.01  # no deeper than a centimetre
    settled = stands[4:] & stands[:-4]
    assert np.abs(lowest[4:][settled]).max() < 0.015
    going = np.linalg.norm(np.diff(points, axis=0)[..., [0, 2]], axis=-1) / DT  # (T, 2, 3)
    still = stands[1:] & stands[:-1] & (hold[1:] == hold[:-1])
    speed = np.take_along_axis(going, np.maximum(hold[1:], 0)[..., None], axis=2)[..., 0][still]
    assert speed.mean() < 0.02
    assert np.linalg.norm(hero.position[[0, 2]]) > 1.5  # it goes on


def test_stairs_are_climbed_tread_by_tread_with_the_whole_sole(small):
    stairs = ground("stairs:15x32").ahead_of(np.zeros(3), 0.0)
    hero = Controller(small, ground=stairs)
    points, _, hold = walked(hero, 9.0, type="walk", speed=1.1)
    assert hero.position[1] > 1.0
    treads = []
    for foot in range(2):
        flat = (np.diff(points[:, foot, :2].reshape(-1, 6), axis=0) ** 2).sum(axis=1) < 1e-7
        for k in np.flatnonzero(flat & (hold[1:, foot] >= 0)):
            heel, _, tip = points[k, foot]
            treads.append((round(float(stairs.heights(heel[0], heel[2])) / 0.15), k))
            assert stairs.heights(heel[0], heel[2]) == pytest.approx(float(stairs.heights(tip[0], tip[2])))
    order = [tread for tread, _ in sorted(treads, key=lambda pair: pair[1])]
    assert np.abs(np.diff(order)).max() <= 2


@pytest.mark.parametrize("end", [np.nan, 2.0])
def test_a_wall_and_the_end_of_the_ground_are_not_walked_into(small, end):
    heights = np.zeros((200, 200))
    heights[:, 130:] = end  # 3 m ahead
    hero = Controller(small, ground=plates(heights, 0.1, (-10.0, -10.0)))
    points, _, hold = walked(hero, 8.0, type="walk", speed=1.2)
    assert hero.is_blocked
    assert hero.position[2] < 3.1
    assert points[hold >= 0][..., 1].max() < 0.3
    assert np.isfinite(points).all()


def test_a_run_becomes_a_walk_of_one_speed_before_stairs(small):
    """A walk that was recorded at one speed only, and is not steered by it, is a walk too."""
    walk = Node(build([motion("walk", speed=1.2)], "locomotion", "walk"))
    pairs = [(a, b) for a in ("stand", "walk", "run") for b in ("stand", "walk", "run") if a != b]
    edges = {pair: (Edge(*pair),) if "walk" in pair else small.edges[pair] for pair in pairs}
    graph = Graph("one speed", {"stand": small.nodes["stand"], "walk": walk, "run": small.nodes["run"]}, edges)
    hero = Controller(graph, "run", ground="stairs:14x32x6@6")
    for _ in range(600):
        hero.step(DT, type="run", speed=3.0)
    assert ("run", "walk") in [(c.before, c.after) for c in hero.changes]
    assert hero.position[1] == pytest.approx(6 * 0.14, abs=0.02)


def test_a_run_becomes_a_walk_before_its_ground_ends(small):
    hero = Controller(small, ground=height_field(np.full((200, 400), 0.1), 0.1, (-10.0, -29.0)))  # to 10.9 m ahead
    walked(hero, 9.0, type="run", speed=3.5)
    assert [(change.before, change.after) for change in hero.changes if change.way == "for steps"] == [("run", "walk")]
    assert hero.is_blocked
    assert hero.position[2] < 11.0


def test_it_goes_on_once_it_turns_away(small):
    heights = np.zeros((200, 200))
    heights[:, 130:] = 2.0
    hero = Controller(small, ground=plates(heights, 0.1, (-10.0, -10.0)))
    walked(hero, 5.0, type="walk", speed=1.2)
    walked(hero, 3.0, speed=1.0, turn=60.0)
    walked(hero, 2.0, turn=0.0)
    assert not hero.is_blocked
    assert hero.position[2] < 2.5


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (lambda x, z: 0.1 * x, "function"),
        (height_field(np.full((5, 5), 0.2), 0.1, (5.0, 5.0)), "no ground where a character begins"),
    ],
)
def test_what_no_character_can_stand_on_is_refused_in_a_sentence(small, source, said):
    with pytest.raises((ParameterError, GroundError), match=said):
        Controller(small, ground=source)


def test_feet_that_are_not_locked_cannot_stand_on_a_ground(small):
    with pytest.raises(ParameterError, match="foot_lock"):
        Controller(small, foot_lock=False, ground="slope:10")


def test_one_and_many_and_threads_are_the_same(small):
    rng = np.random.default_rng(3)
    hills = height_field(np.cumsum(rng.normal(0.0, 0.01, (120, 120)), axis=1), 0.25, (-15.0, -15.0))
    roots = [(0.5 * n - 2.0, 0.3 * n, 0.7 * n) for n in range(5)]
    many = Controllers(small, roots, ground=hills)
    ones = [Controller(small, x=x, z=z, heading=h, ground=hills) for x, z, h in roots]
    for _ in range(150):
        together = many.step(DT, type="walk", speed=1.2, turn=10.0)
        for n, one in enumerate(ones):
            alone = one.step(DT, type="walk", speed=1.2, turn=10.0)
            assert alone.root_pos.tobytes() == together.root_pos[n].tobytes()
            assert alone.rot.tobytes() == together.rot[n].tobytes()


def test_a_character_that_is_put_elsewhere_stands_there(small):
    hero = Controller(small, ground=ground("slope:20").ahead_of(np.zeros(3), 0.0))
    walked(hero, 1.0, type="walk", speed=1.0)
    hero.place(0.0, 10.0, 0.0)
    pose = hero.step(DT)
    assert pose.root_pos[1] == pytest.approx(2.9, abs=0.15)
    taken = pose._replace(root_pos=pose.root_pos + [0.0, 1.0, 5.0])  # up the slope
    hero.take(taken)
    assert np.abs(hero.step(DT).root_pos - taken.root_pos).max() < 0.12


def test_a_crowd_walks_on_a_ground(small):
    crowd = Crowd(small, 9, seed=1, ground="waves:30x500")
    for _ in range(200):
        poses = crowd.step(DT)
    under = crowd.characters.ground.heights(poses.root_pos[:, 0], poses.root_pos[:, 2])
    assert np.abs(poses.root_pos[:, 1] - under - 0.9).max() < 0.15
    assert np.ptp(under) > 0.1


def test_a_run_becomes_a_walk_before_stairs_and_runs_on_after_them(small):
    hero = Controller(small, ground="stairs:15x32x5@9")
    seen = []
    for _ in range(round(60.0 * 22.0)):
        hero.step(DT, type="run", speed=3.0)
        seen.append((hero.position[2], hero.position[1], hero.node, hero.is_changing))
        if hero.position[2] > 17.0:
            break
    on_steps = [node for along, _, node, changing in seen if 9.0 < along < 10.5 and not changing]
    assert seen[-1][1] == pytest.approx(0.75)  # it is up
    assert on_steps
    assert set(on_steps) == {"walk"}
    assert any(node == "run" for along, _, node, _ in seen if along < 8.0)
    assert seen[-1][2] == "run"
    told = [(change.before, change.after, change.way) for change in hero.changes]
    assert ("run", "walk", "for steps") in told


def test_steps_take_longer_on_stairs_and_slopes_than_on_the_level(small):
    paces = {}
    for name in ("slope:0", "slope:18", "stairs:17x30", "stairs:-17x30", "stairs:8x30"):
        hero = Controller(small, ground=name)
        found = []
        for _ in range(360):
            hero.step(DT, type="walk", speed=1.3)
            found.append(hero.pace)
        paces[name] = min(found)
        assert hero.time_s == pytest.approx(6.0)
    assert paces["slope:0"] == 1.0
    assert paces["slope:18"] < 0.9
    assert paces["stairs:17x30"] < paces["stairs:8x30"] < 1.0
    assert paces["stairs:17x30"] < paces["stairs:-17x30"] < 1.0  # people take longer up than down


@pytest.mark.parametrize(
    ("name", "aslant"), [("stairs:17x30", 0.0), ("stairs:17x30", 0.5), ("stairs:-17x30", 0.0), ("stairs:-17x30", 0.5)]
)
def test_no_part_of_a_sole_passes_through_the_edge_of_a_step(small, name, aslant):
    stairs = ground(name).ahead_of(np.zeros(3), 0.0)
    hero = Controller(small, ground=stairs, heading=aslant)
    _, heights, _ = walked(hero, 10.0, type="walk", speed=1.1)
    assert abs(hero.position[1]) > 1.0
    assert heights.min() > -0.02  # metres; the limit within 30 ms of an edge, here at any time


def test_beyond_the_end_of_its_ground_a_character_has_a_place(small):
    """A body that is shoved over the edge keeps the height it had there; its position is never not a number."""
    hero = Controller(small, ground=height_field(np.full((41, 41), 0.3), 0.05))
    for k in range(300):
        hero.step(DT, type="walk", speed=1.3)
        if k % 20 == 0:
            hero.shove(2.0, 0.0)
        assert np.isfinite(hero.position).all()
    assert hero.position[2] > 1.05
    assert hero.position[1] == pytest.approx(0.3, abs=0.05)
