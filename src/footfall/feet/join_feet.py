"""Compiled feet of a join: both feet led along a plan of footsteps, the pelvis moved and legs bent for them.

The readable twin, used as its oracle, is `feet.foot_tracks`; the constants below are its own, and a test holds
them together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import kernel, part
from footfall.core.rotation_kernels import (
    add_scaled,
    conjugate,
    cross,
    dot,
    minus,
    multiply,
    put,
    quaternion,
    rotate,
    scaled,
    settle_signs,
    share,
    slerp,
)
from footfall.feet.leg_kernels import find_leg
from footfall.feet.limits import LEG_SOFT_FROM as SOFT_FROM

CLEAR_M, CLEAR_OF_STEP, CLEAR_MOST_M, CLEAR_CALM_M = 0.04, 0.08, 0.10, 0.032  # as feet.foot_tracks, all of these
WAIT_UP, WAIT_DOWN, RISE_M_S2, TIPTOE_RAD = 0.12, 0.10, 18.0, 0.35
STRAIGHT, BENT_M, SWING_FROM, SWING_MOST, FOLDED = 0.985, 0.02, 0.84, 0.97, 0.5
GRIP_S, RELEASE_S, LONG_RELEASE_S, SLOWING_S, SETTLE_S = 0.15, 0.06, 0.25, 0.05, 0.12
FREE = 0.3  # as feet.leg_solve
NEVER = 1 << 30  # as feet.footsteps

# columns of a packed track
HELD, LIFT, LAND, OLD_LAST, NEW_FIRST, REST, LET_GO, TURN, LOW_START, LOW_END, PLACE, OFFSET = *range(10), 10, 13
COLUMNS = 16


@part
def gentle(u: float) -> float:
    u = min(max(u, 0.0), 1.0)
    return u * u * u * u * (35.0 - 84.0 * u + 70.0 * u * u - 20.0 * u * u * u)


@part
def vector(values: Any) -> Any:
    return values[0], values[1], values[2]


@part
def length(v: Any) -> float:
    return np.sqrt(dot(v, v))


@part
def slowed(k: float, last: float, slow: float) -> float:
    if k < last - slow:
        return k
    late = min(max((k - last + slow) / (2.0 * slow), 0.0), 1.0)
    return min(k, last + slow) - slow * late * late


@kernel
def find_legs(root: Any, rot: Any, joints: Any, offsets: Any, at: Any, places: Any, feet: Any) -> None:
    """places (T, 2, 3, 3) of hips, knees and ankles, and rotations of feet (T, 2, 4); leg_solve.world_legs is the
    twin."""
    for n in range(len(root)):
        for side in range(2):
            leg = find_leg(root, rot, n, joints, offsets, at, side)
            for c in range(3):
                places[n, side, 0, c], places[n, side, 1, c], places[n, side, 2, c] = leg[0][c], leg[1][c], leg[2][c]
            put(feet[n, side], leg[8])


@kernel
def find_places(
    root: Any, rot: Any, parents: Any, offsets: Any, wanted: Any, turns: Any, all_places: Any, out: Any
) -> None:
    """out (T, W, 3) world places of wanted joints (W,); turns (J, 4) and all_places (J, 3) are for its own use.
    kinematics.fk.world_transforms_of is the twin."""
    for n in range(len(root)):
        for j in range(len(parents)):
            above, local = parents[j], quaternion(rot[n, j])
            if above < 0:
                put(turns[j], local)
                all_places[j, 0], all_places[j, 1], all_places[j, 2] = root[n, 0], root[n, 1], root[n, 2]
                continue
            over = quaternion(turns[above])
            place = add_scaled(vector(all_places[above]), rotate(over, vector(offsets[j])), 1.0)
            all_places[j, 0], all_places[j, 1], all_places[j, 2] = place
            put(turns[j], multiply(over, local))
        for w in range(len(wanted)):
            for c in range(3):
                out[n, w, c] = all_places[wanted[w], c]


@part
def stream(path: Any, feet: Any, side: int, x: float, ball: Any, rot: Any) -> None:
    """Ball and rotation of a foot at a frame, whole or not."""
    x = min(max(x, 0.0), len(path) - 1.0)
    i = min(int(x), len(path) - 2)
    u = x - i
    for c in range(3):
        ball[c] = path[i, side, c] + u * (path[i + 1, side, c] - path[i, side, c])
    q = slerp(quaternion(feet[i, side]), quaternion(feet[i + 1, side]), u)
    put(rot, q)


@part
def held(track: Any, span: int, fps: float, old: Any, old_rot: Any, new: Any, new_rot: Any) -> None:
    """A held foot (foot_tracks._held), written over the old path."""
    place, offset = vector(track[PLACE:]), vector(track[OFFSET:])
    release = (RELEASE_S if track[LET_GO] == track[LIFT] else LONG_RELEASE_S) * fps
    for n in range(len(old)):
        k = n + 1.0
        swing = (k - track[LIFT]) / max(track[LAND] - track[LIFT], 1.0) if track[LAND] < NEVER else 0.0
        left = 1.0 - gentle(swing)
        still = 1.0 - gentle((k - track[LET_GO] + release) / (2.0 * release))
        grip = gentle((k - track[REST]) / (GRIP_S * fps))
        weight = gentle(k / max(1.0, min(float(span), track[LIFT])))
        half = 0.5 * track[TURN] * left
        yaw = (np.cos(half), 0.0, np.sin(half), 0.0)
        off = ((1.0 - still) * (new[n, 0] - place[0]), new[n, 1] - place[1], (1.0 - still) * (new[n, 2] - place[2]))
        turned = rotate(yaw, off)
        for c in range(3):
            ball = place[c] + turned[c] + left * offset[c]
            was = old[n, c] + (0.0 if c == 1 else grip * (place[c] + offset[c] - old[n, c]))
            old[n, c] = was + weight * (ball - was)
        q = slerp(quaternion(old_rot[n]), multiply(yaw, quaternion(new_rot[n])), weight)
        put(old_rot[n], q)


@part
def progress(track: Any, k: float) -> float:
    """How far a foot is on its step, 0 to 1."""
    return min(max((k - track[LIFT]) / max(track[LAND] - track[LIFT], 1.0), 0.0), 1.0)


@part
def humped(u: float) -> float:
    x = u * (1.0 - u)
    return 256.0 * x * x * x * x


@part
def stepped(track: Any, fps: float, calm: float, at: Any, old: Any, old_rot: Any, new: Any, new_rot: Any) -> None:
    """A step (foot_tracks._stepped), written over the old path; at (3,) the ball in the ankle's frame."""
    first, last = WAIT_UP * track[LOW_START], 1.0 - WAIT_DOWN * track[LOW_END]
    begin, end = -1, -1
    for n in range(len(old)):
        u = progress(track, n + 1.0)
        if 0.0 < u < 1.0:
            begin, end = (n if begin < 0 else begin), n
        q = multiply(conjugate(quaternion(old_rot[n])), quaternion(new_rot[n]))
        put(new_rot[n], q)  # from here on: from old to new
    settle_signs(new_rot)
    far = 0.0
    if begin >= 0:
        far = np.sqrt((new[end, 0] - old[begin, 0]) ** 2 + (new[end, 2] - old[begin, 2]) ** 2)
    for n in range(len(old)):
        u = progress(track, n + 1.0)
        up, over = gentle(u), gentle((u - first) / (last - first))
        for c in range(3):
            old[n, c] += (up if c == 1 else over) * (new[n, c] - old[n, c])
        q = multiply(quaternion(old_rot[n]), share(quaternion(new_rot[n]), up))
        put(old_rot[n], q)
    if begin < 0:
        return
    clear = min(CLEAR_M + CLEAR_OF_STEP * far, CLEAR_MOST_M) * min(1.0, far / 0.03)
    if calm > 1.0:
        clear = min(clear, CLEAR_CALM_M)
    swing_s = (track[LAND] - track[LIFT]) / fps
    clear = min(clear, RISE_M_S2 / 32.0 * swing_s * swing_s)
    short, low, high = 0.0, old[begin, 1], old[end, 1]
    for n in range(begin, end + 1):
        u = progress(track, n + 1.0)
        hump = humped(u)
        if hump > 0.4:
            short = max(short, (clear * hump - (old[n, 1] - low - gentle(u) * (high - low))) / hump)
    if short > 0.0:
        lift_toes(track, short, at, old, old_rot)


@part
def lift_toes(track: Any, short: float, at: Any, ball: Any, rot: Any) -> None:
    """A step raised by what it is short of, heel first."""
    size = max(np.sqrt(at[0] * at[0] + at[2] * at[2]), 1e-9)
    for n in range(len(ball)):
        u = progress(track, n + 1.0)
        hump = humped(u)
        ball[n, 1] += short * hump
        tip = TIPTOE_RAD * min(1.0, short / 0.05) * hump * (1.0 - u) * track[LOW_START]
        ahead = rotate(quaternion(rot[n]), vector(at))
        side = (tip * ahead[2] / size, 0.0, -tip * ahead[0] / size)  # up x ahead
        half = 0.5 * length(side)
        scale = 0.5 if half < 1e-12 else 0.5 * np.sin(half) / half
        q = multiply((np.cos(half), scale * side[0], 0.0, scale * side[2]), quaternion(rot[n]))
        put(rot[n], q)


@part
def leg_length(leg: Any) -> float:
    """Of places (3, 3): thigh and shin."""
    hip, knee, ankle = vector(leg[0]), vector(leg[1]), vector(leg[2])
    return length(minus(knee, hip)) + length(minus(ankle, knee))


@part
def reach(leg: Any) -> float:
    """How far from the hip an ankle may be (leg_solve.reach_balls)."""
    size = leg_length(leg)
    return min(max(SOFT_FROM * size, length(minus(vector(leg[2]), vector(leg[0])))), size)


@part
def soft_reach(leg: Any, ankle: Any, free: float) -> float:
    """The same, less for a foot that is moved, more for one that swings (foot_tracks._pelvis)."""
    size, radius = leg_length(leg), reach(leg)
    off = length(minus(vector(ankle), vector(leg[2]))) / 0.01
    moved, room = -np.expm1(-off * off), (STRAIGHT - SOFT_FROM) * size
    eased = SOFT_FROM * size + room * -np.expm1(-max(radius - SOFT_FROM * size, 0.0) / room)
    return radius + moved * (min(eased, radius) - radius) + FREE * 0.3 * size * free


@part
def drawn_in(leg: Any, ankle: Any, move: Any, free: bool, swing: float) -> Any:
    """An ankle neither too near under its hip nor too far from it (foot_tracks._not_too_near, _not_too_far)."""
    size, hip = leg_length(leg), add_scaled(vector(leg[0]), vector(move), 1.0)
    own = length(minus(vector(leg[2]), vector(leg[0])))
    x, y, z = minus(vector(ankle), hip)
    if free:
        least = min(FOLDED * size, own)
        beside = np.sqrt(x * x + z * z) / max(least, 1e-9)
        over, width = (y + least * max(1.0 - beside * beside, 0.0)), 0.03 * size
        over = over / width
        soft = max(over, 0.0) + np.log1p(np.exp(-abs(over)))
        y -= width * soft * gentle(1.5 - beside)
    far = max(np.sqrt(x * x + y * y + z * z), 1e-9)
    first = max(SWING_FROM * size, min(own, SWING_MOST * size - 0.02 * size))
    room = SWING_MOST * size - first
    near = far if far <= first else first + room * -np.expm1(-max(far - first, 0.0) / room)
    middle = 16.0 * (swing * (1.0 - swing)) ** 2
    return add_scaled(hip, (x, y, z), (far + middle * (near - far)) / far)


@kernel
def knee_poles(places: Any, taps: Any, out: Any) -> None:
    """out (T, 2, 3), 0 before: where straight knees should bend to (foot_tracks.knee_poles) of legs (T, 2, 3, 3),
    smoothed by weights taps, of odd number."""
    count, middle = len(places), len(taps) // 2
    bend = np.empty((count, 2, 3))
    for n in range(count):
        for side in range(2):
            hip = vector(places[n, side, 0])
            line, thigh = (
                minus(vector(places[n, side, 2]), hip),
                minus(vector(places[n, side, 1]), hip),
            )
            line = scaled(line, 1.0 / max(length(line), 1e-9))
            bend[n, side, 0], bend[n, side, 1], bend[n, side, 2] = add_scaled(thigh, line, -dot(thigh, line))
    for n in range(count):
        for i in range(len(taps)):
            row = min(max(n + i - middle, 0), count - 1)
            for side in range(2):
                for c in range(3):
                    out[n, side, c] += taps[i] * bend[row, side, c]
        across = minus(vector(places[n, 0, 0]), vector(places[n, 1, 0]))
        ahead = scaled(cross(across, (0.0, 1.0, 0.0)), BENT_M / max(length(across), 1e-9))
        for side in range(2):
            for c in range(3):
                out[n, side, c] += ahead[c]


@part
def targets(
    tracks: Any, span: int, side: int, places: Any, feet: Any, at: Any, ball: Any, rot: Any, ankle: Any, turn: Any
) -> None:
    """Where one ankle should be at every frame and how its foot is turned, from the ball's way and the foot's."""
    track = tracks[side]
    for n in range(len(ball)):
        if n + 1 >= track[LAND] and n + 1 >= span:
            for c in range(3):
                ankle[n, side, c], turn[n, side, c + 1] = places[n, side, 2, c], 0.0
            turn[n, side, 0] = 1.0
            continue
        carried = rotate(quaternion(rot[n]), vector(at[side]))
        q = multiply(quaternion(rot[n]), conjugate(quaternion(feet[n, side])))
        for c in range(3):
            ankle[n, side, c] = ball[n, c] - carried[c]
        for c in range(4):
            turn[n, side, c] = q[c]


@part
def lead(
    tracks: Any, side: int, old_ball: Any, old_feet: Any, new_ball: Any, new_feet: Any, times: Any, floor: Any,
    old: Any, old_rot: Any, new: Any, new_rot: Any,
) -> None:  # fmt: skip
    """Both motions' ways of one foot, slowed where they are left or awaited; the target's placed on the floor."""
    track, slow, turn = tracks[side], SLOWING_S * times[0], (floor[0], 0.0, floor[1], 0.0)
    for n in range(len(old)):
        k = n + 1.0
        x = times[1] + slowed(k, max(track[OLD_LAST], slow), slow)
        stream(old_ball, old_feet, side, x, old[n], old_rot[n])
        x = times[2] - slowed(-k, -track[NEW_FIRST], slow)
        stream(new_ball, new_feet, side, x, new[n], new_rot[n])
        place, q = rotate(turn, vector(new[n])), multiply(turn, quaternion(new_rot[n]))
        for c in range(3):
            new[n, c] = place[c] + floor[2 + c]
        put(new_rot[n], q)


@kernel
def aim(
    places: Any, feet: Any, balls: Any, old_ball: Any, old_feet: Any, new_ball: Any, new_feet: Any, tracks: Any,
    span: int, times: Any, floor: Any, ankle: Any, turn: Any, centers: Any, radii: Any,
) -> None:  # fmt: skip
    """Where ankles should be in poses (K,) after the departure, and where the pelvis may be for them; places and feet
    of the legs as find_legs has them.

    balls (2, 3) in the ankles' frames; tracks (2, COLUMNS) packed; span: frames of the transition; times: frames a
    second, the old and the new motion's frame at the departure, how calm; floor: cosine and sine of half the
    placement's turn, and its shift. Written are ankle (K, 2, 3), turn (K, 2, 4), centers (K, 2, 3) and
    radii (K, 2).
    """
    count, fps = len(places), times[0]
    old, old_rot, new, new_rot = np.empty((count, 3)), np.empty((count, 4)), np.empty((count, 3)), np.empty((count, 4))
    for side in range(2):
        track = tracks[side]
        lead(tracks, side, old_ball, old_feet, new_ball, new_feet, times, floor, old, old_rot, new, new_rot)
        if track[HELD] > 0.0:
            held(track, span, fps, old, old_rot, new, new_rot)
        else:
            stepped(track, fps, times[3], balls[side], old, old_rot, new, new_rot)
        targets(tracks, span, side, places, feet, balls, old, old_rot, ankle, turn)
        for n in range(count):
            free, u = 1.0 if track[LIFT] < n + 1 < track[LAND] else 0.0, progress(track, n + 1.0)
            free += 16.0 * (u * (1.0 - u)) ** 2 / (0.3 * FREE)
            radii[n, side] = soft_reach(places[n, side], ankle[n, side], free)
            for c in range(3):
                centers[n, side, c] = ankle[n, side, c] - places[n, side, 0, c]


@kernel
def settle(tracks: Any, fps: float, whole: bool, places: Any, move: Any, ankle: Any) -> None:
    """The pelvis's moves (K, 3) eased in and out, and ankles (K, 2, 3) drawn in to what legs do, in place."""
    count = len(move)
    for n in range(count):
        ease = gentle((n + 1.0) / (SETTLE_S * fps)) * (1.0 if whole else gentle((count - n) / (SETTLE_S * fps)))
        for c in range(3):
            move[n, c] *= ease
        for side in range(2):
            free = tracks[side, LIFT] < n + 1 < tracks[side, LAND]
            u = progress(tracks[side], n + 1.0)
            drawn = drawn_in(places[n, side], ankle[n, side], move[n], free, u)
            ankle[n, side, 0], ankle[n, side, 1], ankle[n, side, 2] = drawn
