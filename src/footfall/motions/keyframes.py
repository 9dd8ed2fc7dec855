"""Keyframes with C2 curves through them: how the targets of an action move from key to key.

Between two keys runs the quintic that meets value, velocity and acceleration at both (the minimum-jerk curve where both
keys are at rest; Flash & Hogan 1985). Where a key gives no velocity it gets the slope of monotone interpolation
(Fritsch & Butland 1984): zero at turning points, so that curves hardly overshoot their keys; and no acceleration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.motions.foot_path import Rates, quintic

Value = float | Sequence[float] | np.ndarray


class Key(NamedTuple):
    """A value (a number or a vector) at a time; velocity and acceleration only where they matter."""

    t_s: float
    value: Value
    velocity: Value | None = None
    acceleration: Value | None = None


def curve(keys: Sequence[Key | tuple[float, Value]], t: np.ndarray) -> np.ndarray:
    """(T,) or (T, D) the curve through keys in order of time, held before the first and after the last."""
    rows = [Key(*key) for key in keys]
    times = np.array([key.t_s for key in rows])
    values = np.array([np.atleast_1d(np.asarray(key.value, float)) for key in rows])  # (K, D)
    slopes = _slopes(times, values)
    rates: list[Rates] = []
    for key, value, slope in zip(rows, values, slopes, strict=True):
        velocity = slope if key.velocity is None else np.atleast_1d(np.asarray(key.velocity, float))
        turn = np.zeros_like(value) if key.acceleration is None else np.atleast_1d(np.asarray(key.acceleration, float))
        rates.append((value, velocity, turn))
    inside = np.clip(t, times[0], times[-1])
    at = np.clip(np.searchsorted(times, inside, side="right") - 1, 0, len(times) - 2)
    result = np.empty((len(t), values.shape[1]))
    for i in np.unique(at):
        now = at == i
        result[now] = quintic(inside[now], times[i], times[i + 1], rates[i], rates[i + 1])
    return result[:, 0] if np.ndim(rows[0].value) == 0 else result


def _slopes(times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(K, D) harmonic means of the slopes on both sides; zero at the ends and where the direction changes."""
    steps = np.diff(times)[:, None]
    slope = np.diff(values, axis=0) / steps
    result = np.zeros_like(values)
    before, after = slope[:-1], slope[1:]
    same = before * after > 0
    first, second = 2 * steps[1:] + steps[:-1], steps[1:] + 2 * steps[:-1]
    safe = np.where(same, first / np.where(same, before, 1.0) + second / np.where(same, after, 1.0), 1.0)
    result[1:-1] = np.where(same, (first + second) / safe, 0.0)
    return result


def pulse(
    start_s: float, peak_s: float, end_s: float, t: np.ndarray, dip: float = 0.0, hold_s: float = 0.0
) -> np.ndarray:
    """(T,) 0 to 1 at the peak and back to 0; first a dip the other way (anticipation), then a hold at the peak."""
    keys: list[tuple[float, Value]] = [(start_s, 0.0)]
    if dip:
        keys.append((start_s + 0.38 * (peak_s - start_s), -dip))
    keys.append((peak_s - 0.5 * hold_s, 1.0))
    if hold_s:
        keys.append((peak_s + 0.5 * hold_s, 1.0))
    keys.append((end_s, 0.0))
    return curve(keys, t)


def rates_at(path: np.ndarray, t: np.ndarray, time: float) -> Rates:
    """Value, velocity and acceleration of sampled values (T, D) at a time, from the samples around it."""
    from scipy.interpolate import CubicSpline

    near = slice(max(int(np.searchsorted(t, time)) - 6, 0), int(np.searchsorted(t, time)) + 7)
    spline = CubicSpline(t[near], path[near])
    return spline(time), spline(time, 1), spline(time, 2)
