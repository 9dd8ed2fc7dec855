"""The weights study: its measures against hand-made cases, and one small run from end to end."""

from __future__ import annotations

import csv
from types import SimpleNamespace

import numpy as np
import pytest

from footfall.parametric.measure import blended_parameters
from footfall_lab.studies import feng2012, feng2012_captures, feng2012_report
from footfall_lab.studies.feng2012_measure import VARIANTS
from footfall_lab.studies.feng2012_sets import SLICES


def fake(name: str, errors: dict[str, float], kappas: dict[str, float]):
    results = {
        label: SimpleNamespace(mean_error=lambda e=errors[label]: e, mean_kappa=lambda k=kappas[label]: k)
        for label in errors
    }
    return SimpleNamespace(data=SimpleNamespace(name=name), results=results)


def test_departures_from_the_papers_order_are_listed():
    paper = ("barycentric", "KNN", "inverse blending", "RBF (Rose)")
    same = fake("reach", dict(zip(paper, (3, 2, 1, 4), strict=True)), dict(zip(paper, (3, 2, 4, 1), strict=True)))
    assert feng2012_report.departures([same]) == []
    other = fake("reach", dict(zip(paper, (3, 2, 1, 2.5), strict=True)), dict(zip(paper, (3, 2, 4, 1), strict=True)))
    assert feng2012_report.departures([other]) == ["reach error: barycentric 3.0000 above RBF (Rose) 2.5000"]


def test_a_ratio_over_its_limit_is_missed():
    assert feng2012_report._ratio("a", 0.3, 1.0, 0.2, True).ok is False
    assert feng2012_report._ratio("a", 0.1, 1.0, 0.2, True).ok is True
    assert feng2012_report._ratio("a", 0.3, 1.0, 0.2, False).ok is None


@pytest.mark.long
def test_a_small_run_writes_its_page_and_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(feng2012, "QUICK", feng2012.Sampling(("locomotion",), 8, SLICES[1:4], 2, {"cells": 4}))
    said: list[str] = []
    rows = feng2012.run(tmp_path, True, said.append)
    assert any("pictures" in text for text in said)
    page = (tmp_path / "feng2012.html").read_text()
    assert page.count("data:image/png;base64,") == 7
    assert "not yet a natural pose" in page
    assert "://" not in page  # nothing is fetched
    with (tmp_path / "feng2012.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [line["method"] for line in table[: len(VARIANTS)]] == [v.label for v in VARIANTS]
    ours, search, rose = (
        next(float(line["error mean"]) for line in table if line["method"] == label)
        for label in ("smooth inverse, faithful", "inverse blending", "RBF (Rose)")
    )
    assert ours < rose
    assert search < rose
    assert all(row.ok is None for row in rows)  # a quick run judges nothing
    assert rows[-1].value == "captures: left out of a quick run"


def test_a_folder_without_the_takes_leaves_captures_out(tmp_path):
    assert feng2012_captures.with_takes(tmp_path) is None
    (row,) = feng2012_report.captured_rows(feng2012_captures.NAME, None, quick=False)
    assert (row.value, row.ok) == ("captures: not found, left out", None)


@pytest.mark.long
def test_captured_locomotion_stands_beside_the_built_in_sets(tmp_path, monkeypatch, mocap):
    if feng2012_captures.with_takes(mocap) is None:
        pytest.skip("the captures lack a take of this set")
    data = feng2012_captures.captured_set(mocap)
    assert data.motion.marks == ("left strike", "right strike", "left strike")
    own, mirrored = np.split(data.parameters, 2)  # speed, turn, side
    assert len(own) == 10
    np.testing.assert_allclose(mirrored, own * (1.0, -1.0, -1.0), atol=0.05)
    np.testing.assert_allclose(blended_parameters(data.motion)(np.eye(20)), data.parameters, atol=1e-9)
    assert np.ptp(own[:, 0]) > 1.5  # slow walk to jog
    assert np.abs(own[:, 1]).max() > 60.0
    name = feng2012_captures.NAME
    monkeypatch.setattr(feng2012, "FULL", feng2012.Sampling(("locomotion",), 8, SLICES[1:4], 2, {"cells": 4}))
    monkeypatch.setattr(feng2012, "CAPTURED", feng2012.Sampling((name,), 8, SLICES[1:4], 2, {"cells": 4}))
    monkeypatch.setattr(feng2012, "captured_set", lambda *_: data)
    rows = feng2012.run(tmp_path, False, lambda text: None, mocap)
    assert all(row.ok is None for row in rows if row.what.startswith(name))  # reported, not judged
    assert (tmp_path / "feng2012.html").read_text().count("data:image/png;base64,") == 9
    with (tmp_path / "feng2012.csv").open(newline="") as file:
        error = {line["method"]: float(line["error mean"]) for line in csv.DictReader(file) if line["set"] == name}
    assert error["smooth inverse, faithful"] < error["inverse blending"] < error["RBF (Rose)"]
