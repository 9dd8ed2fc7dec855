"""Starts by hand: what was asked for is made, actions come before most of a walk, and what is lost is said by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall as ff
from footfall.core.clip import Clip
from footfall.quality.content import SHOWN, actions_shown
from footfall.timeline.arrangement import Arrangement, timeline
from footfall.timeline.best import improved
from footfall.timeline.judged import shown_pieces
from footfall.timeline.model import TimelineClip

APEX = 0.95
WALK_KICK = ("walk:cycles=3", TimelineClip("kick", 1.0))


def whole(arranged: Arrangement, take: Clip) -> dict[str, bool]:
    """Of each action: whether it is shown from its first movement to its return, with its apex."""
    shown = shown_pieces(arranged.synthesized()[0], arranged.timeline.tracks[0])
    return {a.clip: a.shown >= SHOWN and a.reach >= APEX for a in actions_shown(take, shown)}


def left_at(arranged: Arrangement) -> float:
    """When the first clip gives way."""
    first = shown_pieces(arranged.synthesized()[0], arranged.timeline.tracks[0])[0]
    return float(np.flatnonzero(first.leads)[-1]) / arranged.fps


def test_a_walk_is_left_for_a_kick_that_was_put_there() -> None:
    arranged = timeline(list(WALK_KICK))
    take = arranged.render()
    assert whole(arranged, take) == {"kick": True}
    assert left_at(arranged) == pytest.approx(1.0, abs=0.3)
    assert ("clip", ("kick",)) in [(s.kind, s.clips) for s in take.report.segments]
    assert take.duration == pytest.approx(1.0 + ff.motion("kick").duration, abs=0.02)
    assert take.report.judgement["by_hand"] == []


def test_no_clip_is_skipped_on_the_way_to_a_later_one() -> None:
    arranged = timeline([*WALK_KICK, TimelineClip("jump", 3.0)])
    take = arranged.render()
    assert whole(arranged, take) == {"kick": True, "jump": True}
    assert take.report.judgement["ordered"]


def test_the_best_timing_does_not_lose_a_kick() -> None:
    better = improved(timeline(list(WALK_KICK)))
    assert whole(better, better.render()) == {"kick": True}


@pytest.mark.parametrize(
    ("before", "action", "start_s"),
    [("run:cycles=4", "kick", 1.2), ("walk:cycles=3", "jump", 1.4), ("walk:cycles=3", "kick", 0.7)],
)
def test_actions_put_into_a_gait_are_whole(before: str, action: str, start_s: float) -> None:
    arranged = timeline([before, TimelineClip(action, start_s)])
    assert all(whole(arranged, arranged.render()).values())


def test_an_action_is_finished_before_a_walk_that_begins_too_soon() -> None:
    arranged = timeline(["running-kick", TimelineClip("walk", 1.2)])
    assert whole(arranged, arranged.render()) == {"running-kick": True}
    walk = shown_pieces(arranged.synthesized()[0], arranged.timeline.tracks[0])[1]
    assert walk.leads.sum() / arranged.fps > 0.15  # and the walk is seen


def test_what_two_actions_at_once_lose_is_told_by_name() -> None:
    told = timeline(["kick", TimelineClip("jump", 0.2)]).render().report.judgement["by_hand"]
    assert any(words.startswith("kick loses its ") for words in told)
    assert any(words.startswith("jump loses its ") for words in told)


def test_a_kick_that_begins_at_once_is_led_into_before_it_starts(tmp_path: Path) -> None:
    kick = ff.motion("kick")
    cut = kick.trim(0.26, kick.duration)  # at its first movement
    arranged = timeline(["walk:cycles=3", TimelineClip(cut, 1.5)])
    take = arranged.render()
    (shown,) = actions_shown(take, shown_pieces(arranged.synthesized()[0], arranged.timeline.tracks[0]))
    assert shown.reach >= APEX
