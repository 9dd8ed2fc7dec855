"""Speed: a clip played faster or slower at the same frame rate."""

from __future__ import annotations

import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.edit.resample import stretch


def speed(clip: Clip, factor: float) -> Clip:
    """Played `factor` times as fast: 2 halves the duration, 0.5 doubles it."""
    if not (np.isfinite(factor) and 0.01 <= factor <= 100.0):
        raise ParameterError(f"a speed factor is a number from 0.01 to 100, not {factor}")
    if factor == 1.0:
        return clip
    return stretch(clip, clip.duration / factor, clip.fps)
