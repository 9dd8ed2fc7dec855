"""footfall tune: writes parameters that can be used, goes on after a break, refuses nonsense."""

from __future__ import annotations

import json

from helpers import run_cli as run

from footfall.joins.classifier.entry_parameters import choose

FEW = ("--population", "8", "--generations", "2", "--states", "10")


def test_parameters_are_written_and_judged(tmp_path, capsys):
    out = tmp_path / "mine.json"
    assert run("tune", "walk:speed=1.2", "-o", out, *FEW, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["gain"]["low"] <= told["gain"]["ratio"] <= told["gain"]["high"]
    assert choose(out).to_json() == told["parameters"]
    assert not list(tmp_path.glob("*.partial"))
    assert json.loads(out.read_text())["tuned"]["motion"] == "walk:speed=1.2"


def test_words(tmp_path, capsys):
    assert run("tune", "-o", tmp_path / "a.json", "--optimiser", "paper", *FEW) == 0
    assert "times as far" in capsys.readouterr().out


def test_nonsense_is_refused_in_one_line(tmp_path, capsys):
    assert run("tune", "-o", tmp_path / "a.json", "--population", "1") == 2
    assert run("tune", "wlak", "-o", tmp_path / "a.json") == 2
    assert "did you mean walk" in capsys.readouterr().err
    (tmp_path / "a.json.partial").write_text("{")
    assert run("tune", "-o", tmp_path / "a.json", *FEW) == 2
    assert "remove it to start again" in capsys.readouterr().err


def test_help_has_an_example(capsys):
    assert run("tune", "--help") == 0
    assert "Example:" in capsys.readouterr().out
