"""Travel: the movement over the floor that a walk or run on the spot lacks, restored; `in_place` removes it."""

from __future__ import annotations

from footfall.analysis.foot_points import foot_points
from footfall.core.clip import Clip
from footfall.core.errors import SkeletonError
from footfall.core.once import once


def with_travel(clip: Clip) -> Clip:
    """A clip on the spot moved over the floor as its feet go back (`analysis.on_the_spot`), so that they stand where
    they are down. A clip that travels, stands, or has no two feet is returned as it is."""
    return _moved(clip) or clip


@once
def _moved(clip: Clip) -> Clip | None:
    try:
        belt = foot_points(clip).belt
    except SkeletonError:
        return None
    return clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos + belt.travel)) if belt else None
