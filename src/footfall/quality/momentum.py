"""Momentum: how hard the centre of mass is pushed, how fast the body goes, and whether its feet could carry it.

Push and balance are those of a body with mass: acceleration of the centre of mass over the floor, and the distance of
the zero-moment point (linear inverted pendulum; Vukobratović & Borovac 2004) from the soles that stand.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from footfall.analysis.stances import FLOOR
from footfall.core.once import once
from footfall.quality.body_signals import EDGE_S, GRAVITY, BodySignals, low_pass, velocity

CHANGE_S = 0.4  # over which a change of velocity is averaged: about one step
SWING_PEAK = 2.0  # peak over mean speed of a swinging foot; 1.9 for the built-in gaits


@once
def push(s: BodySignals) -> np.ndarray:
    """(T,) horizontal acceleration of the centre of mass, m/s²."""
    return np.asarray(np.linalg.norm(velocity(velocity(s.mass[:, FLOOR], s.fps), s.fps), axis=-1))


@once
def change(s: BodySignals) -> np.ndarray:
    """(T,) change of the centre of mass's horizontal velocity over the 0.4 s around each frame, m/s² on average."""
    v = velocity(s.mass[:, FLOOR], s.fps)
    half = max(1, round(0.5 * CHANGE_S * s.fps))
    frames = np.arange(len(v))
    after, before = np.minimum(frames + half, len(v) - 1), np.maximum(frames - half, 0)  # half as long at the ends
    return np.asarray(np.linalg.norm(v[after] - v[before], axis=-1) / (np.maximum(after - before, 1) / s.fps))


@once
def pelvis_speed(s: BodySignals) -> np.ndarray:
    """(T,) horizontal, m/s."""
    return np.asarray(np.linalg.norm(velocity(low_pass(s.pelvis[:, FLOOR], s.fps), s.fps), axis=-1))


@once
def foot_speed(s: BodySignals) -> np.ndarray:
    """(T, 2) of the balls of both feet, horizontal, m/s."""
    return np.asarray(np.linalg.norm(velocity(low_pass(s.soles[:, :, 1][..., FLOOR], s.fps, 12.0), s.fps), axis=-1))


@once
def yaw_rate(s: BodySignals) -> np.ndarray:
    """(T,) degrees a second."""
    return np.asarray(np.abs(np.degrees(velocity(low_pass(s.heading, s.fps), s.fps))))


def inside(x: np.ndarray, fps: float) -> np.ndarray:
    """The values that are not next to a clip's ends, where differences are not to be trusted."""
    edge = round(EDGE_S * fps)
    return x[edge:-edge] if len(x) > 4 * edge + 1 else x


@once
def balance(s: BodySignals) -> np.ndarray:
    """(T,) metres from the zero-moment point to the polygon of the soles that stand; NaN where none does."""
    acceleration = velocity(velocity(s.mass, s.fps), s.fps)
    height = s.mass[:, 1] - s.floor
    zmp = s.mass[:, FLOOR] - acceleration[:, FLOOR] * (height / np.maximum(GRAVITY + acceleration[:, 1], 2.0))[:, None]
    return distance_to_soles(zmp, s)


def distance_to_soles(points: np.ndarray, s: BodySignals) -> np.ndarray:
    """(T,) metres from points (T, 2) on the floor to the convex hull of the soles that stand; NaN where none does."""
    corners = s.soles[..., FLOOR].reshape(len(points), 6, 2)
    standing = np.repeat(s.down, 3, axis=1)  # (T, 6)
    best = np.full(len(points), np.inf)
    for a, b in combinations(range(6), 2):
        both = standing[:, a] & standing[:, b]
        best = np.where(both, np.minimum(best, _to_segment(points, corners[:, a], corners[:, b])), best)
    for a, b, c in combinations(range(6), 3):
        held = standing[:, a] & standing[:, b] & standing[:, c]
        best = np.where(held & _in_triangle(points, corners[:, a], corners[:, b], corners[:, c]), 0.0, best)
    return np.where(s.down.any(axis=1), best, np.nan)


def _to_segment(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    way = b - a
    along = np.clip(((p - a) * way).sum(axis=-1) / np.maximum((way * way).sum(axis=-1), 1e-12), 0.0, 1.0)
    return np.asarray(np.linalg.norm(p - a - along[:, None] * way, axis=-1))


def _in_triangle(p: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    def side(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.asarray((v[:, 0] - u[:, 0]) * (p[:, 1] - u[:, 1]) - (v[:, 1] - u[:, 1]) * (p[:, 0] - u[:, 0]))

    sides = np.stack([side(a, b), side(b, c), side(c, a)])
    return np.asarray((sides >= 0.0).all(axis=0) | (sides <= 0.0).all(axis=0))
