"""Parts of one clip that follow each other are played through, as if it had never been split."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.timeline.arrangement import Arrangement
from footfall.timeline.continued import goes_on, played_through, runs_of
from footfall.timeline.model import Marker, Timeline, TimelineClip, TimelineTrack


def of(*clips: TimelineClip, markers: tuple[Marker, ...] = ()) -> Timeline:
    return Timeline((TimelineTrack(clips),), markers, 30.0)


WHOLE = TimelineClip("walk", 0.0, repeat=3)
FIRST, REST = replace(WHOLE, trim_s=(0.0, 1.3)), replace(WHOLE, start_s="asap", trim_s=(1.3, 3.25))


def test_a_split_clip_is_the_clip() -> None:
    out = Arrangement(of(FIRST, REST)).render(0)
    whole = Arrangement(of(replace(WHOLE, trim_s=(0.0, 3.25)))).render(0)
    np.testing.assert_array_equal(out.positions, whole.positions)
    assert out.report is not None
    assert not out.report.joins


@pytest.mark.parametrize(
    "changed",
    [
        replace(REST, start_s=2.0),
        replace(REST, speed=1.2),
        replace(REST, mirror=True),
        replace(REST, repeat=4),
        replace(REST, method="transition"),
        replace(REST, trim_s=(1.4, 3.25)),
        replace(REST, clip="run"),
        replace(REST, animation="other"),
    ],
)
def test_a_part_that_was_changed_is_a_clip_of_its_own(changed: TimelineClip) -> None:
    assert goes_on(FIRST, REST)
    assert not goes_on(FIRST, changed)
    assert len(runs_of((FIRST, changed))) == 2


def test_several_parts_and_others_beside_them() -> None:
    kick = TimelineClip("kick")
    last = replace(REST, trim_s=(3.25, 3.6))
    assert runs_of((kick, FIRST, REST, last, kick)) == [range(1), range(1, 4), range(4, 5)]
    assert runs_of(()) == []
    whole = played_through(of(kick, FIRST, REST, last, kick)).tracks[0].clips
    assert [clip.trim_s for clip in whole] == [None, (0.0, 3.6), None]
    plain = of(kick, kick)
    assert played_through(plain) is plain


def test_markers_name_the_same_moment() -> None:
    """A marker half a second into the rest of a walk, played at double speed, is of the whole walk then."""
    parts = [replace(clip, speed=2.0) for clip in (FIRST, REST)]
    kick = TimelineClip("kick")
    split = Timeline(
        (TimelineTrack((kick, *parts)), TimelineTrack((kick,))), (Marker((0, 1), (2, 0), (0.5, 0.1)),), 30.0
    )
    (marker,) = played_through(split).markers
    assert marker.clips == (1, 0)
    assert marker.at_s == pytest.approx((0.5 + 1.3 / 2.0, 0.1))
    absent = replace(split, markers=(Marker((0, 7), (9, 0)),))
    assert played_through(absent).markers == absent.markers  # refused where it is used
