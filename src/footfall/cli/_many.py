"""One job over many files, folders and globs, on all cores: a bad file is reported and the others still run."""

from __future__ import annotations

import contextlib
import io
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from footfall.cli._busy import progress
from footfall.core.errors import FootfallError, ReadError, one_line

if TYPE_CHECKING:
    from footfall.library.workers import Workers

BAD_INPUT, PARTIAL = 2, 3  # exit codes: nothing came of it; some files failed, the rest are done
WILD = frozenset("*?[")  # letters of a glob
ALONE = 3  # files: so few are done without other processes, which take a second or two to start
A = TypeVar("A")


class ClipSource(NamedTuple):
    """One file, or built-in motion, that a command is to work on."""

    path: Path
    name: str  # inside the folder or glob it was found by; else its own
    found: bool = False  # it was not named itself, so what turns out to be no motion is no fault


class Outcome(NamedTuple):
    """How a job over many files ended."""

    code: int  # exit code: 0, 3 when some files failed, 2 when all did
    done: int  # files that went well


class FileWork(NamedTuple):
    """Who does a job over many files."""

    workers: Workers | None = None  # processes here, unless given
    jobs: int | None = None  # of these, one for each core unless said


class Told(NamedTuple):
    """What a job on one file printed and gave, or how it failed."""

    out: str
    err: str
    result: Any = None
    problem: str = ""
    is_read: bool = True  # the file was a motion, or at least should have been


def sources_of(given: Sequence[Path]) -> list[ClipSource]:
    """The files that people mean: files, built-in motions, folders with all below them, and globs; in order."""
    found: list[ClipSource] = []
    for path in given:
        if path.is_dir():
            from footfall.io.folder import motion_files

            found += [ClipSource(p, p.relative_to(path).as_posix(), True) for p in motion_files(path)]
        elif is_glob(path):
            found += _matching(path)
        else:
            found.append(ClipSource(path, path.name))
    return found


def is_many(path: Path) -> bool:
    """Whether it stands for any number of files."""
    return path.is_dir() or is_glob(path)


def is_glob(path: Path) -> bool:
    return bool(WILD & set(str(path))) and not path.exists()


def _matching(pattern: Path) -> list[ClipSource]:
    from footfall.io.load import readable

    fixed = pattern.parts
    start = next((k for k, part in enumerate(fixed) if WILD & set(part)), len(fixed))
    root, rest = Path(*fixed[:start]), str(Path(*fixed[start:]))
    known = readable()
    paths = sorted(p for p in root.glob(rest) if p.suffix.lower() in known and p.is_file())
    if not paths:
        raise ReadError(pattern, "", "files that match", "none that footfall reads")
    return [ClipSource(p, p.relative_to(root).as_posix(), True) for p in paths]


def each_file(
    items: Sequence[A], job: Callable[[A], Any], source: Callable[[A], ClipSource],
    show: Callable[[Any], None] = lambda result: None, work: FileWork | None = None,
) -> Outcome:  # fmt: skip
    """Run job on every item; what it prints, and what is shown of its result, comes in order.

    source: what an item is read from. Many items are shared out to processes, so job and items must be of kinds that
    can be sent; a bar with an estimate is kept on a terminal's stderr. Each failure is one line on stderr.
    """
    failed: list[str] = []
    done = 0
    for item, told in zip(items, _told(items, job, work or FileWork()), strict=True):
        where = source(item)
        _print(told)
        if told.problem and not (where.found and not told.is_read and _is_shared(where.path)):
            failed.append(where.name)
            click.echo(one_line(f"footfall: {_line(where.path, told.problem)}"), err=True)
        elif not told.problem:
            done += 1
            show(told.result)
    if failed and any(source(item).found for item in items):
        click.echo(one_line(f"footfall: {len(failed)} of {len(items)} files failed: {', '.join(failed)}"), err=True)
    return Outcome(worst([len(failed)], done > 0), done)


def _told(items: Sequence[A], job: Callable[[A], Any], work: FileWork) -> Iterator[Told]:
    from footfall.library.workers import in_order, workers_for

    workers, jobs = work

    if len(items) == 1 and workers is None:
        yield _done(job, items[0])
        return
    doing = workers or workers_for(len(items), jobs, ALONE)
    alone = workers is None and doing.count == 1
    one = partial(_done, job) if alone else partial(_captured, job, (sys.stdout.isatty(), sys.stderr.isatty()))
    try:
        with progress() as bar:
            done = map(one, items) if alone else in_order(doing, one, items, lost=_lost)
            yield from bar.track(done, total=len(items), description="files")
    finally:
        if workers is None:
            doing.close()


def _done(job: Callable[[A], Any], item: A) -> Told:
    """The job in this process; it prints by itself."""
    try:
        return Told("", "", job(item))
    except FootfallError as error:
        return Told("", "", problem=str(error), is_read=not isinstance(error, ReadError))


class _Caught(io.StringIO):
    """Output that is kept; whoever colours what goes to a terminal does so for the one it will be shown on."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


def _captured(job: Callable[[A], Any], terminals: tuple[bool, bool], item: A) -> Told:
    """The job in another process, with what it prints."""
    out, err = (_Caught(terminal) for terminal in terminals)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        told = _done(job, item)
    return told._replace(out=out.getvalue(), err=err.getvalue())


def _lost(item: Any) -> Told:
    return Told("", "", problem="working on it ended the process: too much memory, or a fault in a reader")


def _print(told: Told) -> None:
    for text, is_error in ((told.out, False), (told.err, True)):
        if text:
            click.echo(text, nl=False, err=is_error)


def _is_shared(path: Path) -> bool:
    from footfall.io.folder import SHARED

    return path.suffix.lower() in SHARED


def _line(path: Path, problem: str) -> str:
    """The error in one line that names the file."""
    text = " ".join(problem.split())
    return text if path.name in text else f"{path}: {text}"


def worst(codes: Iterable[int], some: bool) -> int:
    """One exit code of several parts; some: something was done."""
    codes = set(codes)
    return 0 if codes <= {0} else PARTIAL if some else BAD_INPUT


# --- one file out for each file in ------------------------------------------------------------------------------------


class FilePair(NamedTuple):
    """A file to read and the one to make of it."""

    source: ClipSource
    target: Path


def newer_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--newer of commands that make a file of each file of a folder."""
    newer = "For a folder: only files whose result is missing or older than they are."
    return click.option("--newer", is_flag=True, help=newer)(command)


def format_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--format EXT and --newer of commands that make a picture of each file of a folder."""
    command = newer_option(command)
    told = "For a folder: the format of what is written (default: each file's own, or .bvh)."
    return click.option("--format", "ending", metavar="EXT", help=told)(command)


def pairs_of(
    given: Path, out: Path, ending: str | None, newer: bool, kinds: Sequence[str]
) -> tuple[list[FilePair], int]:
    """What becomes of each file of a folder or glob, in a folder with the same folders below it; how many are done.

    kinds: endings that can be written, the usual one first. Files that would become one get their own endings, too.
    """
    from footfall.cli._out import check_folder

    if out.exists() and not out.is_dir():
        raise click.UsageError(f"{given} stands for many files, so OUT must be a folder; {out} is a file")
    if ending is not None:
        ending = f".{ending.lower().lstrip('.')}"
        if ending not in kinds:
            raise click.UsageError(f"cannot write {ending!r}; use one of {' '.join(kinds)}")
    check_folder(out)
    found = sources_of([given])
    ends = {s.name: ending or (s.path.suffix.lower() if s.path.suffix.lower() in kinds else kinds[0]) for s in found}
    stems = [(str(Path(s.name).with_suffix("")).lower(), ends[s.name]) for s in found]
    counts = Counter(stems)
    pairs = []
    for source, stem in zip(found, stems, strict=True):
        name = Path(source.name)
        name = name.with_name(f"{name.name}{stem[1]}") if counts[stem] > 1 else name.with_suffix(stem[1])
        target = out / name
        if not newer or not target.exists() or target.stat().st_mtime_ns < source.path.stat().st_mtime_ns:
            pairs.append(FilePair(source, target))
    for pair in pairs:
        if pair.target.exists() and pair.target.samefile(pair.source.path):
            raise click.UsageError(f"{pair.target} would be written over itself; give OUT another folder")
    if len(pairs) < len(found):
        click.echo(f"{len(found) - len(pairs)} of {len(found)} files are up to date", err=True)
    return pairs, len(found) - len(pairs)
