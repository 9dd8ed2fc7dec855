"""What a track's plan leaves out: clips that would be over before anybody saw them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall.core.pose import Pose
from footfall.feet.foot_paths import foot_paths
from footfall.timeline.arranged_clip import ArrangedClip
from footfall.timeline.arrangement import Arrangement, timeline
from footfall.timeline.asap import as_soon_as_possible
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack
from footfall.timeline.synthesis import still_moved

SHORT = (0.3, 0.3 + 4.0 / 60.0 + 1e-6)
AROUND = (TimelineClip("walk:cycles=2"), TimelineClip("walk-back:cycles=2"))


def _arranged(*clips: TimelineClip) -> Arrangement:
    return timeline(Timeline((TimelineTrack(clips),), fps=60.0, options={"rules": True}))


def _with_short(after_s: float = 1.0 / 60.0) -> Arrangement:
    """A clip of five frames that lies inside the join of its neighbours."""
    start = _arranged(*AROUND).plan()[0].starts_s[1]
    short = TimelineClip("jump", start + after_s, trim_s=SHORT)
    return _arranged(AROUND[0], replace(AROUND[1], start_s=start), short, TimelineClip("stand"))


def test_a_clip_that_is_over_before_the_one_before_it_is_entered_is_left_out() -> None:
    plan = _with_short().plan()[0]
    assert [piece.name for piece in plan.pieces] == ["walk", "walk-back", "stand"]
    assert len(plan.joins) == len(plan.own) == 2
    assert len(plan.starts_s) == 4
    (unseen,) = plan.unseen
    assert unseen.piece.name == "jump"
    assert unseen.piece.start_s == plan.starts_s[2]
    assert unseen.piece.end_s <= plan.joins[unseen.join].end_s
    said = plan.joins[unseen.join].rejected[-1]
    assert said.method == "jump"
    assert "over before walk-back has been entered" in said.reason
    late = plan.shifted(2.0)
    assert late.unseen[0].piece.start_s == unseen.piece.start_s + 2.0
    assert late.joins[0].rejected[-1] == said


def test_what_is_left_out_changes_nothing_else_and_the_report_says_so() -> None:
    arranged = _with_short()
    starts = arranged.plan()[0].starts_s
    without = _arranged(AROUND[0], replace(AROUND[1], start_s=starts[1]), TimelineClip("stand"))
    with_it, bare = arranged.render(), without.render()
    _same(with_it.pose, bare.pose)
    assert with_it.report is not None
    assert with_it.report.provenance is not None
    assert any(r.method == "jump" for s in with_it.report.segments for r in s.rejected)
    assert "jump" not in with_it.report.provenance.clips
    _same(without.with_timeline(arranged.timeline).render().pose, with_it.pose)


def test_a_short_clip_after_the_join_is_played() -> None:
    assert not _with_short(after_s=0.8).plan()[0].unseen


@pytest.mark.parametrize("free_s", [0.0, 0.5])
def test_a_short_clip_can_follow_one_that_is_over_already(free_s: float) -> None:
    clip = ff.motion("walk", cycles=2).resample(60.0).trim(*SHORT)
    found = as_soon_as_possible(ArrangedClip(clip, 0.0, "a"), ArrangedClip(clip, 0.0, "b"), free_s)
    assert found.start_s + clip.duration > free_s


def test_a_foot_that_is_led_back_from_a_take_off_does_not_sink() -> None:
    """Cut where it jumps off, its feet are down and on their way up."""
    paths = foot_paths(ff.motion("jump").resample(60.0).trim(0.64, 1.055), 60.0)
    assert paths.down[paths.lead].all()
    rises = paths.ball[paths.lead + 1, :, 1] - paths.ball[paths.lead, :, 1]
    assert (rises > 0.001).all()
    sunk = paths.ball[paths.lead, :, 1] - paths.ball[: paths.lead, :, 1].min(axis=0)
    assert (sunk < 0.01).all()


def test_a_standing_foot_stays_after_a_short_clip_that_a_join_has_changed() -> None:
    """Two joins on end: the second one starts from what the first one made of a clip of five frames."""
    short = TimelineClip("turn-in-place", trim_s=(0.49, 0.556001))
    made = _arranged(TimelineClip("bow"), short, TimelineClip("walk:cycles=2", 3.4)).synthesized()[0]
    first, piece = made.evaluated[0], made.plan.pieces[1]
    paths = still_moved(piece.at(0.0), first, made.plan.own[0].offset, 60.0)
    end = paths.lead + paths.frames - 1
    assert paths.down[end].all()
    own = foot_paths(piece.clip, 60.0)
    assert np.abs(paths.ball[end + 30 :, :, 1] - own.ball[end + 30 :, :, 1]).max() < 0.005


def _same(a: Pose, b: Pose) -> None:
    assert np.array_equal(a.root_pos, b.root_pos)
    assert np.array_equal(a.rot, b.rot)
