"""A clip that is left at a given moment is led on from there, whatever was recorded after it."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.joins.bridge import alone
from footfall.joins.cut_short import cut_short, led_on_from
from footfall.joins.gait_cycle import END_S, end_cycle
from footfall.joins.join import join


def take(name: str, **parameters: float) -> Clip:
    clip = ff.motion(name, **parameters)
    return clip.with_pose(clip.pose, is_loop=False).resample(60)


@pytest.fixture(scope="module")
def run() -> Clip:
    return take("run", speed=3.5, cycles=4)


def test_a_run_stops_at_a_given_moment_as_a_body_does(run: Clip) -> None:
    out = join(run, take("stand"), at_s=1.2)
    assert out.report is not None
    first, *rest = out.report.segments
    assert "bridge" in [segment.kind for segment in rest]
    assert first.end_s == pytest.approx(1.2, abs=END_S)
    kept = round(first.end_s * 60) + 1
    np.testing.assert_array_equal(out.pose.rot[:kept], run.pose.rot[:kept])
    figures = out.report.judgement["seams"][0]["figures"]
    assert figures["push"]["ok"]
    assert figures["change"]["ok"]


def test_what_lies_after_the_moment_changes_nothing_but_what_it_goes_on_to_do(run: Clip) -> None:
    told = []
    for clip in (run, run.trim(0.0, 2.0)):
        report = join(clip, take("stand"), at_s=1.2).report
        assert report is not None
        told.append([(s.kind, round(s.start_s, 3), s.reason) for s in report.segments if s.kind == "bridge"])
    assert told[0]
    assert told[0] == told[1]


def test_times_that_are_given_leave_no_room(run: Clip) -> None:
    out = join(run, take("stand"), at_s=1.2, length_s=0.5)
    assert out.report is not None
    assert [segment.kind for segment in out.report.segments] == ["clip", "transition", "clip"]
    assert out.report.segments[0].end_s == pytest.approx(1.2, abs=1.0 / 60.0)


def test_less_than_a_stride_is_preceded_by_the_one_that_follows() -> None:
    run = take("walk", speed=1.4, turn=40.0, cycles=3)
    short = cut_short(run, 0.4)
    assert short.before_s > 0.0
    first = round(short.before_s * 60)
    np.testing.assert_allclose(
        short.clip.pose.root_pos[first:], run.pose.root_pos[: len(short.clip.pose.root_pos) - first]
    )
    steps = np.linalg.norm(np.diff(short.clip.pose.root_pos, axis=0), axis=-1) * 60.0
    assert steps.max() < 1.2 * (np.linalg.norm(np.diff(run.pose.root_pos, axis=0), axis=-1) * 60.0).max()
    turns = (
        rotation.log(rotation.multiply(rotation.conjugate(short.clip.pose.rot[:-1]), short.clip.pose.rot[1:])) * 60.0
    )
    usual = rotation.log(rotation.multiply(rotation.conjugate(run.pose.rot[:-1]), run.pose.rot[1:])) * 60.0
    assert np.linalg.norm(turns, axis=-1).max() < 1.2 * np.linalg.norm(usual, axis=-1).max()
    known, blind = end_cycle(short.clip), end_cycle(run.trim(0.0, 0.4))
    assert known is not None
    assert known.apart_m < 0.02
    assert blind is None or blind.apart_m > 5.0 * known.apart_m
    assert cut_short(run, 2.0).before_s == 0.0
    stand = cut_short(take("stand"), 0.4)
    assert stand.before_s == 0.0


def test_a_loop_has_always_been_going_on() -> None:
    loop = ff.motion("run", speed=3.5).resample(60)
    assert loop.is_loop
    short = cut_short(loop, 0.3)
    assert end_cycle(short.clip) is not None
    out = join(loop, take("stand"), at_s=0.3)
    assert out.report is not None
    assert out.report.segments[0].end_s <= 0.3 + 1e-9


def test_nothing_is_left_of_a_clip_that_would_end_before_it_begins(run: Clip) -> None:
    led = alone(run)._replace(window_s=(0.5, 1.0), shown_s=(0.0, 0.4), words="goes on")
    assert led_on_from(led, run, 0.5) is None
    later = led_on_from(led, run, 0.1)
    assert later is not None
    assert later.window_s == pytest.approx((0.4, 0.9))
    assert later.shown_s == pytest.approx((0.0, 0.3))
    np.testing.assert_array_equal(later.clip.pose.root_pos, run.pose.root_pos[6:])
