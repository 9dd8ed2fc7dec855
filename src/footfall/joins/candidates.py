"""Candidates: when one motion may be left and another entered, most alike first, by pose, velocity and support.

Poses are compared as joint positions and velocities seen from the floor root (Kovar et al. 2002 compare clouds of
points; velocities and supports are in ours as such), along the whole transition: frames that blend are frames that
must be alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.once import once
from footfall.core.skeleton import Skeleton
from footfall.feet.foot_paths import FootPaths
from footfall.kinematics.fk import world_transforms_of

RATE = 30.0  # candidates a second
LENGTHS_S = (0.25, 0.4, 0.55, 0.75)  # seconds of the transitions that are tried. By eye
APART_S = 0.12  # seconds: candidates nearer to each other than this are one. By eye
SAMPLES = 7  # moments of a transition that are compared
FASTEST_M_S = 12.0  # m/s: faster is a glitch, and counts as this


@dataclass(frozen=True)
class LikenessWeights:
    """What counts how much when poses are compared. By eye, on joins of captured and built-in clips."""

    ahead_s: float = 0.12  # velocities count as where they lead in this time
    support_m: float = 0.12  # a foot that stands in one motion only counts as this far off
    beyond_m: float = 0.10  # so does a frame beyond an end of its clip


WEIGHTS = LikenessWeights()


class SeamCandidate(NamedTuple):
    """Leave and entry as frames of the paths, frames between, and how unlike the motions are there, metres."""

    leave: int
    enter: int
    length: int
    unlike_m: float


@once
def jolts(paths: FootPaths) -> tuple[float, float]:
    """Excess acceleration, in m/s², at a clip's first and last frame over what is anywhere inside it.

    Takes are cut anywhere, and end or begin with a glitch more often than they have one within.
    """
    places = _places(paths)
    speeding = np.linalg.norm(np.diff(places, n=2, axis=0), axis=-1) * paths.fps**2  # row i is of frame i + 1
    first, last = paths.lead, paths.lead + paths.frames - 1
    usual = speeding[first + 1 : last - 2].max(axis=0, initial=0.0)
    begin, end = (float((speeding[max(f - 2, 0) : f + 1] - usual).max(initial=0.0)) for f in (first, last))
    return begin, end


def _joints(skeleton: Skeleton) -> dict[str, int]:
    """The joints that are compared, by their roles: pelvis, limbs and head."""
    names = [f"{s}_{p}" for s in ("left", "right") for p in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")]
    found = {name: getattr(skeleton.roles, name, None) for name in ("pelvis", *names, "head")}
    return {name: joint for name, joint in found.items() if joint is not None}


def _places(paths: FootPaths) -> np.ndarray:
    """(T, K, 3) where those joints are."""
    return world_transforms_of(paths.skeleton, paths.pose, list(_joints(paths.skeleton).values()))[0]


@once
def features(paths: FootPaths) -> np.ndarray:
    """(T, F) what is compared: one row a frame, squared distances between rows are in m² a joint."""
    places = _places(paths)
    back = rotation.yaw(-paths.heading)[:, None]
    here = rotation.rotate(back, places - paths.root[:, None])
    speed = rotation.rotate(back, np.gradient(places, axis=0) * paths.fps) if len(places) > 1 else 0.0 * places
    speed = np.clip(speed, -FASTEST_M_S, FASTEST_M_S)
    scale = 1.0 / np.sqrt(places.shape[1])
    rows = [scale * here, scale * WEIGHTS.ahead_s * speed, WEIGHTS.support_m * 0.5 * paths.down[..., None]]
    return np.concatenate([x.reshape(len(places), -1) for x in rows], axis=1)


def mirrored_features(paths: FootPaths) -> np.ndarray:
    """(T, F) the same of the motion seen in a mirror."""
    names = list(_joints(paths.skeleton))
    others = [n.replace("left", "*").replace("right", "left").replace("*", "right") for n in names]
    swap = [names.index(o) if o in names else i for i, o in enumerate(others)]
    rows, count = features(paths), 3 * len(names)
    flip = np.array([-1.0, 1.0, 1.0])
    parts = [
        (x.reshape(len(x), -1, 3)[:, swap] * flip).reshape(len(x), -1) for x in (rows[:, :count], rows[:, count:-2])
    ]
    return np.concatenate([*parts, rows[:, :-3:-1]], axis=1)


def candidates(
    old: FootPaths,
    new: FootPaths,
    leave: tuple[int, int],
    enter: tuple[int, int],
    lengths: tuple[int, ...],
    most: int = 8,
) -> list[SeamCandidate]:
    """The best few of each length, from frames of leave and enter (first, last)."""
    stride = max(1, round(old.fps / RATE))
    leaves, enters = (np.arange(last, first - 1, -stride)[::-1] for first, last in (leave, enter))
    found = []
    for length in lengths:
        cost = unlikeness(old, new, leaves, enters, length)
        for i, j in minima(cost, max(1, round(APART_S * old.fps / stride)), most):
            found.append(SeamCandidate(int(leaves[i]), int(enters[j]), length, float(cost[i, j])))
    return found


def unlikeness(old: FootPaths, new: FootPaths, leaves: np.ndarray, enters: np.ndarray, length: int) -> np.ndarray:
    """(leaves, enters) root mean square distance along the transition, metres."""
    a, b = features(old), features(new)
    total = np.zeros((len(leaves), len(enters)))
    for share in (np.arange(SAMPLES) + 0.5) / SAMPLES:
        k = round(share * length)
        x = np.clip(leaves + k, 0, len(a) - 1)
        y = np.clip(enters - length + k, 0, len(b) - 1)
        p, q = a[x], b[y]
        square = (p * p).sum(axis=1)[:, None] + (q * q).sum(axis=1)[None] - 2.0 * p @ q.T
        beyond = (x > old.lead + old.frames - 1)[:, None] * (1.0 - share) + (y < new.lead)[None] * share
        total += np.maximum(square, 0.0) + WEIGHTS.beyond_m**2 * beyond
    return np.sqrt(total / SAMPLES)


def minima(cost: np.ndarray, apart: int, most: int) -> list[tuple[int, int]]:
    """The cheapest cells, none within `apart` of a cheaper one."""
    left = cost.copy()
    found: list[tuple[int, int]] = []
    while len(found) < most and np.isfinite(left).any():
        i, j = (int(x) for x in np.unravel_index(int(left.argmin()), left.shape))
        found.append((i, j))
        left[max(0, i - apart) : i + apart + 1, max(0, j - apart) : j + apart + 1] = np.inf
    return found
