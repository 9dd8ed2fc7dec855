"""Gaps are filled with living standing, led into and out of by steps; nobody freezes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footfall as ff
from footfall.core.clip import Clip
from footfall.quality.liveliness import joint_speed, repeated_s
from footfall.timeline.arrangement import Arrangement, timeline
from footfall.timeline.fillers import forward_speed
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack
from footfall.timeline.standing import (
    GAP_S,
    LEAST_S,
    SPARE_S,
    TURN_S,
    UNIT_S,
    folded,
    stand_length,
    standing_stretch,
    to_and_fro,
)

FPS = 60.0
WALK = ff.motion("walk", cycles=3).resample(FPS)


def with_gap(before: str | Clip, after: str | Clip, gap_s: float, **options: bool) -> Arrangement:
    first = timeline(Timeline((TimelineTrack((TimelineClip(before, 0.0),)),), fps=FPS)).plan()[0].pieces[0]
    clips = (TimelineClip(before, 0.0), TimelineClip(after, first.end_s + gap_s))
    return timeline(Timeline((TimelineTrack(clips),), fps=FPS, options=options))


def names(arranged: Arrangement) -> list[str]:
    return [piece.name for piece in arranged.plan()[0].pieces if piece.filler]


@pytest.mark.parametrize("before", ["stand", "walk:cycles=2"])
def test_a_wait_that_no_memory_holds_is_refused_before_it_is_made(before):
    with pytest.raises(ff.FootfallError, match=r"kick starts 1\d+ s after .* at most 3600 s"):
        with_gap(before, "kick", 1e8).plan()


@pytest.mark.parametrize("gap_s", [GAP_S, 1.5, 4.0, 30.0])
@pytest.mark.parametrize("before", ["walk:cycles=2", "run:cycles=3", "kick"])
def test_nobody_freezes_in_a_gap(before: str, gap_s: float) -> None:
    arranged = with_gap(before, "walk:cycles=2", gap_s)
    take = arranged.render()
    assert any(piece.filler for piece in arranged.plan()[0].pieces)
    assert repeated_s(take, 0, take.frames) < 0.05
    stand = ff.motion("stand").resample(FPS)
    assert joint_speed(take).min() > 0.5 * joint_speed(stand).min()
    told = take.report.judgement
    assert all(seam["figures"]["alive"]["ok"] for seam in told["seams"])
    assert told["ordered"]
    assert not told["lost"]


def test_a_gap_is_told_as_a_wait() -> None:
    take = with_gap(WALK, "kick", 5.0).render()
    waits = [s for s in take.report.segments if s.kind == "wait" and "stand" in s.clips]
    assert sum(s.end_s - s.start_s for s in waits) > 2.0
    assert all(s.reason == "stands until kick starts" for s in waits)
    assert take.name == "walk_kick"


def test_what_follows_a_gap_still_starts_when_it_was_asked_to() -> None:
    arranged = with_gap(WALK, "kick", 5.0)
    plan = arranged.plan()[0]
    assert plan.starts_s == (0.0, pytest.approx(WALK.duration + 5.0, abs=1.0 / FPS))
    take = arranged.render(measured=False)
    assert take.duration == pytest.approx(plan.pieces[-1].end_s, abs=2.0 / FPS)


def test_short_gaps_and_the_papers_rules_are_left_alone() -> None:
    assert names(with_gap(WALK, "kick", GAP_S - 0.1)) == []
    assert names(with_gap(WALK, "kick", 5.0, paper=True)) == []


def test_steps_lead_in_and_out_where_there_is_time() -> None:
    assert names(with_gap("walk:cycles=2", "walk:cycles=2", 6.0)) == ["stop", "stand", "start"]
    assert names(with_gap("walk:cycles=2", "kick", 6.0)) == ["stop", "stand"]
    assert names(with_gap("kick", "kick", 6.0)) == ["stand"]
    assert names(with_gap("walk:cycles=2", "kick", 1.0)) == ["stand"]
    assert names(with_gap("walk-back:cycles=2", "kick", 6.0)) == ["stand"]


def test_a_run_that_waits_is_believed_where_its_frozen_pose_was_not() -> None:
    before = with_gap("walk:cycles=3", "kick", 4.0, paper=True).render().report.judgement
    after = with_gap("walk:cycles=3", "kick", 4.0).render().report.judgement
    assert before["grade"] == "red"
    assert after["grade"] != "red"


def test_standing_found_in_a_clip_is_taken_first() -> None:
    stand = ff.motion("stand", seconds=4.0).resample(FPS)
    calm = replace(stand.with_pose(stand.pose, is_loop=False), name="calm")
    assert names(with_gap(calm, "kick", 4.0)) == ["standing of calm"]
    assert names(with_gap("kick", calm, 4.0)) == ["standing of calm"]


def test_what_is_no_stand_is_none() -> None:
    assert standing_stretch(WALK) is None
    stand = ff.motion("stand", seconds=4.0).resample(FPS)
    assert standing_stretch(stand) == pytest.approx((0.0, 4.0), abs=0.3)
    assert standing_stretch(stand.trim(0.0, LEAST_S - 0.2)) is None
    frozen = stand.with_pose(stand.pose.at(np.zeros(stand.frames, int)), is_loop=False)
    assert standing_stretch(frozen) is None
    assert standing_stretch(ff.motion("wave").resample(FPS)) is None


def test_a_stand_played_to_and_fro_keeps_its_feet_and_its_poses() -> None:
    stand = ff.motion("stand", seconds=3.0).resample(FPS)
    calm = stand.with_pose(stand.pose, is_loop=False)
    made = to_and_fro(calm, 12.0, True)
    assert made is not None
    assert made.duration == pytest.approx(12.0)
    first, last = standing_stretch(calm)
    assert np.abs(made.pose.root_pos[0] - calm.sample(last).root_pos).max() < 0.005
    feet = [made.skeleton.roles.left_ankle, made.skeleton.roles.right_ankle]
    assert np.ptp(made.positions[:, feet], axis=0).max() < np.ptp(calm.positions[:, feet], axis=0).max() + 1e-6
    assert first < last


@given(st.floats(0.0, 50.0), st.floats(LEAST_S, 10.0))
def test_the_clock_turns_round_smoothly_inside_the_stretch(start: float, length: float) -> None:
    t = start + np.arange(2000) / 200.0
    found = folded(t, length)
    assert found.min() >= 0.0
    assert found.max() <= length
    rate = np.diff(found) * 200.0
    assert np.abs(rate).max() <= 1.0 + 1e-9
    assert np.abs(np.diff(rate)).max() <= 2.0 / (200.0 * 0.5 * TURN_S) + 1e-6


@given(st.floats(GAP_S, 5000.0))
def test_stands_are_longer_than_their_gaps_and_of_few_lengths(gap_s: float) -> None:
    units = stand_length(gap_s)
    assert units & (units - 1) == 0
    assert units * UNIT_S >= gap_s + SPARE_S
    assert units == 1 or 0.5 * units * UNIT_S < gap_s + SPARE_S


def test_speed_counts_where_a_body_faces() -> None:
    assert forward_speed(WALK, True) == pytest.approx(1.4, abs=0.2)
    assert forward_speed(ff.motion("walk-back", cycles=2), True) == 0.0
    assert abs(forward_speed(ff.motion("stand"), False)) < 0.05


def test_a_dragged_gap_is_the_bytes_of_a_fresh_one() -> None:
    arranged = with_gap("walk:cycles=2", "kick", 0.2)
    for gap_s in (0.5, 0.9, 2.4, 3.3, 7.7, 14.1, 3.3):
        fresh = with_gap("walk:cycles=2", "kick", gap_s)
        arranged = arranged.with_timeline(fresh.timeline)
        a, b = arranged.render(measured=False).pose, fresh.render(measured=False).pose
        assert np.array_equal(a.root_pos, b.root_pos)
        assert np.array_equal(a.rot, b.rot)
