"""footfall analyze: JSON as promised, a summary for people, built-in motions by name, pictures, bad files survived."""

from __future__ import annotations

import json

import pytest
from helpers import run_cli as run
from helpers import walking_clip

from footfall.io.save import save


@pytest.fixture
def walk(tmp_path):
    return save(walking_clip(cycles=3, fps=30), tmp_path / "walk.bvh")


def test_json_is_one_line_a_file_with_the_promised_keys(walk, capsys):
    assert run("analyze", "--json", walk, "run:speed=3.2,cycles=2") == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    keys = {"file", "fps", "frames", "duration_s", "height_m", "phases", "keytimes", "type"}
    assert keys | {"speed_mps", "turn_degps", "loop"} <= set(first)
    assert first["file"] == str(walk)
    assert first["type"] == "walk"
    assert second["file"] == "run:speed=3.2,cycles=2"
    assert second["type"] == "run"
    assert second["speed_mps"] == pytest.approx(3.2, rel=0.02)
    assert second["loop"] is True


def test_people_see_type_speed_phases_and_key_times(capsys):
    assert run("analyze", "walk:speed=1.2,turn=25,cycles=2") == 0
    text = capsys.readouterr().out
    assert "walk forward, 1.20 m/s, turning left 25" in text
    assert "a loop" in text
    bar = next(line for line in text.splitlines() if line.startswith("  phases"))
    assert {"▄", "▀", "█"} <= set(bar)  # left, right and both
    assert "·" not in bar  # a walk never flies
    assert "left  strike" in text
    assert "right strike" in text


def test_a_file_goes_before_a_built_in_motion_of_that_name(walk, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walk").write_text("not a motion")
    assert run("analyze", "walk") == 2
    assert "extension" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ("wlak", "did you mean walk"),
        ("walk:sped=1", "did you mean speed"),
        ("walk:speed", "speed=1.2"),
        ("nothing.bvh", "nothing.bvh"),
    ],
)
def test_errors_say_what_is_meant(argument, says, capsys):
    assert run("analyze", argument) == 2
    err = capsys.readouterr().err
    assert says in err
    assert len(err.splitlines()) == 1


def test_bad_files_do_not_stop_the_rest(walk, tmp_path, capsys):
    bad = tmp_path / "bad.bvh"
    bad.write_text("HIERARCHY")
    assert run("analyze", "--json", bad, walk) == 3
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 1
    assert "bad.bvh" in err


def test_pictures_are_named_after_their_files(walk, tmp_path):
    assert run("analyze", walk, "stand", "--plot", tmp_path / "plot.png") == 0
    assert {p.name for p in tmp_path.glob("*.png")} == {"plot_walk.png", "plot_stand.png"}
    assert run("analyze", "walk:speed=1.3", "--plot", tmp_path / "one.png") == 0
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_of_another_kind_is_refused_before_reading(capsys):
    assert run("analyze", "walk", "--plot", "a.jpg") == 2
    assert ".png" in capsys.readouterr().err


def test_help_has_an_example(capsys):
    assert run("analyze", "--help") == 0
    text = capsys.readouterr().out
    assert "Example:" in text
    assert "footfall analyze" in text
