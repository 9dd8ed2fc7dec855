"""Key times: strikes and offs in order, none where the clip itself begins or ends."""

from __future__ import annotations

import pytest
from helpers import still_clip

from footfall.analysis.key_times import find_key_times
from footfall.motions.library import motion
from footfall_lab.truth import known_key_times


@pytest.mark.parametrize(("name", "speed", "turn"), [("walk", 0.9, -30.0), ("walk", 1.6, 0.0), ("run", 3.0, 40.0)])
def test_known_key_times_are_found(name, speed, turn):
    clip = motion(name, speed=speed, turn=turn, cycles=2)
    found = [k for k in find_key_times(clip) if 0.05 < k.t_s < clip.duration - 0.05]
    known = [k for k in known_key_times(clip) if 0.05 < k.t_s < clip.duration - 0.05]
    assert [(k.foot, k.event) for k in found] == [(k.foot, k.event) for k in known]
    assert [k.t_s for k in found] == pytest.approx([k.t_s for k in known], abs=0.025)
    assert [k.t_s for k in found] == sorted(k.t_s for k in found)


def test_standing_has_none():
    assert find_key_times(still_clip(frames=30)) == []


def test_contacts_cut_by_the_ends_have_no_event_there():
    clip = motion("walk", speed=1.2, cycles=2)
    times = find_key_times(clip)
    assert min(t.t_s for t in times) > 0.0
    assert max(t.t_s for t in times) < clip.duration
