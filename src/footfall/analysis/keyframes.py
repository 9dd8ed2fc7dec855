"""Keyframes: the turning points of a motion, where its limbs reverse and its feet meet and leave the floor.

Polichroniadis & Dodgson 1999 place keys by hand at such moments; here they are found: strikes and offs first, then the
extrema of the limbs' joint angles, the most pronounced first, each only where no key is nearer than 0.08 s. About eight
a gait cycle. On a loop times go round.
"""

from __future__ import annotations

from bisect import bisect
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.analysis.key_times import KeyTime, find_key_times
from footfall.core import rotation
from footfall.core.roles import SIDES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footfall.core.clip import Clip

APART_S = 0.08  # moments closer than this are one: by eye
PARTS = ("hip", "knee", "ankle", "shoulder", "elbow")
PROMINENT = 0.25  # of a joint's own range: smaller reversals are wobble: by eye
SWING_RAD = np.radians(8.0)  # a joint that moves less than this has no turning points: by eye
SMOOTH_S = 0.025  # width of the Gaussian that angles are smoothed by: by eye
RATE_HZ = 30.0  # frames a second that are looked at
MOST = 400  # frames a joint's mean rotation is taken over


class Keyframe(NamedTuple):
    """A turning point, in seconds, and what turns there: "left strike", "right off", "left knee", "start"."""

    t_s: float
    why: str


def find_keyframes(clip: Clip, key_times: Sequence[KeyTime] | None = None) -> list[Keyframe]:
    """Key_i in order, in [0, duration); at least one, at 0, for a body that never moves."""
    if clip.frames == 0:
        return []
    key_times = find_key_times(clip) if key_times is None else key_times
    wanted = [
        Keyframe(k.t_s, f"{k.foot} {k.event}") for event in ("strike", "off") for k in key_times if k.event == event
    ]
    wanted += _turning_points(clip)
    duration = clip.duration
    kept: list[Keyframe] = []  # in order, so that a new one is compared with its neighbours only
    for key in wanted:
        at = bisect(kept, key)
        near = [kept[i].t_s for i in (at - 1, at) if 0 <= i < len(kept)]
        if clip.is_loop and kept:
            near += [kept[-1].t_s - duration, kept[0].t_s + duration]
        if key.t_s < duration and all(abs(key.t_s - t) >= APART_S for t in near):
            kept.insert(at, key)
    return kept or [Keyframe(0.0, "start")]


def joint_angles(clip: Clip, joints: Sequence[int], frames: np.ndarray) -> np.ndarray:
    """(F, len(joints)) radians: each joint's rotation about its mean, along the axis it turns about most."""
    mean = rotation.average(clip.pose.rot[:: max(1, clip.frames // MOST)][:, joints], axis=0)
    turned = rotation.log(rotation.multiply(rotation.conjugate(mean), clip.pose.rot[frames][:, joints]))
    turned = np.ascontiguousarray(np.swapaxes(turned, 0, 1))  # (joints, F, 3)
    axis = np.linalg.eigh(np.swapaxes(turned, 1, 2) @ turned)[1][..., -1:]  # (joints, 3, 1)
    largest = np.take_along_axis(axis, np.abs(axis).argmax(axis=1)[:, None], axis=1)
    return (turned @ (axis * np.sign(largest)))[..., 0].T  # the axis's own sign is chance: fixed by its largest part


def _turning_points(clip: Clip) -> list[Keyframe]:
    """Extrema of the limbs' angles, the most pronounced (against the joint's own range) first."""
    from scipy.ndimage import gaussian_filter1d
    from scipy.signal import find_peaks

    named = {f"{side} {part}": getattr(clip.skeleton.roles, f"{side}_{part}") for side in SIDES for part in PARTS}
    named = {name: joint for name, joint in named.items() if joint is not None}
    every = max(1, round(clip.fps / RATE_HZ))
    frames = np.arange(0, clip.frames - 1 if clip.is_loop else clip.frames, every)
    if len(frames) < 5 or not named:
        return []
    rate = clip.fps / every
    angles = joint_angles(clip, list(named.values()), frames)
    before = min(len(frames), round(rate)) if clip.is_loop else 0  # a loop's neighbours are its own other end
    angles = np.concatenate([angles[len(angles) - before :], angles, angles[:before]])
    angles = gaussian_filter1d(angles, SMOOTH_S * rate, axis=0, mode="nearest")
    found = []
    for name, angle in zip(named, angles.T, strict=True):
        size = float(np.ptp(angle))
        if size < SWING_RAD:
            continue
        for sign in (1.0, -1.0):
            peaks, about = find_peaks(sign * angle, prominence=PROMINENT * size)
            inside = (peaks >= before) & (peaks < before + len(frames))
            peaks, strength = peaks[inside], about["prominences"][inside]
            offset = _vertex(sign * angle, peaks)
            found += [
                (-float(p) / size, Keyframe(max(0.0, float(i - before + o) / rate), name))
                for i, o, p in zip(peaks, offset, strength, strict=True)
            ]
    return [key for _, key in sorted(found)]


def _vertex(values: np.ndarray, peaks: np.ndarray) -> np.ndarray:
    """Where between samples each peak lies, -1/2 to 1/2, by the parabola through it and its neighbours."""
    before, at, after = values[peaks - 1], values[peaks], values[peaks + 1]
    bend = before - 2.0 * at + after
    return np.clip(0.5 * (before - after) / np.where(bend < 0.0, bend, -1.0), -0.5, 0.5)
