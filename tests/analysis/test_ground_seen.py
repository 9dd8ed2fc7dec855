"""What ground captures were made on: stairs, slopes and uneven terrain read as the walks they are."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import footfall as ff
from footfall.analysis.ground_seen import find_ground
from footfall.analysis.summary import analyze
from footfall.analysis.uneven import Beside, Rests, carries, is_uneven, stepped

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "mocap_more"
TAKES = {
    "stairs/111_27": "steps",
    "stairs/113_19": "steps",
    "stairs/83_27": "steps",
    "stairs/83_34": "steps",
    "stairs/13_35": "steps",
    "slope/74_14": "slope",
    "slope/74_16": "slope",
    "slope/74_18": "slope",
    "uneven_terrain/36_10": "steps",
}


@pytest.mark.parametrize(("name", "kind"), TAKES.items())
def test_captures_on_uneven_ground_are_walks(name, kind):
    path = FOLDER / f"{name}.bvh"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    clip = ff.load(path)
    clip = clip.trim(1.0 / clip.fps, clip.duration)  # without the T-pose
    found = analyze(clip)
    feet = [key.foot for key in found.key_times if key.event == "strike"]
    assert found.gait.type == "walk"
    assert np.mean([a != b for a, b in pairwise(feet)]) > 0.9
    assert sum(p.end_s - p.start_s for p in found.phases if p.label == "NS") < 0.02 * clip.duration
    assert found.ground.kind == kind
    assert found.to_json("x")["ground"]["kind"] == kind
    if kind == "steps":
        gaps = np.diff(found.ground.levels)
        assert np.abs(gaps - np.median(gaps)).max() < 0.02


def test_built_in_motions_are_made_on_a_level_floor():
    for name in ("walk", "run", "kick", "jump", "stand"):
        assert find_ground(ff.motion(name)).kind == "level", name


def test_a_foot_hung_high_in_the_air_carries_nothing_and_one_on_a_step_does():
    rests = Rests([(0, 50), (60, 100)], np.array([0.0, 0.3]))
    moves = np.zeros(100, bool)
    apart = np.where(np.arange(100) < 55, 0.0, -0.3)
    over = np.where(np.arange(100) < 55, 0.9, 0.6)
    assert carries(rests, Beside(moves, apart, over), 0.9, 100.0).tolist() == [True, False]
    moves[65:85], apart[65:85], over[80:] = True, 0.05, 0.9  # the other foot swings past, the body rises
    real = carries(rests, Beside(moves, apart, over), 0.9, 100.0)
    assert real.tolist() == [True, True]
    assert is_uneven(rests.height)
    assert not is_uneven(np.array([0.0, 0.05, 0.02, 0.07]))
    floor = stepped(rests, real, 100)
    assert (floor[:50] == 0.0).all()
    assert (floor[60:] == 0.3).all()
