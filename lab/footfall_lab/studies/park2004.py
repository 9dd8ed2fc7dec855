"""Park, Shin, Kim & Shin 2004, re-run: time that never runs back, cost and coherence of blends, feet that hold."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from footfall_lab.bench._measure import Row
from footfall_lab.studies import (
    park2004_blending,
    park2004_chase,
    park2004_feet,
    park2004_graph,
    park2004_path,
    park2004_time,
)

TITLE = "On-line motion blending (Park et al. 2004)"
ABOUT = (
    "Experiments of Park, Shin, Kim and Shin, 'On-line motion blending for real-time locomotion generation' (2004), on "
    "the built-in examples. E1: three ways of passing time. E2: three ways of blending postures, and how well feet and "
    "cadence hold between the examples. E3: a graph of motions and transitions walked at random. E4: a curve followed. "
    "E5: a jumping point chased."
)
Progress = Callable[[str], None]


class Result(NamedTuple):
    """What one experiment gives."""

    rows: list[Row]
    pictures: list[tuple[str, bytes]]  # title, PNG


EXPERIMENTS: dict[str, Callable[[bool], tuple[list[Row], list[tuple[str, bytes]]]]] = {
    "E1": park2004_time.run,
    "E2": park2004_blending.run,
    "E2, feet and cadence": park2004_feet.run,
    "E3": park2004_graph.run,
    "E4": park2004_path.run,
    "E5": park2004_chase.run,
}


def run(out: Path, quick: bool, progress: Progress, captures: Path | None = None) -> list[Row]:
    """Every experiment, into out/park2004.html and out/park2004.csv; captures are not used."""
    results = []
    for name, experiment in EXPERIMENTS.items():
        progress(name)
        results.append(Result(*experiment(quick)))
    rows = [row for result in results for row in result.rows]
    write_report(out, rows, [picture for result in results for picture in result.pictures])
    return rows


def write_report(out: Path, rows: list[Row], pictures: list[tuple[str, bytes]]) -> None:
    """The page, the table and the pictures as files."""
    from footfall_lab.studies._report import page

    out.mkdir(parents=True, exist_ok=True)
    with (out / "park2004.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(("what", "measured", "should be", "ok"))
        table.writerows((r.what, r.value, r.limit, "" if r.ok is None else r.ok) for r in rows)
    (out / "park2004.html").write_text(page(TITLE, ABOUT, rows, pictures), encoding="utf-8")
    for title, png in pictures:
        name = "".join(c if c.isalnum() else "-" for c in title.lower()).strip("-")
        (out / f"park2004-{name}.{'gif' if png.startswith(b'GIF8') else 'png'}").write_bytes(png)
