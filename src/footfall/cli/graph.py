"""Build a motion graph, a playable character, from a folder of recordings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from footfall.cli._busy import progress
from footfall.cli._library import many_options, working
from footfall.cli._options import character_option
from footfall.cli._out import check_file, check_folder, check_picture, out_option, picture_option

if TYPE_CHECKING:
    from footfall.graph.build.build_file import BuildFile


@click.group(name="graph")
def command() -> None:
    """Motion graphs: build one out of recordings, then drive it (footfall walk).

    \b
    Example:  footfall graph build takes -o my.graph
              footfall walk my.graph commands.csv -o hero.glb
    """


@command.command(name="build")
@click.argument("source", metavar="FOLDER|GRAPH", type=click.Path(path_type=Path))
@out_option("The graph, such as my.graph.", "GRAPH")
@character_option("Body to put all on (default: the symmetric average of the recordings')")
@click.option(
    "--report",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Write tables, a coverage plot and a page there.",
)
@picture_option("Plot of speeds and turns.", "--coverage")
@click.option("--force", is_flag=True, help="Overwrite a build file that was edited by hand.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of sentences.")
@many_options
def build(
    source: Path, out: Path | None, character: str | None, report: Path | None, picture: Path | None, force: bool,
    as_json: bool, jobs: int | None, cluster: str | None,
) -> int:  # fmt: skip
    """Build a graph from a FOLDER of recordings of any formats and bodies; no labels are needed.

    Cycles of standing, walking, running, going back or sideways are found, closed, mirrored and blended; changes
    between them, and actions, are found or made. GRAPH says in rows what was used, what was not, and why. Change
    labels, switch rows off or add some, and build from it again.

    \b
    Example:  footfall graph build takes -o my.graph --report why
              footfall graph build my.graph
    """
    from footfall.cli._many import PARTIAL
    from footfall.graph.build.build import BuildWork
    from footfall.graph.build.build_file import SUFFIX, is_build, load_build, written_as
    from footfall.graph.build.built_graph import built_parts, check_name, save_built

    plan = None
    folder = source = written_as(source)
    if not source.is_dir() and is_build(source):
        plan = load_build(source)
        folder, out = plan.folder_beside(source), out or source
        if character is not None:
            raise click.BadParameter(f"{source.name} says which body; change it there", param_hint="--character")
    if out is None:
        raise click.BadParameter("say where to write the graph, as in -o my.graph", param_hint="-o")
    out = out if out.suffix else out.with_name(f"{out.name}{SUFFIX}")
    check_name(out)
    check_file(out)
    check_folder(report)
    check_picture(picture, plotted=True)
    _not_over_work(source, out, force)
    with working(cluster) as workers, progress() as bar:
        work = BuildWork(lambda some, what: bar.track(some, description=what), jobs, workers)
        parts = built_parts(folder, plan, character or "average", work)
    made = save_built(parts, folder, out)
    _write_reports(made, out, report, picture)
    _show(made, out, as_json)
    return PARTIAL if made.left_out else 0


def _not_over_work(source: Path, out: Path, force: bool) -> None:
    """Refuse to lose rows that a person has written."""
    from footfall.core.errors import WriteError
    from footfall.graph.build.build_file import is_build
    from footfall.graph.build.built_graph import is_untouched

    if force or not out.exists() or source.resolve() == out.resolve():
        return
    if not is_build(out):
        raise WriteError(f"{out} is no build file; it is not written over (--force does)")
    if not is_untouched(out):
        raise WriteError(
            f"{out} was changed by hand: build from it (footfall graph build {out}), or write over it with --force"
        )


def _write_reports(build: BuildFile, out: Path, report: Path | None, coverage: Path | None) -> None:
    if report is None and coverage is None:
        return
    from footfall.graph.build.build_report import as_csv, change_rows, edge_rows, loop_rows, page
    from footfall.io.save import atomic_write
    from footfall.render.plot_coverage import plot_coverage

    picture = plot_coverage(build, f"{out.name}: speeds and turns")
    if coverage is not None:
        atomic_write(coverage, picture)
    if report is not None:
        tables = {"loops": loop_rows(build), "edges": edge_rows(build), "changes": change_rows(build)}
        for name, rows in tables.items():
            atomic_write(report / f"{name}.csv", as_csv(rows))
        atomic_write(report / "coverage.png", picture)
        atomic_write(report / "report.html", page(build, out.name, [("coverage", picture)]).encode())


def _show(build: BuildFile, out: Path, as_json: bool) -> None:
    import json

    from footfall.graph.build.build_report import edge_rows, loop_rows, summary

    if as_json:
        told = {
            "graph": str(out), "told": summary(build), "loops": loop_rows(build), "edges": edge_rows(build),
            "left_out": [{"file": file, "why": why} for file, why in build.left_out],
        }  # fmt: skip
        click.echo(json.dumps(told, allow_nan=False))
        return
    click.echo(click.style(str(out), bold=True))
    for line in summary(build):
        click.echo(f"  {line}")
