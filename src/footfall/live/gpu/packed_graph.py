"""Packed graph: everything kernels read of a motion graph, as plain arrays in one npz, with or without rows.

A machine that has no compiler for the CPU's kernels reads it and steps characters on its GPU. Names are those of the
CPU's tables, with the table before them: `m.` motions, `e.` edges, `s.` steering, `w.` weights, `body.` the body, `d.`
decisions, `row.` characters.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.core.errors import ReadError
from footfall.io.save import atomic_write

if TYPE_CHECKING:
    from footfall.graph.graph import Graph

VERSION = 2  # of the file
ROW = "row."


@dataclass(frozen=True, eq=False)
class PackedGraph:
    """What characters of one graph share."""

    arrays: Mapping[str, np.ndarray]
    names: tuple[str, ...]  # of nodes
    home: int  # the node that characters begin in
    joints: tuple[str, ...]
    edge_names: tuple[tuple[str, str], ...]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.arrays[name]

    @property
    def dimensions(self) -> int:
        """Parameters of a layer at most."""
        return int(self["s.low"].shape[1])


def pack_graph(graph: Graph) -> PackedGraph:
    """A motion graph as plain arrays."""
    from footfall.live.playable_graph import playable_graph

    of = playable_graph(graph)
    found: dict[str, np.ndarray] = {}
    tables: list[tuple[str, Any]] = [("m", of.tables), ("e", of.edges), ("s", of.steering), ("w", of.weights),
                                     ("body", of.tables.body)]  # fmt: skip
    for prefix, table in tables:
        found |= {f"{prefix}.{name}": value for name, value in zip(table._fields, table, strict=True) if name != "body"}
    found |= _decisions(graph)
    return PackedGraph(found, of.names, of.number[graph.home], tuple(graph.skeleton.names), of.edge_names)


def _decisions(graph: Graph) -> dict[str, np.ndarray]:
    """What `live.decisions` looks up, as arrays: lists one after another, each from its first to before the next's."""
    from footfall.live.playable_graph import playable_graph

    of = playable_graph(graph)
    nodes, d = len(of.names), max(of.dimensions, 1)
    ways = [of.ways.get((a, b), ()) for a in range(nodes) for b in range(nodes)]
    into = [[e for (_, after), edges in of.ways.items() if after == k for e in edges] for k in range(nodes)]
    usual = np.zeros((nodes, d))
    for k, node in enumerate(of.nodes):
        usual[k, : len(node.usual)] = node.coverage.nearest([value for _, _, value in node.usual])[0]
    return {
        "d.is_action": np.array(of.is_action),
        "d.next_step": np.array(of.next_step, np.int64),
        "d.way_first": _firsts(ways), "d.way": _flat(ways), "d.into_first": _firsts(into), "d.into": _flat(into),
        "d.quick": np.array([of.quick.get(e, e) for e in range(len(of.edge_names))], np.int64),
        "d.usual": usual, "d.velocities": of.velocities.reshape(nodes, 4),
    }  # fmt: skip


def _firsts(lists: Any) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)


def _flat(lists: Any) -> np.ndarray:
    return np.array([e for one in lists for e in one], np.int64)


def save_packed(packed: PackedGraph, path: str | Path, rows: Mapping[str, np.ndarray] | None = None) -> None:
    """One npz; rows: arrays of characters, one after another, as `CharacterRows` has them."""
    about = {"version": VERSION, "names": packed.names, "home": packed.home, "joints": packed.joints,
             "edges": packed.edge_names}  # fmt: skip
    own = {ROW + name: value for name, value in (rows or {}).items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, about=np.array(json.dumps(about)), **packed.arrays, **own)  # type: ignore[arg-type]
    atomic_write(Path(path), buffer.getvalue())


def load_packed(path: str | Path) -> tuple[PackedGraph, dict[str, np.ndarray]]:
    """A packed graph and the rows in its file, none if it has none."""
    path = Path(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            found = {name: file[name] for name in file.files if name != "about"}
    except (OSError, ValueError, KeyError, EOFError) as reason:
        raise ReadError(path, "file", "a packed graph (an npz that save_packed wrote)", str(reason)) from None
    if about.get("version") != VERSION:
        raise ReadError(path, "about", f"version {VERSION}", str(about.get("version")), "pack the graph again")
    rows = {name[len(ROW) :]: value for name, value in found.items() if name.startswith(ROW)}
    arrays = {name: value for name, value in found.items() if not name.startswith(ROW)}
    edges = tuple((str(a), str(b)) for a, b in about["edges"])
    return PackedGraph(arrays, tuple(about["names"]), int(about["home"]), tuple(about["joints"]), edges), rows
