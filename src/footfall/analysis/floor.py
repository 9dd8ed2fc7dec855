"""Floor: how high each foot stands, measured in its own slow and low moments; y = 0 is never assumed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.foot_points import FootPoints, foot_points, standing_heights
from footfall.core.errors import ParameterError

if TYPE_CHECKING:
    from footfall.core.clip import Clip

__all__ = ["Floor", "FootPoints", "find_floor", "foot_points"]

SURE = 0.02  # of the leg: heights that spread this much while standing leave little trust in their median: by eye
APART = 0.15  # of the leg: feet that seem to stand further apart in height do not both stand: by eye


class Floor(NamedTuple):
    """Heights, in metres, at which each foot stands; pairs are left, right."""

    left: float  # of the foot's lowest point (ankle, toe or toe tip) while it stands: the floor under that foot
    right: float
    heel: tuple[float, float]  # of the ankle joints
    toe: tuple[float, float]  # of the toe joints
    how: str
    confidence: float  # 0 to 1, falling with the spread of heights while standing

    @property
    def height(self) -> float:
        """One floor for the whole clip: the mean of both feet."""
        return 0.5 * (self.left + self.right)


def find_floor(clip: Clip) -> Floor:
    """Where heels, toes and the lowest points of the feet rest: the median height of each while slow and low."""
    if clip.frames == 0:
        raise ParameterError(f"{clip.name or 'this clip'} holds only a skeleton, no frames, so it stands nowhere")
    points, leg = foot_points(clip).travelling(), clip.skeleton.leg_length
    found, spread = [], 0.0
    for paths in (points.heel, points.toe, points.lowest):
        heights = [standing_heights(paths[:, foot], clip.fps, leg) for foot in (0, 1)]
        left, right = (float(np.median(h)) for h in heights)
        spread = max(float(np.median(np.abs(h - np.median(h)))) for h in heights)
        if abs(left - right) > APART * leg:  # one foot never comes down: the other knows the floor
            left = right = min(left, right)
        found.append((left, right))
    heel, toe, lowest = found
    confidence = float(np.exp(-spread / (SURE * leg))) * (1.0 if clip.frames >= 3 else 0.3)  # of the lowest points
    return Floor(*lowest, heel, toe, "median height of each foot while low and slow", confidence)
