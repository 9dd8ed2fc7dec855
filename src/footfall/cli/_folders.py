"""Commands that report on clips: on files one by one, on folders from their libraries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from footfall.cli._library import filling, kept_clips, tell_bad, working
from footfall.cli._many import ClipSource, FileWork, each_file, sources_of, worst
from footfall.core.errors import FootfallError

if TYPE_CHECKING:
    from footfall.library.facets import Facet

Answer = Callable[[Path, list[dict[str, Any]]], Any]  # of a file and what a facet knows of its clips


class FolderAsking(NamedTuple):
    """How a folder's library is asked."""

    facet: Callable[[dict[str, Any]], Facet]
    answer: Answer
    jobs: int | None
    cluster: str | None
    options: dict[str, Any]  # of reading


def each_or_folder(
    given: Sequence[Path], job: Callable[[ClipSource], Any], show: Callable[[Any], None], asking: FolderAsking | None,
    work: tuple[int | None, str | None] = (None, None),
) -> int:  # fmt: skip
    """Show what job gives for every file, in the order given; the exit code.

    asking: how folders are answered from their libraries; without it their files are worked on one by one. work: jobs
    and cluster of that.
    """
    jobs, cluster = (asking.jobs, asking.cluster) if asking else work
    codes, shown = [], 0
    for path in given:
        if asking is not None and path.is_dir():
            code, count = _from_library(path, show, asking)
            codes.append(code)
            shown += count
    rest = [path for path in given if not (asking and path.is_dir())]
    if rest:
        with working(cluster) as workers:
            outcome = each_file(sources_of(rest), job, _itself, show, FileWork(workers, jobs))
        codes.append(outcome.code)
        shown += outcome.done
    return worst(codes, shown > 0)


def _itself(source: ClipSource) -> ClipSource:
    return source


def _from_library(folder: Path, show: Callable[[Any], None], asking: FolderAsking) -> tuple[int, int]:
    with filling(None, asking.jobs, asking.options, asking.cluster) as settings:
        found, bad = kept_clips(folder, asking.facet(asking.options), settings)
    shown = 0
    for path, clips in found:
        try:
            answer = asking.answer(path, clips)
        except FootfallError as error:
            bad.append((path.relative_to(folder).as_posix(), str(error)))
            continue
        show(answer)
        shown += 1
    tell_bad(sorted(bad))
    return worst([int(bool(bad))], shown > 0), shown
