"""The posture at the apex of an action: how trunk and legs share in bringing a shoulder near enough to a target.

A small least-squares problem over nine numbers: how far the pelvis goes down, the angles of pelvis and chest, and how far
the centre of mass moves over the floor. Each has a resting value and a cost; the shoulder must come within reach of the
target, and the arm should not have to reach far back or across.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.motions import action, arms, rig
from footfall.motions.starts import Start


class Freedom(NamedTuple):
    """Rest, cost scale and limits of: pelvis down, pelvis yaw pitch roll, chest yaw pitch roll, mass left and forward.

    Metres and degrees.
    """

    rest: np.ndarray  # (9,)
    scale: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Posture(NamedTuple):
    """The trunk at the apex."""

    down: float
    turn: np.ndarray  # (3,) degrees
    chest: np.ndarray  # (3,)
    shift: np.ndarray  # (2,) metres of the centre of mass, left and forward


def apex_posture(start: Start, target: np.ndarray, freedom: Freedom, far: tuple[float, float]) -> Posture:
    """Posture in which the right wrist can be at target (3,) with its shoulder between far[0] and far[1] arm lengths away."""
    from scipy.optimize import least_squares

    balance = start.balance()[[0, 2]]

    def residuals(q: np.ndarray) -> np.ndarray:  # (N, 9) -> (N, 13)
        aim = right_aim(start, target, q, balance)  # from the shoulder, chest's frame, in arm lengths
        away = np.linalg.norm(aim, axis=-1)
        behind = -aim[:, 2] / away - 0.1  # an arm reaches back only so far: then the trunk turns
        across = -aim[:, 0] / away - 0.35
        room = [14.0 * _ramp(away - far[1]), 14.0 * _ramp(far[0] - away), 3.0 * _ramp(behind), 3.0 * _ramp(across)]
        return np.column_stack([(q - freedom.rest) / freedom.scale, *room])

    step = 1e-3 * freedom.scale
    tried: dict[bytes, np.ndarray] = {}

    def around(q: np.ndarray) -> np.ndarray:  # (10, 13) residuals at q and a step away from it in every direction
        if q.tobytes() not in tried:
            tried[q.tobytes()] = residuals(np.vstack([q, q + np.diag(step)]))
        return tried[q.tobytes()]

    def value(q: np.ndarray) -> np.ndarray:
        return around(q)[0]

    def jacobian(q: np.ndarray) -> np.ndarray:
        return ((around(q)[1:] - around(q)[0]) / step[:, None]).T

    inside = np.clip(freedom.rest, freedom.low + 1e-6, freedom.high - 1e-6)
    q = least_squares(value, inside, jacobian, bounds=(freedom.low, freedom.high), max_nfev=10, xtol=1e-3, ftol=1e-3).x
    return Posture(float(q[0]), q[1:4], q[4:7], q[7:])


def right_aim(start: Start, target: np.ndarray, q: np.ndarray, balance: np.ndarray) -> np.ndarray:
    """(N, 3) from the right shoulder to the target for postures q (N, 9): chest's frame mirrored to the left, in arms."""
    plan = start.plan(np.zeros(len(q)))
    plan = replace(
        plan,
        pelvis=plan.pelvis - q[:, :1] * rotation.UP,
        turn=q[:, 1:4],
        chest=q[:, 4:7],
        mass=balance + q[:, 7:],
        right=replace(plan.right, target=target, share=np.ones(len(q))),
    )
    pelvis = action.settle(plan, rounds=1, bounded=False)
    place, turn = rig.chest_frame(pelvis, action.turned(plan.turn), action.turned(plan.chest))
    seen = rotation.rotate(rotation.conjugate(turn), target - place) * arms.MIRROR
    return (seen - arms.girdle_of(seen)[1]) / arms.ARM


def _ramp(x: np.ndarray) -> np.ndarray:
    """0 below, x above, with a soft knee of 2 %."""
    return 0.02 * np.logaddexp(0.0, x / 0.02)
