"""Quality of motion files: foot slide, penetration, jerk, jumps and glitches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._ground import ground_option, ground_under
from footfall.cli._many import each_file
from footfall.cli._options import reading_among, reading_options
from footfall.cli._read import read_clip

if TYPE_CHECKING:
    from rich.table import Table

    from footfall.quality.ground_contact import GroundContact
    from footfall.quality.judge import JudgedFigure
    from footfall.quality.report import QualityReport

    Alone = dict[str, JudgedFigure]

UNITS = {"cm": "cm", "m_s2": "m/s²", "s": "s", "deg_s": "°/s"}
DIGITS = {"flight_s": 2, "still_s": 2, "turning_deg_s": 0, "balance_cm": 0}
COLUMNS = ("length\ns", "skate\ncm/s", "slide\ncm/s", "95 %\ncm/s", "drift\ncm", "sink\ncm", "jerk\nm/s³")


@click.command(name="check")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON line a file instead of a table.")
@click.option("--animation", help="Name or number of one animation of a file that holds several.")
@ground_option("Measure against a ground")
@reading_options
def command(files: tuple[Path, ...], as_json: bool, animation: str | None, ground: str | None, **reading: Any) -> int:
    """Measure the quality of motion files: slide, penetration, jerk, and jumps that look like bad joins.

    A second table says what the judge of joins can tell of one clip whose sources are not known: how the floor under
    its feet varies, how hard and how fast it is pushed and turned, how long it flies or stays the same, beside what
    95 % of untouched captures keep below.

    FILES may also be built-in motions. Files are measured as footfall reads them, glitches repaired; --no-clean
    measures them as they are.

    \b
    Example:  footfall check walk.bvh out.glb
              footfall check --json takes/*.bvh > quality.jsonl
    """
    from footfall.quality.alone import figures_alone
    from footfall.quality.ground_contact import ground_contact
    from footfall.quality.report import quality

    options = reading_among(reading)
    rows: list[tuple[Path, QualityReport, Alone]] = []
    stood: list[tuple[Path, GroundContact]] = []

    def measure(path: Path) -> None:
        clip = read_clip(path, animation, **options)
        report, alone = quality(clip), figures_alone(clip)
        under = ground_under(clip, ground)
        contact = None if under is None else ground_contact(clip, under)
        if contact is not None:
            stood.append((path, contact))
        if as_json:
            body = {name: {"value": f.value, "usual": f.limit, "ok": f.ok} for name, f in alone.items()}
            told = {"file": str(path), **report.to_json(), "body": body, **_on_ground(contact)}
            click.echo(json.dumps(told, allow_nan=False))
        else:
            rows.append((path, report, alone))

    code = each_file(files, measure)
    if rows:
        from rich.console import Console

        console = Console(soft_wrap=False)
        console.print(_table([(path, report) for path, report, _ in rows]))
        judged = [(path, alone) for path, _, alone in rows if alone]
        if judged:
            console.print(_body_table(judged))
        if stood:
            console.print(_ground_table(stood))
    return code


def _on_ground(contact: GroundContact | None) -> dict[str, Any]:
    return {} if contact is None else {"ground": {**contact._asdict(), "slide": contact.slide._asdict()}}


def _ground_table(rows: list[tuple[Path, GroundContact]]) -> Table:
    """How deep and how fast each clip's feet are on the ground it was measured against."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("ground", overflow="fold", style="bold")
    deep = [f"{part}\ncm deep" for part in ("heel", "ball", "tip", "at edges")]
    for title in (*deep, "slide\ncm/s", "off it\nframes"):
        table.add_column(title, justify="right", no_wrap=True)
    for path, c in rows:
        figures = [f"{x:.1f}" for x in (c.heel_cm, c.ball_cm, c.tip_cm, c.edge_cm, c.slide.mean_cm_s)]
        table.add_row(Text(path.name), *figures, str(c.off_ground))
    return table


def _body_table(rows: list[tuple[Path, Alone]]) -> Table:
    """What the judge of joins can tell of each clip alone; yellow is beyond 95 % of untouched captures."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    names = list(rows[0][1])
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("body", overflow="fold", style="bold")
    for name in names:
        what, _, unit = name.partition("_")
        table.add_column(f"{what}\n{UNITS[unit]}", justify="right", no_wrap=True)
    for path, figures in rows:
        cells = [Text(f"{f.value:.{DIGITS.get(n, 1)}f}", style="" if f.ok else "yellow") for n, f in figures.items()]
        table.add_row(Text(path.name), *cells)
    table.add_row(Text("95 % of captures"), *[f"{f.limit:.{DIGITS.get(n, 1)}f}" for n, f in rows[0][1].items()])
    return table


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
