"""One body for many clips: their own, a named one, or the average of theirs; the option of folder commands."""

from __future__ import annotations

import numpy as np
import pytest
from bodies import body

import footfall as ff
from footfall.core.errors import UnknownName
from footfall.motions.body import adult
from footfall.retarget.character import scaled
from footfall.retarget.one_body import distinct, one_body, same_body
from footfall.retarget.retarget import retarget

WALK = ff.motion("walk")
SMALL, TALL = retarget(WALK, scaled(adult(), 1.4)), retarget(WALK, scaled(adult(), 1.8))


def test_clips_of_one_body_are_left_as_they_are():
    made = one_body([WALK, ff.motion("kick")])
    assert made.clips[0] is WALK
    assert made.body is None
    assert made.told == "2 clips of one body, left as they are"


def test_clips_of_several_bodies_go_on_their_average_and_it_is_said():
    made = one_body([SMALL, TALL, SMALL.mirror()])
    assert len({id(clip.skeleton) for clip in made.clips}) == 1
    assert made.clips[0].skeleton.height == pytest.approx(1.6, rel=1e-6)  # every body counts once
    assert made.told.startswith("3 clips of 2 bodies put on their symmetric average, 1.60 m tall with legs of 0.79 m")
    assert "0.69 to 0.89 m" in made.told
    assert [clip.frames for clip in made.clips] == [SMALL.frames, TALL.frames, SMALL.frames]


def test_a_body_given_is_taken_and_clips_that_have_it_stay():
    made = one_body([SMALL, TALL], SMALL.skeleton)
    assert made.clips[0] is SMALL
    assert np.array_equal(made.clips[1].skeleton.offsets, SMALL.skeleton.offsets)
    assert one_body([SMALL], "average").clips[0].skeleton.height == pytest.approx(1.4, rel=1e-6)
    with pytest.raises(UnknownName, match="did you mean adult"):
        one_body([SMALL, TALL], "adlt")


def test_bodies_are_told_apart_by_joints_and_lengths():
    moved = scaled(adult(), adult().height)
    assert same_body(adult(), moved)
    assert not same_body(adult(), scaled(adult(), 1.7))
    assert not same_body(adult(), body()[0])
    other = body()[0]
    found = distinct([adult(), moved, other, SMALL.skeleton])
    assert [id(s) for s in found] == [id(s) for s in (adult(), other, SMALL.skeleton)]


def test_what_was_done_is_told_in_a_sentence():
    plain, named = one_body([SMALL, TALL]), one_body([SMALL, TALL], "adult:1.2")
    assert plain.told.startswith("2 clips of 2 bodies put on their symmetric average")
    assert plain.clips[1].skeleton.height == pytest.approx(1.6, abs=0.005)
    assert named.told.startswith("2 clips of 2 bodies put on adult:1.2, 1.20 m tall")
