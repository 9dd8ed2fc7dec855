"""Measure speed and memory on this machine, as ratios where it can be."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from footfall.core import registry

if TYPE_CHECKING:
    from footfall_lab.bench._measure import Row

FAMILY = "footfall_lab.bench"


@click.command(name="bench")
@click.argument("name", type=click.Choice(list(registry.members(FAMILY))))
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
@click.option("--seconds", type=click.FloatRange(1.0, 600.0), help="How long what runs by the clock runs (studio).")
def command(name: str, as_json: bool, seconds: float | None) -> int:
    """Measure speed and memory on this machine; absolute times come with a calibration kernel's time.

    \b
    Example:  footfall bench io
    """
    import os

    from footfall_lab.bench._measure import calibration_s

    calibration = calibration_s()
    run = registry.member(FAMILY, name, "benchmark").run
    rows = run() if seconds is None else run(**_timed(name, run, seconds))
    if as_json:
        load = os.getloadavg()[0]
        click.echo(json.dumps({"calibration_s": calibration, "load": load, "rows": [r._asdict() for r in rows]}))
    else:
        _show(name, rows, calibration)
    return 1 if any(row.ok is False for row in rows) else 0


def _timed(name: str, run: Callable[..., list[Row]], seconds: float) -> dict[str, float]:
    """The option, for a benchmark that has it."""
    if "seconds" not in inspect.signature(run).parameters:
        raise click.UsageError(f"{name} takes as long as it takes; --seconds is of no use to it")
    return {"seconds": seconds}


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
