"""One job over many files: a bad file is reported and the others still run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from footfall.core.errors import FootfallError, one_line

BAD_INPUT, PARTIAL = 2, 3  # exit codes: nothing came of it; some files failed, the rest are done


def each_file(files: Sequence[Path], job: Callable[[Path], None]) -> int:
    """Run job on every file; returns the exit code: 0, 3 when some files failed, 2 when all did.

    Each failure is one line on stderr. With more than one file a progress line is kept on a terminal's stderr.
    """
    failed = 0
    for number, path in enumerate(files, 1):
        _progress(number, len(files), path)
        try:
            job(path)
        except FootfallError as error:
            failed += 1
            _progress(0, len(files), path)
            click.echo(one_line(f"footfall: {_line(path, error)}"), err=True)
    _progress(0, len(files), None)
    return 0 if not failed else BAD_INPUT if failed == len(files) else PARTIAL


def _line(path: Path, error: FootfallError) -> str:
    """The error in one line that names the file."""
    text = " ".join(str(error).split())
    return text if path.name in text else f"{path}: {text}"


def _progress(number: int, total: int, path: Path | None) -> None:
    """A line that is overwritten by the next one; number 0 clears it. Only where a person is watching."""
    if total < 2 or not sys.stderr.isatty():
        return
    sys.stderr.write(f"\r\x1b[K[{number}/{total}] {path}" if number else "\r\x1b[K")
    sys.stderr.flush()
