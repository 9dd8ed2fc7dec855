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
        if isinstance(value, float) and not abs(value) < 1e6:
            raise ParameterError(f"{parameter} must be a finite number, got {value}")
    clip: Clip = make(**parameters)
    return clip


def motion_names() -> dict[str, str]:
    """Every built-in motion and what it is."""
    return {key: member.summary for key, member in registry.members(FAMILY).items()}
