"""The best timing: it never costs more, on these rows it costs less, and no kick is lost for it."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from footfall.timeline.arrangement import Arrangement, timeline
from footfall.timeline.best import changes, cost, costs, improved
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack
from footfall.timeline.must_show import given_up

FPS = 60.0


def arranged(*names: str | TimelineClip) -> Arrangement:
    entries = tuple(n if isinstance(n, TimelineClip) else TimelineClip(n) for n in names)
    return timeline(Timeline((TimelineTrack(entries),), fps=FPS, options={"rules": True}))


@pytest.mark.parametrize(
    "names",
    [
        ("walk:cycles=2", "kick", "walk-back:cycles=2"),
        ("run:cycles=3", "stand", "walk:cycles=2"),
        ("walk:cycles=2", "run:cycles=3", "stop"),
    ],
)
def test_these_rows_cost_less(names):
    given = arranged(*names)
    better = improved(given)
    assert cost(better, 0) < cost(given, 0) - 0.05
    assert all(isinstance(entry.start_s, float) for entry in better.timeline.tracks[0].clips)
    assert changes(given, better)
    plan = better.plan()[0]
    for join, previous, following in zip(plan.joins, plan.pieces, plan.pieces[1:], strict=False):
        assert given_up(previous, following, join) == 0


@pytest.mark.parametrize(
    "names",
    [
        ("stand",),
        ("walk:cycles=3", TimelineClip("wave", 0.5)),  # nothing but what is laid over it
        (TimelineClip("kick", trim_s=(0.1, 1.2), speed=1.2, mirror=True), TimelineClip("walk", repeat=2, speed=0.9)),
    ],
)
def test_it_never_costs_more(names):
    given = arranged(*names)
    better = improved(given)
    assert cost(better, 0) <= cost(given, 0) + 1e-9
    again = better.with_timeline(better.timeline)  # all of it is said in the timeline
    assert costs(again) == pytest.approx(costs(better), abs=1e-9)


def test_what_it_gained_is_said(tmp_path):
    from footfall.cli.synth import command

    out = tmp_path / "take.npz"
    told = CliRunner().invoke(command, ["walk:cycles=2", "kick", "-o", str(out), "--best", "--fps", "60"])
    assert told.exit_code == 0, told.output
    line = next(line for line in told.output.splitlines() if line.startswith("joins cost"))
    before, now = (float(word.rstrip(",")) for word in line.split() if word[0].isdigit())
    assert now <= before
