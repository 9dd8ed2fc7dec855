"""A graph made ready to be played: motions numbered and packed for the kernels, once for all its characters.

Nodes come first, in the graph's order, then the edges that have a motion; a node's number is its motion's.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from footfall.core.once import once
from footfall.graph.graph import Graph
from footfall.live.clock import EdgeTables
from footfall.live.packed_weights import PackedWeights, pack_weights
from footfall.live.steering import OUTSIDE, SteeringTables, steering_tables
from footfall.parametric.packed import MotionTables
from footfall.parametric.packing import pack
from footfall.parametric.parametric_motion import ParametricMotion


@dataclass(frozen=True, eq=False)
class PlayableGraph:
    """What characters of one graph share."""

    names: tuple[str, ...]  # of nodes
    number: dict[str, int]  # of a node
    motions: tuple[ParametricMotion, ...]
    dimensions: int  # parameters of a motion at most
    is_action: tuple[bool, ...]  # of nodes
    stands: tuple[bool, ...]  # of nodes: whether they are loops without steps
    is_told: tuple[bool, ...]  # of nodes: whether kernels cannot tell what their parameters should be
    next_step: tuple[tuple[int, ...], ...]  # [here][goal]
    ways: dict[tuple[int, int], tuple[int, ...]]  # edges with a motion, by nodes
    edge_names: tuple[tuple[str, str], ...]
    tables: MotionTables
    edges: EdgeTables
    steering: SteeringTables
    weights: PackedWeights

    @cached_property
    def told_motions(self) -> np.ndarray:
        """(M,) bool: whether kernels cannot tell what a motion's parameters should be."""
        return np.array(self.is_told)[self.steering.cover]

    @cached_property
    def is_told_motion(self) -> list[bool]:
        """`told_motions` as a list, which is quicker to read one by one."""
        return list(self.told_motions.tolist())

    @property
    def nbytes(self) -> int:
        """Memory of the motions, float64, and of what is packed of them."""
        values = [getattr(motion, field.name) for motion in self.motions for field in fields(motion)]
        own = {id(v): v.nbytes for v in values if isinstance(v, np.ndarray)}
        packed = (*self.edges, *self.steering, *self.weights)
        return sum(own.values()) + self.tables.nbytes + sum(table.nbytes for table in packed)


@once
def playable_graph(graph: Graph) -> PlayableGraph:
    """The graph made ready; kept for as long as the graph is."""
    names = tuple(graph.nodes)
    number = {name: k for k, name in enumerate(names)}
    moving = [edge for ways in graph.edges.values() for edge in ways if edge.motion is not None]
    motions = [node.motion for node in graph.nodes.values()]
    motions += [edge.motion for edge in moving if edge.motion is not None]
    dimensions = max(m.parameters.shape[1] for m in motions)
    ways: dict[tuple[int, int], tuple[int, ...]] = {}
    for k, edge in enumerate(moving):
        pair = number[edge.before], number[edge.after]
        ways[pair] = (*ways.get(pair, ()), k)
    edges = np.array([(number[e.before], number[e.after], len(names) + k, e.leave_at, e.shared_before, e.enter_at,
                       e.shared_after) for k, e in enumerate(moving)], np.int64).reshape(-1, 7)  # fmt: skip
    nodes = motions[: len(names)]
    steering = steering_tables(graph, moving, dimensions)
    told = tuple(bool(steering.kind[k] == OUTSIDE or (steering.source[k, : steering.axes[k]] < 0).any())
                 for k in range(len(names)))  # fmt: skip
    return PlayableGraph(
        names, number, tuple(motions), dimensions, tuple(not m.is_loop for m in nodes),
        tuple(m.is_loop and len(m.marks) == 2 for m in nodes), told,
        tuple(tuple(number[graph.next_step(a, b)] for b in names) for a in names), ways,
        tuple((e.before, e.after) for e in moving), pack(motions), EdgeTables(*np.ascontiguousarray(edges.T)),
        steering, pack_weights(motions, dimensions),
    )  # fmt: skip
