"""footfall check: a table for people, JSON lines for programs, bad files reported and survived."""

from __future__ import annotations

import json

import pytest
from helpers import run_cli as run
from helpers import walking_clip

from footfall.io.save import save


@pytest.fixture
def walk(tmp_path):
    return save(walking_clip(cycles=3, fps=30), tmp_path / "walk.bvh")


def test_json_lines(walk, capsys):
    assert run("check", "--json", walk, walk) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    facts = json.loads(lines[0])
    assert facts["file"] == str(walk)
    assert set(facts) >= {"skate_cm_s", "slide", "penetration", "jerk_m_s3", "spikes", "fast_turns", "verdict"}
    assert facts["verdict"] == "clean"
    assert set(facts["body"]["push_m_s2"]) == {"value", "usual", "ok"}


def test_table_names_units_and_verdict(walk, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    assert run("check", walk) == 0
    text = capsys.readouterr().out
    for word in ("walk.bvh", "cm/s", "m/s³", "clean", "balance", "95 % of captures"):
        assert word in text


def test_a_bad_file_among_good_ones_is_exit_3(walk, tmp_path, capsys):
    bad = tmp_path / "bad.bvh"
    bad.write_text("not a motion")
    assert run("check", "--json", bad, walk, tmp_path / "missing.bvh") == 3
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 1
    assert len(err.splitlines()) == 2
    assert "bad.bvh" in err
    assert "missing.bvh" in err
    assert "Traceback" not in err


def test_only_bad_files_are_exit_2(tmp_path, capsys):
    assert run("check", tmp_path / "missing.bvh") == 2
    assert "missing.bvh" in capsys.readouterr().err
