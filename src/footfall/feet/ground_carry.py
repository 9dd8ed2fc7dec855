"""Ground carry: where the body of a clip goes when its footfalls go elsewhere.

Each footfall was moved and turned as one piece, from where it is in the clip to its place on the ground. The body is
moved as the footfall that carries it, and between two footfalls from the one's move to the other's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.feet import limits
from footfall.feet.ground_path import GroundPath
from footfall.feet.ground_steps import Footfall
from footfall.feet.pelvis_reach import low_pass


class Carry(NamedTuple):
    """What becomes of the way of a clip, frame by frame of the result."""

    way: np.ndarray  # (T, 3) where the way is in the clip, on the floor
    place: np.ndarray  # (T, 3) where that is put
    yaw: np.ndarray  # (T,) radians it is turned by
    heading: np.ndarray  # (T,) radians, of the body, as it is put
    level: np.ndarray  # (T,) height of the ground that it walks on

    def carried(self, points: np.ndarray) -> np.ndarray:
        """Points (T, 3) of the clip, carried along with the body; their heights stay."""
        return np.asarray(self.place + rotation.rotate(rotation.yaw(self.yaw), points - self.way))


def carry_of(times: np.ndarray, falls: list[Footfall], path: GroundPath, fps: float) -> Carry:
    """How the body is carried at clip times (T,)."""
    way = np.stack([path.at("x", times), np.zeros(len(times)), path.at("z", times)], axis=-1)
    place, yaw, along = np.array(way), np.zeros(len(times)), path.at("along_m", times)
    shares = shares_of(times, falls, fps)
    for fall, share in zip(falls, shares, strict=True):
        moved = fall.ball + rotation.rotate(rotation.yaw(np.array(fall.yaw)), way - fall.stance.ball) - way
        place += share[:, None] * moved * np.array([1.0, 0.0, 1.0])
        yaw += share * fall.yaw
        along += share * float(path.at("along_m", fall.way_s) - path.at("along_m", fall.stance.middle_s))
    level = path.at("height", path.reached(along))
    return Carry(way, place, yaw, path.at("heading", times) + yaw, level)


def shares_of(times: np.ndarray, falls: list[Footfall], fps: float) -> np.ndarray:
    """(falls, T) how much of a body each footfall carries at clip times (T,), 1 in all."""
    knots = sorted((t, n) for n, fall in enumerate(falls) for t in carrying(fall))
    at = np.array([t for t, _ in knots])
    half = max(1, round(limits.GROUND_BODY_S * fps))
    by = [np.interp(times, at, [float(n == k) for _, n in knots]) for k in range(len(falls))]
    return low_pass(np.stack(by, axis=-1), half).T if by else np.zeros((0, len(times)))


def carrying(fall: Footfall) -> tuple[float, ...]:
    """The middle of a stance; of one that stands long, when the body has come over it and when it leaves."""
    half = 0.5 * limits.GROUND_STANDS_S
    start, end = fall.stance.start_s + half, fall.stance.end_s - half
    return (fall.stance.middle_s,) if end - start < limits.GROUND_STANDS_S else (start, end)
