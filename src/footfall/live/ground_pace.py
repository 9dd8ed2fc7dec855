"""Ground pace: how fast the clock of a live character goes on a ground, and whether steps lie ahead of it.

Steps up and down take longer, as people take longer (`feet.ground_work` does the same for a whole clip): while such a
step is taken the character's motion goes on more slowly. Nobody runs over stairs, or off the ground: where there are
edges ahead, or it ends, the character is flagged, and `live.decisions` makes a walk of its run before it comes to them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import part
from footfall.feet.limits import (
    GROUND_STAIR_DOWN_S,
    GROUND_STAIR_M,
    GROUND_STAIR_UP_S,
    GROUND_STEEPEST,
    GROUND_STEP_UP_M,
    LIVE_GROUND_AHEAD_S,
    LIVE_GROUND_BEHIND_M,
    LIVE_GROUND_NEAR_M,
    LIVE_GROUND_RUNS_M_S,
    LIVE_GROUND_SPACING_M,
)
from footfall.feet.live_ground import SLOPE_X, SLOPE_Z, X, Y, Z, grade_keeps
from footfall.kinematics.ground_kernels import has_edges, height_at
from footfall.live.ground_state import PACE, PACE_STANDS
from footfall.live.rows import WAKE

SWING, RUN_SWING = 0.8, 1.3  # of a step, the time from strike to strike, that a foot swings. Perry 1992, by eye
STEP_SWING_S, SLOWEST = 0.4, 0.4  # seconds that a foot swings from tread to tread, at least; the least pace. By eye
HARDLY = 0.25  # of GROUND_STAIR_M: what a foot that rises less does not need time for. By eye
SHORTEST_STEP_S = 0.3  # seconds: no step of a gait is shorter
HIGHEST = 1.3  # times GROUND_STAIR_M: higher edges take no longer. As for whole clips
LOOKS = 4  # places ahead at which a ground without edges is looked at for its end. By eye
ALL_BUT_ONE = 0.9995  # of the usual pace: what is left cannot be seen


@part
def step_pace(planes: Any, way: Any, swing_s: float, runs: bool) -> float:
    """Share of its pace that a gait keeps for a step.

    planes: those that the foot has left, of the other foot, and that it goes to (7,); way: unit x, z of where the body
    goes; swing_s: seconds that the foot swings in the motion.
    """
    start, other, goal = planes
    ahead = (goal[X] - other[X]) * way[0] + (goal[Z] - other[Z]) * way[1]
    slope = 0.5 * ((goal[SLOPE_X] + other[SLOPE_X]) * way[0] + (goal[SLOPE_Z] + other[SLOPE_Z]) * way[1])
    rise = goal[Y] - other[Y]
    edge = abs(rise - ahead * slope)
    human = GROUND_STAIR_UP_S if rise > 0.0 else GROUND_STAIR_DOWN_S
    step_s = max(swing_s / (RUN_SWING if runs else SWING), SHORTEST_STEP_S)
    by_stair = 1.0 + (max(human / step_s, 1.0) - 1.0) * min(edge / GROUND_STAIR_M, HIGHEST)
    ahead = (goal[X] - start[X]) * way[0] + (goal[Z] - start[Z]) * way[1]
    lifted = min(max(abs(goal[Y] - start[Y] - ahead * slope) / GROUND_STAIR_M - HARDLY, 0.0), 1.0)
    in_time = 1.0 + lifted * (max(STEP_SWING_S / swing_s, 1.0) - 1.0)
    return max(min(1.0 / max(by_stair, in_time), grade_keeps(slope, runs)), SLOWEST)


@part
def lead_pace(own: Any, n: int, keeps: Any) -> None:
    """The pace of one character a frame later: that of the step it takes; in time its usual one where it stands."""
    goal, keep = 1.0, keeps[PACE_STANDS]
    for side in range(2):
        if own.flies[n, side]:
            goal, keep = min(goal, own.slow[n, side]), keeps[PACE]
    pace = goal + keep * (own.pace[n] - goal)
    own.pace[n] = 1.0 if pace > ALL_BUT_ONE else pace


@part
def look_for_steps(handle: Any, n: int, ground: Any, own: Any) -> None:
    """Note whether steps lie ahead of a character, or the end of its ground, and wake it where that has changed."""
    rows = handle.rows
    root, velocity = rows.root[n], rows.velocity[n]
    c, s = np.cos(root[2]), np.sin(root[2])
    vx, vz = s * velocity[0] + c * velocity[1], c * velocity[0] - s * velocity[1]
    speed = np.sqrt(vx * vx + vz * vz)
    wx, wz = (vx / speed, vz / speed) if speed > 0.1 else (s, c)
    at, far = (root[0], own.body[n, 0, 1], root[1]), LIVE_GROUND_AHEAD_S * speed
    if has_edges(ground):
        found = has_edge(ground, at, (wx, wz), far)
    else:  # a walk need not know: it takes no step that leads off the ground
        found = (speed > LIVE_GROUND_RUNS_M_S or own.steps[n]) and it_ends(ground, at, (wx, wz), far)
    found = found or own.blocked[n]  # also from a stand, nobody runs where no step leads on
    if found != own.steps[n]:
        own.steps[n] = found
        rows.event[n] |= np.uint8(WAKE)


@part
def it_ends(ground: Any, at: Any, way: Any, far: float) -> bool:
    """Whether the ground ends along a way from a place (3,), within `far` metres and a few more."""
    for k in range(1, LOOKS + 1):
        by = k * (LIVE_GROUND_NEAR_M + far) / LOOKS
        high = height_at(ground, at[0] + by * way[0], at[2] + by * way[1], at[1])
        if high != high:
            return True
    return False


@part
def has_edge(ground: Any, at: Any, way: Any, far: float) -> bool:
    """Whether the ground rises or falls at once along a way from a place (3,), within `far` metres and a few more."""
    most = GROUND_STEP_UP_M + GROUND_STEEPEST * LIVE_GROUND_SPACING_M
    last = np.nan
    for k in range(int((LIVE_GROUND_BEHIND_M + LIVE_GROUND_NEAR_M + far) / LIVE_GROUND_SPACING_M) + 1):
        by = k * LIVE_GROUND_SPACING_M - LIVE_GROUND_BEHIND_M
        high = height_at(ground, at[0] + by * way[0], at[2] + by * way[1], at[1] if last != last else last)
        if abs(high - last) > most:  # never of what is no number: there is no ground
            return True
        if high == high:
            last = high
    return False
