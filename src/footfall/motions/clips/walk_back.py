"""Walking backward, a loop of two steps: speed in m/s (positive is backward), turn in degrees a second."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip, Event
from footfall.kinematics.floor_align import between_roots
from footfall.kinematics.root import floor_root
from footfall.motions.clips import walk


def make(speed: float = 0.9, turn: float = 0.0, cycles: int = 1) -> Clip:
    return _reversed(walk.make(speed, -turn, cycles=cycles), "walk_back")


def _reversed(clip: Clip, name: str) -> Clip:
    """The clip from its end to its start, toes first, as people walk backward; speeds and turns change sign.

    It is moved to begin at the origin facing +Z.
    """
    backward = clip.pose.at(slice(None, None, -1))
    position, heading = floor_root(clip.skeleton, backward.at(slice(0, 1)))
    first = floor_root(clip.skeleton, clip.pose.at(slice(0, 1)))
    home = between_roots(position[0], heading[0], first[0][0], first[1][0])
    events = tuple(Event(e.name, clip.duration - e.end_s, clip.duration - e.start_s) for e in reversed(clip.events))
    parameters = {key: -value + 0.0 for key, value in clip.parameters.items()}
    moved = home.pose(backward)
    return replace(clip, pose=moved._replace(rot=np.ascontiguousarray(moved.rot)), name=name, events=events,
                   parameters=parameters)  # fmt: skip
