"""Additional motion: whether a clip is an arm movement of a standing body that can be laid over another motion.

Oshita 2008: no foot leaves the ground, the pelvis stays within 0.3 leg lengths, and a shoulder's range (max - min)
passes 40 degrees; the arms that pass it are primary. The same signal says when the movement begins and ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis.arc import floor_plane
from footfall.analysis.floor import foot_points
from footfall.analysis.keyframes import joint_angles
from footfall.core.roles import SIDES

if TYPE_CHECKING:
    from footfall.core.clip import Clip

PELVIS_LEGS = 0.3  # leg lengths the pelvis may stray: published (Oshita 2008)
SHOULDER_DEG = 40.0  # range of a primary arm's shoulder, at least: published (Oshita 2008)
LIFTED, SHIFTED = 0.03, 0.15  # leg lengths: a foot this far off the floor, or from where it stood, has left: by eye
MOVED = 0.05  # of its range: a shoulder this far from where it rests at an end has begun, or not ended, to move: by eye
SMOOTH_S = 0.03  # width of the Gaussian that angles are smoothed by: by eye
RATE_HZ = 60.0  # frames a second that are looked at


@dataclass(frozen=True)
class Additional:
    """The test's outcome and what it rests on."""

    is_additional: bool
    arms: tuple[str, ...]  # primary: "left", "right", whichever pass the shoulder test
    start_s: float  # when the primary arms begin to move; 0 where there are none
    end_s: float  # and when they come to rest
    feet_stay: bool
    pelvis_legs: float  # how far the pelvis strays from where it starts, in leg lengths
    shoulder_deg: tuple[float, float]  # ranges, left and right

    @property
    def trunk_too(self) -> bool:
        """Both arms move: then spine and neck belong to the movement as well."""
        return len(self.arms) == 2


def find_additional(clip: Clip) -> Additional:
    """Oshita's additional-motion test, its primary arms and the movement's begin and end [t2, t3]."""
    if clip.frames < 3:
        return Additional(False, (), 0.0, 0.0, True, 0.0, (0.0, 0.0))
    feet_stay = _feet_stay(clip)
    path = floor_plane(clip.root_motion.position)
    strays = float(np.abs(path - path[0]).max()) / clip.skeleton.leg_length
    ranges, spans = {}, {}
    for side, signal, rate in _shoulders(clip):
        ranges[side] = float(np.degrees(np.ptp(signal)))
        spans[side] = _movement(signal, rate, clip.duration)
    arms = tuple(side for side in SIDES if ranges.get(side, 0.0) > SHOULDER_DEG)
    start, end = (min(spans[a][0] for a in arms), max(spans[a][1] for a in arms)) if arms else (0.0, 0.0)
    return Additional(
        is_additional=feet_stay and strays < PELVIS_LEGS and bool(arms),
        arms=arms,
        start_s=start,
        end_s=end,
        feet_stay=feet_stay,
        pelvis_legs=strays,
        shoulder_deg=(ranges.get("left", 0.0), ranges.get("right", 0.0)),
    )


def _feet_stay(clip: Clip) -> bool:
    """Neither foot rises, heel and toe together, nor steps elsewhere: to pivot or rock is not to leave the ground."""
    points, leg = foot_points(clip), clip.skeleton.leg_length
    above = np.minimum(*(part[..., 1] - np.median(part[..., 1], axis=0) for part in (points.heel, points.toe)))
    places = floor_plane(points.toe)
    middle = np.median(places.real, axis=0) + 1j * np.median(places.imag, axis=0)
    return bool(above.max() < LIFTED * leg and np.abs(places - middle).max() < SHIFTED * leg)


def _shoulders(clip: Clip) -> list[tuple[str, np.ndarray, float]]:
    """(side, angle (F,) in radians, its rate in Hz) of each shoulder there is."""
    from scipy.ndimage import gaussian_filter1d

    named = {side: getattr(clip.skeleton.roles, f"{side}_shoulder") for side in SIDES}
    named = {side: joint for side, joint in named.items() if joint is not None}
    if not named:
        return []
    every = max(1, round(clip.fps / RATE_HZ))
    rate = clip.fps / every
    angles = joint_angles(clip, list(named.values()), np.arange(0, clip.frames, every))
    angles = gaussian_filter1d(angles, SMOOTH_S * rate, axis=0, mode="nearest")
    return [(side, angle, rate) for side, angle in zip(named, angles.T, strict=True)]


def _movement(signal: np.ndarray, rate: float, duration: float) -> tuple[float, float]:
    """From the last moment still at the first posture to the first one already at the last, in seconds."""
    size = MOVED * max(float(np.ptp(signal)), 1e-12)
    begun, going = np.abs(signal - signal[0]) > size, np.abs(signal - signal[-1]) > size
    if not begun.any() or not going.any():
        return 0.0, duration
    last_still = int(np.argmax(begun)) - 1
    first_rest = len(signal) - int(np.argmax(going[::-1]))
    return last_still / rate, min(first_rest / rate, duration)
