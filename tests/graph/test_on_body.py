"""A graph on another body: as fast as its legs are long, feet where they stand, made once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.core.rig_file import RigFile
from footfall.core.skeleton import Skeleton
from footfall.graph import on_body as room
from footfall.graph.graph import Graph, Node
from footfall.live.controller import Controller, Controllers
from footfall.live.drive import drive
from footfall.motions.body import adult
from footfall.motions.library import motion
from footfall.parametric.measure import blended_parameters, measured
from footfall.parametric.parametric_motion import build, with_weights
from footfall.quality.slide import slide
from footfall.retarget.character import character

WALKS = [(0.6, 0.0), (1.8, 0.0), (1.0, 60.0), (1.0, -60.0)]


@pytest.fixture(scope="module")
def walks():
    found = measured(
        build([motion("walk", speed=v, turn=w) for v, w in WALKS], "locomotion", "walk"), ("speed", "turn")
    )
    nodes = {"walk": Node(with_weights(found, "rbf", blended_parameters(found)))}
    return Graph("walks", nodes, {})


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))


def below_a_root(skeleton: Skeleton) -> Skeleton:
    """The same body with its pelvis in a root on the floor, as heroes of games have it."""
    high = skeleton.rest_positions[0, 1]
    return Skeleton(
        ("root", *skeleton.names),
        np.concatenate([[-1], skeleton.parents + 1]),
        np.concatenate([[[0.0, 0.0, 0.0], [0.0, max(high, 0.9), 0.0]], skeleton.offsets[1:]]),
        end_parents=skeleton.end_parents + 1,
        end_offsets=skeleton.end_offsets,
    )


@pytest.mark.parametrize("body", ["adult:1.2", "root"])
def test_it_walks_with_its_own_legs(walks, body):
    given = below_a_root(adult()) if body == "root" else body
    hero = Controller(walks, character=given)
    scale = hero.skeleton.leg_length / walks.skeleton.leg_length
    low, high = hero.graph.nodes["walk"].coverage.low[0], hero.graph.nodes["walk"].coverage.high[0]
    assert (low, high) == pytest.approx((0.6 * scale, 1.8 * scale), rel=0.01)
    speed, deep = 1.1 * scale, []

    def steer(one: Controller, t: float) -> None:
        one.ask(speed=speed, turn=20.0)
        if t > 0.5:
            deep.append(-float(one.soles[1].min()))

    clip = drive(hero.graph, steer, 4.0, hero=hero).clip
    assert clip.skeleton.names == hero.skeleton.names
    assert slide(clip).mean_cm_s < 1.5
    assert max(deep) < 0.01
    assert hero.velocity[0] == pytest.approx(speed, rel=0.05)
    pelvis = clip.positions[:, clip.skeleton.roles.pelvis, 1] / clip.skeleton.leg_length
    assert 0.9 < pelvis.min() < pelvis.max() < 1.25


def test_it_is_made_once(walks, monkeypatch):
    first = room.graph_on(walks, "adult:1.3")
    assert room.graph_on(walks, "adult:1.3") is first
    room._known(walks).clear()
    monkeypatch.setattr(room, "on_body", lambda *_: pytest.fail("made again"))
    again = room.graph_on(walks, "adult:1.3")
    a, b = first.nodes["walk"].motion, again.nodes["walk"].motion
    np.testing.assert_allclose(a.root, b.root, atol=1e-6)
    with pytest.raises(BaseException, match="made again"):
        room.graph_on(walks, "adult:1.4")


def test_its_own_body_is_left_as_it_is(walks):
    assert room.graph_on(walks, walks.skeleton) is walks


def test_a_crowd_of_children(walks):
    many = Controllers(walks, [(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)], character="adult:1.2")
    poses = many.step(1 / 60, speed=0.8)
    assert poses.rot.shape == (2, 22, 4)
    assert poses.root_pos[:, 1].max() < 0.75


def test_a_body_comes_from_the_file_given_now(walks):
    """Kept on the disk, or made from a file that has another name since: motion goes into the file that was given."""
    for name in ("first.glb", "first.glb", "renamed.glb"):
        given = character("adult:1.2").skeleton
        given = replace(given, rig=RigFile(name, tuple(range(len(given))), given.names))
        again = Graph(walks.name, walks.nodes, walks.edges)
        assert Controller(again, character=given).skeleton.rig == given.rig
    own = replace(walks.skeleton, rig=RigFile("own.glb", tuple(range(len(walks.skeleton))), walks.skeleton.names))
    assert Controller(walks, character=own).skeleton.rig == own.rig
