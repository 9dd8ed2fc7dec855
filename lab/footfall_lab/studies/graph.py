"""Graphs built from folders of captures: what is found in them, and how the characters go that are made of them."""

from __future__ import annotations

import csv
import io
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.core.errors import FootfallError, ParameterError
from footfall.graph.build.build_file import BuildFile
from footfall.graph.build.built_graph import BuiltParts, built_parts, graph_in
from footfall.graph.graph import Graph
from footfall_lab.bench._measure import Row
from footfall_lab.studies._captures import beside_checkout
from footfall_lab.studies._report import page, rows_csv
from footfall_lab.studies.graph_drive import drive_rows

if TYPE_CHECKING:
    from footfall.core.clip import Clip

TITLE = "From a folder of recordings to a playable character"
ABOUT = (
    "Graphs built from captures without annotation: of many CMU takes, of Bandai Namco takes at 30 fps, and "
    "of five takes of one person. Each is then driven by random requests. Excess acceleration is against the "
    "recorded loops alone; slide is told twice: with contacts found, and with those the character itself means to keep."
)
ONE_PERSON = ("walk_straight/16_21", "walk_straight/16_31", "run_straight/16_35", "walk_turn/16_25", "transition/16_33")
SEEDS, SECONDS = 10, 60.0
QUICK_SEEDS, QUICK_SECONDS = 2, 15.0
LEAST_WALKS, LEAST_RUNS = 30, 6  # after mirroring, of cmu_bvh
KINDS = {"walk": ("walk_straight", "walk_turn", "walk_wander", "walk_sideways", "transition"),
         "run": ("run_straight", "run_turn", "transition"),
         "back": ("walk_backward",)}  # fmt: skip
Progress = Callable[[str], None]


def run(out: Path, quick: bool, progress: Progress, captures: Path | None = None) -> list[Row]:
    """Everything, into out/graph.html and out/graph.csv."""
    folder = captures or beside_checkout()
    if folder is None:
        raise ParameterError("this study needs captures: name their folder with --captures or FOOTFALL_MOCAP")
    rows: list[Row] = []
    pictures: list[tuple[str, bytes]] = []
    titles = read_titles(folder / "manifest.csv")
    seeds, seconds = (QUICK_SEEDS, QUICK_SECONDS) if quick else (SEEDS, SECONDS)
    with tempfile.TemporaryDirectory() as scratch:
        for name, source, fps in _sources(folder, Path(scratch)):
            progress(f"{name}: building")
            begun = time.process_time()
            try:
                parts = built_parts(source)
            except FootfallError as error:
                rows.append(Row(f"{name}: built", str(error), "a graph", False))
                continue
            took = time.process_time() - begun
            rows += built_rows(name, parts, took, titles)
            progress(f"{name}: driving")
            found = graph_in(parts)
            rows += drive_rows(name, found, parts.build, fps, range(seeds), seconds)
            pictures += _pictures(name, parts.build, found, quick)
    out.mkdir(parents=True, exist_ok=True)
    (out / "graph.html").write_text(page(TITLE, ABOUT, rows, pictures), encoding="utf-8")
    (out / "graph.csv").write_bytes(rows_csv(rows))
    return rows


def _sources(folder: Path, scratch: Path) -> list[tuple[str, Path, float]]:
    """Names, folders of recordings and frame rates to drive at."""
    five = scratch / "five"
    for take in ONE_PERSON:
        source = folder / "cmu_bvh" / f"{take}.bvh"
        if source.is_file():
            five.mkdir(exist_ok=True)
            shutil.copy(source, five / source.name)
    known = [("CMU", folder / "cmu_bvh", 60.0), ("Bandai Namco", folder / "bandai_namco", 30.0),
             ("five takes of one person", five, 60.0)]  # fmt: skip
    return [source for source in known if source[1].is_dir()]


def read_titles(path: Path) -> dict[str, tuple[str, str]]:
    """Kind and description of every take that a manifest lists, by file name; none without one."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {Path(row["path"]).name: (row["kind"], row["description"]) for row in csv.DictReader(file)}


def built_rows(name: str, parts: BuiltParts, took: float, titles: dict[str, tuple[str, str]]) -> list[Row]:
    """What was found, against what should be."""
    build = parts.build
    counts = {node["name"]: len(node["examples"]) for node in parts.told["nodes"]}
    told = ", ".join(f"{n} {label}" for label, n in counts.items())
    enough: bool | None = None
    if name == "CMU":
        enough = counts.get("walk", 0) >= LEAST_WALKS and counts.get("run", 0) >= LEAST_RUNS and "stand" in counts
    pairs = {(e.before, e.after) for e in build.edges}
    gaits = [label for label in ("stand", "walk", "run") if label in counts]
    missing = [f"{a} to {b}" for a in gaits for b in gaits if a != b and (a, b) not in pairs]
    ways = ", ".join(f"{e.before} to {e.after} {e.way}" for e in build.edges)
    limit = f">= {LEAST_WALKS} walk, {LEAST_RUNS} run, a stand" if name == "CMU" else "told"
    return [
        Row(f"{name}: examples after mirroring, the graph's nodes", told, limit, enough),
        Row(f"{name}: edges", ways, "all pairs of stand, walk and run", not missing),
        _label_row(name, build, titles),
        Row(f"{name}: loops used: ends apart, closed", _closing(build), "told"),
        Row(f"{name}: loops used: slide and excess after closing, median and worst", _quality(build), "told"),
        Row(f"{name}: CPU time of building in this process (0 from the cache)", f"{took:.1f} s", "told"),
    ]  # fmt: skip


def _label_row(name: str, build: BuildFile, titles: dict[str, tuple[str, str]]) -> Row:
    """Labels of used cycles against the titles of their takes."""
    wrong, checked = [], 0
    for row in build.cycles:
        kind = titles.get(Path(row.file).name, ("", ""))[0]
        if row.use and row.label in KINDS and kind:
            checked += 1
            if kind not in KINDS[row.label]:
                wrong.append(f"{row.name} {row.label} ({kind})")
    value = f"{len(wrong)} of {checked}{': ' + ', '.join(wrong) if wrong else ''}"
    return Row(f"{name}: labels that the takes' titles contradict", value, "0", not wrong if checked else None)


def _closing(build: BuildFile) -> str:
    rows = [r.measured for r in build.cycles if r.use and r.label != "stand" and "closed_deg" in r.measured]
    before, after = (np.array([m[k] for m in rows]) for k in ("closing_deg", "closed_deg"))
    closed = f"{np.median(after):.2f}°, {after.max():.2f}°"
    return f"median {np.median(before):.1f}°, worst {before.max():.1f}°; closed {closed}"


def _quality(build: BuildFile) -> str:
    used = [r.measured for r in build.cycles if r.use] + [r.measured for r in build.turned if r.use]
    rows = [m for m in used if "excess_m_s2" in m]
    slides, excess = (np.array([m[k] for m in rows]) for k in ("closed_slide_cm_s", "excess_m_s2"))
    return f"{np.median(slides):.2f}, {slides.max():.2f} cm/s; {np.median(excess):.0f}, {excess.max():.0f} m/s²"


def _pictures(name: str, build: BuildFile, graph: Graph, quick: bool) -> list[tuple[str, bytes]]:
    from footfall.render.plot_coverage import plot_coverage

    found = [(f"{name}: coverage", plot_coverage(build, f"{name}: speeds and turns"))]
    if not quick:
        found.append((f"{name}: cycles", cycles_picture(graph, build)))
    return found


def cycles_picture(graph: Graph, build: BuildFile, colours: int = 0) -> bytes:
    """A contact sheet of every loop that is used, recorded or made, with its label and speed."""
    from PIL import Image

    from footfall.render.sheet import contact_sheet

    sheet = contact_sheet(dict(used_loops(graph, build)), columns=6, cell=(250, 150))
    picture = Image.fromarray(sheet)
    if colours:
        picture = picture.quantize(colours, kmeans=1, dither=Image.Dither.NONE)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def used_loops(graph: Graph, build: BuildFile) -> Sequence[tuple[str, Clip]]:
    """Every loop of the graph but mirror images, one round, by what it is."""
    from footfall.core.clip import Clip
    from footfall.parametric.play import play

    found = []
    for label in graph.types:
        motion = graph.nodes[label].motion
        for k, name in enumerate(motion.examples):
            if name.endswith(" mirrored"):
                continue
            times = np.arange(max(round(float(motion.key_times[k, -1]) * 30.0), 2) + 1) / 30.0
            clip = Clip(motion.skeleton, 30.0, play(motion, np.eye(len(motion))[k], times).pose, name=name)
            numbers = dict(zip(motion.parameter_names, motion.parameters[k].tolist(), strict=True))
            words = [label, *([f"{numbers['speed']:.2f} m/s"] if "speed" in numbers else [])]
            words += [f"{numbers['turn']:.0f}°/s"] if "turn" in numbers else []
            found.append((f"{' '.join(words)}\n{name}", clip))
    return found
