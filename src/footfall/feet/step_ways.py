"""Step ways: every way one foot may go while a motion passes into another, and what each costs.

A foot is held where it stands, or it steps: lifted at one of some moments, and put down with the first contact of the
target that it can reach. Nothing here is fused or reordered: ways that cost the same must stay a tie.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import part
from footfall.feet.limits import (
    STEP_BEHIND_M,
    STEP_HELD_FAR_M,
    STEP_HELD_TURN_RAD,
    STEP_LIFTS_S,
    STEP_REACH_M_S2,
    STEP_REST_S,
    STEP_S,
    STEP_S_M,
    STEP_SOON_S,
    STEP_SWING_M_S2,
    STEP_SWING_S,
)
from footfall.feet.step_plan import (
    COLUMNS,
    COST,
    FAR,
    HELD,
    LAND,
    LET_GO,
    LIFT,
    LOW_END,
    LOW_START,
    NEVER,
    NEW_FIRST,
    OFFSET,
    OLD_LAST,
    PLACE,
    REST,
    TURN,
)

FIRST, LAST, STILL, AT = 0, 1, 2, 3  # columns of a contact: frames, from when on it is at rest; AT takes three
CONTACT = 6
GENTLE = 7.5  # largest acceleration of a gentle (septic) change by 1 m in 1 s, m/s²
LATE_S = 0.1  # seconds that a contact may begin after the old one has ended, and still hold its foot. By eye, on pairs
SHORT_SWING = 0.6  # of a step's frames: what is left to swing after a foot was held, at least. By eye, on pairs
APART_S, APART_STEP_S = 0.1, 0.03  # seconds after the lift at which swings are compared, and to either side. By eye
TURNS_SWING = 2.5  # m/s² that evening out speeds which differ by 1 m/s asks for within 1 s. By eye, on pairs
INTO_SWING_S = 0.3  # seconds in which a foot that finds no contact joins the target's swing. By eye, on pairs
STEADY_FRAMES = 2  # after a contact's first frame its ball is where it will stand
EXACT: dict[str, Any] = {"fastmath": False}


class StepCosts(NamedTuple):
    """What each part of a plan costs. By eye, on joins of captured and built-in clips."""

    held_far_m: float = 0.12  # metres off the target's place that cost 1
    held_far_long: float = 3.0  # so many times more where the foot is held long: a crooked stand is seen
    held_turn_rad: float = 0.6  # radians of turn that cost 1
    held_turn_long: float = 1.0
    held_long_from_s: float = 0.5  # held longer than this is long, fully so a second later
    held_waits: float = 0.7  # a second kept down longer than the left motion had it, at most a second's worth
    step: float = 0.7  # any step
    late: float = 1.5  # a second that it lands after the target's foot
    early: float = 0.3  # a second that it leaves before the left motion lifts it, at most a second's worth
    hurry: float = 0.015  # one m/s² of the swing
    slow: float = 0.8  # a second that the swing takes longer than slow_from_s
    slow_from_s: float = 0.7
    left_behind: float = 10.0  # a metre that a standing foot is farther from the body than STEP_BEHIND_M
    too_late: float = 6.0  # no contact that is left can be reached in time
    only_swings: float = 1.5  # the target does not stand on this foot any more
    floating: float = 8.0  # a second with both feet off the floor where neither motion is
    drift: float = 0.12  # one m/s² by which the body is led astray from where the velocities lead
    turned: float = 0.5  # one rad/s by which it is turned astray


COSTS = StepCosts()


@part(**EXACT)
def rounded(x: float) -> int:
    return int(np.rint(x))


@part(**EXACT)
def carried(floor: Any, p: Any) -> Any:
    """x and z of a point of the target placed by floor (4,)."""
    cosine, sine = np.cos(floor[0]), np.sin(floor[0])
    return cosine * p[0] + sine * p[2] + floor[1], cosine * p[2] - sine * p[0] + floor[3]


@part(**EXACT)
def step_frames(distance: float, fps: float, swings: bool) -> int:
    """How many frames a step over a distance takes; a foot that swings anyway needs only time to change its way."""
    least = STEP_SWING_S if swings else STEP_S + STEP_S_M * distance
    return int(np.ceil(fps * max(least, np.sqrt(GENTLE * distance / STEP_REACH_M_S2))))


@part(**EXACT)
def yaw_between(new: Any, old: Any) -> float:
    """The turn about the vertical from one rotation (4,) to another, radians."""
    w = old[0] * new[0] + old[1] * new[1] + old[2] * new[2] + old[3] * new[3]
    y = -old[0] * new[2] + old[1] * new[3] + old[2] * new[0] - old[3] * new[1]
    sign = -1.0 if w < 0.0 else 1.0
    return 2.0 * np.arctan2(sign * y, sign * w)


@part(**EXACT)
def find_holds(foot: int, old: Any, new: Any, floor: Any, join: Any, out: Any) -> int:
    """Every way to hold a foot where contact old (CONTACT,) has it, into out (M, COLUMNS), and how many."""
    count, fps = 0, join.fps
    for i in range(len(new)):
        first, last, rest = new[i, FIRST], new[i, LAST], new[i, STILL]
        if first > max(old[LAST], old[FIRST] + rounded(LATE_S * fps)):
            continue
        if last < max(old[FIRST], 0.0) + rounded(STEP_REST_S * fps):
            continue
        x, z = carried(floor, new[i, AT:])
        off_x, off_z = old[AT] - x, old[AT + 2] - z
        far = np.hypot(off_x, off_z)
        land = new[i + 1, FIRST] if i + 1 < len(new) else float(NEVER)
        if far > STEP_HELD_FAR_M or (land < NEVER and land - last < SHORT_SWING * step_frames(far, fps, False)):
            continue
        at_old, at_new = join.leave + int(min(old[STILL], old[LAST])), join.start + int(min(rest, last))
        turn = yaw_between(join.new.foot[at_new, foot], join.old.foot[at_old, foot]) - floor[0]
        turn = (turn + np.pi) % (2.0 * np.pi) - np.pi
        if abs(turn) > STEP_HELD_TURN_RAD:
            continue
        waits = max(0.0, last - old[LAST]) / fps
        long = 1.0 if land == NEVER else min(1.0, max(0.0, last / fps - COSTS.held_long_from_s))
        cost = (1.0 + COSTS.held_far_long * long) * far / COSTS.held_far_m
        cost += (1.0 + COSTS.held_turn_long * long) * abs(turn) / COSTS.held_turn_rad
        cost += COSTS.held_waits * min(waits, 1.0)
        way = out[count]
        way[HELD], way[LIFT], way[LAND], way[OLD_LAST], way[NEW_FIRST] = 1.0, last, land, old[LAST], rest
        way[REST], way[LET_GO] = max(old[STILL], 0.0), min(last, max(float(join.length), old[STILL]) + rounded(fps))
        way[TURN], way[LOW_START], way[LOW_END], way[COST], way[FAR] = turn, 0.0, 0.0, cost, far
        level = new[i, AT + 1] + floor[2]
        up = old[AT + 1] - level if land < NEVER else 0.0  # floors slope: until it lifts, it stays as high as it stands
        way[PLACE], way[PLACE + 1], way[PLACE + 2] = x, level, z
        way[OFFSET], way[OFFSET + 1], way[OFFSET + 2] = off_x, up, off_z
        count += 1
    return count


@part(**EXACT)
def swings_apart(foot: int, lift: int, floor: Any, join: Any) -> Any:
    """How far apart two swinging feet are a moment after the lift, metres, and how much their speeds differ, m/s."""
    fps, last, old, new = join.fps, join.horizon, join.old.ball, join.new.ball
    step, middle = max(1, rounded(APART_STEP_S * fps)), lift + rounded(APART_S * fps)
    before, now, then = min(middle - step, last), min(middle, last), min(middle + step, last)
    x0, z0 = carried(floor, new[join.start + before, foot])
    x1, z1 = carried(floor, new[join.start + now, foot])
    x2, z2 = carried(floor, new[join.start + then, foot])
    a, b, c = old[join.leave + before, foot], old[join.leave + now, foot], old[join.leave + then, foot]
    rate = fps / max(1, then - before)
    far = np.hypot(b[0] - x1, b[2] - z1)
    return far, rate * np.hypot((c[0] - x2) - (a[0] - x0), (c[2] - z2) - (a[2] - z0))


@part(**EXACT)
def body_away(at: Any, k: int, floor: Any, join: Any) -> float:
    """How far the body is from a foot that still stands at frame k, metres over the floor."""
    share, k = min(k / max(join.length, 1), 1.0), min(k, join.horizon)
    x, z = carried(floor, join.new.root[join.start + k])
    old = join.old.root[join.leave + k]
    return np.hypot((1.0 - share) * old[0] + share * x - at[0], (1.0 - share) * old[2] + share * z - at[2])


@part(**EXACT)
def find_lifts(left: float, fps: float, calm: float, out: Any) -> int:
    """When a foot may begin to step, in order, each once; left: the last frame of its contact, -1 where it swings."""
    if left < 0.0:
        out[0] = 0
        return 1
    count = 0
    for i in range(len(STEP_LIFTS_S) + 1):
        at = rounded(fps) if i == len(STEP_LIFTS_S) else rounded(calm * STEP_LIFTS_S[i] * fps)
        at = int(min(float(at), left))
        j = count
        while j > 0 and out[j - 1] > at:
            j -= 1
        if j > 0 and out[j - 1] == at:
            continue
        for k in range(count, j, -1):
            out[k] = out[k - 1]
        out[j] = at
        count += 1
    return count


@part(**EXACT)
def put_step(way: Any, lift: int, land: int, left: float, late: bool, cost: float, far: float) -> None:
    """A step; where the left motion lifts the foot itself, or swings it, it is followed on."""
    for c in range(COLUMNS):
        way[c] = 0.0
    free = left < 0.0 or lift == left
    way[LIFT], way[LAND], way[OLD_LAST] = lift, land, NEVER if free else lift
    way[LOW_START], way[LOW_END], way[COST], way[FAR] = 1.0 if left >= 0.0 else 0.0, 1.0 if late else 0.0, cost, far


@part(**EXACT)
def find_landing(foot: int, lift: int, left: float, new: Any, floor: Any, join: Any, way: Any) -> bool:
    """The first contact of the target that a foot lifted then can reach; False: there is none."""
    fps, calm, horizon, stands = join.fps, join.calm, join.horizon, left >= 0.0
    at = join.old.ball[join.leave + (lift if stands else 0), foot]
    for i in range(len(new)):
        first, last = int(new[i, FIRST]), int(new[i, LAST])
        if last <= lift or first > horizon:
            continue
        steady = min(max(first, lift) + STEADY_FRAMES, min(last, horizon))
        x, z = carried(floor, join.new.ball[join.start + steady, foot])
        far = np.hypot(x - at[0], z - at[2])
        off, need = far, rounded(calm * step_frames(far, fps, False))
        if not stands or lift == left:  # both swing: what counts is how far apart their ways are, and their speeds
            off, faster = swings_apart(foot, lift, floor, join)
            off = min(far, off)
            need = max(step_frames(off, fps, True), int(np.ceil(fps * TURNS_SWING * faster / STEP_SWING_M_S2)))
        land = max(first, lift + need)
        if land > horizon or last - land < rounded(STEP_REST_S * fps):
            continue
        late = max(0, land - max(first, 0)) / fps / calm
        early = (left - lift) / fps if stands else 0.0
        swing = (land - lift) / fps
        cost = COSTS.step + COSTS.late * late + COSTS.early * min(early, 1.0)
        cost += COSTS.hurry * (GENTLE * off / (swing * swing))
        cost += COSTS.slow * max(0.0, swing - COSTS.slow_from_s * calm)
        if stands:
            cost += COSTS.left_behind * max(0.0, body_away(at, lift, floor, join) - STEP_BEHIND_M)
        put_step(way, lift, land, left, late > 0.0, cost, far)
        return True
    return False


@part(**EXACT)
def find_ways(foot: int, old: Any, new: Any, floor: Any, join: Any, lifts: Any, out: Any) -> int:
    """Every way a foot may go, into out (M, COLUMNS), and how many; old and new (C, CONTACT) its contacts."""
    fps, count = join.fps, 0
    if len(old) > 0 and old[0, FIRST] <= rounded(STEP_SOON_S * fps):
        count = find_holds(foot, old[0], new, floor, join, out)
    left = old[0, LAST] if len(old) > 0 and old[0, FIRST] <= 0.0 else -1.0
    for i in range(find_lifts(left, fps, join.calm, lifts)):
        lift = int(lifts[i])
        if not find_landing(foot, lift, left, new, floor, join, out[count]):
            # the target never stands on it, or not for long enough: the foot joins it in its swing
            missed = False
            for k in range(len(new)):
                missed = missed or new[k, LAST] > lift
            land = min(max(join.length, lift + rounded(INTO_SWING_S * fps)), join.horizon)
            put_step(out[count], lift, land, left, False, COSTS.too_late if missed else COSTS.only_swings, -1.0)
        count += 1
    return count
