"""A graph of walking and standing, saved to a file."""

from __future__ import annotations

import pytest

import footfall as ff
from footfall.graph.edges import build_edges
from footfall.graph.graph import Graph, Node
from footfall.motions.gait_change import SteadyGait, gait_change
from footfall.parametric.measure import blended_parameters, measured
from footfall.parametric.parametric_motion import build, with_weights


@pytest.fixture(scope="module")
def graph_file(tmp_path_factory):
    """Walking and standing, saved."""
    clips = [ff.motion("walk", speed=v, turn=w) for v, w in ((0.7, 0.0), (1.8, 0.0), (1.1, 60.0), (1.1, -60.0))]
    walk = measured(build(clips, "locomotion", "walk"), ("speed", "turn"))
    nodes = {
        "stand": build([ff.motion("stand")], "stand", "stand", "ends"),
        "walk": with_weights(walk, "rbf", blended_parameters(walk)),
    }
    edges = {}
    for a, b in (("stand", "walk"), ("walk", "stand")):
        speeds = [(0.9, -0.4), (0.9, 0.4), (1.5, -0.4), (1.5, 0.4)]
        made = [gait_change(*(SteadyGait(k, *(s if k == "walk" else (0.0, 0.0))) for k in (a, b))) for s in speeds]
        edges[a, b] = tuple(build_edges(nodes[a], nodes[b], made, [c.parameters for c in made]))
    found = Graph("two", {name: Node(m) for name, m in nodes.items()}, edges)
    return found.save(tmp_path_factory.mktemp("graph") / "two.json")
