"""footfall walk: scripts and paths in, motion and report out."""

from __future__ import annotations

import json

import pytest
from helpers import run_cli as run

import footfall as ff
from footfall.controller.edges import build_edges
from footfall.controller.graph import Graph, Node
from footfall.motions.gait_change import Gait, gait_change
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
        made = [gait_change(*(Gait(k, *(s if k == "walk" else (0.0, 0.0))) for k in (a, b))) for s in speeds]
        edges[a, b] = tuple(build_edges(nodes[a], nodes[b], made, [c.parameters for c in made]))
    found = Graph("two", {name: Node(m) for name, m in nodes.items()}, edges)
    return found.save(tmp_path_factory.mktemp("graph") / "two.json")


def test_a_script_and_a_path(graph_file, tmp_path):
    script, path = tmp_path / "s.csv", tmp_path / "p.csv"
    script.write_text("t_s,type,speed,turn\n0,walk,1.2,10\n2.5,stand,0,0\n")
    path.write_text("x,z,type,speed\n0,0,walk,1.2\n0,3,walk,1.2\n2,5,walk,1.2\n")
    for given in (script, path):
        out, report = tmp_path / f"{given.stem}.bvh", tmp_path / f"{given.stem}.json"
        assert run("walk", graph_file, given, "-o", out, "--report", report) == 0
        clip, told = ff.load(out), json.loads(report.read_text())
        assert clip.duration > 3.0
        assert {s["kind"] for s in told["segments"]} == {"clip", "transition"}
        assert told["quality"]["slide_cm_s"] < 1.5
        assert len(told["changes"]) == 2
        assert ("path_error_mean_m" in told["quality"]) == (given is path)


@pytest.mark.parametrize(
    "names", [("two", "s.csv", "s.csv:line 3"), ("none", "s.csv", "none.json"), ("two", "n.csv", "n.csv")]
)
def test_bad_scripts_say_where(graph_file, tmp_path, capsys, names):
    graph_name, script, said = names
    (tmp_path / "s.csv").write_text("t_s,type,speed,turn\n0,walk,1.2,10\n1,fly,1.2,10\n")
    assert run("walk", graph_file.with_stem(graph_name), tmp_path / script, "-o", tmp_path / "o.bvh") == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error
    assert error.count("\n") == 1
