"""footfall study: lists studies, runs one, writes its page and table."""

from __future__ import annotations

import csv
import json

import pytest
from helpers import run_cli as run

from footfall_lab.studies import analysis, analysis_contacts


@pytest.fixture
def fewer(monkeypatch):
    monkeypatch.delenv("FOOTFALL_MOCAP", raising=False)
    monkeypatch.setattr(analysis, "QUICK_GAITS", [("walk", 1.2, 20.0)])
    monkeypatch.setattr(analysis, "QUICK_CONDITIONS", [(60.0, 0.0, 1.75)])


def test_studies_are_listed_without_what_only_helps_them(capsys):
    assert run("study") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("analysis ")]
    assert not [line for line in lines if line.startswith(("analysis-contacts", "-report"))]


def test_quick(fewer, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert run("study", "analysis", "--quick", "-o", tmp_path) == 0
    text = capsys.readouterr().out
    assert "contacts, built-in 60 fps 0 mm 1.75 m" in text
    assert "missed │" not in text
    page = (tmp_path / "analysis.html").read_text()
    assert "data:image/png;base64," in page
    assert "http" not in page  # nothing is fetched
    with (tmp_path / "analysis.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["what"].split(",")[0] for row in rows} == {"contacts", "speed", "turn"}
    assert all(row["ok"] == "1" for row in rows)


def test_a_missed_limit_is_exit_1_and_json_says_which(fewer, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(analysis, "SPEED", -1.0)
    assert run("study", "analysis", "--quick", "-o", tmp_path, "--json") == 1
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["what"].split(",")[0] for row in rows if row["ok"] is False} == {"speed"}


def test_unknown_names_and_folders_are_refused(tmp_path, capsys):
    assert run("study", "analysys", "-o", tmp_path) == 2
    assert "did you mean analysis" in capsys.readouterr().err
    assert run("study", "analysis", "--captures", tmp_path / "none", "-o", tmp_path) == 2
    assert "captures" in capsys.readouterr().err


def test_contacts_that_are_wrong_miss_their_limit():
    def row(within: float, missed: int, invented: int) -> bool | None:
        found = analysis_contacts.Row("a", 100, within, missed, invented)
        return analysis.events_row("a", found, 50).ok

    assert row(0.95, 0, 0) is True
    assert row(0.94, 0, 0) is False
    assert row(1.0, 2, 0) is True  # two events are one contact, of 50
    assert row(1.0, 2, 2) is False


def test_a_long_walk_goes_on_and_on():
    clip = analysis.long_walk(700)
    assert clip.frames == 700
    speed = clip.root_motion.velocity
    assert abs(float((speed**2).sum(axis=-1).mean() ** 0.5) - 1.3) < 0.05


def test_takes_of_captures(mocap, tmp_path):
    """Types and speeds on one folder of runs, through a folder that holds nothing else."""
    (tmp_path / "cmu_bvh").mkdir()
    (tmp_path / "cmu_bvh" / "run_straight").symlink_to(mocap / "cmu_bvh" / "run_straight")
    (tmp_path / "manifest.csv").symlink_to(mocap / "manifest.csv")
    kinds, speeds = analysis.take_rows(tmp_path)
    assert kinds.ok
    assert speeds.ok
    assert kinds.value.startswith("100")


def test_help_has_an_example(capsys):
    assert run("study", "--help") == 0
    text = capsys.readouterr().out
    assert "Example:" in text
    assert "footfall study" in text
