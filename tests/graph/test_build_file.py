"""Build files and their cache: rows read back, faults named, nothing broken trusted."""

from __future__ import annotations

import json

import numpy as np
import pytest

from footfall.core.errors import ReadError
from footfall.graph.build import build_cache
from footfall.graph.build.build_file import BuildFile, build_of, text_of


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
