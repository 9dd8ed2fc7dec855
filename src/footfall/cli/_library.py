"""Options of commands that query a folder's library, and the progress bar shown while the library is built."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._busy import progress
from footfall.core.errors import one_line

if TYPE_CHECKING:
    from footfall.library.build import Settings
    from footfall.library.facets import Facet
    from footfall.library.index_file import Index
    from footfall.library.workers import Workers


def jobs_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--jobs N, given to the command as `jobs`; all cores unless said."""
    return click.option(
        "-j", "--jobs", type=click.IntRange(1, 1024), metavar="N", help="Processes (default: one for each core)."
    )(command)


def library_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--index and --jobs of a command that asks a library."""
    told = "Folder of the folder's index (default: in the cache, or FOLDER/.footfall/library if that exists)."
    index = click.option("--index", type=click.Path(path_type=Path), metavar="PLACE", help=told)
    return index(jobs_option(command))


def cluster_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--cluster ADDRESS, given to the command as `cluster`."""
    told = "Dask workers instead of processes: tcp://HOST:PORT of a scheduler, or local:N (footfall[cluster])."
    return click.option("--cluster", metavar="ADDRESS", help=told)(command)


def many_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--jobs and --cluster of a command that works on many files."""
    return jobs_option(cluster_option(command))


@contextmanager
def working(cluster: str | None) -> Iterator[Workers | None]:
    """The workers of a cluster, where one is asked for."""
    if cluster is None:
        yield None
        return
    from footfall.library.cluster import cluster_workers

    workers = cluster_workers(cluster)
    try:
        yield workers
    finally:
        workers.close()


@contextmanager
def filling(
    index: Path | None, jobs: int | None, options: dict[str, Any], cluster: str | None = None
) -> Iterator[Settings]:
    """Settings of a library, with a bar while files are read; what is to be said is said above it."""
    from footfall.library.build import Settings

    with working(cluster) as workers, progress() as bar:
        task = None

        def follow(done: int, total: int) -> None:
            nonlocal task
            if task is None and done < total:
                task = bar.add_task("reading", total=total, completed=done)
            if task is not None:
                bar.update(task, completed=done)

        def told(text: str) -> None:
            bar.console.print(one_line(f"footfall: {text}"), markup=False, soft_wrap=True, highlight=False)

        yield Settings(options, index, jobs, workers, follow, told)


def tell_bad(bad: Iterable[tuple[str, str]]) -> None:
    """A line on stderr for every file that could not be used."""
    for file, why in bad:
        click.echo(one_line(f"footfall: {file}: {why}"), err=True)


def kept_clips(
    folder: Path, facet: Facet, settings: Settings
) -> tuple[list[tuple[Path, list[dict[str, Any]]]], list[tuple[str, str]]]:
    """(file, what the facet tells of each clip of it) of a folder's library, and the files that cannot be used."""
    from footfall.library.build import with_library

    def read(index: Index) -> tuple[dict[str, list[dict[str, Any]]], list[tuple[str, str]]]:
        found: dict[str, list[dict[str, Any]]] = {}
        for clip in index.clips(facet.key):
            found.setdefault(clip.file, []).append({"name": clip.name, **clip.told})
        return found, index.problems(facet.key)

    (found, bad), report = with_library(folder, [facet], read, settings)
    return [(folder / file, clips) for file, clips in found.items()], sorted([*bad, *report.lost])
