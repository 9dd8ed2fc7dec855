"""Many files: folders and globs, on several processes, with bad files, and only what is not done yet."""

from __future__ import annotations

import json
import os

import pytest
from helpers import run_cli as run

from footfall.core.errors import ReadError
from footfall.io.load import load
from footfall.io.save import save
from footfall.motions.library import motion

NAMES = ["a.bvh", "b.bvh", "c.bvh", "d.bvh", "below/kick.bvh"]


@pytest.fixture(scope="module")
def takes(tmp_path_factory):
    """Five motions, one broken file and notes."""
    folder = tmp_path_factory.mktemp("many") / "takes"
    for k, name in enumerate(NAMES[:4]):
        save(motion("walk", speed=1.0 + 0.1 * k), folder / name)
    save(motion("kick"), folder / NAMES[4])
    (folder / "broken.bvh").write_text("HIERARCHY\nnothing")
    (folder / "notes.txt").write_text("what we did on Monday")
    return folder


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("command", ["info", "analyze", "check"])
def test_a_folder_gives_the_lines_its_files_give(takes, command, capsys):
    assert run(command, "--json", takes) == 3
    out, err = capsys.readouterr()
    assert err.count("broken.bvh") == 1
    assert "notes" not in err
    lines = out.splitlines()
    files = sorted(takes / name for name in NAMES)
    assert [json.loads(line)["file"] for line in lines] == [str(path) for path in files]
    assert run(command, "--json", *files) == 0
    assert capsys.readouterr().out.splitlines() == lines


def test_processes_print_what_one_prints_in_order(takes, capsys):
    assert run("analyze", takes / "*.bvh", "--jobs", 1) == 3
    one = capsys.readouterr()
    assert run("analyze", takes / "*.bvh", "--jobs", 3) == 3
    three = capsys.readouterr()
    assert three.out == one.out
    assert three.err == one.err
    assert "1 of 5 files failed: broken.bvh" in one.err


def test_a_folder_is_converted_into_a_folder(takes, tmp_path, capsys):
    assert run("convert", takes, "-o", tmp_path / "out", "--format", "glb", "--no-sidecar", "--jobs", 2) == 3
    made = sorted(p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*.*"))
    assert made == sorted(name.replace(".bvh", ".glb") for name in NAMES)
    assert load(tmp_path / "out" / "a.glb").frames == load(takes / "a.bvh").frames
    assert "1 of 7 files failed" in capsys.readouterr().err


def test_only_what_is_not_done_is_done(takes, tmp_path, capsys):
    out = tmp_path / "out"
    assert run("edit", takes / "?.bvh", "-o", out, "--mirror") == 0
    before = {p: p.stat().st_mtime_ns for p in out.iterdir()}
    assert len(before) == 4
    (out / "c.bvh").unlink()
    old = (takes / "a.bvh").stat().st_mtime_ns - 10**9
    os.utime(out / "b.bvh", ns=(old, old))
    capsys.readouterr()
    assert run("edit", takes / "?.bvh", "-o", out, "--mirror", "--newer") == 0
    told, err = capsys.readouterr()
    assert len(told.splitlines()) == 2
    assert "2 of 4 files are up to date" in err
    assert {p.name for p in out.iterdir() if p.stat().st_mtime_ns != before.get(p)} == {"b.bvh", "c.bvh"}


def test_files_that_would_become_one_keep_their_endings(tmp_path):
    save(motion("walk"), tmp_path / "in" / "walk.bvh")
    save(motion("walk"), tmp_path / "in" / "walk.npz")
    assert run("convert", tmp_path / "in", "-o", tmp_path / "out", "--format", ".bvh") == 0
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["walk.bvh.bvh", "walk.npz.bvh"]


def test_every_file_of_a_folder_is_drawn(tmp_path):
    for name in ("walk", "kick"):
        save(motion(name), tmp_path / "in" / f"{name}.bvh")
    assert run("render", tmp_path / "in", "-o", tmp_path / "out", "--at", 0, "--size", "64x48") == 0
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["kick.png", "walk.png"]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("convert", "TAKES", "-o", "TAKES/a.bvh"), "OUT must be a folder"),
        (("convert", "TAKES", "-o", "OUT", "--format", "doc"), "cannot write '.doc'"),
        (("convert", "TAKES", "-o", "TAKES"), "over itself"),
        (("convert", "TAKES/a.bvh", "-o", "OUT.glb", "--newer"), "--newer is for folders"),
        (("edit", "TAKES", "-o", "OUT", "--picture", "OUT.png"), "stands for many"),
        (("analyze", "TAKES/*.fbx"), "files that match"),
        (("info", "OUT"), "no file or built-in motion"),
    ],
)
def test_mistakes_are_told_in_a_line(takes, tmp_path, capsys, args, says):
    filled = [str(arg).replace("TAKES", str(takes)).replace("OUT", str(tmp_path / "out")) for arg in args]
    assert run(*filled) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1


def test_what_fails_everywhere_is_not_partly_done(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("a.bvh", "b.bvh"):
        (tmp_path / "in" / name).write_text("nothing")
    assert run("convert", tmp_path / "in", "-o", tmp_path / "out") == 2
    assert run("analyze", tmp_path / "in") == 2
    with pytest.raises(ReadError):
        load(tmp_path / "in" / "a.bvh")
