"""Every error footfall raises on purpose. The command line prints one as a single line and exits with 2."""

from __future__ import annotations

import math
from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from reprlib import repr as short_repr
from types import ModuleType

MOST_TOLD = 1000  # characters of a message; by eye, ten lines of a terminal


def one_line(text: str, most: int = MOST_TOLD) -> str:
    """A text as it may be told: on one line, printable whatever a file had in its names, and not endless."""
    line = " ".join(text[: 8 * most].split())
    line = "".join(c if c.isprintable() else "?" for c in line)
    return line if len(line) <= most and len(text) <= 8 * most else f"{line[: most - 2]} …"


class FootfallError(Exception):
    """Root of every error this library raises on purpose; its text is one sentence for a person."""

    def __init__(self, *told: object) -> None:
        super().__init__(*(one_line(part) if isinstance(part, str) else part for part in told))


class FootfallWarning(UserWarning):
    """Something was done, and must be known about; one sentence, which the command line prints as a line."""


class ParameterError(FootfallError, ValueError):
    """An argument has a value that cannot be used."""


class WrongType(FootfallError, TypeError):
    """An argument is of a kind that cannot be used; the message says which kinds can."""

    def __init__(self, expected: str, value: object) -> None:
        super().__init__(f"expected {expected}, not {short_repr(value)} ({type(value).__name__})")


class SkeletonError(FootfallError):
    """A skeleton that breaks its own rules, or lacks what an operation needs."""


class WriteError(FootfallError):
    """A file could not be written; whatever was there before is still whole."""


class MissingExtra(FootfallError, ImportError):
    """An optional package is not installed."""


class ReadError(FootfallError):
    """A file could not be read: which file, where in it, what was expected, what was found, what cures it."""

    def __init__(self, file: str | Path, place: str, expected: str, found: str = "", cure: str = "") -> None:
        self.file, self.place, self.expected, self.found, self.cure = Path(file), place, expected, found, cure
        text = f"{self.file.name}:{place}: expected {expected}" if place else f"{self.file.name}: expected {expected}"
        text += f", found {found}" if found else ""
        text += f" ({cure})" if cure else ""
        super().__init__(text)


class UnknownName(FootfallError, KeyError):
    """A name that is not among the known ones; the message offers the nearest."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        known, name = sorted(known), one_line(str(name), 200)
        near = get_close_matches(name, known, n=3) or known[:8]
        self.text = f"no {kind} {name!r}; " + (f"did you mean {', '.join(near)}?" if near else "there are none")
        self.text = one_line(self.text)
        super().__init__(self.text)

    def __str__(self) -> str:  # KeyError would show the repr
        return self.text


def need(module: str, extra: str) -> ModuleType:
    """Import an optional module, or say which extra brings it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtra(f"this needs {module}: pip install 'footfall[{extra}]'") from error


def finite_number(name: str, value: object) -> float:
    """A finite number, or a sentence that says which is not."""
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a number, got {value!r}") from None
    if not math.isfinite(found):
        raise ParameterError(f"{name} must be a finite number, got {found}")
    return found
