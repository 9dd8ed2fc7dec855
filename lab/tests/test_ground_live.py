"""Live characters on hills and stairs by commands at random, as the study has them."""

from __future__ import annotations

import pytest

from footfall.graph.build.open_graph import graph
from footfall.quality.joins import VISIBLE
from footfall_lab.studies.ground_live import TREADS, LiveCase, flights, hills, minute


def on_stairs(seed: int, seconds: float) -> LiveCase:
    return minute(graph("builtin"), flights(*TREADS[seed % len(TREADS)]), seed, seconds, ("stand", "walk"))[0]


def test_a_standing_foot_drifts_into_no_step():
    case = on_stairs(68, 30.0)  # in which a foot turns on a tread while its motion draws it along: toes 17 cm in a step
    assert max(case.depth_cm, case.edge_cm) < 1.0


@pytest.mark.parametrize(
    ("seed", "seconds"),
    [
        (33, 52.0),  # a step of 8 cm in the motion that is one of 29 cm on the ground, gone in two frames: 349 m/s²
        (16, 20.0),  # a leg that is nearly straight as its foot leaves: 145 m/s² at the knee
        (57, 42.0),  # a foot in mid-swing that a motion which comes in says is down: 140 m/s²
    ],
)
def test_feet_and_knees_on_hills_are_not_jerked(seed, seconds):
    assert minute(graph("builtin"), hills(seed), seed, seconds)[0].excess < VISIBLE


@pytest.mark.parametrize(
    ("seed", "seconds"),
    [
        (30, 12.0),  # a swing raised over an edge twice, by its plan and by what it foresees: 139 m/s²
        (22, 42.0),  # a foot that lands ahead of its tread and is set back at once: 141 m/s²
        (68, 10.0),  # a foot that is drawn along as it leaves for the tread above: 146 m/s²
    ],
)
def test_feet_on_stairs_are_not_jerked(seed, seconds):
    assert on_stairs(seed, seconds).excess < VISIBLE


def test_a_body_is_not_jerked_by_a_foot_that_lands_off_its_plan():
    assert on_stairs(33, 45.0).heave < 1.3  # led at the speed of its goal, which jumps there: 1.66


def test_soles_lie_on_treads_that_are_hardly_longer():
    """Of 28 cm: where places are looked for every 2 cm, 90 % lie whole on them, at a third of that 94 %."""
    cases = [on_stairs(seed, 60.0) for seed in range(3, 53, 5)]
    assert sum(case.whole for case in cases) >= 0.92 * sum(case.landings for case in cases)
