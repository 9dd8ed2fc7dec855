"""Commands that read files say in one line what cleaning changed, where that can be seen."""

from __future__ import annotations

import re

import pytest
from helpers import run_cli as run

import footfall as ff
from footfall.kinematics.clean_changes import clean_changes
from footfall.motions.library import motion

LINE = re.compile(
    r"footfall: (\S+): cleaning changed (\d+) frames? \((.+)\), by up to (.+); --no-clean keeps them as they are"
)
GLITCHES = "oddball/cmu_glitch/07_12.bvh"


def lines(capsys) -> list[re.Match[str]]:
    return list(LINE.finditer(capsys.readouterr().err))


COMMANDS = [
    ("convert", "FILE", "OUT"),
    ("edit", "FILE", "OUT", "--mirror"),
    ("join", "FILE", "stand", "-o", "OUT", "--method", "crossfade", "--at", "1.5"),
    ("synth", "FILE", "-o", "OUT"),
    ("analyze", "--json", "FILE"),
    ("check", "--json", "FILE"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=[words[0] for words in COMMANDS])
def test_each_command_says_it_once_and_takes_no_clean(mocap, words, tmp_path, capsys):
    given = [{"FILE": mocap / GLITCHES, "OUT": tmp_path / "out.bvh"}.get(word, word) for word in words]
    assert run(*given) == 0
    found = lines(capsys)
    assert len(found) == 1
    name, frames, joints, far = found[0].groups()
    assert (name, frames) == ("07_12.bvh", "8")
    assert joints.startswith("the whole body 2, LeftToeBase 5")
    assert far == "4.6 cm, the whole body by 275.8 cm"
    assert run(*given, "--no-clean") == 0
    assert not lines(capsys)


@pytest.mark.parametrize("file", ["bandai_namco/dataset-1_walk_normal_001.bvh", "gltf/CesiumMan.glb"])
def test_clean_captures_say_nothing(mocap, file, tmp_path, capsys):
    assert run("convert", mocap / file, tmp_path / "out.bvh") == 0
    assert not lines(capsys)


def test_built_in_motions_and_our_own_files_say_nothing(mocap, tmp_path, capsys):
    assert run("convert", "walk", tmp_path / "walk.bvh") == 0
    assert run("convert", tmp_path / "walk.bvh", tmp_path / "walk.glb") == 0
    assert not lines(capsys)
    assert run("convert", mocap / GLITCHES, tmp_path / "cleaned.npz") == 0
    assert len(lines(capsys)) == 1
    assert run("convert", tmp_path / "cleaned.npz", tmp_path / "again.bvh") == 0
    assert not lines(capsys)


def test_what_is_told_is_what_was_changed(mocap):
    path = mocap / "oddball/cmu_glitch/09_10.bvh"
    changes = clean_changes(ff.load(path, clean=False), ff.load(path))
    assert changes is not None
    assert changes.frames == changes.whole.frames + changes.single.frames
    assert max(changes.joints.values()) <= changes.single.frames
    assert changes.whole.most_m > 1.0 > changes.single.most_m > 0.01


def test_the_same_clip_has_no_changes():
    clip = motion("walk")
    assert clean_changes(clip, clip) is None
