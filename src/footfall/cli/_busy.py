"""A spinner or a progress bar that says what is being done, where a person is watching."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress


@contextmanager
def busy() -> Iterator[Callable[[str], None]]:
    """Gives a function that takes what is being done now; silent where the output is no terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda text: None
        return
    with console.status("") as status:
        yield lambda text: status.update(f"{text} …")


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress bar; silent where the output is no terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        yield bar
