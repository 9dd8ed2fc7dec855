"""The report of one clip: plain data, honest verdicts."""

from __future__ import annotations

import json

import numpy as np
import pytest
from helpers import still_clip, walking_clip

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.quality.report import find_fast_turns, find_spikes, quality


def test_a_clean_walk_is_called_clean():
    report = quality(walking_clip(cycles=4))
    assert report.verdict == "clean"
    assert report.spikes == ()
    assert json.loads(json.dumps(report.to_json(), allow_nan=False))["slide"]["contacts"] == report.slide.contacts


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_jumps_are_found_where_they_are(fps):
    clip = walking_clip(cycles=5, fps=fps)
    root = clip.pose.root_pos.copy()
    frames = [round(1.3 * fps), round(3.7 * fps)]
    for frame in frames:
        root[frame:, 0] += 0.25
    spikes = find_spikes(clip.with_pose(clip.pose._replace(root_pos=root)))
    assert sorted(s.time_s for s in spikes) == pytest.approx([f / fps for f in frames], abs=2.5 / min(fps, 60))
    assert all(s.excess_m_s2 > 40 for s in spikes)


def test_a_visible_jump_is_in_the_verdict():
    clip = still_clip(frames=300)
    root = clip.pose.root_pos.copy()
    root[150:, 0] += 0.1
    report = quality(clip.with_pose(clip.pose._replace(root_pos=root)))
    assert "visible jump" in report.verdict
    assert report.spikes[0].time_s == pytest.approx(2.5, abs=0.02)


def test_flips_are_counted_and_slow_rates_get_their_share():
    clip = still_clip(frames=100, fps=120)
    rot = clip.pose.rot.copy()
    rot[50, clip.skeleton.index("LeftFoot")] = rotation.axis_angle(rotation.AXES["Y"], np.radians(100))
    flipped = clip.with_pose(clip.pose._replace(rot=rot))
    turns, frames = find_fast_turns(flipped)
    assert frames == 2  # there and back
    assert turns[0].joint == "LeftFoot"
    assert turns[0].degrees == pytest.approx(100)
    assert find_fast_turns(flipped.with_pose(flipped.pose, fps=10.0))[1] == 0


def test_sliding_and_sinking_are_said():
    assert "feet slide" in quality(walking_clip(cycles=3, slide=0.35)).verdict
    clip = still_clip(frames=100)
    root = clip.pose.root_pos.copy()
    root[:, 1] -= 0.1 * np.exp(-(((np.arange(100) - 50) / 8.0) ** 2))
    assert "sink" in quality(clip.with_pose(clip.pose._replace(root_pos=root))).verdict


def test_bodies_without_feet_and_clips_without_frames():
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.ones((2, 3)))
    clip = Clip(skeleton, 30, Pose(np.zeros((40, 3)), np.tile(rotation.IDENTITY, (40, 2, 1))))
    report = quality(clip)
    assert report.slide is None
    assert "no two feet" in report.verdict
    assert quality(still_clip(frames=0)).verdict == "only a skeleton"
    json.dumps(report.to_json(), allow_nan=False)
