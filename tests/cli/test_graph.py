"""footfall graph build: a folder in, a graph that footfall walk takes out; reports, refusals, exit codes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from helpers import run_cli as run

import footfall as ff
from footfall.io.save import save


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOOTFALL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def takes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("takes")
    for k, speed in enumerate([0.8, 1.5]):
        clip = ff.motion("walk", speed=speed, cycles=3)
        save(replace(clip, events=(), parameters={}), folder / f"a{k}.bvh")
    save(replace(ff.motion("stand"), events=()), folder / "c.npz")
    return folder


@pytest.fixture(scope="module")
def built(takes, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "my.graph"
    assert run("graph", "build", takes, "-o", out, "--report", out.parent / "why") == 0
    return out


@pytest.mark.slow
def test_a_folder_becomes_a_graph_that_walks(built, tmp_path, capsys):
    script = tmp_path / "s.csv"
    script.write_text("t_s,type,speed,turn\n0,walk,1.1,20\n2,stand,0,0\n")
    assert run("walk", built, script, "-o", tmp_path / "hero.glb") == 0
    assert (tmp_path / "hero.glb").stat().st_size > 1000
    assert "stand to walk" in capsys.readouterr().out


@pytest.mark.slow
def test_a_name_without_an_ending_serves_both_commands(built, takes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text("t_s,type,speed,turn\n0,walk,1.1,20\n2,stand,0,0\n")
    assert run("graph", "build", takes, "-o", "g") == 0
    assert sorted(p.name for p in tmp_path.glob("g*")) == ["g.graph", "g.graph.npz"]
    assert run("walk", "g", "s.csv", "-o", "hero.bvh") == 0
    assert run("graph", "build", "g") == 0
    assert ff.graph("g").types == ff.graph("g.graph").types


@pytest.mark.slow
def test_the_report_is_written(built):
    why = built.parent / "why"
    assert sorted(p.name for p in why.iterdir()) == [
        "changes.csv", "coverage.png", "edges.csv", "loops.csv", "report.html"
    ]  # fmt: skip
    assert (why / "coverage.png").read_bytes().startswith(b"\x89PNG")
    assert "nobody runs" in (why / "report.html").read_text()


@pytest.mark.slow
def test_a_built_graph_is_rebuilt_from_its_file_and_never_lost(built, takes, tmp_path, capsys):
    mine = tmp_path / "mine.graph"
    assert run("graph", "build", takes, "-o", mine) == 0
    text = mine.read_text()
    mine.write_text(text.replace('"label": "walk"', '"label": "stroll"'))
    assert run("graph", "build", takes, "-o", mine) == 2
    assert "changed by hand" in capsys.readouterr().err
    assert run("graph", "build", mine) == 0
    assert "stroll:" in capsys.readouterr().out
    assert ff.graph(mine).types == ("stand", "stroll")
    assert run("graph", "build", takes, "-o", mine, "--force") == 0
    assert mine.read_text() == text


@pytest.mark.long
def test_json(built, takes, tmp_path, capsys):
    assert run("graph", "build", takes, "-o", tmp_path / "j.graph", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert {"graph", "told", "loops", "edges", "left_out"} == set(told)
    assert {row["label"] for row in told["loops"] if row["used"]} == {"stand", "walk"}


def test_mistakes_are_one_line(takes, tmp_path, capsys):
    assert run("graph", "build", takes) == 2
    assert run("graph", "build", tmp_path / "nowhere", "-o", tmp_path / "x.graph") == 2
    other = tmp_path / "notes.graph"
    other.write_text("mine")
    assert run("graph", "build", takes, "-o", other) == 2
    err = capsys.readouterr().err.splitlines()
    assert len(err) == 3
    assert "-o my.graph" in err[0]
    assert other.read_text() == "mine"
