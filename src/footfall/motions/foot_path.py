"""Feet that stay put: where each foot is at any time, from a list of planted steps.

While planted, a foot first rolls about its heel (toe up), then stands flat, then rolls about its ball (heel up): the
point in contact is exactly still. In between it follows a swing curve, corrected by a quintic that meets the planted
motion at both ends with equal position, velocity and acceleration, so that the whole path is C2.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.easing import ease
from footfall.motions.body import BALL_HEIGHT, TIP_HEIGHT, TOE_LENGTH
from footfall.motions.clearance import BALL, foot_rotation, lift, sole_points, standing_ankle


class PlantedStep(NamedTuple):
    """One planted foot. Times outside the clip are fine: a foot that stands all along has one long step."""

    start_s: float  # strike
    end_s: float  # off
    x: float  # where the ankle is when the foot is flat
    z: float
    yaw: float
    pitch_in: float = 0.0  # toe up at the strike (radians, >= 0)
    pitch_out: float = 0.0  # heel up at the off (radians, >= 0)
    flat_from: float = 0.15  # share of the step at which the sole is down
    flat_to: float = 0.55  # share at which the heel leaves
    brisk_in: float = 0.4  # how fast it rolls at the strike: 0 not at all, 1 slowing down all along
    brisk_out: float = 0.7  # how fast it rolls at the off: 0 not at all, 1 accelerating all along

    @property
    def flat_s(self) -> tuple[float, float]:
        length = self.end_s - self.start_s
        return self.start_s + self.flat_from * length, self.start_s + self.flat_to * length


class FootPath(NamedTuple):
    """One foot over time."""

    ankle: np.ndarray  # (T, 3) world
    yaw: np.ndarray  # (T,) of the foot
    pitch: np.ndarray  # (T,) toe up positive
    toe_bend: np.ndarray  # (T,) of the toes against the foot, up positive: keeps them on the floor


def planted(step: PlantedStep, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ankle (T, 3) and pitch (T,) of a planted foot; valid a little beyond both ends too (the roll continues)."""
    share = (t - step.start_s) / max(step.end_s - step.start_s, 1e-6)
    heel = np.maximum(1.0 - share / max(step.flat_from, 1e-6), 0.0)
    toe = np.maximum((share - step.flat_to) / max(1.0 - step.flat_to, 1e-6), 0.0)
    pitch = step.pitch_in * _roll(heel, step.brisk_in) - step.pitch_out * _roll(toe, step.brisk_out)
    return standing_ankle(step.x, step.z, step.yaw, pitch), pitch


def _roll(u: np.ndarray, brisk: float) -> np.ndarray:
    """0 at rest (with zero rate and acceleration) to 1 at the strike or off."""
    return brisk * u**3 + (1.0 - brisk) * (10 * u**3 - 15 * u**4 + 6 * u**5)


def foot_path(
    steps: Sequence[PlantedStep], t: np.ndarray, swing_ankle: np.ndarray, swing_pitch: np.ndarray
) -> FootPath:
    """The path through all steps; swing_ankle (T, 3) and swing_pitch (T,) shape what happens in the air."""
    curve = np.column_stack([swing_ankle, swing_pitch])
    foot = FootPath(swing_ankle.copy(), np.full(len(t), steps[0].yaw), swing_pitch.copy(), np.zeros(len(t)))
    for step in steps:
        on = (t >= step.start_s) & (t <= step.end_s)
        foot.ankle[on], foot.pitch[on] = planted(step, t[on])
        foot.yaw[on] = step.yaw
    for before, after in pairwise(steps):
        air = np.flatnonzero((t > before.end_s) & (t < after.start_s))
        if len(air):
            _swing(before, after, t, air, curve, foot)
    return foot._replace(toe_bend=_toe_bend(steps, t, foot.ankle, foot.pitch))


def _swing(
    before: PlantedStep, after: PlantedStep, t: np.ndarray, air: np.ndarray, curve: np.ndarray, foot: FootPath
) -> None:
    """Fill one swing of the foot: the curve (T, 4) of ankle and pitch, and a quintic that makes its ends meet."""
    ends = np.array([before.end_s, after.start_s])
    wanted = [np.column_stack(planted(step, _around(end))) for step, end in zip((before, after), ends, strict=True)]
    have = [_resample(t, curve, _around(end)) for end in ends]
    mismatch = [_derivatives(w - h) for w, h in zip(wanted, have, strict=True)]
    fix = _correction(t[air], ends, *mismatch)
    ankle, yaw, pitch, _ = foot
    ankle[air], pitch[air] = curve[air, :3] + fix[:, :3], curve[air, 3] + fix[:, 3]
    turn = rotation.wrapped(after.yaw - before.yaw)
    zero = (np.zeros(1), np.zeros(1), np.zeros(1))
    yaw[air] = before.yaw + turn * quintic(t[air], ends[0], ends[1], zero, (np.ones(1), *zero[1:]))[:, 0]
    bend = _relaxed(pitch[air], np.minimum(t[air] - ends[0], ends[1] - t[air]))
    ankle[air, 1] += lift(t[air], ends, sole_points(ankle[air], yaw[air], pitch[air], bend))


Rates = tuple[np.ndarray, np.ndarray, np.ndarray]  # value, velocity, acceleration


def _correction(t: np.ndarray, ends: np.ndarray, at_start: Rates, at_end: Rates) -> np.ndarray:
    """(T, D) what to add to a swing: places meet over the whole swing, rates over its first and last third.

    Spreading the rates over the whole swing as well would bend all of it: a rate's correction grows with its span.
    """
    (p0, v0, a0), (p1, v1, a1) = at_start, at_end
    zero = np.zeros_like(p0)
    third = (ends[1] - ends[0]) / 3.0
    fix = quintic(t, ends[0], ends[1], (p0, zero, zero), (p1, zero, zero))
    first, last = t < ends[0] + third, t > ends[1] - third
    rest = (zero, zero, zero)
    fix[first] += quintic(t[first], ends[0], ends[0] + third, (zero, v0, a0), rest)
    fix[last] += quintic(t[last], ends[1] - third, ends[1], rest, (zero, v1, a1))
    return fix


_H = 1.0 / 2000.0


def _around(time: float) -> np.ndarray:
    return time + _H * np.array([-1.0, 0.0, 1.0])


def _derivatives(three: np.ndarray) -> Rates:
    """Value, velocity and acceleration in the middle of three samples."""
    return three[1], (three[2] - three[0]) / (2 * _H), (three[2] - 2 * three[1] + three[0]) / _H**2


def _resample(t: np.ndarray, values: np.ndarray, at: np.ndarray) -> np.ndarray:
    from scipy.interpolate import CubicSpline

    near = slice(max(np.searchsorted(t, at[0]) - 6, 0), np.searchsorted(t, at[-1]) + 6)
    return CubicSpline(t[near], values[near])(at)


def quintic(t: np.ndarray, start: float, end: float, at_start: Rates, at_end: Rates) -> np.ndarray:
    """(T, D) the polynomial of degree 5 with given value, velocity and acceleration at both ends."""
    length = end - start
    u = ((t - start) / length)[:, None]
    (p0, v0, a0), (p1, v1, a1) = at_start, at_end
    v0, v1, a0, a1 = v0 * length, v1 * length, a0 * length**2, a1 * length**2
    rise = ease(u)
    return (
        p0 * (1 - rise)
        + p1 * rise
        + v0 * (u - 6 * u**3 + 8 * u**4 - 3 * u**5)
        + v1 * (-4 * u**3 + 7 * u**4 - 3 * u**5)
        + 0.5 * a0 * (u**2 - 3 * u**3 + 3 * u**4 - u**5)
        + 0.5 * a1 * (u**3 - 2 * u**4 + u**5)
    )


def _toe_bend(steps: Sequence[PlantedStep], t: np.ndarray, ankle: np.ndarray, pitch: np.ndarray) -> np.ndarray:
    """(T,) toes lie flat while the foot is planted, hang relaxed in the air, and never dip into the floor."""
    away = np.full(len(t), np.inf)  # seconds from the nearest step
    for step in steps:
        away = np.minimum(away, np.maximum(np.maximum(step.start_s - t, t - step.end_s), 0.0))
    bend = _relaxed(pitch, away)
    ball = ankle[:, 1] + rotation.rotate(foot_rotation(np.zeros_like(pitch), pitch), BALL)[:, 1]
    drop = BALL_HEIGHT - TIP_HEIGHT
    reach = np.hypot(TOE_LENGTH, drop)
    lowest = np.arcsin(np.clip((TIP_HEIGHT - ball) / reach, -1.0, 1.0)) + np.arctan2(drop, TOE_LENGTH)
    short = lowest - (pitch + bend)
    return bend + ease(away / 0.05) * 0.5 * (short + np.sqrt(short**2 + 0.06**2))


def _relaxed(pitch: np.ndarray, away: np.ndarray) -> np.ndarray:
    """(T,) how toes bend of themselves, seconds away from the nearest step."""
    return np.maximum(-pitch, 0.0) * (1.0 - 0.75 * ease(away / 0.3))
