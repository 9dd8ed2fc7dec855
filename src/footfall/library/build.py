"""A library: the index of a folder brought up to date, by as many processes as there are cores.

Files that have not changed cost a look at their size and time; others are read once, for all facets that are asked for,
and kept as soon as they are done. Who is interrupted goes on where it was.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from footfall.core.errors import WriteError
from footfall.io.cache_folder import cache_folder
from footfall.io.companions import companions
from footfall.io.folder import motion_files, names_in
from footfall.io.load import reading_options
from footfall.library.facets import Facet, FilePart, FileResult, FileTask, facet_code, work_on
from footfall.library.index_file import Index
from footfall.library.index_tables import LibraryDamaged
from footfall.library.index_writer import IndexWriter
from footfall.library.workers import OwnProcess, Workers, as_done, workers_for

T = TypeVar("T")
BESIDE = Path(".footfall") / "library"  # in a folder: holds its index, where somebody made it
BATCH_BYTES, BATCH_FILES = 1_500_000, 32  # of files: about a second of work; by measurement on BVH captures
ALONE = 6  # files: so few are read without other processes, which take a second or two to start
LOST = "reading it ended the process: too much memory, or a fault in a reader"
Follow = Callable[[int, int], None]  # is told how many files are done, and of how many


class Settings(NamedTuple):
    """How a library is brought up to date."""

    options: Mapping[str, Any] = {}
    place: Path | None = None  # the folder its index is kept in; found by `place_of` unless given
    jobs: int | None = None  # processes; as many as there are cores unless given
    workers: Workers | None = None  # who does the work, instead of processes here
    follow: Follow = lambda done, total: None
    told: Callable[[str], None] = lambda text: None  # gets a sentence where there is something to say


@dataclass
class BuildReport:
    """What bringing a library up to date took."""

    files: int = 0
    read: int = 0  # files that were worked on
    moved: int = 0
    gone: int = 0
    lost: list[tuple[str, str]] = field(default_factory=list)  # (file, why): not kept, tried again the next time


def place_of(folder: Path) -> Path:
    """Where a folder's index is kept unless told: beside its files where somebody chose so, else in the cache."""
    beside = folder / BESIDE
    if beside.is_dir():
        return beside
    mark = hashlib.blake2b(os.fsencode(folder.resolve()), digest_size=8).hexdigest()
    return cache_folder() / "libraries" / f"{folder.resolve().name[:40]}-{mark}"


def with_library(
    folder: Path, facets: Sequence[Facet], use: Callable[[Index], T], settings: Settings | None = None
) -> tuple[T, BuildReport]:
    """What `use` makes of a folder's index, once that is up to date; an index that turns out damaged is mended."""
    settings = settings or Settings()
    with _writable(folder, settings) as place:
        report = update(folder, facets, settings._replace(place=place))
        try:
            return use(Index(place)), report
        except LibraryDamaged as error:
            settings.told(f"the index of {folder}: {error.found}; what is damaged is made again")
            report = update(folder, facets, settings._replace(place=place), mend=True)
            return use(Index(place)), report


@contextlib.contextmanager
def _writable(folder: Path, settings: Settings) -> Iterator[Path]:
    """The place of an index; one for now where the cache cannot be written."""
    place = settings.place or place_of(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        if settings.place is None and not os.access(place, os.W_OK):
            raise PermissionError
    except OSError as error:
        if settings.place is not None:
            raise WriteError(f"{place}: could not be written: {error.strerror or error}") from error
        with tempfile.TemporaryDirectory(prefix="footfall-") as passing:
            yield Path(passing)
        return
    yield place


def update(folder: Path, facets: Sequence[Facet], settings: Settings, mend: bool = False) -> BuildReport:
    """Bring a folder's index up to date. mend: look for arrays that are damaged, too."""
    folder = Path(folder)
    vars(reading_options(dict(settings.options)))  # a wrong option is told before anything is done
    paths = motion_files(folder)
    stamps = dict(zip(names_in(folder, paths), stamps_of(paths), strict=True))
    with IndexWriter(settings.place or place_of(folder), settings.told) as writer:
        if mend:
            writer.forget(sorted(writer.damaged()))
        return _filled(writer, folder, stamps, facets, settings)


def _filled(
    writer: IndexWriter, folder: Path, stamps: dict[str, str], facets: Sequence[Facet], settings: Settings
) -> BuildReport:
    code, known = facet_code(), writer.stamps()
    made = {facet.key: writer.made(facet.key, code) for facet in facets}
    gone = {known[file][1]: file for file in known if file not in stamps}
    tasks = []
    for file, stamp in stamps.items():
        missing = tuple(facet for facet in facets if file not in made[facet.key])
        same = file in known and known[file][0] == stamp
        if same and not missing:
            continue
        old = (known[file][1],) if file in known and not missing else ()
        moved = tuple(sorted(mark for mark in gone if mark)) if file not in known else ()
        wanted = missing if same else tuple(facets)
        tasks.append(FileTask(folder, file, stamp, wanted, dict(settings.options), (*old, *moved)))
    report = BuildReport(len(stamps))
    done = len(stamps) - len(tasks)
    settings.follow(done, len(stamps))
    while tasks:
        again: list[FileTask] = []
        named = {task.file: task for task in tasks}
        for results in _worked(_batches(tasks), settings):
            copies = _keep(writer, results, known, gone, report, code)
            again += [named[file]._replace(known=()) for file in copies]
            done += len(results) - len(copies)
            settings.follow(done, len(stamps))
        tasks = again
    report.gone = len(gone)
    writer.forget(sorted(gone.values()))
    writer.settle()
    return report


def _keep(
    writer: IndexWriter, results: Sequence[FileResult], known: Mapping[str, tuple[str, str]], gone: dict[str, str],
    report: BuildReport, code: str,
) -> list[str]:  # fmt: skip
    """Keep the results of a batch; files whose content was that of one that is gone, but another file has it now."""
    new, copies = [], []
    for result in results:
        if result.lost:
            report.lost.append((result.file, LOST))
            if known.get(result.file, ("",))[0] != result.stamp:
                writer.forget([result.file])
        elif result.parts:
            new.append(result)
        elif result.file in known:
            writer.restamp(result.file, result.stamp)
        elif result.hash in gone:
            writer.rename(gone.pop(result.hash), result.file, result.stamp)
            report.moved += 1
        else:
            copies.append(result.file)
    report.read += len(new)
    if new:
        writer.add(new, code)
    return copies


def _worked(batches: Sequence[Sequence[FileTask]], settings: Settings) -> Iterator[list[FileResult]]:
    """Results batch by batch; of a batch that a worker ended over, each file is tried alone."""
    files = sum(len(batch) for batch in batches)
    workers = settings.workers or (workers_for(len(batches), settings.jobs) if files > ALONE else OwnProcess())
    again: list[FileTask] = []
    try:
        for number, results in as_done(workers, work_on, batches, lost=lambda batch: []):
            if not results:
                again += batches[number]
            yield results
        singly = [[task] for task in again]
        for _, results in as_done(workers, work_on, singly, lost=lambda batch: [_lost(batch[0])]):
            yield results
    finally:
        if settings.workers is None:
            workers.close()


def _lost(task: FileTask) -> FileResult:
    return FileResult(task.file, task.stamp, "", tuple(FilePart(f.key, LOST) for f in task.facets), lost=True)


def _batches(tasks: Sequence[FileTask]) -> list[list[FileTask]]:
    """Tasks in order, so many together that handing them out costs nothing beside them."""
    batches: list[list[FileTask]] = []
    size = 0
    for task in tasks:
        if not batches or size >= BATCH_BYTES or len(batches[-1]) >= BATCH_FILES:
            batches.append([])
            size = 0
        batches[-1].append(task)
        size += int(task.stamp.partition(" ")[0] or 0)
    return batches


def stamps_of(paths: Sequence[Path]) -> list[str]:
    """Size and time of each file, and of those it is read with."""
    return [_stamp(path) + "".join(f" {p.name} {_stamp(p)}" for p in _beside(path)) for path in paths]


def _beside(path: Path) -> list[Path]:
    try:
        return companions(path)
    except OSError:  # its folder is gone, or not ours to look into
        return []


def _stamp(path: Path) -> str:
    try:
        about = path.stat()
    except OSError:
        return "0 0"
    return f"{about.st_size} {about.st_mtime_ns}"
