"""The posture at the apex of an action: how trunk and legs share in bringing a shoulder near enough to a target.

A small least-squares problem over nine numbers: how far the pelvis goes down, the angles of pelvis and chest, and how
far the centre of mass moves over the floor. Each has a resting value and a cost; the shoulder must come within reach of
the target, and neither the arm nor hips and ankles should be strained.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.motions import action, arms, rig
from footfall.motions.body import LEG
from footfall.motions.starts import Start

MOST_HIP, MOST_ANKLE = np.radians(112.0), np.radians(34.0)  # bent as far as is comfortable


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
    """Posture in which the right wrist can be at target (3,), its shoulder far[0] to far[1] arm lengths away."""
    from scipy.optimize import least_squares

    balance = start.balance[[0, 2]]

    def residuals(q: np.ndarray) -> np.ndarray:  # (N, 9) -> (N, 15)
        aim, hip, ankle = _limbs(start, target, q, balance)
        away = np.linalg.norm(aim, axis=-1)
        strain = [
            24.0 * _ramp(away - far[1]), 24.0 * _ramp(far[0] - away),
            3.0 * _ramp(-aim[:, 2] / away - 0.1),  # an arm reaches back only so far: then the trunk turns
            3.0 * _ramp(-aim[:, 0] / away - 0.35),  # nor across the chest
            6.0 * _ramp(hip - MOST_HIP), 4.0 * _ramp(ankle - MOST_ANKLE),
        ]  # fmt: skip
        return np.column_stack([(q - freedom.rest) / freedom.scale, *strain])

    step = 1e-3 * freedom.scale
    tried: dict[bytes, np.ndarray] = {}

    def around(q: np.ndarray) -> np.ndarray:  # (10, 15) residuals at q and a step away from it in every direction
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


def shortage(start: Start, target: np.ndarray, posture: Posture, most: float) -> np.ndarray:
    """(2,) metres to the left and forward that the body lacks for the wrist to be at target, the arm `most` long."""
    q = np.concatenate([[posture.down], posture.turn, posture.chest, posture.shift])[None]
    plan = _plan(start, target, q, start.balance[[0, 2]])
    pelvis, turn = action.settle(plan, rounds=2, bounded=False), action.turned(plan.turn)
    place, world = rig.chest_frame(pelvis, turn, action.turned(plan.chest))
    seen = rotation.rotate(rotation.conjugate(world), target - place) * arms.MIRROR
    away = rotation.rotate(world, (seen - arms.girdle_of(seen)[1]) * arms.MIRROR)[0]
    ground = float(np.hypot(away[0], away[2]))
    fits = np.sqrt(max((most * arms.ARM) ** 2 - away[1] ** 2, 0.0))
    return np.asarray(away[[0, 2]] / max(ground, 1e-9) * max(ground - fits, 0.0))


def _plan(start: Start, target: np.ndarray, q: np.ndarray, balance: np.ndarray) -> action.Plan:
    """The stance in postures q (N, 9), the right hand at the target."""
    plan = start.plan(np.zeros(len(q)))
    return replace(
        plan,
        pelvis=plan.pelvis - q[:, :1] * rotation.UP,
        turn=q[:, 1:4],
        chest=q[:, 4:7],
        mass=balance + q[:, 7:],
        right=replace(plan.right, target=target, share=np.ones(len(q))),
    )


def _limbs(
    start: Start, target: np.ndarray, q: np.ndarray, balance: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For postures q (N, 9): from the right shoulder to the target (N, 3), and how far hips and ankles bend (N,).

    The first is seen from the chest, mirrored to the left, in arm lengths.
    """
    plan = _plan(start, target, q, balance)
    pelvis, turn = action.settle(plan, rounds=1, bounded=False), action.turned(plan.turn)
    place, world = rig.chest_frame(pelvis, turn, action.turned(plan.chest))
    seen = rotation.rotate(rotation.conjugate(world), target - place) * arms.MIRROR
    hips, ankles = [], []
    for hip, foot in zip(rig.hip_positions(pelvis, turn), plan.feet(pelvis, turn), strict=True):
        leg = foot.ankle - hip
        forward = np.arctan2(leg[:, 2], -leg[:, 1])
        half_knee = np.arccos(np.clip(np.linalg.norm(leg, axis=-1) / LEG, 0.0, 0.999))  # thigh and shank are alike
        hips.append(forward + half_knee + np.radians(q[:, 2]))
        ankles.append(half_knee - forward)
    return (seen - arms.girdle_of(seen)[1]) / arms.ARM, np.maximum(*hips), np.maximum(*ankles)


def _ramp(x: np.ndarray) -> np.ndarray:
    """0 below, x above, with a soft knee of 2 %."""
    return 0.02 * np.logaddexp(0.0, x / 0.02)
