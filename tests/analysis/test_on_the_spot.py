"""On the spot: strikes are those of the clip that travels; what stands, kicks or jumps is left alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.analysis.foot_points import foot_points
from footfall.analysis.key_times import find_key_times
from footfall.analysis.on_the_spot import find_belt
from footfall.analysis.summary import analyze
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError
from footfall.edit.in_place import travel
from footfall.io.load import load, load_all, readable
from footfall.motions.library import motion, motion_names

NEAR_S = 0.04
DRAWN = {  # animations of game characters that walk or run on the spot
    ("CesiumMan.glb", "animation_0"): "walk",
    ("RobotExpressive.glb", "Walking"): "walk",
    ("RobotExpressive.glb", "Running"): "run",
    ("mannequiny-0.3.0.glb", "run"): "run",
}


def events_kept(clip: Clip, copy: Clip) -> tuple[int, int, int]:
    """How many strikes and offs a clip has, how many its copy has within NEAR_S of them, and how many more."""
    count = kept = invented = 0
    wanted, found = find_key_times(clip), find_key_times(copy)
    for foot in ("left", "right"):
        for event in ("strike", "off"):
            here, there = ([k.t_s for k in keys if (k.foot, k.event) == (foot, event)] for keys in (wanted, found))
            near = sum(any(abs(a - b) <= NEAR_S for b in there) for a in here)
            count, kept, invented = count + len(here), kept + near, invented + max(0, len(there) - near)
    return count, kept, invented


@settings(max_examples=25)
@given(st.sampled_from([("walk", 0.5, 2.0), ("run", 2.0, 5.5)]), st.floats(0, 1), st.floats(-60, 60), st.integers(1, 4))
def test_built_in_gaits_keep_their_strikes(gait, share, turn, cycles):
    name, slow, fast = gait
    clip = motion(name, speed=slow + share * (fast - slow), turn=turn, cycles=cycles)
    count, kept, invented = events_kept(clip, clip.in_place())
    assert kept >= 0.95 * count
    assert invented <= 0.05 * count


@pytest.mark.parametrize(("name", "speed"), [("walk", 0.8), ("walk", 1.4), ("run", 3.0), ("walk-back", 0.9)])
def test_analysis_is_that_of_the_travelling_clip(name, speed):
    clip = motion(name, speed=speed, cycles=3)
    there, here = analyze(clip), analyze(clip.in_place())
    assert (here.gait.type, here.gait.direction) == (there.gait.type, "in-place")
    assert [p.label for p in here.phases] == [p.label for p in there.phases]
    assert len(here.cycles) == len(there.cycles)
    assert here.belt is not None
    assert here.belt.speed == pytest.approx(speed, rel=0.03)
    assert here.belt.confidence > 0.5
    assert here.speed == pytest.approx(0.0, abs=0.05)
    assert there.belt is None
    told = here.to_json("clip")["on_the_spot"]
    assert told == {"feet_mps": pytest.approx(speed, rel=0.03), "confidence": here.belt.confidence}
    assert there.to_json("clip")["on_the_spot"] is None


def test_a_turning_walk_is_led_along_its_path():
    clip = motion("walk", speed=1.4, turn=40.0, cycles=4)
    belt = foot_points(clip.in_place()).belt
    assert belt is not None
    wanted = travel(clip)
    off = np.gradient(belt.travel - wanted, 1.0 / clip.fps, axis=0)
    assert np.sqrt((off**2).sum(axis=-1).mean()) < 0.1


@pytest.mark.parametrize("name", motion_names())
def test_built_in_motions_need_no_belt(name):
    assert foot_points(motion(name)).belt is None


@pytest.mark.parametrize("name", ["stand", "wave", "kick", "punch", "reach", "bow", "jump", "turn-in-place"])
def test_actions_on_the_spot_are_not_taken_for_gaits(name):
    assert foot_points(motion(name).in_place()).belt is None


def test_points_stay_where_the_clip_has_them():
    clip = motion("walk", speed=1.2, cycles=2).in_place()
    points, roles = foot_points(clip), clip.skeleton.roles
    assert np.allclose(points.heel[:, 0], clip.positions[:, roles.left_ankle], atol=1e-9)
    assert np.allclose(points.pelvis, clip.positions[:, roles.pelvis], atol=1e-9)


@pytest.mark.parametrize("frames", [0, 1, 3, 10])
def test_short_clips_have_no_belt(frames):
    assert find_belt(np.zeros((frames, 3)), np.zeros((frames, 2, 2, 3)), 60.0, 0.86) is None


def test_captured_gaits_keep_their_strikes(mocap):
    count = kept = invented = 0
    for folder in ("walk_straight", "walk_turn", "walk_backward", "walk_wander", "run_straight", "run_turn"):
        for path in sorted((mocap / "cmu_bvh" / folder).glob("*.bvh")):
            clip = load(path)
            spot = clip.in_place()
            assert foot_points(spot).belt is not None, path.name
            found = events_kept(clip, spot)
            count, kept, invented = count + found[0], kept + found[1], invented + found[2]
    assert kept >= 0.95 * count
    assert invented <= 0.05 * count


def test_only_clips_on_the_spot_have_a_belt(mocap):
    found = {}
    for path in sorted(p for p in mocap.rglob("*") if p.is_file() and p.suffix.lower() in readable()):
        try:
            clips = load_all(path)
        except FootfallError:
            continue
        for clip in clips:
            try:
                belt = foot_points(clip).belt
            except FootfallError:  # no two feet
                continue
            if belt is not None:
                found[path.name, clip.name] = analyze(clip).gait.type
    assert found == DRAWN
