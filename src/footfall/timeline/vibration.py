"""Vibration: what an arm movement does to the rest of the body (Oshita 2008, section 8.1, eq. 3).

theta_v(t) = theta(t) - theta_b(t), theta_b the Hermite curve through value and velocity at the movement's begin and
end: what the spine and the pelvis would have done without it. It is 0, with slope 0, outside the movement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.feet.foot_paths import foot_paths
from footfall.kinematics.root import floor_root
from footfall.timeline.streams import poses

RATE_S = 1 / 60  # seconds: velocities at the ends are taken over this long


class Vibration(NamedTuple):
    """Sampled at any times of the clip it was taken from."""

    pelvis: np.ndarray  # (K, 3) metres, in the heading frame
    spine: np.ndarray  # (K, S, 3) rotation vectors, in each joint's own frame


def vibration(clip: Clip, t_s: np.ndarray, start_s: float, end_s: float, spine: Sequence[int]) -> Vibration:
    """Vibration of the pelvis and of some joints at times t_s (K,) for a movement from start_s to end_s."""
    t_s = np.asarray(t_s, float)
    inside = np.clip(t_s, start_s, end_s)
    ends = np.array([start_s, start_s + RATE_S, end_s - RATE_S, end_s])
    pelvis, turns = _signals(clip, np.concatenate([ends, inside]), spine)
    moving = ((t_s > start_s) & (t_s < end_s) & (end_s - start_s > 2 * RATE_S)).astype(float)
    u = (inside - start_s) / max(end_s - start_s, 1e-9)
    found = []
    for signal in (pelvis, turns):
        rates = (signal[1] - signal[0]) / RATE_S, (signal[3] - signal[2]) / RATE_S
        base = hermite(signal[0], rates[0], signal[3], rates[1], end_s - start_s, u)
        found.append((signal[4:] - base) * moving.reshape(-1, *[1] * (signal.ndim - 1)))
    return Vibration(found[0], found[1])


def hermite(
    a: np.ndarray, a_rate: np.ndarray, b: np.ndarray, b_rate: np.ndarray, length_s: float, u: np.ndarray
) -> np.ndarray:
    """The cubic from value a and rate a_rate to b and b_rate over length_s seconds, at u (K,) from 0 to 1: (K, ...)."""
    u = u.reshape(-1, *[1] * np.ndim(a))
    first, last = (1.0 + 2.0 * u) * (1.0 - u) ** 2, u * u * (3.0 - 2.0 * u)
    rise, fall = u * (1.0 - u) ** 2, u * u * (u - 1.0)
    return first * a + last * b + length_s * (rise * a_rate + fall * b_rate)


def _signals(clip: Clip, t_s: np.ndarray, spine: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Pelvis position (K, 3) in the heading frame of the first time, and rotation vectors (K, S, 3) from it."""
    pose = poses(foot_paths(clip, clip.fps), t_s)
    place, heading = (x[0] for x in floor_root(clip.skeleton, pose.at(slice(0, 1))))
    pelvis = rotation.rotate(rotation.yaw(-heading), pose.root_pos - place)
    turns = pose.rot[:, list(spine)]
    return pelvis, rotation.log(rotation.multiply(rotation.conjugate(turns[:1]), turns))
