"""A graph on another body: every motion and every edge retargeted once, and kept in the user's cache folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from footfall.core.errors import FootfallError
from footfall.core.once import once
from footfall.core.rig_file import RigFile
from footfall.core.skeleton import Skeleton
from footfall.graph.graph import Graph, Node, load_graph
from footfall.io.cache_folder import CODE, cache_folder, code_mark, forget_old
from footfall.parametric.on_body import on_body
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.retarget.character import Body, Character
from footfall.retarget.character import character as character_of
from footfall.retarget.one_body import same_body

SOURCES = ("core", "kinematics", "analysis", "feet", "weights", "retarget", "parametric")  # what it is made by
OWN = ("graph/graph_file.py", "graph/on_body.py")
Told = Callable[[float, str], None]
KEPT_S = 90 * 86400.0  # a body that was not used for so long is forgotten


def graph_on(graph: Graph, body: Body, told: Told = lambda share, what: None) -> Graph:
    """The graph on a character: a name, a file, a clip, a skeleton or a Character. The first time takes a minute.

    told: gets the share that is done and which motion is retargeted.
    """
    on = character_of(body)
    known, file, same = _known(graph), on.skeleton.rig, same_body(graph.skeleton, on.skeleton)
    if same and file in (None, graph.skeleton.rig):
        return graph
    mark = "" if same else _mark(graph, on)
    if (mark, file) not in known:
        known[mark, file] = _in_file(graph if same else _kept(graph, on, mark, told), file)
    return known[mark, file]


@once
def _known(graph: Graph) -> dict[tuple[str, RigFile | None], Graph]:
    """The graph on other bodies, as far as it was asked for in this process."""
    return {}


def _in_file(graph: Graph, file: RigFile | None) -> Graph:
    """The graph on a body that is in this file now: what is kept on the disk knows of none."""
    if graph.skeleton.rig == file:
        return graph
    body = replace(graph.skeleton, rig=file)
    nodes = {name: Node(replace(node.motion, skeleton=body)) for name, node in graph.nodes.items()}
    edges = {
        pair: tuple(e if e.motion is None else replace(e, motion=replace(e.motion, skeleton=body)) for e in ways)
        for pair, ways in graph.edges.items()
    }
    return Graph(graph.name, nodes, edges)


def _kept(graph: Graph, body: Character, mark: str, told: Told) -> Graph:
    """The graph on a body, from the disk where it has been made before."""
    folder = cache_folder() / "bodies"
    path = folder / f"{mark}.json"
    if path.exists():
        try:
            return load_graph(path)
        except FootfallError:
            pass  # a cache that cannot be read is made again
    motions = [node.motion for node in graph.nodes.values()]
    motions += [way.motion for ways in graph.edges.values() for way in ways if way.motion is not None]
    made = {}
    for n, motion in enumerate(motions):
        told(n / len(motions), motion.name)
        if id(motion) not in made:
            made[id(motion)] = on_body(motion, body)
    nodes = {name: Node(made[id(node.motion)]) for name, node in graph.nodes.items()}
    edges = {
        pair: tuple(way if way.motion is None else replace(way, motion=made[id(way.motion)]) for way in ways)
        for pair, ways in graph.edges.items()
    }
    found = Graph(graph.name, nodes, edges)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        forget_old(folder, "*", KEPT_S)
        found.save(path)
    except (FootfallError, OSError):
        pass  # no place to write: made every time
    return found


def _mark(graph: Graph, body: Character) -> str:
    """Changes with the graph, the body and the code."""
    files = [path for source in SOURCES for path in sorted((CODE / source).rglob("*.py"))]
    found = hashlib.blake2b(code_mark([*files, *(CODE / own for own in OWN)]).encode(), digest_size=10)
    motions = [node.motion for node in graph.nodes.values()]
    motions += [way.motion for ways in graph.edges.values() for way in ways if way.motion is not None]
    for motion in motions:
        _add_motion(found, motion)
    _add_body(found, body.skeleton)
    found.update(np.ascontiguousarray(body.neutral).tobytes())
    return found.hexdigest()


def _add_motion(into: hashlib.blake2b, motion: ParametricMotion) -> None:
    into.update(f"{motion.name} {motion.kind} {motion.marks} {motion.parameter_names}".encode())
    for array in (motion.parameters, motion.key_times, motion.root, motion.travel, motion.mean, motion.vectors):
        into.update(np.ascontiguousarray(array).tobytes())


def _add_body(into: hashlib.blake2b, skeleton: Skeleton) -> None:
    into.update(f"{skeleton.names} {skeleton.roles}".encode())
    for array in (skeleton.parents, skeleton.offsets, skeleton.rest, skeleton.end_offsets):
        into.update(np.ascontiguousarray(array).tobytes())
