"""The verdict in one line: what fails, or what comes closest to failing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.core.report import Report
from footfall.quality.judge import Judgement, SeamJudgement
from footfall.quality.judged_figures import FIGURES, USUAL_SHARE, JudgedFigure
from footfall.quality.shown import Seam
from footfall.quality.verdict import in_a_line

LIMIT = 10.0


def report(*rows: dict[str, float]) -> Report:
    """A report of seams at 1, 2, … s whose figures are given as shares of what is usual; the others are 0."""
    seams: list[Any] = []
    for n, row in enumerate(rows):
        figures = {
            name: JudgedFigure(row.get(name, 0.0) * USUAL_SHARE[name] * LIMIT, LIMIT, f"says {name}")
            for name in FIGURES
        }
        seams.append(SeamJudgement(Seam(0, 1, 0, 1, 0, 1), n + 1.0, figures))
    return Report((), judgement=Judgement(tuple(seams), (), (), True).to_json())


def test_green_says_no_more():
    assert in_a_line(report({"push": 0.99}, {})) == "green"


@given(st.sampled_from([name for name in FIGURES if USUAL_SHARE[name] < 0.8]), st.integers(0, 2))
def test_amber_names_what_is_farthest_beyond_the_usual(name, at):
    rows = [{other: 0.9 for other in FIGURES} for _ in range(3)]
    rows[at][name] = 1.2
    assert in_a_line(report(*rows)) == f'amber: believable, but close to "says {name} at {at + 1:.1f} s"'


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (2, "red: says push at 1.0 s; says push at 2.0 s"),
        (4, "red: says push at 1.0 s; says push at 2.0 s; says push at 3.0 s; and 1 more red join"),
        (6, "red: says push at 1.0 s; says push at 2.0 s; says push at 3.0 s; and 3 more red joins"),
    ],
)
def test_every_red_join_is_named_or_counted(count, said):
    rows = [{"push": 5.0, "alive": 5.0} for _ in range(count)]
    assert in_a_line(report(*rows, {"push": 0.5})) == said


@pytest.mark.parametrize("beyond", [2.0, 5.0])
def test_red_names_what_fails(beyond):
    assert in_a_line(report({"push": beyond, "alive": 1.2})) == "red: says push at 1.0 s"
