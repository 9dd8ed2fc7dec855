"""What a command prints, made safe for a terminal: no control characters from names, and a full disk is reported."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import warnings
from collections.abc import Iterator
from typing import Any, TextIO

from footfall.core.errors import FootfallWarning, one_line

# Everything a terminal obeys, but for line ends, tabs and colours (which commands themselves put in).
_OBEYED = re.compile("\x1b(?!\\[[0-9;]{0,16}m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class PlainOutput:
    """A text stream that shows control characters as ?: names of files and of joints may hold anything."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(_OBEYED.sub("?", text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def plain_output() -> Iterator[None]:
    """Everything printed on stdout in here goes through PlainOutput, and is really written at the end."""
    with contextlib.redirect_stdout(PlainOutput(sys.stdout)):
        yield
    sys.stdout.flush()


@contextlib.contextmanager
def told_in_a_line() -> Iterator[None]:
    """Footfall's own warnings in here are lines on stderr, each once; all others are as usual."""
    told: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("always", FootfallWarning)
        usual = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            if not issubclass(category, FootfallWarning):
                usual(message, category, *where, **more)
            elif str(message) not in told:
                told.add(str(message))
                print(f"footfall: {one_line(str(message))}", file=sys.stderr)

        warnings.showwarning = show
        yield


def give_up_output() -> None:
    """What could not be written is not tried again when Python ends, which would print a trace."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
