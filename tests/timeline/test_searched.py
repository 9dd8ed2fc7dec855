"""Clips that follow as soon as possible: joined by the search of all joins, the same however they came about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.timeline.arrangement import timeline
from footfall.timeline.model import TimelineClip, in_a_row

ROW = ["run:speed=3.5,cycles=4", "stand", "walk:cycles=2"]


@pytest.fixture(scope="module")
def arranged():
    return timeline(replace(in_a_row(ROW), fps=60.0))


def test_a_run_comes_to_stand_by_steps(arranged) -> None:
    take = arranged.render()
    assert take.report is not None
    first = take.report.joins[0]
    assert first.kind == "bridge"
    assert "slows from" in first.reason
    speed = np.linalg.norm(take.root_motion.velocity, axis=-1)
    assert (-np.diff(speed[::12]) * 5.0).max() < 6.0  # m/s²: nobody is stopped by a wall
    ends = [segment.end_s for segment in take.report.segments]
    starts = [segment.start_s for segment in take.report.segments]
    assert starts[1:] == pytest.approx(ends[:-1], abs=1.5 / 60.0)
    assert all(np.isfinite(t) for s in take.report.segments for span in s.clip_times_s for t in span)


def test_starts_lie_on_frames_and_follow_each_other(arranged) -> None:
    starts = arranged.plan()[0].starts_s
    assert list(starts) == sorted(starts)
    assert np.array(starts) * 60.0 == pytest.approx(np.round(np.array(starts) * 60.0), abs=1e-6)


def test_what_was_changed_and_changed_back_is_the_same_bytes(arranged) -> None:
    before = arranged.render(measured=False)
    moved = replace(arranged.timeline.tracks[0].clips[2], start_s=20.0)
    track = arranged.timeline.tracks[0]
    away = replace(arranged.timeline, tracks=(replace(track, clips=(*track.clips[:2], moved)),))
    arranged.with_timeline(away).render(measured=False)
    fresh = timeline(arranged.timeline).render(measured=False)
    again = arranged.with_timeline(arranged.timeline).render(measured=False)
    for other in (fresh, again):
        assert (other.pose.root_pos == before.pose.root_pos).all()
        assert (other.pose.rot == before.pose.rot).all()


def test_a_method_or_rules_by_choice_leave_the_search_out(arranged) -> None:
    rules = timeline(replace(arranged.timeline, options={"rules": True})).plan()[0]
    assert not any(join.searched for join in rules.joins)
    assert all(join.searched for join in arranged.plan()[0].joins)
    wish = timeline([ROW[0], TimelineClip("stand", method="adaptation")]).plan()[0]
    assert not wish.joins[0].searched
