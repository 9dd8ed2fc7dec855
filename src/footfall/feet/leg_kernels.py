"""Leg kernels: analytic two-bone IK of both legs of many poses, one pass, one thread.

A leg keeps its swivel (the plane its knee bends in), is slowed towards full extension instead of stopped there, and
turns a knee that is nearly straight to a given pole. Everything that bends a leg calls `place_leg`: clips and joins
through `leg_solve.solve_legs`, live characters through `live_lock`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import kernel, part
from footfall.core.rotation_kernels import add_scaled, conjugate, cross, dot, minus, multiply, rotate, scaled
from footfall.feet.limits import LEG_FREE, LEG_MAX_EXTENSION, LEG_NEARLY_STRAIGHT, LEG_ROUNDING, LEG_SOFT_FROM

ONE = (1.0, 0.0, 0.0, 0.0)  # the rotation that turns nothing


class Extension(NamedTuple):
    """How far a limb may be stretched, of its length."""

    soft_from: float  # from here on it is slowed
    most: float  # never beyond, unless it came longer


USUAL = Extension(LEG_SOFT_FROM, LEG_MAX_EXTENSION)


class LegChain(NamedTuple):
    """What kernels walk from the root to each ankle; axis of sides is left, right."""

    joints: np.ndarray  # (2, C) indices
    offsets: np.ndarray  # (F, 2, C, 3) from the joint above, in its frame; F is 1, or one for every pose
    at: np.ndarray  # (2, 4) where hip, knee and ankle are in the chain, and how long it is


class LegPose(NamedTuple):
    """One leg in the world: places (3,), and rotations (4,) of what carries each joint and of the joints themselves."""

    hip: Any
    knee: Any
    ankle: Any
    over_hip: Any
    over_knee: Any
    over_ankle: Any
    hip_turn: Any
    knee_turn: Any
    ankle_turn: Any


class LegGoal(NamedTuple):
    """What one leg should do."""

    move: Any  # (3,) metres, of the whole body
    ankle: Any  # (3,) where the ankle should be, world
    turn: Any  # (4,) world rotation to apply to the foot
    pole: Any  # (3,) where a straight knee should bend to
    extension: Any  # Extension


def rows(x: np.ndarray, batch: tuple[int, ...], tail: tuple[int, ...]) -> np.ndarray:
    """An argument for every pose of a batch, one after another; writable, as kernels are compiled for."""
    shape = (*batch, *tail)
    if x.shape != shape:
        x = np.broadcast_to(x, shape)
    return np.require(x, float, ("C", "W")).reshape(-1, *tail)


@part
def shortest_turn(a: Any, b: Any) -> Any:
    """Smallest rotation from the direction of a to that of b."""
    return turn_between(a, b, np.sqrt(dot(a, a) * dot(b, b)))


@part
def turn_between(a: Any, b: Any, size: float) -> Any:
    """As `shortest_turn`, for who knows the product of both lengths: a root less, of which a leg has many."""
    if size < 1e-140:  # its square would be no number
        return ONE
    w = size + dot(a, b)
    axis = cross(a, b)
    if w < 1e-12 * size:  # opposite: any axis across will do
        w = 0.0
        axis = cross(a, (1.0, 0.0, 0.0) if a[0] * a[0] < 0.8 * dot(a, a) else (0.0, 1.0, 0.0))
    n = 1.0 / np.sqrt(w * w + dot(axis, axis))
    return w * n, axis[0] * n, axis[1] * n, axis[2] * n


@part
def _direction(v: Any, fallback: Any) -> Any:
    """Unit vector along v, or along the fallback, or down; and the length of v."""
    n = np.sqrt(dot(v, v))
    if n > 1e-12:
        return scaled(v, 1.0 / n), n
    m = np.sqrt(dot(fallback, fallback))
    if m > 1e-12:
        return scaled(fallback, 1.0 / m), n
    return (0.0, -1.0, 0.0), n


@part
def _across(aim: Any) -> Any:
    """A unit vector at right angles to aim, forward for a hanging limb."""
    other = (0.0, 0.0, 1.0) if abs(aim[2]) < 0.9 else (1.0, 0.0, 0.0)
    v = add_scaled(other, aim, -dot(other, aim))
    return scaled(v, 1.0 / np.sqrt(dot(v, v)))


@part
def soft_reach(wanted: float, now: float, upper: float, lower: float, extension: Any) -> float:
    """Distance the end will have: the wanted one, slowed towards full extension."""
    soft_from, most = extension
    length = upper + lower
    slow = max(soft_from * length, min(now, length))  # a limb that came longer may stay so
    result = wanted
    if wanted > slow:
        limit = min(max(most * length, slow), length)
        room = max(limit - slow, 1e-12)
        result = min(slow - room * np.expm1(-(wanted - slow) / room), limit)
    return max(result, min(max(abs(upper - lower), 1e-6 * length), length))


@part
def bend_limb(limb: Any, target: Any, pole: Any, extension: Any) -> Any:
    """World rotations of the upper and the lower bone that bring a limb's end to the target, as far as it reaches.

    limb: places of its start, middle and end. The middle keeps its side; the nearer to straight the limb is, the more
    the pole says where it bends to.
    """
    start, mid, end = limb
    if target == end:
        return ONE, ONE
    thigh, shin = minus(mid, start), minus(end, mid)
    upper, lower = np.sqrt(dot(thigh, thigh)), np.sqrt(dot(shin, shin))
    line, now = _direction(minus(end, start), thigh)
    aim, wanted = _direction(minus(target, start), line)
    reach = soft_reach(wanted, now, upper, lower, extension)
    swing = turn_between(line, aim, 1.0)
    swung = rotate(swing, thigh)
    sideways = add_scaled(swung, aim, -dot(swung, aim))
    along = min(max((reach * reach + upper * upper - lower * lower) / (2.0 * max(reach, 1e-12)), -upper), upper)
    offset = np.sqrt(max(upper * upper - along * along, 0.0))
    if offset < LEG_ROUNDING * upper:
        offset = 0.0
    had = np.sqrt(dot(sideways, sideways))
    x = min(max(had / max(LEG_NEARLY_STRAIGHT * upper, 1e-12), 0.0), 1.0)
    unsure = max(offset - had, 0.0) * (1.0 - x * x * (3.0 - 2.0 * x))
    if unsure > 0.0 or had <= 1e-12:
        hint, _ = _direction(add_scaled(pole, aim, -dot(pole, aim)), _across(aim))
        side, _ = _direction(add_scaled(sideways, hint, unsure), hint)
    else:
        side = scaled(sideways, 1.0 / had)
    new_thigh = add_scaled(scaled(aim, along), side, offset)
    new_shin = minus(scaled(aim, reach), new_thigh)
    new_upper = multiply(turn_between(swung, new_thigh, upper * upper), swing)
    return new_upper, multiply(turn_between(rotate(swing, shin), new_shin, lower * lower), swing)


@part
def _store(rot: Any, joint: int, q: Any) -> None:
    """Write a local rotation, of unit length, with the sign of the one it replaces."""
    size = near_one(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    same = q[0] * rot[joint, 0] + q[1] * rot[joint, 1] + q[2] * rot[joint, 2] + q[3] * rot[joint, 3]
    scale = -size if same < 0.0 else size
    for i in range(4):
        rot[joint, i] = q[i] * scale


@part
def near_one(square: float) -> float:
    """1 / sqrt(square), without root or division for one that is 1 but for rounding: three terms of its series."""
    x = square - 1.0
    if abs(x) > 1e-5:
        return 1.0 / np.sqrt(square)
    return 1.0 - x * (0.5 - 0.375 * x)


@part
def find_leg(root: Any, rot: Any, n: int, joints: Any, offsets: Any, at: Any, side: int) -> Any:
    """The LegPose of one leg of pose n: root (T, 3), rot (T, J, 4), and a LegChain."""
    place, world = (root[n, 0], root[n, 1], root[n, 2]), ONE
    hip = knee = place
    over_hip = over_knee = over_ankle = hip_turn = knee_turn = world
    local = offsets[min(n, len(offsets) - 1), side]
    for c in range(at[side, 3]):
        j = joints[side, c]
        if c > 0:
            place = add_scaled(place, rotate(world, (local[c, 0], local[c, 1], local[c, 2])), 1.0)
        over = world
        world = multiply(world, (rot[n, j, 0], rot[n, j, 1], rot[n, j, 2], rot[n, j, 3]))
        if c == at[side, 0]:
            hip, over_hip, hip_turn = place, over, world
        elif c == at[side, 1]:
            knee, over_knee, knee_turn = place, over, world
        elif c == at[side, 2]:
            over_ankle = over
    return LegPose(hip, knee, place, over_hip, over_knee, over_ankle, hip_turn, knee_turn, world)


@part
def place_leg(rot: Any, joints: Any, leg: Any, goal: Any) -> None:
    """Bend one leg, moved along with the body, to its goal; its hip, knee and ankle (joints) are written to rot (J, 4).

    A target equal to the moved ankle changes nothing.
    """
    target = minus(goal.ankle, goal.move)  # as seen from the body
    upper, lower = bend_limb((leg.hip, leg.knee, leg.ankle), target, goal.pole, goal.extension)
    thigh_over, shin_over = multiply(upper, leg.over_knee), multiply(lower, leg.over_ankle)
    _store(rot, joints[0], multiply(conjugate(leg.over_hip), multiply(upper, leg.hip_turn)))
    _store(rot, joints[1], multiply(conjugate(thigh_over), multiply(lower, leg.knee_turn)))
    _store(rot, joints[2], multiply(conjugate(shin_over), multiply(goal.turn, leg.ankle_turn)))


@part
def leg_of_chain(joints: Any, at: Any, side: int) -> Any:
    """Joints of hip, knee and ankle."""
    return joints[side, at[side, 0]], joints[side, at[side, 1]], joints[side, at[side, 2]]


@part
def leg_reach(leg: Any, grip: float) -> float:
    """How far a hip may be from where its ankle should be: as far as extension is not slowed, or as it was.

    grip: 1 for a foot that stands; one that swings (0) may be out of reach by LEG_FREE of the leg.
    """
    thigh, shin, line = minus(leg.knee, leg.hip), minus(leg.ankle, leg.knee), minus(leg.ankle, leg.hip)
    length = np.sqrt(dot(thigh, thigh)) + np.sqrt(dot(shin, shin))
    return min(max(LEG_SOFT_FROM * length, np.sqrt(dot(line, line))), length) + LEG_FREE * length * (1.0 - grip)


@kernel
def solve_poses(root: Any, rot: Any, chain: Any, targets: Any, extension: Any) -> None:
    """All poses, in place: root (T, 3), rot (T, J, 4); chain and targets as tuples."""
    joints, offsets, at = chain
    move, ankle, turn, pole = targets
    for n in range(len(root)):
        moved = (move[n, 0], move[n, 1], move[n, 2])
        for side in range(2):
            leg = find_leg(root, rot, n, joints, offsets, at, side)
            target = (ankle[n, side, 0], ankle[n, side, 1], ankle[n, side, 2])
            foot = (turn[n, side, 0], turn[n, side, 1], turn[n, side, 2], turn[n, side, 3])
            ahead = (pole[n, side, 0], pole[n, side, 1], pole[n, side, 2])
            goal = LegGoal(moved, target, foot, ahead, extension)
            place_leg(rot[n], leg_of_chain(joints, at, side), leg, goal)
        for i in range(3):
            root[n, i] += moved[i]
