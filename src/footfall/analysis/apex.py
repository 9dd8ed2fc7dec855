"""Apex: when and where a reach, punch or kick gets furthest, and with which hand or foot.

Of wrists and ankles the one that strays furthest from where it starts, seen from the pelvis, is the one that acts; the
middle of the time it is furthest (a hand may rest there) is the apex. Where it is then is given in the character's own
frame at the start of the clip: origin on the floor midway between the ankles, +Z forward, +X to the left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.base_foot import joint_paths
from footfall.analysis.floor import find_floor, foot_points
from footfall.core import rotation
from footfall.core.errors import ParameterError
from footfall.core.roles import SIDES
from footfall.kinematics.floor_align import FloorTransform

if TYPE_CHECKING:
    from footfall.core.clip import Clip

LIMBS = ("wrist", "ankle")  # that may act
RATE_HZ = 60.0  # frames a second that are looked at first
HELD = 0.005  # of the excursion: while this near to the furthest, a hand is held there: by eye


class Apex(NamedTuple):
    """The furthest moment of one hand or foot."""

    t_s: float
    effector: str  # "left_wrist", "right_ankle", …
    position: np.ndarray  # (3,) metres, in the character's frame at the start
    excursion: float  # metres from where it started, seen from the pelvis


def find_apex(clip: Clip, facing: float | None = None, limbs: Sequence[str] = LIMBS) -> Apex:
    """The apex of the hand or foot that moves most; limbs: those that may be the one, where that is known.

    facing is the heading, radians, of the frame it is given in: by default that of the pelvis at the start, which in a
    fighting stance is turned well away from the target; a caller that knows better says so.
    """
    if clip.frames == 0:
        raise ParameterError(
            f"{clip.name or 'this clip'} holds only a skeleton, no frames, so nothing reaches anywhere"
        )
    roles = clip.skeleton.roles
    named = {f"{side}_{part}": getattr(roles, f"{side}_{part}") for part in limbs for side in SIDES}
    named = {name: joint for name, joint in named.items() if joint is not None}
    every = max(1, round(clip.fps / RATE_HZ))
    frames = np.arange(0, clip.frames, every)
    frame_of_start = start_frame(clip, facing)  # first: it refuses a body without feet
    paths = joint_paths(clip, [roles.pelvis, *named.values()], frames)
    against = paths[:, 1:] - paths[:, :1]
    strayed = np.linalg.norm(against - against[0], axis=-1)  # (F, effectors)
    which = int(strayed.max(axis=0).argmax())
    effector, coarse = list(named)[which], _middle(strayed[:, which]) * every
    near = np.arange(max(0, coarse - every), min(clip.frames, coarse + every + 1))
    fine = joint_paths(clip, [roles.pelvis, named[effector]], near)
    distance = np.linalg.norm(fine[:, 1] - fine[:, 0] - against[0, which], axis=-1)
    at = _middle(distance)
    position = frame_of_start.inverse().points(fine[at, 1]) - find_floor(clip).height * rotation.UP
    return Apex(float(near[at]) / clip.fps, effector, position, float(distance[at]))


def start_frame(clip: Clip, facing: float | None = None) -> FloorTransform:
    """The character's frame at the first frame: midway between the ankles, facing as the pelvis does or as told."""
    middle = foot_points(clip).heel[0].mean(axis=0) * np.array([1.0, 0.0, 1.0])
    return FloorTransform(clip.root_motion.heading[0] if facing is None else np.asarray(facing, float), middle)


def _middle(distance: np.ndarray) -> int:
    """Index of the middle of the stretch around the largest value that is as good as the largest."""
    best = int(distance.argmax())
    less = distance < (1.0 - HELD) * distance[best]
    first = int(np.flatnonzero(less[:best])[-1]) + 1 if less[:best].any() else 0
    last = best + int(np.argmax(less[best:])) - 1 if less[best:].any() else len(distance) - 1
    return (first + last) // 2
