"""Example search: the window of a motion that starts and ends as a transition has to (Egbert 2005).

Motion is looked at in moving frames: of each joint the turns from frame to frame in its own axes, summed up, and of the
root its steps in the frame of the body's heading. Such curves are plain vectors that know no poles and do not depend
on where the body faces; window, change and detail are differences of them.

A window costs (m0 - m0*)² + (m1 - m1*)² + (ds - ds*)², slopes m multiplied by a third of the duration, and, beyond the
thesis, something for details livelier or duller than those around the join.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.once import once
from footfall.core.skeleton import readonly
from footfall.joins.by_example.detail_bands import detail
from footfall.kinematics.root import floor_root

SLOPE_PART = 3.0  # slopes are multiplied by the duration over this, as in a cubic's Bézier control points
LIVELY = 4.0  # weight of the details' liveliness against that of slopes and change: by eye
MOST_LENGTHS = 8  # lengths of windows that are kept for a motion
MOST_WINDOWS = 4_000  # of a long motion every second, third, … window is looked at


class UnrolledMotion(NamedTuple):
    """A motion as curves in moving frames; channel j < J is joint j, in radians, channel J the root, in metres."""

    curve: np.ndarray  # (N, C, 3)
    slope: np.ndarray  # (N, C, 3) a frame, central
    detail: np.ndarray  # (N, C, 3) the quick part of the curve
    bend: np.ndarray  # (N, C, 3) slope of the detail a frame, central
    starts: int  # frames at which a window may begin: all but the last, of one lap
    laps: int  # laps a loop was laid out for; 0 for others
    kept: dict[int, ExampleWindows]  # by length

    def count(self, last: int) -> int:
        """How many windows of last + 1 frames there are."""
        return self.starts if self.laps else max(0, len(self.curve) - last)


class ExampleWindows(NamedTuple):
    """All windows of one length, ready to be searched."""

    features: np.ndarray  # (W, 9 C): slopes at both ends times length / 3, and change
    square: np.ndarray  # (W,) of the features
    energy: np.ndarray  # (W, C) of the details' steps
    whole: np.ndarray  # (W,) the same of the whole body
    every: int  # window w begins at frame w * every


def unrolled(clip: Clip, fps: float, bands: int, reach: int = 0) -> UnrolledMotion:
    """The curves of a clip at a frame rate, made once; a loop long enough for windows of `reach` frames."""
    known = _unrolled(clip)
    found = known.get((fps, bands))
    if found is None or (found.laps and reach > len(found.curve) - 1 - found.starts):
        found = known[fps, bands] = _unroll(clip.resample(fps), bands, reach)
    return found


@once
def _unrolled(clip: Clip) -> dict[tuple[float, int], UnrolledMotion]:
    """What is known of a clip, by frame rate and bands; `unrolled` fills it."""
    return {}


def _unroll(clip: Clip, bands: int, reach: int) -> UnrolledMotion:
    curve = curves(clip)
    n = len(curve)
    if n < 2:
        zero = np.zeros_like(curve)
        return _packed(curve, zero, zero, zero, 0, 0)
    quick = detail(curve, bands, clip.is_loop)
    if not clip.is_loop:
        return _packed(curve, np.gradient(curve, axis=0), quick, np.gradient(quick, axis=0), n - 1, 0)
    lap = n - 1
    laps = 1 + -(-max(reach, 1) // lap)
    frames = np.arange(-1, laps * lap + 2)  # one more at each end, for central differences
    around = curve[frames % lap] + (frames // lap)[:, None, None] * (curve[-1] - curve[0])
    quick = quick[frames % lap]
    slope, bend = 0.5 * (around[2:] - around[:-2]), 0.5 * (quick[2:] - quick[:-2])
    return _packed(around[1:-1], slope, quick[1:-1], bend, lap, laps)


def _packed(
    curve: np.ndarray, slope: np.ndarray, quick: np.ndarray, bend: np.ndarray, starts: int, laps: int
) -> UnrolledMotion:
    return UnrolledMotion(readonly(curve), readonly(slope), readonly(quick), readonly(bend), starts, laps, {})


def curves(clip: Clip) -> np.ndarray:
    """(T, J + 1, 3): turns of every joint from frame to frame in its own axes, then the root's steps in the heading's
    frame, summed up from 0."""
    turns = rotation.log(rotation.multiply(rotation.conjugate(clip.pose.rot[:-1]), clip.pose.rot[1:]))  # (T-1, J, 3)
    heading = np.unwrap(floor_root(clip.skeleton, clip.pose)[1])
    middle = 0.5 * (heading[1:] + heading[:-1])
    steps = rotation.rotate(rotation.yaw(-middle), np.diff(clip.pose.root_pos, axis=0))
    total = np.zeros((clip.frames, len(clip.skeleton) + 1, 3))
    total[1:] = np.cumsum(np.concatenate([turns, steps[:, None]], axis=1), axis=0)
    return total


def windows(motion: UnrolledMotion, last: int) -> ExampleWindows | None:
    """All windows of last + 1 frames, made once; None where the motion is shorter."""
    if last in motion.kept:
        return motion.kept[last]
    count = motion.count(last)
    if count < 1:
        return None
    every = -(-count // MOST_WINDOWS)
    third, first, final = last / SLOPE_PART, slice(0, count, every), slice(last, last + count, every)
    parts = [third * motion.slope[first], third * motion.slope[final], motion.curve[final] - motion.curve[first]]
    features = np.stack(parts, axis=1)
    features = features.reshape(len(features), -1)
    steps = (np.diff(motion.detail, axis=0) ** 2).sum(axis=-1)  # (N-1, C)
    summed = np.concatenate([np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)])
    energy = np.maximum(summed[final] - summed[first], 0.0)
    while len(motion.kept) >= MOST_LENGTHS:
        motion.kept.pop(next(iter(motion.kept)))
    made = ExampleWindows(features, (features**2).sum(axis=1), energy, energy.sum(axis=1), every)
    motion.kept[last] = made
    return made


def own_window(motion: UnrolledMotion, frame: int, last: int) -> int:
    """Number of the window that begins at a frame, or nearest to it."""
    start = frame % motion.starts if motion.laps else min(max(frame, 0), motion.count(last) - 1)
    return start // motion.kept[last].every


class BestWindows(NamedTuple):
    """The best windows of one motion: for the whole body (), by channel (C,), or by channel and component (C, 3)."""

    at: np.ndarray  # int, first frame
    cost: np.ndarray


def search_body(of: ExampleWindows, wanted: np.ndarray, energy: float, last: int) -> tuple[int, float]:
    """The window that suits the whole body best, and its cost. wanted (9 C,); energy of the details around the join."""
    cost = of.features @ wanted
    cost *= -2.0
    cost += of.square
    lively = np.sqrt(of.whole)
    lively -= energy**0.5
    lively *= lively
    lively *= _liveliness(last)
    cost += lively
    at = int(cost.argmin())
    return at * of.every, float(cost[at]) + float(wanted @ wanted)


def search_joints(of: ExampleWindows, wanted: np.ndarray, energy: np.ndarray, last: int) -> BestWindows:
    """The window that suits each channel best. wanted (9 C,), energy (C,)."""
    cost = ((of.features - wanted) ** 2).reshape(len(of.features), 3, -1, 3).sum(axis=(1, 3))  # (W, C)
    cost += _liveliness(last) * (np.sqrt(of.energy) - np.sqrt(energy)) ** 2
    return _least(cost, of.every)


def search_components(of: ExampleWindows, wanted: np.ndarray) -> BestWindows:
    """The thesis's way: the window that suits each component of each channel best."""
    return _least(((of.features - wanted) ** 2).reshape(len(of.features), 3, -1, 3).sum(axis=1), of.every)


def _liveliness(last: int) -> float:
    """The weight of the liveliness (a root of summed squares of steps) beside slopes over SLOPE_PART."""
    return LIVELY * last / SLOPE_PART**2


def _least(cost: np.ndarray, every: int) -> BestWindows:
    at = cost.argmin(axis=0)
    return BestWindows(at * every, np.take_along_axis(cost, at[None], axis=0)[0])
