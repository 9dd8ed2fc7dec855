"""Every method chooses its moment by the search where none is given, and is judged like any join."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall as ff
from footfall.core.clip import Clip
from footfall.core.skeleton import Skeleton
from footfall.joins.by_method import best_moments, finds_entry
from footfall.joins.join import join
from footfall.joins.join_costs import cost_of
from footfall.joins.search import SearchRequest
from footfall.joins.shown_clips import shown_clips
from footfall.joins.transition import TransitionRequest, methods
from footfall.quality.verdict import judgement_of

PLAIN = [name for name in methods() if name != "auto"]


def take(name: str, **parameters: float) -> Clip:
    clip = ff.motion(name, **parameters)
    return clip.with_pose(clip.pose, is_loop=False).resample(60)


@pytest.fixture(scope="module")
def pair() -> tuple[Clip, Clip]:
    return take("walk", cycles=2), take("kick")


@pytest.mark.parametrize("name", PLAIN)
def test_the_moment_is_searched_and_the_best_is_kept(pair: tuple[Clip, Clip], name: str) -> None:
    out = join(*pair, name)
    assert out.report is not None
    (made,) = (segment for segment in out.report.joins if segment.kind == "transition")
    assert made.method == name
    assert len(made.rejected) >= 3
    assert all(other.method == name for other in made.rejected)
    blind = join(*pair, name, at_s=pair[0].duration)
    assert blind.report is not None
    assert not out.report.judgement["cut"]
    assert len(out.report.judgement["reasons"]) < len(blind.report.judgement["reasons"])


@pytest.mark.parametrize("name", PLAIN)
def test_the_ways_are_sorted_by_what_the_judge_makes_of_them(pair: tuple[Clip, Clip], name: str) -> None:
    ways = best_moments(*pair, name, TransitionRequest(), SearchRequest(led=False), feet=True)
    costs = [way.cost for way in ways]
    assert costs[1:] == sorted(costs[1:])
    section = ways[0].section
    assert section.assembled.clip.frames == section.frames  # the first one is whole
    whole = judgement_of(section.assembled.clip, shown_clips(section, (True, True)))
    assert cost_of(section, whole) <= costs[0] + 1e-9  # beside it there is what was lost or led on


def test_a_method_that_finds_its_entry_is_tried_with_it(pair: tuple[Clip, Clip]) -> None:
    from footfall.joins.departure import leaving
    from footfall.joins.transition import method

    walk, kick = pair
    own = method("classifier").transition(leaving(walk), kick, TransitionRequest(window_s=(0.0, 1.5))).enter_s
    ways = best_moments(walk, kick, "classifier", TransitionRequest(), SearchRequest(led=False), feet=True)
    found = {(w.section.departure.at_s, w.section.made.enter_s) for w in ways}
    assert (walk.duration, own) in found


def test_what_is_asked_for_is_not_searched(pair: tuple[Clip, Clip]) -> None:
    out = join(*pair, "inertialize", at_s=0.7)
    assert out.report is not None
    (made,) = out.report.joins
    assert made.start_s == pytest.approx(0.7, abs=1e-9)
    assert not made.rejected
    assert finds_entry("by-example", {"pinned": True})
    assert not finds_entry("by-example", {"windows": "joint"})
    pinned = join(*pair, "by-example", pinned=True, length_s=0.5)
    assert pinned.report is not None
    assert pinned.report.joins[0].start_s == pytest.approx(pair[0].duration, abs=1e-9)
    (long,) = (s for s in join(*pair, "crossfade", length_s=0.5).report.joins if s.kind == "transition")  # type: ignore[union-attr]
    assert long.end_s - long.start_s == pytest.approx(0.5, abs=1e-9)


def test_feet_are_left_alone_where_they_are_not_planned(pair: tuple[Clip, Clip]) -> None:
    out = join(*pair, "crossfade", foot_lock=False)
    assert out.report is not None
    assert out.report.provenance is not None
    assert out.report.provenance.correction_m.max() == 0.0
    assert any(segment.rejected for segment in out.report.joins)


def test_a_run_that_ends_is_led_on_by_any_method() -> None:
    run = take("run", speed=4.0, cycles=2)
    out = join(run, take("stand"), "inertialize")
    assert out.report is not None
    assert "bridge" in [segment.kind for segment in out.report.segments]


def test_bodies_without_legs_leave_at_the_end() -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    from footfall.core.pose import Pose

    clip = Clip(skeleton, 30.0, Pose(np.zeros((31, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (31, 2, 1))), name="arm")
    out = join(clip, clip, "crossfade")
    assert out.report is not None
    assert out.report.joins[0].start_s == pytest.approx(1.0)


def test_what_is_kept_is_whole(mocap: Path) -> None:
    """A candidate that was made around its seam alone may promise more than the whole ones: it is not taken for one."""
    walk, kick = (ff.load(mocap / "cmu_bvh" / name) for name in ("walk_straight/07_01.bvh", "kick/74_05.bvh"))
    out = join(walk, kick, "dead-blend")
    assert out.report is not None
    assert out.report.provenance is not None
    assert len(out.report.provenance.correction_m) == out.frames
