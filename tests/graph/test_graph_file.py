"""Graph files: what is saved comes back, and what is broken is refused in one sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.core.errors import ParameterError, ReadError
from footfall.graph.build.open_graph import graph


def test_a_graph_comes_back(small, tmp_path):
    path = small.save(tmp_path / "hero.json")
    again = graph(path)
    assert repr(again) == repr(small)
    assert again.examples == small.examples
    assert again.skeleton.names == small.skeleton.names
    for name, node in small.nodes.items():
        other = again.nodes[name].motion
        assert np.array_equal(other.vectors, node.motion.vectors)
        assert other.marks == node.motion.marks
        p = node.motion.parameters.mean(axis=0)[None]
        assert np.array_equal(other.weights(p), node.motion.weights(p))
    for pair, ways in small.edges.items():
        for one, two in zip(ways, again.edges[pair], strict=True):
            assert (one.leave_at, one.shared_before, one.enter_at, one.shared_after, one.made) == (
                two.leave_at, two.shared_before, two.enter_at, two.shared_after, two.made,
            )  # fmt: skip


def test_broken_files_are_refused(small, tmp_path):
    path = small.save(tmp_path / "hero.json")
    whole = json.loads(path.read_text())

    def refuses(text: str, match: str) -> None:
        path.write_text(text)
        with pytest.raises(ReadError, match=match):
            graph(path)

    refuses("{", "a graph as JSON")
    refuses("[]", "footfall graph")
    refuses(json.dumps({**whole, "version": 99}), "newer footfall")
    refuses(json.dumps({**whole, "arrays": {}}), "sha256")
    refuses(json.dumps({**whole, "nodes": [{"key": "node 0"}]}), "whole footfall graph")
    refuses(json.dumps({**whole, "arrays": {**whole["arrays"], "file": "../../other.npz"}}), "no such file")
    refuses(json.dumps({**whole, "arrays": {**whole["arrays"], "file": "x" * 300}}), "no such file")
    refuses(json.dumps({**whole, "arrays": {**whole["arrays"], "file": "a\0b"}}), "no such file")
    refuses(json.dumps({**whole, "roles": "x"}), "roles must be a table")
    refuses(json.dumps({**whole, "joints": "x"}), "joints must be a list")
    refuses(json.dumps({**whole, "edges": 3}), "edges must be a list")
    refuses(json.dumps({**whole, "nodes": [{**whole["nodes"][0], "fps": 0}]}), "frames a second")
    refuses("[" * 100_000, "deep nesting")
    refuses('{"version": ' + "1" * 5000 + "}", "plain JSON")
    path.write_text(json.dumps(whole))
    arrays = tmp_path / "hero.npz"
    data = bytearray(arrays.read_bytes())
    data[len(data) // 2] ^= 255
    arrays.write_bytes(data)
    with pytest.raises(ReadError, match="save the graph again"):
        graph(path)
    with pytest.raises(ReadError, match="builtin"):
        graph(tmp_path / "none.json")
    with pytest.raises(ParameterError, match=r"\.json"):
        small.save(tmp_path / "hero.npz")


def test_a_save_that_was_cut_short_leaves_the_old_graph_or_the_new(small, tmp_path, monkeypatch):
    """The process ends before each renaming in turn: what is on disk is one graph or the other, never half of both."""
    path = small.save(tmp_path / "hero.json")
    other = replace(small, name="other")
    rename, calls = Path.replace, []

    def ends_at(number):
        def renamed(self, target):
            calls.append(self)
            if len(calls) == number:
                raise KeyboardInterrupt  # as good as a kill: nothing after it is done
            return rename(self, target)

        return renamed

    for number, name in ((1, small.name), (2, small.name), (3, "other")):
        calls.clear()
        monkeypatch.setattr(Path, "replace", ends_at(number))
        with pytest.raises(KeyboardInterrupt):
            other.save(path)
        assert graph(path).name == name
    monkeypatch.setattr(Path, "replace", rename)
    other.save(path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["hero.json", "hero.npz"]
