"""Transition: what every method takes and returns, so that methods are interchangeable.

A method is one file in `joins/methods/` with a function

    transition(departure: Departure, target: Clip, request: TransitionRequest) -> Transition

Methods make the raw poses; `join` puts clips and poses in a row, keeps the feet on the floor and measures the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.registry import Member, member, members
from footfall.kinematics.floor_align import FloorTransform

FAMILY = "footfall.joins.methods"
LONGEST_S = 60.0  # of a transition; by eye, many times what looks like one


JOIN_PARAMETERS = ("at_s", "enter_s", "length_s", "foot_lock", "donors")  # of every join, to suggest for what is none


@dataclass(frozen=True)
class TransitionRequest:
    """What the caller wants; None leaves it to the method."""

    length_s: float | None = None
    enter_s: float | None = None  # time of the target at which the transition hands over to it
    window_s: tuple[float, float] = (0.0, float("inf"))  # where entry is allowed, in target time
    options: Mapping[str, Any] = field(default_factory=dict)  # the method's own

    def __post_init__(self) -> None:
        if self.length_s is not None and not 0.0 < self.length_s <= LONGEST_S:
            raise ParameterError(f"a transition must last more than 0 and up to {LONGEST_S:g} s, got {self.length_s}")
        if not self.window_s[0] <= self.window_s[1]:
            raise ParameterError(f"entry is allowed from {self.window_s[0]:g} to {self.window_s[1]:g} s: never")


class SourceTrack(NamedTuple):
    """One source of a transition, frame by frame."""

    clip: str  # name; "departure" for a bare state
    time_s: np.ndarray  # (K,) seconds in that clip
    weight: np.ndarray  # (K,) share of it in the pose


class Transition(NamedTuple):
    """The frames after the departure: frame k is (k + 1) / fps later, the last one is the target's own pose, placed."""

    method: str
    pose: Pose  # (K,)
    enter_s: float  # target time of the last frame
    placement: FloorTransform  # carries the target to where the transition arrives
    tracks: tuple[SourceTrack, ...]
    note: str = ""  # why so, in words


def methods() -> dict[str, Member]:
    """Every transition method by name, with what its file says of it."""
    return members(FAMILY)


def method(name: str) -> ModuleType:
    """One method's module, imported now."""
    return member(FAMILY, name, "transition method")
