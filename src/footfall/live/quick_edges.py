"""Quick edges: recorded and made changes as they are gone by who is asked for another type at once.

A change plays faster where it pushes its body less hard than a viewer believes, up to what is believed
(docs/believable.md): one that was recorded at leisure comes to its end sooner, one that is brisk stays as it is. Its
speed never passes what it begins or ends with, so that what it is joined to is met as before. Steps, poses and ways are
those of the change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip
from footfall.core.easing import ease
from footfall.core.errors import SkeletonError
from footfall.graph.edges import Edge
from footfall.parametric import play
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.parametric.retimed import retimed
from footfall.quality.body_signals import low_pass, mass_path, velocity
from footfall.quality.momentum import CHANGE_S, rate

FPS = 60.0
MOST_CHANGE_M_S2, MOST_PUSH_M_S2 = 4.0, 10.0  # as hard as is believed: over 0.4 s, and at a moment
MOST_PACE = 2.0  # times the change's own. By eye
LEAST_PACE = 1.05  # a change that could be no faster than this, anywhere, stays as it is. By eye
SMOOTH_HZ = 2.5  # a pace changes no quicker. By eye
SLOWER, TRIES = 0.75, 8  # a pace that pushes too hard loses a quarter of what it has over 1, so many times at most
SLOWS_S = 0.2  # seconds in which a change that has slowed down comes to its own pace. By eye
NEAR, NEAR_M_S = 0.1, 0.1  # of the speed it ends with, or m/s: as near, it goes at it
LEAST_M_S = 0.3  # a body that is slower is not told apart from one that stands. By eye
Moments = tuple[np.ndarray, np.ndarray]  # seconds of an example as it is, and as it is hurried along; rising


def quick_edges(edges: Sequence[Edge]) -> list[Edge | None]:
    """The edges at the pace at which they are hurried along; None for one that cannot be any faster.

    An edge and its mirrored twin are of the same takes, which are looked at once.
    """
    known: dict[tuple[str, bytes], Moments] = {}
    found: list[Edge | None] = []
    for edge in edges:
        moments = [] if edge.motion is None else _all_moments(edge.motion, known)
        is_quicker = any(new[-1] < old[-1] / LEAST_PACE for old, new in moments)
        found.append(replace(edge, motion=retimed(edge.motion, moments)) if edge.motion and is_quicker else None)
    return found


def _all_moments(motion: ParametricMotion, known: dict[tuple[str, bytes], Moments]) -> list[Moments]:
    """Of every example, from what is known already where it is."""
    found = []
    for k, name in enumerate(motion.examples):
        key = name, motion.key_times[k].round(6).tobytes()
        if key not in known:
            known[key] = _moments(motion, k)
        found.append(known[key])
    return found


def _moments(motion: ParametricMotion, k: int) -> Moments:
    """Seconds of an example as it is, and as it is hurried along."""
    weights = np.eye(len(motion))[k]
    length = play.duration(motion, weights)
    times = np.linspace(0.0, length, max(int(np.ceil(length * FPS)), 4) + 1)
    fps = (len(times) - 1) / length
    try:
        mass = mass_path(Clip(motion.skeleton, fps, play.play(motion, weights, times).pose))[:, [0, 2]]
    except SkeletonError:  # what has no legs is pushed by nothing
        return times, times
    pace = _pace(mass, fps)
    own = _hardest(mass, times)
    for _ in range(TRIES):
        new = np.concatenate([[0.0], np.cumsum(np.diff(times) * 2.0 / (pace[1:] + pace[:-1]))])
        hard = _hardest(mass, new)
        if hard[0] <= max(own[0], MOST_CHANGE_M_S2) and hard[1] <= max(own[1], MOST_PUSH_M_S2):
            return times, new
        pace = 1.0 + SLOWER * (pace - 1.0)
    return times, times


def _pace(mass: np.ndarray, fps: float) -> np.ndarray:
    """(T,) how many times as fast a change may play at each moment, by the speed of its body and how that changes."""
    change, speed = _over_a_step(mass, fps)
    most = np.minimum(MOST_PACE, np.sqrt(MOST_CHANGE_M_S2 / np.maximum(change, 1e-3)))
    most = np.minimum(most, max(speed[0], speed[-1]) / np.maximum(speed, LEAST_M_S))
    most[-1] = 1.0
    pace = np.maximum(low_pass(np.maximum(most, 1.0), fps, SMOOTH_HZ), 1.0)
    since_s = (np.arange(len(mass)) - _slowed(speed)) / fps
    return 1.0 + (pace - 1.0) * (1.0 - ease(since_s / SLOWS_S))


def _slowed(speed: np.ndarray) -> int:
    """The frame from which a change that brakes into a slower gait goes at its speed: any faster, it would not have
    braked. Others have none: one that comes to rest has arrived when it has, one that speeds up is no faster anyway."""
    if not LEAST_M_S <= speed[-1] < speed[0]:
        return len(speed)
    off = speed - speed[-1] > max(NEAR * speed[-1], NEAR_M_S)
    return int(np.flatnonzero(off)[-1]) + 1 if off.any() else 0


def _hardest(mass: np.ndarray, times: np.ndarray) -> tuple[float, float]:
    """The hardest change of velocity over 0.4 s and the hardest push, m/s², of a way (T, 2) gone at times (T,)."""
    even = np.arange(0.0, times[-1], 1.0 / FPS)
    at = low_pass(np.stack([np.interp(even, times, mass[:, k]) for k in range(2)], axis=-1), FPS)
    push = np.linalg.norm(velocity(velocity(at, FPS), FPS), axis=1)
    return float(_over_a_step(at, FPS)[0].max()), float(push[2:-2].max(initial=0.0))


def _over_a_step(mass: np.ndarray, fps: float) -> tuple[np.ndarray, np.ndarray]:
    """(T,) change of velocity, m/s², and speed, m/s, of a way (T, 2), over the 0.4 s around each moment."""
    change, speed = rate(velocity(mass, fps), CHANGE_S, fps), rate(mass, CHANGE_S, fps)
    return np.linalg.norm(change, axis=1), np.linalg.norm(speed, axis=1)
