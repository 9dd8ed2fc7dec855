"""Alone: what the judge can say about one clip whose sources are unknown, compared with untouched captures.

Nothing is judged here: a clip beyond these values does something few captures do, which may be what it is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footfall.core.errors import SkeletonError
from footfall.quality import liveliness, momentum, step_norms
from footfall.quality.body_signals import BodySignals, body_signals
from footfall.quality.judged_figures import JudgedFigure

if TYPE_CHECKING:
    from footfall.core.clip import Clip

LEAST_FRAMES = 4
# what 95 % of untouched captures stay under (footfall_lab.studies.believable_untouched, 77 captures of 12 people)
USUAL = {
    "floor_cm": 7.5,
    "push_m_s2": 9.2,
    "change_m_s2": 5.5,
    "balance_cm": 61.0,
    "flight_s": 0.47,
    "turning_deg_s": 231.0,
    "still_s": 0.02,  # none of them repeats a frame: one frame is let pass
    "depth_cm": 2.6,
}


def figures_alone(clip: Clip) -> dict[str, JudgedFigure]:
    """The judge's figures that need no source, each with what is usual; none for bodies without two feet."""
    if clip.frames < LEAST_FRAMES:
        return {}
    try:
        s = body_signals(clip)
    except SkeletonError:
        return {}
    return {name: JudgedFigure(value, USUAL[name], "") for name, value in _values(clip, s).items()}


def _values(clip: Clip, s: BodySignals) -> dict[str, float]:
    def largest(x: np.ndarray) -> float:
        return float(momentum.inside(x, s.fps).max(initial=0.0))

    balance = momentum.inside(momentum.balance(s), s.fps)
    balance = balance[np.isfinite(balance)]
    levels = [stance.level for stance in s.stances]
    return {
        "floor_cm": 100.0 * float(np.ptp(levels)) if levels else 0.0,
        "push_m_s2": largest(momentum.push(s)),
        "change_m_s2": largest(momentum.change(s)),
        "balance_cm": 100.0 * float(np.quantile(balance, 0.95)) if len(balance) else 0.0,
        "flight_s": step_norms.longest_flight_s(s.down, s.fps),
        "turning_deg_s": largest(momentum.yaw_rate(s)),
        "still_s": liveliness.repeated_s(clip, 0, clip.frames),
        "depth_cm": 100.0 * float(s.depth.max()),
    }
