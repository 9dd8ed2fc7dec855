"""footfall walk: scripts and paths in, motion and report out."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import run_cli as run

import footfall as ff


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


def test_a_pelvis_that_falls_is_told_of(graph_file, tmp_path, capsys):
    """An edge whose examples sink into a lunge: the report says by how much, the summary when."""
    script, report = tmp_path / "s.csv", tmp_path / "s.json"
    script.write_text("t_s,type,speed,turn\n0,walk,1.2,0\n3,stand,0,0\n")
    fine = ff.graph(graph_file)
    falls = dict(fine.edges)
    falls["stand", "walk"] = tuple(replace(e, motion=sunk(e.motion)) for e in fine.edges["stand", "walk"])
    for name, graph in (("fine", fine), ("sunk", replace(fine, edges=falls))):
        given = graph.save(tmp_path / f"{name}.json")
        assert run("walk", given, script, "-o", tmp_path / f"{name}.bvh", "--report", report) == 0
        by = json.loads(report.read_text())["quality"]["pelvis_sinks_cm"]
        assert (by > 15.0) == ("the pelvis sinks" in capsys.readouterr().out) == (name == "sunk")
        assert by < 25.0 if name == "sunk" else by < 2.0


def sunk(motion):
    """The motion with its body up to 25 cm lower in its middle."""
    root = motion.root.copy()
    root[:, :, 1] -= 0.25 * np.sin(np.linspace(0.0, np.pi, len(root)))[:, None] ** 2
    return replace(motion, root=root)


def test_no_time_at_all_is_refused(graph_file, tmp_path, capsys):
    (tmp_path / "s.csv").write_text("t_s,type,speed,turn\n0,walk,1.2,10\n")
    assert run("walk", graph_file, tmp_path / "s.csv", "--seconds", "0", "-o", tmp_path / "o.bvh") == 2
    assert "more than 0" in capsys.readouterr().err


def test_another_body_walks_the_same_path_and_is_drawn(graph_file, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("x,z,type,speed\n0,0,walk,1.2\n0,3,walk,1.2\n")
    out, report, picture = (tmp_path / name for name in ("o.bvh", "o.json", "o.png"))
    wanted = ("--character", "adult:1.6", "--picture", picture, "--report", report)
    assert run("walk", graph_file, path, "-o", out, *wanted) == 0
    assert abs(ff.load(out).skeleton.height - 1.6) < 0.01
    assert picture.read_bytes().startswith(b"\x89PNG")
    quality = json.loads(report.read_text())["quality"]
    assert quality["path_error_mean_m"] < 0.1
    assert quality["slide_cm_s"] < 3.0


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
