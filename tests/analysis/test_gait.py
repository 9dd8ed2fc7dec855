"""Gait: types and directions of built-in motions and of captures."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers import random_clip, still_clip

from footfall.analysis.gait import TYPES, classify
from footfall.core.errors import FootfallError
from footfall.io.load import load
from footfall.motions.library import motion

GRID = [
    *(("walk", v, w) for v, w in ((0.5, -90.0), (0.5, 0.0), (0.9, 30.0), (1.4, 90.0), (2.0, 0.0), (2.0, -60.0))),
    *(("run", v, w) for v, w in ((2.0, 0.0), (2.0, 90.0), (3.0, -30.0), (4.2, 60.0), (5.5, 0.0))),
]


@pytest.mark.parametrize("cycles", [1, 3])
@pytest.mark.parametrize(("name", "speed", "turn"), GRID)
def test_built_in_gaits(name, speed, turn, cycles):
    gait = classify(motion(name, speed=speed, turn=turn, cycles=cycles))
    assert (gait.type, gait.direction) == (name, "forward"), gait.how
    assert 0.5 <= gait.confidence <= 1.0


def test_directions():
    clip = motion("walk", speed=1.2, cycles=3)
    backwards = replace(clip, pose=clip.pose.at(slice(None, None, -1)), is_loop=False)
    assert classify(backwards).direction == "backward"
    assert classify(backwards).type == "walk"
    sideways = motion("walk", speed=0.0, side=0.6, cycles=3)
    assert (classify(sideways).type, classify(sideways).direction) == ("walk", "left")
    assert classify(sideways.mirror()).direction == "right"


@pytest.mark.parametrize(("name", "speed"), [("walk", 1.2), ("run", 3.5)])
def test_on_the_spot(name, speed):
    gait = classify(motion(name, speed=speed, cycles=3).in_place())
    assert (gait.type, gait.direction) == (name, "in-place"), gait.how


@pytest.mark.parametrize(
    ("name", "target"), [("kick", (0.0, 1.1, 0.8)), ("punch", (0.0, 1.4, 0.65)), ("reach", (-0.3, 1.3, 0.45))]
)
def test_actions_are_none_of_them(name, target):
    x, y, z = target
    assert classify(motion(name, x=x, y=y, z=z)).type == "other"


@pytest.mark.parametrize("name", ["jump", "stand", "walk-back", "walk-side", "start", "stop", "wave", "bow"])
def test_the_other_built_in_motions(name):
    wanted = {"jump": "jump", "stand": "stand", "wave": "other", "bow": "other"}.get(name, "walk")
    assert classify(motion(name)).type == wanted


def test_standing_and_almost_nothing():
    assert classify(still_clip()).type == "stand"
    assert classify(still_clip(frames=2)).type == "other"


def test_any_motion_gets_a_type(rng):
    for frames in (3, 4, 5, 9, 40):
        gait = classify(random_clip(rng, frames))
        assert gait.type in TYPES
        assert 0.0 <= gait.confidence <= 1.0
        assert gait.how


def expected(kind: str) -> str:
    for start, kinds in {"walk": "walk", "run": "run", "jump": "jump", "stand": "stand"}.items():
        if kind.startswith(start):
            return kinds
    return "other"


def test_captures(mocap: Path):
    """Every walk and run, jump, stand and gesture of the captures by its type."""
    with open(mocap / "manifest.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["path"].endswith(".bvh")]
    wrong, seen = [], 0
    for row in rows:
        if row["kind"].startswith(("oddball", "transition")) or "oddball" in row["path"]:
            continue
        gait = classify(load(mocap / row["path"]))
        seen += 1
        if gait.type != expected(row["kind"]):
            wrong.append((row["path"], row["kind"], gait))
    assert seen > 70
    assert wrong == []


def test_captured_backward_walks_go_backward(mocap: Path):
    for path in ("cmu_bvh/walk_backward/113_01.bvh", "bandai_namco/dataset-1_walk-back_normal_001.bvh"):
        assert classify(load(mocap / path)).direction == "backward"


def test_a_body_without_feet_is_refused():
    clip = still_clip()
    from footfall.core.skeleton import Skeleton

    pole = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]))
    with pytest.raises(FootfallError):
        classify(replace(clip, skeleton=pole, pose=clip.pose._replace(rot=clip.pose.rot[:, :2])))
