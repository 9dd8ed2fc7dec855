"""Liveliness: whether a body freezes, and whether its quick small movement is that of its sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis.stances import FLOOR
from footfall.core.once import once
from footfall.kinematics.fk import with_descendants
from footfall.quality.body_signals import BodySignals, body_signals, quick_turns
from footfall.quality.joins import measured_joints
from footfall.quality.momentum import distance_to_soles, pelvis_speed

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall.quality.shown import ShownClip

WINDOW_S = 0.25  # in which stillness is looked for
DETAIL_HZ = 4.0  # quicker is detail (docs/believable.md)
REPEATED_M = 1e-6  # a pose that moves no joint farther is the same
COULD_STAND_M = 0.12  # the centre of mass over the soles, or this near to them: by eye, on captured stands
SLOW_M_S = 0.1  # a pelvis that is slower is at rest


@once
def joint_speed(clip: Clip) -> np.ndarray:
    """(T,) mean speed over 0.25 s of the joint that is fastest there, m/s."""
    s = body_signals(clip)
    keep = s.joints[:, measured_joints(clip)]
    width = max(1, round(WINDOW_S * s.fps))
    if len(keep) <= width:
        return np.zeros(0)
    speed = np.linalg.norm(np.diff(keep, axis=0), axis=-1) * s.fps  # (T-1, J)
    total = np.concatenate([np.zeros((1, speed.shape[1])), np.cumsum(speed, axis=0)])
    found: np.ndarray = ((total[width:] - total[:-width]) / width).max(axis=1)
    return found


def repeated_s(clip: Clip, first: int, last: int) -> float:
    """The longest time in which a pose is repeated frame after frame."""
    joints = body_signals(clip).joints[first:last]
    still = np.abs(np.diff(joints, axis=0)).max(axis=(1, 2), initial=0.0) < REPEATED_M
    edges = np.flatnonzero(np.diff(np.concatenate([[0], still.astype(np.int8), [0]])))
    return float((edges[1::2] - edges[::2]).max(initial=0)) / clip.fps


@once
def hangs_s(s: BodySignals) -> np.ndarray:
    """(T,) frames in which the pelvis is at rest in a pose that could not stand."""
    apart = distance_to_soles(s.mass[:, FLOOR], s)
    return np.asarray((pelvis_speed(s) < SLOW_M_S) & ~(apart <= COULD_STAND_M))


@once
def detail_joints(clip: Clip) -> np.ndarray:
    """Trunk and arms: every joint that is neither a leg's, nor a finger, nor the root."""
    roles, skeleton = clip.skeleton.roles, clip.skeleton
    hips = [j for j in (roles.left_hip, roles.right_hip) if j is not None]
    below = set(with_descendants(skeleton.parents, hips))
    keep = [j for j in measured_joints(clip) if j not in below and j != 0 and j != roles.pelvis]
    return np.array(keep, int)


@once
def detail(clip: Clip) -> np.ndarray:
    """(T,) energy of the angular velocity of trunk and arms above 4 Hz."""
    return quick_turns(clip, DETAIL_HZ, detail_joints(clip))


def detail_ratio(out: Clip, shown: Sequence[ShownClip], first: int, last: int) -> float:
    """Detail of frames first … last over that of the clips at the times they show; NaN where nothing can be said.

    Frames that show no clip, as where steps were put in between, are compared with the range of both clips.
    """
    ours = detail(out)[first:last]
    theirs, weights = np.zeros(last - first), np.zeros(last - first)
    ranges = []
    for one in shown:
        t = one.time_s[first:last]
        here = np.isfinite(t) & (one.weight[first:last] > 0.0)
        clip = one.clip.resample(out.fps) if abs(one.clip.fps - out.fps) > 1e-6 else one.clip
        known = detail(clip)
        if not len(known):
            continue
        ranges.append(_means(known, out.fps))
        index = np.clip(np.round(t[here] * clip.fps).astype(int), 0, len(known) - 1)
        theirs[here] += one.weight[first:last][here] * known[index]
        weights[here] += one.weight[first:last][here]
    told = weights > 0.0
    expected = float((theirs[told] / weights[told]).sum())
    if (~told).any() and ranges:
        low, high = min(float(r.min()) for r in ranges), max(float(r.max()) for r in ranges)
        expected += float(np.clip(ours[~told].mean(), low, high)) * int((~told).sum())
    if len(told) < 8 or expected <= 0.0:
        return float("nan")
    return float(ours.sum()) / expected


def _means(detail: np.ndarray, fps: float) -> np.ndarray:
    """Means over every 0.5 s, or over all of a shorter clip."""
    width = min(max(1, round(2.0 * WINDOW_S * fps)), len(detail))
    total = np.concatenate([[0.0], np.cumsum(detail)])
    return (total[width:] - total[:-width]) / width
