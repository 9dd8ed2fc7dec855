"""Tuning: random states, distance walked, the optimiser, and runs that go on where they were broken off."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import footfall as ff
from footfall.core.errors import ParameterError, ReadError
from footfall.edit.coast import State
from footfall.joins.classifier.entry_parameters import PUBLISHED, UNTUNED, tuned
from footfall.joins.classifier.limbs import PARTS
from footfall.joins.departure import from_state
from footfall.joins.methods import classifier
from footfall.joins.transition import TransitionRequest
from footfall_lab import classifier_tuning as tuning
from footfall_lab.classifier_tuning import KnownStates, Tuning, TuningCourse, gain, ratio_interval, tune
from footfall_lab.genetic_algorithm import evolve, fitness
from footfall_lab.random_states import Walker, pool_ranges, random_states

SMALL = Tuning(population=10, generations=12, states=20, seed=3)


@cache
def walk():
    return ff.motion("walk")


def test_random_states_are_seeded_and_within_the_pools_ranges():
    a, b, c = random_states(50, 1), random_states(50, 1), random_states(50, 2)
    np.testing.assert_array_equal(a.pose.rot, b.pose.rot)
    assert not np.array_equal(a.pose.rot, c.pose.rot)
    low, high = pool_ranges().height
    assert ((a.pose.root_pos[:, 1] >= low) & (a.pose.root_pos[:, 1] <= high)).all()
    assert np.linalg.norm(a.velocity[:, [0, 2]], axis=1).max() <= 1.5
    np.testing.assert_allclose(np.linalg.norm(a.pose.rot, axis=-1), 1.0, atol=1e-12)


def test_the_distance_is_that_of_the_motion_that_is_made():
    """Against the whole method: make the transition, walk on, measure from root to root."""
    states = random_states(6, 9)
    course = TuningCourse(walk(), 6, 9)
    for i, found in enumerate(course.distance(UNTUNED)):
        state = State(states.pose.at(i), states.velocity[i], states.spin[i])
        made = classifier.transition(
            from_state(walk().skeleton, state, fps=2000.0),
            walk(),
            TransitionRequest(options={"parameters": "untuned", "near": 99}),
        )
        length = len(made.pose.rot) / 2000.0
        end = made.placement.points(walk().sample(made.enter_s + 2.0 - length).root_pos)
        apart = (end - state.pose.root_pos)[[0, 2]]
        assert found == pytest.approx(float(np.hypot(*apart)), abs=0.01)


def test_a_longer_blend_costs_distance():
    states = random_states(50, 4)
    walker = Walker(walk(), states._replace(velocity=np.zeros((50, 3))))
    entry = TuningCourse(walk(), 50, 4).enter(UNTUNED)
    short, long = (walker.distance(entry._replace(length_s=np.full(50, s))) for s in (0.1, 0.8))
    assert (short > long).all()


def test_tuning_does_not_get_worse_and_beats_a_random_start():
    found = tune(walk(), SMALL)
    assert found.history == sorted(found.history)
    assert found.fitness >= found.history[-1] - 1e-9
    assert set(found.parameters.position) == set(PARTS)


def test_same_seed_same_answer():
    assert tune(walk(), SMALL) == tune(walk(), SMALL)


@pytest.mark.parametrize("how", [SMALL, replace(SMALL, optimiser="paper")], ids=["de", "paper"])
def test_a_run_broken_off_goes_on_to_the_same_end(tmp_path, how):
    class Stop(Exception):
        pass

    def stop(done: int) -> None:
        if done >= 5:
            raise Stop

    keep = tmp_path / "run.partial"
    with pytest.raises(Stop):
        tune(walk(), how, stop, keep)
    assert json.loads(keep.read_text())["done"] == 5
    assert tune(walk(), how, keep=keep) == tune(walk(), how)


@pytest.mark.parametrize("text", ["", "[]", '{"done": 1}', "[" * 50000])
def test_a_file_that_is_no_run_is_refused(tmp_path, text):
    keep = tmp_path / "run.partial"
    keep.write_text(text)
    with pytest.raises(ReadError, match="remove it"):
        tune(walk(), SMALL, keep=keep)


def test_a_run_with_other_settings_is_refused(tmp_path):
    keep = tmp_path / "run.partial"
    tune(walk(), SMALL, keep=keep)
    with pytest.raises(ReadError, match="settings"):
        tune(walk(), replace(SMALL, seed=4), keep=keep)


@pytest.mark.parametrize(
    "values",
    [{"population": 1}, {"generations": 0}, {"walked_s": 0.1}, {"astray": -1.0}, {"optimiser": "x"}, {"seed": -1}],
)
def test_settings_that_make_no_sense_are_refused(values):
    with pytest.raises(ParameterError):
        replace(SMALL, **values)


def test_every_part_that_is_searched_weighs_something():
    box = np.array(tuning.bounds())
    assert (tuning.weights_of(box[:, 0]) > 0.0).all()


def test_tuned_defaults_see_the_whole_body():
    assert set(tuned().position) == set(tuned().velocity) == set(PARTS)
    assert min(*tuned().position.values(), *tuned().velocity.values()) > 0.0


def test_tuned_defaults_walk_as_far_as_the_published_and_do_not_snap():
    course = TuningCourse(walk(), 150, 4_321)
    assert course.distance(tuned()).mean() >= course.distance(PUBLISHED).mean()
    assert course.joint_speed(tuned()).mean() <= 1.5 * course.joint_speed(PUBLISHED).mean()


def test_tuned_defaults_find_the_motions_own_states_better_than_the_untuned():
    course = TuningCourse(walk(), 10, 0)
    known, parts = KnownStates(course.table, 500, 77), course.table.reference.layout.parts
    assert known.astray(tuned().packed(parts)).mean() < 0.8 * known.astray(UNTUNED.packed(parts)).mean()


def test_tuned_defaults_walk_nearly_as_far_as_blends_that_snap():
    found = gain(walk(), tuned(), count=400)  # the untuned blend takes the tenth of a second that is the least
    assert found.ratio > 0.98
    assert found.low <= found.ratio <= found.high
    assert gain(walk(), PUBLISHED, count=400).ratio < found.ratio


def test_the_interval_holds_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(100):
        a, b = rng.normal(3.0, 1.0, 80), rng.normal(2.0, 0.5, 80)
        low, high = ratio_interval(a, b, 200)
        inside += low <= 1.5 <= high
    assert 86 <= inside <= 100


def test_another_body_is_refused():
    from footfall.core.clip import Clip
    from footfall.core.pose import Pose
    from footfall.core.skeleton import Skeleton

    body = Skeleton(("a", "b"), np.array([-1, 0]), np.ones((2, 3)))
    clip = Clip(body, 60.0, Pose(np.zeros((5, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (5, 2, 1))), name="other")
    with pytest.raises(ParameterError, match="other is of another body"):
        TuningCourse(clip, 3, 0)


def test_fitness_is_the_papers():
    assert fitness(np.array([3.0, 2.0, 1.0])) == pytest.approx([1.0, 1 / 2, 1 / 3])


def test_the_genetic_algorithm_climbs_and_keeps_to_its_bounds():
    bounds = [(-1.0, 2.0), (0.0, 5.0), (-3.0, -1.0)]
    best = np.array([1.5, 1.0, -2.5])
    start = np.random.default_rng(0).random((50, 3)) * [3.0, 5.0, 2.0] + [-1.0, 0.0, -3.0]

    def cost(x: np.ndarray) -> np.ndarray:
        return np.abs(x - best[:, None]).sum(axis=0)

    costs = [float(cost(start.T).min())]
    found = start
    for k in range(12):
        found, least = evolve(found, cost, bounds, 5, np.random.default_rng(k))
        assert least <= costs[-1]
        costs.append(least)
        assert (found >= [low for low, _ in bounds]).all()
        assert (found <= [high for _, high in bounds]).all()
    assert costs[-1] < 0.4 * costs[0]
    assert cost(found.T).mean() < cost(start.T).mean()  # all of them, not the best alone
