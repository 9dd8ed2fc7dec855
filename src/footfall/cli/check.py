"""Measure the quality of motion files: foot slide, penetration, jerk, jumps and glitches."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._clip_argument import ClipFile, shown
from footfall.cli._folders import FolderAsking, each_or_folder
from footfall.cli._ground import ground_option, ground_under
from footfall.cli._library import many_options
from footfall.cli._options import reading_among, reading_options
from footfall.cli._read import read_clip

if TYPE_CHECKING:
    from rich.table import Table

    from footfall.cli._many import ClipSource
    from footfall.core.clip import Clip
    from footfall.library.facets import Facet

Row = dict[str, Any]  # as `check --json` prints it
UNITS = {"cm": "cm", "m_s2": "m/s²", "s": "s", "deg_s": "°/s"}
DIGITS = {"flight_s": 2, "still_s": 2, "turning_deg_s": 0, "balance_cm": 0}
COLUMNS = ("length\ns", "skate\ncm/s", "slide\ncm/s", "95 %\ncm/s", "drift\ncm", "sink\ncm", "jerk\nm/s³")


@click.command(name="check")
@click.argument("files", nargs=-1, required=True, type=ClipFile())
@click.option("--json", "as_json", is_flag=True, help="One JSON line per file instead of a table.")
@click.option("--animation", help="Name or number of one animation of a file that holds several.")
@many_options
@ground_option("Measure against a ground")
@reading_options
def command(
    files: tuple[Path, ...], as_json: bool, animation: str | None, jobs: int | None, cluster: str | None,
    ground: str | None, **reading: Any,
) -> int:  # fmt: skip
    """Measure the quality of motion files: slide, penetration, jerk, and jumps that look like bad joins.

    A second table has the judge's measures of a clip without known sources: how the floor under its feet varies, how
    hard and fast it is pushed and turned, how long it flies or stays the same, each beside the limit that 95 % of
    untouched captures stay below.

    FILES may also be built-in motions, folders (answered from their libraries) and globs. Files are measured as
    footfall reads them, glitches repaired; --no-clean measures them as they are.

    \b
    Example:  footfall check walk.bvh out.glb
              footfall check --json takes > quality.jsonl
    """
    options = reading_among(reading)
    rows: list[Row] = []

    def show(found: Row) -> None:
        click.echo(json.dumps(found, allow_nan=False)) if as_json else rows.append(found)

    asking = FolderAsking(_facet, _answer, jobs, cluster, options) if animation is None and ground is None else None
    code = each_or_folder(files, partial(_measured, options, animation, ground), show, asking, (jobs, cluster))
    if rows:
        from rich.console import Console

        console = Console(soft_wrap=False)
        console.print(_table(rows))
        judged = [row for row in rows if row["body"]]
        if judged:
            console.print(_body_table(judged))
        stood = [row for row in rows if "ground" in row]
        if stood:
            console.print(_ground_table(stood))
    return code


def _facet(options: dict[str, Any]) -> Facet:
    from footfall.library.facts import quality_facet

    return quality_facet(options)


def _measured(options: dict[str, Any], animation: str | None, ground: str | None, source: ClipSource) -> Row:
    from footfall.library.facts import quality_facts

    clip = read_clip(source.path, animation, **options)
    return {"file": shown(source.path), **quality_facts(clip), **_on_ground(clip, ground)}


def _answer(path: Path, clips: list[dict[str, Any]]) -> Row:
    return {"file": str(path), **{key: value for key, value in clips[0].items() if key != "name"}}


def _on_ground(clip: Clip, ground: str | None) -> dict[str, Any]:
    """How a clip stands on a ground, where one was given."""
    under = ground_under(clip, ground)
    if under is None:
        return {}
    from footfall.quality.ground_contact import ground_contact

    contact = ground_contact(clip, under)
    return {"ground": {**contact._asdict(), "slide": contact.slide._asdict()}}


def _ground_table(rows: list[Row]) -> Table:
    """How deep and how fast each clip's feet are on the ground it was measured against."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("ground", overflow="fold", style="bold")
    deep = [f"{part}\ncm deep" for part in ("heel", "ball", "tip", "at edges")]
    for title in (*deep, "slide\ncm/s", "off it\nframes"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        c = row["ground"]
        figures = [c["heel_cm"], c["ball_cm"], c["tip_cm"], c["edge_cm"], c["slide"]["mean_cm_s"]]
        table.add_row(Text(Path(row["file"]).name), *(f"{x:.1f}" for x in figures), str(c["off_ground"]))
    return table


def _body_table(rows: list[Row]) -> Table:
    """What the judge of joins can tell of each clip alone; yellow is beyond 95 % of untouched captures.

    How the floor varies says nothing of a clip whose ground is known not to be level.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    names = list(rows[0]["body"])
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("body", overflow="fold", style="bold")
    for name in names:
        what, _, unit = name.partition("_")
        table.add_column(f"{what}\n{UNITS[unit]}", justify="right", no_wrap=True)
    for row in rows:
        figures = [(name, row["body"][name]) for name in names]
        cells = [Text(f"{f['value']:.{DIGITS.get(n, 1)}f}", style="" if f["ok"] else "yellow") for n, f in figures]
        if "ground" in row:
            cells = [Text("–") if n == "floor_cm" else cell for (n, _), cell in zip(figures, cells, strict=True)]
        table.add_row(Text(Path(row["file"]).name), *cells)
    usual = [f"{f['usual']:.{DIGITS.get(n, 1)}f}" for n, f in rows[0]["body"].items()]
    table.add_row(Text("95 % of captures"), *usual)
    return table


def _table(rows: list[Row]) -> Table:
    """What people see; units are in the header."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("file", overflow="fold", style="bold")
    for title in COLUMNS:
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("verdict", overflow="fold")
    for row in rows:
        slide, sunk = row["slide"] or {}, row["penetration"] or {}
        figures = (
            row["duration_s"],
            row["skate_cm_s"],
            slide.get("mean_cm_s"),
            slide.get("p95_cm_s"),
            slide.get("drift_cm"),
            sunk.get("deepest_cm"),
        )
        cells = ["–" if value is None else f"{value:.1f}" for value in figures]
        verdict = row["verdict"]
        colour = "green" if verdict == "clean" else "red" if "visible" in verdict else "yellow"
        # Text, not markup: names of files and joints may hold brackets
        jerk = f"{row['jerk_m_s3']:.0f}"
        table.add_row(Text(Path(row["file"]).name), *cells, jerk, Text(verdict, style=colour))
    return table
