"""Carriers: they close with the loop, run under the feet, and steps add up to arcs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.edit.sample import cycle
from footfall.kinematics.floor_align import FloorTransform
from footfall.motions.library import motion
from footfall.parametric.arc_root import carrier, moved, on_carrier, path_of
from footfall.parametric.structure import loop_example, take_example


@given(st.floats(-3, 3), st.floats(-1, 1), st.floats(-2, 2), st.integers(2, 9))
def test_an_arc_in_pieces_is_the_arc(forward, left, turn, pieces):
    whole = np.array([forward, left, turn])
    point, heading = moved(0.3 + 0.1j, 0.5, whole)
    path = path_of(np.tile(whole / pieces, (pieces, 1)), 0.3 + 0.1j, 0.5)
    assert path.shift[-1, 2] + 1j * path.shift[-1, 0] == pytest.approx(point, abs=1e-9)
    assert path.turn[-1] == pytest.approx(heading)


@pytest.mark.parametrize(("name", "turn"), [("walk", 0.0), ("walk", 70.0), ("run", -40.0)])
def test_one_round_moves_the_carrier_as_it_moves_the_body(name, turn):
    clip = motion(name, turn=turn)
    example = loop_example(clip)
    times = np.linspace(example.key_times[0], example.key_times[-1], 50)
    carried = carrier(example, times, travels=False)
    once = cycle(clip)
    end = once.after(FloorTransform(carried.frame.turn[0], carried.frame.shift[0]))
    assert carried.frame.shift[-1] == pytest.approx(end.shift, abs=1e-9)
    assert carried.frame.turn[-1] == pytest.approx(end.turn, abs=1e-9)
    assert np.degrees(carried.travel[-1, 2]) / clip.duration == pytest.approx(turn, abs=1e-6)
    sway = on_carrier(clip.sample(times), carried).root_pos
    assert np.ptp(sway[:, [0, 2]], axis=0).max() < 0.12
    assert sway[0] == pytest.approx(sway[-1], abs=1e-9)


def test_walking_sideways_and_backwards_is_travel():
    for clip, wanted in ((motion("walk_side"), (0, 1)), (motion("walk_back"), (-1, 0))):
        example = loop_example(clip)
        travel = carrier(example, example.key_times, travels=False).travel[-1]
        direction = travel[:2] / np.linalg.norm(travel[:2])
        assert abs(np.dot(direction, wanted)) > 0.95
        assert abs(travel[2]) < 0.05


def test_a_take_that_goes_somewhere_is_carried_along():
    clip = motion("start", speed=1.4)
    example = take_example(clip)
    carried = carrier(example, clip.times, travels=True)
    sway = on_carrier(clip.pose, carried).root_pos
    assert np.ptp(clip.pose.root_pos[:, 2]) > 1.0
    assert np.ptp(sway[:, [0, 2]], axis=0).max() < 0.25
    assert (np.diff(carried.travel[:, 0]) > -1e-3).all()
