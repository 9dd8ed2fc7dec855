"""Knee: largest angular speed of the knees at a join over the sources' largest: a foot lock must not pop them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from footfall.core import rotation
from footfall.core.errors import SkeletonError
from footfall.quality.joins import AFTER_S, BEFORE_S

if TYPE_CHECKING:
    from footfall.core.clip import Clip


def knee_speed(clip: Clip, join_s: float | None = None) -> float:
    """Largest angular speed of either knee in rad/s, over the clip or from 0.1 s before to 0.6 s after a join."""
    roles = clip.skeleton.roles
    knees = [knee for knee in (roles.left_knee, roles.right_knee) if knee is not None]
    if not knees:
        raise SkeletonError(
            "this skeleton has no knees footfall can find; name them: skeleton.with_roles(left_knee=…, right_knee=…)"
        )
    rot = clip.pose.rot[:, knees]
    steps = np.arange(max(len(rot) - 1, 0))  # from each frame to the next
    if join_s is not None:
        middle = (steps + 0.5) / clip.fps
        steps = steps[(middle >= join_s - BEFORE_S) & (middle <= join_s + AFTER_S)]
    speed = rotation.angle_between(rot[steps], rot[steps + 1]) * clip.fps
    return float(speed.max()) if speed.size else 0.0


def knee_ratio(clip: Clip, join_s: float, sources: Sequence[Clip]) -> float:
    """Knee speed at a join over the largest of its sources; infinite where only the join moves a knee."""
    largest = max((knee_speed(source) for source in sources), default=0.0)
    here = knee_speed(clip, join_s)
    if largest > 0.0:
        return here / largest
    return float("inf") if here > 0.0 else 0.0
