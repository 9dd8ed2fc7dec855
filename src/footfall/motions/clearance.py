"""How much a swinging foot is raised so that heel, ball and toe tip pass over the floor and not along it.

People keep their toes 1 to 2 cm over the floor in mid-swing, and the heel comes down only as it slows down (Winter
1992, Foot trajectory in human gait). So a sole point has to be the higher the faster it moves. The lift added to the
ankle is a spline, zero with its rate and acceleration at both ends of the swing, that keeps these heights with the
least jerk and the least lift: like a beam on an elastic bed, pushed up from below by what is required.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from footfall.core import rotation
from footfall.core.easing import ease
from footfall.motions.body import ANKLE_HEIGHT, BALL_FORWARD, BALL_HEIGHT, HEEL_BACK, TIP_HEIGHT, TOE_LENGTH

HEEL = np.array([0.0, -ANKLE_HEIGHT, -HEEL_BACK])  # from the ankle, foot flat
BALL = np.array([0.0, BALL_HEIGHT - ANKLE_HEIGHT, BALL_FORWARD])
TIP = np.array([0.0, TIP_HEIGHT - BALL_HEIGHT, TOE_LENGTH])  # from the ball, toes straight
CLEAR = 0.0125  # metres: what is required of a sole point in mid-swing, or that moves at FAST
FAST = 2.0  # m/s
RISE_S = 0.06  # seconds after leaving and before landing in which it gets there without haste
MIDDLE = 0.2  # share of a swing after which, and before whose end, its slow points are high too
DEGREE = 5  # of the spline
KNOTS = 16  # its pieces
REACH = 0.06  # share of a swing over which a push dies away
NEGLIGIBLE = 2e-4  # metres


def foot_rotation(yaw: np.ndarray, pitch: np.ndarray) -> np.ndarray:
    """World rotation of a foot: pitch about its own left axis (toe up positive), then yaw."""
    return rotation.multiply(rotation.yaw(yaw), rotation.axis_angle(rotation.AXES["X"], -pitch))


def standing_ankle(x: float, z: float, yaw: float, pitch: np.ndarray) -> np.ndarray:
    """(T, 3) ankle of a foot that stands at (x, z) with pitch (T,): it turns about heel or ball, which stay still."""
    flat = np.array([x, ANKLE_HEIGHT, z])
    pivot = np.where((pitch > 0)[:, None], HEEL, BALL)
    turn = foot_rotation(np.full_like(pitch, yaw), pitch)
    return flat + rotation.rotate(rotation.yaw(yaw), pivot) - rotation.rotate(turn, pivot)


def sole_points(ankle: np.ndarray, yaw: np.ndarray, pitch: np.ndarray, toe_bend: np.ndarray) -> np.ndarray:
    """(T, 3, 3) heel, ball and toe tip of a foot, where its sole is: 0 high on the floor."""
    foot, toes = foot_rotation(yaw, pitch), foot_rotation(yaw, pitch + toe_bend)
    ball = ankle + rotation.rotate(foot, BALL)
    heel, tip = ankle + rotation.rotate(foot, HEEL), ball + rotation.rotate(toes, TIP)
    return np.stack([heel, ball - BALL_HEIGHT * rotation.UP, tip - TIP_HEIGHT * rotation.UP], axis=1)


def lift(t: np.ndarray, ends: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(T,) metres to raise a foot whose sole points (T, 3, 3) are given at times t inside the swing `ends`."""
    if len(t) < 3:
        return np.zeros(len(t))
    share = (t - ends[0]) / (ends[1] - ends[0])
    speed = np.linalg.norm(np.gradient(points, t, axis=0)[..., [0, 2]], axis=-1)  # (T, 3)
    inside = np.minimum(share, 1.0 - share)
    risen = ease(inside / min(RISE_S / (ends[1] - ends[0]), MIDDLE))
    required = CLEAR * np.minimum(risen[:, None], np.maximum(ease(speed / FAST), ease(inside / MIDDLE)[:, None]))
    short = (required - points[..., 1]).max(axis=1)
    return raised(share, np.where(short > NEGLIGIBLE, short, 0.0))


def raised(share: np.ndarray, short: np.ndarray) -> np.ndarray:
    """(T,) the gentlest lift of at least `short` (T,), at shares of the swing in 0 to 1.

    Least-distance programming: Lawson & Hanson 1974, Solving Least Squares Problems, chapter 23, section 4.
    """
    most = float(short.max(initial=0.0))
    if most <= 0.0:
        return np.zeros(len(share))
    from scipy.optimize import nnls

    shapes = _basis(share) @ _gentle()  # (T, K): coefficients whose squares sum to the cost
    _, knots = shapes.shape
    dual = np.vstack([shapes.T, short / most])
    weights, _ = nnls(dual, np.append(np.zeros(knots), 1.0))
    rest = dual @ weights - np.append(np.zeros(knots), 1.0)
    return np.maximum(shapes @ (rest[:-1] / -rest[-1]) * most, 0.0)


def _basis(share: np.ndarray, derivative: int = 0) -> np.ndarray:
    """(T, KNOTS - 1) B-splines that are zero, with their rate and acceleration, at shares 0 and 1."""
    from scipy.interpolate import BSpline

    even = np.linspace(0.0, 1.0, KNOTS + 1)
    closer = 0.5 * even + 0.25 * (1.0 - np.cos(np.pi * even))  # at the ends, where the lift has least room
    knots = np.concatenate([np.zeros(DEGREE), closer, np.ones(DEGREE)])
    every = BSpline(knots, np.eye(KNOTS + DEGREE), DEGREE)
    values = every(share, nu=derivative)
    return np.asarray(values[:, 3:-3])


@cache
def _gentle() -> np.ndarray:
    """(K, K) from coefficients with a unit cost to those of the basis: the inverse of the cost's root."""
    fine = (np.arange(400) + 0.5) / 400
    jerks, lifts = _basis(fine, 3) * REACH**3, _basis(fine)
    cost = np.linalg.cholesky((jerks.T @ jerks + lifts.T @ lifts) / len(fine))
    return np.linalg.inv(cost).T
