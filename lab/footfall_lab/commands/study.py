"""Run an experiment that measures footfall: figures against limits, tables and pictures."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from footfall.cli._out import check_folder, out_option
from footfall.core import registry

if TYPE_CHECKING:
    from footfall_lab.bench._measure import Row

FAMILY = "footfall_lab.studies"
MISSED = 1  # exit code: a figure is outside its limit


def studies() -> dict[str, str]:
    """Every study and what it is: the files of the package that have a title; others help them."""
    return {key: m.summary for key, m in registry.members(FAMILY).items() if "TITLE" in m.constants}


@click.command(name="study")
@click.argument("name", required=False)
@out_option("Folder to write into.", "FOLDER", default=Path("footfall-study"), show_default=True)
@click.option("--quick", is_flag=True, help="Fewer cases: seconds instead of minutes.")
@click.option(
    "--captures", type=click.Path(path_type=Path), help="Folder of captured takes (default: $FOOTFALL_MOCAP)."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def command(name: str | None, out: Path, quick: bool, captures: Path | None, as_json: bool) -> int:
    """Run an experiment and write its table, figures and one HTML page into a folder; without a name, list them.

    Exits with 1 when a figure misses its limit.

    \b
    Example:  footfall study
              footfall study analysis --quick -o figures
    """
    from footfall.core.errors import UnknownName

    if name is None:
        for key, summary in studies().items():
            click.echo(f"{click.style(f'{key:16}', bold=True)} {summary.rstrip('.')}")
        return 0
    if name not in studies():
        raise UnknownName("study", name, studies())
    check_folder(out)
    rows = _run(name, out, quick, _folder(captures))
    if as_json:
        click.echo(json.dumps({"study": name, "rows": [r._asdict() for r in rows]}))
    else:
        _show(name, rows)
        for path in sorted(out.glob(f"{name.replace('-', '_')}.*")):
            click.echo(str(path))
    return MISSED if any(row.ok is False for row in rows) else 0


def _folder(given: Path | None) -> Path | None:
    """Where captures are: as told, or by the environment; a folder that was named must be there."""
    from footfall.core.errors import ReadError

    folder = given or (Path(os.environ["FOOTFALL_MOCAP"]) if os.environ.get("FOOTFALL_MOCAP") else None)
    if folder is not None and not folder.is_dir():
        raise ReadError(folder, "", "a folder of captures", "none at that path")
    return folder


def _run(name: str, out: Path, quick: bool, captures: Path | None) -> list[Row]:
    from rich.console import Console

    module = registry.member(FAMILY, name, "study")
    console = Console(stderr=True)
    if not console.is_terminal:
        rows: list[Row] = module.run(out, quick, lambda text: None, captures)
        return rows
    with console.status(f"study {name}") as status:
        rows = module.run(out, quick, lambda text: status.update(f"study {name}: {text}"), captures)
    return rows


def _show(name: str, rows: list[Row]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=f"footfall study {name}")
    for column in ("what", "measured", "should be", ""):
        table.add_column(column)
    for row in rows:
        mark = {True: Text("ok", "green"), False: Text("missed", "red"), None: Text("")}[row.ok]
        table.add_row(Text(row.what), Text(row.value), Text(row.limit), mark)
    Console().print(table)
