"""Graphs that version 0.1 wrote still load, and play as they did then.

old/small.json is a graph saved from Python: standing, walking by speed and turn with smooth-inverse weights, a
recorded edge and an action. old/built.graph is what `footfall graph build` made of recordings: walking by speed and a
kick. The poses below are those of version 0.1 after two seconds of walking.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall as ff
from footfall.graph.build.built_graph import is_untouched

OLD = Path(__file__).parent / "old"
PELVIS = {
    "small.json": (0.02041948112430507, 0.9129168959590678, 2.120691954874956),
    "built.graph": (-0.021267969846686403, 0.914620479484694, 2.730039620463345),
}
NODES = {"small.json": ("stand", "walk", "wave"), "built.graph": ("walk", "kick")}


@pytest.mark.parametrize("name", PELVIS)
def test_graphs_of_version_0_1_load_and_play(name):
    graph = ff.graph(OLD / name)
    assert tuple(graph.nodes) == NODES[name]
    hero = ff.Controller(graph)
    for _ in range(60):
        pose = hero.step(1 / 30, type="walk", speed=1.4, turn=0)
    np.testing.assert_allclose(pose.root_pos, PELVIS[name], atol=1e-5)


def test_build_files_of_version_0_1_are_known_as_untouched():
    assert is_untouched(OLD / "built.graph")


def test_an_urgent_action_begins_while_the_kernels_move_a_character():
    hero = ff.Controller(ff.graph(OLD / "small.json"), type="walk")
    for _ in range(20):
        hero.step(1 / 30, speed=1.4)
    hero.act("wave", urgent=True)
    roles, raised = hero.skeleton.roles, []
    for _ in range(30):
        pose = hero.step(1 / 30)
        wrists = hero.joint_positions[[roles.left_wrist, roles.right_wrist], 1]
        raised.append(wrists.max() - hero.joint_positions[roles.pelvis, 1])
    assert hero.changes[-1].way == "laid over"  # the feet go on
    assert hero.state.node == "walk"
    assert max(raised) > 0.5  # a wave is over the shoulder
    assert pose.root_pos[1] > 0.8
