"""Build files and their cache: rows read back, faults named, nothing broken trusted."""

from __future__ import annotations

import json

import numpy as np
import pytest

from footfall.core.errors import ReadError
from footfall.graph.build import build_cache
from footfall.graph.build.build import found_rows
from footfall.graph.build.build_file import BuildFile, build_of, text_of
from footfall.graph.build.found_actions import FoundAction
from footfall.graph.build.recording_scan import ClipScan, RecordingScan
from footfall.motions.library import motion


def test_a_cache_that_is_broken_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path))
    name = build_cache.key_of("test", "x")
    build_cache.keep(name, {"a": 1}, {"b": np.arange(3)})
    assert build_cache.kept(name)[0] == {"a": 1}
    (build_cache.folder() / name).write_bytes(b"PK\x03\x04 nothing")
    assert build_cache.kept(name) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"from": 2.0}, "from before to"),
        ({"from": "x"}, "from as a number"),
        ({"use": 1}, "use: true or false"),
        ({"label": ""}, "label as text"),
        ({"file": None}, "file as text"),
    ],
)
def test_a_bad_row_is_named(change, said, tmp_path):
    row = {"file": "a.bvh", "from": 0.5, "to": 1.5, "label": "walk", "use": True} | change
    told = {"format": "footfall graph build", "version": 1, "folder": ".", "cycles": [row]}
    with pytest.raises(ReadError, match=said) as error:
        build_of(told, tmp_path / "my.graph")
    assert "cycles, row 1" in str(error.value)


def test_a_build_without_rows_is_text_too(tmp_path):
    assert build_of(json.loads(text_of(BuildFile("takes"))), tmp_path) == BuildFile("takes")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"edges": True}, "edges: expected a list"),
        ({"left_out": 1}, "left_out: expected a list"),
        ({"cycles": {}}, "cycles: expected a list"),
    ],
)
def test_a_table_that_is_none_is_named(change, said, tmp_path):
    told = {"format": "footfall graph build", "version": 1, "folder": "."} | change
    with pytest.raises(ReadError, match=said):
        build_of(told, tmp_path / "my.graph")


def test_what_is_only_told_never_breaks_the_reader(tmp_path):
    edge = {"before": "a", "after": "b", "way": "made", "examples": {}, "gap": 10**400, "turn": float("nan")}
    left_out = [{"file": 3, "why": []}, 7, {"file": "a.bvh", "why": "it is empty"}]
    told = {"format": "footfall graph build", "version": 1, "folder": ".", "edges": [edge, 5], "left_out": left_out}
    found = build_of(told, tmp_path / "my.graph")
    assert [row.measured for row in found.edges] == [{}]
    assert found.left_out == (("a.bvh", "it is empty"),)


def test_an_action_out_of_a_row_of_them_gives_way_to_one_from_rest_to_rest():
    boxing = [FoundAction("punch", a, a + 0.6, a + 0.3, "left", 0.9, "") for a in (0.3, 0.9, 1.5)]
    alone = [FoundAction("punch", a, a + 1.3, a + 0.6, "left", sure, "") for a, sure in ((0.7, 0.7), (2.3, 0.8))]
    scans = [
        RecordingScan(f"{name}.bvh", "", (ClipScan("", 60.0, motion("stand").skeleton, (), (), tuple(found)),))
        for name, found in (("boxing", boxing), ("alone", alone))
    ]
    rows = found_rows(scans, "average").actions
    assert [(row.file, row.start_s) for row in rows if row.use] == [("alone.bvh", 2.3)]
