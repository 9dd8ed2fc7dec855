"""Graph files: what a graph is made of as JSON, its arrays beside it in an npz of the same name.

Both carry a schema version, are written whole or not at all, and the JSON names the arrays' digest, so that two files
that do not belong together are told apart.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from footfall.core.errors import FootfallError, ParameterError, ReadError
from footfall.core.skeleton import NOT_UNIT, Skeleton
from footfall.graph.edges import Edge
from footfall.io.npz_safe import MAX_INFLATED, Npz
from footfall.io.plain_file import is_file, read_json, read_plain
from footfall.io.raw import Reading, ReadOptions
from footfall.io.save import beside_names, write_pair
from footfall.parametric.measure import blended_parameters
from footfall.parametric.parametric_motion import KINDS, ParametricMotion
from footfall.weights.store import from_arrays, to_arrays
from footfall.weights.weights import FittedWeights

VERSION = 1
MOST_BYTES = 4 << 20  # of the JSON
MOST_FPS = 1e5
MOST_KEYS = 100_000  # key times of a motion
ARRAYS = ("parameters", "key_times", "mean", "vectors", "root", "travel", "pelvis")
SKELETON = ("parents", "offsets", "rest", "end_parents", "end_offsets")  # arrays of one
Arrays = dict[str, np.ndarray]


class GraphParts(NamedTuple):
    """What a graph is made of: its name, its motions, and the edges between them."""

    name: str
    motions: list[ParametricMotion]
    edges: dict[tuple[str, str], tuple[Edge, ...]]


class Archive(Protocol):
    """Arrays by name, on disk or in memory."""

    reading: Reading

    def array(self, key: str, kinds: str = "fiu") -> np.ndarray: ...

    def numbers(self, key: str) -> np.ndarray: ...


def write_graph(graph: GraphParts, path: Path) -> Path:
    """Write a graph to path, which ends in .json, and its arrays beside it."""
    if path.suffix.lower() != ".json":
        raise ParameterError(f"{path.name}: a graph is saved as .json, with its arrays beside it as .npz")
    told, arrays = packed_graph(graph)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    data = buffer.getvalue()
    beside = {"file": path.with_suffix(".npz").name, "sha256": hashlib.sha256(data).hexdigest()}
    header = {"format": "footfall graph", "version": VERSION, "arrays": beside, **told}
    write_pair(path, (json.dumps(header, indent=1, allow_nan=False) + "\n").encode(), path.with_suffix(".npz"), data)
    return path


def packed_graph(graph: GraphParts) -> tuple[dict[str, Any], Arrays]:
    """A graph as plain data for JSON, and its arrays."""
    arrays: Arrays = {}
    nodes = [_told(motion, f"node {k}", arrays) for k, motion in enumerate(graph.motions)]
    edges: list[dict[str, Any]] = []
    for ways in graph.edges.values():
        for edge in ways:
            told: dict[str, Any] = {"before": edge.before, "after": edge.after, "motion": None}
            if edge.motion is not None:
                told["motion"] = _told(edge.motion, f"edge {len(edges)}", arrays)
                told |= {
                    "leave_at": edge.leave_at, "shared_before": edge.shared_before,
                    "enter_at": edge.enter_at, "shared_after": edge.shared_after,
                }  # fmt: skip
            edges.append(told)
    skeleton = graph.motions[0].skeleton
    for name in SKELETON:
        arrays[f"skeleton {name}"] = getattr(skeleton, name)
    names, roles = list(skeleton.names), dict(skeleton.role_overrides)
    return {"name": graph.name, "joints": names, "roles": roles, "nodes": nodes, "edges": edges}, arrays


def read_graph(path: Path) -> GraphParts:
    """The parts of a graph from its JSON file."""
    header = _header(path)
    beside = _arrays_of(path, header["arrays"])
    reading = Reading(path, ReadOptions())
    with Npz(Reading(beside, ReadOptions())) as archive, reading.guard("", "a whole footfall graph"):
        try:
            return unpacked_graph(header, archive)
        except ReadError:
            raise
        except FootfallError as error:
            raise ReadError(path, "", "a whole footfall graph", str(error)) from error


def _arrays_of(path: Path, told: dict[str, Any]) -> Path:
    """The file of arrays that a graph was saved with; a save that was cut short leaves it under another name."""
    named = path.parent / Path(str(told["file"])).name
    there = [beside for beside in beside_names(named) if is_file(beside)]
    if not there:
        raise ReadError(path, "arrays", f"the graph's arrays in {named.name} beside it", "no such file")
    for beside in there:
        if hashlib.sha256(read_plain(beside, MAX_INFLATED, "a graph's arrays")).hexdigest() == told["sha256"]:
            return beside
    raise ReadError(named, "", f"the arrays {path.name} was saved with", "others", "save the graph again")


def _header(path: Path) -> dict[str, Any]:
    if not is_file(path):
        raise ReadError(path, "", "a graph file", "no such file", 'give a graph file, or "builtin"')
    header = read_json(path, MOST_BYTES, "a graph")
    if not isinstance(header, dict) or header.get("format") != "footfall graph":
        raise ReadError(path, "format", "'footfall graph'", "something else")
    version = header.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        cure = "it was written by a newer footfall: update this one"
        raise ReadError(path, "version", f"a graph of version {VERSION} or older", f"{version}", cure)
    arrays = header.get("arrays")
    if not isinstance(arrays, dict) or not {"file", "sha256"} <= arrays.keys():
        raise ReadError(path, "arrays", "the name and sha256 of the arrays' file", "none")
    return header


def unpacked_graph(header: dict[str, Any], archive: Archive) -> GraphParts:
    """A graph's parts from what `packed_graph` gave, the arrays in an archive."""
    names = tuple(str(name) for name in _kept(header, "joints", list))
    roles = {str(k): str(v) for k, v in _kept(header, "roles", dict).items()}
    arrays = {k: (archive.array if "parents" in k else archive.numbers)(f"skeleton {k}") for k in SKELETON}
    skeleton = Skeleton(names, **arrays, role_overrides=roles, rig=None)
    motions = [_motion(told, archive, skeleton) for told in _kept(header, "nodes", list)]
    edges: dict[tuple[str, str], tuple[Edge, ...]] = {}
    for told in _kept(header, "edges", list):
        key = str(told["before"]), str(told["after"])
        edge = Edge(*key)
        if told["motion"] is not None:
            motion = _motion(told["motion"], archive, skeleton)
            numbers = [told[n] for n in ("leave_at", "shared_before", "enter_at", "shared_after")]
            for count in numbers:
                if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST_KEYS:
                    place = f"edge {' to '.join(key)}"
                    raise archive.reading.fail(place, "key times as whole numbers", "something else")
            edge = Edge(*key, motion, *numbers)
        edges[key] = (*edges.get(key, ()), edge)
    return GraphParts(str(header["name"]), motions, edges)


def _kept(told: Any, key: str, kind: type) -> Any:
    """A list, a table or a text of the header."""
    if not isinstance(told, dict) or not isinstance(told.get(key), kind):
        wanted = {"list": "a list", "dict": "a table"}.get(kind.__name__, "a text")
        raise ParameterError(f"{key} must be {wanted}")
    return told[key]


def _told(motion: ParametricMotion, key: str, arrays: Arrays) -> dict[str, Any]:
    """A motion without its arrays, which go into the archive."""
    if motion.offsets is not None:
        raise ParameterError(f"{motion.name}: bones that slide cannot be kept in a graph file")
    for name in ARRAYS:
        arrays[f"{key} {name}"] = getattr(motion, name)
    for part, spans in motion.contacts.items():
        arrays[f"{key} contacts {part}"] = spans
    fitted = []
    if isinstance(motion.fitted, FittedWeights):
        for name, value in to_arrays(motion.fitted).items():
            arrays[f"{key} weights {name}"] = value
            fitted.append(name)
    return {
        "key": key, "name": motion.name, "kind": motion.kind, "fps": motion.fps, "is_loop": motion.is_loop,
        "examples": list(motion.examples), "parameters": list(motion.parameter_names), "marks": list(motion.marks),
        "contacts": list(motion.contacts), "effector": motion.effector, "given": list(motion.given),
        "time": motion.time, "weights": fitted,
    }  # fmt: skip


def _motion(told: dict[str, Any], archive: Archive, skeleton: Skeleton) -> ParametricMotion:
    key = _kept(told, "key", str)
    for name in ("examples", "parameters", "marks", "contacts", "given", "weights"):
        if not all(isinstance(one, str) for one in _kept(told, name, list)):
            raise archive.reading.fail(f"{key} {name}", "a list of names", "something else")
    fps = told["fps"]
    if isinstance(fps, bool) or not isinstance(fps, int | float) or not (math.isfinite(fps) and 0 < fps <= MOST_FPS):
        raise archive.reading.fail(f"{key} fps", f"a number of frames a second up to {MOST_FPS:g}", repr(fps)[:40])
    values: dict[str, Any] = {name: archive.numbers(f"{key} {name}") for name in ARRAYS}
    grid, count, joints = len(values["mean"]), len(told["examples"]), len(skeleton)
    keys = len(told["marks"])
    shapes = {
        "key_times": (count, keys), "mean": (grid, joints, 4), "vectors": (grid, count, joints, 3),
        "root": (grid, count, 3), "travel": (grid, count, 3), "pelvis": (count, 2),
        "parameters": (count, len(told["parameters"])),
    }  # fmt: skip
    for name, shape in shapes.items():
        if values[name].shape != shape:
            raise archive.reading.fail(f"{key} {name}", f"an array of shape {shape}", f"{values[name].shape}")
    if told["kind"] not in KINDS or keys < 2 or grid < 2 or not (np.diff(values["key_times"]) > 0.0).all():
        raise archive.reading.fail(key, "a known kind of motion with rising key times", f"{told['kind']!r}")
    if not (np.abs(np.linalg.norm(values["mean"], axis=-1) - 1.0) < NOT_UNIT).all():
        raise archive.reading.fail(f"{key} mean", "rotations of length 1", "others")
    contacts = {part: archive.numbers(f"{key} contacts {part}") for part in told["contacts"]}
    for part, spans in contacts.items():
        if spans.ndim != 3 or spans.shape[::2] != (count, 2):
            raise archive.reading.fail(f"{key} contacts {part}", f"an array of shape ({count}, n, 2)", f"{spans.shape}")
    motion = ParametricMotion(
        name=str(told["name"]), kind=told["kind"], skeleton=skeleton, fps=float(fps),
        is_loop=bool(told["is_loop"]), examples=tuple(told["examples"]), parameter_names=tuple(told["parameters"]),
        marks=tuple(told["marks"]), contacts=contacts, effector=str(told["effector"]), given=tuple(told["given"]),
        time=str(told["time"]), **values,
    )  # fmt: skip
    if not told["weights"]:
        return motion
    stored = {name: archive.array(f"{key} weights {name}", "fiubUS") for name in told["weights"]}
    measure = blended_parameters(motion) if str(stored["method"]) == "inverse-blending" else None
    return replace(motion, fitted=from_arrays(stored, measure))
