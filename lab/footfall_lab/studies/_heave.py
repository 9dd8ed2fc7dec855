"""Heave: how hard a pelvis goes up and down, for studies that compare two clips."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footfall.quality.body_signals import low_pass

if TYPE_CHECKING:
    from footfall.core.clip import Clip


def heave(clip: Clip) -> float:
    """The largest vertical acceleration of the pelvis, m/s², below the 6 Hz above which captures are noise."""
    height = low_pass(clip.positions[:, clip.skeleton.roles.pelvis], clip.fps)[:, 1]
    edge = max(2, round(0.1 * clip.fps))
    return float(np.abs(np.diff(height, n=2)[edge:-edge]).max(initial=0.0)) * clip.fps**2
