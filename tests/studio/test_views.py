"""Views: what the page shows of a plan is what the plan says, by the numbers of the clips."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.core.skeleton import Skeleton
from footfall.motions.body import adult
from footfall.quality.judge import SeamJudgement
from footfall.quality.judged_figures import JudgedFigure
from footfall.quality.shown import Seam
from footfall.studio import messages as m
from footfall.studio.figures import skeleton_view
from footfall.studio.project import TimelineRest, to_timeline
from footfall.studio.snapping import Snapping, rank_of
from footfall.studio.views import Recording, broken_track, piece_ids, track_view
from footfall.timeline.arrangement import Arrangement
from footfall.timeline.asap import as_soon_as_possible
from footfall.timeline.model import Timeline
from footfall.timeline.planner import PlanOptions, plan_join
from footfall.timeline.track_plan import TrackPlan

BASE = Arrangement(Timeline(()))


def planned(*clips: m.PlacedClip) -> tuple[m.DocumentTrack, TrackPlan, list[Recording]]:
    track = m.DocumentTrack(1, "Hero", None, clips)
    timeline, _ = to_timeline(m.Document((track,)), TimelineRest(fps=30.0), str)
    arranged = BASE.with_timeline(timeline)
    sources = []
    for clip in clips:
        whole = arranged._workshop.clip(clip.clip)
        sources.append(Recording(whole.name, whole.duration * clip.repeat / clip.speed))
    return track, arranged.plan()[0], sources


def seam(excess: float) -> SeamJudgement:
    figures = {"skate": JudgedFigure(0.5, 3.5, "feet slide"), "excess": JudgedFigure(excess, 120.0, "a hand jumps")}
    return SeamJudgement(Seam(0, 1, 10, 20, 5, 60), 0.3, figures)


@pytest.mark.parametrize(
    ("excess", "grade", "seen"), [(5.0, "good", ""), (60.0, "fair", ""), (200.0, "poor", "a hand jumps")]
)
def test_a_join_is_graded_by_the_judge(excess: float, grade: str, seen: str) -> None:
    track, plan, sources = planned(m.PlacedClip(2, "walk", repeat=2), m.PlacedClip(3, "kick"))
    join = track_view(track, plan, sources, {0: seam(excess)}).joins[0]
    assert (join.grade, join.seen) == (grade, seen)
    assert (join.skate_ratio, join.excess_m_s2) == (0.5, excess)


def test_a_row_of_clips_is_shown_as_planned() -> None:
    clips = (m.PlacedClip(2, "walk", repeat=2), m.PlacedClip(3, "kick"), m.PlacedClip(9, "walk", speed=1.1))
    track, plan, sources = planned(*clips)
    view = track_view(track, plan, sources, {0: seam(50.0)})
    assert [c.id for c in view.clips] == [2, 3, 9]
    assert [c.start_s for c in view.clips] == pytest.approx(plan.starts_s, abs=1e-4)
    for shown, piece in zip(view.clips, plan.pieces, strict=True):
        assert shown.end_s - shown.start_s == pytest.approx(piece.clip.duration, abs=2e-4)
        assert shown.phases[0].start_s == 0.0
        assert shown.phases[-1].end_s == pytest.approx(piece.clip.duration, abs=1e-3)
        assert not shown.composed
    assert view.clips[0].source_s == pytest.approx(2 * BASE._workshop.clip("walk").duration, abs=1e-3)
    assert [(j.before, j.after) for j in view.joins] == [(2, 3), (3, 9)]
    assert [(j.kind, j.phases) for j in view.joins] == [(j.kind, j.phases) for j in plan.joins]
    assert [j.grade for j in view.joins] == ["fair", "unknown"]
    assert view.joins[1].skate_ratio is None


def test_clips_that_are_alike_keep_their_numbers() -> None:
    track, plan, sources = planned(m.PlacedClip(5, "walk", 0.0), m.PlacedClip(4, "walk", 3.0), m.PlacedClip(8, "walk"))
    assert [piece_ids(track, plan, sources)[id(p)] for p in plan.pieces if not p.filler] == [5, 4, 8]
    track, plan, sources = planned(m.PlacedClip(5, "walk", 1.0), m.PlacedClip(4, "walk", 1.0))
    assert sorted(piece_ids(track, plan, sources).values()) == [4, 5]


def test_a_wave_inside_a_walk_is_shown_over_it() -> None:
    track, plan, sources = planned(m.PlacedClip(2, "walk", repeat=5), m.PlacedClip(3, "wave", 1.0))
    view = track_view(track, plan, sources)
    assert [c.composed for c in view.clips] == [False, True]
    over = view.joins[-1]
    assert (over.kind, over.before, over.after) == ("composition", 2, 3)
    assert (over.start_s, over.end_s) == (view.clips[1].start_s, view.clips[1].end_s)


def test_a_clip_in_the_middle_of_a_long_arm_movement_splits_it() -> None:
    track, plan, sources = planned(m.PlacedClip(2, "wave:swings=12"), m.PlacedClip(3, "kick", 2.0))
    ids = piece_ids(track, plan, sources)
    assert {ids[id(p)] for p in plan.pieces} == {2, 3}
    assert {c.id for c in track_view(track, plan, sources).clips} == {2, 3}


def test_a_clip_that_nobody_would_see_keeps_its_number_and_the_join_says_why() -> None:
    around = m.PlacedClip(7, "walk", repeat=2), m.PlacedClip(2, "walk-back", repeat=2)
    start = planned(around[0])[1].pieces[0].end_s - 0.4
    short = m.PlacedClip(5, "jump", round(start + 1.0 / 30.0, 6), trim_s=(0.3, 0.37))
    placed = m.PlacedClip(2, "walk-back", start, repeat=2)
    track, plan, sources = planned(around[0], placed, short, m.PlacedClip(9, "stand"))
    view = track_view(track, plan, sources)
    assert [c.id for c in view.clips] == [7, 2, 5, 9]
    assert [(j.before, j.after) for j in view.joins] == [(7, 2), (2, 9)]
    left_out = view.clips[2]
    assert left_out.name == "jump"
    assert left_out.start_s == pytest.approx(plan.starts_s[2], abs=1e-4)
    assert 0.03 < left_out.end_s - left_out.start_s < 0.1
    assert view.joins[0].refused[-1].method == "jump"
    assert "over before walk-back has been entered" in view.joins[0].refused[-1].reason


def test_a_gap_is_shown_as_one_wait() -> None:
    track, plan, sources = planned(m.PlacedClip(2, "walk"), m.PlacedClip(3, "kick", 6.0), m.PlacedClip(4, "walk", 20.0))
    assert [piece.filler for piece in plan.pieces] == [False, True, True, False, True, True, False]
    view = track_view(track, plan, sources)
    assert [clip.id for clip in view.clips] == [2, 3, 4]
    assert [(join.before, join.after, join.kind) for join in view.joins] == [(2, 3, "wait"), (3, 4, "wait")]
    assert "stop, stand" in view.joins[0].reason
    assert (view.joins[0].start_s, view.joins[0].end_s) == pytest.approx((plan.joins[0].begin_s, 6.0), abs=1e-3)
    assert view.end_s == pytest.approx(plan.pieces[-1].end_s, abs=1e-3)


def test_a_clip_behind_a_gap_snaps_to_the_clip_before_it() -> None:
    snapping, options = Snapping(), PlanOptions()
    track, plan, sources = planned(m.PlacedClip(2, "walk", repeat=2), m.PlacedClip(3, "walk", 3.05))
    ids = piece_ids(track, plan, sources)
    while snapping.learn(ids, plan, 3, options):
        pass
    assert any(start < plan.pieces[0].end_s + 0.1 for start in snapping.times(ids, plan, 3, options))


def test_a_broken_track_stays_where_it_was() -> None:
    track, plan, sources = planned(m.PlacedClip(2, "walk"), m.PlacedClip(3, "kick"))
    before = track_view(track, plan, sources)
    broken = broken_track(track, "it is gone", before)
    assert broken.problem == "it is gone"
    assert [c.end_s - c.start_s for c in broken.clips] == pytest.approx([c.end_s - c.start_s for c in before.clips])
    assert broken_track(m.DocumentTrack(4), None) == m.TrackView(4, 0.0, 0.0, (), (), None)


def test_snapping_finds_only_better_starts() -> None:
    options = PlanOptions()
    snapping = Snapping()
    for start in (1.8, 2.6, 2.85):
        track, plan, sources = planned(m.PlacedClip(2, "walk", repeat=2), m.PlacedClip(3, "walk", start))
        ids = piece_ids(track, plan, sources)
        assert Snapping().times(ids, plan, 3, options) == ()
        for _ in range(100):
            if not snapping.learn(ids, plan, 3, options):
                break
        else:
            pytest.fail("it asks for ever")
        found = snapping.times(ids, plan, 3, options)
        best = as_soon_as_possible(plan.pieces[0], plan.pieces[1], 0.0, options).start_s
        assert (round(best, 4) in found) == (abs(best - start) <= 1.0)
        here = rank_of(plan.joins[0])
        for snap in found:
            join = plan_join(plan.pieces[0], plan.pieces[1].at(snap), 0.0, options)
            assert rank_of(join) <= here
    assert snapping.times(ids, plan, 2, options) == ()


def test_a_body_is_drawn_from_any_skeleton() -> None:
    view = skeleton_view(adult())
    assert len(view.names) == len(view.parents) == len(view.radii) == len(view.roles) == len(view.ends)
    assert {"pelvis", "head", "left foot", "right hand", "left thigh"} <= set(view.roles)
    assert view.parents[0] == -1
    assert all(0.0 < r < 0.2 for r in view.radii[1:])
    assert view.height_m == pytest.approx(1.75, abs=0.05)
    chain = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.array([[0, 0, 0], [0, 1.0, 0], [0, 0, 0.0]]))
    plain = skeleton_view(chain)
    assert plain.roles == ("", "", "")
    assert all(np.isfinite(plain.radii))
