"""Compiled clocks, bodies and figures of a join: when which moment is played, where the pelvis goes, how it looks.

The readable twins, used as oracles, are `timeline.clocks`, `timeline.adaptation` and `timeline.gentleness`; the
constants below are theirs, and a test holds them together.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import kernel, part
from footfall.core.rotation_kernels import add_scaled, rotate
from footfall.feet.join_feet import gentle, reach, vector

LEAST_S = 1e-6  # as timeline.clocks
RIDGE_M, OVER_M, IN_LINE_M = 0.05, 0.1, 0.05  # as timeline.adaptation
NEVER = 1 << 30  # as feet.footsteps
NEAR_M = 0.025  # as quality.skate
FOOT_ROWS = 4  # left ankle, right ankle, left toe, right toe


# --- clocks ------------------------------------------------------------------------------------------------------


@part
def eased(u: float) -> float:
    """core.easing.ease."""
    u = min(max(u, 0.0), 1.0)
    return u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)


@part
def warped(t: float, begin: float, end: float, first: float, last: float) -> float:
    """clocks.warp at rate 1 at both ends."""
    size, own = max(end - begin, LEAST_S), last - first
    u = min(max((t - begin) / size, 0.0), 1.0)
    rise, fall = u * (1.0 - u) * (1.0 - u), u * u * (u - 1.0)
    inside = first + own * u * u * (3.0 - 2.0 * u) + size * (rise + fall)
    return inside + min(t - begin, 0.0) + max(t - end, 0.0)


@kernel
def join_clocks(frame: int, fps: float, starts: Any, over: Any, join: Any, way: int, width: float, out: Any) -> None:
    """clocks.clocks of output frames from `frame` on into out (3, N): seconds of the previous clip, of the next, and
    the next one's share. starts: of both clips; over: the window; join: begin, leave, enter and end; way 1 warps both,
    2 waits and then runs in over width seconds, 0 neither."""
    for n in range(out.shape[1]):
        t = starts[0] + (frame + n) / fps
        out[2, n] = eased((t - over[0]) / max(over[1] - over[0], LEAST_S))
        old, new = t, t
        if way == 1:
            old = warped(t, join[0], join[3], join[0], join[1])
            new = warped(t, join[0], join[3], join[2], join[3])
        elif way == 2:
            inner = min(max(t - join[3] + 0.5 * width, 0.0), width)
            new = join[2] + (0.5 * inner * inner / width + max(t - join[3] - 0.5 * width, 0.0))
        out[0, n], out[1, n] = old - starts[0], new - starts[1]


# --- the body over its feet --------------------------------------------------------------------------------------


@part
def nearest(x: float, z: float, ax: float, az: float, bx: float, bz: float) -> Any:
    """The point of the segment from a to b nearest to (x, z)."""
    lx, lz = bx - ax, bz - az
    along = min(max(((x - ax) * lx + (z - az) * lz) / max(lx * lx + lz * lz, 1e-12), 0.0), 1.0)
    return ax + along * lx, az + along * lz


@part
def moved_root(rx: float, rz: float, feet: Any, moved: Any, bx: float, bz: float) -> Any:
    """adaptation.moved_root of one body: x and z."""
    ax, az = feet[1, 0] - feet[0, 0], feet[1, 2] - feet[0, 2]
    mx, mz = moved[1, 0] - moved[0, 0], moved[1, 2] - moved[0, 2]
    px, pz = rx - feet[0, 0], rz - feet[0, 2]
    aa, ab, bb = ax * ax + az * az + RIDGE_M * RIDGE_M, ax * bx + az * bz, bx * bx + bz * bz
    pa, pb, bottom = px * ax + pz * az, px * bx + pz * bz, aa * bb - ab * ab
    across, along = (pa * bb - pb * ab) / bottom, (pb * aa - pa * ab) / bottom
    x, z = moved[0, 0] + across * mx + along * bx, moved[0, 2] + across * mz + along * bz
    nx, nz = nearest(x, z, moved[0, 0], moved[0, 2], moved[1, 0], moved[1, 2])
    ox, oz = nearest(rx, rz, feet[0, 0], feet[0, 2], feet[1, 0], feet[1, 2])
    far, own = np.sqrt((x - nx) ** 2 + (z - nz) ** 2), np.sqrt((rx - ox) ** 2 + (rz - oz) ** 2)
    kept = min(1.0, max(OVER_M, own) / max(far, 1e-9))
    x, z = nx + (x - nx) * kept, nz + (z - nz) * kept
    mean_x = rx + 0.5 * (moved[0, 0] - feet[0, 0] + moved[1, 0] - feet[1, 0])
    mean_z = rz + 0.5 * (moved[0, 2] - feet[0, 2] + moved[1, 2] - feet[1, 2])
    beside = min(abs(ax * bz - az * bx), abs(mx * bz - mz * bx))
    sure = min(max(beside / IN_LINE_M - 1.0, 0.0), 1.0)
    return mean_x + sure * (x - mean_x), mean_z + sure * (z - mean_z)


@kernel
def over_feet(ball: Any, root: Any, heading: float, prints: Any, floor: Any, swings: Any, feet: Any, out: Any) -> None:
    """adaptation.pelvis_over_feet into out (N, 3): ball (2, 3) and root (3,) of the target at its entry, prints (2, 3)
    of the left motion, floor: cosine and sine of half the placement's turn, the turn, and its shift; swings (2, 2):
    lift and land of each foot; feet (2, 3) is for its own use."""
    turn = (floor[0], 0.0, floor[1], 0.0)
    at = add_scaled(rotate(turn, vector(root)), (floor[3], floor[4], floor[5]), 1.0)
    for side in range(2):
        p = add_scaled(rotate(turn, vector(ball[side])), (floor[3], floor[4], floor[5]), 1.0)
        feet[side, 0], feet[side, 1], feet[side, 2] = p
    bx, bz = np.sin(heading + floor[2]), np.cos(heading + floor[2])
    x, z = moved_root(at[0], at[2], feet, prints, bx, bz)
    x0, z0 = moved_root(at[0], at[2], feet, feet, bx, bz)  # the ridge alone moves nothing
    for n in range(len(out)):
        left = 0.0
        for side in range(2):
            done = gentle((n + 1.0 - swings[side, 0]) / max(swings[side, 1] - swings[side, 0], 1.0))
            left += 0.5 * (1.0 - done if swings[side, 1] < NEVER else 1.0)
        out[n, 0], out[n, 1], out[n, 2] = left * (x - x0), 0.0, left * (z - z0)


@kernel
def body_balls(places: Any, move: Any, centers: Any, radii: Any) -> None:
    """Where legs (T, 2, 3, 3) let a body go that is moved by move (T, 3) over feet that stay: leg_solve.reach_balls."""
    for n in range(len(places)):
        for side in range(2):
            radii[n, side] = reach(places[n, side])
            for c in range(3):
                centers[n, side, c] = places[n, side, 2, c] - places[n, side, 0, c] - move[n, c]


# --- how it looks ------------------------------------------------------------------------------------------------


@part
def allowed(near: Any, row: int, j: int) -> float:
    return near[row, j] if 0 <= row < len(near) else -np.inf


@kernel
def figures(
    place: Any, feet: Any, previous_s: Any, following_s: Any, near_a: Any, near_b: Any, usual: Any, times: Any,
    lowest: Any, slid: Any, out: Any,
) -> None:  # fmt: skip
    """Figures of places (N, J, 3) around a join (gentleness.looks): out (6,) takes the excess acceleration, the worst
    skate in cm/s, and the lowest heights of ankles and toes.

    feet (4,): rows of ankles and toes; near_a, near_b (T, J) what either clip does around each of its frames, from
    `reach` frames before its first on; usual (J,); times: frames a second, reach, scale of the body, and of the skate
    the first frame, the frames of a window and the step between windows; lowest (2,) heights of the toes that count as
    floor, scaled; slid (N - 1,) is for its own use.
    """
    fps, reach_, scale = times[0], int(times[1]), times[2]
    count, excess = len(place), 0.0
    for n in range(1, count - 1):
        a, b = int(np.rint(previous_s[n] * fps)) + reach_, int(np.rint(following_s[n] * fps)) + reach_
        for j in range(place.shape[1]):
            square = 0.0
            for c in range(3):
                second = place[n + 1, j, c] - 2.0 * place[n, j, c] + place[n - 1, j, c]
                square += second * second
            most = max(allowed(near_a, a, j), allowed(near_b, b, j))
            most = usual[j] if most == -np.inf else most
            excess = max(excess, np.sqrt(square) * fps * fps - most)
    out[0] = excess
    for row in range(FOOT_ROWS):
        low = np.inf
        for n in range(count):
            low = min(low, place[n, feet[row], 1])
        out[2 + row] = low
    for n in range(count - 1):
        slid[n] = 0.0
        for side in range(2):
            a, b = place[n, feet[2 + side]], place[n + 1, feet[2 + side]]
            speed = scale * fps * np.sqrt((b[0] - a[0]) ** 2 + (b[2] - a[2]) ** 2)
            height = 0.5 * scale * (a[1] + b[1]) - lowest[side]
            slid[n] += 50.0 * speed * (2.0 - 2.0 ** min(max(height / NEAR_M, 0.0), 1.0))
    first, length, step = int(times[3]), int(times[4]), int(times[5])
    worst = 0.0
    for start in range(first, max(first, count - 1 - length) + 1, step):
        total, end = 0.0, min(start + length, count - 1)
        for n in range(start, end):
            total += slid[n]
        worst = max(worst, total / max(end - start, 1))
    out[1] = worst
