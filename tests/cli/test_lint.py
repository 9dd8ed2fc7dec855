"""footfall lint: groups, pairs with their cures, bad files survived."""

from __future__ import annotations

import json

import pytest
from helpers import run_cli as run
from helpers import walking_clip

from footfall.io.save import save
from footfall.motions.library import motion


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two walks that blend, one that starts on the other foot, a kick in a folder below."""
    folder = tmp_path_factory.mktemp("takes")
    save(motion("walk", speed=1.2), folder / "a.bvh")
    save(motion("walk", speed=1.5, turn=20.0), folder / "b.bvh")
    save(motion("walk", speed=1.3).mirror(), folder / "mirrored.bvh")
    save(motion("kick"), folder / "actions" / "kick.bvh")
    (folder / "notes.txt").write_text("what we did on Monday")
    (folder / ".hidden.bvh").write_text("nothing")
    return folder


def test_json(folder, capsys):
    assert run("lint", "--json", folder) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert err == ""
    assert [f["file"] for f in told["files"]] == ["a.bvh", "actions/kick.bvh", "b.bvh", "mirrored.bvh"]
    assert told["groups"] == [["a.bvh", "b.bvh"]]
    kinds = {(f["a"], f["b"]): f["kind"] for f in told["findings"]}
    assert kinds == {
        ("a.bvh", "actions/kick.bvh"): "type",
        ("a.bvh", "mirrored.bvh"): "start-foot",
        ("actions/kick.bvh", "b.bvh"): "type",
        ("actions/kick.bvh", "mirrored.bvh"): "type",
        ("b.bvh", "mirrored.bvh"): "start-foot",
    }
    assert all(set(f) == {"a", "b", "kind", "why", "cure"} and f["why"] and f["cure"] for f in told["findings"])


def test_people_see_groups_then_the_pairs_nearest_to_blending(folder, capsys):
    assert run("lint", folder) == 0
    text = capsys.readouterr().out
    assert "4 clips; 5 of 6 pairs blend badly" in text
    places = [text.index(t) for t in ("a.bvh  b.bvh", "a.bvh  ×  mirrored.bvh", "a.bvh  ×  actions/kick.bvh")]
    assert places == sorted(places)
    assert "mirror one" in text


def test_findings_fail_only_when_asked(folder):
    assert run("lint", "--fail", folder) == 1


def test_a_folder_that_blends_has_nothing_to_tell(tmp_path, capsys):
    for speed in (1.1, 1.3):
        save(motion("walk", speed=speed), tmp_path / f"{speed}.bvh")
    assert run("lint", "--fail", tmp_path) == 0
    assert "0 of 1 pairs" in capsys.readouterr().out


def test_a_bad_file_is_told_and_the_rest_is_done(tmp_path, capsys):
    save(walking_clip(cycles=3, fps=30), tmp_path / "walk.bvh")
    (tmp_path / "bad.bvh").write_text("not a motion")
    assert run("lint", "--json", tmp_path) == 3
    out, err = capsys.readouterr()
    files = json.loads(out)["files"]
    assert "error" in files[0]
    assert files[1]["file"] == "walk.bvh"
    assert err.count("bad.bvh") >= 1
    assert "Traceback" not in err


def test_only_bad_files_or_none_at_all(tmp_path, capsys):
    assert run("lint", tmp_path) == 2
    assert "none" in capsys.readouterr().err
    (tmp_path / "bad.bvh").write_text("not a motion")
    assert run("lint", tmp_path) == 2
    assert run("lint", tmp_path / "missing") == 2
    assert run("lint", tmp_path / "bad.bvh") == 2


def test_help_has_an_example(capsys):
    assert run("lint", "--help") == 0
    text = capsys.readouterr().out
    assert "Example:" in text
    assert "footfall lint" in text


def test_on_one_body_bodies_are_no_fault(tmp_path, capsys):
    from footfall.retarget.retarget import retarget

    save(motion("walk", speed=1.2), tmp_path / "own.bvh")
    save(retarget(motion("walk", speed=1.3), "adult:1.2"), tmp_path / "small.bvh")
    assert run("lint", "--json", tmp_path) == 0
    findings = json.loads(capsys.readouterr().out)["findings"]
    cures = {f["kind"]: f["cure"] for f in findings}
    assert "footfall convert IN OUT --character" in cures["proportions"]
    assert run("lint", "--json", "--character", "adult", tmp_path) == 0
    kinds = {f["kind"] for f in json.loads(capsys.readouterr().out)["findings"]}
    assert not kinds & {"skeleton", "proportions", "units"}
