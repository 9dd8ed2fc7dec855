"""A track's take carries the judge's verdict: order, what is lost, every seam; unless it was asked for."""

from __future__ import annotations

import json

import footfall as ff
from footfall.timeline.judged import given_order, shown_pieces
from footfall.timeline.model import TimelineClip


def judged(*clips):
    arranged = ff.timeline(list(clips))
    clip = arranged.render()
    return arranged, clip, clip.report.judgement


def test_every_join_has_a_grade_and_every_red_one_a_reason():
    _, clip, told = judged("walk:cycles=3", "kick", "stand")
    assert json.loads(json.dumps(clip.report.to_json()))["judgement"] == json.loads(json.dumps(told))
    joins = [s for s in clip.report.joins if s.kind != "wait"]
    assert [s.grade for s in joins] == [s["grade"] for s in told["seams"]]
    assert all(bool(s.seen) == (s.grade == "red") for s in joins)


def test_nothing_is_judged_while_dragging():
    clip = ff.timeline(["walk:cycles=2", "kick"]).render(measured=False)
    assert not clip.report.judgement
    assert not any(s.grade for s in clip.report.segments)


def test_one_clip_alone_is_green():
    assert judged("walk:cycles=2")[2]["grade"] == "green"


def test_what_is_laid_over_is_no_seam():
    arranged, _, told = judged("walk:cycles=5", TimelineClip("wave", 1.0))
    assert arranged.plan()[0].overlays
    assert told["seams"] == []
    assert told["grade"] == "green"


def test_what_a_start_by_hand_cuts_is_not_held_against_it():
    arranged, _, told = judged("walk:cycles=4", TimelineClip("walk:cycles=4", 1.0))
    made, track = arranged.synthesized()[0], arranged.timeline.tracks[0]
    assert [one.asked for one in shown_pieces(made, track)] == [True, True]
    assert not told["lost"]
    trimmed = ff.timeline([TimelineClip("walk:cycles=4", trim_s=(0.5, 2.0)), "stand"])
    shown = shown_pieces(trimmed.synthesized()[0], trimmed.timeline.tracks[0])
    assert [one.asked for one in shown] == [True, False]


def test_clips_are_judged_in_the_order_they_were_given():
    arranged = ff.timeline(["walk:cycles=3", "kick", "stand"])
    assert given_order(arranged.plan()[0], arranged.timeline.tracks[0]) == [0, 1, 2]
    back = ff.timeline([TimelineClip("walk:cycles=2", 3.0), TimelineClip("kick", 0.0)])
    assert back.render().report.judgement["ordered"]  # a person wanted it so


def test_times_are_those_of_the_pieces():
    arranged, clip, _ = judged("walk:cycles=3", "kick")
    made = arranged.synthesized()[0]
    for one in shown_pieces(made, arranged.timeline.tracks[0]):
        here = one.leads
        assert here.any()
        assert one.time_s[here].max() <= one.clip.duration + 0.5
        assert one.time_s.shape == one.weight.shape == (clip.frames,)
    total = sum(one.weight for one in shown_pieces(made, arranged.timeline.tracks[0]))
    assert total.max() <= 1.0 + 1e-9
    led = sum(s.end_s - s.start_s for s in clip.report.segments if s.kind != "clip")  # may show neither clip
    assert (total < 1.0 - 1e-9).sum() <= round(led * clip.fps) + 1
