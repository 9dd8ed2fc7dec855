"""The flow of a slow walk that becomes a jog, blended frame by frame with the weights of one method."""

from __future__ import annotations

import numpy as np

from footfall.core.easing import ease
from footfall.parametric.motion_flow import Flow
from footfall.parametric.motion_flow import flow as motion_flow
from footfall.weights.weights import FittedWeights
from footfall_lab.studies.feng2012_sets import DataSet

FRAMES, FPS = 150, 30.0
FROM, TO = (0.7, 0.0, 0.0), (2.4, 0.0, 0.0)  # speed, turn, side


def flow(data: DataSet, fitted: FittedWeights) -> Flow:
    """FRAMES frames of it."""
    share = ease(np.linspace(-0.2, 1.2, FRAMES))
    p = np.array(FROM) + share[:, None] * (np.array(TO) - np.array(FROM))
    return motion_flow(data.motion, fitted.weights(p), FPS)
