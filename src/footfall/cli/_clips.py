"""Clip arguments: a file, or the name of a built-in motion with its parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.core.clip import Clip


def read_clip(argument: Path, animation: str | None = None, **options: Any) -> Clip:
    """The clip of a file, or of "walk" or "walk:speed=1.2,turn=20" where no such file is; options are for files.

    animation: name or number of one of several in a file, as a person types it.
    """
    from footfall.core.errors import UnknownName
    from footfall.io.load import load
    from footfall.motions.library import motion, motion_names

    name, _, parameters = str(argument).partition(":")
    if not argument.exists() and name.replace("_", "-") in motion_names():
        return motion(name, **_parameters(name, parameters))
    if not argument.exists() and not argument.suffix:
        raise UnknownName("file or built-in motion", str(argument), motion_names())
    wanted = 0 if animation is None else int(animation) if animation.isdigit() else animation
    return load(argument, animation=wanted, **options)


def _parameters(name: str, text: str) -> dict[str, Any]:
    """{"speed": 1.2, "turn": 20.0} of "speed=1.2,turn=20"; whole numbers stay so, words are taken as words."""
    from footfall.core.errors import ParameterError

    found: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (key and equals and value):
            raise ParameterError(f"{name}: {part!r} is no parameter; write {name}:speed=1.2,turn=20")
        found[key] = _value(value)
    return found


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
