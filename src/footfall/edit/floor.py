"""Floor: a clip moved up or down so that its soles stand at height 0; nothing else changes."""

from __future__ import annotations

import numpy as np

from footfall.analysis.stances import sole_level
from footfall.core.clip import Clip
from footfall.edit.sample import need_frames

ON_FLOOR_M = 0.001  # metres: a clip that stands this near to the floor stands on it


def floor(clip: Clip) -> Clip:
    """The whole clip shifted by one height: the soles of its standing feet come to y = 0.

    Where stances of a capture disagree the shift is the median of all; bending the legs to make each meet the floor is
    not this verb's business, and a floor that slopes or steps keeps its shape.
    """
    need_frames(clip, what="put on the floor")
    height = sole_level(clip)
    if abs(height) < ON_FLOOR_M:
        return clip
    root_pos = clip.pose.root_pos - np.array([0.0, height, 0.0])
    return clip.with_pose(clip.pose._replace(root_pos=root_pos))
