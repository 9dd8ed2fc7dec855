"""What a command prints, as a terminal may see it: no control characters out of names, and a full disk is told of."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from typing import Any, TextIO

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


def give_up_output() -> None:
    """What could not be written is not tried again when Python ends, which would print a trace."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
