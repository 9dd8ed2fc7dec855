"""Live characters: urgent requests at any moment, and random minutes, by what a viewer believes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from footfall.graph.build.open_graph import graph
from footfall.graph.graph import Graph
from footfall.io.save import atomic_write
from footfall_lab.bench._measure import Row
from footfall_lab.studies import live_actions, live_arrival, live_minutes, live_shoves, live_urgent, live_whole
from footfall_lab.studies._captures import beside_checkout
from footfall_lab.studies._report import page, rows_csv

TITLE = "Live characters: at once, with weight"
ABOUT = (
    "Two hundred urgent requests at random moments, half of them within an edge, how soon types have arrived, shoves, "
    "actions asked for in walks, and ten minutes of random requests, on the built-in graph and on graphs of captures. "
    "Seeds were not looked at while the character was made."
)
SEED = 2000  # none from here on was looked at while the character was made
PRESSES, ACTED, MINUTES, SECONDS = 200, 120, 10, 60.0
FOLDERS = ("bandai_namco", "cmu_bvh")  # of captures, each made into a graph

Progress = Callable[[str], None]


def run(out: Path, quick: bool, progress: Progress, captures: Path | None = None) -> list[Row]:
    """Every figure, on the built-in graph and on graphs of captures where there are some."""
    folder = captures or beside_checkout()
    graphs: dict[str, Callable[[], Graph]] = {"built-in": partial(graph, "builtin")}
    if folder is not None and not quick:
        graphs |= {name: partial(graph, folder / name) for name in FOLDERS if (folder / name).is_dir()}
    rows: list[Row] = []
    for name, made in graphs.items():
        progress(name)
        rows += measured(name, made(), quick)
    out.mkdir(parents=True, exist_ok=True)
    atomic_write(out / "live.html", page(TITLE, ABOUT, rows, []).encode())
    atomic_write(out / "live.csv", rows_csv(rows))
    return rows


def measured(name: str, found: Graph, quick: bool) -> list[Row]:
    """The figures of one graph."""
    usual = live_urgent.usual_of(found)
    presses, raised = live_urgent.presses(found, 24 if quick else PRESSES, SEED, usual)
    arrived = live_arrival.arrivals(found, 24 if quick else PRESSES, SEED)
    shoved = live_shoves.shoves(found, 24 if quick else PRESSES, SEED)
    whole = live_whole.shown(found, 24 if quick else PRESSES, SEED)
    acted = live_actions.presses(found, 12 if quick else ACTED, SEED, usual)
    minutes = [live_minutes.minute(found, SEED + k, 15.0 if quick else SECONDS, usual)
               for k in range(2 if quick else MINUTES)]  # fmt: skip
    return [
        *live_urgent.rows(name, presses, raised),
        *live_arrival.rows(name, arrived),
        *live_shoves.rows(name, shoved),
        *live_whole.rows(name, whole),
        *live_actions.rows(name, acted),
        *live_minutes.rows(name, found, minutes),
    ]
