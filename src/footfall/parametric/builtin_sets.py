"""Built-in parametric motions: the example sets of the motion library, ready to be blended."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from footfall.core.clip import Clip
from footfall.core.errors import UnknownName
from footfall.motions.body import adult
from footfall.motions.library import motion
from footfall.motions.sets import examples
from footfall.parametric.measure import measured
from footfall.parametric.parametric_motion import ParametricMotion, build
from footfall.parametric.shipped import shipped_motion


class Recipe(NamedTuple):
    """How a set is made into a parametric motion."""

    kind: str
    by: tuple[str, ...]
    sync: str = "events"


SETS = {
    "walk": Recipe("locomotion", ("speed", "turn")),
    "run": Recipe("locomotion", ("speed", "turn")),
    "park-run": Recipe("locomotion", ("speed", "turn")),
    "locomotion": Recipe("locomotion", ("speed", "turn", "side"), "strikes"),
    "reach": Recipe("target", ("x", "y", "z")),
    "punch": Recipe("target", ("x", "y", "z")),
    "kick": Recipe("target", ("x", "y", "z")),
    "jump": Recipe("jump", ("distance", "direction", "height")),
    "stand": Recipe("stand", (), "ends"),
}


@cache
def set_clips(name: str) -> tuple[Clip, ...]:
    """The clips of a set, made once."""
    if name not in SETS:
        raise UnknownName("built-in blend space", name, SETS)
    return (motion("stand"),) if name == "stand" else tuple(examples(name))


@cache
def parametric_set(name: str) -> ParametricMotion:
    """A built-in set as a parametric motion, its parameters measured on the clips; no weights fitted yet.

    As it was packed for the package, or else made now.
    """
    return shipped_motion(name, adult()) or packed_set(name)


def packed_set(name: str) -> ParametricMotion:
    """A built-in set made of its clips."""
    clips = set_clips(name)
    recipe = SETS[name]
    return measured(build(clips, recipe.kind, name, recipe.sync), recipe.by)
