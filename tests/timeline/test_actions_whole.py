"""Automatic timing shows every action whole, whatever comes before and after it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

import footfall as ff
from footfall.timeline.arrangement import timeline
from footfall.timeline.asap import as_soon_as_possible
from footfall.timeline.model import in_a_row

ACTIONS = ("kick", "jump", "punch", "wave", "reach")
AROUND = ("walk:cycles=3", "run:cycles=3", "stand")


@pytest.mark.parametrize(("other", "action"), [("walk:cycles=3", a) for a in ACTIONS] + [("run:cycles=3", "kick")])
def test_an_action_in_a_gait_is_whole(action: str, other: str) -> None:
    is_whole(action, other)


@pytest.mark.long
@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("other", [*AROUND, *ACTIONS])
def test_an_action_between_others_is_whole(action: str, other: str) -> None:
    is_whole(action, other)


def is_whole(action: str, other: str) -> None:
    """Between two of the other, nothing of it is lost."""
    told = timeline([other, action, other]).render().report.judgement
    assert told["ordered"]
    assert not told["cut"]
    assert not told["lost"]


@pytest.mark.parametrize(("a", "b"), list(itertools.permutations(("walk:cycles=2", "kick", "jump", "stand"), 2)))
def test_the_join_of_the_best_start_is_the_join_that_is_made(a: str, b: str) -> None:
    """A start beside a frame may lead to another join than the frame itself."""
    row = in_a_row([ff.motion(a.split(":")[0]).resample(37.0), b])
    arranged = timeline(replace(row, options={"rules": True}))
    plan = arranged.plan()[0]
    found = as_soon_as_possible(plan.pieces[0], plan.pieces[1].at(0.0), 0.0)
    assert found.start_s * arranged.fps == pytest.approx(round(found.start_s * arranged.fps), abs=1e-6)
    assert (found.join.kind, found.join.phases) == (plan.joins[0].kind, plan.joins[0].phases)
    assert found.join.times == pytest.approx(plan.joins[0].times)


@pytest.mark.parametrize(
    "row",
    [  # a step took the place of the kick that follows, or of the one that is left
        ("cmu_bvh/jump/16_09.bvh", "bandai_namco/dataset-1_kick_normal_001.bvh"),
        ("cmu_bvh/kick/74_05.bvh", "cmu_bvh/transition/16_08.bvh"),
    ],
)
def test_captured_kicks_are_whole(mocap: Path, row: tuple[str, ...]) -> None:
    clips = [ff.load(mocap / name).resample(60.0) for name in row]
    told = timeline([clip.trim(0.0, min(clip.duration, 10.0)) for clip in clips]).render().report.judgement
    assert not told["cut"]
