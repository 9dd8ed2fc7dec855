"""One-shots: built-in actions are found where they strike, gaits hold none, and nothing depends on place or side."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.analysis.apex import find_apex
from footfall.analysis.limb_signals import limb_signals
from footfall.analysis.one_shots import NAMES, find_one_shots
from footfall.core.clip import Clip
from footfall.core.errors import UnknownName
from footfall.core.pose import Pose
from footfall.graph.build.found_actions import FoundAction, find_actions
from footfall.io.load import load
from footfall.kinematics.floor_align import FloorTransform
from footfall.motions.library import motion

OTHER = {"left": "right", "right": "left", "both": "both"}


@pytest.fixture(scope="module")
def actions():
    return {name: motion(name) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_an_action_is_found_once_and_whole(actions, name):
    clip = actions[name]
    (found,) = find_one_shots(clip)
    assert found.name == name
    assert 0.0 <= found.start_s < found.at_s < found.end_s <= clip.duration
    assert 0.5 <= found.confidence <= 1.0
    assert found.reason


@pytest.mark.parametrize("name", ["kick", "punch", "reach"])
def test_it_strikes_where_the_limb_is_farthest(actions, name):
    (found,) = find_one_shots(actions[name])
    apex = find_apex(actions[name])
    assert found.at_s == pytest.approx(apex.t_s, abs=0.06)
    assert apex.effector.startswith(found.side)


def test_a_jump_is_highest_at_its_moment(actions):
    (found,) = find_one_shots(actions["jump"])
    clip = actions["jump"]
    height = clip.positions[:, clip.skeleton.roles.pelvis, 1]
    assert found.at_s == pytest.approx(height.argmax() / clip.fps, abs=0.03)


@pytest.mark.parametrize(
    ("name", "given"),
    [("walk", {"speed": 0.6}), ("walk", {"speed": 2.0}), ("run", {"speed": 2.2}), ("run", {"speed": 5.5}),
     ("stand", {}), ("walk", {"speed": 1.4, "turn": 60.0}), ("start", {}), ("stop", {}),
     ("walk_to_run", {}), ("run_to_walk", {})],
)  # fmt: skip
def test_gaits_hold_none(name, given):
    assert find_one_shots(motion(name, **given)) == []


@settings(max_examples=12)
@given(name=st.sampled_from(NAMES), turn=st.floats(-3.0, 3.0), x=st.floats(-5.0, 5.0), mirror=st.booleans())
def test_place_heading_and_side_do_not_matter(actions, name, turn, x, mirror):
    clip = actions[name]
    (found,) = find_one_shots(clip)
    moved = clip.with_pose(FloorTransform(np.array(turn), np.array([x, 0.0, -x])).pose(clip.pose), events=())
    (again,) = find_one_shots(moved.mirror() if mirror else moved)
    assert again.name == name
    assert again.side == (OTHER[found.side] if mirror else found.side)
    assert again.at_s == pytest.approx(found.at_s, abs=0.05)


def test_several_in_one_take_are_told_apart(actions):
    clip = actions["punch"]
    rest = clip.pose.at(np.zeros(30, int))
    rows = [clip.pose, rest, clip.pose, rest]
    pose = Pose(np.concatenate([p.root_pos for p in rows]), np.concatenate([p.rot for p in rows]))
    first, second = find_one_shots(Clip(clip.skeleton, clip.fps, pose))
    assert (first.name, second.name) == ("punch", "punch")
    assert first.end_s <= second.start_s
    assert second.at_s - first.at_s == pytest.approx((clip.frames + 30) / clip.fps, abs=0.03)


@pytest.mark.parametrize("frames", [0, 1, 2, 3, 4])
def test_tiny_clips_hold_none(actions, frames):
    clip = actions["kick"]
    assert find_one_shots(clip.with_pose(clip.pose.at(slice(0, frames)), events=())) == []


def test_limbs_are_in_their_own_lengths(actions):
    found = limb_signals(actions["punch"])
    assert [limb.side for limb in (*found.arms, *found.legs)] == ["left", "right", "left", "right"]
    for limb in (*found.arms, *found.legs):
        assert limb.stretch.max() < 1.02
        assert np.linalg.norm(limb.tip - limb.end, axis=-1).max() < 0.36


def test_actions_of_many_takes(actions):
    found = find_actions({f"take {name}": clip for name, clip in actions.items()})
    assert [(a.clip, a.name) for a in found] == [(f"take {name}", name) for name in NAMES]
    assert all(isinstance(a, FoundAction) for a in found)
    assert [a.name for a in find_actions(list(actions.values()), names=["wave"])] == ["wave"]
    cut = found[0].cut(actions["kick"])
    assert cut.duration == pytest.approx(found[0].end_s - found[0].start_s, abs=1.0 / cut.fps)
    with pytest.raises(UnknownName, match="dance"):
        find_actions([], names=["dance"])


@pytest.mark.parametrize(
    ("take", "name", "count"),
    [("jump/16_01", "jump", 1), ("jump/16_09", "jump", 1), ("kick/143_24", "kick", 3), ("kick/74_05", "kick", 1),
     ("punch/143_23", "punch", 8), ("punch/02_05", "punch", 9), ("wave_gesture/111_37", "wave", 1)],
)  # fmt: skip
def test_captured_actions(mocap, take, name, count):
    found = find_one_shots(load(mocap / "cmu_bvh" / f"{take}.bvh"))
    assert {a.name for a in found} == {name}
    assert len(found) == count


@pytest.mark.parametrize("take", ["run_straight/127_06", "run_turn/127_11", "transition/127_04", "walk_straight/02_01"])
def test_captured_gaits_hold_none(mocap, take):
    assert find_one_shots(load(mocap / "cmu_bvh" / f"{take}.bvh")) == []
