"""What a join is going to look like, foretold from its frames, against what is measured of the result."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.joins.measure import SUNK_CM
from footfall.kinematics.fk import world_transforms_of
from footfall.quality.joins import AROUND_S
from footfall.quality.knee import knee_speed
from footfall.quality.skate import AFTER_S, BEFORE_S, LEAST_CM_S, NEAR_M
from footfall.timeline import gentleness
from footfall.timeline.arranged_clip import ArrangedClip
from footfall.timeline.arrangement import timeline
from footfall.timeline.gentleness import FramesAround, foretell, moves_until_s
from footfall.timeline.measure_joins import quality_at
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack
from footfall.timeline.planner import PlanOptions, plan_join
from footfall.timeline.windows import BlendWindow, neighbours, variants


def _cut(name, start, end):
    clip = ff.motion(name).resample(60.0)
    return clip.with_pose(clip.trim(start, end).pose, is_loop=False)


def test_a_clip_against_itself_is_no_rougher_and_sinks_no_deeper():
    clip = ff.motion("kick").resample(60.0)
    found = foretell(clip, clip, FramesAround(clip.pose, 6, clip.times, clip.times), 60.0)
    assert found.excess_m_s2 == pytest.approx(0.0, abs=1e-6)
    assert found.sunk_cm == 0.0
    assert found.knee_ratio == pytest.approx(1.0)


def by_rules(names):
    track = TimelineTrack(tuple(TimelineClip(n) for n in names))
    return timeline(Timeline((track,), fps=60.0, options={"rules": True}))


def plainly(previous, following, frames, fps):
    """The same figures over numpy arrays."""
    a, b, body = gentleness._known(previous, fps), gentleness._known(following, fps), gentleness._body(previous)
    place = world_transforms_of(previous.skeleton, frames.pose, body.joints.tolist())[0]
    ours = np.linalg.norm(np.diff(place, n=2, axis=0), axis=-1) * fps**2  # of frames 1 … N-2
    allowed = np.maximum(_near(a, frames.previous_s[1:-1], fps), _near(b, frames.following_s[1:-1], fps))
    allowed = np.where(np.isfinite(allowed), allowed, np.maximum(a.usual, b.usual))
    toe = place[:, body.feet[2:]] * body.scale
    speed = np.linalg.norm(np.diff(toe[..., [0, 2]], axis=0), axis=-1) * fps
    height = 0.5 * (toe[1:, :, 1] + toe[:-1, :, 1]) - body.scale * gentleness._lowest(previous, following)
    slid = (100.0 * speed * (2.0 - 2.0 ** np.clip(height / NEAR_M, 0.0, 1.0))).mean(axis=1)
    length, first = round((BEFORE_S + AFTER_S) * fps), max(0, frames.before - round(BEFORE_S * fps))
    starts = range(first, max(first, len(slid) - length) + 1, max(1, round(0.5 * fps)))
    skated = max(float(slid[s : s + length].mean()) if len(slid[s:]) else 0.0 for s in starts)
    floor = np.minimum(a.floor, b.floor)
    own = 100.0 * float((floor - np.minimum(a.deepest, b.deepest)).max())
    sunk = 100.0 * float((floor - place[:, body.feet, 1].min(axis=0)).max()) - max(SUNK_CM, own)
    usual = max(0.5 * (a.skate_cm_s + b.skate_cm_s), LEAST_CM_S)
    knees = knee_speed(previous.with_pose(frames.pose)) / max(knee_speed(previous), knee_speed(following))
    return float((ours - allowed).max(initial=0.0)), skated / usual, max(0.0, sunk), knees


def _near(known, clip_s, fps):
    """(N, J) of `near` at clip times, -inf outside."""
    at = np.round(clip_s * fps).astype(int) + round(AROUND_S * fps)
    inside = (at >= 0) & (at < len(known.near))
    return np.where(inside[:, None], known.near[np.clip(at, 0, len(known.near) - 1)], -np.inf)


@pytest.mark.parametrize("names", [("walk:cycles=2", "kick"), ("run:cycles=3", "stand"), ("jump", "walk:cycles=2")])
def test_what_is_foretold_is_what_arrays_say(monkeypatch, names):
    seen = []
    monkeypatch.setattr("footfall.timeline.evaluate.foretell", lambda *given: seen.append(given) or foretell(*given))
    by_rules(names).render(measured=False)
    assert seen
    for given in seen:
        assert foretell(*given)[:4] == pytest.approx(plainly(*given), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("name", ["kick", "jump"])
def test_a_kick_or_jump_that_a_step_replaced_is_told(name):
    clip, stand = ff.motion(name).resample(60.0), ff.motion("stand").resample(60.0)
    frames = FramesAround(clip.pose, 6, clip.times, clip.times)
    assert foretell(stand, clip, frames, 60.0).lacks == 0.0
    still = clip.pose.at(np.zeros(clip.frames, int))
    assert foretell(stand, clip, frames._replace(pose=still), 60.0).lacks > 0.3
    before = frames._replace(pose=still.at(slice(0, 20)), previous_s=clip.times[:20], following_s=clip.times[:20])
    assert foretell(stand, clip, before, 60.0).lacks == 0.0


def test_one_frame_out_of_place_is_told():
    clip = ff.motion("stand").resample(60.0)
    root = np.array(clip.pose.root_pos)
    root[40, 0] += 0.01
    shown = FramesAround(clip.pose._replace(root_pos=root), 6, clip.times, clip.times)
    assert foretell(clip, clip, shown, 60.0).excess_m_s2 == pytest.approx(2 * 0.01 * 60.0**2, rel=0.05)


@pytest.mark.parametrize("names", [("walk:cycles=2", "kick"), ("run:cycles=3", "stand"), ("stand", "walk:cycles=2")])
def test_what_is_foretold_is_what_is_measured(names):
    arranged = by_rules(names)
    clip, made = arranged.render(measured=False), arranged.synthesized()[0]
    row = next(r for r in made.rows if len(r.pieces) == 2)
    starts = np.arange(row.first, row.end, 30) / 60.0
    measured = max(quality_at(clip, made, float(t)).excess_m_s2 for t in starts)
    assert made.evaluated[0].foretold.excess_m_s2 == pytest.approx(measured, abs=3.0)


def test_standing_at_the_end_is_not_moving():
    clip = ff.motion("kick").resample(60.0)
    still = np.concatenate([np.arange(clip.frames), np.full(45, clip.frames - 1)])
    longer = clip.with_pose(clip.pose.at(still), is_loop=False)
    assert moves_until_s(longer) <= clip.duration + 1e-9
    assert moves_until_s(ff.motion("run").resample(60.0)) == pytest.approx(ff.motion("run").duration, abs=0.05)


def test_other_windows_stay_within_what_may_be_changed():
    previous, following = ArrangedClip(_cut("walk", 0.0, 1.0), 0.0), ArrangedClip(ff.motion("kick").resample(60.0), 0.9)
    join = plan_join(previous, following, 0.3)
    over = BlendWindow(join.begin_s, max(join.end_s, join.begin_s + 0.5))
    for other in [*variants(previous, join, over, 0.3), *neighbours(previous, join, over, over, 0.3)]:
        assert other.begin_s >= min(over.begin_s, 0.3) - 1e-9
        assert other.end_s - other.begin_s >= 0.3 - 1e-9


def test_standing_leads_into_the_first_stance_of_a_clip_that_begins_in_flight():
    jump = ff.motion("jump").resample(60.0)
    flight = next(p for p in ArrangedClip(jump, 0.0).phases if p.label == "NS")
    cut = jump.with_pose(jump.trim(flight.start_s + 0.05, jump.duration).pose, is_loop=False)
    previous = ArrangedClip(ff.motion("stand").resample(60.0), 0.0)
    following = ArrangedClip(cut, previous.end_s)
    assert following.phases[0].label == "NS"
    join = plan_join(previous, following, 0.0)
    assert join.kind == "adaptation"
    assert join.enter_s == pytest.approx(following.phases[1].start_s)
    assert plan_join(previous, following, 0.0, PlanOptions(paper=True)).kind == "fallback"
