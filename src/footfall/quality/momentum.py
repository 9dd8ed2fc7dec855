"""Momentum: how hard the centre of mass is pushed, how fast the body goes, and whether its feet could carry it.

Push and balance are those of a body with mass: acceleration of the centre of mass over the floor, and the distance of
the zero-moment point (linear inverted pendulum; Vukobratović & Borovac 2004) from the soles that stand.
"""

from __future__ import annotations

import numpy as np

from footfall.analysis.stances import FLOOR
from footfall.analysis.support_polygon import nearest_on_soles
from footfall.core.once import once
from footfall.quality.body_signals import EDGE_S, GRAVITY, BodySignals, low_pass, velocity

CHANGE_S = 0.4  # over which a change of velocity is averaged: about one step
HAND_S = 0.1  # over which the speed of a hand is taken: what shakes is judged by its detail
LEAST_WEIGHT_M_S2 = 2.0  # m/s²: a body that falls faster has no weight to balance. By eye


@once
def push(s: BodySignals) -> np.ndarray:
    """(T,) horizontal acceleration of the centre of mass, m/s²."""
    return np.asarray(np.linalg.norm(velocity(velocity(s.mass[:, FLOOR], s.fps), s.fps), axis=-1))


@once
def change(s: BodySignals) -> np.ndarray:
    """(T,) change of the centre of mass's horizontal velocity over the 0.4 s around each frame, m/s² on average."""
    v = velocity(s.mass[:, FLOOR], s.fps)
    return np.asarray(np.linalg.norm(rate(v, CHANGE_S, s.fps), axis=-1))


def rate(x: np.ndarray, over_s: float, fps: float) -> np.ndarray:
    """How x (T, …) changes around each frame, a second, over some time; over half of it at the ends."""
    half, frames = max(1, round(0.5 * over_s * fps)), np.arange(len(x))
    after, before = np.minimum(frames + half, len(x) - 1), np.maximum(frames - half, 0)
    seconds = np.maximum(after - before, 1) / fps
    return np.asarray((x[after] - x[before]) / seconds.reshape(-1, *[1] * (x.ndim - 1)))


@once
def pelvis_speed(s: BodySignals) -> np.ndarray:
    """(T,) horizontal, m/s."""
    return np.asarray(np.linalg.norm(velocity(low_pass(s.pelvis[:, FLOOR], s.fps), s.fps), axis=-1))


@once
def foot_speed(s: BodySignals) -> np.ndarray:
    """(T, 2) of the balls of both feet, horizontal, m/s."""
    return np.asarray(np.linalg.norm(velocity(low_pass(s.soles[:, :, 1][..., FLOOR], s.fps, 12.0), s.fps), axis=-1))


@once
def hand_speed(s: BodySignals) -> np.ndarray:
    """(T,) of the faster wrist as seen from the pelvis, over 0.1 s, m/s; 0 for a body without wrists."""
    return np.asarray(np.linalg.norm(rate(s.hands, HAND_S, s.fps), axis=-1).max(axis=1, initial=0.0))


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
    return distance_to_soles(zero_moment_point(s)[0], s)


def zero_moment_point(s: BodySignals) -> tuple[np.ndarray, np.ndarray]:
    """(T, 2) the point, metres; and (T,) by how much an acceleration of 1 m/s² of the mass moves it back."""
    acceleration = velocity(velocity(s.mass, s.fps), s.fps)
    lever = (s.mass[:, 1] - s.floor) / np.maximum(GRAVITY + acceleration[:, 1], LEAST_WEIGHT_M_S2)
    return s.mass[:, FLOOR] - acceleration[:, FLOOR] * lever[:, None], lever


def distance_to_soles(points: np.ndarray, s: BodySignals) -> np.ndarray:
    """(T,) metres from points (T, 2) on the floor to the convex hull of the soles that stand; NaN where none does."""
    return np.asarray(np.linalg.norm(points - nearest_on_soles(points, s.soles[..., FLOOR], s.down), axis=-1))
