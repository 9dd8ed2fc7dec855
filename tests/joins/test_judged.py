"""Joins carry the judge's verdict: against the clips they were made of, at the times those are shown."""

from __future__ import annotations

import json

import numpy as np
import pytest

import footfall as ff
from footfall.joins.departure import from_state, leaving
from footfall.joins.join import join
from footfall.joins.search import SearchRequest, search
from footfall.joins.shown_clips import shown_clips
from footfall.quality.judge import GRADES
from footfall.quality.judged_figures import FIGURES, USUAL_SHARE
from footfall.quality.shown import own_pose


def take(name, **parameters):
    clip = ff.motion(name, **parameters)
    return clip.with_pose(clip.pose, is_loop=False).resample(60)


@pytest.fixture(scope="module")
def walk():
    return take("walk", cycles=3)


@pytest.fixture(scope="module")
def kick():
    return take("kick")


def test_every_figure_is_in_the_report(walk, kick):
    clip = join(walk, kick)
    told = clip.report.to_json()["judgement"]
    assert json.loads(json.dumps(told))
    assert told["grade"] in GRADES
    assert told["believable"] == (told["grade"] != "red") == (not told["reasons"])
    (seam,) = told["seams"]
    assert set(seam["figures"]) == set(FIGURES) == set(USUAL_SHARE)
    assert all(f["ok"] == (f["value"] <= f["limit"] + 1e-9) for f in seam["figures"].values())
    (segment,) = (one for one in clip.report.joins if one.kind == "transition")
    assert (segment.grade, list(segment.seen)) == (seam["grade"], seam["reasons"])
    assert clip.report.joins[0].start_s - 0.1 <= seam["time_s"] <= segment.end_s + 1.0


@pytest.mark.parametrize("method", ["crossfade", "inertialize"])
def test_what_is_lost_is_said_unless_it_was_asked_for(walk, kick, method):
    cut = join(kick, walk, method, at_s=0.4).report.judgement
    assert not cut["lost"]
    assert not cut["cut"]
    late = walk.trim(0.0, 1.0)
    lost = join(late, kick, method, at_s=late.duration, length_s=0.9).report.judgement
    assert {one["clip"] for one in (*lost["lost"], *lost["cut"])}


def test_clips_are_shown_at_their_own_times(walk, kick):
    best = search(walk, kick, SearchRequest(led=False))[0]
    shown = shown_clips(best.section, (False, False))
    out = best.section.assembled.clip
    total = sum(np.where(np.isfinite(one.time_s), one.weight, 0.0) for one in shown)
    first, last = (round(t * out.fps) for t in (best.section.assembled.join_s, best.section.assembled.end_s))
    assert total[: first + 1] == pytest.approx(np.ones(first + 1))
    assert total[last:] == pytest.approx(np.ones(out.frames - last))
    assert total.max() <= 1.0 + 1e-9  # in between a clip may be led on beyond its end
    assert own_pose(out, shown[0])[:10].all()
    assert own_pose(out, shown[-1])[-10:].all()


def test_what_is_led_on_is_of_neither_clip():
    run, stand = take("run", cycles=4), take("stand")
    run = run.with_pose(run.pose, is_loop=False)
    best = next(way for way in search(run, stand) if "slows" in way.words).section
    shown = shown_clips(best, (True, True))
    end_s, begin_s = best.own_s
    assert end_s <= best.assembled.join_s
    times = np.arange(best.assembled.clip.frames) / best.departure.fps
    between = (times > end_s + 0.02) & (times < min(begin_s, best.assembled.join_s) - 0.02)
    assert between.sum() > 10
    assert all(np.isnan(one.time_s[: len(times)][between[: len(one.time_s)]]).all() for one in shown)


def test_loops_are_judged_by_the_rounds_that_are_shown():
    clip = join("walk", "run")
    assert clip.report.judgement["seams"]
    assert not clip.report.judgement["lost"]


def test_where_nothing_can_be_compared_nothing_is_claimed(walk, kick):
    state = leaving(walk, 1.0).state
    bare = join(from_state(walk.skeleton, state), kick, "inertialize")
    assert not bare.report.judgement
    assert not any(segment.grade for segment in bare.report.segments)
