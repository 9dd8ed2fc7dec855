"""Foot signals: speeds and heights of the soles at 120 Hz or more, smoothed as much as the capture's noise requires.

Everything is brought to the size of a standard leg (0.86 m, hip to ankle), so that one set of thresholds serves every
body. White noise of standard deviation e per sample, at f samples a second, leaves e sqrt(1 / (4 sqrt(pi) f w^3)) in
the derivative of a signal smoothed by a Gaussian of width w; w is chosen so that this stays small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.foot_points import foot_points

if TYPE_CHECKING:
    from footfall.core.clip import Clip

LEG_M = 0.86  # hip to ankle of the body that all thresholds and figures are for
RATE_HZ = 120.0  # the least rate of the signals
MOST_FINER, MOST_SAMPLES = (
    120,
    2_000_000,
)  # samples a frame, and of a clip: below a frame a second nothing is known between
# The limits below were set by eye, as docs/contacts.md tells.
WIDTH_S = (0.016, 0.04)  # of the Gaussian: at least, and at most where there is much noise
QUIET_M_S = 0.05  # noise that may stay in a speed
UPWARDS = 0.25  # weight of vertical speed where a foot on the floor may still press down or roll
REST_M_S, OF_ROOT = 0.12, 0.42  # speed under which a sole may rest: a constant and a share of the root's speed


class FootSignals(NamedTuple):
    """Signals at `rate`, of the standard body; axis 1 is left, right; axis 2 heel, ball, tip."""

    rate: float
    noise_m: float  # standard deviation of the capture's noise, per axis
    width_s: float  # standard deviation of the Gaussian that speeds were smoothed by
    points: np.ndarray  # (N, 2, 3, 3) lightly smoothed
    sliding: np.ndarray  # (N, 2, 3) speed over the floor, rising counting little; of the tip: the slowest toe point
    moving: np.ndarray  # (N, 2, 2) speed in space of heel and ball
    limit: np.ndarray  # (N,) speed under which a sole may rest
    pelvis_y: np.ndarray  # (N,) height of the pelvis


def foot_signals(clip: Clip) -> FootSignals:
    """Signals of a clip of one frame or more."""
    from scipy.ndimage import gaussian_filter1d

    found, scale = foot_points(clip).travelling(), clip.skeleton.leg_length / LEG_M
    sole = found.sole / scale  # (T, 2, 3, 3)
    most = max(1, min(MOST_FINER, MOST_SAMPLES // len(sole)))
    finer = min(max(1, int(np.ceil(RATE_HZ / clip.fps - 1e-3))), most)
    rate = clip.fps * finer
    noise = _noise(sole)
    width = float(np.clip((noise**2 / (_WHITE * clip.fps * QUIET_M_S**2)) ** (1 / 3), *WIDTH_S))
    path = upsample(sole.reshape(len(sole), -1), finer)
    velocity = gaussian_filter1d(path, width * rate, axis=0, order=1, mode="nearest", truncate=3.0) * rate
    smooth = gaussian_filter1d(path, 0.5 * width * rate, axis=0, mode="nearest", truncate=3.0)
    velocity = velocity.reshape(-1, 2, 3, 3)
    still = noise**2 / (_WHITE * clip.fps * width**3)  # what noise alone gives, squared, per axis
    level = velocity * np.array([1.0, UPWARDS, 1.0])
    level[:, :, 2] = _slowest_between(level[:, :, 1], level[:, :, 2])
    pelvis = upsample(found.pelvis[:, [0, 2]] / scale, finer)
    travel = gaussian_filter1d(pelvis, 0.06 * rate, axis=0, order=1, mode="nearest") * rate
    root_speed = gaussian_filter1d(_length(travel), 0.08 * rate, mode="nearest")
    return FootSignals(
        rate,
        noise,
        width,
        smooth.reshape(-1, 2, 3, 3),
        _less_noise(_length(level), (2.0 + UPWARDS**2) * still),
        _less_noise(_length(velocity[:, :, :2]), 3.0 * still),
        REST_M_S + OF_ROOT * root_speed,
        upsample(found.pelvis[:, 1:2] / scale, finer)[:, 0],
    )


_WHITE = 4.0 * np.sqrt(np.pi)
_UNDER_NOISE = 0.7  # share of the noise's power that is taken off: all of it would make noise look like rest


def upsample(path: np.ndarray, times: int) -> np.ndarray:
    """(T, D) at that many times the frame rate, by cubic splines; frame i becomes frame i * times."""
    if times == 1 or len(path) < 2:
        return path
    from scipy.interpolate import CubicSpline

    frames = np.arange(len(path))
    fine: np.ndarray = CubicSpline(frames, path)(np.arange((len(path) - 1) * times + 1) / times)
    return fine


def _noise(sole: np.ndarray) -> float:
    """Standard deviation of white noise in paths (T, ...), from the third differences of their quietest moments."""
    if len(sole) < 8:
        return 0.0
    third = np.abs(np.diff(sole.reshape(len(sole), -1)[:, :15], n=3, axis=0))  # both feet's, tips but for one left out
    share, of_sigma = 0.10, 0.12566  # a tenth of |normal| lies under this
    return float(np.quantile(third, share)) / (of_sigma * np.sqrt(20.0))


def _slowest_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Velocity (..., 3) of the slowest point of the line between two points with velocities a and b."""
    along = b - a
    share = -(a * along).sum(axis=-1) / np.maximum((along * along).sum(axis=-1), 1e-12)
    slowest: np.ndarray = a + np.clip(share, 0.0, 1.0)[..., None] * along
    return slowest


def _length(v: np.ndarray) -> np.ndarray:
    square = v[..., 0] ** 2
    for k in range(1, v.shape[-1]):  # numpy's sum over a last axis of two or three costs four times this
        square += v[..., k] ** 2
    return np.sqrt(square)


def _less_noise(speed: np.ndarray, power: float) -> np.ndarray:
    return np.sqrt(np.maximum(speed * speed - _UNDER_NOISE * power, 0.0))
