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


def test_the_pelvis_rises_with_the_slope(tmp_path):
    gone, rise = [], []
    for name, more in (("made", ["--ground", "slope:10"]), ("level", [])):
        assert run("synth", "walk", "stand", "-o", tmp_path / f"{name}.npz", *more) == 0
        clip = ff.load(tmp_path / f"{name}.npz")
        root = clip.positions[:, clip.skeleton.roles.pelvis]
        gone.append(np.linalg.norm((root[-1] - root[0])[[0, 2]]))
        rise.append((root[-1] - root[0])[1])
    assert rise[0] - rise[1] == pytest.approx(0.1 * gone[0], abs=0.07)


def test_bad_grounds_are_one_line(tmp_path, capsys):
    assert run("convert", "walk", tmp_path / "x.bvh", "--ground", "stares:15x35") == 2
    assert "no ground 'stares:15x35'" in capsys.readouterr().err
    assert run("convert", "run:cycles=3", tmp_path / "x.bvh", "--ground", "stairs:15x30") == 2
    assert "give a walk" in capsys.readouterr().err
    assert not (tmp_path / "x.bvh").exists()
