"""A small graph: five walks, five runs, standing, and the six recorded edges between them."""

from __future__ import annotations

import pytest

from footfall.graph.edges import Edge, build_edges
from footfall.graph.graph import Graph, Node
from footfall.motions.gait_change import SteadyGait, gait_change
from footfall.motions.library import motion
from footfall.parametric.measure import blended_parameters, measured
from footfall.parametric.parametric_motion import build, with_weights

WALKS = [(0.6, 0.0), (1.9, 0.0), (1.2, 0.0), (1.0, 80.0), (1.0, -80.0)]
RUNS = [(2.0, 0.0), (5.0, 0.0), (3.2, 0.0), (2.8, 80.0), (2.8, -80.0)]
CORNERS = {
    "stand": [(0.0, 0.0)] * 4,
    "walk": [(0.8, -30.0), (0.8, 30.0), (1.6, -30.0), (1.6, 30.0)],
    "run": [(2.4, -30.0), (2.4, 30.0), (4.0, 30.0), (4.0, -30.0)],
}


def _gait(name, rows):
    found = measured(build([motion(name, speed=v, turn=w) for v, w in rows], "locomotion", name), ("speed", "turn"))
    return with_weights(found, "rbf", blended_parameters(found))


@pytest.fixture(scope="session")
def changes():
    """Four recorded changes for each pair of types."""
    found = {}
    for a in CORNERS:
        for b in CORNERS:
            if a != b:
                rows = zip(CORNERS[a], CORNERS[b], strict=True)
                found[a, b] = [
                    gait_change(SteadyGait(a, v, w * 3.14159265 / 180.0), SteadyGait(b, x, y * 3.14159265 / 180.0))
                    for (v, w), (x, y) in rows
                ]
    return found


@pytest.fixture(scope="session")
def small(changes):
    stand = build([motion("stand")], "stand", "stand", "ends")
    nodes = {"stand": stand, "walk": _gait("walk", WALKS), "run": _gait("run", RUNS)}
    edges = {
        (a, b): tuple(build_edges(nodes[a], nodes[b], clips, [clip.parameters for clip in clips]))
        for (a, b), clips in changes.items()
    }
    nodes["wave"] = build([motion("wave")], "take", "wave", "ends")
    edges["stand", "wave"], edges["wave", "stand"] = (Edge("stand", "wave"),), (Edge("wave", "stand"),)
    return Graph("small", {name: Node(m) for name, m in nodes.items()}, edges)


def tiny_graph():
    """Standing, five walks and a wave, with edges that nobody recorded: made in a moment."""
    nodes = {
        "stand": build([motion("stand")], "stand", "stand", "ends"),
        "walk": _gait("walk", WALKS),
        "wave": build([motion("wave")], "take", "wave", "ends"),
    }
    pairs = [("stand", "walk"), ("walk", "stand"), ("stand", "wave"), ("wave", "stand")]
    return Graph("small", {name: Node(n) for name, n in nodes.items()}, {(a, b): (Edge(a, b),) for a, b in pairs})
