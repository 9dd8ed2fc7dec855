"""Phases: they cover the clip, name the right feet and never flicker."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helpers import still_clip
from hypothesis import given
from hypothesis import strategies as st

from footfall.analysis.contacts import Contacts
from footfall.analysis.phases import SHORTEST_S, find_phases
from footfall.motions.library import motion
from footfall_lab.truth import known_phases


def contacts_of(clip, left, right) -> Contacts:
    none = np.zeros(clip.frames, bool)
    return Contacts(clip.fps, none, none, none, none, None, {"left": left, "right": right})


spans = st.lists(st.floats(0.0, 1.0), max_size=12, unique=True).map(
    lambda times: [tuple(pair) for pair in zip(sorted(times)[::2], sorted(times)[1::2], strict=False)]
)


@given(spans, spans)
def test_phases_cover_the_clip_without_flicker(left, right):
    clip = still_clip(frames=61, fps=60.0)
    phases = find_phases(clip, contacts_of(clip, left, right))
    assert phases[0].start_s == 0.0
    assert phases[-1].end_s == clip.duration
    for a, b in pairwise(phases):
        assert a.end_s == b.start_s
        assert a.label != b.label
    assert len(phases) == 1 or min(p.end_s - p.start_s for p in phases) >= SHORTEST_S - 1e-12


def test_every_label():
    clip = still_clip(frames=61, fps=60.0)
    phases = find_phases(clip, contacts_of(clip, [(0.0, 0.4)], [(0.2, 0.6), (0.8, 1.0)]))
    assert [p.label for p in phases] == ["LS", "DS", "RS", "NS", "RS"]
    assert [p.start_s for p in phases] == [0.0, 0.2, 0.4, 0.6, 0.8]


def test_a_short_phase_is_shared_by_its_neighbours():
    clip = still_clip(frames=61, fps=60.0)
    phases = find_phases(clip, contacts_of(clip, [(0.0, 0.5)], [(0.52, 1.0)]))
    assert phases == [("LS", 0.0, pytest.approx(0.51)), ("RS", pytest.approx(0.51), 1.0)]
    between = find_phases(clip, contacts_of(clip, [(0.0, 0.5), (0.52, 1.0)], []))
    assert between == [("LS", 0.0, 1.0)]
    at_end = find_phases(clip, contacts_of(clip, [(0.0, 0.99)], []))
    assert at_end == [("LS", 0.0, 1.0)]


@pytest.mark.parametrize(
    ("name", "speed", "labels"), [("walk", 1.3, {"DS", "RS", "LS"}), ("run", 3.2, {"NS", "RS", "LS"})]
)
def test_gaits_have_their_phases(name, speed, labels):
    clip = motion(name, speed=speed, cycles=3)
    phases = find_phases(clip)
    assert {p.label for p in phases} == labels
    true = known_phases(clip)
    at = np.searchsorted([p.start_s for p in phases], clip.times, side="right") - 1
    assert (np.array([phases[i].label for i in at]) == true).mean() > 0.9


@pytest.mark.parametrize("frames", [1, 2])
def test_shortest_clips(frames):
    clip = still_clip(frames=frames)
    assert find_phases(clip) == [("DS", 0.0, clip.duration)]
