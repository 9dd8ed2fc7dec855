"""A graph made ready to be played: motions numbered and packed for the kernels, once for all its characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from weakref import WeakKeyDictionary

import numpy as np

from footfall.graph.edges import Edge
from footfall.graph.graph import Graph
from footfall.live.playback import LookUp, Playable
from footfall.live.steered import PackedLattices
from footfall.parametric.packed import PackedGraph
from footfall.parametric.packing import pack
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.weights.lookup import lookup_2, rbf_lookup, rbf_table
from footfall.weights.methods.rbf import RadialBasis
from footfall.weights.methods.smooth_inverse import SmoothInverse
from footfall.weights.weights import FittedWeights

_casts: WeakKeyDictionary[Graph, PlayableGraph] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class PlayableGraph:
    """What characters of one graph share."""

    nodes: dict[str, Playable]
    edges: dict[Edge, Playable]
    stands: frozenset[str]  # nodes without steps
    packed: PackedGraph
    lattices: PackedLattices  # of the weights of those motions that have two parameters and a lattice
    cruises: frozenset[str]  # nodes whose frames the kernels do alone

    @property
    def nbytes(self) -> int:
        """Memory of the motions, float64, and of what is packed of them."""
        motions = [of.motion for of in (*self.nodes.values(), *self.edges.values())]
        values = [getattr(motion, field.name) for motion in motions for field in fields(motion)]
        own = {id(v): v.nbytes for v in values if isinstance(v, np.ndarray)}
        return sum(own.values()) + self.packed.nbytes + sum(table.nbytes for table in self.lattices)


def playable_graph(graph: Graph) -> PlayableGraph:
    """The graph made ready; kept for as long as the graph is."""
    if graph not in _casts:
        nodes = {
            name: Playable(node.motion, k, look_up(node.motion)) for k, (name, node) in enumerate(graph.nodes.items())
        }
        edges: dict[Edge, Playable] = {}
        for ways in graph.edges.values():
            for edge in ways:
                if edge.motion is not None:
                    edges[edge] = Playable(edge.motion, len(nodes) + len(edges), look_up(edge.motion))
        every = [*nodes.values(), *edges.values()]
        # weights are looked up here, by whatever method a node has; the kernels only blend by them
        motions = [replace(of.motion, fitted=None, name=f"{k} {of.motion.name}") for k, of in enumerate(every)]
        stands = frozenset(name for name, of in nodes.items() if of.pieces == 1 and of.loops)
        lattices = _lattices([of.motion for of in every])
        alone = frozenset(
            name for name, of in nodes.items() if of.loops and (len(of.motion) == 1 or lattices.first[of.index] >= 0)
        )
        _casts[graph] = PlayableGraph(nodes, edges, stands, pack(motions), lattices, alone)
    return _casts[graph]


def look_up(motion: ParametricMotion) -> LookUp | None:
    """A motion's weights by compiled code, for methods that have it; one request at a time needs little around it."""
    fitted = motion.fitted
    if isinstance(fitted, SmoothInverse) and motion.parameters.shape[1] == 2 and _is_plain(fitted):
        return _lattice_look_up(fitted, len(motion))
    if isinstance(fitted, RadialBasis) and fitted.kernel == "bspline" and _is_distinct(fitted):
        return _rbf_look_up(fitted, len(motion))
    return None


def _lattice_look_up(fitted: SmoothInverse, count: int) -> LookUp:
    (low_x, low_y), (per_x, per_y) = (v.tolist() for v in _cells(fitted))
    table, cells = fitted.field.table, float(fitted.field.cells)
    at = np.empty((1, 2), np.float32)

    def look(p: Sequence[float]) -> np.ndarray:
        at[0, 0] = min(max((p[0] - low_x) * per_x, 0.0), cells)
        at[0, 1] = min(max((p[1] - low_y) * per_y, 0.0), cells)
        found: np.ndarray = lookup_2(at, table)[0, :count].astype(float)
        return found

    return look


def _rbf_look_up(fitted: RadialBasis, count: int) -> LookUp:
    tables = rbf_table(fitted.centres, fitted.reach, fitted.coefficients)
    mean, per = fitted.mean.tolist(), (1.0 / fitted.examples.range).tolist()
    at = np.empty((1, len(mean)), np.float32)

    def look(p: Sequence[float]) -> np.ndarray:
        for k, value in enumerate(p):
            at[0, k] = (value - mean[k]) * per[k]
        found: np.ndarray = rbf_lookup(at, *tables)[0, :count].astype(float)
        return found

    return look


def _lattices(motions: Sequence[ParametricMotion]) -> PackedLattices:
    """The lattices of smooth inverse weights, packed one after another."""
    count = len(motions)
    first, size, width = np.full(count, -1, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    low, cells = np.zeros((count, 2)), np.ones((count, 2))
    values: list[np.ndarray] = []
    for k, motion in enumerate(motions):
        fitted = motion.fitted
        if not isinstance(fitted, SmoothInverse) or motion.parameters.shape[1] != 2 or not _is_plain(fitted):
            continue
        field = fitted.field
        first[k], size[k], width[k] = sum(v.size for v in values), field.cells + 3, field.table.shape[-1]
        low[k], cells[k] = _cells(fitted)
        values.append(field.table.ravel())
    return PackedLattices(first, size, width, np.concatenate(values or [np.zeros(1, np.float32)]), low, cells)


def _cells(fitted: SmoothInverse) -> tuple[np.ndarray, np.ndarray]:
    """(d,) parameters where the lattice begins, and (d,) its cells a unit of each."""
    field, examples = fitted.field, fitted.examples
    return examples.low - field.pad * examples.range, field.cells / ((1.0 + 2.0 * field.pad) * examples.range)


def _is_plain(fitted: SmoothInverse) -> bool:
    """Whether weights are what the lattice says, no more."""
    return not fitted.project and fitted.measure is None and _is_distinct(fitted)


def _is_distinct(fitted: FittedWeights) -> bool:
    """Whether every example is one of its own."""
    spread = fitted.examples.spread
    return spread.shape[0] == spread.shape[1]
