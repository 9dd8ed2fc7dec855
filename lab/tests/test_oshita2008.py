"""The study of Oshita 2008 runs, and the paper's four joins are made the way the paper made them."""

from __future__ import annotations

import pytest

from footfall_lab.studies import oshita2008
from footfall_lab.studies.oshita2008_random import built_in_pool, draw


def test_random_timelines_are_the_same_every_time():
    pool = built_in_pool()[:4]
    one, two = draw(pool, 3), draw(pool, 3)
    assert [(c.start_s, c.trim_s, c.speed, c.mirror) for c in one.tracks[0].clips] == [
        (c.start_s, c.trim_s, c.speed, c.mirror) for c in two.tracks[0].clips
    ]
    assert len({len(draw(pool, seed).tracks[0].clips) for seed in range(12)}) > 1


@pytest.mark.long
def test_the_whole_study(tmp_path, monkeypatch):
    monkeypatch.setattr(oshita2008, "QUICK", {"built-in": 3, "captured": 0})
    rows = oshita2008.run(tmp_path, True, lambda text: None)
    made = {row.what: row for row in rows if row.what.endswith("made by") and row.limit}
    assert len(made) == 4
    assert all(row.ok for row in made.values())
    for row in rows:
        if "not finite" in row.what or "stands still" in row.what:
            assert row.ok
    assert "Oshita" in (tmp_path / "oshita2008.html").read_text("utf-8")
    assert (tmp_path / "oshita2008-segments.csv").read_text("utf-8").count("\n") > 10
