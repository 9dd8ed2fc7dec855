"""ff.motion: the built-in motions by name; and the one place where a clip is found by whatever names it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from footfall.core import registry
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, UnknownName, WrongType
from footfall.io.load import load, load_all
from footfall.io.plain_file import is_file, is_there

FAMILY = "footfall.motions.clips"
A_CLIP = "a clip, a file or the name of a built-in motion such as 'walk'"
ClipLike: TypeAlias = Clip | str | Path  # a clip, a file, or a built-in motion: "walk", "walk:speed=1.2,turn=20"


def motion(name: str, **parameters: Any) -> Clip:
    """Make a built-in motion: motion("walk", speed=1.4, turn=20). motion_names() lists the names."""
    if not isinstance(name, str):
        raise WrongType("the name of a built-in motion, such as 'walk'", name)
    key = name.replace("_", "-")
    make = registry.member(FAMILY, key, "built-in motion").make
    known = inspect.signature(make).parameters
    for parameter, value in parameters.items():
        if parameter not in known:
            raise UnknownName(f"parameter of {name!r}", parameter, known)
        default = known[parameter].default
        number = isinstance(default, int | float) and not isinstance(default, bool)
        if number and (isinstance(value, str | bool) or not abs(value) < float("inf")):
            raise ParameterError(f"{parameter} of {name!r} is a number such as {default:g}, not {value!r}")
        if isinstance(default, int) and number and value != int(value):
            raise ParameterError(f"{parameter} of {name!r} is a whole number, not {value!r}")
    clip: Clip = make(**parameters)
    return replace(clip, name=key)  # as people call it, which no file of a program can be named


def motion_names() -> dict[str, str]:
    """Every built-in motion and what it is."""
    return {key: member.summary for key, member in registry.members(FAMILY).items()}


def named_motion(text: str) -> Clip | None:
    """The built-in motion of "walk" or "walk:speed=1.2,turn=20", as typed; None where there is no such name."""
    name, _, parameters = text.partition(":")
    if name.replace("_", "-") not in motion_names():
        return None
    return motion(name, **_parameters(name, parameters))


def open_clip(what: ClipLike, animation: str | int | None = None, **options: Any) -> Clip:
    """The clip that is given as a clip, as a file, or as a built-in motion ("walk", "walk:speed=1.2,turn=20").

    A file goes before a built-in motion of its name. animation: the name or number of one of several in a file.
    options: how a file is read, as for `load`.
    """
    built = _in_memory(what)
    if built is not None:
        return built
    wanted = int(animation) if animation is not None and str(animation).isdigit() else animation
    return load(_path(what), wanted, **options)


def open_clips(what: ClipLike, **options: Any) -> list[Clip]:
    """Every animation of a file, or the one clip that is given or built in, as `open_clip` finds it."""
    built = _in_memory(what)
    return load_all(_path(what), **options) if built is None else [built]


def open_each(what: ClipLike | Iterable[ClipLike]) -> list[Clip]:
    """The clips of several arguments, or of the single one that is given."""
    several = what if isinstance(what, Iterable) and not isinstance(what, str) else [what]
    return [open_clip(each) for each in several]


def _in_memory(what: ClipLike) -> Clip | None:
    """A clip that need not be read: one that is given, or a built-in motion where no file has its name."""
    if isinstance(what, Clip):
        return what
    path = _path(what)
    if is_file(path):
        return None
    built = named_motion(str(what))
    if built is None and not path.suffix and not is_there(path):
        raise UnknownName("file or built-in motion", str(what), motion_names())
    return built


def _path(what: object) -> Path:
    if not isinstance(what, str | Path):
        raise WrongType(A_CLIP, what)
    return Path(what)


def _parameters(name: str, text: str) -> dict[str, Any]:
    """{"speed": 1.2, "turn": 20.0} of "speed=1.2,turn=20"; whole numbers stay so, words are taken as words."""
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
