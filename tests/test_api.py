"""The names at the top of the package: typed, with examples that run; clips by name; wrong types in a sentence."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest

import footfall as ff
from footfall.core.errors import FootfallError, UnknownName

WALK = ff.motion("walk")


def test_the_package_is_typed():
    assert (Path(ff.__file__).parent / "py.typed").is_file()


@pytest.mark.parametrize("name", sorted(set(ff._HOME)))
def test_examples_in_docstrings_run(name, tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path))
    value = getattr(importlib.import_module(ff._HOME[name]), name)
    assert value.__doc__
    for example in doctest.DocTestFinder(recurse=False).find(value, name, globs={}):
        assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", ["retarget", "foot_lock", "lint", "find"])
def test_the_newest_have_an_example(name):
    assert ">>> " in (getattr(importlib.import_module(ff._HOME[name]), name).__doc__ or "")


def test_clips_may_be_named(tmp_path):
    named = ff.join("walk", "kick", method="crossfade", foot_lock=False)
    given = ff.join(WALK, ff.motion("kick"), method="crossfade", foot_lock=False)
    assert np.array_equal(named.pose.rot, given.pose.rot)
    file = ff.save(WALK, tmp_path / "mine.npz")
    assert ff.retarget(file, "adult:1.4").frames == ff.retarget("walk", "adult:1.4").frames == WALK.frames
    assert ff.analyze("walk").gait.type == ff.analyze(str(file)).gait.type == "walk"
    assert len(ff.timeline("walk").timeline.tracks[0].clips) == 1
    assert ff.blend_space(["walk:speed=1.0", "walk:speed=1.6"], by=("speed",)).ranges["speed"][1] > 1.4


def test_a_file_goes_before_a_built_in_motion_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("walk").mkdir()  # a folder is no clip
    assert ff.analyze("walk").gait.type == "walk"
    Path("kick").write_text("not a motion")
    with pytest.raises(FootfallError, match="kick"):
        ff.analyze("kick")


def test_lint_of_a_folder_and_of_clips_agree(tmp_path):
    ff.save(WALK, tmp_path / "walk.npz")
    ff.save(ff.motion("kick"), tmp_path / "kick.npz")
    found = ff.lint(tmp_path)
    assert [(f.a, f.b, f.kind) for f in found] == [("kick.npz", "walk.npz", "type")]
    assert [f.why for f in ff.lint(["kick", WALK])] == [f.why for f in found]
    (tmp_path / "bad.bvh").write_text("HIERARCHY")
    with pytest.warns(UserWarning, match=r"left out bad\.bvh"):
        assert ff.lint(tmp_path) == found


def test_find_is_what_the_command_finds(tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))
    file = ff.save(WALK, tmp_path / "takes" / "walk.npz")
    best = ff.find(WALK, 0.5, tmp_path / "takes", count=1)[0]
    assert (best.file, round(best.t_s, 2), best.mirrored) == ("walk.npz", 0.5, False)
    assert best.distance_m < 0.01
    assert abs(ff.find(file, 0.5, tmp_path / "takes", count=1)[0].t_s - 0.5) >= 0.29  # not its own answer
    (tmp_path / "takes" / "bad.bvh").write_text("HIERARCHY")
    with pytest.warns(UserWarning, match=r"bad\.bvh"):
        ff.find(WALK, 0.5, tmp_path / "takes")


def test_a_pose_is_shown_in_one_line():
    assert repr(WALK.pose) == f"Pose({WALK.frames} poses of 22 joints)"
    assert repr(WALK.pose.at(0)) == "Pose(22 joints)"
    assert "slide" in repr(WALK.pose.at(0)._replace(pos=np.zeros((22, 3))))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ff.join(1, 2), "expected a clip, a file or the name of a built-in motion"),
        (lambda: ff.join("walk", 2), "not 2 (int)"),
        (lambda: ff.save("x", "y"), "expected a clip to save"),
        (lambda: ff.save(WALK, 5), "the path of the file to write"),
        (lambda: ff.load(3), "the path of a motion file"),
        (lambda: ff.load_all(None), "not None"),
        (lambda: ff.motion(5), "the name of a built-in motion"),
        (lambda: ff.timeline(5), "clips in a row"),
        (lambda: ff.timeline(["walk", 5]), "not 5 (int)"),
        (lambda: ff.graph(5), "a graph file"),
        (lambda: ff.Controller("x"), "a motion graph, as ff.graph"),
        (lambda: ff.Controllers("x", [(0.0, 0.0, 0.0)]), "a motion graph, as ff.graph"),
        (lambda: ff.MotionMatching(5), "a folder of recordings"),
        (lambda: ff.analyze(5), "expected a clip"),
        (lambda: ff.blend_space(5), "expected a clip"),
        (lambda: ff.retarget(5), "expected a clip"),
        (lambda: ff.retarget(WALK, 5), "expected a body"),
        (lambda: ff.foot_lock(5), "expected a clip"),
        (lambda: ff.lint(5), "a folder of motion files"),
        (lambda: ff.find(5, 0.0, "."), "expected a clip"),
        (lambda: ff.find(WALK, "now", "."), "a time in seconds"),
        (lambda: ff.find(WALK, 0.0, 5), "a folder of recordings"),
    ],
)
def test_wrong_types_are_told_in_a_sentence(call, said):
    with pytest.raises(FootfallError) as caught:
        call()
    assert isinstance(caught.value, TypeError)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("method", ["auto", "crossfade", "classifier"])
def test_an_unknown_option_of_a_join_is_told_with_the_nearest_there_is(method):
    with pytest.raises(FootfallError, match="'at'; did you mean at_s"):
        ff.join("walk", "kick", method, at=1.0)


def test_where_there_are_no_names_none_is_suggested():
    assert str(UnknownName("option of it", "at", [])) == "no option of it 'at'; there are none"


def test_an_unknown_option_of_the_foot_lock_is_told():
    with pytest.raises(FootfallError, match="did you mean ease_s"):
        ff.foot_lock(WALK, ease=0.2)
