"""footfall compare: two ways to drive a character, one script, one table."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from helpers import run_cli as run

import footfall as ff
from footfall_lab.compare import (
    STANDARD,
    ComparisonRow,
    contest,
    graph_clips,
    random_script,
    standard_script,
    to_csv,
)


def test_a_graph_file_against_its_own_examples(graph_file, tmp_path, capsys):
    script, table = tmp_path / "s.csv", tmp_path / "out.csv"
    script.write_text("t_s,type,speed,turn\n0,stand,0,0\n1,walk,1.2,0\n4,walk,1.2,30\n7,stand,0,0\n")
    assert run("compare", str(graph_file), str(script), "--csv", str(table)) == 0
    out = capsys.readouterr().out
    assert "transition graph" in out
    assert "motion matching" in out
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["name"] for row in rows] == ["transition graph", "motion matching"]
    assert all(row["requests"] == "3" for row in rows)
    assert all(0 < float(row["megabytes"]) < 100 and float(row["us_a_step"]) > 0 for row in rows)
    assert int(rows[0]["reached"]) == 3


def test_a_graph_gives_its_examples_back(graph_file):
    graph = ff.graph(graph_file)
    clips = graph_clips(graph)
    recorded = sum(len(edge.motion) for ways in graph.edges.values() for edge in ways)
    assert len(clips) == 1 + 4 + recorded
    walk = graph.nodes["walk"].motion
    for k, clip in enumerate(clips[1:5]):
        arc = ff.analyze(clip).arc
        assert arc.speed == pytest.approx(walk.parameters[k, 0], rel=0.05)
        assert np.degrees(arc.turn) == pytest.approx(walk.parameters[k, 1], abs=3.0)


def test_wrong_requests_are_told_in_a_line(graph_file, tmp_path, capsys):
    script = tmp_path / "s.csv"
    script.write_text("t_s,type,speed,turn\n0,fly,0,0\n")
    for given in (
        [str(graph_file), str(script)],
        [str(graph_file), str(script), "--seeds", "1"],
        [str(graph_file), "--seeds", "one"],
        [str(tmp_path / "none.json")],
    ):
        assert run("compare", *given) == 2
        assert "Traceback" not in capsys.readouterr().err


def test_scripts():
    assert standard_script(("stand", "walk", "run")) == STANDARD
    assert {c.type for c in standard_script(("stand", "walk"))} == {"stand", "walk"}
    commands, seconds = random_script(11)
    assert (commands, seconds) == random_script(11)
    assert commands != random_script(12)[0]
    assert len(commands) == 8
    assert seconds > commands[-1].t_s
    assert {c.type for c in random_script(3, ("walk",))[0]} == {"walk"}


def test_csv_holds_every_figure():
    row = ComparisonRow("a", 3, 2, 0.5, 0.7, 0.01, 2.0, 0.1, 0.4, 12.0, "LeftLeg", 7.0, 60.0)
    (read,) = csv.DictReader(to_csv([row]).splitlines())
    assert read["excess_joint"] == "LeftLeg"
    assert float(read["slide_p95_cm_s"]) == 0.4


@pytest.mark.long
def test_the_built_in_contest_is_won_by_the_graph():
    graph, matching = contest("builtin").run(STANDARD[:4], 10.0)
    assert graph.reached == 3
    assert graph.slide_cm_s < 0.5
    assert matching.excess < 120.0
    assert graph.megabytes > 1.0
