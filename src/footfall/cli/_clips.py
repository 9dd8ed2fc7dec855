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
    from footfall.motions.library import motion_names, named_motion

    built_in = None if argument.exists() else named_motion(str(argument))
    if built_in is not None:
        return built_in
    if not argument.exists() and not argument.suffix:
        raise UnknownName("file or built-in motion", str(argument), motion_names())
    wanted = 0 if animation is None else int(animation) if animation.isdigit() else animation
    return load(argument, animation=wanted, **options)
