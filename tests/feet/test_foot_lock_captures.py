"""Foot lock on captures: feet stop sliding, nothing is thrown, and knees stay calm."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.analysis.foot_points import foot_points
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.roles import SIDES
from footfall.feet.foot_lock import FootLockOptions, foot_lock, plan_locks
from footfall.quality.joins import CLEAN, excess_acceleration
from footfall.quality.knee import knee_speed
from footfall.quality.slide import slide


def worst_excess(after: Clip, before: Clip) -> float:
    """Excess acceleration of the worst moment, m/s²."""
    moments = np.arange(0.1, max(after.duration, 0.2), 0.6)
    return max(excess_acceleration(after, float(t), [(before, 0.0)]).value for t in moments)


CAPTURES = [
    "walk_straight/02_02",
    "walk_straight/35_28",  # a foot turned for one frame
    "walk_turn/16_27",  # a body thrown for one frame
    "walk_backward/113_01",
    "kick/74_05",
    "jump/13_39",
    "run_straight/09_01",  # rolls over the toes for a third of its contacts
]


@pytest.mark.parametrize("take", CAPTURES)
def test_captured_feet_stop_sliding_and_nothing_pops(mocap, take):
    clip = ff.load(mocap / "cmu_bvh" / f"{take}.bvh")
    locked = foot_lock(clip)
    before, after = slide(clip), slide(locked, clip.contacts)
    assert after.mean_cm_s < 0.5 < before.mean_cm_s
    assert worst_excess(locked, clip) < CLEAN
    assert knee_speed(locked) < 1.2 * knee_speed(clip)


def test_feet_roll_over_what_is_asked_for(mocap):
    clip = ff.load(mocap / "cmu_bvh" / "run_straight" / "35_17.bvh")
    rolling = [lock for lock in plan_locks(clip).locks if lock.over_s > 0.02]
    assert len(rolling) >= 3
    for part, point in (("ball", 1), ("tip", 2)):
        sole = foot_points(foot_lock(clip, options=FootLockOptions(roll_over=part))).sole
        spans = [(round(x.end_s * clip.fps), round((x.end_s + x.over_s) * clip.fps), x.foot) for x in rolling]
        gone = [
            np.linalg.norm((sole[b, SIDES.index(s), point] - sole[a, SIDES.index(s), point])[::2]) for a, b, s in spans
        ]
        assert np.median(gone) < 0.005
    with pytest.raises(ParameterError, match="tip or ball"):
        FootLockOptions(roll_over="heel")


@pytest.mark.slow
def test_no_capture_is_thrown_nor_slides_more(mocap):
    """Every take: clean accelerations, calm knees, and no more slide than before."""
    takes = sorted((mocap / "cmu_bvh").rglob("*.bvh")) + sorted((mocap / "bandai_namco").glob("*.bvh"))
    assert len(takes) > 50
    for path in takes:
        clip = ff.load(path)
        locked = foot_lock(clip)
        assert worst_excess(locked, clip) < CLEAN, path.name
        assert knee_speed(locked) < 1.2 * knee_speed(clip), path.name
        assert slide(locked, clip.contacts).mean_cm_s < slide(clip).mean_cm_s + 0.1, path.name
