"""A graph made ready to be played: motions numbered and packed for the kernels, once for all its characters.

Nodes come first, in the graph's order, then twins of actions, which do them with the other side, then the edges that
have a motion, then those of them that can be hurried along; a node's number is its motion's.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from footfall.core.once import once
from footfall.core.references import reference
from footfall.graph.graph import Graph, Node
from footfall.live.clock import EdgeTables
from footfall.live.handle import Handle
from footfall.live.overlay import ArmMovement, arm_movements
from footfall.live.packed_weights import PackedWeights, pack_weights
from footfall.live.passages import Passages
from footfall.live.quick_edges import quick_edges
from footfall.live.rows import ASKED, new_room, new_rows
from footfall.live.steering import OUTSIDE, SteeringTables, steering_tables
from footfall.parametric.mirrored import mirrored
from footfall.parametric.packed import MotionTables
from footfall.parametric.packing import pack
from footfall.parametric.parametric_motion import ParametricMotion

STANDS_M_S = 0.1  # m/s: what goes ahead more slowly is no gait


@dataclass(frozen=True, eq=False)
class PlayableGraph:
    """What characters of one graph share."""

    nodes: tuple[Node, ...]  # and twins of actions
    names: tuple[str, ...]  # of nodes; a twin, or the form of an action out of a gait, has the name of its action
    number: dict[str, int]  # of a node
    forms: dict[tuple[int, int], int]  # of an action out of a gait, by the numbers of gait and action
    motions: tuple[ParametricMotion, ...]
    dimensions: int  # parameters of a motion at most
    is_action: tuple[bool, ...]  # of nodes
    stands: tuple[bool, ...]  # of nodes: whether they are loops without steps
    is_told: tuple[bool, ...]  # of nodes: whether kernels cannot tell what their parameters should be
    next_step: tuple[tuple[int, ...], ...]  # [here][goal]
    ways: dict[tuple[int, int], tuple[int, ...]]  # edges with a motion, by nodes
    quick: dict[int, int]  # edges by which those are replaced that are gone in a hurry
    edge_names: tuple[tuple[str, str], ...]
    tables: MotionTables
    edges: EdgeTables
    steering: SteeringTables
    weights: PackedWeights
    passages: Passages
    arm_movements: dict[int, ArmMovement]  # actions that can be laid over gaits, by their numbers

    def hurried_into(self, k: int) -> np.ndarray:
        """Edges that lead to a node, as they are gone in a hurry."""
        return np.array([self.quick.get(int(e), int(e)) for e in self.into(k)], np.int64)

    def into(self, k: int) -> np.ndarray:
        """Edges with a motion that lead to a node."""
        return np.array([e for (_, after), ways in self.ways.items() if after == k for e in ways], np.int64)

    @cached_property
    def usual_speeds(self) -> dict[int, float]:
        """The usual speed, m/s, of every gait that goes ahead, by its number, also of one not steered by it."""
        found = {}
        for k, node in enumerate(self.nodes):
            ahead, aside = self.velocities[k].mean(axis=1).tolist()
            own = ahead if ahead > max(STANDS_M_S, abs(aside)) else 0.0
            speed = next((value for name, _, value in node.usual if name == "speed"), own)
            if not node.is_action and speed > 0.0:
                found[k] = speed
        return found

    @cached_property
    def velocities(self) -> np.ndarray:
        """(K, 2, 2) m/s forward and to the left that the examples of each node go, at least and at most."""
        found = np.zeros((len(self.nodes), 2, 2))
        for k, node in enumerate(self.nodes):
            of = node.motion.travel[-1, :, :2] / node.motion.key_times[:, -1:]
            found[k] = np.stack([of.min(axis=0), of.max(axis=0)], axis=-1)
        return found

    @cached_property
    def fastest_m_s(self) -> float:
        """m/s of the fastest gait, in any direction."""
        gaits = self.velocities[~np.array(self.is_action)]
        return float(np.abs(gaits).max()) if len(gaits) else 0.0

    @cached_property
    def parameter_names(self) -> frozenset[str]:
        """What can be asked of a character: parameters of any node, by their names or with the node's before them."""
        own = {name for node in self.nodes for usual in node.usual for name in usual[:2]}
        return frozenset(own | set(ASKED))

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
    own = tuple(graph.nodes)
    number = {name: k for k, name in enumerate(own)}
    movements = arm_movements(list(graph.nodes.values()))
    nodes, twins = _with_twins(list(graph.nodes.values()), movements)
    names = tuple(node.name for node in nodes)
    shown = {form: action for (_, action), form in graph.forms.items()}
    forms = {(number[gait], number[action]): number[form] for (gait, action), form in graph.forms.items()}
    moving = [edge for ways in graph.edges.values() for edge in ways if edge.motion is not None]
    plain, quicker = len(moving), quick_edges(moving)
    quick = {k: plain + m for m, k in enumerate(k for k, edge in enumerate(quicker) if edge is not None)}
    moving += [edge for edge in quicker if edge is not None]
    motions = [node.motion for node in nodes]
    motions += [edge.motion for edge in moving if edge.motion is not None]
    dimensions = max(m.parameters.shape[1] for m in motions)
    ways: dict[tuple[int, int], tuple[int, ...]] = {}
    for k, edge in enumerate(moving[:plain]):
        pair = number[edge.before], number[edge.after]
        ways[pair] = (*ways.get(pair, ()), k)
    edges = np.array([(number[e.before], number[e.after], len(names) + k, e.leave_at, e.shared_before, e.enter_at,
                       e.shared_after) for k, e in enumerate(moving)], np.int64).reshape(-1, 7)  # fmt: skip
    steering = steering_tables(nodes, moving, dimensions)
    told = tuple(bool(steering.kind[k] == OUTSIDE or (steering.source[k, : steering.axes[k]] < 0).any())
                 for k in range(len(names)))  # fmt: skip
    tables, edge_tables = pack(motions), EdgeTables(*np.ascontiguousarray(edges.T))
    weights = pack_weights(motions, dimensions)
    made = [(number[a], number[b]) for (a, b), way in graph.edges.items() if way[0].made]
    made = [(a, b) for a, b in made if motions[a].is_loop and motions[b].is_loop]
    work = Handle(tables, edge_tables, steering, weights, new_rows(tables, 1, dimensions), new_room(tables, dimensions))
    return PlayableGraph(
        tuple(nodes), tuple(shown.get(name, name) for name in names), number, forms, tuple(motions), dimensions,
        tuple(node.is_action for node in nodes),
        tuple(m.is_loop and len(m.marks) == 2 for m in motions[: len(names)]), told,
        tuple(tuple(number[graph.next_step(a, b)] for b in names) for a in names), ways, quick,
        tuple((e.before, e.after) for e in moving), tables, edge_tables, steering, weights,
        Passages(nodes, twins, movements, {form: gait for (gait, _), form in forms.items()}, made, reference(work)),
        movements,
    )  # fmt: skip


def _with_twins(nodes: list[Node], laid_over: Container[int]) -> tuple[list[Node], dict[int, int]]:
    """The nodes, and behind them those of actions done with the other side; the numbers of both, by the other's.

    laid_over: actions that need none, for feet go on with what they do.
    """
    found, twins = list(nodes), {}
    for k, node in enumerate(nodes):
        if node.is_action and k not in laid_over and node.motion.kind != "jump":  # a jump is from both feet
            twins[k], twins[len(found)] = len(found), k
            found.append(Node(mirrored(node.motion)))
    return found, twins
