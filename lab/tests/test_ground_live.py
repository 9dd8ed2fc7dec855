"""Live characters on stairs by commands at random, as the study has them."""

from __future__ import annotations

from footfall.graph.build.open_graph import graph
from footfall_lab.studies.ground_live import TREADS, flights, minute


def test_a_standing_foot_drifts_into_no_step():
    seed = 68  # in which a foot turns on a tread while its motion draws it along: its toes were 17 cm in the next one
    case, _ = minute(graph("builtin"), flights(*TREADS[seed % len(TREADS)]), seed, 30.0, ("stand", "walk"))
    assert max(case.depth_cm, case.edge_cm) < 1.0
