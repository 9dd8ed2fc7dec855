"""Shipped sets: what comes with the package is what the code makes, and where it is not, nobody is fooled."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from footfall.motions.body import adult
from footfall.motions.library import motion
from footfall.parametric import builtin_sets, shipped, space_weights
from footfall.parametric.blend_space import BlendSpace, blend_space
from footfall.parametric.measure import blended_parameters
from footfall.parametric.shipped import is_same, shipped_motion, shipped_weights, stored_motion

SOLVED = [name for name, recipe in builtin_sets.SETS.items() if recipe.is_measured]
QUICK = ("run", "stand", "sit-down")  # packed again in every run of the tests; the others in a slow one
AGAIN = "the built-in motions have changed: run  python tools/bake_blend_spaces.py"
WORDS = "comments of the built-in motions have changed: run  python tools/bake_blend_spaces.py --words"


def some_long(names, quick):
    return [name if name in quick else pytest.param(name, marks=pytest.mark.long) for name in names]


@given(arrays(float, st.tuples(st.integers(1, 9), st.integers(1, 3)), elements=st.floats(-50.0, 50.0)))
def test_numbers_come_back_to_the_step(values):
    found = shipped._unpacked(shipped._packed(values, 1e-6), 1e-6)
    assert np.abs(found - values).max() <= 0.5e-6 + 1e-12


def test_the_sets_were_packed_by_this_code():
    assert shipped.sources_unchanged(), AGAIN
    assert all((shipped.FOLDER / f"{name}.npz").is_file() for name in builtin_sets.SETS), AGAIN
    told = json.loads((shipped.FOLDER / shipped.MARKS).read_text())
    assert told["text"] == shipped.text_mark(shipped._sources()), WORDS  # else every first use parses all of the code


@pytest.mark.parametrize("name", some_long(builtin_sets.SETS, QUICK))
def test_what_is_shipped_is_what_is_made(name):
    made = builtin_sets.packed_set(name)
    stored = stored_motion(name, adult())
    assert stored is not None
    assert is_same(stored, made), AGAIN
    np.testing.assert_array_equal(blended_parameters(stored)(np.eye(len(stored))), stored.parameters)
    assert (shipped_weights(name, made) is not None) == (name in SOLVED), AGAIN


@pytest.mark.parametrize("name", some_long(SOLVED, QUICK))
def test_a_field_that_is_solved_again_is_the_same(name):
    made = builtin_sets.parametric_set(name)
    again = space_weights.smoothly_weighted(made)
    u = np.random.default_rng(0).random((300, len(made.parameter_names)))
    ours, other = shipped_weights(name, made), again.fitted
    u = u[other.hull.inside(u)]
    p = other.examples.from_units(u)
    np.testing.assert_allclose(ours.weights(p), other.weights(p), atol=2e-3, err_msg=AGAIN)
    np.testing.assert_allclose(ours.weights(p).sum(axis=1), 1.0, atol=1e-9)


def test_a_field_of_another_motion_is_left_aside(monkeypatch):
    walk = builtin_sets.parametric_set("walk")
    assert shipped_weights("walk", walk) is not None
    longer = replace(walk, travel=walk.travel * 1.001)
    assert shipped_weights("walk", longer) is None
    fewer = replace(walk, parameter_names=("speed",), parameters=walk.parameters[:, :1])
    assert shipped_weights("walk", fewer) is None
    other, note = space_weights.first_weights(longer, "walk")  # two parameters are solved on the spot
    assert other.fitted.name == "smooth-inverse"
    assert not note


def test_a_motion_of_other_code_is_made_anew(monkeypatch, tmp_path):
    (tmp_path / shipped.MARKS).write_text(json.dumps({"text": "older", "code": "older"}))
    assert not shipped.sources_unchanged(tmp_path)
    monkeypatch.setattr(shipped, "sources_unchanged", lambda: False)
    assert shipped_motion("run", adult()) is None
    builtin_sets.parametric_set.cache_clear()
    try:
        fresh = builtin_sets.parametric_set("run")
        np.testing.assert_array_equal(fresh.root, builtin_sets.packed_set("run").root)
    finally:
        builtin_sets.parametric_set.cache_clear()


def test_comments_and_layout_do_not_make_a_set_stale(tmp_path):
    plain, worded, other = (tmp_path / f"{n}.py" for n in "abc")
    plain.write_text("def f(x):\n    return x + 1\n")
    worded.write_text('def f(x):\n    """Add one."""\n    # really\n    return (x +\n            1)\n')
    other.write_text("def f(x):\n    return x + 2\n")
    assert shipped.meaning_mark([plain]) == shipped.meaning_mark([worded]) != shipped.meaning_mark([other])
    assert shipped.text_mark([plain]) != shipped.text_mark([worded])


def test_fitted_numbers_count_among_the_sources(tmp_path):
    numbers = tmp_path / "gait.json"
    numbers.write_text("[1]")
    before = shipped.meaning_mark([numbers])
    numbers.write_text("[2]")
    assert shipped.meaning_mark([numbers]) != before
    assert {p.suffix for p in shipped._sources()} == {".py", ".json"}


@pytest.mark.parametrize("name", builtin_sets.SETS)
def test_no_motion_is_made_for_a_built_in_space(name, monkeypatch):
    """Making examples takes seconds: all of them come packed."""

    def refuse(*_):
        raise AssertionError("an example was made")

    for cached in (builtin_sets.parametric_set, builtin_sets.set_clips):
        cached.cache_clear()
    monkeypatch.setattr(builtin_sets, "motion", refuse)
    monkeypatch.setattr(builtin_sets, "examples", refuse)
    assert blend_space(name)().frames > 10


# --- spaces of one's own ----------------------------------------------------------------------------------------------


@pytest.fixture
def punches():
    targets = [
        (0.0, 1.45, 0.7),
        (0.2, 1.4, 0.65),
        (-0.2, 1.4, 0.65),
        (0.1, 1.6, 0.6),
        (-0.1, 1.2, 0.7),
        (0.1, 1.1, 0.66),
    ]
    return [motion("punch", seed=k, **dict(zip("xyz", t, strict=True))) for k, t in enumerate(targets)]


def test_three_parameters_serve_at_once_and_better_when_prepared(punches, tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path))
    monkeypatch.setattr(space_weights, "smoothly_weighted", _quick(space_weights.smoothly_weighted))
    space = blend_space(punches, kind="target")
    assert "until prepare()" in repr(space)
    assert space.motion.fitted.name == "rbf"
    p = space.motion.parameters.mean(axis=0)
    assert space.answers(p).achieved[0] == pytest.approx(p, abs=1e-4)  # corrected one by one
    told = []
    ready = space.prepare(told.append)
    assert ready.motion.fitted.name == "smooth-inverse"
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    assert ready.note == ""
    assert ready.prepare() is ready
    again = blend_space(punches, kind="target")  # from the disk
    assert again.note == ""
    np.testing.assert_array_equal(again.answers(p).weights, ready.answers(p).weights)
    elsewhere = blend_space(punches[:-1], kind="target")
    assert elsewhere.note  # other examples, other field
    (kept,) = (tmp_path / "weights").iterdir()
    kept.write_bytes(b"broken")
    assert blend_space(punches, kind="target").note  # what cannot be read is solved again


def _quick(solve):
    return lambda motion, **options: solve(motion, **{"cells": 3, "mean_limit": 1.0, "max_limit": 9.0, **options})


def test_one_and_two_parameters_are_solved_on_the_spot_and_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path))
    clips = [motion("walk", speed=v) for v in (0.8, 1.1, 1.5, 1.9)]
    space = blend_space(clips, by=("speed",))
    assert isinstance(space, BlendSpace)
    assert space.motion.fitted.name == "smooth-inverse"
    assert space(speed=1.3).parameters["speed"] == pytest.approx(1.3, rel=0.005)
    assert len(list((tmp_path / "weights").iterdir())) == 1
