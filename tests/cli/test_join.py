"""`footfall join` writes what its contract says, in every form of OUT, and says in one line what it cannot."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from helpers import still_clip, walking_clip
from PIL import Image

import footfall as ff
from footfall.cli import main

KINDS = {"clip", "transition", "connection", "adaptation", "bridge", "composition", "wait", "fallback"}


def run(*args):
    with pytest.raises(SystemExit) as stop:
        main(["join", *map(str, args)])
    return stop.value.code


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    ff.save(walking_clip(), folder / "walk.bvh")
    ff.save(still_clip(frames=90), folder / "stand.bvh")
    return folder


def test_two_built_ins_with_a_report(tmp_path, capsys):
    out, report = tmp_path / "out.bvh", tmp_path / "out.json"
    asked = ("--method", "inertialize", "--at", 0.6, "--length", 0.4, "--enter", 0.5)
    assert run("walk", "kick", "-o", out, *asked, "--report", report) == 0
    said = capsys.readouterr().out
    for word in ("inertialize", "0.60", "0.40", "0.50", "skate", "excess", "knee", "dies away", "out.bvh"):
        assert word in said
    clip, walk, kick = ff.load(out), ff.motion("walk"), ff.motion("kick")
    assert clip.frames == 73 + 48 + (kick.frames - 61)
    order = clip.skeleton.indices(walk.skeleton.names)  # files may list joints in another order
    assert np.abs(clip.positions[0, order] - walk.positions[0]).max() < 1e-3
    told = json.loads(report.read_text())
    assert set(told) == {"segments", "quality", "judgement"}
    assert {"skate_ratio", "excess_m_s2", "knee_ratio"} <= set(told["quality"])
    segments = told["segments"]
    assert [s["kind"] for s in segments] == ["clip", "transition", "clip"]
    assert segments[0]["start_s"] == 0.0
    assert segments[-1]["end_s"] == pytest.approx(clip.duration)
    assert all(a["end_s"] == b["start_s"] for a, b in itertools.pairwise(segments))
    assert segments[1]["clips"] == ["walk", "kick"]
    assert segments[1]["end_s"] - segments[1]["start_s"] == pytest.approx(0.4)
    assert len(segments[1]["phases"]) == 2


def test_all_is_left_to_it_by_default(tmp_path, capsys):
    assert run("walk", "run", "-o", tmp_path / "out.glb", "--report", tmp_path / "r.json") == 0
    assert "auto" in capsys.readouterr().out
    told = json.loads((tmp_path / "r.json").read_text())
    assert {s["kind"] for s in told["segments"]} <= KINDS
    assert all(math.isfinite(v) for v in told["quality"].values() if v is not None)
    assert ff.load(tmp_path / "out.glb").frames > 60


def test_compare_writes_one_motion_a_method_and_one_picture(tmp_path, capsys):
    out, picture = tmp_path / "out.npz", tmp_path / "x.png"
    given = ("--compare", "crossfade,dead-blend", "--at", "0.8")  # else each chooses its own moment
    assert run("walk", "stand", *given, "-o", out, "--picture", picture) == 0
    said = capsys.readouterr().out
    assert said.index("crossfade") < said.index("dead-blend")
    first, second = (ff.load(tmp_path / f"out_{method}.npz") for method in ("crossfade", "dead-blend"))
    assert first.frames == second.frames
    assert np.abs(first.positions - second.positions).max() > 0.001
    with Image.open(picture) as image:
        assert image.width == 1300
    assert not out.exists()


def test_compare_makes_a_film_of_all(tmp_path):
    film = tmp_path / "film.gif"
    assert run("walk", "stand:seconds=1", "--at", 0.3, "--compare", "crossfade,inertialize", "-o", film) == 0
    with Image.open(film) as image:
        assert image.width == 2 * 400 + 2
        assert image.n_frames > 20


def test_another_body_is_put_on_the_first_ones(folder, tmp_path):
    out = tmp_path / "out.bvh"
    assert run(folder / "walk.bvh", "kick", "-o", out, "--method", "crossfade") == 0
    clip, walk = ff.load(out), ff.load(folder / "walk.bvh")
    assert clip.skeleton.names == walk.skeleton.names
    assert np.allclose(clip.skeleton.offsets[1:], walk.skeleton.offsets[1:], atol=1e-4)


def test_both_on_a_character(folder, tmp_path):
    out = tmp_path / "out.bvh"
    ways = ("--method", "crossfade", "--at", 0.5, "--character", "adult:1.2")
    assert run(folder / "walk.bvh", folder / "stand.bvh", "-o", out, *ways) == 0
    assert ff.load(out).skeleton.height == pytest.approx(1.2, abs=0.03)


def test_options_of_the_method_and_no_foot_lock(tmp_path):
    clips = []
    for shape in ("ease", "linear"):
        out = tmp_path / f"{shape}.npz"
        asked = ("--method", "crossfade", "--option", f"shape={shape}", "--no-foot-lock", "--at", 0.5)
        assert run("walk", "stand", "-o", out, *asked) == 0
        clips.append(ff.load(out))
    assert np.abs(clips[0].positions - clips[1].positions).max() > 0.01


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("walk", "kick"), "nowhere to put the result"),
        (("walk", "kick", "-o", "x.docx"), "cannot write '.docx'"),
        (("walk", "kick", "-o", "x.bvh", "--method", "magic"), "there are"),
        (("walk", "kick", "-o", "x.bvh", "--method", "auto", "--compare", "crossfade"), "leave --method out"),
        (("walk", "kick", "-o", "x.bvh", "--compare", "crossfade,magic"), "no method 'magic'"),
        (("walk", "kick", "-o", "x.bvh", "--method", "crossfade", "--option", "shape"), "KEY=VALUE"),
        (("walk", "kick", "-o", "x.bvh", "--method", "crossfade", "--option", "shape=round"), "ease or linear"),
        (("walk", "kick", "-o", "x.bvh", "--method", "crossfade", "--enter", "9"), "cannot enter kick at 9 s"),
        (("kick", "walk", "-o", "x.bvh", "--at", "7"), "cannot leave kick at 7 s"),
        (("kick", "walk", "-o", "x.bvh", "--length", "-1"), "0.0<=x<=1000000.0"),
        (("walk", "nothing.bvh", "-o", "x.bvh"), "nothing.bvh"),
        (("walk", "kick", "--picture", "x.jpg"), "written as .png"),
    ],
)
def test_what_cannot_be_done_is_one_line(args, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(*args) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_source_is_not_written_over(folder, capsys):
    assert run(folder / "walk.bvh", "kick", "-o", folder / "walk.bvh") == 2
    assert "same file" in capsys.readouterr().err


def test_with_a_folder_auto_chooses_how(folder, tmp_path, capsys):
    assert run("walk", "kick", "-o", tmp_path / "out.bvh", "--with", folder, "--method", "crossfade") == 2
    assert "--with" in capsys.readouterr().err
    assert not (tmp_path / "out.bvh").exists()


@pytest.mark.slow
def test_with_a_folder_its_recordings_are_tried_and_told(tmp_path, capsys):
    takes, report = tmp_path / "takes", tmp_path / "report.json"
    ff.save(ff.motion("jump"), takes / "another.npz")
    asked = ("--at", 0.8, "--with", takes, "--index", tmp_path / "index", "--jobs", 1)
    assert run("jump", "wave", "-o", tmp_path / "out.bvh", *asked, "--report", report) == 0
    segments = json.loads(report.read_text())["segments"]
    assert any("another.npz" in s["clips"] or "another.npz" in str(s["rejected"]) for s in segments)
    assert (tmp_path / "index" / "library.sqlite").exists()
    assert all(a["end_s"] == pytest.approx(b["start_s"]) for a, b in itertools.pairwise(segments))
