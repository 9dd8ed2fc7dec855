"""A motion played backward in time: a forward walk becomes a backward one, toes first, as people do it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip, Event
from footfall.kinematics.floor_align import between_roots
from footfall.kinematics.root import floor_root


def reversed_clip(clip: Clip, name: str) -> Clip:
    """The clip from its end to its start, moved to begin at the origin facing +Z; speeds and turns change sign."""
    backward = clip.pose.at(slice(None, None, -1))
    position, heading = floor_root(clip.skeleton, backward.at(slice(0, 1)))
    first = floor_root(clip.skeleton, clip.pose.at(slice(0, 1)))
    home = between_roots(position[0], heading[0], first[0][0], first[1][0])
    events = tuple(Event(e.name, clip.duration - e.end_s, clip.duration - e.start_s) for e in reversed(clip.events))
    parameters = {key: -value + 0.0 for key, value in clip.parameters.items()}
    moved = home.pose(backward)
    return replace(clip, pose=moved._replace(rot=np.ascontiguousarray(moved.rot)), name=name, events=events,
                   parameters=parameters)  # fmt: skip
