"""Structure: loops turned to one foot, unlike steps refused by name, close events pushed apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.motions.library import motion
from footfall.parametric.structure import (
    StructureError,
    align,
    apex_time,
    loop_example,
)
from footfall_lab.truth import known_key_times

WALK = ("left strike", "right off", "right strike", "left off", "left strike")
RUN = ("left strike", "left off", "right strike", "right off", "left strike")


def without_events(clip):
    return replace(clip, events=())


@pytest.mark.parametrize(("name", "marks"), [("walk", WALK), ("run", RUN)])
def test_a_loop_has_the_events_of_its_gait(name, marks):
    clip = motion(name)
    example = loop_example(clip)
    assert example.marks == marks
    assert example.strides == 1
    assert example.duration == pytest.approx(clip.duration)
    known = {(k.foot, k.event): k.t_s for k in known_key_times(clip)}
    for mark, t in zip(example.marks[1:-1], example.key_times[1:-1], strict=True):
        assert t == pytest.approx(known[tuple(mark.split())])


@pytest.mark.parametrize(("name", "marks"), [("walk", WALK), ("run", RUN)])
def test_events_are_found_in_the_motion_alone(name, marks):
    known, found = loop_example(motion(name)), loop_example(without_events(motion(name)))
    assert found.marks == marks
    assert np.abs((found.key_times - found.key_times[0]) - (known.key_times - known.key_times[0])).max() < 0.03


def test_a_loop_that_begins_elsewhere_begins_at_the_strike():
    clip = motion("walk", cycles=3)
    late = without_events(clip).trim(0.4, 0.4 + motion("walk").duration)
    late = replace(late, is_loop=True)
    example = loop_example(late)
    assert example.marks == WALK
    assert 0.0 < example.key_times[0] < late.duration
    assert example.key_times[-1] > late.duration
    assert loop_example(late, start_foot="right").marks[0] == "right strike"


def test_loops_of_unlike_strides_are_repeated():
    one, two = motion("walk", speed=1.2), motion("walk", speed=1.0, cycles=2)
    a, b = align([one, two])
    assert a.marks == b.marks
    assert a.strides == b.strides == 2
    assert a.duration == pytest.approx(2 * one.duration)
    assert b.duration == pytest.approx(two.duration)
    with pytest.raises(StructureError, match="strides"):
        align([motion("walk", cycles=7), motion("walk", cycles=3)])


def test_walk_and_run_are_refused_by_name_and_align_by_strikes():
    walk, run = replace(motion("walk"), name="stroll"), replace(motion("run", speed=2.2), name="jog")
    with pytest.raises(StructureError, match=r"jog against stroll.*sync='strikes'"):
        align([walk, run])
    a, b = align([walk, run], sync="strikes")
    assert a.marks == b.marks == ("left strike", "right strike", "left strike")


def test_takes_of_other_steps_or_feet_are_refused_with_a_cure():
    kick = motion("kick")
    with pytest.raises(StructureError, match=r"mirror"):
        align([kick, replace(kick.mirror(), name="other leg")], apex=True)
    with pytest.raises(StructureError, match=r"strikes? against"):
        align([kick, motion("punch")])
    with pytest.raises(StructureError, match="loop"):
        align([motion("walk"), kick])


def test_two_feet_at_once_are_in_one_order_and_apart():
    jumps = [motion("jump", distance=0.4, direction=d, height=0.15) for d in (0.0, 60.0)]
    for clips in (jumps, [without_events(j) for j in jumps]):
        for example in align(clips, apex=True):
            assert example.marks == (
                "start",
                "left off",
                "right off",
                "apex",
                "left strike",
                "right strike",
                "end",
            )
            assert np.diff(example.key_times).min() >= 1.0 / example.clip.fps - 1e-12


def test_the_apex_is_where_the_hand_is_furthest():
    clip = motion("reach")
    known = next(e.start_s for e in clip.events if e.name == "apex")
    assert apex_time(clip) == known
    assert apex_time(without_events(clip)) == pytest.approx(known, abs=0.08)


def test_standing_has_its_ends_alone():
    example = loop_example(motion("stand"))
    assert example.marks == ("start", "end")
    assert example.strides == 0
    assert loop_example(without_events(motion("stand"))).marks == ("start", "end")
