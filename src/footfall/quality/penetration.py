"""Penetration: how deep heels and toes go under the floor they stand on, in cm."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.floor import Floor, find_floor, foot_points

if TYPE_CHECKING:
    from footfall.core.clip import Clip


class Penetration(NamedTuple):
    deepest_cm: float
    mean_cm: float  # over all frames, heels and toes; 0 while above the floor


def penetration(clip: Clip, floor: Floor | None = None, frames: slice = slice(None)) -> Penetration:
    """Depth under each foot's own stance median, or under heights known from elsewhere (the sources of a join); of
    some frames where only they are asked for."""
    if clip.times[frames].size == 0:
        return Penetration(0.0, 0.0)
    floor = floor or find_floor(clip)
    points = foot_points(clip)
    depth = np.concatenate(
        [np.array(floor.heel) - points.heel[..., 1], np.array(floor.toe) - points.toe[..., 1]], axis=1
    )[frames]  # (T, 4)
    depth = 100.0 * np.maximum(depth, 0.0)
    return Penetration(float(depth.max()), float(depth.mean()))
