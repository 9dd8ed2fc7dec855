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
    given: tuple[str, ...] = ()  # of `by`: those that the clips tell and no blend can be measured for

    @property
    def is_measured(self) -> bool:
        """Whether there are parameters, and blends are measured for all of them."""
        return bool(self.by) and not self.given


SETS = {
    "walk": Recipe("locomotion", ("speed", "turn")),
    "run": Recipe("locomotion", ("speed", "turn")),
    "park-run": Recipe("locomotion", ("speed", "turn")),
    "locomotion": Recipe("locomotion", ("speed", "turn", "side"), "strikes"),
    "reach": Recipe("target", ("x", "y", "z")),
    "punch": Recipe("target", ("x", "y", "z")),
    "kick": Recipe("target", ("x", "y", "z")),
    "jump": Recipe("jump", ("distance", "direction", "height")),
    "strafe": Recipe("locomotion", ("side",)),
    "crouch-walk": Recipe("locomotion", ("speed", "turn")),
    "pick-up": Recipe("target", ("x", "y", "z")),
    "turn": Recipe("take", ("angle",), given=("angle",)),
    "sit-down": Recipe("take", ("height",), given=("height",)),
    "stand-up": Recipe("take", ("height",), given=("height",)),
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
    given = {parameter: [clip.parameters[parameter] for clip in clips] for parameter in recipe.given}
    return measured(build(clips, recipe.kind, name, recipe.sync), recipe.by, given)
