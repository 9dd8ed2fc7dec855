"""The body that clips of a folder share: the option that names it, and the clips brought onto it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from footfall.core.clip import Clip


def character_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--character FILE|NAME, given to the command as `character`; None: the average of the clips' bodies."""
    return click.option(
        "--character",
        metavar="FILE|NAME",
        help="Body for all clips: a file, adult, adult:1.2 (metres) or average. Default: their own where all share it, "
        "else average, the symmetric mean of their bodies.",
    )(command)


def one_body(clips: Sequence[Clip], character: str | None = None) -> tuple[list[Clip], str]:
    """The clips on one body, and a sentence that says which was chosen; a progress bar where a person is watching."""
    from rich.console import Console
    from rich.progress import Progress

    from footfall.retarget.one_body import one_body as on_one_body

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:

        def each(items: Sequence[Clip]) -> Iterable[Clip]:
            return bar.track(items, description="onto one body")

        made = on_one_body(clips, character, each)
    return made.clips, made.told
