"""Facets: what a library keeps about each file, one kind of fact each, and the job that computes them.

A facet is a name and a function of a file's clips. The functions live beside what they are made for (`moments.py` for
`find` and `match`, `kept_traits.py` for `lint`, `graph/build/recording_scan.py` for graphs); the library only keeps
what they give, as plain data and arrays, for each clip.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ReadError, one_line
from footfall.io.cache_folder import CODE, code_mark
from footfall.io.folder import SHARED, content_hash
from footfall.io.load import load_all, reading_options
from footfall.io.raw import ReadOptions
from footfall.retarget.character import Character

ABOVE = ("cli", "render", "studio", "live", "timeline", "joins", "weights")  # rooms no facet depends on


class ClipPart(NamedTuple):
    """What one facet keeps of one clip."""

    name: str  # of the clip in its file
    told: dict[str, Any]  # as JSON has it
    arrays: dict[str, np.ndarray] = {}  # noqa: RUF012 (never changed)


class Facet(NamedTuple):
    """One kind of knowledge. `make` is given a file's clips and path; what it cannot do it says as a FootfallError."""

    kind: str
    make: Callable[[Sequence[Clip], Path, Any], list[ClipPart]]
    setting: Any = None  # what else it depends on, given to `make`: a body
    variant: str = ""  # changes with the setting and with how files are read

    @property
    def key(self) -> str:
        """The name it is kept under."""
        return f"{self.kind} {self.variant}" if self.variant else self.kind


class FileTask(NamedTuple):
    """One file to be worked on."""

    folder: Path
    file: str  # path inside the folder
    stamp: str
    facets: tuple[Facet, ...]
    options: Mapping[str, Any]  # of reading
    known: tuple[str, ...] = ()  # contents that are known: of these nothing is worked out


class FilePart(NamedTuple):
    """What one facet keeps of one file."""

    facet: str
    problem: str  # why there are no clips, in a sentence; empty where that is no fault
    clips: tuple[ClipPart, ...] = ()


class FileResult(NamedTuple):
    """What became of a file; no parts where its content was known."""

    file: str
    stamp: str
    hash: str
    parts: tuple[FilePart, ...]
    lost: bool = False  # the process that read it came to an end: told, and tried again the next time


@cache
def facet_code() -> str:
    """Changes with any code that a facet can depend on."""
    files = sorted(CODE.rglob("*.py"))
    return code_mark(path for path in files if path.relative_to(CODE).parts[0] not in ABOVE)


def variant_of(body: Character | None, options: Mapping[str, Any]) -> str:
    """Changes with a body and with how files are read; empty where neither is said."""
    told: list[Any] = []
    if body is not None:
        s = body.skeleton
        told += [s.names, s.parents.tolist(), np.round(s.offsets, 6).tolist(), np.round(s.rest, 6).tolist()]
    reading_options(dict(options))  # a wrong one is told before anything is done
    usual = vars(ReadOptions())
    said = sorted((name, str(value)) for name, value in options.items() if value != usual[name] and value != {})
    if not (told or said):
        return ""
    return hashlib.blake2b(repr([told, said]).encode(), digest_size=6).hexdigest()


def work_on(tasks: Sequence[FileTask]) -> list[FileResult]:
    """The job of a worker: files read once each, and all facets of them."""
    return [_worked(task) for task in tasks]


def _worked(task: FileTask) -> FileResult:
    path, mark = task.folder / task.file, ""
    shared = path.suffix.lower() in SHARED
    try:
        mark = content_hash(path)
        if mark in task.known:
            return FileResult(task.file, task.stamp, mark, ())
        clips = load_all(path, **task.options)
    except FootfallError as error:
        why = "" if shared and isinstance(error, ReadError) else in_a_line(error, path)
        return FileResult(task.file, task.stamp, mark, tuple(FilePart(f.key, why) for f in task.facets))
    except Exception as error:
        return FileResult(task.file, task.stamp, mark, tuple(FilePart(f.key, _odd(error)) for f in task.facets))
    return FileResult(task.file, task.stamp, mark, tuple(_part(facet, clips, path) for facet in task.facets))


def _part(facet: Facet, clips: Sequence[Clip], path: Path) -> FilePart:
    try:
        return FilePart(facet.key, "", tuple(facet.make(clips, path, facet.setting)))
    except FootfallError as error:
        shared = path.suffix.lower() in SHARED and isinstance(error, ReadError)
        return FilePart(facet.key, "" if shared else in_a_line(error, path))
    except Exception as error:  # one file never stops the others
        return FilePart(facet.key, _odd(error))


def _odd(error: Exception) -> str:
    return one_line(f"it could not be used ({type(error).__name__}: {error}); please report it with the file")


def in_a_line(error: FootfallError, path: Path) -> str:
    """An error in a line that need not name its file."""
    return " ".join(str(error).split()).removeprefix(f"{path.name}:").strip()
