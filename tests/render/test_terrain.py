"""Ground in pictures: rays meet it where it is, level ground draws as no ground, steps shade each other."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.feet.on_ground import put_on_ground
from footfall.kinematics import ground as made
from footfall.render.camera import Camera
from footfall.render.scene import Actor, Scene, render_frame
from footfall.render.sheet import CLIMB_CAMERA, STRIP_CAMERA, strip_camera
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


@pytest.mark.parametrize("azimuth", [180.0, 140.0, -120.0])
def test_risers_are_told_from_treads_wherever_the_lamp_is(azimuth):
    """Of stairs seen from their foot: the picture's rows over the middle column go from light to dark and back."""
    put = put_on_ground(ff.motion("walk"), ff.ground("stairs:20x40"))
    camera = Camera("fixed", azimuth=azimuth)
    scene = Scene([Actor(put.clip)], camera=camera, ground=put.ground, trail=False, contacts=False)
    picture = render_frame(scene, 0.0, (160, 120)).astype(float).mean(axis=2)
    column = picture[:, 130]  # beside the figure
    assert np.abs(np.diff(column)).max() > 15.0


@pytest.mark.parametrize(("ground", "expected"), [("stairs:20x40", CLIMB_CAMERA), ("stairs:-20x40", STRIP_CAMERA)])
def test_strips_of_a_climb_are_taken_from_where_its_risers_are_seen(ground, expected):
    put = put_on_ground(ff.motion("walk", cycles=3), ff.ground(ground))
    assert strip_camera(put.clip, put.ground) == expected
    assert strip_camera(put.clip) == STRIP_CAMERA
