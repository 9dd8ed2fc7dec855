"""The parts of a transition by example: ends, slow curves, quick part; the readable twins of kernels.py."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.easing import ease
from footfall.core.skeleton import readonly
from footfall.edit.coast import State
from footfall.joins.by_example.detail_bands import hermite, still_ends
from footfall.joins.by_example.example_search import Unrolled, Wanted

EDGE = 0.15  # of the length, at either end, over which details rise: slopes of noisy ones are not known exactly
MOST_GAIN = 2.0  # details may be made this much larger or smaller to be as lively as the motions around them


class Ends(NamedTuple):
    """Both ends of a transition in the world."""

    start: State
    end: State  # the target's, placed
    headings: np.ndarray  # (2,) radians, at both ends
    duration_s: float
    last: int  # frames


class Slow(NamedTuple):
    """The smooth part: cubics from the start's rotations and place to the end's, with the velocities of both."""

    change: np.ndarray  # (J, 3) rotation vectors from start to end, the shorter way
    arriving: np.ndarray  # (J, 3) their rates at the end, 1/s


def slow_part(ends: Ends) -> tuple[Slow, Wanted]:
    """The smooth part, and what an example should do."""
    start, end = ends.start, ends.end
    change = rotation.log(rotation.multiply(rotation.conjugate(start.pose.rot), end.pose.rot))  # (J, 3)
    into = rotation.yaw(-np.array([ends.headings[0], ends.headings[1], ends.headings.mean()]))
    step = ends.duration_s / ends.last
    travel = rotation.rotate(into[2], end.pose.root_pos - start.pose.root_pos)
    wanted = Wanted(
        step * np.concatenate([start.spin, rotation.rotate(into[0], start.velocity)[None]]),
        step * np.concatenate([end.spin, rotation.rotate(into[1], end.velocity)[None]]),
        np.concatenate([change, travel[None]]),
        ends.last,
    )
    return Slow(change, rate_of_log(change, end.spin)), wanted


def rate_of_log(v: np.ndarray, spin: np.ndarray) -> np.ndarray:
    """Rate of the rotation vector v (..., 3) of a rotation that turns with spin (..., 3) in its own frame."""
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    small = angle < 1e-3
    x = np.where(small, 1.0, angle)
    factor = np.where(small, 1.0 / 12.0 + angle**2 / 720.0, 1.0 / x**2 - 0.5 / (x * np.tan(0.5 * x)))
    across = np.cross(v, spin)
    return spin + 0.5 * across + factor * np.cross(v, across)


class Picked(NamedTuple):
    """Which windows give the details."""

    motions: tuple[Unrolled, Unrolled]  # the same twice where there is one
    of_second: np.ndarray  # (C,) bool
    at: np.ndarray  # (C,) int, first frame
    energy: np.ndarray  # (C,) wanted: of one channel, or of all together
    grouped: bool  # one gain for the whole body


def quick_part(picked: Picked, last: int) -> np.ndarray:
    """(K + 1, C, 3) the details, still at both ends, as lively as wanted."""
    channel = np.arange(len(picked.at))
    frames = np.arange(last + 1)[:, None] + picked.at
    parts = []
    for motion in picked.motions:
        inside = np.minimum(frames, len(motion.detail) - 1)  # windows of the other motion: not taken
        bends = motion.bend[inside[0], channel], motion.bend[inside[-1], channel]
        parts.append(still_ends(motion.detail[inside, channel], *bends))
    quick = np.where(picked.of_second[:, None], parts[1], parts[0]) * rising(last)[:, None, None]
    energy = (np.diff(quick, axis=0) ** 2).sum(axis=(0, 2))
    if picked.grouped:
        energy = np.full_like(energy, energy.sum())
    known = energy > 1e-16
    gain = np.where(known, np.sqrt(picked.energy / np.where(known, energy, 1.0)), 1.0)
    return quick * np.clip(gain, 1.0 / MOST_GAIN, MOST_GAIN)[:, None]


@lru_cache(maxsize=64)
def rising(last: int) -> np.ndarray:
    """(K + 1,) share of the details, 0 at both ends and 1 between."""
    u = np.arange(last + 1) / last
    return readonly(ease(np.minimum(np.minimum(u, 1.0 - u) / EDGE, 1.0)))


def laid_over(ends: Ends, slow: Slow, quick: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Root places (K, 3) and rotations (K, J, 4) of the frames after the start; the last is the end's own pose."""
    start, end, t = ends.start, ends.end, ends.duration_s
    u = np.arange(1, ends.last + 1) / ends.last
    turns = hermite(u, np.zeros_like(slow.change), t * start.spin, slow.change, t * slow.arriving)
    smooth = rotation.multiply(start.pose.rot, rotation.exp(turns))
    rot = rotation.multiply(smooth, rotation.exp(quick[1:, :-1]))
    place = hermite(u, start.pose.root_pos, t * start.velocity, end.pose.root_pos, t * end.velocity)
    heading = ends.headings[0] + u * (ends.headings[1] - ends.headings[0])
    place += rotation.rotate(rotation.yaw(heading), quick[1:, -1])
    place[-1], rot[-1] = end.pose.root_pos, end.pose.rot
    return place, rot
