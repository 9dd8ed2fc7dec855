"""The study's own measures: liveliness is 1 where nothing is joined, steps are seen."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.joins.assemble import assemble
from footfall.joins.departure import leaving
from footfall.joins.transition import TransitionRequest, method
from footfall_lab.studies import egbert2005, egbert2005_pairs


@pytest.fixture(scope="module")
def walk() -> Clip:
    return ff.motion("walk", speed=1.3)


def test_going_on_is_as_lively_as_before(walk: Clip) -> None:
    departure = leaving(walk, 60 / 120)
    made = method("crossfade").transition(departure, walk, TransitionRequest(54 / 120, 114 / 120))
    whole = assemble(departure, walk, made)
    assert egbert2005_pairs.energy_ratio(departure, walk, 114 / 120, whole) == pytest.approx(1.0, abs=0.1)
    assert egbert2005_pairs.velocity_step(departure, walk, 114 / 120, whole) < 1e-3


def test_linear_crossfade_has_a_velocity_step(walk: Clip) -> None:
    kick = ff.motion("kick")
    linear = egbert2005_pairs.joined(leaving(walk, 60 / 120), kick, 0.0, "linear crossfade")
    ours = egbert2005_pairs.joined(leaving(walk, 60 / 120), kick, 0.0, "by-example")
    assert linear.step > 4.0 * ours.step
    assert linear.step > 0.5


def test_energy_is_that_above_three_hertz(walk: Clip) -> None:
    t = np.arange(600)[:, None, None] / 120
    spin = {hz: 0.1 * np.sin(2 * np.pi * hz * t) * np.array([1.0, 0, 0]) for hz in (0.5, 8.0)}
    rot = {hz: np.broadcast_to(rotation.exp(v), (600, len(walk.skeleton), 4)) for hz, v in spin.items()}
    root = np.zeros((600, 3))
    energy = {}
    for hz, q in rot.items():
        clip = walk.with_pose(walk.pose._replace(root_pos=root, rot=q), is_loop=False, events=())
        energy[hz] = egbert2005_pairs.quick_energy(clip)[120:480].mean() / len(walk.skeleton)
    assert energy[8.0] == pytest.approx(0.5 * (0.1 * 2 * np.pi * 8.0) ** 2, rel=0.1)
    assert energy[0.5] < 0.05 * 0.5 * (0.1 * 2 * np.pi * 0.5) ** 2


def test_nearness_to_life() -> None:
    joined = egbert2005_pairs.Joined("a", "b", "by-example", 1.0, 1, 1, 1, 0, 0)
    found = [joined._replace(energy=e) for e in (0.5, 1.0, 2.0)]
    assert egbert2005.nearness_to_life(found) == pytest.approx(np.log(2.0))
