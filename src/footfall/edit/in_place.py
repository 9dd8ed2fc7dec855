"""In place: travel over the floor removed, sway, bob and facing kept."""

from __future__ import annotations

import numpy as np

from footfall.core.clip import Clip
from footfall.edit.sample import need_frames
from footfall.edit.smooth import low_pass

TRAVEL_HZ = 0.4  # slower than this is travel; a stride's sway is about 1 Hz; by eye


def in_place(clip: Clip) -> Clip:
    """The clip less the smooth path of its pelvis over the floor; it stays where it started.

    A steady straight walk loses its line exactly. A loop ends where it began, so that it goes round on the spot.
    """
    need_frames(clip, what="put in place")
    path = travel(clip)
    return clip.with_pose(clip.pose._replace(root_pos=clip.pose.root_pos - (path - path[:1])))


def travel(clip: Clip) -> np.ndarray:
    """(T, 3) smooth path of the pelvis over the floor, y = 0."""
    pelvis = clip.positions[:, clip.skeleton.roles.pelvis] * np.array([1.0, 0.0, 1.0])
    if clip.frames < 4:  # too short to tell travel from sway: the line from the first frame to the last
        return pelvis[:1] + np.linspace(0.0, 1.0, clip.frames)[:, None] * (pelvis[-1:] - pelvis[:1])
    path = low_pass(pelvis, clip.fps, TRAVEL_HZ, order=2, pin_ends=False)
    if clip.is_loop:
        missing = (pelvis[-1] - pelvis[0]) - (path[-1] - path[0])
        path = path + np.linspace(0.0, 1.0, clip.frames)[:, None] * missing
    return path
