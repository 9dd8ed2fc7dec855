"""A loop is judged where it goes round, by the same judge as joins."""

from __future__ import annotations

import footfall as ff
from footfall.core.clip import Clip
from footfall.quality.judged_figures import FIGURES
from footfall.quality.loop_seam import judged_loop


def walk(cycles: int = 3) -> Clip:
    clip = ff.motion("walk", cycles=cycles)
    return clip.with_pose(clip.pose, is_loop=False).resample(60)


def test_a_whole_stride_goes_round_and_half_of_one_does_not() -> None:
    clip = walk()
    stride = clip.duration / 3.0
    whole, half = clip.trim(0.0, stride), clip.trim(0.0, 1.4 * stride)
    good, bad = judged_loop(whole.loop(), whole), judged_loop(half.loop(), half)
    assert good is not None
    assert bad is not None
    assert good.grade == "green"
    assert bad.grade == "red"
    (seam,) = bad.seams
    assert set(seam.figures) == set(FIGURES)
    assert abs(seam.time_s - half.duration) < 0.6  # the end is eased over half a second


def test_the_whole_recording_says_what_is_usual() -> None:
    clip = walk()
    stride = round(clip.duration / 3.0 * 60) / 60
    cut = clip.trim(0.5, 0.5 + stride)
    found = judged_loop(cut.loop(), clip, 0.5)
    assert found is not None
    assert found.believable


def test_what_is_no_loop_is_not_judged() -> None:
    clip = walk(1)
    assert judged_loop(clip, clip) is None
    one = clip.trim(0.0, 0.0)
    assert judged_loop(one, one) is None
