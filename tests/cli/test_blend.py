"""footfall blend: built-in sets, folders and files to a written clip, and clear refusals."""

from __future__ import annotations

import json
import shutil

import pytest
from helpers import run_cli as run

from footfall.io.load import load
from footfall.io.save import save
from footfall.motions.library import motion


def test_a_walk_as_asked(tmp_path, capsys):
    out = tmp_path / "walk.bvh"
    assert run("blend", "walk", "--set", "speed=1.2", "--set", "turn=15", "--seconds", "2", "-o", out) == 0
    clip = load(out)
    assert clip.duration == pytest.approx(2.0, abs=0.01)
    said = capsys.readouterr().out
    assert "speed: asked 1.2, made 1.2" in said
    assert "turn: asked 15, made 15" in said
    assert "made of walk" in said


def test_what_is_not_met_is_said_in_one_line_and_in_the_report(tmp_path, capsys):
    report = tmp_path / "walk.json"
    arguments = ["walk", "--set", "speed=0.2", "--set", "turn=0"]
    assert run("blend", *arguments, "--beyond", "clamp", "--report", report) == 0
    told = capsys.readouterr()
    assert "speed: asked 0.2, made 0.49" in told.out or "speed: asked 0.2, made 0.5" in told.out
    (line,) = told.err.splitlines()
    assert "asked for speed 0.2, turn 0, outside the examples, held to their edge" in line
    assert "the nearest that can be met is speed 0.4" in line
    made = json.loads(report.read_text())["segments"][0]
    assert made["asked"] == pytest.approx({"speed": 0.2, "turn": 0.0})
    assert made["achieved"]["speed"] == pytest.approx(0.5, abs=0.01)
    assert run("blend", *arguments, "-o", tmp_path / "walk.bvh") == 0
    told = capsys.readouterr()
    assert "speed: asked 0.2, made 0.19" in told.out or "speed: asked 0.2, made 0.2" in told.out
    assert "outside the examples, extrapolated" in told.err


@pytest.fixture
def folder(tmp_path):
    for k, v in enumerate((0.9, 1.5)):
        save(motion("walk", speed=v, cycles=2), tmp_path / f"take{k}.bvh")
    return tmp_path


def test_a_folder_and_files(folder, capsys):
    assert run("blend", folder) == 0
    said = capsys.readouterr().out
    assert "take0: speed" in said
    assert "--set speed=" in said
    out = folder / "sub.npz"
    files = [folder / "take0.bvh", folder / "take1.bvh"]
    assert run("blend", *files, "--by", "speed", "--set", "speed=1.2", "--no-lock", "--fps", "30", "-o", out) == 0
    assert load(out).fps == 30.0


def test_captures_with_other_steps_are_told_to_use_all_cycles(tmp_path, mocap, capsys):
    for name in ("walk_turn/16_11.bvh", "walk_turn/16_13.bvh", "walk_turn/16_17.bvh"):
        shutil.copy(mocap / "cmu_bvh" / name, tmp_path)
    assert run("blend", tmp_path, "--by", "speed,turn") == 2
    said = capsys.readouterr().err
    cures = said.split("; ", 1)[1]
    assert cures.startswith("use all good cycles but those with other steps (--all-cycles")
    assert run("blend", tmp_path, "--by", "speed,turn", "--all-cycles") == 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["walk", "--set", "sped=1"], "speed"),
        (["walk", "--set", "speed"], "NAME=VALUE"),
        (["walk", "--set", "speed=fast"], "NAME=VALUE"),
        (["wlk"], "did you mean"),
        (["nothere.bvh"], "nothere.bvh"),
        (["walk", "--method", "magic"], "weight method"),
        (["walk", "--by", "mood"], "mood"),
        (["walk", "--seconds", "-3"], "seconds"),
    ],
)
def test_refusals_are_one_line(tmp_path, capsys, arguments, text):
    assert run("blend", *arguments, "-o", tmp_path / "x.bvh") == 2
    said = capsys.readouterr().err
    assert text in said
    assert "Traceback" not in said
    assert not (tmp_path / "x.bvh").exists()
