"""Built graphs on disk: the build file that people read, and beside it the graph itself, which belongs to it.

my.graph is the build file, my.graph.npz the graph. A build file that was changed since is told apart by its digest.
What was once built of the same recordings, by the same code, is taken from the cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.core.errors import FootfallError, ParameterError, ReadError
from footfall.graph.build import build_cache
from footfall.graph.build.build_cache import Arrays
from footfall.graph.build.build_file import MOST_BYTES, SUFFIX, BuildFile, build_of, load_build, text_of
from footfall.graph.graph import Graph, graph_of
from footfall.graph.graph_file import packed_graph, unpacked_graph
from footfall.io.npz_safe import Npz
from footfall.io.plain_file import is_file, read_plain
from footfall.io.raw import Reading, ReadOptions
from footfall.io.save import beside_names, write_pair
from footfall.retarget.one_body import AVERAGE

if TYPE_CHECKING:
    from footfall.graph.build.build import BuildWork

FORMAT = "footfall built graph"
VERSION = 1
CHANGED = "it was changed since it was built: run footfall graph build {name}"


@dataclass(frozen=True, eq=False)
class BuiltParts:
    """A build file and the graph built of it, as plain data and arrays."""

    build: BuildFile
    told: dict[str, Any]
    arrays: Arrays


def built_parts(
    folder: Path, plan: BuildFile | None = None, onto: str = AVERAGE, work: BuildWork | None = None
) -> BuiltParts:
    """The graph of a folder, or of a plan of its recordings; from the cache where nothing has changed."""
    from footfall.graph.build.build import BuildWork, build_graph, scan_folder

    work = work or BuildWork()
    scans = scan_folder(folder, work)

    def make() -> BuiltParts:
        graph, build = build_graph(folder, scans, plan, onto, work)
        build = replace(build, folder=build.folder or "-")
        build_cache.tidy()
        # the build file as it is read back: the same from the cache and anew
        return BuiltParts(build_of(json.loads(text_of(build)), folder), *packed_graph(graph.parts))

    def read(header: dict[str, Any], arrays: Arrays) -> BuiltParts:
        return BuiltParts(build_of(header["build"], folder), header["graph"], arrays)

    def tell(parts: BuiltParts) -> tuple[dict[str, Any], Arrays]:
        return {"build": json.loads(text_of(parts.build)), "graph": parts.told}, parts.arrays

    marks = [(scan.file, scan.mark) for scan in scans]
    key = build_cache.key_of("graph", folder.resolve().name, onto, marks, plan and text_of(plan))
    return build_cache.made_once(key, make, tell, read)


def folder_graph(folder: Path) -> Graph:
    """The graph of a folder of recordings."""
    return graph_in(built_parts(folder))


def check_name(path: Path) -> None:
    """Refuse a name that would be taken for another kind of file."""
    if path.suffix.lower() in (".json", ".npz", ""):
        raise ParameterError(f"{path.name}: give a built graph a name that ends in {SUFFIX}, as in my{SUFFIX}")


def save_built(parts: BuiltParts, folder: Path, path: Path) -> BuildFile:
    """Write my.graph and my.graph.npz; the build file names the folder as seen from where it lies."""
    check_name(path)
    build = replace(parts.build, folder=_seen_from(folder, path))
    text = text_of(build).encode()
    header = {"format": FORMAT, "version": VERSION, "sha256": hashlib.sha256(text).hexdigest(), "graph": parts.told}
    write_pair(path, text, arrays_beside(path), build_cache.packed(header, parts.arrays))
    return build


def _seen_from(folder: Path, path: Path) -> str:
    try:
        return Path(os.path.relpath(folder.resolve(), path.resolve().parent)).as_posix()
    except ValueError:  # on another drive
        return folder.resolve().as_posix()


def arrays_beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.npz")


def is_untouched(path: Path) -> bool:
    """Whether a build file is as it was written."""
    try:
        header, _ = _header(path)
        return bool(header["sha256"] == _digest(path))
    except FootfallError:
        return False


def load_built(path: Path) -> Graph:
    """The graph that lies beside a build file."""
    header, beside = _header(path)
    if header["sha256"] != _digest(path):
        load_build(path)  # says what is wrong with it, if anything
        raise ReadError(path, "", "a build file as it was built", "another", CHANGED.format(name=path.name))
    with Npz(Reading(beside, ReadOptions())) as archive, Reading(beside, ReadOptions()).guard("", "a built graph"):
        try:
            return graph_of(unpacked_graph(header["graph"], archive))
        except ReadError:
            raise
        except FootfallError as error:
            raise ReadError(beside, "", "a whole built graph", str(error)) from error


def _digest(path: Path) -> str:
    return hashlib.sha256(read_plain(path, MOST_BYTES, "a graph's build file")).hexdigest()


def _header(path: Path) -> tuple[dict[str, Any], Path]:
    """What the file beside a build file says; of two, as a save that was cut short leaves them, the one that fits."""
    there = [beside for beside in beside_names(arrays_beside(path)) if is_file(beside)]
    if not there:
        cure = f"run footfall graph build {path.name}"
        raise ReadError(path, "", f"the built graph {arrays_beside(path).name} beside it", "no such file", cure)
    found = _header_of(path, there[0])
    if len(there) > 1 and found[0]["sha256"] != _digest(path):
        with contextlib.suppress(FootfallError):
            found = _header_of(path, there[1])
    return found


def _header_of(path: Path, beside: Path) -> tuple[dict[str, Any], Path]:
    cure = f"run footfall graph build {path.name}"
    reading = Reading(beside, ReadOptions())
    with Npz(reading) as archive, reading.guard(build_cache.HEADER, "a header as JSON"):
        header = json.loads(archive.array(build_cache.HEADER, "u").tobytes())
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ReadError(beside, "format", repr(FORMAT), "something else", cure)
    if header.get("version") != VERSION or not isinstance(header.get("graph"), dict) or "sha256" not in header:
        raise ReadError(beside, "version", f"a built graph of version {VERSION}", f"{header.get('version')}", cure)
    return header, beside


class _Held:
    """Arrays in memory, read as those of an archive are."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        self.reading = Reading(Path("graph"), ReadOptions())

    def array(self, key: str, kinds: str = "fiu") -> Any:
        return self._arrays[key]

    def numbers(self, key: str) -> Any:
        return self._arrays[key].astype(float)


def graph_in(parts: BuiltParts) -> Graph:
    """The graph itself."""
    return graph_of(unpacked_graph(parts.told, _Held(parts.arrays)))
