"""Jerk: root mean square of the third difference of joint positions, in m/s³."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from footfall.quality.joins import AFTER_S, BEFORE_S, measured_joints

if TYPE_CHECKING:
    from footfall.core.clip import Clip


def jerk(clip: Clip, join_s: float | None = None) -> float:
    """RMS over joints and frames, of the clip or from 0.1 s before to 0.6 s after a join; 0 for under four frames."""
    if clip.frames < 4:
        return 0.0
    third = np.diff(clip.positions[:, measured_joints(clip)], n=3, axis=0) * clip.fps**3  # (T-3, J, 3)
    if join_s is not None:
        middle = (np.arange(len(third)) + 1.5) / clip.fps
        third = third[(middle >= join_s - BEFORE_S) & (middle <= join_s + AFTER_S)]
    return float(np.sqrt((third**2).sum(axis=-1).mean())) if third.size else 0.0


def jerk_ratio(clip: Clip, join_s: float, sources: Sequence[Clip]) -> float:
    """Jerk at a join over the RMS of its sources, all at the same frame rate; 0 where nothing jerks at all."""
    of_sources = [jerk(source.resample(clip.fps)) for source in sources]
    usual = float(np.sqrt(np.mean(np.square(of_sources)))) if of_sources else 0.0
    here = jerk(clip, join_s)
    if usual > 0.0:
        return here / usual
    return float("inf") if here > 0.0 else 0.0
