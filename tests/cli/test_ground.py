"""--ground on the command line: made, drawn, checked, refused in one sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers import run_cli as run

import footfall as ff
from footfall.analysis.stances import find_stances


def test_convert_puts_a_walk_on_stairs_and_check_measures_it(tmp_path, capsys):
    out, picture = tmp_path / "climb.glb", tmp_path / "climb.png"
    assert run("convert", "walk:cycles=3", out, "--ground", "stairs:15x35", "--picture", picture) == 0
    told = capsys.readouterr().out
    assert "footfalls" in told
    placed = told.split("--ground ")[1].split()[0]
    assert placed.startswith("stairs:15x35~")
    assert picture.stat().st_size > 1000
    climbed = ff.load(out)
    height = climbed.positions[:, climbed.skeleton.roles.pelvis, 1]
    assert height[-1] - height[0] > 0.4
    assert run("check", out, "--json", "--ground", placed) == 0
    ground = json.loads(capsys.readouterr().out)["ground"]
    assert max(ground[part] for part in ("heel_cm", "ball_cm", "tip_cm")) < 3.0
    for more, floor in ((["--ground", placed], "–"), ([], "60.0")):  # four steps, which are no fault of known stairs
        assert run("check", out, *more) == 0
        body = capsys.readouterr().out.split("body")[1]
        assert body.split("climb.glb")[1].split()[0] == floor


def test_a_walk_says_where_its_stairs_lie_and_a_climb_is_read_back(tmp_path, capsys):
    script, out = tmp_path / "script.csv", tmp_path / "walk.glb"
    script.write_text("t_s,type,speed,turn\n0,walk,1.2,0\n5,stand,0,0\n")
    assert run("walk", "builtin", script, "-o", out, "--ground", "stairs:15x35@0.6") == 0
    placed = capsys.readouterr().out.split("--ground ")[1].split()[0]
    assert run("check", out, "--json", "--ground", placed) == 0
    ground = json.loads(capsys.readouterr().out)["ground"]
    assert max(ground[part] for part in ("heel_cm", "ball_cm", "tip_cm")) < 2.0
    assert run("analyze", out) == 0
    assert "steps of 15 cm" in capsys.readouterr().out


def test_flat_ground_writes_the_bytes_of_no_ground(tmp_path):
    plain, flat = tmp_path / "plain.bvh", tmp_path / "flat.bvh"
    assert run("convert", "walk", plain) == 0
    assert run("convert", "walk", flat, "--ground", "flat") == 0
    assert plain.read_bytes() == flat.read_bytes()


@pytest.mark.parametrize(
    "command", [["blend", "walk", "--set", "speed=1.3", "--seconds", "3"], ["synth", "walk", "stand"]]
)
def test_what_is_made_goes_on_the_slope(command, tmp_path):
    out, level = tmp_path / "made.npz", tmp_path / "level.npz"
    assert run(*command, "-o", out, "--ground", "slope:10") == 0
    assert run(*command, "-o", level) == 0
    clip, flat = ff.load(out), ff.load(level)
    first, *_, last = find_stances(clip)
    gone = float(np.linalg.norm(last.place - first.place))
    assert gone > 1.0
    assert last.level - first.level == pytest.approx(0.1 * gone, abs=0.02)
    assert abs(find_stances(flat)[-1].level - find_stances(flat)[0].level) < 0.02


def test_the_pelvis_goes_up_a_slope_and_stays_over_the_feet_that_stand(tmp_path):
    for name, more in (("made", ["--ground", "slope:10"]), ("level", [])):
        assert run("synth", "walk", "stand", "-o", tmp_path / f"{name}.npz", *more) == 0
    made, level = ff.load(tmp_path / "made.npz"), ff.load(tmp_path / "level.npz")
    root, flat = (clip.positions[:, clip.skeleton.roles.pelvis] for clip in (made, level))
    gone = float(np.linalg.norm((root[-1] - root[0])[[0, 2]]))
    assert root[-1, 1] - root[0, 1] - (flat[-1, 1] - flat[0, 1]) == pytest.approx(0.1 * gone, abs=0.07)
    stands = slice(-round(3.0 * made.fps), None)
    over = root[:, 1] - 0.1 * (root[:, 2] - root[0, 2])  # the slope rises along +Z
    assert np.ptp(over[stands]) < 0.01
    assert np.ptp(root[stands, 2]) < 0.06  # it sways, as it does on the level
    assert abs(over[stands].mean() - flat[-1, 1]) < 0.02


def test_a_walk_that_comes_to_a_wall_says_so(tmp_path, capsys):
    heights = np.zeros((200, 200))
    heights[:, 130:] = 2.0
    np.save(tmp_path / "wall.npy", heights)
    (tmp_path / "script.csv").write_text("t_s,type,speed,turn\n0,walk,1.2,0\n4,walk,1.2,0\n")
    command = ["walk", "builtin", tmp_path / "script.csv", "-o", tmp_path / "walk.npz", "--report", tmp_path / "r.json"]
    assert run(*command, "--ground", tmp_path / "wall.npy") == 0
    assert "no step leads on: a wall, a hole or the end of the ground" in capsys.readouterr().out
    assert json.loads((tmp_path / "r.json").read_text())["blocked"]


def test_bad_grounds_are_one_line(tmp_path, capsys):
    assert run("convert", "walk", tmp_path / "x.bvh", "--ground", "stares:15x35") == 2
    assert "no ground 'stares:15x35'" in capsys.readouterr().err
    assert run("convert", "run:cycles=3", tmp_path / "x.bvh", "--ground", "stairs:15x30") == 2
    assert "give a walk" in capsys.readouterr().err
    assert not (tmp_path / "x.bvh").exists()
