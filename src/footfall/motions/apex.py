"""The posture at the apex of an action: how trunk and legs share in bringing a shoulder near enough to a target.

A small least-squares problem over seven numbers: how far the pelvis goes down, and the angles of pelvis and chest.
Each has a resting value and a cost; the shoulder must come within reach of the target and the arm point forward of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.motions import action, arms, rig
from footfall.motions.starts import Start


class Freedom(NamedTuple):
    """Rest, cost scale and limits of (pelvis down m; pelvis yaw, pitch, roll; chest yaw, pitch, roll degrees)."""

    rest: np.ndarray  # (7,)
    scale: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Posture(NamedTuple):
    """The trunk at the apex."""

    down: float
    turn: np.ndarray  # (3,) degrees
    chest: np.ndarray  # (3,)


def apex_posture(start: Start, target: np.ndarray, freedom: Freedom, extension: float, shift: np.ndarray) -> Posture:
    """Posture in which the right wrist can be at target (3,) with the arm stretched to a share of its length.

    shift (2,): how far the centre of mass moves over the floor.
    """
    from scipy.optimize import least_squares

    balance = start.balance()[[0, 2]] + shift

    def residuals(q: np.ndarray) -> np.ndarray:  # (N, 7) -> (N, 10)
        aim = right_aim(start, target, q, balance)  # from the shoulder, chest's frame, in arm lengths
        far = np.linalg.norm(aim, axis=-1)
        behind = -aim[:, 2] / far - 0.1  # an arm reaches back only so far: then the trunk turns
        across = -aim[:, 0] / far - 0.35
        short = 14.0 * _ramp(far - extension)
        return np.column_stack([(q - freedom.rest) / freedom.scale, short, 3.0 * _ramp(behind), 3.0 * _ramp(across)])

    step = 1e-3 * freedom.scale
    tried: dict[bytes, np.ndarray] = {}

    def around(q: np.ndarray) -> np.ndarray:  # (8, 10) residuals at q and a step away from it in every direction
        if q.tobytes() not in tried:
            tried[q.tobytes()] = residuals(np.vstack([q, q + np.diag(step)]))
        return tried[q.tobytes()]

    def value(q: np.ndarray) -> np.ndarray:
        return around(q)[0]

    def jacobian(q: np.ndarray) -> np.ndarray:
        return ((around(q)[1:] - around(q)[0]) / step[:, None]).T

    inside = np.clip(freedom.rest, freedom.low + 1e-6, freedom.high - 1e-6)
    q = least_squares(value, inside, jacobian, bounds=(freedom.low, freedom.high), max_nfev=10, xtol=1e-3, ftol=1e-3).x
    return Posture(float(q[0]), q[1:4], q[4:7])


def right_aim(start: Start, target: np.ndarray, q: np.ndarray, balance: np.ndarray) -> np.ndarray:
    """(N, 3) from the right shoulder to the target for postures q (N, 7): chest's frame mirrored to the left, in arms."""
    plan = start.plan(np.zeros(len(q)))
    plan = replace(
        plan,
        pelvis=plan.pelvis - q[:, :1] * rotation.UP,
        turn=q[:, 1:4],
        chest=q[:, 4:7],
        mass=np.tile(balance, (len(q), 1)),
        right=replace(plan.right, target=target, share=np.ones(len(q))),
    )
    pelvis = action.settle(plan, rounds=1, bounded=False)
    place, turn = rig.chest_frame(pelvis, action.turned(plan.turn), action.turned(plan.chest))
    seen = rotation.rotate(rotation.conjugate(turn), target - place) * arms.MIRROR
    return (seen - arms.SHOULDER) / arms.ARM


def _ramp(x: np.ndarray) -> np.ndarray:
    """0 below, x above, with a soft knee of 2 %."""
    return 0.02 * np.logaddexp(0.0, x / 0.02)
