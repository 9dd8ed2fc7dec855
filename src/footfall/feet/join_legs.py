"""Legs of a join: where they are, how far they reach, where their knees bend to, and how they are bent to targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core import rotation
from footfall.core.easing import gentle
from footfall.core.kernels import kernel, part, read_only
from footfall.core.pose import Pose
from footfall.core.rotation_kernels import add_scaled, cross, dot, minus, put, scaled
from footfall.core.skeleton import Skeleton
from footfall.feet.leg_kernels import find_leg
from footfall.feet.leg_solve import LegTargets, leg_chain, solve_legs
from footfall.feet.limits import (
    JOIN_BENT_M,
    JOIN_FOLDED,
    JOIN_FOLDED_SOFTLY,
    JOIN_FREE,
    JOIN_MOVED_M,
    JOIN_PELVIS_S,
    JOIN_STRAIGHT,
    JOIN_SWING_SOFT_FROM,
    JOIN_SWING_STRAIGHT,
    LEG_FREE,
    LEG_SOFT_FROM,
)
from footfall.feet.pelvis_reach import smooth_moves, taps

SWING_ROOM = 0.02  # of the leg: room between where a leg that came long is slowed and where it ends. By eye, on pairs
FOLD_BESIDE = 1.5  # in folded legs: feet farther beside the hip than this are not lowered. By eye, on pairs

eased = part(gentle)


def half_width(fps: float) -> int:
    """Frames over which moves of the pelvis are smoothed."""
    return max(1, round(JOIN_PELVIS_S * fps))


def legs_of(skeleton: Skeleton, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Hips, knees and ankles (K, 2, 3, 3) of poses (K,), and rotations of their feet (K, 2, 4)."""
    count = len(pose.root_pos)
    joints, offsets, at = leg_chain(skeleton, pose)
    places, feet = np.empty((count, 2, 3, 3)), np.empty((count, 2, 4))
    find_legs(read_only(pose.root_pos), read_only(pose.rot), joints, read_only(offsets), at, places, feet)
    return places, feet


def in_reach(places: np.ndarray, move: np.ndarray, half_width: int) -> np.ndarray:
    """Moves (K, 3) of bodies with legs (K, 2, 3, 3) over feet that stay, changed smoothly to what legs can follow."""
    centers, radii = np.empty((len(places), 2, 3)), np.empty((len(places), 2))
    find_reach(places, read_only(move), centers, radii)
    return move + smooth_moves(centers, radii, half_width)


def knee_poles(places: np.ndarray, fps: float) -> np.ndarray:
    """(K, 2, 3) where knees of legs (K, 2, 3, 3) bend to when they are straight: as they bend around then, or forward.

    Not to where the feet point: in a swing they point down, and what is level of that turns round in a few frames.
    """
    out = np.zeros((len(places), 2, 3))
    find_poles(places, taps(half_width(fps)), out)
    return out


def move_body(skeleton: Skeleton, pose: Pose, move: np.ndarray, fps: float) -> Pose:
    """Poses (K,) whose bodies are moved by `move` (K, 3), as far as legs reach, over feet that stay."""
    places, feet = legs_of(skeleton, pose)
    move = in_reach(places, move, half_width(fps))
    feet[:] = rotation.IDENTITY
    return solve_legs(skeleton, pose, LegTargets(move, places[:, :, 2], feet, knee_poles(places, fps)))


@part
def vector(values: Any) -> Any:
    return values[0], values[1], values[2]


@part
def length(v: Any) -> float:
    return np.sqrt(dot(v, v))


@kernel
def find_legs(root: Any, rot: Any, joints: Any, offsets: Any, at: Any, places: Any, feet: Any) -> None:
    """Hips, knees and ankles into places (K, 2, 3, 3), rotations into feet (K, 2, 4); offsets (1 or K, 2, C, 3) of the
    joints, for all poses or for each."""
    for n in range(len(root)):
        for side in range(2):
            leg = find_leg(root, rot, n, joints, offsets, at, side)
            for c in range(3):
                places[n, side, 0, c], places[n, side, 1, c], places[n, side, 2, c] = leg[0][c], leg[1][c], leg[2][c]
            put(feet[n, side], leg[8])


@part
def leg_length(leg: Any) -> float:
    """Of places (3, 3): thigh and shin."""
    hip, knee, ankle = vector(leg[0]), vector(leg[1]), vector(leg[2])
    return length(minus(knee, hip)) + length(minus(ankle, knee))


@part
def reach(leg: Any) -> float:
    """How far from the hip an ankle may be: as far as soft extension begins, or as it already is."""
    size = leg_length(leg)
    return min(max(LEG_SOFT_FROM * size, length(minus(vector(leg[2]), vector(leg[0])))), size)


@kernel
def find_reach(places: Any, move: Any, centers: Any, radii: Any) -> None:
    """Where legs (K, 2, 3, 3) let a body go that is moved by move (K, 3) over feet that stay: balls, their centers
    (K, 2, 3) and radii (K, 2)."""
    for n in range(len(places)):
        for side in range(2):
            radii[n, side] = reach(places[n, side])
            for c in range(3):
                centers[n, side, c] = places[n, side, 2, c] - places[n, side, 0, c] - move[n, c]


@part
def mid_swing(swing: float) -> float:
    """1 in the middle of a swing, 0 to 1, and 0 at both its ends and outside of it."""
    return 16.0 * (swing * (1.0 - swing)) ** 2


@part
def soft_reach(leg: Any, ankle: Any, free: bool, swing: float) -> float:
    """How far from the hip an ankle may be: less for a foot that is moved, more for one that swings."""
    size, radius = leg_length(leg), reach(leg)
    off = length(minus(vector(ankle), vector(leg[2]))) / JOIN_MOVED_M
    moved, room = -np.expm1(-off * off), (JOIN_STRAIGHT - LEG_SOFT_FROM) * size
    eased_to = LEG_SOFT_FROM * size + room * -np.expm1(-max(radius - LEG_SOFT_FROM * size, 0.0) / room)
    spare = (1.0 if free else 0.0) + mid_swing(swing) / (JOIN_FREE * LEG_FREE)
    return radius + moved * (min(eased_to, radius) - radius) + LEG_FREE * JOIN_FREE * size * spare


@part
def drawn_in(leg: Any, ankle: Any, move: Any, free: bool, swing: float) -> Any:
    """An ankle neither too near under its hip nor too far from it.

    A swinging foot that passes close under its hip is lowered: no leg folds up farther than half. One in mid-swing is
    drawn in before the leg is straight: a foot that is left behind would else be caught up with all at once, and the
    knee snap open.
    """
    size, hip = leg_length(leg), add_scaled(vector(leg[0]), vector(move), 1.0)
    own = length(minus(vector(leg[2]), vector(leg[0])))
    x, y, z = minus(vector(ankle), hip)
    if free:
        least = min(JOIN_FOLDED * size, own)
        beside = np.sqrt(x * x + z * z) / max(least, 1e-9)
        width = JOIN_FOLDED_SOFTLY * size
        over = (y + least * max(1.0 - beside * beside, 0.0)) / width
        y -= width * (max(over, 0.0) + np.log1p(np.exp(-abs(over)))) * eased(FOLD_BESIDE - beside)
    far = max(np.sqrt(x * x + y * y + z * z), 1e-9)
    first = max(JOIN_SWING_SOFT_FROM * size, min(own, (JOIN_SWING_STRAIGHT - SWING_ROOM) * size))
    room = JOIN_SWING_STRAIGHT * size - first
    near = far if far <= first else first + room * -np.expm1(-max(far - first, 0.0) / room)
    return add_scaled(hip, (x, y, z), (far + mid_swing(swing) * (near - far)) / far)


@kernel
def find_poles(places: Any, weights: Any, out: Any) -> None:
    """knee_poles of legs (K, 2, 3, 3) into out (K, 2, 3), 0 before, smoothed by weights, of odd number."""
    count, middle = len(places), len(weights) // 2
    bend = np.empty((count, 2, 3))
    for n in range(count):
        for side in range(2):
            hip = vector(places[n, side, 0])
            line, thigh = minus(vector(places[n, side, 2]), hip), minus(vector(places[n, side, 1]), hip)
            line = scaled(line, 1.0 / max(length(line), 1e-9))
            bend[n, side, 0], bend[n, side, 1], bend[n, side, 2] = add_scaled(thigh, line, -dot(thigh, line))
    for n in range(count):
        for i in range(len(weights)):
            row = min(max(n + i - middle, 0), count - 1)
            for side in range(2):
                for c in range(3):
                    out[n, side, c] += weights[i] * bend[row, side, c]
        across = minus(vector(places[n, 0, 0]), vector(places[n, 1, 0]))
        ahead = scaled(cross(across, (0.0, 1.0, 0.0)), JOIN_BENT_M / max(length(across), 1e-9))
        for side in range(2):
            for c in range(3):
                out[n, side, c] += ahead[c]
