"""Compiled leg solver: pelvis move, hips, knees and ankles of many poses, one pass, one thread.

The readable twins, used as its oracles, are `footfall.feet.leg_solve` and `footfall.kinematics.two_bone_ik`; the
constants below are theirs, and a test holds them together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import kernel, part
from footfall.core.rotation_kernels import add_scaled, conjugate, cross, dot, minus, multiply, rotate, scaled

SOFT_FROM, MAX_EXTENSION, NEARLY_STRAIGHT = 0.97, 0.995, 0.15  # as footfall.kinematics.two_bone_ik
FREE = 0.3  # as footfall.feet.leg_solve


def lock_legs(
    root_pos: np.ndarray,
    rot: np.ndarray,
    chain: tuple[np.ndarray, np.ndarray, np.ndarray],
    move: np.ndarray,
    ankle: np.ndarray,
    turn: np.ndarray,
    pole: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Root positions (..., 3) and rotations (..., J, 4) with the ankles of both legs at their targets.

    chain: as leg_solve.leg_chain gives it; move (..., 3), ankle (..., 2, 3), turn (..., 2, 4) and pole (..., 2, 3) as
    in leg_solve.LegTargets. Leading axes are frames, characters or both.
    """
    out_root, out_rot = np.array(root_pos, float, order="C"), np.array(rot, float, order="C")
    given = ((move, (3,)), (ankle, (2, 3)), (turn, (2, 4)), (pole, (2, 3)))
    flat = [_rows(x, root_pos.shape[:-1], tail) for x, tail in given]
    _solve(out_root.reshape(-1, 3), out_rot.reshape(-1, *rot.shape[-2:]), *chain, *flat)
    return out_root, out_rot


def lock_into(
    root_pos: np.ndarray,
    rot: np.ndarray,
    chain: tuple[np.ndarray, np.ndarray, np.ndarray],
    move: np.ndarray,
    ankle: np.ndarray,
    turn: np.ndarray,
    pole: np.ndarray,
) -> None:
    """lock_legs of poses (K,), in place."""
    _solve(root_pos, rot, *chain, *(np.ascontiguousarray(x, dtype=float) for x in (move, ankle, turn, pole)))


def hold_feet(
    root_pos: np.ndarray,
    rot: np.ndarray,
    chain: tuple[np.ndarray, np.ndarray, np.ndarray],
    point: np.ndarray,
    place: np.ndarray,
    weight: np.ndarray,
    offset: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Poses with points of feet drawn to places, pelvis moved as little as that takes; and what ankles moved by.

    For streams, frame by frame, many characters at once: point (..., 2, 3) in the ankle's frame (heel or ball),
    place (..., 2, 3) in the world, weight (..., 2) 1 while it stands and 0 in the swing, offset (..., 2, 3) what is
    left of the last stance and fades in the swing. The twin is leg_solve.hold_feet.
    """
    batch = root_pos.shape[:-1]
    out_root, out_rot = np.array(root_pos, float, order="C"), np.array(rot, float, order="C")
    moved = np.array(np.broadcast_to(offset, (*batch, 2, 3)), float, order="C")
    given = ((point, (2, 3)), (place, (2, 3)), (weight, (2,)))
    flat = [_rows(x, batch, tail) for x, tail in given]
    _hold(out_root.reshape(-1, 3), out_rot.reshape(-1, *rot.shape[-2:]), *chain, *flat, moved.reshape(-1, 2, 3))
    return out_root, out_rot, moved


def leg_points(
    root_pos: np.ndarray, rot: np.ndarray, chain: tuple[np.ndarray, np.ndarray, np.ndarray], toes: np.ndarray
) -> np.ndarray:
    """(T, 2, 3, 3) world places of knees, ankles and toes, toes (2, 3) in the frames of ankles; T poses.

    The twin is kinematics.fk.world_transforms_of.
    """
    out = np.empty((len(root_pos), 2, 3, 3))
    _points(np.ascontiguousarray(root_pos, float), np.ascontiguousarray(rot, float), *chain, toes, out)
    return out


def _rows(x: np.ndarray, batch: tuple[int, ...], tail: tuple[int, ...]) -> np.ndarray:
    """An argument for every pose, one after another."""
    return np.ascontiguousarray(np.broadcast_to(x, (*batch, *tail)), dtype=float).reshape(-1, *tail)


@part
def _between(a: Any, b: Any) -> Any:
    """Smallest rotation from the direction of a to that of b."""
    a = scaled(a, 1.0 / max(np.sqrt(dot(a, a)), 1e-300))
    b = scaled(b, 1.0 / max(np.sqrt(dot(b, b)), 1e-300))
    w = 1.0 + dot(a, b)
    axis = cross(a, b)
    if w < 1e-12:
        w = 0.0
        axis = cross(a, (1.0, 0.0, 0.0) if abs(a[0]) < 0.9 else (0.0, 1.0, 0.0))
    n = np.sqrt(w * w + dot(axis, axis))
    return w / n, axis[0] / n, axis[1] / n, axis[2] / n


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
def _reach(wanted: float, now: float, upper: float, lower: float) -> float:
    """Distance the end will have: the wanted one, slowed towards full extension."""
    length = upper + lower
    slow = max(SOFT_FROM * length, min(now, length))
    result = wanted
    if wanted > slow:
        limit = min(max(MAX_EXTENSION * length, slow), length)
        room = max(limit - slow, 1e-12)
        result = min(slow - room * np.expm1(-(wanted - slow) / room), limit)
    return max(result, min(max(abs(upper - lower), 1e-6 * length), length))


@part
def _bend(start: Any, mid: Any, end: Any, target: Any, pole: Any) -> Any:
    """World rotations of the upper and the lower bone that bring the end to the target."""
    thigh, shin = minus(mid, start), minus(end, mid)
    upper, lower = np.sqrt(dot(thigh, thigh)), np.sqrt(dot(shin, shin))
    line, now = _direction(minus(end, start), thigh)
    aim, wanted = _direction(minus(target, start), line)
    reach = _reach(wanted, now, upper, lower)
    swing = _between(line, aim)
    swung = rotate(swing, thigh)
    sideways = add_scaled(swung, aim, -dot(swung, aim))
    along = min(max((reach * reach + upper * upper - lower * lower) / (2.0 * max(reach, 1e-12)), -upper), upper)
    offset = np.sqrt(max(upper * upper - along * along, 0.0))
    had = np.sqrt(dot(sideways, sideways))
    x = min(max(had / max(NEARLY_STRAIGHT * upper, 1e-12), 0.0), 1.0)
    level = _across(aim)
    hint, _ = _direction(add_scaled(pole, aim, -dot(pole, aim)), level)
    unsure = 1.0 - x * x * (3.0 - 2.0 * x)
    side, _ = _direction(add_scaled(sideways, hint, max(offset - had, 0.0) * unsure), hint)
    new_thigh = add_scaled(scaled(aim, along), side, offset)
    new_shin = minus(scaled(aim, reach), new_thigh)
    return multiply(_between(swung, new_thigh), swing), multiply(_between(rotate(swing, shin), new_shin), swing)


@part
def _store(rot: Any, n: int, joint: int, q: Any) -> None:
    """Write a local rotation, of unit length, with the sign of the one it replaces."""
    size = np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    same = q[0] * rot[n, joint, 0] + q[1] * rot[n, joint, 1] + q[2] * rot[n, joint, 2] + q[3] * rot[n, joint, 3]
    scale = -1.0 / size if same < 0.0 else 1.0 / size
    for i in range(4):
        rot[n, joint, i] = q[i] * scale


@part
def _walk(root: Any, rot: Any, n: int, joints: Any, offsets: Any, at: Any, side: int) -> Any:
    """World places of hip, knee and ankle, rotations of what carries each, and their own."""
    place, world = (root[n, 0], root[n, 1], root[n, 2]), (1.0, 0.0, 0.0, 0.0)
    hip = knee = place
    over_hip = over_knee = over_ankle = hip_turn = knee_turn = world
    for c in range(at[side, 3]):
        j = joints[side, c]
        if c > 0:
            v = (offsets[side, c, 0], offsets[side, c, 1], offsets[side, c, 2])
            place = add_scaled(place, rotate(world, v), 1.0)
        over = world
        world = multiply(world, (rot[n, j, 0], rot[n, j, 1], rot[n, j, 2], rot[n, j, 3]))
        if c == at[side, 0]:
            hip, over_hip, hip_turn = place, over, world
        elif c == at[side, 1]:
            knee, over_knee, knee_turn = place, over, world
        elif c == at[side, 2]:
            over_ankle = over
    return hip, knee, place, over_hip, over_knee, over_ankle, hip_turn, knee_turn, world


@part
def _place(
    rot: Any, n: int, joints: Any, at: Any, side: int, leg: Any, move: Any, target: Any, turn: Any, pole: Any
) -> None:
    """Bend one leg, moved along with the body, to its target and write its rotations."""
    hip, knee, ankle = add_scaled(leg[0], move, 1.0), add_scaled(leg[1], move, 1.0), add_scaled(leg[2], move, 1.0)
    upper = lower = (1.0, 0.0, 0.0, 0.0)
    if target != ankle:
        upper, lower = _bend(hip, knee, ankle, target, pole)
    thigh_over, shin_over = multiply(upper, leg[4]), multiply(lower, leg[5])
    _store(rot, n, joints[side, at[side, 0]], multiply(conjugate(leg[3]), multiply(upper, leg[6])))
    _store(rot, n, joints[side, at[side, 1]], multiply(conjugate(thigh_over), multiply(lower, leg[7])))
    _store(rot, n, joints[side, at[side, 2]], multiply(conjugate(shin_over), multiply(turn, leg[8])))


@kernel
def _solve(
    root: Any, rot: Any, joints: Any, offsets: Any, at: Any, move: Any, ankle: Any, turn: Any, pole: Any
) -> None:
    """All poses, in place."""
    for n in range(len(root)):
        moved = (move[n, 0], move[n, 1], move[n, 2])
        for side in range(2):
            leg = _walk(root, rot, n, joints, offsets, at, side)
            target = (ankle[n, side, 0], ankle[n, side, 1], ankle[n, side, 2])
            foot = (turn[n, side, 0], turn[n, side, 1], turn[n, side, 2], turn[n, side, 3])
            ahead = (pole[n, side, 0], pole[n, side, 1], pole[n, side, 2])
            _place(rot, n, joints, at, side, leg, moved, target, foot, ahead)
        for i in range(3):
            root[n, i] += moved[i]


@kernel
def _points(root: Any, rot: Any, joints: Any, offsets: Any, at: Any, toes: Any, out: Any) -> None:
    """Knees, ankles and toes of all poses."""
    for n in range(len(root)):
        for side in range(2):
            leg = _walk(root, rot, n, joints, offsets, at, side)
            toe = add_scaled(leg[2], rotate(leg[8], (toes[side, 0], toes[side, 1], toes[side, 2])), 1.0)
            for i in range(3):
                out[n, side, 0, i], out[n, side, 1, i], out[n, side, 2, i] = leg[1][i], leg[2][i], toe[i]


@part
def _into(p: Any, center: Any, radius: float) -> Any:
    """The nearest point to p within a ball, and whether that is p."""
    out = minus(p, center)
    distance = np.sqrt(dot(out, out))
    if distance <= radius:
        return p, True
    return add_scaled(center, out, radius / max(distance, 1e-300)), False


@part
def _least_move(c0: Any, c1: Any, r0: float, r1: float) -> Any:
    """The shortest vector that ends within both balls; where they do not meet, halfway over the gap."""
    zero = (0.0, 0.0, 0.0)
    on0, in0 = _into(zero, c0, r0)
    on1, in1 = _into(zero, c1, r1)
    if in0 and in1:
        return zero
    for point, center, radius in ((on0, c1, r1), (on1, c0, r0)):
        away = minus(point, center)
        if np.sqrt(dot(away, away)) <= radius * (1.0 + 1e-12):
            return point
    line = minus(c1, c0)
    apart = np.sqrt(dot(line, line))
    axis = scaled(line, 1.0 / max(apart, 1e-300))
    if apart > r0 + r1:
        return add_scaled(c0, axis, 0.5 * (r0 + apart - r1))
    along = (apart * apart + r0 * r0 - r1 * r1) / max(2.0 * apart, 1e-300)
    far = max(r0, apart)
    along = min(max(along, -far), far)
    across = add_scaled(scaled(c0, -1.0), axis, dot(c0, axis))
    size = np.sqrt(max(r0 * r0 - along * along, 0.0)) / max(np.sqrt(dot(across, across)), 1e-300)
    return add_scaled(add_scaled(c0, axis, along), across, size)


@part
def _box(x: Any, out: Any, half_width: int) -> None:
    """Moving means of 2 half_width + 1 rows of x (T, 3); rows beyond its ends are as those at them."""
    count, last = 2 * half_width + 1, len(x) - 1
    for i in range(3):
        total = (half_width + 1) * x[0, i]
        for n in range(1, half_width + 1):
            total += x[min(n, last), i]
        for n in range(len(x)):
            out[n, i] = total / count
            total += x[min(n + half_width + 1, last), i] - x[max(n - half_width, 0), i]


@kernel
def smooth_moves(
    centers: Any, radii: Any, half_width: int, rounds: int, plain: int, relax: float, enough: float
) -> Any:
    """Smooth pelvis moves (T, 3) into balls (T, 2, 3), (T, 2); the twin is pelvis_reach.smooth_moves."""
    count, pad = len(centers), 3 * half_width
    moves, missing, other = np.zeros((count, 3)), np.zeros((count + 2 * pad, 3)), np.zeros((count + 2 * pad, 3))
    for k in range(rounds):
        most = 0.0
        for n in range(count):
            at = (moves[n, 0], moves[n, 1], moves[n, 2])
            c0 = (centers[n, 0, 0] - at[0], centers[n, 0, 1] - at[1], centers[n, 0, 2] - at[2])
            c1 = (centers[n, 1, 0] - at[0], centers[n, 1, 1] - at[1], centers[n, 1, 2] - at[2])
            step = _least_move(c0, c1, max(radii[n, 0], 0.0), max(radii[n, 1], 0.0))
            most = max(most, dot(step, step))
            missing[pad + n, 0], missing[pad + n, 1], missing[pad + n, 2] = step
        if not np.sqrt(most) > enough:
            break
        for n in range(pad):
            for i in range(3):  # row by row would take seconds to compile
                missing[n, i], missing[count + pad + n, i] = missing[pad, i], missing[count + pad - 1, i]
        for _ in range(3):
            _box(missing, other, half_width)
            missing, other = other, missing
        for n in range(count):
            for i in range(3):
                if abs(missing[pad + n, i]) > 1e-12:  # running sums leave rounding behind
                    moves[n, i] += (1.0 if k < plain else relax) * missing[pad + n, i]
    return moves


@kernel
def _hold(
    root: Any, rot: Any, joints: Any, offsets: Any, at: Any, point: Any, place: Any, weight: Any, offset: Any
) -> None:
    """All poses, in place; offset becomes what was added to each ankle."""
    for n in range(len(root)):
        left = _walk(root, rot, n, joints, offsets, at, 0)
        right = _walk(root, rot, n, joints, offsets, at, 1)
        t0, r0 = _target(left, n, 0, point, place, weight, offset)
        t1, r1 = _target(right, n, 1, point, place, weight, offset)
        move = _least_move(minus(t0, left[0]), minus(t1, right[0]), r0, r1)
        one = (1.0, 0.0, 0.0, 0.0)
        p0, p1 = (point[n, 0, 0], point[n, 0, 1], point[n, 0, 2]), (point[n, 1, 0], point[n, 1, 1], point[n, 1, 2])
        _place(rot, n, joints, at, 0, left, move, t0, one, rotate(left[8], p0))
        _place(rot, n, joints, at, 1, right, move, t1, one, rotate(right[8], p1))
        for i in range(3):
            root[n, i] += move[i]


@part
def _target(leg: Any, n: int, side: int, point: Any, place: Any, weight: Any, offset: Any) -> Any:
    """Where one ankle should be, and how far its hip may then be from it."""
    w = weight[n, side]
    local = (point[n, side, 0], point[n, side, 1], point[n, side, 2])
    now = add_scaled(leg[2], rotate(leg[8], local), 1.0)
    for i in range(3):
        offset[n, side, i] = w * (place[n, side, i] - now[i]) + (1.0 - w) * offset[n, side, i]
    thigh, shin, line = (
        minus(leg[1], leg[0]),
        minus(leg[2], leg[1]),
        minus(leg[2], leg[0]),
    )
    length = np.sqrt(dot(thigh, thigh)) + np.sqrt(dot(shin, shin))
    reach = min(max(SOFT_FROM * length, np.sqrt(dot(line, line))), length) + FREE * length * (1.0 - w)
    return add_scaled(leg[2], (offset[n, side, 0], offset[n, side, 1], offset[n, side, 2]), 1.0), reach
