"""Graph files: what is saved comes back, and what is broken is refused in one sentence."""

from __future__ import annotations

import json

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
