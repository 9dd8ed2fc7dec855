"""A graph made ready to be played: motions numbered and packed for the kernels, once for all its characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from footfall.controller.edges import Edge
from footfall.controller.graph import Graph
from footfall.controller.voice import Playable
from footfall.parametric.packing import pack
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.runtime.packed import PackedGraph
from footfall.runtime.steered import Lattices
from footfall.weights.methods.smooth_inverse import SmoothInverse

_casts: WeakKeyDictionary[Graph, Cast] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Cast:
    """What characters of one graph share."""

    nodes: dict[str, Playable]
    edges: dict[Edge, Playable]
    stands: frozenset[str]  # nodes without steps
    packed: PackedGraph
    lattices: Lattices  # of the weights of those motions that have two parameters and a lattice
    cruises: frozenset[str]  # nodes whose frames the kernels do alone


def cast_of(graph: Graph) -> Cast:
    """The graph made ready; kept for as long as the graph is."""
    if graph not in _casts:
        nodes = {name: Playable(node.motion, k) for k, (name, node) in enumerate(graph.nodes.items())}
        edges: dict[Edge, Playable] = {}
        for ways in graph.edges.values():
            for edge in ways:
                if edge.motion is not None:
                    edges[edge] = Playable(edge.motion, len(nodes) + len(edges))
        every = [*nodes.values(), *edges.values()]
        # weights are looked up here, by whatever method a node has; the kernels only blend by them
        motions = [replace(of.motion, fitted=None, name=f"{k} {of.motion.name}") for k, of in enumerate(every)]
        stands = frozenset(name for name, of in nodes.items() if of.pieces == 1 and of.loops)
        lattices = _lattices([of.motion for of in every])
        alone = frozenset(
            name for name, of in nodes.items() if of.loops and (len(of.motion) == 1 or lattices.first[of.index] >= 0)
        )
        _casts[graph] = Cast(nodes, edges, stands, pack(motions), lattices, alone)
    return _casts[graph]


def _lattices(motions: Sequence[ParametricMotion]) -> Lattices:
    """The lattices of smooth inverse weights, packed one after another."""
    count = len(motions)
    first, size, width = np.full(count, -1, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    low, cells = np.zeros((count, 2)), np.ones((count, 2))
    values: list[np.ndarray] = []
    for k, motion in enumerate(motions):
        fitted = motion.fitted
        if not isinstance(fitted, SmoothInverse) or motion.parameters.shape[1] != 2 or not _is_plain(fitted):
            continue
        field, examples = fitted.field, fitted.examples
        first[k], size[k], width[k] = sum(v.size for v in values), field.cells + 3, field.table.shape[-1]
        low[k] = examples.low - field.pad * examples.range
        cells[k] = field.cells / ((1.0 + 2.0 * field.pad) * examples.range)
        values.append(field.table.ravel())
    return Lattices(first, size, width, np.concatenate(values or [np.zeros(1, np.float32)]), low, cells)


def _is_plain(fitted: SmoothInverse) -> bool:
    """Whether weights are what the lattice says, no more."""
    spread = fitted.examples.spread
    return not fitted.project and fitted.measure is None and spread.shape[0] == spread.shape[1]
