"""Compare two ways to drive a live character: transition graph and motion matching, on one script."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from footfall.live.drive import Command
    from footfall_lab.compare import ComparisonRow, Contest

Script = tuple[str, "Sequence[Command]", float]  # name, commands, seconds


@click.command(name="compare")
@click.argument("source", metavar="[GRAPH|FOLDER]", default="builtin")
@click.argument("script", metavar="[SCRIPT]", required=False, type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", "--csv", "table", metavar="CSV", type=click.Path(path_type=Path), help="Write all figures there."
)
@click.option("--seeds", metavar="N,N,…", help="Random scripts of these seeds instead: 7 requests, one every 3.5 s.")
def command(source: str, script: Path | None, table: Path | None, seeds: str | None) -> None:
    """Drive a character through SCRIPT twice, by a transition graph and by motion matching, and measure both.

    GRAPH is a graph file, or builtin (the default): motion matching plays its examples. Of a FOLDER of recordings a
    graph is built, and motion matching plays the recordings, on the same body. SCRIPT has the columns
    t_s,type,speed,turn (m/s, degrees a second to the left); without one a script of 31 s is used that stands, walks,
    turns, runs and stops.

    A request is met when speed and turn stay within 10 % of it (or 0.1 m/s, 8 degrees a second) for 0.3 s. Excess is
    how much harder than the examples a joint is thrown at worst: clean up to 40 m/s², visible from 120.

    \b
    Example:  footfall compare
              footfall compare takes commands.csv -o figures.csv
              footfall compare builtin --seeds 11,12,13,14
    """
    from rich.console import Console

    from footfall.cli._busy import busy
    from footfall.cli._out import check_file
    from footfall_lab.compare import contest, to_csv

    if script is not None and seeds is not None:
        raise click.BadParameter("give a SCRIPT or --seeds, not both", param_hint="--seeds")
    check_file(table)
    numbers = _numbers(seeds)
    rows: list[ComparisonRow] = []
    with busy() as tell:
        found = contest(source, tell)
        for name, commands, seconds in _scripts(found, script, numbers):
            tell(f"driving{f', {name}' if name else ''}")
            rows += found.run(commands, seconds, name)
    console = Console(width=None if Console().is_terminal else 140)
    _show(console, found, rows)
    if table is not None:
        from footfall.io.save import atomic_write

        atomic_write(table, to_csv(rows).encode())
        click.echo(f"{table}: all figures")


def _numbers(seeds: str | None) -> list[int]:
    try:
        return [int(part) for part in (seeds or "").split(",") if part.strip()]
    except ValueError:
        raise click.BadParameter(f"whole numbers with commas between, such as 11,12, not {seeds}") from None


def _scripts(found: Contest, script: Path | None, seeds: Sequence[int]) -> list[Script]:
    """What is to be driven: by name, commands and seconds."""
    from footfall.core.errors import ParameterError
    from footfall.live.drive import read_script
    from footfall_lab.compare import AFTER_S, SECONDS, random_script, standard_script

    if script is not None:
        commands = read_script(script, found.graph)
        missing = sorted({c.type for c in commands} - set(found.types))
        if missing:
            raise ParameterError(
                f"{script}: both must be able to {', '.join(missing)}; they have {', '.join(found.types)}"
            )
        if not commands:
            raise ParameterError(f"{script} asks for nothing; add a row such as 0,walk,1.4,0")
        return [("", commands, commands[-1].t_s + AFTER_S)]
    if seeds:
        return [(f"seed {seed}", *random_script(seed, found.types)) for seed in seeds]
    return [("", standard_script(found.types), SECONDS)]


def _show(console: object, found: Contest, rows: Sequence[ComparisonRow]) -> None:
    """The table people see."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    assert isinstance(console, Console)
    table = Table(box=box.SIMPLE_HEAD, title=f"{found.graph.name}: {', '.join(found.types)}", title_justify="left")
    table.add_column("")
    for head in ("requests\nmet", "median\ns", "slowest\ns", "speed off\nm/s", "turn off\n°/s", "slide\ncm/s (95 %)",
                 "worst excess\nm/s²", "memory\nMB", "a step\nµs"):  # fmt: skip
        table.add_column(head, justify="right")
    for r in rows:
        colour = "green" if r.excess <= 40.0 else "yellow" if r.excess <= 120.0 else "red"
        table.add_row(
            r.name, f"{r.reached} of {r.requests}", f"{r.response_s:.2f}", f"{r.slowest_s:.2f}", f"{r.speed_error:.2f}",
            f"{r.turn_error:.1f}", f"{r.slide_cm_s:.1f} ({r.slide_p95_cm_s:.1f})",
            f"[{colour}]{r.excess:.0f}[/] {r.excess_joint}", f"{r.megabytes:.1f}", f"{r.us_a_step:.0f}",
        )  # fmt: skip
    console.print(table)
    if found.database.left_out:
        console.print(f"motion matching left out {len(found.database.left_out)} clips or files", style="dim")
