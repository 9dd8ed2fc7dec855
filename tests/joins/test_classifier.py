"""The entry classifier: its three levels, loops, windows, batches, and the kernels against plain numpy."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.core import rotation
from footfall.core.errors import ParameterError, UnknownName
from footfall.core.pose import Pose
from footfall.edit.coast import State, state_of
from footfall.joins.classifier import entry_classifier, limbs
from footfall.joins.classifier.entry_classifier import classify, enter_any
from footfall.joins.classifier.entry_parameters import PUBLISHED, UNTUNED, ClassifierParameters, choose
from footfall.joins.classifier.entry_table import EntryTable, table_of
from footfall.joins.classifier.limbs import DofNumbers, numbers, reference_of
from footfall_lab.oracles.entry_classifier import plain_classify
from footfall_lab.random_states import random_states


@cache
def clip_of(name, **values):
    return ff.motion(name, **values)


WALK = clip_of("walk")
NAMES = ["published", "untuned", "tuned"]


def part(states: State, index) -> State:
    return State(states.pose.at(index), states.velocity[index], states.spin[index])


def around(x, period):
    return (np.asarray(x) + 0.5 * period) % period - 0.5 * period


def toy(loop=True, key_s=(0.2, 0.5, 0.8), duration=1.0, dofs=None) -> EntryTable:
    """A table of one walk's body with made-up angles: every DOF is 0, 1, 3 at the keys."""
    reference = reference_of(WALK)
    count = len(reference.layout.parts)
    key_s = np.array(key_s)
    value = np.tile(np.array([0.0, 1.0, 3.0])[:, None], (1, count)) if dofs is None else dofs
    gap = np.diff(key_s, prepend=key_s[-1] - duration if loop else 0.0)
    diff = (value - np.roll(value, 1, axis=0)) / gap[:, None]
    rate = np.zeros_like(value)
    if not loop:
        diff[0] = 1.0
    flat = np.zeros((11, count))
    return EntryTable(reference, loop, duration, 10.0, key_s, gap, value, rate, diff, flat, flat)


def uniform(table, value, rate) -> DofNumbers:
    count = len(table.reference.layout.parts)
    return DofNumbers(np.full((1, count), float(value)), np.full((1, count), float(rate)))


# --- numbers -----------------------------------------------------------------------------------------------------


def test_values_and_rates_of_dofs_are_each_others_derivative():
    clip = clip_of("kick")
    reference = reference_of(clip)
    state = part(random_states(20, 3), slice(None))
    h = 1e-5
    ends = []
    for dt in (-h, h):
        rot = rotation.multiply(state.pose.rot, rotation.exp(dt * state.spin))
        pose = Pose(state.pose.root_pos + dt * state.velocity, rot)
        ends.append(numbers(reference, state._replace(pose=pose)).value)
    np.testing.assert_allclose(numbers(reference, state).rate, (ends[1] - ends[0]) / (2 * h), atol=1e-5)


def test_numbers_do_not_know_place_or_heading():
    from footfall.kinematics.floor_align import FloorTransform

    state = part(random_states(10, 0), slice(None))
    moved = FloorTransform(np.array(1.2), np.array([3.0, 0.0, -5.0])).pose(state.pose)
    turned = State(moved, rotation.rotate(rotation.yaw(1.2), state.velocity), state.spin)
    reference = reference_of(WALK)
    for a, b in zip(numbers(reference, state), numbers(reference, turned), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-7)


def test_every_limb_and_the_pelvis_have_dofs():
    layout = limbs.layout_of(WALK.skeleton)
    assert layout.limbs == ("left leg", "right leg", "left arm", "right arm", "trunk")
    assert layout.parts[-3:] == ("tilt", "tilt", "height")
    assert layout.bounds[-1] == len(layout.parts) == 3 * len(layout.joints) + 3
    assert set(layout.parts) == set(limbs.PARTS)


# --- level 1 -----------------------------------------------------------------------------------------------------


def test_velocity_says_whether_a_key_is_approached_or_left():
    table = toy()  # values 0, 1, 3 at 0.2, 0.5, 0.8; Diff is -7.5, 3.3, 6.7
    for rate, key in ((3.3, 1), (-4.0, 0)):
        found = classify_numbers(table, uniform(table, 0.1, rate), UNTUNED, (0.0, np.inf))
        assert (found.key == key).all()


def test_without_a_loop_nothing_follows_the_last_key():
    table = toy(loop=False)
    found = classify_numbers(table, uniform(table, 3.1, -7.0), UNTUNED, (0.0, np.inf))
    assert (found.key == 2).all()
    on_loop = toy()
    found = classify_numbers(on_loop, uniform(on_loop, 3.1, -7.0), UNTUNED, (0.0, np.inf))
    assert (found.key == 0).all()


# --- level 2 -----------------------------------------------------------------------------------------------------


def classify_numbers(table, given, parameters, window_s):
    return entry_classifier.classify_numbers(table, given, parameters.packed(table.reference.layout.parts), window_s)


def disagreeing(table) -> DofNumbers:
    """The left leg exactly at the first key, all else near the second."""
    given = uniform(table, 0.9, 0.0)
    bounds = table.reference.layout.bounds
    given.value[:, bounds[0] : bounds[1]] = 0.0
    given.rate[:, bounds[0] : bounds[1]] = -7.5
    given.rate[:, bounds[1] :] = 3.3
    return given


@pytest.mark.parametrize(
    ("accept_loss", "min_gap_s", "agree"), [(1.0, 0.05, True), (0.5, 0.05, False), (1.0, 0.31, False)]
)
def test_limbs_accept_what_costs_little_and_lies_apart(accept_loss, min_gap_s, agree):
    table = toy()
    parameters = replace(UNTUNED, accept_loss=accept_loss, min_gap_s=min_gap_s)
    found = classify_numbers(table, disagreeing(table), parameters, (0.0, np.inf))
    assert found.leader[0] == 0
    assert (found.key[0] == 0).all() == agree
    assert found.key[0, 0] == 0


def test_a_limb_without_weights_follows():
    table = toy()
    legs = {"hip": 1.0}
    found = classify_numbers(
        table, disagreeing(table), ClassifierParameters(legs, legs, accept_loss=0.0), (0.0, np.inf)
    )
    assert found.key[0].tolist() == [0, 1, 0, 0, 0]


def test_the_gap_is_measured_round_the_circle():
    table = toy(key_s=(0.02, 0.5, 0.98))
    given = uniform(table, 0.0, -100.0)
    bounds = table.reference.layout.bounds
    given.value[:, bounds[1] : bounds[2]] = 2.95  # the right leg is near the last key, 0.04 s before the first
    given.rate[:, bounds[1] : bounds[2]] = 4.2
    far = classify_numbers(table, given, replace(UNTUNED, accept_loss=100.0, min_gap_s=0.03), (0.0, np.inf))
    near = classify_numbers(table, given, replace(UNTUNED, accept_loss=100.0, min_gap_s=0.05), (0.0, np.inf))
    assert far.key[0].tolist() == [0, 0, 0, 0, 0]
    assert near.key[0].tolist() == [0, 2, 0, 0, 0]


# --- level 3 -----------------------------------------------------------------------------------------------------


def test_refinement_by_hand():
    table = toy()
    parameters = replace(UNTUNED, catch_up_s=0.04)
    found = classify_numbers(table, uniform(table, 0.9, 3.0), parameters, (0.0, np.inf))
    speed = 1.0 / 0.3
    expected = 0.5 - 0.1 / speed - 0.04 * min(1.0, 3.0 / speed)  # this table's M' is 0
    np.testing.assert_allclose(found.time_s, expected, atol=1e-12)
    assert found.length_s == pytest.approx(0.1)  # all agree: the shortest


def test_times_stay_between_the_keys():
    table = toy()
    found = classify_numbers(table, uniform(table, 40.0, 0.0), UNTUNED, (0.0, np.inf))
    assert (found.key == found.key[0, 0]).all()
    assert ((found.time_s >= 0.5 - 1e-12) & (found.time_s <= 0.8)).all()


def test_a_still_dof_takes_its_limbs_time():
    reference = reference_of(WALK)
    count = len(reference.layout.parts)
    dofs = np.tile(np.array([0.0, 1.0, 3.0])[:, None], (1, count))
    dofs[:, 1] = 0.7  # one DOF of the left leg never moves
    table = toy(dofs=dofs)
    given = uniform(table, 0.9, 3.3)
    given.value[0, 1] = -2.0  # and is somewhere else altogether
    found = classify_numbers(table, given, UNTUNED, (0.0, np.inf))
    assert found.time_s[0, 1] == pytest.approx(found.time_s[0, 0])


def test_a_body_that_stands_still_is_entered_at_its_only_key():
    moving = clip_of("stand")
    stand = moving.with_pose(moving.pose.at(np.zeros(moving.frames, int)))
    found = classify(part(random_states(5, 1), slice(None)), stand, "untuned")
    key = table_of(stand).key_s
    if len(key) == 1:
        np.testing.assert_allclose(found.front_s, key[0])
    np.testing.assert_allclose(found.length_s, 0.1)


# --- whole -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("motion", "values"), [("walk", {}), ("run", {}), ("walk", {"speed": 0.8, "turn": 40.0}), ("walk-back", {})]
)
@given(u=st.lists(st.floats(0.0, 1.0), min_size=20, max_size=20), name=st.sampled_from(NAMES))
@settings(max_examples=25)
def test_a_state_of_the_motion_itself_is_found_there(motion, values, u, name):
    clip = clip_of(motion, **values)
    table = table_of(clip)
    t = np.array(u) * clip.duration
    found = classify(state_of(clip, t), table, name)
    # the limb level may take a neighbour of the right key: never more than two keys' ways off
    assert (np.abs(around(found.front_s - t, clip.duration)) <= 2.0 * table.gap_s.max() + 1e-9).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("motion", ["walk", "run", "walk-back"])
def test_and_on_average_nearer_than_a_third_of_the_way_between_keys(motion, name):
    clip = clip_of(motion)
    table = table_of(clip)
    t = np.linspace(0.0, clip.duration, 300)
    off = np.abs(around(classify(state_of(clip, t), table, name).front_s - t, clip.duration))
    assert off.mean() < table.gap_s.mean() / 3.0
    assert np.mean(off <= table.gap_s.max()) > 0.95


def test_entry_into_what_is_played_once():
    clip = clip_of("kick")
    table = table_of(clip)
    t = np.linspace(table.key_s[0], table.key_s[-2], 50)
    found = classify(state_of(clip, t), table, "untuned")
    off = np.abs(found.front_s - t)
    assert np.median(off) <= np.median(table.gap_s)
    assert ((found.front_s >= 0.0) & (found.front_s <= table.key_s[-1])).all()
    np.testing.assert_allclose(found.front_s, found.time_s.max(axis=1))
    np.testing.assert_allclose(found.laggard_s, found.time_s.min(axis=1))


@pytest.mark.parametrize("shift", [1, 17, 64])
def test_where_a_loop_begins_does_not_matter(shift):
    states = part(random_states(60, 5), slice(None))
    times = (np.arange(WALK.frames) + shift) / WALK.fps
    moved = WALK.with_pose(WALK.sample(times), events=())
    keys = table_of(WALK).key_s
    before = classify(states, table_of(WALK, keys), "untuned")
    there = np.sort((keys - shift / WALK.fps) % WALK.duration)
    after = classify(states, table_of(moved, there), "untuned")
    off = around(after.front_s + shift / WALK.fps - before.front_s, WALK.duration)
    np.testing.assert_allclose(off, 0.0, atol=1e-6)
    np.testing.assert_allclose(after.length_s, before.length_s, atol=1e-6)
    np.testing.assert_allclose(after.score, before.score, atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("motion", ["walk", "kick", "stand"])
@pytest.mark.parametrize("window_s", [(0.0, np.inf), (0.3, 0.6)])
def test_kernels_and_plain_numpy_agree(motion, name, window_s):
    states, clip = random_states(200, 7), clip_of(motion)
    for a, b in zip(
        plain_classify(states, clip, name, window_s),
        classify(states, clip, name, window_s),
        strict=True,
    ):
        np.testing.assert_allclose(a, b, atol=1e-7)


@pytest.mark.parametrize("classify", [classify, plain_classify])
def test_many_at_once_are_one_by_one(classify):
    states = random_states(12, 2)
    together = classify(states, WALK, "untuned")
    shaped = State(
        Pose(states.pose.root_pos.reshape(3, 4, 3), states.pose.rot.reshape(3, 4, -1, 4)),
        states.velocity.reshape(3, 4, 3),
        states.spin.reshape(3, 4, -1, 3),
    )
    in_rows = classify(shaped, WALK, "untuned")
    for i in range(12):
        alone = classify(part(states, i), WALK, "untuned")
        for one, all_, row in zip(alone, together, in_rows, strict=True):
            np.testing.assert_allclose(one, all_[i], atol=1e-12)
            np.testing.assert_allclose(one, row[i // 4, i % 4], atol=1e-12)


@given(times=st.lists(st.floats(0.0, 0.999), min_size=1, max_size=12))
def test_the_arc_holds_all_times_and_no_smaller_one_does(times):
    table = toy()
    front, laggard = entry_classifier._ends(np.array(times), table.duration_s, table.loop)
    arc = (front - laggard) % 1.0
    inside = (front - np.array(times)) % 1.0
    assert (inside <= arc + 1e-12).all()
    smallest = min(max((t - np.array(times)) % 1.0) for t in times)
    assert arc == pytest.approx(smallest, abs=1e-12)


@pytest.mark.parametrize("window_s", [(0.3, 0.5), (0.0, 0.1), (0.95, 1.05), (0.42, 0.42)])
@pytest.mark.parametrize("motion", ["walk", "kick"])
def test_entry_keeps_to_the_window(motion, window_s):
    clip = clip_of(motion)
    found = classify(random_states(100, 4), clip, "untuned", window_s)
    assert ((found.front_s >= window_s[0] - 1e-9) & (found.front_s <= window_s[1] + 1e-9)).all()


def test_a_set_is_entered_at_the_nearest_of_its_motions():
    clips = [WALK, clip_of("jump"), clip_of("run")]
    for index, clip in enumerate(clips):
        best, entry = enter_any(state_of(clip, np.linspace(0.3, 0.6, 200)), clips)
        assert np.mean(best == index) > 0.8
        assert entry.time_s.shape == (200, len(table_of(clip).reference.layout.parts))
        direct = classify(state_of(clip, np.linspace(0.3, 0.6, 200)), clip)
        same = best == index
        np.testing.assert_allclose(entry.front_s[same], direct.front_s[same])
    with pytest.raises(ParameterError, match="no motion"):
        enter_any(state_of(WALK, 0.1), [])


# --- parameters --------------------------------------------------------------------------------------------------


def test_published_values_are_the_papers():
    assert PUBLISHED.position == {"hip": 5.5, "knee": 0.2, "ankle": 0.05}
    assert PUBLISHED.velocity == {"hip": 0.36, "knee": 0.12, "ankle": 0.01}
    assert (PUBLISHED.accept_loss, PUBLISHED.min_gap_s, PUBLISHED.per_limb) == (1.1, 0.05, False)


def test_only_ratios_of_weights_matter_where_scores_are_divided():
    states = random_states(50, 6)
    more = replace(UNTUNED, position={k: 3.0 for k in UNTUNED.position})
    for a, b in zip(classify(states, WALK, UNTUNED), classify(states, WALK, more), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)


def test_bad_parameters_are_refused(tmp_path):
    with pytest.raises(UnknownName, match="did you mean"):
        ClassifierParameters({"hips": 1.0})
    with pytest.raises(ParameterError, match="from 0 up"):
        ClassifierParameters({"hip": -1.0})
    with pytest.raises(ParameterError, match="no part"):
        ClassifierParameters({"hip": 0.0})
    with pytest.raises(ParameterError, match="accept_loss"):
        ClassifierParameters({"hip": 1.0}, accept_loss=float("nan"))
    with pytest.raises(UnknownName, match="did you mean published"):
        choose("publishd")
    for text, what in (
        ("{", "JSON"),
        ("[]", "schema"),
        ('{"schema": 1, "position": 3}', "position"),
        ("[" * 60000, "JSON"),
    ):
        path = tmp_path / "mine.json"
        path.write_text(text)
        with pytest.raises(ff.FootfallError, match=what):
            choose(path)


@pytest.mark.parametrize("keys", [[], [-0.1], [9.0], [float("nan")]])
def test_keyframes_outside_the_motion_are_refused(keys):
    with pytest.raises(ParameterError, match="keyframes"):
        table_of(WALK, keys)
