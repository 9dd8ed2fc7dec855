"""`footfall info` and the command line's manners: one JSON line a file, one line per error, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from helpers import run_cli as run

from footfall.io.save import save
from footfall.motions.library import motion


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    path = tmp_path_factory.mktemp("clips") / "walk.bvh"
    save(motion("walk"), path)
    return path


def test_json_line_holds_the_contract(walk, capsys):
    assert run("info", "--json", walk) == 0
    line = capsys.readouterr().out
    assert line.count("\n") == 1
    facts = json.loads(line)
    assert {"frames", "fps", "joints", "names", "animations", "finite", "root_pos_0", "warnings"} <= set(facts)
    assert (facts["joints"], facts["fps"], facts["finite"], facts["animations"]) == (22, 120.0, True, 1)
    for found in facts["inferred"].values():
        assert set(found) == {"value", "how", "confidence"}
        assert 0 <= found["confidence"] <= 1
    assert {"units", "up", "facing", "rest_pose", "floor"} <= set(facts["inferred"])
    assert facts["roles"]["left_knee"] == "LeftLeg"
    assert abs(facts["height_m"] - 1.75) < 0.02


def test_people_get_text(walk, capsys):
    assert run("info", walk) == 0
    text = capsys.readouterr().out
    assert "22 joints" in text
    assert "sure)" in text


def test_one_file_is_told_joint_by_joint(walk, capsys):
    assert run("info", walk, "--role", "left_toe=LeftHand") == 0
    alone = capsys.readouterr().out
    assert "left_knee=LeftLeg" in alone
    assert "left_toe=LeftHand" in alone  # as a role that is named on the command line is
    assert run("info", walk, walk) == 0
    assert "left_knee=" not in capsys.readouterr().out


def test_what_was_inferred_can_be_overridden(walk, capsys):
    options = ("--unit", "inch", "--up", "z", "--fps-in", "60", "--role", "left_toe=LeftHand")
    assert run("info", "--json", walk, *options) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["fps"] == 60.0
    assert abs(facts["height_m"] / 1.75 - 2.54) < 0.05
    assert facts["inferred"]["up"]["value"] == "z"
    assert facts["roles"]["left_toe"] == "LeftHand"


def test_a_bad_file_never_stops_the_rest(walk, tmp_path, capsys):
    bad = tmp_path / "broken.bvh"
    bad.write_text("nonsense")
    assert run("info", "--json", bad, walk) == 3
    out, err = capsys.readouterr()
    assert json.loads(out)["file"] == str(walk)
    assert "broken.bvh" in err
    assert run("info", bad) == 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["info", "nowhere.bvh"], "nowhere.bvh"),
        (["info", "README.unknown"], "README.unknown"),
        (["info"], "FILES"),
        (["inof", "a.bvh"], "did you mean 'info'"),
        (["info", "a.bvh", "--unit", "furlong"], "furlong"),
        (["info", "a.bvh", "--role", "knee"], "ROLE=JOINT"),
        (["convert", "a.bvh"], "OUT"),
    ],
)
def test_mistakes_get_one_line_and_exit_2(args, message, capsys):
    assert run(*args) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_strict_turns_a_warning_into_an_error(walk, tmp_path, capsys):
    extra = tmp_path / "extra.bvh"
    extra.write_text(walk.read_text() + "some words\n")
    assert run("info", "--json", extra) == 0
    assert json.loads(capsys.readouterr().out)["warnings"]
    assert run("info", "--strict", extra) == 2


def test_output_may_be_cut_off_by_the_reader(walk):
    """`footfall info many files | head -1` ends quietly."""
    script = f"{sys.executable} -m footfall info --json {walk} {walk} {walk} | head -c 10"
    done = subprocess.run(script, shell=True, capture_output=True, text=True)
    assert "Traceback" not in done.stderr


COMMANDS = ["info", "convert", "edit", "check", "analyze", "lint", "study", "render", "bench", "demo"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_text_has_an_example(command, capsys):
    assert run(command, "--help") == 0
    text = capsys.readouterr().out
    assert "Example:" in text
    assert f"footfall {command}" in text


def test_no_command_at_all_gets_the_help(capsys):
    assert run() == 0
    assert "Commands:" in capsys.readouterr().out


def test_built_in_motions_work_where_clips_do(tmp_path, capsys):
    assert run("convert", "walk:speed=1.2", tmp_path / "walk.bvh") == 0
    assert run("check", "--json", "kick") == 0
    assert run("edit", "run", tmp_path / "left.bvh", "--mirror") == 0
    capsys.readouterr()
    assert run("convert", "walk:speed=fast", tmp_path / "x.bvh") == 2
    assert "speed of 'walk' is a number" in capsys.readouterr().err


def test_a_file_is_never_written_over_itself(walk, capsys):
    before = walk.read_bytes()
    for command in (["edit", walk, walk, "--mirror"], ["convert", walk, walk]):
        assert run(*command) == 2
        assert "same file" in capsys.readouterr().err
    assert walk.read_bytes() == before
