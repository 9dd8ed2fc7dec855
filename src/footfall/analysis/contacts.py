"""Contacts: when each heel and toe rests on the floor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis.floor import Floor, find_floor, foot_points
from footfall.core.errors import ParameterError

if TYPE_CHECKING:
    from footfall.core.clip import Clip

LEG_M = 0.86  # the leg the thresholds below are for; heights and speeds scale with leg length
UP_M = 0.04  # a point this far above where it rests is no longer down
SPEED_M_S, OF_ROOT = 0.25, 0.32  # speed up to which a point is at rest: a constant and a share of the root's speed
STAY = 1.6  # once down, a point stays down up to this many times both thresholds
MIN_S = 0.06  # shorter contacts and shorter gaps are flicker
RATE_HZ = 120.0


@dataclass(frozen=True)
class Contacts:
    """Frames in which heels and toes are down, one flag for each frame of the clip."""

    fps: float
    left_heel: np.ndarray  # (T,) bool
    left_toe: np.ndarray
    right_heel: np.ndarray
    right_toe: np.ndarray
    floor: Floor

    @property
    def left(self) -> np.ndarray:
        """(T,) any part of the left foot is down."""
        return self.left_heel | self.left_toe

    @property
    def right(self) -> np.ndarray:
        return self.right_heel | self.right_toe

    def spans(self, foot: str) -> list[tuple[float, float]]:
        """(start_s, end_s) of each contact of "left", "right", "left_heel", …, from its first frame to its last."""
        if foot not in ("left", "right", "left_heel", "left_toe", "right_heel", "right_toe"):
            raise ParameterError(f"contacts are of left or right, or of one's heel or toe (left_heel), not {foot!r}")
        return [(a / self.fps, (b - 1) / self.fps) for a, b in runs(getattr(self, foot))]


def find_contacts(clip: Clip) -> Contacts:
    """Heel and toe contacts by height above the foot's own floor and speed, judged at 120 Hz or more."""
    floor = find_floor(clip)
    points = foot_points(clip)
    scale = clip.skeleton.leg_length / LEG_M
    finer = max(1, int(np.ceil(RATE_HZ / clip.fps - 1e-3))) if clip.frames > 3 else 1
    rate = clip.fps * finer
    root_speed = _speed(_finer(clip.root_motion.position, finer), rate, average_s=0.25)
    limit = SPEED_M_S * scale + OF_ROOT * root_speed
    flags = {}
    for foot, side in enumerate(("left", "right")):
        for part, paths, rest in (("heel", points.heel, floor.heel), ("toe", points.toe, floor.toe)):
            path = _finer(paths[:, foot], finer)
            above = (path[:, 1] - rest[foot]) / (UP_M * scale)
            fast = _speed(path, rate, average_s=0.02) / limit
            down = hysteresis(np.maximum(above, fast), enter=1.0, leave=STAY)
            flags[f"{side}_{part}"] = without_flicker(down, round(MIN_S * rate))[::finer]
    return Contacts(clip.fps, **flags, floor=floor)


def hysteresis(score: np.ndarray, enter: float, leave: float) -> np.ndarray:
    """(T,) True from where score is at most `enter`, forward and backward as long as it stays under `leave`."""
    down = np.zeros(len(score), bool)
    for start, stop in runs(score < leave):
        down[start:stop] = (score[start:stop] <= enter).any()
    return down


def without_flicker(flags: np.ndarray, shortest: int) -> np.ndarray:
    """Gaps, then spans, shorter than that many frames removed; what touches the ends of the clip may be short."""
    flags = flags.copy()
    for value in (False, True):
        for start, stop in runs(flags == value):
            if stop - start < shortest and start > 0 and stop < len(flags):
                flags[start:stop] = not value
    return flags


def runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """(start, stop) of every stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _finer(path: np.ndarray, times: int) -> np.ndarray:
    """(T, 3) at that many times the frame rate, by cubic splines; frame i becomes frame i * times."""
    if times == 1:
        return path
    from scipy.interpolate import CubicSpline

    frames = np.arange(len(path))
    return CubicSpline(frames, path)(np.arange((len(path) - 1) * times + 1) / times)


def _speed(path: np.ndarray, rate: float, average_s: float) -> np.ndarray:
    """(T,) speed in m/s, averaged over a short window."""
    if len(path) < 2:
        return np.zeros(len(path))
    speed = np.linalg.norm(np.gradient(path, 1.0 / rate, axis=0), axis=-1)
    half = max(1, round(average_s * rate / 2))
    padded = np.pad(speed, half, mode="edge")
    return np.convolve(padded, np.full(2 * half + 1, 1.0 / (2 * half + 1)), mode="valid")
