"""`footfall synth`: clips in a row or a timeline file in, motions, reports and pictures out; mistakes by their line."""

from __future__ import annotations

import json

import pytest
from PIL import Image

import footfall as ff
from footfall.cli import main

KINDS = {"clip", "transition", "connection", "adaptation", "bridge", "composition", "wait", "fallback"}


def run(*args):
    with pytest.raises(SystemExit) as stop:
        main(["synth", *map(str, args)])
    return stop.value.code


def test_clips_in_a_row_with_report_picture_and_timeline(tmp_path, capsys):
    out, report, picture, saved = (tmp_path / name for name in ("t.bvh", "t.json", "t.png", "line.json"))
    asked = ("--report", report, "--picture", picture, "--save", saved, "--fps", 30)
    assert run("walk:cycles=2", "kick", "stand", "-o", out, *asked) == 0
    said = capsys.readouterr().out
    assert "t.bvh" in said
    told = json.loads(report.read_text())
    assert set(told) == {"segments", "quality", "judgement"}
    assert {s["kind"] for s in told["segments"]} <= KINDS
    ends = [s["end_s"] for s in told["segments"] if s["kind"] != "wait"]
    assert ends == sorted(ends)
    joins = [s for s in told["segments"] if s["kind"] not in ("clip", "wait")]
    assert len(joins) == 2
    assert all(s["reason"] and s["phases"] and s["quality"] for s in joins)
    clip = ff.load(out)
    assert clip.fps == pytest.approx(30.0)
    assert clip.duration == pytest.approx(max(ends), abs=0.1)
    with Image.open(picture) as drawn:
        assert drawn.width > 500
    assert [c["clip"] for c in json.loads(saved.read_text())["tracks"][0]["clips"]] == [
        "walk:cycles=2",
        "kick",
        "stand",
    ]


def test_a_timeline_file_with_two_characters(tmp_path, capsys):
    (tmp_path / "a.toml").write_text(
        """
        fps = 30
        [[tracks]]
        clips = ["walk", {clip = "wave", start_s = 0.2}]
        [[tracks]]
        clips = [{clip = "stand", trim_s = [0, 1]}, "kick"]
        [[markers]]
        tracks = [0, 1]
        clips = [0, 0]
        """
    )
    assert run(tmp_path / "a.toml", "-o", tmp_path / "out.bvh", "--report", tmp_path / "r.json") == 0
    assert (tmp_path / "out_1.bvh").exists()
    assert (tmp_path / "out_2.bvh").exists()
    assert len(json.loads((tmp_path / "r.json").read_text())["tracks"]) == 2
    assert "out_2.bvh" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[tracks]]\nclips = ["walk"]\n[[tracks]]\nclips = [{clip = "kick", speed = "fast"}]\n', "line 4"),
        ('[[tracks]]\nclips = [{clop = "kick"}]\n', "line 2"),
        ('[[tracks]]\nclips = ["nowhere.bvh"]\n', "nowhere.bvh"),
        ('[[tracks]]\nclips = [{clip = "kick", trim_s = [5, 9]}]\n', "trim_s starts at 5 s"),
        ("[[tracks]]\nclips = [\n", "TOML"),
    ],
)
def test_a_mistake_is_one_line_that_names_its_place(tmp_path, capsys, text, words):
    (tmp_path / "a.toml").write_text(text)
    assert run(tmp_path / "a.toml", "-o", tmp_path / "out.bvh") == 2
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said
    assert said.strip().count("\n") == 0
    assert not (tmp_path / "out.bvh").exists()


def test_a_kick_put_into_a_walk_is_a_row_of_its_own(tmp_path, capsys):
    (tmp_path / "a.toml").write_text('[[tracks]]\nclips = ["walk:cycles=3", {clip = "kick", start_s = 1.0}]\n')
    assert run(tmp_path / "a.toml", "-o", tmp_path / "out.npz", "--fps", "60") == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[-1] for row in rows if row[:1] == ["clip"]] == ["walk", "kick"]


def test_every_red_join_and_what_starts_by_hand_cut_is_said(tmp_path, capsys):
    starts = {"kick": 1.0, "jump": 1.3, "walk": 3.5}
    later = ", ".join(f'{{clip = "{name}", start_s = {start_s}}}' for name, start_s in starts.items())
    (tmp_path / "a.toml").write_text(f'[[tracks]]\nclips = ["walk:cycles=3", {later}]\n')
    assert run(tmp_path / "a.toml", "-o", tmp_path / "out.npz", "--report", tmp_path / "out.json") == 0
    lines = capsys.readouterr().out.splitlines()
    judged = next(line for line in lines if line.startswith("judged red: "))
    by_hand = next(line for line in lines if line.startswith("start times by hand leave too little time: "))
    told = json.loads((tmp_path / "out.json").read_text())["judgement"]
    red = [seam for seam in told["seams"] if seam["grade"] == "red"]
    assert len(red) > 1
    assert judged.count(" at ") == len(red)
    assert "kick loses its " in by_hand
    assert by_hand.endswith(", ".join(told["by_hand"]))


def test_a_clip_is_not_written_onto_itself(tmp_path, capsys):
    ff.save(ff.motion("stand").trim(0.0, 0.5), tmp_path / "stand.bvh")
    assert run(tmp_path / "stand.bvh", "-o", tmp_path / "stand.bvh") == 2
    assert "stand.bvh" in capsys.readouterr().err
