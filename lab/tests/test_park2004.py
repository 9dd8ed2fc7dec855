"""The study of Park et al. 2004 runs, and its figures keep their limits."""

from __future__ import annotations

import pytest

from footfall_lab.studies import park2004, park2004_time


def test_time_runs_forward_in_ours_and_back_in_the_older():
    rows, pictures = park2004_time.run(quick=True)
    assert all(row.ok is not False for row in rows)
    assert any("backwards" in row.what and "m/s" in row.value and "none" not in row.value for row in rows)
    assert pictures[0][1].startswith(b"\x89PNG")


@pytest.mark.long
def test_the_whole_study(tmp_path):
    rows = park2004.run(tmp_path, True, lambda text: None)
    assert len(rows) > 25
    assert [row.what for row in rows if row.ok is False and "compiled" not in row.what] == []
    assert "E2" in (tmp_path / "park2004.html").read_text("utf-8")
    assert (tmp_path / "park2004.csv").read_text("utf-8").count("\n") == len(rows) + 1
