"""Clips as they are joined: the second on the body of the first, both with their soles on the floor."""

from __future__ import annotations

from footfall.core.clip import Clip
from footfall.edit.floor import floor
from footfall.edit.loop import first_joint_under_body
from footfall.edit.travel import with_travel
from footfall.feet.leg_solve import has_legs
from footfall.joins.departure import Departure
from footfall.retarget.one_body import same_body


def on_one_body(a: Clip, b: Clip) -> tuple[Clip, Clip]:
    """Two clips as `join` takes them, the second on the body of the first; joining these again changes neither."""
    first = standing(a) if has_legs(a.skeleton) else a
    return first, on_body(first, b)


def on_body(source: Clip | Departure, target: Clip) -> Clip:
    """The target on the body of the motion that is left, its soles on the floor."""
    if not same_body(source.skeleton, target.skeleton):
        from footfall.retarget.retarget import retarget

        shown = source if isinstance(source, Clip) else source.clip
        target = retarget(target, shown if shown is not None else source.skeleton)
    return standing(target) if isinstance(source, Clip) and has_legs(target.skeleton) else target


def standing(clip: Clip) -> Clip:
    """The clip with its soles on the floor, travelling, and its first joint under it: blends move a body as one."""
    return first_joint_under_body(floor(with_travel(clip)))
