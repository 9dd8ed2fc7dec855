"""Commands that make one motion from another: for one file, or for every file of a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from footfall.cli._library import working
from footfall.cli._many import ClipSource, FilePair, FileWork, each_file, is_many, pairs_of, worst
from footfall.cli._out import FORMATS, check_outputs

USUAL = ".bvh"  # what a file becomes whose own format cannot be written


def each_made(source: Path, target: Path, make: Callable[[FilePair], None], asked: dict[str, Any]) -> int:
    """Make target of source; of a folder or glob, each file of it in target as a folder. The exit code."""
    if not is_many(source):
        if asked["newer"]:
            raise click.UsageError(f"--newer is for folders; {source} is one file")
        check_outputs(target, source, picture=asked["picture"], stream=True)
        make(FilePair(ClipSource(source, source.name), target))
        return 0
    from footfall.io.load import writable

    if asked["picture"] is not None:
        raise click.UsageError(f"--picture draws one clip; {source} stands for many")
    kinds = [USUAL, *sorted(set(writable()) - {USUAL})]
    asked["ending"], asked["layout"] = _ending_and_layout(asked["layout"])
    return each_pair(source, target, make, asked, kinds)


def _ending_and_layout(given: str | None) -> tuple[str | None, str | None]:
    """--format of a folder's files: the name of a format, or an ending."""
    from footfall.core import registry

    known = registry.members(FORMATS)
    if given is None or given not in known or "WRITES" not in known[given].constants:
        return given, None
    return known[given].constants["WRITES"][0], given


def each_pair(
    source: Path, target: Path, make: Callable[[FilePair], None], asked: dict[str, Any], kinds: Sequence[str]
) -> int:
    """Make a file in target of each file of a folder or glob, in one of some formats. The exit code."""
    pairs, done = pairs_of(source, target, asked["ending"], asked["newer"], kinds)
    if not pairs:
        return 0
    with working(asked["cluster"]) as workers:
        outcome = each_file(pairs, make, _source, work=FileWork(workers, asked["jobs"]))
    return worst([outcome.code], outcome.done + done > 0)


def _source(pair: FilePair) -> ClipSource:
    return pair.source
