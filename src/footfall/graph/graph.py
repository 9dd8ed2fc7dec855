"""Motion graph: parametric motions as nodes, recorded or made transitions as edges (Park et al. 2004)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from footfall.core.errors import ParameterError, UnknownName
from footfall.core.skeleton import Skeleton
from footfall.graph.coverage import Coverage, coverage_of
from footfall.graph.edges import Edge
from footfall.graph.graph_file import GraphParts, read_graph, write_graph
from footfall.parametric.parametric_motion import ParametricMotion

LIMITS = {"speed": 3.0, "side": 3.0, "turn": 240.0}  # how fast a parameter may change, in its unit a second; by eye
USUAL_LIMIT = 1.0  # ranges a second, of other parameters; by eye


@dataclass(frozen=True, eq=False)
class Node:
    """A motion a character can be in: for as long as it is told to (a loop), or once (an action)."""

    motion: ParametricMotion

    @property
    def name(self) -> str:
        return self.motion.name

    @property
    def is_action(self) -> bool:
        return not self.motion.is_loop

    @cached_property
    def coverage(self) -> Coverage:
        """What its examples can do."""
        return coverage_of(self.motion.parameters)

    @cached_property
    def usual(self) -> tuple[tuple[str, str, float], ...]:
        """Each parameter: its name, its name as asked for of this node alone, and what it is where nobody asks."""
        middle = self.motion.parameters.mean(axis=0).tolist()
        names = self.motion.parameter_names
        return tuple(
            (n, f"{self.name}.{n}", 0.0 if n in ("turn", "side") else m) for n, m in zip(names, middle, strict=True)
        )

    @cached_property
    def limits(self) -> np.ndarray:
        """(d,) how fast parameters may change, a second."""
        ranges = np.ptp(self.motion.parameters, axis=0)
        names = self.motion.parameter_names
        return np.array([LIMITS.get(n, USUAL_LIMIT * max(r, 1e-9)) for n, r in zip(names, ranges, strict=True)])


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes by name, and the edges between them; mirrored twins of an edge leave at other steps."""

    name: str
    nodes: dict[str, Node]
    edges: dict[tuple[str, str], tuple[Edge, ...]]

    def __post_init__(self) -> None:
        if not self.nodes:
            raise ParameterError("a graph needs at least one node")
        for a, b in self.edges:
            for name in (a, b):
                if name not in self.nodes:
                    raise UnknownName("node of the graph", name, self.nodes)

    def __repr__(self) -> str:
        known = sum(not e[0].made for e in self.edges.values())
        return (
            f"Graph({self.name!r}: {', '.join(self.nodes)}; {known} edges with examples, "
            f"{len(self.edges) - known} made on the fly)"
        )

    @property
    def skeleton(self) -> Skeleton:
        return next(iter(self.nodes.values())).motion.skeleton

    @property
    def fps(self) -> float:
        return max(node.motion.fps for node in self.nodes.values())

    @property
    def types(self) -> tuple[str, ...]:
        """Nodes a character can stay in."""
        return tuple(name for name, node in self.nodes.items() if not node.is_action)

    @property
    def actions(self) -> tuple[str, ...]:
        """Nodes that are gone through once, whichever gait they are begun in."""
        forms = set(self.forms.values())
        return tuple(name for name, node in self.nodes.items() if node.is_action and name not in forms)

    @cached_property
    def forms(self) -> dict[tuple[str, str], str]:
        """Nodes that are an action as it is done out of a gait, by the names of both: "run-jump" is that of a run."""
        names = [name for name, node in self.nodes.items() if node.is_action]
        return {(a, b): f"{a}-{b}" for a in self.types for b in names if f"{a}-{b}" in names}

    @cached_property
    def examples(self) -> int:
        """How many clips it is made of; mirrored twins not counted."""
        recorded = [edges[0].motion for edges in self.edges.values()]
        return sum(len(n.motion) for n in self.nodes.values()) + sum(len(m) for m in recorded if m is not None)

    @cached_property
    def home(self) -> str:
        """Where actions return to: standing, else the first node."""
        return "stand" if "stand" in self.nodes else self.types[0]

    def next_step(self, here: str, goal: str) -> str:
        """The node to go to first on the shortest way; the goal itself where there is none."""
        return self._ways.get((here, goal), goal)

    @cached_property
    def _ways(self) -> dict[tuple[str, str], str]:
        found: dict[tuple[str, str], str] = {}
        for start in self.nodes:
            waiting = deque([(start, "")])
            seen = {start}
            while waiting:
                here, first = waiting.popleft()
                for a, b in self.edges:
                    if a == here and b not in seen and not (self.nodes[here].is_action and here != start):
                        seen.add(b)
                        found[start, b] = first or b
                        waiting.append((b, first or b))
        return found

    def save(self, path: str | Path) -> Path:
        """Write the graph as JSON, its arrays beside it as npz."""
        return write_graph(self.parts, Path(path))

    @property
    def parts(self) -> GraphParts:
        """What it is made of, as files keep it."""
        return GraphParts(self.name, [node.motion for node in self.nodes.values()], self.edges)


def graph_of(parts: GraphParts) -> Graph:
    """The graph made of these parts."""
    return Graph(parts.name, {motion.name: Node(motion) for motion in parts.motions}, parts.edges)


def load_graph(path: Path) -> Graph:
    """A graph from its JSON file."""
    return graph_of(read_graph(path))
