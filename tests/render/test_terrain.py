"""Ground in pictures: rays meet it where it is, level ground draws as no ground, steps shade each other."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.kinematics import ground as made
from footfall.render.scene import Actor, Scene, render_frame
from footfall.render.terrain import self_shade, terrain_hit, terrain_normal, terrain_of


@pytest.fixture(scope="module")
def stairs():
    return terrain_of(made.stairs(0.2, 0.4, 4, 0.0).ahead_of(np.zeros(3), 0.0), np.zeros(3), 3.0, 1.0)


def test_rays_meet_treads_and_risers(stairs):
    down = terrain_hit(stairs, 0.1, 3.0, 0.6, 0.0, -1.0, 0.0, 99.0)
    assert 3.0 - down == pytest.approx(0.4, abs=0.01)  # on the second tread
    ahead = terrain_hit(stairs, 0.1, 0.1, -1.0, 0.0, 0.0, 1.0, 99.0)
    assert ahead == pytest.approx(1.0, abs=0.03)  # into the first riser
    assert terrain_hit(stairs, 0.1, 3.0, 0.0, 0.0, 1.0, 0.0, 99.0) == np.inf
    assert terrain_normal(stairs, 0.1, 0.2)[1] > 0.99
    assert terrain_normal(stairs, 0.1, 0.4)[1] < 0.3


def test_steps_shade_what_lies_behind_them(stairs):
    light = (0.0, 0.6, 0.8)  # from beyond the stairs
    x = np.zeros(2)
    shaded = self_shade(stairs, x, np.array([-0.05, -2.5]), light)
    assert shaded[0] < 0.1
    assert shaded[1] == 1.0


def test_level_ground_draws_as_no_ground():
    walk = ff.motion("walk")
    plain, level, steps = (
        render_frame(Scene([Actor(walk)], ground=ground), 0.3, (96, 72))
        for ground in (None, made.level(), made.stairs(0.15, 0.3).ahead_of(np.zeros(3), 0.0))
    )
    assert np.array_equal(plain, level)
    assert not np.array_equal(plain, steps)
