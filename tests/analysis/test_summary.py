"""Analysis: one call, one JSON object, for built-in motions and captures; bodies without legs are refused."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import random_clip, still_clip

from footfall.analysis.summary import analyze
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, SkeletonError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.load import load
from footfall.motions.library import motion

KEYS = {  # of every analysis, with their types
    "file": str, "fps": float, "frames": int, "duration_s": float, "height_m": float, "phases": list, "keytimes": list,
    "type": str, "speed_mps": float, "turn_degps": float, "loop": bool,
}  # fmt: skip
UNSTEADY = {  # takes that start, stop or turn a corner: the mean of the whole take is not the speed of their gait
    "16_31", "104_35", "113_01", "dataset-2_walk_normal_001", "16_17", "16_27", "16_41", "16_43", "127_11",
}  # fmt: skip


def told(clip: Clip) -> dict:
    return json.loads(json.dumps(analyze(clip).to_json("a.bvh"), allow_nan=False))


def test_the_contract_keys():
    found = told(motion("walk", speed=1.3, turn=15.0, cycles=2))
    for key, kind in KEYS.items():
        assert type(found[key]) is kind, key
    assert found["file"] == "a.bvh"
    assert all(set(p) == {"label", "start_s", "end_s"} for p in found["phases"])
    assert {p["label"] for p in found["phases"]} <= {"DS", "RS", "LS", "NS"}
    assert all(set(k) == {"t_s", "foot", "event"} for k in found["keytimes"])
    assert {(k["foot"], k["event"]) for k in found["keytimes"]} == {
        (foot, event) for foot in ("left", "right") for event in ("strike", "off")
    }
    assert len(found["base_feet"]) == len(found["phases"])


@pytest.mark.parametrize(("name", "speed", "side"), [("walk", 0.7, 0.0), ("walk", 1.6, 0.4), ("run", 4.0, 0.0)])
def test_built_in_motions(name, speed, side):
    found = told(motion(name, speed=speed, side=side, cycles=3))
    assert (found["type"], found["loop"], found["direction"]) == (name, True, "forward")
    assert found["speed_mps"] == pytest.approx(speed, rel=0.02)
    assert found["side_mps"] == pytest.approx(side, abs=0.02 * speed)
    assert found["turn_degps"] == pytest.approx(0.0, abs=2.0)
    assert found["cycles"]


def test_walking_backward_has_a_speed_in_that_direction():
    clip = motion("walk", speed=1.2, cycles=3)
    found = told(replace(clip, pose=clip.pose.at(slice(None, None, -1)), is_loop=False))
    assert (found["type"], found["direction"]) == ("walk", "backward")
    assert (found["speed_mps"], found["forward_mps"]) == pytest.approx((1.2, -1.2), rel=0.02)


def test_an_action_has_an_apex():
    found = told(motion("reach", x=-0.3, y=1.3, z=0.45))
    assert found["apex"]["position_m"] == pytest.approx([-0.3, 1.3, 0.45], abs=0.01)
    assert found["additional"]["is_additional"]
    assert told(motion("walk"))["apex"] is None


@pytest.mark.parametrize("frames", [2, 3, 4, 5, 7, 30])
def test_short_and_wild_clips_are_told_about_too(frames, rng):
    for clip in (still_clip(frames=frames), random_clip(rng, frames)):
        found = told(clip)
        assert found["frames"] == frames
        assert np.isfinite(found["speed_mps"])


@pytest.mark.parametrize("frames", [0, 1])
def test_too_short(frames):
    with pytest.raises(ParameterError, match="at least 2"):
        analyze(still_clip(frames=frames))


def test_no_legs():
    pole = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]))
    clip = Clip(pole, 30.0, Pose(np.zeros((9, 3)), np.tile(rotation.IDENTITY, (9, 2, 1))), name="pole")
    with pytest.raises(SkeletonError, match=r"pole .*left_hip.*with_roles"):
        analyze(clip)


def test_no_arms_and_no_head():
    legs = [j for j, n in enumerate(still_clip().skeleton.names) if "Leg" in n or "Foot" in n or "Toe" in n]
    whole = motion("walk", cycles=2)
    keep = np.array([0, *(whole.skeleton.index(still_clip().skeleton.names[j]) for j in legs)])
    body = whole.skeleton
    parents = [-1 if body.parents[j] < 0 else int(np.flatnonzero(keep == body.parents[j])[0]) for j in keep]
    skeleton = Skeleton(tuple(body.names[j] for j in keep), np.array(parents), body.offsets[keep])
    found = analyze(Clip(skeleton, whole.fps, Pose(whole.pose.root_pos, whole.pose.rot[:, keep])))
    assert found.gait.type == "walk"
    assert found.additional.arms == ()


def test_the_input_is_not_touched():
    clip = motion("walk")
    before = clip.pose.rot.tobytes(), clip.pose.root_pos.tobytes()
    analyze(clip)
    assert (clip.pose.rot.tobytes(), clip.pose.root_pos.tobytes()) == before


def test_captured_speeds(mocap):
    """Steady walks and runs within 5 % of the mean speed of their root."""
    with open(mocap / "manifest.csv", encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file) if r["path"].endswith(".bvh") and r["kind"].startswith(("walk", "run"))]
    off, seen = {}, 0
    for row in rows:
        name = row["path"].rsplit("/")[-1].removesuffix(".bvh")
        if name in UNSTEADY:
            continue
        seen += 1
        ratio = analyze(load(mocap / row["path"])).speed / float(row["mean_root_speed_mps"])
        if abs(ratio - 1.0) > 0.05:
            off[name] = ratio
    assert seen > 40
    assert off == {}
