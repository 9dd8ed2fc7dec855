"""The contact strip: a small PNG, the same each time."""

from __future__ import annotations

from footfall.analysis.summary import analyze
from footfall.motions.library import motion
from footfall_lab.contact_strip import plot_strip


def test_strip_is_small_and_the_same_each_time():
    clip = motion("walk", cycles=2)
    found = analyze(clip)
    assert plot_strip(clip, found) == plot_strip(clip, found)
    assert len(plot_strip(clip, found)) < 150_000
