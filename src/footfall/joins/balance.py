"""Balance: a made motion shifted over its feet so that it stays balanced, as far as the legs allow.

The zero-moment point of a linear inverted pendulum (Kajita et al. 2001) is brought towards the soles that stand: the
body is moved over feet that stay by a smooth offset, found by alternating projections onto the soles and least squares
over cubic B-splines.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from footfall.analysis.stances import FLOOR
from footfall.analysis.support_polygon import nearest_on_soles
from footfall.core.clip import Clip
from footfall.feet.join_legs import move_body
from footfall.quality.body_signals import BodySignals, body_signals, mass_path
from footfall.quality.momentum import zero_moment_point
from footfall.quality.skate import LEG_M

# By eye, on joins of captures.
KNOT_S = 0.06  # seconds between the knots of the offset
MOST_M = 0.12  # metres that a body is moved by at most
CARRIED = 0.85  # of the mass moves with the body while the feet stay
NEAR_M = 0.04  # metres from the soles: nearer is balanced
LIGHT = 0.01  # weight of the offset itself
PUSH = 2e-5  # weight of its acceleration
PROJECTIONS, ROUNDS = 40, 2


def balanced(clip: Clip, first: int, last: int) -> Clip:
    """The clip with the body of frames first to last moved over its feet, which stay."""
    inside = slice(first, last + 1)
    frames = last - first + 1
    knots = round(frames / clip.fps / KNOT_S) - 3
    signals = body_signals(clip)
    down = np.asarray(signals.down[inside])
    if knots < 3 or not down.any():
        return clip
    made, mass = clip, signals.mass
    for _ in range(ROUNDS):
        move = _offset(replace(signals, mass=mass), inside, _splines(frames, knots, clip.fps))
        moved = move_body(clip.skeleton, made.pose.at(inside), move * clip.skeleton.leg_length / LEG_M, clip.fps)
        root_pos, rot = np.array(made.pose.root_pos), np.array(made.pose.rot)
        root_pos[inside], rot[inside] = moved.root_pos, moved.rot
        made = made.with_pose(made.pose._replace(root_pos=root_pos, rot=rot))
        mass = mass_path(made)
    return made


def _offset(signals: BodySignals, inside: slice, splines: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """(K, 3) how far the body of each frame is moved, of a body whose legs are 0.86 m long."""
    point, lever = (x[inside] for x in zero_moment_point(signals))
    soles, down = signals.soles[inside][..., FLOOR], np.asarray(signals.down[inside])
    grounded = np.asarray(down.any(axis=1))
    curve, bend = splines
    moves = CARRIED * (curve - lever[:, None] * bend)  # what the point does when the body is moved
    weight = np.where(grounded, (lever.min() / lever) ** 2, 0.0)
    normal = (moves * weight[:, None]).T @ moves + LIGHT * curve.T @ curve + PUSH * bend.T @ bend
    solve = np.linalg.solve(normal, (moves * weight[:, None]).T)
    found = np.zeros((curve.shape[1], 2))
    for _ in range(PROJECTIONS):
        now = point + moves @ found
        away = np.where(grounded[:, None], now - nearest_on_soles(now, soles, down), 0.0)
        far = np.maximum(np.linalg.norm(away, axis=-1, keepdims=True), 1e-9)
        found = solve @ (now - away * np.maximum(1.0 - NEAR_M / far, 0.0) - point)
    offset = curve @ found
    offset *= min(1.0, MOST_M / max(float(np.linalg.norm(offset, axis=-1).max()), 1e-9))
    return np.stack([offset[:, 0], np.zeros(len(offset)), offset[:, 1]], axis=-1)


@lru_cache(maxsize=64)
def _splines(frames: int, knots: int, fps: float) -> tuple[np.ndarray, np.ndarray]:
    """(K, N) cubic B-splines that are at rest at both ends, and their second derivatives a second²."""
    from scipy.interpolate import BSpline

    at = np.linspace(0.0, frames - 1.0, knots + 4)
    basis = [BSpline.basis_element(at[k : k + 5], extrapolate=False) for k in range(knots)]
    x = np.arange(frames, dtype=float)
    curve = np.nan_to_num(np.stack([b(x) for b in basis], axis=1))
    bend = np.nan_to_num(np.stack([b.derivative(2)(x) for b in basis], axis=1)) * fps**2
    return curve, bend
