"""Stances: each time a foot stands, where, and how high its sole is; and the one height a whole clip stands at.

Soles, not joints, touch the floor: the toe joint of a captured foot lies some 2 cm over it. The height of a clip is the
median of its stances, so that one floor that slopes, or a foot captured higher than the other, moves nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.foot_points import BALL_UP, foot_points
from footfall.core.once import once
from footfall.core.roles import SIDES

if TYPE_CHECKING:
    from footfall.core.clip import Clip

FLOOR = [0, 2]  # x and z
LANDING = 0.15  # share of a contact, at either end, in which the foot lands or lifts. By eye, as quality.slide
LEVEL_SHARE = 0.25  # quantile of a standing sole's height that is its level: a rolling foot is higher before and after
LOWEST_SHARE = 0.05  # quantile of all soles' heights that is the floor where no foot is found to stand


class Stance(NamedTuple):
    """One contact of one foot."""

    foot: int  # 0 left, 1 right
    start_s: float
    end_s: float
    level: float  # how high its sole stands, metres
    whole: bool  # not cut by an end of the clip
    place: np.ndarray  # (2,) where its ball stands, metres


@once
def sole_points(clip: Clip) -> np.ndarray:
    """(T, 2, 3, 3) heel, ball and tip of both soles, metres: what touches the floor, under the joints."""
    soles = np.array(foot_points(clip).sole)
    soles[:, :, 1:, 1] -= BALL_UP * clip.skeleton.leg_length  # balls and tips are joints, over the sole
    return soles


@once
def find_stances(clip: Clip) -> tuple[Stance, ...]:
    """Every contact of both feet, in order of time."""
    soles, found = sole_points(clip), []
    for foot, side in enumerate(SIDES):
        for start_s, end_s in clip.contacts.spans(side):
            edge = LANDING * (end_s - start_s)
            a, b = round((start_s + edge) * clip.fps), round((end_s - edge) * clip.fps)
            part = soles[max(a, 0) : b + 1, foot, :2]  # heel and ball
            if len(part):
                level = float(np.quantile(part[..., 1].min(axis=1), LEVEL_SHARE))
                whole = start_s > 1e-6 and end_s < clip.duration - 1e-6
                found.append(Stance(foot, start_s, end_s, level, whole, np.median(part[:, 1][:, FLOOR], axis=0)))
    return tuple(sorted(found, key=lambda s: s.start_s))


def sole_level(clip: Clip) -> float:
    """How high the soles of a clip stand, metres: one number for the whole clip."""
    stances = find_stances(clip)
    if stances:
        return float(np.median([s.level for s in stances]))
    return float(np.quantile(sole_points(clip)[..., 1].min(axis=(1, 2)), LOWEST_SHARE))
