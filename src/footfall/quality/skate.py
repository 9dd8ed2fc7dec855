"""Skate: how fast toes move over the floor while they are near it, in cm/s.

It asks only for heights, not for detected contacts, so it cannot be fooled by a contact detector. Per frame and foot:
horizontal speed of the toe joint times 2 - 2^clamp(h / 2.5 cm, 0, 1), h the toe's height above its own 5 % quantile,
the body scaled to 0.86 m from hip to ankle (the weight of Zhang et al. 2018, "Mode-adaptive neural networks").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis.floor import foot_points
from footfall.analysis.foot_signals import LEG_M

if TYPE_CHECKING:
    from footfall.core.clip import Clip

NEAR_M = 0.025  # height at which a toe no longer counts: published (Zhang et al. 2018)
QUANTILE = 0.05  # of a toe's heights, that is its floor
BEFORE_S, AFTER_S = 0.1, 1.0  # of a join: where it is looked at
LEAST_CM_S = 1.0  # ratios are never taken to less: sources can be cleaner than any capture


def skate(clip: Clip) -> float:
    """Mean over feet and frames, cm/s; 0 for clips of fewer than two frames."""
    weighted = skate_speeds(clip)
    return float(weighted.mean()) if weighted.size else 0.0


def skate_window(clip: Clip, join_s: float) -> float:
    """The same from 0.1 s before to 1.0 s after join_s, the first frame that is no longer the first clip's pose."""
    weighted = skate_speeds(clip)  # entry i is the step from frame i to i + 1
    middle = (np.arange(len(weighted)) + 0.5) / clip.fps
    inside = weighted[(middle >= join_s - BEFORE_S) & (middle <= join_s + AFTER_S)]
    return float(inside.mean()) if inside.size else 0.0


def skate_between(clip: Clip, seam: int, here: slice, own: slice) -> float:
    """The mean over some frames, toes before and from the seam on each against the floor of their own part; own: frames
    that tell where that is."""
    toe = foot_points(clip).toe[..., 1]
    floors = (np.quantile(part, QUANTILE, axis=0) for part in (toe[own.start : seam + 1], toe[seam : own.stop]))
    before, after = (skate_speeds(clip, floor) for floor in floors)
    both = np.concatenate([before[here.start : seam], after[max(seam, here.start) : here.stop]])
    return float(both.mean()) if both.size else 0.0


def skate_ratio(clip: Clip, join_s: float, sources: Sequence[Clip]) -> float:
    """Skate at a join over the mean skate of the clips it was made from."""
    of_sources = float(np.mean([skate(source) for source in sources])) if sources else 0.0
    return skate_window(clip, join_s) / max(of_sources, LEAST_CM_S)


def skate_speeds(clip: Clip, lowest: np.ndarray | None = None) -> np.ndarray:
    """(T-1, 2) cm/s, left and right, one row for each step from frame to frame; lowest (2,): heights that are down."""
    if clip.frames < 2:
        return np.zeros((0, 2))
    scale = LEG_M / clip.skeleton.leg_length
    toe = foot_points(clip).toe * scale  # (T, 2, 3)
    speed = np.linalg.norm(np.diff(toe[..., [0, 2]], axis=0), axis=-1) * clip.fps
    height = toe[..., 1] - (np.quantile(toe[..., 1], QUANTILE, axis=0) if lowest is None else scale * lowest)
    height = 0.5 * (height[1:] + height[:-1])
    return 100.0 * speed * (2.0 - 2.0 ** np.clip(height / NEAR_M, 0.0, 1.0))
