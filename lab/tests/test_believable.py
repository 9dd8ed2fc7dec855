"""The study of belief on takes that footfall made itself: the split by person, the draw, the cases, the table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import footfall as ff
from footfall_lab.bench._measure import Row
from footfall_lab.studies import believable
from footfall_lab.studies.believable_cases import BeliefCase, badness, judged_case, judged_cases, made
from footfall_lab.studies.believable_takes import HELD_OUT, WORK, draw_pairs, draw_timelines, takes

MADE = (
    ("a.bvh", "02", "walk", "walk:cycles=3"),
    ("b.bvh", "07", "kick", "kick"),
    ("c.bvh", "16", "stand", "stand"),
    ("f.bvh", "09", "wave", "wave"),
    ("g.bvh", "13", "punch", "punch"),
    ("h.bvh", "26", "jump", "jump"),
    ("d.bvh", "06", "walk", "walk:cycles=2"),  # of the other half
    ("e.bvh", "02", "stairs", "walk:cycles=2"),  # needs a ground of its own
)


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("captures")
    rows = ["path,subject,kind"]
    for path, subject, kind, motion in MADE:
        ff.save(_motion(motion), folder / path)
        rows.append(f"{path},{subject},{kind}")
    (folder / "manifest.csv").write_text("\n".join(rows))
    return folder


def _motion(text: str) -> ff.Clip:
    name, _, given = text.partition(":")
    return ff.motion(name, **({"cycles": int(given.split("=")[1])} if given else {})).resample(30.0)


def test_nobody_is_in_both_halves(captures: Path) -> None:
    assert not set(WORK) & set(HELD_OUT)
    assert [take.path.name for take in takes(captures, "work")] == [f"{x}.bvh" for x in "abcfgh"]
    assert [take.path.name for take in takes(captures, "held-out")] == ["d.bvh"]


def test_the_same_cases_are_drawn_every_time(captures: Path) -> None:
    found = takes(captures, "work")
    assert draw_pairs(found, 6, 1) == draw_pairs(found, 6, 1)
    assert draw_pairs(found, 6, 1) != draw_pairs(found, 6, 2)
    assert all(a != b for a, b in draw_pairs(found, 20, 1))
    lines = draw_timelines(found, 20, 1)
    assert {len(line) for line in lines} == {2, 3, 4, 5, 6}
    assert all(len(set(line)) == len(line) for line in lines)


def test_a_case_is_what_the_public_calls_make(captures: Path) -> None:
    walk, kick, *_ = takes(captures, "work")
    case = judged_case((walk, kick), True)
    clip = made((walk, kick), True)
    assert clip.report is not None
    assert case.judgement == clip.report.judgement
    assert case.duration_s == clip.duration
    assert case.names == ["walk a", "kick b"]
    assert not case.problem
    assert len(case.seams) == 1
    assert {"order", "kept", "actions", "refused"}.isdisjoint(case.failed)
    plain = json.loads(json.dumps(case.plain(), default=float))
    assert plain["what"] == "timeline"
    assert plain["failed"] == case.failed


def test_a_refusal_is_said_and_not_believed(captures: Path) -> None:
    walk, *_ = takes(captures, "work")
    gone = walk._replace(path=captures / "nowhere.bvh")
    (case,) = judged_cases([((walk, gone), False)], 1)
    assert "nowhere.bvh" in case.problem
    assert case.failed == ["refused"]


def test_badness_counts_what_misses_its_limit() -> None:
    def seam(*figures: tuple[float, float]) -> dict[str, object]:
        return {"figures": {str(i): {"value": v, "limit": m, "ok": v <= m} for i, (v, m) in enumerate(figures)},
                "reasons": ["cut"]}  # fmt: skip

    assert badness(seam((1.0, 2.0))) == 1.0  # nothing but content
    assert badness(seam((4.0, 2.0), (9.0, 3.0), (1.0, 2.0))) == 5.0
    assert badness(seam((1e9, 1.0))) == 10.0


def test_the_table_counts_cases(captures: Path) -> None:
    walk, kick, stand, *_ = takes(captures, "work")
    cases = [judged_case((kick, stand), True), BeliefCase((walk, kick), True, problem="refused")]
    rows = {row.what.split(": ", 1)[1]: row for row in believable.summary("work, timelines", cases)}
    assert rows["made"].value == "50.0%"
    assert rows["made"].ok is False
    assert rows["in their order"].ok is True
    assert list(believable.summary("none", [])) == []


def test_the_study_writes_its_table_its_cases_and_its_pictures(
    captures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(believable, "QUICK_JOINS", 2)
    monkeypatch.setattr(believable, "QUICK_TIMELINES", 1)
    told: list[str] = []
    rows = believable.run(tmp_path, True, told.append, captures)
    assert all(isinstance(row, Row) for row in rows)
    data = json.loads((tmp_path / "believable.json").read_text())
    assert data["half"] == "work"
    assert [case["what"] for case in data["cases"]] == ["join", "join", "timeline"]
    assert (tmp_path / "believable.csv").stat().st_size > 0
    assert "believable" in (tmp_path / "believable.html").read_text()
    assert any("2 of 3" in text for text in told)
