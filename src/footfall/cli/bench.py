"""Measure speed and memory on this machine, as ratios where it can be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from footfall.core import registry

if TYPE_CHECKING:
    from footfall.bench._measure import Row

FAMILY = "footfall.bench"


@click.command(name="bench")
@click.argument("name", type=click.Choice(list(registry.members(FAMILY))))
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def command(name: str, as_json: bool) -> int:
    """Measure speed and memory on this machine; absolute times come with a calibration kernel's time.

    \b
    Example:  footfall bench io
    """
    import os

    from footfall.bench._measure import calibration_s

    calibration = calibration_s()
    rows = registry.member(FAMILY, name, "benchmark").run()
    if as_json:
        load = os.getloadavg()[0]
        click.echo(json.dumps({"calibration_s": calibration, "load": load, "rows": [r._asdict() for r in rows]}))
    else:
        _show(name, rows, calibration)
    return 1 if any(row.ok is False for row in rows) else 0


def _show(name: str, rows: list[Row], calibration: float) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"footfall bench {name}", caption=f"calibration kernel: {1e3 * calibration:.2f} ms")
    for column in ("what", "measured", "should be", ""):
        table.add_column(column, justify="right" if column == "measured" else "left")
    for row in rows:
        mark = {True: "[green]ok[/]", False: "[red]missed[/]", None: ""}[row.ok]
        table.add_row(row.what, row.value, row.limit, mark)
    Console().print(table)
