"""The arc as published: Park et al. 2004, eq. 1 as printed; its turn is free and sway is not told from travel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.analysis.arc import PathFit, at_times, fit_arc, fit_path, floor_plane, least_squares, unit_arc
from footfall.analysis.key_times import KeyTime
from footfall.core.clip import Clip


def published_fit(clip: Clip, key_times: Sequence[KeyTime] | None = None) -> PathFit:
    """The printed fit over the stretch that `fit_arc` takes."""
    arc = fit_arc(clip, key_times=key_times)
    t = np.linspace(arc.start_s, arc.end_s, round((arc.end_s - arc.start_s) * clip.fps) + 1)
    return fit_free(at_times(floor_plane(clip.root_motion.position), clip.fps, t), arc.theta)


def fit_free(points: np.ndarray, theta: float) -> PathFit:
    """One path (N,), θ free too: Gauss-Newton on θ with a0 and c eliminated, from a first guess."""
    u = np.linspace(0.0, 1.0, len(points))
    tangent = np.unwrap(np.angle(np.diff(points[:: max(1, len(points) // 12)])))
    guesses = [theta, float(tangent[-1] - tangent[0]) if len(tangent) > 1 else 0.0]
    theta = min(guesses, key=lambda guess: float(fit_path(points, guess, 0).residual))
    for _ in range(30):
        fit = fit_path(points, theta, 0)
        columns = np.stack([np.ones_like(points), unit_arc(theta, u)], axis=-1)
        left = points - fit.start - fit.chord * columns[:, 1]
        slope = fit.chord * (unit_arc(theta + 1e-4, u) - unit_arc(theta - 1e-4, u)) / 2e-4
        slope = slope - columns @ least_squares(columns, slope)
        size = float((np.abs(slope) ** 2).sum())
        if size == 0.0:
            break
        step = float((slope.conj() * left).sum().real) / size
        theta += float(np.clip(step, -0.5, 0.5))
        if abs(step) < 1e-12:
            break
    return fit_path(points, theta, 0)
