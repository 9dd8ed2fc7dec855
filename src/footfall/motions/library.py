"""ff.motion: the built-in motions by name."""

from __future__ import annotations

import inspect
from typing import Any

from footfall.core import registry
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, UnknownName

FAMILY = "footfall.motions.clips"


def motion(name: str, **parameters: Any) -> Clip:
    """A built-in motion: motion("walk", speed=1.4, turn=20). Names are listed by motion_names()."""
    make = registry.member(FAMILY, name.replace("_", "-"), "built-in motion").make
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
    return clip


def motion_names() -> dict[str, str]:
    """Every built-in motion and what it is."""
    return {key: member.summary for key, member in registry.members(FAMILY).items()}


def named_motion(text: str) -> Clip | None:
    """The built-in motion of "walk" or "walk:speed=1.2,turn=20", as typed; None where there is no such name."""
    name, _, parameters = text.partition(":")
    if name.replace("_", "-") not in motion_names():
        return None
    return motion(name, **_parameters(name, parameters))


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
