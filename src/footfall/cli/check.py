"""Quality of motion files: foot slide, penetration, jerk, jumps and glitches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._many import each_file
from footfall.cli._options import reading_among, reading_options
from footfall.cli._read import read_clip

if TYPE_CHECKING:
    from rich.table import Table

    from footfall.quality.report import QualityReport


COLUMNS = ("length\ns", "skate\ncm/s", "slide\ncm/s", "95 %\ncm/s", "drift\ncm", "sink\ncm", "jerk\nm/s³")


@click.command(name="check")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON line a file instead of a table.")
@click.option("--animation", help="Name or number of one animation of a file that holds several.")
@reading_options
def command(files: tuple[Path, ...], as_json: bool, animation: str | None, **reading: Any) -> int:
    """Measure the quality of motion files: slide, penetration, jerk, and jumps that look like bad joins.

    FILES may also be built-in motions. Files are measured as footfall reads them, glitches repaired; --no-clean
    measures them as they are.

    \b
    Example:  footfall check walk.bvh out.glb
              footfall check --json takes/*.bvh > quality.jsonl
    """
    from footfall.quality.report import quality

    options = reading_among(reading)
    rows: list[tuple[Path, QualityReport]] = []

    def measure(path: Path) -> None:
        report = quality(read_clip(path, animation, **options))
        if as_json:
            click.echo(json.dumps({"file": str(path), **report.to_json()}, allow_nan=False))
        else:
            rows.append((path, report))

    code = each_file(files, measure)
    if rows:
        from rich.console import Console

        Console(soft_wrap=False).print(_table(rows))
    return code


def _table(rows: list[tuple[Path, QualityReport]]) -> Table:
    """What people see; units are in the header."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("file", overflow="fold", style="bold")
    for title in COLUMNS:
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("verdict", overflow="fold")
    for path, report in rows:
        slide, sunk = report.slide, report.penetration
        figures = (
            report.duration_s,
            report.skate_cm_s,
            slide and slide.mean_cm_s,
            slide and slide.p95_cm_s,
            slide and slide.drift_cm,
            sunk and sunk.deepest_cm,
        )
        cells = ["–" if value is None else f"{value:.1f}" for value in figures]
        colour = "green" if report.verdict == "clean" else "red" if "visible" in report.verdict else "yellow"
        # Text, not markup: names of files and joints may hold brackets
        table.add_row(Text(path.name), *cells, f"{report.jerk_m_s3:.0f}", Text(report.verdict, style=colour))
    return table
