"""What is done out of a run: a turn on its feet and a leap, with the run before and after."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.core.errors import ParameterError
from footfall.motions.library import motion
from footfall.quality.body_signals import body_signals
from footfall.quality.momentum import change, inside
from footfall.quality.slide import slide


def over_floor(clip):
    """(T, 2) places of the pelvis on the floor."""
    return clip.positions[:, clip.skeleton.roles.pelvis][:, [0, 2]]


def velocity(clip, start_s: float, end_s: float) -> np.ndarray:
    """(2,) mean velocity of the pelvis between two times, from the end where they are negative."""
    path = over_floor(clip)
    a, b = (round((t if t >= 0.0 else clip.duration + t) * clip.fps) for t in (start_s, end_s))
    return (path[b] - path[a]) * clip.fps / (b - a)


@pytest.mark.parametrize(("speed", "angle"), [(2.2, 90.0), (3.2, 180.0), (4.2, -120.0)])
def test_a_run_turns_by_the_angle_and_has_its_speed_again(speed, angle):
    clip = motion("plant-turn", speed=speed, angle=angle)
    stride = 1.21 * speed**-0.4  # seconds, as docs/gait.md has it
    before, after = velocity(clip, 0.0, stride), velocity(clip, -stride, -1e-9)
    turned = np.degrees(np.arctan2(after[0], after[1]) - np.arctan2(before[0], before[1]))
    assert (turned - angle + 180.0) % 360.0 - 180.0 == pytest.approx(0.0, abs=6.0)
    assert np.linalg.norm(before) == pytest.approx(speed, rel=0.08)
    assert np.linalg.norm(after) == pytest.approx(speed, rel=0.08)
    assert slide(clip).p95_cm_s < 1.0
    pushed = inside(change(body_signals(clip.resample(60))), 60.0)
    assert pushed.max() < 6.5  # m/s² over 0.4 s: what 1.3 times the built-in runs' own is


def test_both_sides_of_a_turn_are_mirror_images():
    left, right = (motion("plant-turn", speed=3.0, angle=a) for a in (120.0, -120.0))
    ends = [over_floor(clip)[-1] - over_floor(clip)[0] for clip in (left, right)]
    assert ends[0][1] == pytest.approx(ends[1][1], abs=0.25)  # they begin on the same foot
    assert ends[0][0] == pytest.approx(-ends[1][0], abs=0.25)


@pytest.mark.parametrize("height", [0.15, 0.3])
def test_a_leap_flies_as_long_as_its_height_takes_and_keeps_its_speed(height):
    clip = motion("running-jump", speed=3.4, height=height)
    down = np.zeros(clip.frames, bool)
    times = np.arange(clip.frames) / clip.fps
    for event in clip.events:
        if event.name.endswith(("heel", "toe")):
            down |= (times >= event.start_s) & (times <= event.end_s)
    air, longest = 0, 0
    for flies in ~down:
        air = air + 1 if flies else 0
        longest = max(longest, air)
    assert longest / clip.fps == pytest.approx(2.0 * np.sqrt(2.0 * height / 9.81), abs=0.04)
    assert np.linalg.norm(velocity(clip, 0.0, -1e-9)) == pytest.approx(3.4, rel=0.05)
    assert slide(clip).p95_cm_s < 1.0


@pytest.mark.parametrize(("name", "wrong"), [("plant-turn", {"speed": 0.5}), ("plant-turn", {"angle": 500.0}),
                                             ("running-jump", {"height": 2.0})])  # fmt: skip
def test_what_no_run_can_do_is_refused_in_a_sentence(name, wrong):
    with pytest.raises(ParameterError, match="got"):
        motion(name, **wrong)
