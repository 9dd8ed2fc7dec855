"""Playing a parametric motion at constant parameters: poses at many times at once, and when its feet are down."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.analysis.arc import unit_arc
from footfall.core.pose import Pose
from footfall.kinematics.floor_align import FloorTransform
from footfall.parametric import canonical_time
from footfall.parametric.arc_root import frames_at, path_of
from footfall.parametric.parametric_motion import ParametricMotion

Spans = dict[str, list[tuple[float, float]]]
ON_END = 1e-9  # of a round: nearer to its end than this is its end


class Played(NamedTuple):
    """A blend at some times."""

    pose: Pose  # (T,) in the world
    canonical: np.ndarray  # (T,) canonical time


def duration(motion: ParametricMotion, weights: np.ndarray, p: np.ndarray | None = None) -> float:
    """Seconds of one round or of the whole action at weights (N,)."""
    return float(canonical_time.blended_key_times(motion.blended_rates(weights, p))[..., -1])


def play(motion: ParametricMotion, weights: np.ndarray, times_s: np.ndarray, p: np.ndarray | None = None) -> Played:
    """The motion blended by weights (N,) at times (T,) from its start, which is at the origin, facing +Z.

    A loop goes on for ever; anything else holds its last pose.
    """
    key_times = canonical_time.blended_key_times(motion.blended_rates(weights, p))
    times_s = np.asarray(times_s, float)
    laps = times_s / key_times[-1]
    rounds = np.floor(laps + ON_END) if motion.is_loop else np.zeros(times_s.shape)
    t = canonical_time.to_canonical(np.maximum(times_s - rounds * key_times[-1], 0.0), key_times)
    frame = carried(motion, weights, t)
    if motion.is_loop and rounds.any():
        frame = round_of(motion, weights).power(rounds).after(frame)
    return Played(frame.pose(motion.local_pose(t, weights)), t)


def carried(motion: ParametricMotion, weights: np.ndarray, t: np.ndarray) -> FloorTransform:
    """(T,) frames of the carrier at canonical times (T,), weights (N,); at 0 it is at the origin."""
    grid = np.tensordot(motion.travel, weights, axes=([1], [0]))  # (G + 1, 3)
    frames = path_of(np.diff(grid, axis=0))
    x = np.clip(t, 0.0, 1.0) * motion.cells
    g = np.minimum(x.astype(int), motion.cells - 1)
    part = (x - g)[:, None] * (grid[g + 1] - grid[g])
    step = (part[:, 0] + 1j * part[:, 1]) * unit_arc(part[:, 2], np.ones(len(part)))
    start = frames.shift[g, 2] + 1j * frames.shift[g, 0]
    return frames_at(start + step * np.exp(1j * frames.turn[g]), frames.turn[g] + part[:, 2])


def round_of(motion: ParametricMotion, weights: np.ndarray) -> FloorTransform:
    """From the start of a round to its end."""
    end = carried(motion, weights, np.ones(1))
    return FloorTransform(end.turn[0], end.shift[0])


def contact_spans(motion: ParametricMotion, weights: np.ndarray, seconds: float, p: np.ndarray | None = None) -> Spans:
    """When heels and toes are down in the first so many seconds, from the examples' contacts in canonical time."""
    key_times = canonical_time.blended_key_times(motion.blended_rates(weights, p))
    length = float(key_times[-1])
    last = int(np.ceil(seconds / length)) if motion.is_loop else 0
    found: Spans = {}
    for part, bounds in motion.contacts.items():
        blended = np.tensordot(weights, bounds, axes=1)  # (S, 2)
        spans = []
        for lap in range(-1 if motion.is_loop else 0, last + 1):
            for bound in blended:
                whole = np.floor(bound + ON_END) if motion.is_loop else np.zeros(2)
                start, end = (lap + whole) * length + canonical_time.to_actual(bound - whole, key_times)
                if end > start and end > 0.0 and start < seconds:
                    spans.append((max(float(start), 0.0), min(float(end), seconds)))
        found[part] = _joined(spans)
    return found


def _joined(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Spans that touch as one: a foot that never lifts is down all the time."""
    joined: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1] + 1e-6:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
