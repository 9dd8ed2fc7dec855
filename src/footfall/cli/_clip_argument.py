"""A clip as it is typed: a file, a built-in motion, or - for the standard input; with completion by the shell."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

STREAM = "-"
SPOOL = "footfall-stdin-"  # folder of what came in on the standard input


class ClipFile(click.Path):
    """A path; - is what comes in on the standard input, kept as a file while the command runs."""

    name = "clip"

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if str(value) == STREAM and ctx is not None:
            return spooled(ctx)
        return super().convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Built-in motions, and motion files and folders beside them."""
        from footfall.io.load import readable
        from footfall.motions.library import motion_names

        names = [CompletionItem(name) for name in motion_names() if name.startswith(incomplete)]
        if not names:
            return [CompletionItem(incomplete, type="file")]  # the shell's own way
        known = readable()
        files = [p.name for p in sorted(Path().iterdir()) if p.suffix.lower() in known]
        return names + [CompletionItem(name) for name in files if name.startswith(incomplete)]


class OneOf(click.ParamType):
    """Names of a family's members, completed by the shell; the command says what it makes of them.

    having: only members with this constant.
    """

    def __init__(self, family: str, name: str, having: str = "") -> None:
        self.family, self.name, self.having = family, name, having

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return completed(self.family, incomplete, self.having)


def shown(path: Path) -> str:
    """The path as it was typed."""
    return STREAM if path.parent.name.startswith(SPOOL) else str(path)


def completed(family: str, incomplete: str, having: str = "") -> list[CompletionItem]:
    """Members of a family that begin so, with what each is; of a list with commas, its last name."""
    from footfall.core import registry

    before, comma, last = incomplete.rpartition(",")
    known = {key: m for key, m in registry.members(family).items() if not having or having in m.constants}
    return [CompletionItem(before + comma + k, help=known[k].summary) for k in known if k.startswith(last)]


def spooled(ctx: click.Context) -> Path:
    """The standard input as a file that lasts as long as the command."""
    from footfall.core.errors import ReadError
    from footfall.io.load import MAX_FILE_BYTES
    from footfall.io.sniff import ending_of

    root = ctx.find_root()
    if STREAM in root.meta:
        raise click.UsageError("the standard input can be read only once; give - once")
    root.meta[STREAM] = True
    if sys.stdin is None or sys.stdin.isatty():
        raise click.UsageError("- reads a motion from the standard input, and nothing is sent there")
    data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    ending = ending_of(data)
    if ending is None or len(data) > MAX_FILE_BYTES:
        found = "something else" if data else "nothing"
        raise ReadError("stdin", "", "a motion: BVH, GLB, npz, npy, USD, C3D, JSON or ASF", found)
    folder = tempfile.TemporaryDirectory(prefix=SPOOL)
    root.call_on_close(folder.cleanup)
    path = Path(folder.name) / f"stdin{ending}"
    path.write_bytes(data)
    return path
