"""Floor: a clip moved up or down so that its feet stand at height 0."""

from __future__ import annotations

import numpy as np

from footfall.analysis.floor import find_floor
from footfall.core.clip import Clip
from footfall.edit.sample import need_frames


def floor(clip: Clip) -> Clip:
    """The whole clip shifted by one height: its standing feet's lowest joints and tips come to y = 0.

    Where the two feet of a capture disagree the shift is the mean of both; bending the legs to make each meet the
    floor is not this verb's business.
    """
    need_frames(clip, what="put on the floor")
    height = find_floor(clip).height
    root_pos = clip.pose.root_pos - np.array([0.0, height, 0.0])
    return clip.with_pose(clip.pose._replace(root_pos=root_pos))
