"""A graph made ready to be played: motions numbered and packed for the kernels, once for all its characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from footfall.core.once import once
from footfall.graph.edges import Edge
from footfall.graph.graph import Graph
from footfall.live.packed_lattices import PackedLattices, is_distinct, look_up, pack_lattices
from footfall.live.playback import LookUp, Playable
from footfall.parametric.packed import MotionTables
from footfall.parametric.packing import pack
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.weights.lookup import rbf_lookup, rbf_table
from footfall.weights.methods.rbf import RadialBasis


@dataclass(frozen=True, eq=False)
class PlayableGraph:
    """What characters of one graph share."""

    nodes: dict[str, Playable]
    edges: dict[Edge, Playable]
    stands: frozenset[str]  # nodes without steps
    tables: MotionTables  # of all motions
    lattices: PackedLattices  # of the weights of those motions that have two parameters and a lattice
    cruises: frozenset[str]  # nodes whose frames the kernels do alone

    @property
    def nbytes(self) -> int:
        """Memory of the motions, float64, and of what is packed of them."""
        motions = [of.motion for of in (*self.nodes.values(), *self.edges.values())]
        values = [getattr(motion, field.name) for motion in motions for field in fields(motion)]
        own = {id(v): v.nbytes for v in values if isinstance(v, np.ndarray)}
        return sum(own.values()) + self.tables.nbytes + sum(table.nbytes for table in self.lattices)


@once
def playable_graph(graph: Graph) -> PlayableGraph:
    """The graph made ready; kept for as long as the graph is."""
    edges = [edge for ways in graph.edges.values() for edge in ways]
    motions = [node.motion for node in graph.nodes.values()]
    moving = [edge for edge in edges if edge.motion is not None]
    motions += [edge.motion for edge in moving if edge.motion is not None]
    lattices = pack_lattices(motions)
    every = [Playable(motion, k, look_up_of(motion, lattices, k)) for k, motion in enumerate(motions)]
    nodes = dict(zip(graph.nodes, every, strict=False))
    stands = frozenset(name for name, of in nodes.items() if of.pieces == 1 and of.loops)
    alone = frozenset(
        name for name, of in nodes.items() if of.loops and (len(of.motion) == 1 or lattices.first[of.index] >= 0)
    )
    by_edge = dict(zip(moving, every[len(nodes) :], strict=True))
    return PlayableGraph(nodes, by_edge, stands, pack(motions), lattices, alone)


def look_up_of(motion: ParametricMotion, lattices: PackedLattices, k: int) -> LookUp | None:
    """A kernel that looks up the weights of a motion, the k-th of the lattices, where its method has one."""
    fitted = motion.fitted
    if lattices.first[k] >= 0:
        return _lattice_look_up(lattices, k, len(motion))
    if isinstance(fitted, RadialBasis) and fitted.kernel == "bspline" and is_distinct(fitted):
        return _rbf_look_up(fitted, len(motion))
    return None


def _lattice_look_up(lattices: PackedLattices, k: int, count: int) -> LookUp:
    found = np.empty(int(lattices.width[k]), np.float32)
    bx, by = np.empty((2, 4), np.float32)

    def look(p: Sequence[float]) -> np.ndarray:
        look_up(lattices, k, np.array(p), found, bx, by)
        return found[:count].astype(float)

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
