"""The built-in graph: standing, walks, runs, side steps, walks backward, the changes between them, and actions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError
from footfall.graph.edges import Edge, build_edges
from footfall.graph.graph import Graph, Node, load_graph
from footfall.io.cache_folder import CODE, cache_folder, code_mark
from footfall.motions.library import motion
from footfall.motions.sets import examples
from footfall.parametric.builtin_sets import parametric_set, set_clips
from footfall.parametric.measure import blended_parameters, measured
from footfall.parametric.parametric_motion import ParametricMotion, build, with_weights
from footfall.parametric.turning_carrier import with_turning_carrier

GAITS = ("stand", "walk", "run", "strafe", "back")
ACTIONS = ("jump", "kick", "punch", "turn", "wave", "get-up")
FORMS = {"run-turn": "run", "run-jump": "run"}  # actions as they are done out of a gait
TURNS = [(speed, angle) for speed in (2.2, 3.2, 4.2) for angle in (60.0, 120.0, 180.0)]  # m/s, degrees to the left
LEAPS = [(speed, height) for speed in (2.2, 3.4, 4.6) for height in (0.12, 0.3)]  # m/s, metres
MADE = (("stand", "strafe"), ("stand", "back"), ("walk", "strafe"), ("strafe", "back"))  # ways both ways, made live
BACK = (
    (0.5, 0.0),
    (0.8, 0.0),
    (1.1, 0.0),
    (1.4, 0.0),
    (0.7, 45.0),
    (0.7, -45.0),
    (1.1, 45.0),
    (1.1, -45.0),
)  # m/s, °/s
STRAFE = 1.1  # m/s: faster side steps stretch their legs so far that the foot lock makes knees pop
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
        nodes[name] = _action(name)
        edges["stand", name] = (Edge("stand", name),)
        edges[name, "stand"] = (Edge(name, "stand"),)
    for name, gait in FORMS.items():
        nodes[name] = _form(name)
        edges[gait, name], edges[name, gait] = (Edge(gait, name),), (Edge(name, gait),)
    for a, b in MADE:
        edges[a, b], edges[b, a] = (Edge(a, b),), (Edge(b, a),)
    return Graph("builtin", {name: Node(m) for name, m in nodes.items()}, edges)


def _action(name: str) -> ParametricMotion:
    if name in ("wave", "get-up"):
        return build([motion(name)], "take", name, "ends")
    return with_turning_carrier(_node(name)) if name == "turn" else _node(name)


def _form(name: str) -> ParametricMotion:
    """A turn or a leap out of a run; what it starts with and ends in is the run."""
    made, rows, by = ("plant-turn", TURNS, "angle") if name == "run-turn" else ("running-jump", LEAPS, "height")
    clips = [replace(motion(made, speed=v, **{by: x}), name=f"{name}-{k:02d}") for k, (v, x) in enumerate(rows)]
    given = {"speed": [v for v, _ in rows], by: [x for _, x in rows]}
    return with_weights(measured(build(clips, "take", name), ("speed", by), given), "rbf")


def _node(name: str) -> ParametricMotion:
    made = {"back": _walks_back, "strafe": _side_steps}
    found = made[name]() if name in made else parametric_set(name)
    if len(found) == 1:
        return found
    if name not in GAITS:
        return with_weights(found, "rbf")
    return with_weights(found, "smooth-inverse", blended_parameters(found), lowest=LOWEST)


def _side_steps() -> ParametricMotion:
    """Side steps of all speeds that live legs can follow."""
    clips = [clip for clip in set_clips("strafe") if abs(clip.parameters["side"]) <= STRAFE]
    return measured(build(clips, "locomotion", "strafe"), ("side",))


def _walks_back() -> ParametricMotion:
    """Walks backward; speeds are negative."""
    clips = [replace(motion("walk-back", speed=v, turn=w), name=f"back-{k:02d}") for k, (v, w) in enumerate(BACK)]
    return measured(build(clips, "locomotion", "back"), ("speed", "turn"))


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
