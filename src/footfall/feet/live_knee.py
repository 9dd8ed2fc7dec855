"""Live knees: legs of live characters bent no faster than people's, however late their foot is.

A leg that is nearly straight bends by much for a millimetre, so where a foot that is held, or kept out of the floor,
is drawn from its motion, its knee would jump. Held to a speed, the knee costs the foot a few millimetres for a frame or
two. Where a motion has a knee straight, the side that it bends to is that of the last frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import part
from footfall.core.rotation_kernels import add_scaled, conjugate, dot, minus, rotate, scaled
from footfall.feet.leg_kernels import USUAL, soft_reach
from footfall.feet.limits import (
    LIVE_KNEE_ASIDE_FROM_M,
    LIVE_KNEE_BRAKE_RAD_S2,
    LIVE_KNEE_FASTER,
    LIVE_KNEE_RAD_S,
    LIVE_POLE_S,
)

AS_ASKED = (1.0, 1.0)  # the Extension of a leg that was slowed here
STRAIGHT = 0.02  # of the thigh: a knee that is less off the line from hip to ankle points nowhere. By eye


@part
def knee_in_time(leg: Any, target: Any, move: Any, knees: Any, may: Any, dt: float) -> Any:
    """Where the ankle of a leg, moved along with the body, goes so that it is slowed towards full extension, and its
    knee turns no faster than it may. Slowed afterwards, a knee would turn otherwise than it was let here.

    knees (6,): cosines of what the knee was bent by in the last frame, as made and as animated; NaN where there was
    none; where it pointed then (3), and what it was bent by since the frame before. A knee may turn by
    LIVE_KNEE_RAD_S, or by so much faster than its motion has it. may: metres that one that bends leaves its foot
    too low by, rad/s² with which it turns faster, at most, and how much farther from the hip it leaves its foot over
    the floor, of what that is held too far from its motion.
    """
    thigh, shin, own = minus(leg.knee, leg.hip), minus(leg.ankle, leg.knee), minus(leg.ankle, leg.hip)
    hip = add_scaled(leg.hip, move, 1.0)
    line = minus(target, hip)
    upper, lower, now = np.sqrt(dot(thigh, thigh)), np.sqrt(dot(shin, shin)), dot(own, own)
    bones, both, size = upper * upper + lower * lower, 2.0 * upper * lower, np.sqrt(max(dot(line, line), 1e-12))
    reach = soft_reach(size, np.sqrt(now), upper, lower, USUAL)
    wanted, animated = bend_cosine(reach * reach, bones, both), bend_cosine(now, bones, both)
    last, was, turned = knees[0], knees[1], knees[5]
    knees[0], knees[1] = wanted, animated
    if dt > 0.0 and last == last:
        usual, faster, brake = LIVE_KNEE_RAD_S * dt, may[1] * dt * dt, LIVE_KNEE_BRAKE_RAD_S2 * dt * dt
        straightest = max(wanted, last)
        sine = np.sqrt(max(1.0 - straightest * straightest, 1e-12))
        knees[5] = (last - wanted) / sine
        stops = knees[5] >= 0.0 or knees[5] * knees[5] <= 2.0 * brake * sine
        if abs(knees[5]) > min(usual, faster) or not stops:  # else surely slower, and told without an arc cosine
            before, bent = np.arccos(last), np.arccos(wanted)
            own_turn = LIVE_KNEE_FASTER * abs(np.arccos(animated) - np.arccos(was))
            most = min(max(usual, own_turn), max(turned * np.sign(bent - before), 0.0) + faster)
            slowed = before + brake - np.sqrt(brake * (brake + 2.0 * before))  # it could stop before it is straight
            held = min(max(bent, before - most, min(slowed, before - own_turn)), before + most)
            if held != bent:
                full = np.sqrt(max(bones + both * np.cos(held), 0.0))
                line = scaled(line, min(full, reach + may[0]) / size)
                line = aside(line, full, may[2] * drawn_too_far(target, leg.ankle))
                reach = size = np.sqrt(dot(line, line))
                target = add_scaled(hip, line, 1.0)
                knees[0] = bend_cosine(reach * reach, bones, both)
                bent = np.arccos(knees[0])
            knees[5] = bent - before
    return add_scaled(hip, line, reach / size) if reach != size else target


@part
def aside(line: Any, full: float, most: float) -> Any:
    """The line from hip to ankle made longer over the floor, up to its full length and by so much at most.

    A leg that was held far behind its body is slanted, and bends at once as its foot comes within its reach. A little
    farther out, no foot is lower for it.
    """
    flat = np.sqrt(line[0] * line[0] + line[2] * line[2])
    if flat * most <= 0.0 or full * full <= dot(line, line):
        return line
    k = min(np.sqrt(full * full - line[1] * line[1]), flat + most) / flat
    return k * line[0], line[1], k * line[2]


@part
def drawn_too_far(held: Any, ankle: Any) -> float:
    """Metres over the floor that an ankle is held from its motion, beyond those that any knee can follow."""
    x, z = held[0] - ankle[0], held[2] - ankle[2]
    return float(max(np.sqrt(x * x + z * z) - LIVE_KNEE_ASIDE_FROM_M, 0.0))


@part
def bend_cosine(far: float, bones: float, both: float) -> float:
    """The cosine of what a knee is bent by whose ankle is so far from its hip, squared; of bones: the sum of their
    squares, and twice their product."""
    return min(max((far - bones) / max(both, 1e-12), -1.0), 1.0)


@part
def knee_pole(leg: Any, toes: Any, knees: Any, dt: float) -> Any:
    """Where a knee bends to whose motion has it straight, which tells no side: as in the last frame, and little by
    little to where the toes point."""
    size = np.sqrt(dot(toes, toes))
    if knees[2] != knees[2] or size < 1e-9:
        return toes
    share = min(dt / LIVE_POLE_S, 1.0)
    last = rotate(leg.over_hip, (knees[2], knees[3], knees[4]))
    return add_scaled(scaled(last, 1.0 - share), toes, share / size)


@part
def forget_knee(knees: Any) -> None:
    """Nothing is known of a knee's last frame: for a character that was put somewhere."""
    for i in range(5):
        knees[i] = np.nan
    knees[5] = 0.0


@part
def note_side(leg: Any, knees: Any) -> None:
    """Where the knee of a leg as made points, into knees (6,), as seen from what carries its hip."""
    thigh, line = minus(leg.knee, leg.hip), minus(leg.ankle, leg.hip)
    side = add_scaled(thigh, line, -dot(thigh, line) / max(dot(line, line), 1e-12))
    size = np.sqrt(dot(side, side))
    if size > STRAIGHT * np.sqrt(dot(thigh, thigh)):
        side = rotate(conjugate(leg.over_hip), scaled(side, 1.0 / size))
        knees[2], knees[3], knees[4] = side[0], side[1], side[2]
