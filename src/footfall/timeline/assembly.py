"""Assembly: strips of frames, each moved over the floor as a whole, put together into one motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.core.pose import Pose
from footfall.kinematics.floor_align import FloorTransform


class Strip(NamedTuple):
    """Frames that go one after another, of continuous signs in themselves."""

    own: Pose  # (K,) in a world of its own
    placement: FloorTransform  # from there into the world of the result

    def part(self, first: int, end: int) -> Strip:
        """Some of its frames."""
        return Strip(self.own.at(slice(first, end)), self.placement)


def together(strips: Sequence[Strip]) -> Pose:
    """(T,) all strips placed, one after another, of continuous signs."""
    from footfall.joins.join_poses import place_strips

    bounds = np.cumsum([0, *(len(strip.own.root_pos) for strip in strips)])
    half = 0.5 * np.array([float(strip.placement.turn) for strip in strips])
    floors = np.column_stack([np.cos(half), np.sin(half), np.stack([strip.placement.shift for strip in strips])])
    root_pos = np.concatenate([strip.own.root_pos for strip in strips])
    rot = np.concatenate([strip.own.rot for strip in strips])
    place_strips(bounds, floors, root_pos, rot)
    slides = [strip.own.pos for strip in strips if strip.own.pos is not None]
    return Pose(root_pos, rot, np.concatenate(slides) if len(slides) == len(strips) else None)


def together_plainly(strips: Sequence[Strip]) -> Pose:
    """The readable twin of the kernel that `together` calls."""
    from footfall.core import rotation

    placed = [strip.placement.pose(strip.own) for strip in strips]
    root_pos, rot = (np.concatenate([getattr(pose, key) for pose in placed]) for key in ("root_pos", "rot"))
    slides = [pose.pos for pose in placed if pose.pos is not None]
    rot = rotation.continuous_signs(rot)
    return Pose(root_pos, rot, np.concatenate(slides) if len(slides) == len(strips) else None)
