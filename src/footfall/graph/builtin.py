"""The built-in graph: 13 walks, 13 runs and one way to stand, 24 recorded changes between them, and actions."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError
from footfall.graph.edges import Edge, build_edges
from footfall.graph.graph import Graph, Node, load_graph
from footfall.io.cache_folder import CODE, cache_folder, code_mark
from footfall.motions.library import motion
from footfall.motions.sets import examples
from footfall.parametric.builtin_sets import parametric_set
from footfall.parametric.measure import blended_parameters
from footfall.parametric.parametric_motion import ParametricMotion, build, with_weights

GAITS = ("stand", "walk", "run")
ACTIONS = ("jump", "kick", "punch", "wave")
LOWEST = -0.15  # weight, of gaits: enough for speeds and turns to be met to 0.1 %, as the fit is validated
SOURCES = ("core", "kinematics", "analysis", "edit", "motions", "weights", "parametric")  # what the graph is made by
OWN = ("graph/edges.py", "graph/builtin.py", "graph/graph_file.py")


@cache
def builtin_graph() -> Graph:
    """The built-in graph, from the disk where it has been built before by this very code."""
    path = cached_path()
    if path.exists():
        try:
            return load_graph(path)
        except FootfallError:
            pass  # a cache that cannot be read is built again
    found = build_builtin()
    try:
        found.save(path)
        _keep_only(path)
    except FootfallError:
        pass  # no place to write: built every time
    return found


def build_builtin() -> Graph:
    """The built-in graph, made from the motion library; takes some 20 seconds."""
    nodes = {name: _node(name) for name in GAITS}
    edges: dict[tuple[str, str], tuple[Edge, ...]] = {}
    takes: dict[tuple[str, str], list[Clip]] = {}
    for clip in examples("transition"):
        before, after = clip.name.split("_to_")
        takes.setdefault((before, after), []).append(clip)
    for (before, after), clips in takes.items():
        given = [clip.parameters for clip in clips]
        edges[before, after] = tuple(build_edges(nodes[before], nodes[after], clips, given))
    for name in ACTIONS:
        nodes[name] = build([motion("wave")], "take", "wave", "ends") if name == "wave" else _node(name)
        edges["stand", name] = (Edge("stand", name),)
        edges[name, "stand"] = (Edge(name, "stand"),)
    return Graph("builtin", {name: Node(m) for name, m in nodes.items()}, edges)


def _node(name: str) -> ParametricMotion:
    found = parametric_set(name)
    if len(found) == 1:
        return found
    if name not in GAITS:
        return with_weights(found, "rbf")
    return with_weights(found, "smooth-inverse", blended_parameters(found), lowest=LOWEST)


# --- the cache ---------------------------------------------------------------------------------------------------


def cached_path() -> Path:
    """Where the graph that this very code builds is kept."""
    files = [path for folder in SOURCES for path in sorted((CODE / folder).rglob("*.py"))]
    return cache_folder() / f"builtin-{code_mark([*files, *(CODE / own for own in OWN)])}.json"


def _keep_only(path: Path) -> None:
    """Drop what older code has built."""
    for old in path.parent.glob("builtin-*"):
        if not old.name.startswith(f"{path.stem}."):
            old.unlink(missing_ok=True)
