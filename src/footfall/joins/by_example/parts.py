"""The parts of a transition by example: both ends met, the slow curve between them, and details laid over it.

The slow part of every joint is a cubic of its rotation vector about the start's rotation, that of the root a cubic of
its place; both have the velocities of the motions at their ends. Details of an example follow each joint's own axes and
the heading.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, factorial, sin, sqrt
from typing import Any, NamedTuple

import numpy as np

from footfall.core.clip import Clip
from footfall.core.easing import ease
from footfall.core.kernels import kernel, part, read_only
from footfall.core.rotation_kernels import conjugate, log, log_rate, multiply, put, quaternion
from footfall.core.skeleton import readonly
from footfall.edit.coast import MOST_RAD_S
from footfall.joins.by_example.example_search import SLOPE_PART
from footfall.joins.departure import Departure
from footfall.joins.placement import FloorState, leaving_floor, state_at
from footfall.kinematics.floor_align import FloorTransform

EDGE = 0.15  # of the length, at either end, over which details rise: by eye; slopes of noisy ones are not known exactly
MOST_GAIN = 2.0  # details are made at most this much larger or smaller, to be as lively as the motions around: by eye
SILENT = 1e-16  # rad² and m²: details with less energy than this are not made larger
# exp of a rotation vector: Taylor series of cos r and sin r / r in r², exact to rounding below SERIES rad²
COSINE = tuple((-1.0) ** k / factorial(2 * k) for k in range(10))
SINE = tuple((-1.0) ** k / factorial(2 * k + 1) for k in range(10))
SERIES = 2.6


class TransitionEnd(NamedTuple):
    """One end of a transition in the world, arrays that kernels may write to."""

    rot: np.ndarray  # (J, 4)
    spin: np.ndarray  # (J, 3) rad/s, none faster than a body's joints turn
    place: np.ndarray  # (3,) metres, of the root
    velocity: np.ndarray  # (3,) m/s, of the root


class SlowCurve(NamedTuple):
    """The smooth part: cubics from the start's rotations and place to the end's, with the velocities of both."""

    change: np.ndarray  # (J, 3) rotation vectors from start to end, the shorter way
    arriving: np.ndarray  # (J, 3) their rates at the end, 1/s
    headings: np.ndarray  # (2,) radians, at both ends
    duration_s: float
    last: int  # frames


class Meeting(NamedTuple):
    """Both ends of a transition, the smooth curve between them, and what an example should do."""

    start: TransitionEnd
    end: TransitionEnd  # the target's, placed
    slow: SlowCurve
    wanted: np.ndarray  # (9 C,) the features that the best window has, as in example_search
    placement: FloorTransform  # carries the target there


class PickedWindows(NamedTuple):
    """Which windows of which motion give the details; both motions are the same where there is one."""

    detail: tuple[np.ndarray, np.ndarray]  # (N, C, 3) each
    bend: tuple[np.ndarray, np.ndarray]  # (N, C, 3) slope of the detail a frame
    of_second: np.ndarray  # (C,) bool: of the second motion
    at: np.ndarray  # (C,) int, first frame
    energy: np.ndarray  # (C,) wanted: of one channel, or of all together
    grouped: bool  # one gain for the whole body


class PositionTrack(NamedTuple):
    """Places of joints in their parents, as a motion goes on."""

    pos: np.ndarray  # (N, J, 3), N = 1 where they stay
    first: float  # frame at the first frame of the transition
    step: float  # frames a frame
    loop: bool


def met(departure: Departure, target: Clip, enter_s: float, length_s: float, last: int) -> Meeting:
    """The target placed where a transition of `last` frames arrives at it, and what that transition has to do."""
    (state, there), here = state_at(target, enter_s), leaving_floor(departure)
    start, end = (
        TransitionEnd(*(np.array(x, float) for x in (s.pose.rot, s.spin, s.pose.root_pos, s.velocity)))
        for s in (departure.state, state)
    )
    joints = len(start.rot)
    slow = SlowCurve(np.empty((joints, 3)), np.empty((joints, 3)), np.empty(2), length_s, last)
    wanted = np.empty((3, joints + 1, 3))
    turn, x, z = _meet(start, end, _plain(here), _plain(there), slow, wanted)
    return Meeting(start, end, slow, wanted.ravel(), FloorTransform(np.asarray(turn), np.array([x, 0.0, z])))


def _plain(floor: FloorState) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Position, velocity, heading and rate of turn, as the kernel takes them."""
    return np.array(floor.position), np.array(floor.velocity), float(floor.heading), float(floor.turn_rate)


def no_details(last: int, channels: int) -> PickedWindows:
    """Windows of a motion that has no details."""
    still = np.zeros((last + 1, channels, 3))
    still.flags.writeable = False  # as those of motions are, so that one compiled kernel serves both
    nought = np.zeros(channels, int)
    return PickedWindows((still, still), (still, still), nought > 0, nought, np.zeros(channels), True)


def laid_over(ends: Meeting, picked: PickedWindows) -> tuple[np.ndarray, np.ndarray]:
    """Root places (K, 3) and rotations (K, J, 4) of the frames after the start; the last is the end's own pose."""
    last = ends.slow.last
    place, rot = np.empty((last, 3)), np.empty((last, len(ends.start.rot), 4))
    _frames(ends.start, ends.end, ends.slow, details(picked, rising(last)), place, rot)
    return place, rot


def mixed_positions(here: PositionTrack, there: PositionTrack, last: int) -> np.ndarray:
    """(K, J, 3) places of joints in their parents while one motion takes over from the other."""
    out = np.empty((last, *here.pos.shape[1:]))
    _mix_positions(
        here._replace(pos=read_only(here.pos)), there._replace(pos=read_only(there.pos)), _taking_over(last), out
    )
    return out


@lru_cache(maxsize=64)
def _taking_over(last: int) -> np.ndarray:
    return readonly(ease(np.arange(1, last + 1) / last))


@lru_cache(maxsize=64)
def rising(last: int) -> np.ndarray:
    """(K + 1,) share of the details, 0 at both ends and 1 between."""
    u = np.arange(last + 1) / last
    return readonly(ease(np.minimum(np.minimum(u, 1.0 - u) / EDGE, 1.0)))


# --- kernels ----------------------------------------------------------------------------------------------------------


@kernel
def _meet(start: Any, end: Any, here: Any, there: Any, slow: Any, wanted: Any) -> Any:
    """Place the end in the world, fill slow and wanted (3, J + 1, 3); returns turn, and shift in x and z.

    here, there: position, velocity, heading and rate of turn of the floor roots, as in joins/placement.py.
    """
    (position0, velocity0, heading0, rate0), (position1, velocity1, heading1, rate1) = here, there
    duration, headings = slow.duration_s, slow.headings
    headings[0] = heading0
    headings[1] = heading0 + 0.5 * (rate0 + rate1) * duration
    turn = headings[1] - heading1
    c, s = cos(turn), sin(turn)
    arriving_x = c * velocity1[0] + s * velocity1[2]
    arriving_z = c * velocity1[2] - s * velocity1[0]
    x = position0[0] + 0.5 * (velocity0[0] + arriving_x) * duration
    z = position0[2] + 0.5 * (velocity0[2] + arriving_z) * duration
    shift_x = x - (c * position1[0] + s * position1[2])
    shift_z = z - (c * position1[2] - s * position1[0])
    p, v = end.place, end.velocity
    p[0], p[2] = c * p[0] + s * p[2] + shift_x, c * p[2] - s * p[0] + shift_z
    v[0], v[2] = c * v[0] + s * v[2], c * v[2] - s * v[0]
    put(end.rot[0], multiply((cos(0.5 * turn), 0.0, sin(0.5 * turn), 0.0), quaternion(end.rot[0])))
    _hold_spins(start.spin)
    _hold_spins(end.spin)
    _want(start, end, slow, wanted)
    return turn, shift_x, shift_z


@part
def _hold_spins(spin: Any) -> None:
    """Slow down joints (J, 3) that turn faster than a body's."""
    for j in range(len(spin)):
        speed = sqrt(spin[j, 0] ** 2 + spin[j, 1] ** 2 + spin[j, 2] ** 2)
        if speed > MOST_RAD_S:
            for d in range(3):
                spin[j, d] *= MOST_RAD_S / speed


@part
def _want(start: Any, end: Any, slow: Any, wanted: Any) -> None:
    """Fill change and arriving of the slow curve, and wanted: slopes at both ends and change, in moving frames."""
    joints, step, third = len(start.rot), slow.duration_s / slow.last, slow.last / SLOPE_PART
    for j in range(joints):
        change = log(multiply(conjugate(quaternion(start.rot[j])), quaternion(end.rot[j])))
        rate = log_rate(change, (end.spin[j, 0], end.spin[j, 1], end.spin[j, 2]))
        for d in range(3):
            slow.change[j, d], slow.arriving[j, d] = change[d], rate[d]
            wanted[0, j, d] = step * start.spin[j, d]
            wanted[1, j, d] = step * end.spin[j, d]
            wanted[2, j, d] = change[d]
    a, b = start.velocity, end.velocity
    travel = (end.place[0] - start.place[0], end.place[1] - start.place[1], end.place[2] - start.place[2])
    _turn_into(slow.headings[0], (a[0], a[1], a[2]), step, wanted[0, joints])
    _turn_into(slow.headings[1], (b[0], b[1], b[2]), step, wanted[1, joints])
    _turn_into(0.5 * (slow.headings[0] + slow.headings[1]), travel, 1.0, wanted[2, joints])
    for c in range(joints + 1):
        for d in range(3):
            wanted[0, c, d] *= third
            wanted[1, c, d] *= third


@part
def _turn_into(heading: Any, v: Any, scale: Any, out: Any) -> None:
    """A world vector in the frame of a heading, scaled."""
    c, s = cos(heading), sin(heading)
    out[0] = scale * (c * v[0] - s * v[2])
    out[1] = scale * v[1]
    out[2] = scale * (s * v[0] + c * v[2])


@kernel
def _mix_positions(here: Any, there: Any, share: Any, out: Any) -> None:
    """Fill out (K, J, 3) with places between both tracks; share (K,) is that of the second."""
    for k in range(len(out)):
        i, a = _frame_of(here, k)
        n, b = _frame_of(there, k)
        i1, n1 = min(i + 1, len(here.pos) - 1), min(n + 1, len(there.pos) - 1)
        w = share[k]
        for j in range(out.shape[1]):
            for d in range(3):
                ours = (1.0 - a) * here.pos[i, j, d] + a * here.pos[i1, j, d]
                theirs = (1.0 - b) * there.pos[n, j, d] + b * there.pos[n1, j, d]
                out[k, j, d] = ours + w * (theirs - ours)


@part
def _frame_of(track: Any, k: int) -> Any:
    """The frame of a track at a frame of the transition, whole and rest; ends hold, loops go round."""
    last = len(track.pos) - 1
    x = max(track.first + k * track.step, 0.0)
    if last > 0 and track.loop:
        x = x % last
    x = min(x, float(last))
    i = int(x)
    return i, x - i


@kernel
def details(picked: Any, share: Any) -> Any:
    """(last + 1, C, 3) details of the picked windows, still at both ends and as lively as wanted.

    A cubic with their end values and slopes is taken off; share (last + 1,) is how much of them is left over time.
    """
    channels, last = len(picked.at), len(share) - 1
    out, energy = np.zeros((last + 1, channels, 3)), np.zeros(channels)
    for c in range(channels):
        motion, i = int(picked.of_second[c]), picked.at[c]
        d, m = picked.detail[motion], picked.bend[motion]
        for x in range(3):
            x0, x1 = d[i, c, x], d[i + last, c, x]
            m0, m1 = last * m[i, c, x], last * m[i + last, c, x]
            before, total = 0.0, 0.0
            for k in range(1, last + 1):
                u = k / last
                v = 1.0 - u
                value = 0.0
                if k < last:
                    value = (
                        d[i + k, c, x]
                        - v * v * ((1.0 + 2.0 * u) * x0 + u * m0)
                        - u * u * ((1.0 + 2.0 * v) * x1 - v * m1)
                    )
                value *= share[k]
                out[k, c, x] = value
                total += (value - before) ** 2
                before = value
            energy[c] += total
    if picked.grouped:
        energy[:] = energy.sum()
    for c in range(channels):
        gain = sqrt(picked.energy[c] / energy[c]) if energy[c] > SILENT else 1.0
        gain = min(max(gain, 1.0 / MOST_GAIN), MOST_GAIN)
        for k in range(last):
            for x in range(3):
                out[k, c, x] *= gain
    return out


@kernel
def _frames(start: Any, end: Any, slow: Any, quick: Any, place: Any, rot: Any) -> None:
    """Fill place (K, 3) and rot (K, J, 4), the frames after the start; quick (K + 1, J + 1, 3) are the details."""
    last, joints, duration = slow.last, len(start.rot), slow.duration_s
    spin, change, arriving = start.spin, slow.change, slow.arriving
    for k in range(1, last):
        u = k / last
        v = 1.0 - u
        a, b, e = duration * u * v * v, u * u * (3.0 - 2.0 * u), -duration * u * u * v
        for j in range(joints):
            turned = _exp(
                a * spin[j, 0] + b * change[j, 0] + e * arriving[j, 0],
                a * spin[j, 1] + b * change[j, 1] + e * arriving[j, 1],
                a * spin[j, 2] + b * change[j, 2] + e * arriving[j, 2],
            )
            smooth = multiply(quaternion(start.rot[j]), turned)
            put(rot[k - 1, j], multiply(smooth, _exp(quick[k, j, 0], quick[k, j, 1], quick[k, j, 2])))
        heading = slow.headings[0] + u * (slow.headings[1] - slow.headings[0])
        c, s = cos(heading), sin(heading)
        dx, dy, dz = quick[k, joints, 0], quick[k, joints, 1], quick[k, joints, 2]
        for d, more in ((0, c * dx + s * dz), (1, dy), (2, c * dz - s * dx)):
            smooth_place = start.place[d] * (1.0 - b) + b * end.place[d] + a * start.velocity[d] + e * end.velocity[d]
            place[k - 1, d] = smooth_place + more
    place[last - 1] = end.place
    rot[last - 1] = end.rot


@part
def _exp(x: Any, y: Any, z: Any) -> Any:
    """Quaternion of a rotation vector: a series up to a half turn and a little more."""
    h = 0.25 * (x * x + y * y + z * z)  # half the angle, squared
    if h < SERIES:
        w, s = COSINE[9], SINE[9]
        for k in range(8, -1, -1):
            w = COSINE[k] + h * w
            s = SINE[k] + h * s
    else:
        r = sqrt(h)
        w, s = cos(r), sin(r) / r
    s *= 0.5
    return w, s * x, s * y, s * z
