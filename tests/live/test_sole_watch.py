"""What a character's frame shows of joints and soles, beside kinematics of the pose it returns."""

from __future__ import annotations

import sys
import threading
import time

import numpy as np
import pytest

import footfall as ff
from footfall.core import rotation
from footfall.core.references import reference
from footfall.graph.graph import Graph
from footfall.kinematics.fk import world_transforms
from footfall.live.playable_graph import playable_graph
from footfall.live.sole_watch import new_watch

DT = 1.0 / 60.0


def test_joints_soles_and_slide_are_those_of_the_pose(small: Graph) -> None:
    hero, watch = ff.Controller(small), reference(new_watch())
    body, rows = playable_graph(small).tables.body, np.empty((len(small.skeleton), 7), np.float32)
    before, stood = None, (-1, -1)
    slides = 0
    for _ in range(240):
        places, turns = world_transforms(small.skeleton, hero.step(DT, type="walk", speed=1.2, turn=20.0))
        hero.write_joints(rows)
        np.testing.assert_allclose(rows[:, :3], places, atol=1e-5)
        alike = np.abs((rows[:, 3:6] * turns[:, 1:]).sum(-1) + rows[:, 6] * turns[:, 0])
        assert alike.min() > 1.0 - 1e-6

        points = places[body.sole_joints] + rotation.rotate(turns[body.sole_joints], body.sole)
        shown, over, holds = hero.soles
        np.testing.assert_allclose(shown, points, atol=1e-5)
        np.testing.assert_allclose(over, points[..., 1] - body.standing, atol=1e-5)

        slide, depth = hero.watch_soles(watch)
        assert depth == pytest.approx(max(0.0, -over.min()), abs=1e-12)
        moved = [np.linalg.norm((shown - before)[foot, k, [0, 2]])
                 for foot, k in enumerate(holds) if before is not None and k >= 0 and k == stood[foot]]  # fmt: skip
        assert slide == pytest.approx(max(moved, default=0.0), abs=1e-12)
        slides += bool(moved)
        before, stood = shown, tuple(holds)
    assert slides > 100  # feet did stand


def test_on_a_ground_soles_are_deep_in_the_ground_not_in_the_floor(small: Graph) -> None:
    hero, watch = ff.Controller(small, ground="slope:12"), reference(new_watch())
    for _ in range(150):
        hero.step(DT, type="walk", speed=1.0)
        _, depth = hero.watch_soles(watch)
        assert depth == max(0.0, -hero.soles[1].min())
    assert abs(hero.position[1]) > 0.1  # it went up or down
    hero = ff.Controller(small, ground="slope:-12")
    for _ in range(150):
        hero.step(DT, type="walk", speed=1.0)
    assert hero.position[1] < -0.1
    assert hero.watch_soles(reference(new_watch()))[1] < 0.1  # though it stands that far below the floor


def test_a_step_lets_no_other_thread_in_between(small: Graph) -> None:
    """Who lets go of the interpreter while another thread works waits for that thread's whole turn."""
    hero, watch = ff.Controller(small), reference(new_watch())
    rows, counted, over = np.empty((len(small.skeleton), 7), np.float32), [0], threading.Event()

    def tick() -> None:
        hero.step(DT)
        hero.write_joints(rows)
        hero.watch_soles(watch)

    def count() -> None:
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.0)  # lets the ticks go on

    tick()  # everything is compiled
    usual = sys.getswitchinterval()
    other = threading.Thread(target=count)
    sys.setswitchinterval(1000.0)  # nobody is made to let go
    try:
        other.start()
        first = counted[0]
        for _ in range(100):
            tick()
        assert counted[0] == first
    finally:
        sys.setswitchinterval(usual)
        over.set()
        other.join()
