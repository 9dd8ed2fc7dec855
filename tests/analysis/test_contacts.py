"""Contacts: known ones are found, at any size, rate and speed; captures give human gait."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helpers import footprints, still_clip, walking_clip
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.analysis.contacts import Contacts, find_contacts, hysteresis, runs, without_flicker
from footfall.core.errors import ParameterError

TOLERANCE_S = 0.08  # a foot lifts off so gently in walking_clip that its first moments are slow and low


@settings(max_examples=40)
@given(
    st.floats(0.4, 1.4),
    st.sampled_from([24.0, 30.0, 60.0, 120.0, 240.0]),
    st.floats(0.5, 1.6),
    st.floats(-3, 3),
)
def test_planted_feet_are_found(speed, fps, scale, heading):
    clip = walking_clip(speed=speed, fps=fps, scale=scale, heading=heading, cycles=2.8)
    found, truth = find_contacts(clip), footprints(clip)
    for side in ("left", "right"):
        true_spans = runs(getattr(truth, side))
        spans = found.spans(side)
        assert len(spans) == len(true_spans)
        for (start, end), (a, b) in zip(spans, true_spans, strict=True):
            assert start == pytest.approx(a / fps, abs=TOLERANCE_S + 1 / fps)
            assert end == pytest.approx((b - 1) / fps, abs=TOLERANCE_S + 1 / fps)
        assert (getattr(found, side) | ~getattr(truth, side)).mean() > 0.97  # nothing planted is missed


def test_standing_is_one_long_contact():
    found = still_clip(frames=30, fps=30).contacts
    assert found.left.all()
    assert found.right_heel.all()
    assert found.spans("left_toe") == [(0.0, 29 / 30)]


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_short_clips(frames):
    assert still_clip(frames=frames).contacts.left.shape == (frames,)


def test_moving_the_whole_scene_changes_nothing():
    clip = walking_clip(cycles=3)
    moved = clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos + [3.0, -0.07, 11.0]))
    for part in ("left_heel", "left_toe", "right_heel", "right_toe"):
        assert np.array_equal(getattr(clip.contacts, part), getattr(moved.contacts, part))


def test_the_foot_must_be_named_right():
    with pytest.raises(ParameterError, match="left or right"):
        still_clip(frames=3).contacts.spans("both")


@given(st.lists(st.floats(0, 3), max_size=60))
def test_hysteresis_holds_every_sure_frame_and_no_unsure_span(score):
    score = np.array(score)
    down = hysteresis(score, enter=1.0, leave=2.0)
    assert down[score <= 1.0].all()
    assert not down[score >= 2.0].any()
    for start, stop in runs(down):
        assert (score[start:stop] <= 1.0).any()


@given(st.lists(st.booleans(), max_size=80), st.integers(1, 8))
def test_no_flicker_is_left(flags, shortest):
    clean = without_flicker(np.array(flags, bool), shortest)
    for value in (True, False):
        for start, stop in runs(clean == value):
            assert stop - start >= shortest or start == 0 or stop == len(flags)


def _cycles(found: Contacts) -> list[float]:
    """Share of each full cycle that a foot is down; a contact the clip begins with has no strike."""
    shares = []
    for flags in (found.left, found.right):
        strikes = [start for start, _ in runs(flags) if start > 2]
        shares += [float(flags[a:b].mean()) for a, b in pairwise(strikes)]
    return shares


@pytest.mark.parametrize(
    ("takes", "low", "high"),
    [
        (["cmu_bvh/walk_straight/02_01.bvh", "cmu_bvh/walk_straight/35_01.bvh"], 0.57, 0.67),
        (["bandai_namco/dataset-1_walk_normal_001.bvh"], 0.55, 0.67),
        (["cmu_bvh/run_straight/16_35.bvh", "cmu_bvh/run_straight/09_01.bvh"], 0.25, 0.42),
        (["bandai_namco/dataset-2_run_normal_001.bvh"], 0.25, 0.42),
    ],
)
def test_captures_give_human_gait(mocap, takes, low, high):
    from footfall.io.load import load

    for take in takes:
        found = load(mocap / take).contacts
        assert low <= np.median(_cycles(found)) <= high
        strikes = sorted([(s, "L") for s, _ in runs(found.left)] + [(s, "R") for s, _ in runs(found.right)])
        feet = [foot for start, foot in strikes if start > 2]
        assert len(feet) > 2
        assert all(a != b for a, b in pairwise(feet)), f"{take}: {feet}"
        if high < 0.5:
            assert (found.left & found.right).mean() < 0.02  # a run has no double support
